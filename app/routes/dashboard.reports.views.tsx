import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { SavedViews } from '~/components/console/reports/saved-views.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { getSavedViews } from '~/pages/saved-views.server.ts'

export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getSavedViews(ctx, { page: pageNumber(new URL(args.request.url).searchParams.get('page')) })
}

export default function Views() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <SavedViews {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
