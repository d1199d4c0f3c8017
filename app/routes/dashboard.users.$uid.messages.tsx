import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { UserMessagesPanel } from '~/components/console/users/user-records.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { listUserMessages } from '~/pages/user-dialog.server.ts'

export const meta = pageTitle('Dashboard : Users : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { messages: await listUserMessages(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export default function UserMessages() {
  return <UserMessagesPanel {...useLoaderData<typeof loader>()} />
}
