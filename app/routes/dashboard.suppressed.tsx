import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { SuppressionList } from '~/components/console/mails/suppression-list.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { suppressionsTable } from '~/forms/mails.ts'
import { pageTitle } from '~/http/meta.ts'
import { requireExistingPage } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getSuppressionsPage } from '~/pages/mails.server.ts'

export const meta = pageTitle('Dashboard : Suppressed Addresses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'suppressed')
  const query = readTableQuery(new URL(args.request.url).searchParams, suppressionsTable)
  return requireExistingPage(args.request, suppressionsTable, await getSuppressionsPage(ctx, query))
}

export default function SuppressedAddresses() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <SuppressionList {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
