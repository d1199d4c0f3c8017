import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { MessageDetails, StoryOfRecipient } from '~/components/console/messages/message-details.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMessageHead, getRecipientStoryView } from '~/pages/message-details.server.ts'
import { getAnnouncementToEdit, isEditable } from '~/services/announcements/read-announcement.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

/** The whole story of a message for one of its recipients. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { uid: announcementUid = '', user: userUid = '' } = args.params
  const message = await getAnnouncementToEdit(ctx, { announcementUid }).catch(throwAsPage)
  if (isEditable(message)) throw redirect(`/dashboard/messages/${message.uid}/`)
  const story = await getRecipientStoryView(ctx, { announcementUid, userUid }).catch(throwAsPage)
  return { head: await getMessageHead(ctx, message), story }
}

export default function RecipientOfMessage() {
  const { head, story } = useLoaderData<typeof loader>()
  return (
    <MessageDetails head={head} tab="recipients">
      <StoryOfRecipient uid={head.uid} story={story} />
    </MessageDetails>
  )
}
