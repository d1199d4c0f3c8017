import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { useState } from 'react'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { ModulesTable } from '~/components/console/modules-table.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { moduleStates, modulesTable } from '~/forms/module-tables.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { listModulesNotices } from '~/pages/bulk-operation.server.ts'
import { listModuleFilterOptions, listModuleTablePage } from '~/pages/module-table.server.ts'

export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const query = readTableQuery(new URL(args.request.url).searchParams, modulesTable)
  const [page, options, notices] = await Promise.all([
    listModuleTablePage(ctx, query),
    listModuleFilterOptions(ctx, query),
    listModulesNotices(ctx),
  ]).catch(throwAsPage)
  requireKnownFilters(args.request, modulesTable, { ...options, status: moduleStates.map((value) => ({ value })) })
  return { page: requireExistingPage(args.request, modulesTable, page), options, notices }
}

export const shouldRevalidate = revalidatesTable(modulesTable)

/** What dialogs need that act on the selected rows. */
export type ModulesContext = { deselect: (uids: string[]) => void }

export default function Modules() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [context] = useState<ModulesContext>({
    deselect: (uids) => setSelected((before) => new Set([...before].filter((uid) => !uids.includes(uid)))),
  })
  return (
    <>
      <UnderDialog>
        <ModulesTable {...useLoaderData<typeof loader>()} selected={selected} onSelect={setSelected} />
      </UnderDialog>
      <Outlet context={context} />
    </>
  )
}
