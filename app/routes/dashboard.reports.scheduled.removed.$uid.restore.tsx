import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { restoreScheduledReport } from '~/services/reports/scheduled-reports.server.ts'

const list = '/dashboard/reports/scheduled/'

/** Redirects visitors: only Restore and Undo post here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return redirect(list)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const answer = await withForm(args, ctx, async () => {
    const { uid } = await restoreScheduledReport(ctx, { reportUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, { kind: 'success', subject: uid, text: 'The scheduled report is back.' })
  })
  return answerUndo(args, list, answer)
}

export default function RestoreScheduledReport() {
  return null
}
