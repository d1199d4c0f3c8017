import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { deleteSavedView, getOwnSavedView } from '~/services/reports/saved-views.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getOwnSavedView(ctx, { viewUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const list = `/dashboard/reports/views/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { uid, name } = await deleteSavedView(ctx, { viewUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, {
      kind: 'success',
      text: `View “${name}” has been deleted.`,
      undo: { action: `/dashboard/reports/views/removed/${uid}/restore/`, label: 'Undo' },
    })
  })
  return answerRemoval(args, list, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting the view. Please try again later.')
}

export default function DeleteView() {
  const { name, isShared } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title="Delete View"
      question={
        <p>
          “{name}” will be deleted. {isShared ? 'Other admins will no longer be able to open it. ' : ''}The report
          itself stays. You can undo this for thirty days.
        </p>
      }
      actionLabel="Delete"
      tone="danger"
      closeTo="/dashboard/reports/views/"
    />
  )
}
