import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { useEffect, useState } from 'react'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { UsersTable } from '~/components/console/users/users-table.tsx'
import { userTables, userTabOf } from '~/forms/user-tables.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { fixedUserFilterOptions, listUserFilterOptions, listUserTablePage } from '~/pages/user-table.server.ts'

export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { searchParams } = new URL(args.request.url)
  const tab = userTabOf(searchParams.get('tab'))
  const table = userTables[tab]
  const query = readTableQuery(searchParams, table)
  const [{ page, counts }, options] = await Promise.all([
    listUserTablePage(ctx, { ...query, tab }),
    listUserFilterOptions(ctx, query),
  ]).catch(throwAsPage)
  requireKnownFilters(args.request, table, { ...options, ...fixedUserFilterOptions(tab) })
  return { tab, page: requireExistingPage(args.request, table, page), counts, options }
}

export const shouldRevalidate = revalidatesTable(userTables.learners)

export default function Users() {
  const data = useLoaderData<typeof loader>()
  const { tab } = data
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // A selection belongs to its tab.
  useEffect(() => setSelected(new Set()), [tab])
  return (
    <>
      <UnderDialog>
        <UsersTable {...data} selected={selected} onSelect={setSelected} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
