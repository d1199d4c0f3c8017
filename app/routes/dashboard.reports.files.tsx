import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { ReportFiles } from '~/components/console/reports/report-files.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { getReportFiles } from '~/pages/report-files.server.ts'

export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getReportFiles(ctx, { page: pageNumber(new URL(args.request.url).searchParams.get('page')) })
}

export default function Files() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <ReportFiles {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
