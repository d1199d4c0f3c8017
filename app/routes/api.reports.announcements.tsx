import type { LoaderFunctionArgs } from '@remix-run/node'
import { csvResponse } from '~/http/csv.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { csvFileName } from '~/lib/csv.ts'
import { daysOfPeriod } from '~/lib/report-period.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { messageReportParts, oneMessageParts } from '~/pages/message-report.server.ts'
import { readReportQuery } from '~/pages/report-query.server.ts'
import { getMessageReport } from '~/services/announcements/message-report.server.ts'

/** The report of messages as a CSV file: of one (`uid`), or of all that were sent in a period (C-236). */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const announcementUid = new URL(args.request.url).searchParams.get('uid')
  const { period } = readReportQuery(args.request, { needsPeriod: announcementUid === null })
  if (announcementUid !== null) {
    const message = await getMessageReport(ctx, { announcementUid }).catch(throwAsPage)
    return csvResponse(csvFileName('Message', message.name), oneMessageParts(ctx, message))
  }
  const days = daysOfPeriod(period ?? 'all_time', dayOf(ctx.now, ctx.site.timeZone))
  return csvResponse(csvFileName('Messages', period ?? 'all_time'), messageReportParts(ctx, days))
}
