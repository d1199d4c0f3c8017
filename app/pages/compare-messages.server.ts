/** Sent messages side by side, with their rates and which of them is best (C-068 to C-073). */
import type { ComparedMessage, RateView } from '~/components/console/messages/view.ts'
import { formatDay } from '~/lib/dates.ts'
import { mayBeChance, type Share } from '~/lib/proportions.ts'
import { compareAnnouncements, type MessageFigures } from '~/services/announcements/compare.server.ts'
import type { Ctx } from '~/services/context.ts'
import { type Channel, figureOf, type Rate, rateLabels, ratesOf, shareInWords, shareOf } from './message-rates.ts'

const bestLabels: Partial<Record<Rate, string>> = {
  open: 'Best open rate',
  click: 'Best click-through rate',
  pin: 'Best pin rate',
}

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

/** The rates of a message by channel. Tags say where it is the best of several. */
export function ratesAmong(message: MessageFigures, all: MessageFigures[]): Record<Channel, RateView[]> {
  return {
    email: ratesOf.email.map((rate) => viewOf(rate, 'email', message, all)),
    dashboard: ratesOf.dashboard.map((rate) => viewOf(rate, 'dashboard', message, all)),
  }
}

type Channel = MessageFigures['deliveryType']

function viewOf(rate: Rate, channel: Channel, message: MessageFigures, all: MessageFigures[]): RateView {
  const share = shareOf(rate, channel, message)
  const best = Math.max(...all.map((other) => shareOf(rate, channel, other) ?? 0))
  const isBest = all.length > 1 && share !== null && share > 0 && share === best
  return {
    label: rateLabels[rate],
    value: shareInWords(share),
    tag,
    note: tag !== null && figure !== null && mayBeLuck(figure, figures) ? 'may be chance' : null,
  }
}

/** Compares the best with the next one. Several that are equally good are not better than each other. */
function mayBeLuck(best: Share, all: Share[]): boolean {
  const others = all.filter((other) => shareOf(other) !== shareOf(best))
  const [next] = others.sort((one, other) => (shareOf(other) ?? 0) - (shareOf(one) ?? 0))
  return next !== undefined && mayBeChance(best, next)
}
