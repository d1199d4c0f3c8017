import type { LoaderFunctionArgs } from '@remix-run/node'
import { ChartsExample } from '~/components/console/parts/charts.tsx'
import { pageTitle } from '~/http/meta.ts'
import { formatMonth } from '~/lib/dates.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { listModuleMonths } from '~/services/modules/statistics.server.ts'

export const meta = pageTitle('Dashboard : Parts')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireParts(args)
  const months = await listModuleMonths(ctx, { months: 12 })
  return {
    labels: months.map(({ month }) => formatMonth(month)),
    series: [
      { name: 'Starts', values: months.map(({ starts }) => starts) },
      { name: 'Completions', values: months.map(({ completions }) => completions) },
    ],
  }
}

export default ChartsExample
