import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { DeletedMessage, MessageDetails, MessageStats } from '~/components/console/messages/message-details.tsx'
import { MessageDialog } from '~/components/console/messages/message-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { messageTexts } from '~/forms/announcements.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, throwAsPage, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getDeletedMessage, getMessageHead, getMessageStats } from '~/pages/message-details.server.ts'
import { getMessageDialog } from '~/pages/message-dialog.server.ts'
import { answerMessageDialog } from '~/pages/message-dialog-answers.server.ts'
import { getAnnouncementToEdit, isEditable } from '~/services/announcements/read-announcement.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

/**
 * A message that can no longer be changed is shown read-only (C-151). Of one that was deleted, only what the viewer has
 * typed into it is shown.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const announcementUid = args.params.uid ?? ''
  const message = await getAnnouncementToEdit(ctx, { announcementUid, withDeleted: true }).catch(throwAsPage)
  if (message.deletedAt !== null) {
    const deleted = await getDeletedMessage(ctx, message)
    if (!deleted) throw notFoundPage()
    return { sent: null, edited: null, deleted }
  }
  if (!isEditable(message)) {
    const parts = Promise.all([getMessageHead(ctx, message), getMessageStats(ctx, message)])
    const [head, stats] = await parts.catch(throwAsPage)
    return { sent: { head, stats }, edited: null, deleted: null }
  }
  const params = new URL(args.request.url).searchParams
  const edited = await getMessageDialog(ctx, { uid: message.uid, params }, message).catch(throwAsPage)
  return { sent: null, edited, deleted: null }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const files = { attachment: 'attachment' } as const
  return withForm(args, ctx, (form) => answerMessageDialog(args, ctx, form, args.params.uid ?? ''), { files })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, messageTexts.updateFailure)
}

export default function Message() {
  const { sent, edited, deleted } = useLoaderData<typeof loader>()
  if (deleted) return <DeletedMessage {...deleted} />
  if (edited) return <MessageDialog view={edited} />
  return (
    <MessageDetails head={sent.head} tab="stats">
      <MessageStats uid={sent.head.uid} stats={sent.stats} />
    </MessageDetails>
  )
}
