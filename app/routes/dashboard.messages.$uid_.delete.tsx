import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmDelete } from '~/components/console/confirm-delete.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { messageTexts } from '~/forms/announcements.ts'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMessageName } from '~/pages/messages.server.ts'
import { deleteAnnouncement } from '~/services/announcements/delete-announcement.server.ts'
import { parseInput } from '~/services/input.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { name, status, sending } = await getMessageName(ctx, args.params.uid ?? '').catch(throwAsPage)
  return { name, isSent: status === 'sent', isScheduled: sending === 'scheduled' }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const list = tableSearch(new URL(args.request.url).search)
  const answer = await withForm(args, ctx, async (form) => {
    parseInput(confirmDeleteForm, Object.fromEntries(form))
    const { uid, name } = await deleteAnnouncement(ctx, { announcementUid: args.params.uid ?? '' })
    return redirectWithNotice(args, `/dashboard/messages/${list}`, {
      kind: 'success',
      text: messageTexts.deleted(name),
      undo: { action: `/dashboard/messages/${uid}/restore/${list}`, label: 'Undo' },
    })
  })
  return answerRemoval(args, `/dashboard/messages/${list}`, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, messageTexts.deleteFailure)
}

export default function DeleteMessage() {
  const { name, isSent, isScheduled } = useLoaderData<typeof loader>()
  return (
    <ConfirmDelete
      title={`Remove ${name}`}
      question="Are you sure you want to remove this message?"
      warnings={[
        ...(isSent ? ['It leaves the dashboards of its recipients. Emails that were sent stay where they are.'] : []),
        ...(isScheduled ? ['It is scheduled. If you restore it, it will be a draft without a time.'] : []),
      ]}
      closeTo="/dashboard/messages/"
    />
  )
}
