import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { GroupsPage } from '~/components/console/groups/groups-page.tsx'
import { pageTitle } from '~/http/meta.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getGroupsPage } from '~/pages/groups.server.ts'

export const meta = pageTitle('Dashboard : Groups')

export async function loader(args: LoaderFunctionArgs) {
  return getGroupsPage(await requireSection(args, 'groups'))
}

export default function Groups() {
  return <GroupsPage {...useLoaderData<typeof loader>()} />
}
