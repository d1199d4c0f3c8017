import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData, useOutletContext } from '@remix-run/react'
import { ReportStats } from '~/components/console/modules/module-report.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getModuleStatistics, listModuleChart } from '~/pages/module-report.server.ts'

export const meta = pageTitle('Dashboard : Modules : Report')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const input = { moduleUid: args.params.uid ?? '' }
  const statistics = await getModuleStatistics(ctx, input).catch(throwAsPage)
  return { statistics, months: await listModuleChart(ctx, input) }
}

export default function Stats() {
  const module = useOutletContext<{ uid: string; name: string }>()
  return <ReportStats module={module} {...useLoaderData<typeof loader>()} />
}
