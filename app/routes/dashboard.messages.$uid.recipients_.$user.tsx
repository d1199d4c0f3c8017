import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { StoryOfRecipient } from '~/components/console/messages/sent-recipients.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getRecipientStory } from '~/pages/message-details.server.ts'

export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { uid: announcementUid = '', user: userUid = '' } = args.params
  const story = await getRecipientStory(ctx, { announcementUid, userUid }).catch(throwAsPage)
  return { messageUid: announcementUid.toLowerCase(), story }
}

export default function Recipient() {
  return <StoryOfRecipient {...useLoaderData<typeof loader>()} />
}
