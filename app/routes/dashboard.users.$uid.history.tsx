import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { UserHistoryPanel } from '~/components/console/users/user-records.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { listUserHistory } from '~/pages/user-dialog.server.ts'

export const meta = pageTitle('Dashboard : Users : History')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { history: await listUserHistory(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export default function UserHistory() {
  return <UserHistoryPanel {...useLoaderData<typeof loader>()} />
}
