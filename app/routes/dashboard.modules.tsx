import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, type ShouldRevalidateFunctionArgs, useLoaderData } from '@remix-run/react'
import { ModulesTable } from '~/components/console/modules-table.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { isWrittenByGrid } from '~/components/console/table-address.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { listModuleTablePage } from '~/pages/module-table.server.ts'
import { type ModuleSort, moduleSorts } from '~/services/modules/table.server.ts'

export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const query = readTableQuery(new URL(args.request.url).searchParams, moduleSorts)
  const list = await listModuleTablePage(ctx, { ...query, sort: query.sort as ModuleSort }).catch(throwAsPage)
  return { ...list, query, stamp: args.context.exchange.requestId }
}

/**
 * Opening and closing dialogs changes nothing in the table under them; a post may have. The learner list of a report is a table
 * of its own, and what its address says is not for this one.
 */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  formMethod,
  actionStatus,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  // Nothing has changed after a refusal. The default does not know: with single fetch it is always true.
  if (actionStatus !== undefined && actionStatus >= 400) return false
  if (formMethod !== undefined && formMethod !== 'GET') return defaultShouldRevalidate
  if (nextUrl.pathname.endsWith('/report/learners/')) return false
  if (currentUrl.pathname !== nextUrl.pathname && isWrittenByGrid(nextUrl.search)) return false
  return currentUrl.search !== nextUrl.search || (currentUrl.pathname === nextUrl.pathname && defaultShouldRevalidate)
}

export default function Modules() {
  return (
    <>
      <UnderDialog>
        <ModulesTable {...useLoaderData<typeof loader>()} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
