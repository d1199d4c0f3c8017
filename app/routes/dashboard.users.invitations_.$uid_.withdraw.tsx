import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { isDocumentPost, requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { awaitBulkOperation } from '~/services/bulk/bulk.server.ts'
import { getInvitedList } from '~/services/invitations/invited-lists.server.ts'
import { withdrawInvitedList } from '~/services/invitations/withdraw-list.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const operationUid = args.params.uid ?? ''
  const { withdrawable } = await getInvitedList(ctx, { operationUid }).catch(throwAsPage)
  return { operationUid, withdrawable }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const operationUid = args.params.uid ?? ''
  return withForm(args, ctx, async () => {
    const begun = await withdrawInvitedList(ctx, { operationUid })
    if (isDocumentPost(args)) await awaitBulkOperation(ctx, begun)
    return redirect(`/dashboard/users/invitations/${operationUid}/${tableSearch(new URL(args.request.url).search)}`)
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error withdrawing invitations. Please try again later.')
}

export default function Withdraw() {
  const { operationUid, withdrawable } = useLoaderData<typeof loader>()
  const count = withdrawable === 1 ? '1 person' : `${withdrawable.toLocaleString('en')} people`
  return (
    <ConfirmRoute
      title="Withdraw invitations"
      question={
        <>
          <p>
            {count} on this list {withdrawable === 1 ? 'has' : 'have'} not registered yet. Their accounts are removed,
            the links in their mails stop working, and they can be invited again.
          </p>
          <p className="muted mt-2">
            Whoever has registered keeps the account, and institutions that the list added stay. This cannot be undone.
          </p>
        </>
      }
      actionLabel="Withdraw"
      tone="danger"
      closeTo={`/dashboard/users/invitations/${operationUid}/`}
    />
  )
}
