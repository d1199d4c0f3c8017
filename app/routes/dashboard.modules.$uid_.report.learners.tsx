import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData, useOutletContext } from '@remix-run/react'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { ReportLearners } from '~/components/console/modules/report-learners.tsx'
import { learnerStates, moduleLearnersTable } from '~/forms/module-tables.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { listLearnerFilterOptions, listLearnerRows } from '~/pages/module-report.server.ts'

export const meta = pageTitle('Dashboard : Modules : Learners')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const query = readTableQuery(new URL(args.request.url).searchParams, moduleLearnersTable)
  const [page, options] = await Promise.all([
    listLearnerRows(ctx, { ...query, moduleUid: args.params.uid ?? '' }),
    listLearnerFilterOptions(ctx),
  ]).catch(throwAsPage)
  const state = learnerStates.map((value) => ({ value }))
  requireKnownFilters(args.request, moduleLearnersTable, { ...options, state })
  const existing = requireExistingPage(args.request, moduleLearnersTable, page)
  return { page: existing, options, timeZone: ctx.site.timeZone }
}

export const shouldRevalidate = revalidatesTable(moduleLearnersTable)

export default function Learners() {
  const module = useOutletContext<{ uid: string; name: string }>()
  return <ReportLearners module={module} {...useLoaderData<typeof loader>()} />
}
