import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { cancelSchedule, resumeSending, stopSending } from '~/services/announcements/start-sending.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'

/** Redirects visitors: only the buttons of a message post here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'messages')
  return redirect(`/dashboard/messages/${encodeURIComponent(args.params.uid ?? '')}/`)
}

type Change = { work: (ctx: Ctx, input: { uid: string; shownTimes: string }) => Promise<unknown>; notice: string }

const changes: Record<string, Change> = {
  'keep-late': { work: cancelSchedule, notice: 'The message is a draft again.' },
  stop: { work: stopSending, notice: 'Sending has stopped. The other recipients get nothing unless you resume.' },
  resume: { work: resumeSending, notice: 'Sending has resumed.' },
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const uid = args.params.uid ?? ''
  const table = tableSearch(new URL(args.request.url).search, '')
  const place = `/dashboard/messages/${encodeURIComponent(uid)}/${table}`
  const answer = await withForm(args, ctx, async (form) => {
    const change = Object.entries(changes).find(([name]) => name === text(form, 'change'))?.[1]
    if (!change) throw new Invalid('Nothing was chosen.')
    await change.work(ctx, { uid, shownTimes: text(form, 'shownTimes') })
    return redirectWithNotice(args, place, { kind: 'success', text: change.notice })
  })
  return answerUndo(args, place, answer)
}

export default function SendingOfMessage() {
  return null
}
