import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { AssignedLists } from '~/components/console/users/assigned-content.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { linesPerPage, listAssigningLines } from '~/pages/assigning.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const page = pageNumber(new URL(args.request.url).searchParams.get('list'))
  return { ...(await listAssigningLines(ctx, { page })), size: linesPerPage }
}

export default function Assigned() {
  return <AssignedLists {...useLoaderData<typeof loader>()} />
}
