import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, type ShouldRevalidateFunctionArgs, useLoaderData } from '@remix-run/react'
import { AudienceList } from '~/components/console/audiences/audience-list.tsx'
import { hasSavedNothing } from '~/components/console/audiences/revalidation.ts'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { audiencesTable } from '~/forms/audience-tables.ts'
import { pageTitle } from '~/http/meta.ts'
import { requireExistingPage } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { getAudiencesPage } from '~/pages/audiences.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

export const meta = pageTitle('Dashboard : Audiences')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const query = readTableQuery(new URL(args.request.url).searchParams, audiencesTable)
  return requireExistingPage(args.request, audiencesTable, await getAudiencesPage(ctx, query))
}

const revalidates = revalidatesTable(audiencesTable)

/** Counting all audiences again takes a moment, so the list stays as it is under a dialog that saves nothing. */
export function shouldRevalidate(args: ShouldRevalidateFunctionArgs) {
  return !hasSavedNothing(args) && revalidates(args)
}

export default function Audiences() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <AudienceList {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
