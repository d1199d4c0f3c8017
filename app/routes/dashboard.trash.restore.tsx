import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { selectedIn } from '~/http/selection.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { restoredInWords } from '~/pages/trash.server.ts'
import { restoreFromTrash } from '~/services/trash/trash.server.ts'

/** Redirects visitors: only Restore posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect('/dashboard/trash/')
}

/** Each `uid` is the key of a row. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const list = `/dashboard/trash/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async (form) => {
    const restored = await restoreFromTrash(ctx, { items: selectedIn(form) })
    return redirectWithNotice(args, list, restoredInWords(restored))
  })
  return answerUndo(args, list, answer)
}

export default function RestoreFromTrash() {
  return null
}
