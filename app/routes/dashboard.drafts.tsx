import type { ActionFunctionArgs } from '@remix-run/node'
import { discardDraft, draftKeyField, takeBackDraft, typedAtField } from '~/forms/draft-fields.ts'
import { requireConsole } from '~/http/context.server.ts'
import { notFoundPage, text, withForm } from '~/http/respond.server.ts'
import { deleteDraft, keepDraft } from '~/services/drafts/drafts.server.ts'

/** There is no page here. */
export function loader() {
  throw notFoundPage()
}

/** Keeps the draft that a form sends while somebody types, or deletes it. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const answer = await withForm(args, ctx, async (form) => {
    const formKey = text(form, draftKeyField)
    const intent = text(form, 'intent')
    const typedAt = Number(text(form, typedAtField))
    if (intent === discardDraft || intent === takeBackDraft) {
      await deleteDraft(ctx, { formKey, isOpen: intent === takeBackDraft, typedAt })
    } else await keepDraft(ctx, { formKey, fields: text(form, 'fields') as never, typedAt })
    return null
  })
  return answer === null ? new Response(null, { status: 204 }) : Response.json(null, answer.init ?? undefined)
}
