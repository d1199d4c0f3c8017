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
import { nameOf } from '~/pages/scheduled-reports.server.ts'
import { deleteScheduledReport, getScheduledReport } from '~/services/reports/scheduled-reports.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { name: nameOf(await getScheduledReport(ctx, { reportUid: args.params.uid ?? '' }).catch(throwAsPage)) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const list = `/dashboard/reports/scheduled/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { uid } = await deleteScheduledReport(ctx, { reportUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, {
      kind: 'success',
      subject: uid,
      text: 'The scheduled report has been deleted.',
      undo: { action: `/dashboard/reports/scheduled/removed/${uid}/restore/`, label: 'Undo' },
    })
  })
  return answerRemoval(args, list, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting the scheduled report. Please try again later.')
}

export default function DeleteScheduledReport() {
  const { name } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title="Delete Scheduled Report"
      question={
        <p>
          “{name}” will no longer go out. Links in emails that were sent keep working. You can undo this for thirty
          days.
        </p>
      }
      actionLabel="Delete"
      tone="danger"
      closeTo="/dashboard/reports/scheduled/"
    />
  )
}
