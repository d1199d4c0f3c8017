import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { onceSeen } from '~/http/afterwards.server.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { addressOf } from '~/pages/saved-views.server.ts'
import { getReportRun, markReportOpened } from '~/services/reports/open-run.server.ts'

/** The link in the mail of a scheduled report. It leads to the report for the days that the mail speaks of. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const runUid = args.params.run ?? ''
  const { path, choice } = await getReportRun(ctx, { runUid }).catch(throwAsPage)
  onceSeen(args.context.exchange, () => markReportOpened(ctx, { runUid }))
  return redirect(addressOf(path, choice))
}

export default function SentReport() {
  return null
}
