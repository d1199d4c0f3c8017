import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { UserDialog } from '~/components/console/users/user-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getUserHead } from '~/pages/user-dialog.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { user: await getUserHead(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export default function User() {
  const { user } = useLoaderData<typeof loader>()
  return (
    <UserDialog user={user}>
      <Outlet />
    </UserDialog>
  )
}
