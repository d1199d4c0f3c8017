import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { InvitedLists } from '~/components/console/invitations/invited-lists.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { listInvitedListLines } from '~/pages/invitations.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { lists: await listInvitedListLines(ctx) }
}

export default function Lists() {
  return <InvitedLists lists={useLoaderData<typeof loader>().lists} />
}
