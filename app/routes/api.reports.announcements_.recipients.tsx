import type { LoaderFunctionArgs } from '@remix-run/node'
import { csvResponse } from '~/http/csv.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { csvFileName } from '~/lib/csv.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { recipientParts } from '~/pages/message-report.server.ts'
import { getMessageReport } from '~/services/announcements/message-report.server.ts'

/** What became of one message for each of its recipients, as a CSV file. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const announcementUid = new URL(args.request.url).searchParams.get('uid') ?? ''
  const { uid, name } = await getMessageReport(ctx, { announcementUid }).catch(throwAsPage)
  return csvResponse(csvFileName('MessageRecipients', name), recipientParts(ctx, uid))
}
