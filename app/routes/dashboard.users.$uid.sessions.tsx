import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { UserSessionsPanel } from '~/components/console/users/user-records.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withButton } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { listUserSessions } from '~/pages/user-dialog.server.ts'
import { endSessionsOfUser } from '~/services/sessions/sessions.server.ts'

export const meta = pageTitle('Dashboard : Users : Sessions')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { sessions: await listUserSessions(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const userUid = args.params.uid ?? ''
  const here = `/dashboard/users/${userUid}/sessions/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withButton(args, ctx, async (form) => {
    const session = text(form, 'session')
    const { count } = await endSessionsOfUser(ctx, { userUid, ...(session !== 'all' && { sessionUid: session }) })
    const done = count === 1 ? 'The session has been logged out.' : 'All sessions have been logged out.'
    return redirectWithNotice(args, here, {
      kind: 'success',
      text: count === 0 ? 'This person was no longer logged in there.' : done,
    })
  })
  return answerUndo(args, here, answer)
}

export default function Sessions() {
  return <UserSessionsPanel {...useLoaderData<typeof loader>()} />
}
