import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { MessageStats } from '~/components/console/messages/message-details.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMessageStats } from '~/pages/message-details.server.ts'
import { getAnnouncementToEdit, isEditable } from '~/services/announcements/read-announcement.server.ts'

export const meta = pageTitle('Dashboard : Messages')

/** What became of a message; null for one that can still be changed. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const message = await getAnnouncementToEdit(ctx, { announcementUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { uid: message.uid, stats: isEditable(message) ? null : await getMessageStats(ctx, message).catch(throwAsPage) }
}

export default function Stats() {
  const { uid, stats } = useLoaderData<typeof loader>()
  return stats && <MessageStats uid={uid} stats={stats} />
}
