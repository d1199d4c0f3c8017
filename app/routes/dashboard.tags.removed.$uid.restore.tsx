import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
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
  return answerUndo(args, ctx, '/dashboard/tags/', async () => {
    const { text } = await restoreTag(ctx, { removalUid: args.params.uid ?? '' })
    return `Tag “${text}” is back.`
  })
}

export default function RestoreTag() {
  return null
}
