import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { restoreVideo } from '~/services/videos/save-video.server.ts'

/** Redirects visitors: only the Undo of a deletion posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect('/dashboard/videos/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const list = `/dashboard/videos/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { name } = await restoreVideo(ctx, { videoUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, { kind: 'info', text: `Video "${name}" is back.` })
  })
  return answerUndo(args, list, answer)
}

export default function RestoreVideo() {
  return null
}
