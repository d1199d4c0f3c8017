import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { ReportsPage } from '~/components/console/reports/reports-page.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { getReportForm } from '~/pages/reports.server.ts'

export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getReportForm(ctx, { tab: 'search-terms', params: new URL(args.request.url).searchParams })
}

export default function Reports() {
  return <ReportsPage {...useLoaderData<typeof loader>()} />
}
