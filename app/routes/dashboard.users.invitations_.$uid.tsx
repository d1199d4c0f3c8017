import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { InvitedList } from '~/components/console/invitations/invited-list.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getInvitedListView } from '~/pages/invitations.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { list: await getInvitedListView(ctx, { operationUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export default function List() {
  return <InvitedList list={useLoaderData<typeof loader>().list} />
}
