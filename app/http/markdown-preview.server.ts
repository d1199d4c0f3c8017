import { data } from '@remix-run/node'
import { renderMarkdown } from '~/lib/markdown.ts'
import type { Ctx } from '~/services/context.ts'
import type { Exchange } from './exchange.server.ts'
import { type Refusal, refusalOf, text } from './respond.server.ts'

/** The typed values, and each of the named fields as HTML. */
export type Preview = Refusal & { previews: Record<string, string> }

/**
 * Answers the "Preview" button of a MarkdownField. Nothing is checked or saved, and all typed text stays in the form.
 * Actions call it inside `withForm`.
 */
export async function previewMarkdown(
  args: { context: { exchange: Exchange } },
  ctx: Ctx,
  form: FormData,
  fields: readonly string[],
): Promise<ReturnType<typeof data<Preview>>> {
  const refusal = await refusalOf(ctx, args.context.exchange, form, { message: '' })
  const previews = Object.fromEntries(
    // Headings start at h3, since the page has an h1 and its dialog an h2.
    fields.map((name) => [name, renderMarkdown(text(form, name), { headingOffset: 2 })]),
  )
  return data({ ...refusal, previews })
}
