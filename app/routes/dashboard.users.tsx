import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, Outlet, useLoaderData } from '@remix-run/react'
import { useEffect, useState } from 'react'
import { whenUnanswered } from '~/browser/failed-posts.ts'
import { notify } from '~/browser/notices.ts'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { UsersTable } from '~/components/console/users/users-table.tsx'
import { resentInWords, userTables, userTabOf } from '~/forms/user-tables.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { selectedIn } from '~/http/selection.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { readTableQuery, tableSearch } from '~/lib/table-query.ts'
import { listUsersNotices } from '~/pages/bulk-operation.server.ts'
import { fixedUserFilterOptions, listUserFilterOptions, listUserTablePage } from '~/pages/user-table.server.ts'
import { resendInvitations } from '~/services/invitations/invite-users.server.ts'

export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { searchParams } = new URL(args.request.url)
  const tab = userTabOf(searchParams.get('tab'))
  const table = userTables[tab]
  const query = readTableQuery(searchParams, table)
  const [{ page, counts }, options, notices] = await Promise.all([
    listUserTablePage(ctx, { ...query, tab }),
    listUserFilterOptions(ctx, query),
    listUsersNotices(ctx),
  ]).catch(throwAsPage)
  requireKnownFilters(args.request, table, { ...options, ...fixedUserFilterOptions(tab) })
  return { tab, page: requireExistingPage(args.request, table, page), counts, options, notices }
}

/**
 * Sends the selected people their invitations again (C-087, C-264). The action belongs to the table, whose code is loaded:
 * the code of a route of its own could not be loaded offline, and the page would have no words.
 */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const list = `/dashboard/users/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async (form) => {
    const resent = await resendInvitations(ctx, { userUids: selectedIn(form) })
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

export const shouldRevalidate = revalidatesTable(userTables.learners)

/** What dialogs need that act on the selected rows. */
export type UsersContext = { deselectAll: () => void }

export default function Users() {
  const data = useLoaderData<typeof loader>()
  const { tab } = data
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // A selection belongs to its tab.
  useEffect(() => setSelected(new Set()), [tab])
  const [context] = useState<UsersContext>({ deselectAll: () => setSelected(new Set()) })
  return (
    <>
      <UnderDialog>
        <UsersTable {...data} selected={selected} onSelect={setSelected} />
      </UnderDialog>
      <Outlet context={context} />
    </>
  )
}
