/** Sent messages side by side, with their rates and which of them is best (C-068 to C-073). */
import type { ComparedMessage, RateView } from '~/components/console/messages/view.ts'
import { formatDay } from '~/lib/dates.ts'
import { compareAnnouncements, type MessageFigures } from '~/services/announcements/compare.server.ts'
import type { Ctx } from '~/services/context.ts'

type Rate = 'open' | 'click' | 'pin' | 'unread'

const labels: Record<Rate, string> = { open: 'Open', click: 'Click-Through', pin: 'Pin', unread: 'Unread' }
const bestLabels: Partial<Record<Rate, string>> = {
  open: 'Best open rate',
  click: 'Best click-through rate',
  pin: 'Best pin rate',
}
const ratesOf = { email: ['open', 'click', 'unread'], dashboard: ['open', 'click', 'pin', 'unread'] } as const

/** The messages with what each channel shows of them. A message has figures in the channel that it was sent by only. */
export async function getComparedMessages(ctx: Ctx, input: { uids: string[] }): Promise<ComparedMessage[]> {
  const messages = await compareAnnouncements(ctx, input)
  return messages.map((message) => ({
    uid: message.uid,
    name: message.name,
    subject: message.subject,
    sentOn: formatDay(message.sentAt, ctx.site.timeZone),
    ...ratesAmong(message, messages),
  }))
}

/** The rates of a message by channel, "N/A" for one that nobody has got yet. Tags say where it is the best of several. */
export function ratesAmong(message: MessageFigures | null, all: MessageFigures[]): Record<Channel, RateView[]> {
  return {
    email: ratesOf.email.map((rate) => viewOf(rate, 'email', message, all)),
    dashboard: ratesOf.dashboard.map((rate) => viewOf(rate, 'dashboard', message, all)),
  }
}

type Channel = MessageFigures['deliveryType']

function viewOf(rate: Rate, channel: Channel, message: MessageFigures | null, all: MessageFigures[]): RateView {
  const share = shareOf(rate, channel, message)
  const best = Math.max(...all.map((other) => shareOf(rate, channel, other) ?? 0))
  const isBest = all.length > 1 && share !== null && share > 0 && share === best
  return {
    label: labels[rate],
    value: share === null ? 'N/A' : `${Math.round(share * 100)}%`,
    tag: isBest ? (bestLabels[rate] ?? null) : null,
  }
}

/** A share of the recipients; null in the channel that was not used (C-276). */
function shareOf(rate: Rate, channel: Channel, message: MessageFigures | null): number | null {
  if (message?.deliveryType !== channel) return null
  const { total, opened, clicked, pinned } = message
  if (total === 0) return 0
  const counts: Record<Rate, number> = { open: opened, click: clicked, pin: pinned, unread: total - opened }
  return counts[rate] / total
}
