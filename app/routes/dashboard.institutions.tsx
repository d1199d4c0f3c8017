import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { InstitutionList } from '~/components/console/institutions/institution-list.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { institutionsTable } from '~/forms/institutions.ts'
import { pageTitle } from '~/http/meta.ts'
import { requireExistingPage } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getInstitutionsPage } from '~/pages/institutions.server.ts'

export const meta = pageTitle('Dashboard : Institutions')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'institutions')
  const query = readTableQuery(new URL(args.request.url).searchParams, institutionsTable)
  return requireExistingPage(args.request, institutionsTable, await getInstitutionsPage(ctx, query))
}

export default function Institutions() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <InstitutionList {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
