import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { restoreUser } from '~/services/users/delete-user.server.ts'

/** Redirects visitors: only the Undo of a deletion posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return redirect('/dashboard/users/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const list = `/dashboard/users/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { firstName, lastName } = await restoreUser(ctx, { userUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, { kind: 'info', text: `User "${firstName} ${lastName}" is back.` })
  })
  return answerUndo(args, list, answer)
}

export default function RestoreUser() {
  return null
}
