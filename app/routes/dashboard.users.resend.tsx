import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { whenUnanswered } from '~/browser/failed-posts.ts'
import { notify } from '~/browser/notices.ts'
import { resentInWords } from '~/forms/user-tables.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { resendInvitations } from '~/services/invitations/invite-users.server.ts'

/** Redirects visitors: only the selection of pending users posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return redirect('/dashboard/users/?tab=pending')
}

/** Sends the selected people their invitations again (C-087, C-264). */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const list = `/dashboard/users/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async (form) => {
    const resent = await resendInvitations(ctx, { userUids: form.getAll('uid').map(String) })
    return redirectWithNotice(args, list, { kind: 'info', text: resentInWords(resent) })
  })
  return answerUndo(args, list, answer)
}

export async function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction(), () => {
    notify({ kind: 'error', text: 'Error resending user invitations. Please try again later.' })
    return {}
  })
}

export default function Resend() {
  return null
}
