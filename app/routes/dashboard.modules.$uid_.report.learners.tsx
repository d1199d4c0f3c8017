import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData, useOutletContext } from '@remix-run/react'
import { ReportLearners } from '~/components/console/modules/report-learners.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { listLearnerRows } from '~/pages/module-report.server.ts'
import { type ModuleLearnerSort, moduleLearnerSorts } from '~/services/progress/progress.server.ts'

export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const query = readTableQuery(new URL(args.request.url).searchParams, moduleLearnerSorts)
  const input = { ...query, sort: query.sort as ModuleLearnerSort, moduleUid: args.params.uid ?? '' }
  const list = await listLearnerRows(ctx, input).catch(throwAsPage)
  return { ...list, query, timeZone: ctx.site.timeZone, stamp: args.context.exchange.requestId }
}

export default function Learners() {
  const module = useOutletContext<{ uid: string; name: string }>()
  return <ReportLearners module={module} {...useLoaderData<typeof loader>()} />
}
