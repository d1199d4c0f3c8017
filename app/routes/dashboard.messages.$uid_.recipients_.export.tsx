import type { LoaderFunctionArgs } from '@remix-run/node'
import { csvResponse } from '~/http/csv.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { csvFileName } from '~/lib/csv.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { recipientParts } from '~/pages/message-details.server.ts'
import { getAnnouncementToEdit } from '~/services/announcements/read-announcement.server.ts'

/** What became of a message for each of its recipients, as a CSV file. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const announcementUid = args.params.uid ?? ''
  const { uid, values } = await getAnnouncementToEdit(ctx, { announcementUid }).catch(throwAsPage)
  return csvResponse(args, { fileName: csvFileName('MessageRecipients', values.name), parts: recipientParts(ctx, uid) })
}
