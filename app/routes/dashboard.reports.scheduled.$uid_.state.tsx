import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text, withButton } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { nameOf } from '~/pages/scheduled-reports.server.ts'
import { Invalid } from '~/services/errors.ts'
import { pauseScheduledReport, resumeScheduledReport } from '~/services/reports/scheduled-reports.server.ts'

const list = '/dashboard/reports/scheduled/'

/** Redirects visitors: only Pause and Resume post here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return redirect(list)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const answer = await withButton(args, ctx, async (form) => {
    const input = { reportUid: args.params.uid ?? '' }
    const notice = { kind: 'success', subject: input.reportUid } as const
    const intent = text(form, 'intent')
    if (intent !== 'pause' && intent !== 'resume') throw new Invalid('Press Pause or Resume.')
    if (intent === 'pause') {
      const report = await pauseScheduledReport(ctx, input)
      return redirectWithNotice(args, list, { ...notice, text: `“${nameOf(report)}” is paused.` })
    }
    const { nextAt, ...report } = await resumeScheduledReport(ctx, input)
    const when = formatMoment(nextAt, ctx.site.timeZone)
    return redirectWithNotice(args, list, { ...notice, text: `“${nameOf(report)}” goes out again on ${when}.` })
  })
  return answerUndo(args, list, answer)
}

export default function ScheduledReportState() {
  return null
}
