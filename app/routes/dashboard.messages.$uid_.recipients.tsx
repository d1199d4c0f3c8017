import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { MessageDetails, MessageRecipients } from '~/components/console/messages/message-details.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { messageRecipientsTable } from '~/forms/announcement-tables.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMessageHead, getMessageRecipients } from '~/pages/message-details.server.ts'
import { getAnnouncementToEdit, isEditable } from '~/services/announcements/read-announcement.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

/** A message that can still be changed has its recipients in the second step of its dialog. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const announcementUid = args.params.uid ?? ''
  const message = await getAnnouncementToEdit(ctx, { announcementUid }).catch(throwAsPage)
  if (isEditable(message)) throw redirect(`/dashboard/messages/${message.uid}/`)
  const query = readTableQuery(new URL(args.request.url).searchParams, messageRecipientsTable)
  const [head, recipients] = await Promise.all([
    getMessageHead(ctx, message),
    getMessageRecipients(ctx, { announcementUid, query }),
  ])
  return { head, recipients: requireExistingPage(args.request, messageRecipientsTable, recipients) }
}

export default function RecipientsOfMessage() {
  const { head, recipients } = useLoaderData<typeof loader>()
  return (
    <MessageDetails head={head} tab="recipients">
      <MessageRecipients uid={head.uid} recipients={recipients} />
    </MessageDetails>
  )
}
