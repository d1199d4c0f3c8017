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
import { deleteReportFile, getReportFile } from '~/services/reports/report-files.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { fileName } = await getReportFile(ctx, { fileUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { fileName }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const list = `/dashboard/reports/files/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    await deleteReportFile(ctx, { fileUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, { kind: 'success', text: 'The file has been deleted.' })
  })
  return answerRemoval(args, list, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting the file. Please try again later.')
}

export default function DeleteReportFile() {
  const { fileName } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title="Delete File"
      question={
        <p className="[overflow-wrap:anywhere]">
          “{fileName}” will be deleted. You cannot undo this, but you can ask for the report again.
        </p>
      }
      actionLabel="Delete"
      tone="danger"
      closeTo="/dashboard/reports/files/"
    />
  )
}
