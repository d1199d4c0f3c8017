import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { EditorExample } from '~/components/console/parts/editor.tsx'
import { previewIntent } from '~/forms/intents.ts'
import { partEditorForm } from '~/forms/parts.ts'
import { previewMarkdown } from '~/http/markdown-preview.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { actsAsAdmin } from '~/services/context.ts'
import { parseInput } from '~/services/input.ts'

export const meta = pageTitle('Dashboard : Parts')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireParts(args)
  return { canUpload: actsAsAdmin(ctx) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  return withForm(args, ctx, async (form) => {
    if (text(form, 'intent') === previewIntent) return previewMarkdown(args, ctx, form, ['text'])
    const values = parseInput(partEditorForm, Object.fromEntries(form))
    return redirect(`?${new URLSearchParams({ received: JSON.stringify(values, null, 2) })}`)
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the message. Please try again later.')
}

export default EditorExample
