import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { restoreAnnouncement } from '~/services/announcements/delete-announcement.server.ts'

/** Redirects visitors: only the Undo of a removal posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'messages')
  return redirect('/dashboard/messages/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const list = `/dashboard/messages/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { name } = await restoreAnnouncement(ctx, { announcementUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, { kind: 'success', text: `Message "${name}" is back.` })
  })
  return answerUndo(args, list, answer)
}

export default function RestoreMessage() {
  return null
}
