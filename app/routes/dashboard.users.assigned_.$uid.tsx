import { type ActionFunctionArgs, type LoaderFunctionArgs, replace } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { AssignedContent } from '~/components/console/users/assigned-content.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getAssigningView } from '~/pages/assigning.server.ts'
import { undoAssignment } from '~/services/assignments/run-assignment.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { view: await getAssigningView(ctx, { operationUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

/** Undoes what the operation has assigned. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const operationUid = args.params.uid ?? ''
  return withForm(args, ctx, async () => {
    await undoAssignment(ctx, { operationUid })
    return replace(`/dashboard/users/assigned/${operationUid}/${tableSearch(new URL(args.request.url).search)}`)
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error undoing this. Please try again later.')
}

export default function Assigned() {
  return <AssignedContent {...useLoaderData<typeof loader>()} />
}
