import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { restoreTag } from '~/services/tags/change-tags.server.ts'

/** Redirects visitors: only Restore and Undo post here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'tags')
  return redirect('/dashboard/tags/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'tags')
  const answer = await withForm(args, ctx, async () => {
    const { text } = await restoreTag(ctx, { removalUid: args.params.uid ?? '' })
    return redirectWithNotice(args, '/dashboard/tags/', { kind: 'success', text: `Tag “${text}” is back.` })
  })
  return answerUndo(args, '/dashboard/tags/', answer)
}

export default function RestoreTag() {
  return null
}
