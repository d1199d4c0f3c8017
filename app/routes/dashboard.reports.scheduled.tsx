import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { ScheduledReports } from '~/components/console/reports/scheduled-reports.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { getScheduledReports } from '~/pages/scheduled-reports.server.ts'

export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getScheduledReports(ctx, { page: pageNumber(new URL(args.request.url).searchParams.get('page')) })
}

export default function Scheduled() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <ScheduledReports {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
