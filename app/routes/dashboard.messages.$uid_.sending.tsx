import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import {
  cancelSchedule,
  decideLate,
  resendInDoubt,
  resumeSending,
  stopSending,
} from '~/services/announcements/start-sending.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'

/** Redirects visitors: only the buttons of a message post here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'messages')
  return redirect(`/dashboard/messages/${encodeURIComponent(args.params.uid ?? '')}/`)
}

/** What each button does. Returns the notice. */
const changes: Record<string, (ctx: Ctx, input: { uid: string }) => Promise<string>> = {
  stop: async (ctx, input) => {
    await stopSending(ctx, input)
    return 'Sending has stopped. The other recipients get nothing unless you resume.'
  },
  resume: async (ctx, input) => {
    await resumeSending(ctx, input)
    return 'Sending has resumed.'
  },
  cancel: async (ctx, input) => {
    await cancelSchedule(ctx, input)
    return 'The schedule has been canceled. The message is a draft again.'
  },
  'send-late': async (ctx, input) => {
    await decideLate(ctx, { ...input, send: true })
    return 'The message is being sent.'
  },
  resend: async (ctx, input) => {
    const { count } = await resendInDoubt(ctx, input)
    if (count === 0) return 'Nothing is in doubt any more.'
    return count === 1 ? 'One email is sent again.' : `${count.toLocaleString('en')} emails are sent again.`
  },
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const uid = args.params.uid ?? ''
  const table = tableSearch(new URL(args.request.url).search, '')
  const place = `/dashboard/messages/${encodeURIComponent(uid)}/${table}`
  const answer = await withForm(args, ctx, async (form) => {
    const change = Object.entries(changes).find(([name]) => name === text(form, 'change'))?.[1]
    if (!change) throw new Invalid('Nothing was chosen.')
    return redirectWithNotice(args, place, { kind: 'success', text: await change(ctx, { uid }) })
  })
  return answerUndo(args, place, answer)
}

export default function SendingOfMessage() {
  return null
}
