import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, type ShouldRevalidateFunctionArgs, useLoaderData } from '@remix-run/react'
import { AudiencePeople } from '~/components/console/audiences/audience-people.tsx'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { audiencePeopleTable } from '~/forms/audience-tables.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { getAudiencePeoplePage } from '~/pages/audiences.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

export const meta = pageTitle('Dashboard : Audiences')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const { searchParams } = new URL(args.request.url)
  const page = await getAudiencePeoplePage(ctx, {
    audienceUid: args.params.uid ?? '',
    query: readTableQuery(searchParams, audiencePeopleTable),
    person: searchParams.get('person'),
  }).catch(throwAsPage)
  return requireExistingPage(args.request, audiencePeopleTable, page)
}

const revalidates = revalidatesTable(audiencePeopleTable)

/** The people stay as they are while a dialog opens over them. Another search for a person loads the page again. */
export function shouldRevalidate(args: ShouldRevalidateFunctionArgs) {
  const isSamePage = args.currentUrl.pathname === args.nextUrl.pathname
  return isSamePage ? args.defaultShouldRevalidate : revalidates(args)
}

export default function PeopleOfAudience() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <AudiencePeople {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
