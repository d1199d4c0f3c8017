import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { SentRecipients } from '~/components/console/messages/sent-recipients.tsx'
import { outcomeOptions, sentRecipientsTable } from '~/forms/sent-recipients.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { csvFileName } from '~/lib/csv.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { listSentRecipientRows } from '~/pages/message-details.server.ts'
import { getAnnouncementToEdit, isEditable } from '~/services/announcements/read-announcement.server.ts'

export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const message = await getAnnouncementToEdit(ctx, { announcementUid: args.params.uid ?? '' }).catch(throwAsPage)
  if (isEditable(message)) throw redirect(`/dashboard/messages/${message.uid}/`)
  const query = readTableQuery(new URL(args.request.url).searchParams, sentRecipientsTable)
  const page = await listSentRecipientRows(ctx, message.uid, query).catch(throwAsPage)
  requireKnownFilters(args.request, sentRecipientsTable, { outcome: outcomeOptions })
  return {
    uid: message.uid,
    fileName: csvFileName('MessageRecipients', message.values.name),
    page: requireExistingPage(args.request, sentRecipientsTable, page),
  }
}

export const shouldRevalidate = revalidatesTable(sentRecipientsTable)

export default function Recipients() {
  return <SentRecipients {...useLoaderData<typeof loader>()} />
}
