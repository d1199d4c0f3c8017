/** The CSV files about messages: a row for each message, and a row for each recipient of one. */
import { outcomeLabels, skipReasons } from '~/forms/sent-recipients.ts'
import type { CsvRow } from '~/lib/csv.ts'
import type { PeriodDays } from '~/lib/report-period.ts'
import { localTimeOf } from '~/lib/zoned-time.ts'
import { listSentRecipientBatch, type SentRecipient } from '~/services/announcements/list-sent-recipients.server.ts'
import type { MailState, SkipReason } from '~/services/announcements/message-ledger.server.ts'
import { listMessageReport, type ReportedMessage } from '~/services/announcements/message-report.server.ts'
import type { Ctx } from '~/services/context.ts'
import { statusLabels } from './message-details.server.ts'
import { figureOf, type Rate, rateLabels, shareInWords, shareOf } from './message-rates.ts'

const messagesAtOnce = 50
const recipientsAtOnce = 1000

const rates: Rate[] = ['open', 'click', 'pin', 'unread']
const states: [MailState, string][] = [
  ['queued', 'Waiting'],
  ['sending', 'Being sent'],
  ['accepted', 'Accepted'],
  ['refused', 'Refused'],
  ['in_doubt', 'In doubt'],
  ['bounced', 'Came back'],
  ['complained', 'Complaints'],
  ['skipped', 'Left out'],
]
const reasons = Object.keys(skipReasons) as SkipReason[]

/** `2026-11-28 14:05`, in the site's time zone, which the heading names. */
function momentIn({ site }: Ctx, at: Date | null): string {
  return at ? localTimeOf(at, site.timeZone).replace('T', ' ') : ''
}

function headOf({ site }: Ctx): CsvRow {
  return [
    ...['Name', 'Subject', 'Delivery', 'From', 'Author', `Sent (${site.timeZone})`, 'Recipients'],
    ...rates.flatMap((rate) => [rateLabels[rate], `${rateLabels[rate]} rate`]),
    ...['Opened by machines', 'Links followed by machines', 'Sent without tracking', 'Unsubscribed'],
    ...states.map(([, label]) => label),
    ...reasons.map((reason) => `Left out: ${skipReasons[reason]}`),
  ]
}

function rowOf(ctx: Ctx, message: ReportedMessage): CsvRow {
  const { name, subject, deliveryType, from, author, sentAt, total, machineOpened, machineClicked, ledger } = message
  const isEmail = deliveryType === 'email'
  const ofMail = (value: number) => (isEmail ? value : null)
  return [
    ...[name, subject, isEmail ? 'Email' : 'Learner dashboard', from, author, momentIn(ctx, sentAt), total],
    ...rates.flatMap((rate) => {
      const isPinOfMail = isEmail && rate === 'pin'
      const figure = isPinOfMail ? null : figureOf(rate, deliveryType, { ...message, tracked: ledger.tracked })
      return [figure?.count ?? null, shareInWords(shareOf(figure))]
    }),
    ...[machineOpened, machineClicked, ledger.untracked, ledger.unsubscribed].map(ofMail),
    ...states.map(([state]) => ofMail(ledger.states[state] ?? 0)),
    ...reasons.map((reason) => ofMail(ledger.reasons[reason] ?? 0)),
  ]
}

/** The rows of all messages that were sent on these days. */
export async function* messageReportParts(ctx: Ctx, days: PeriodDays): AsyncGenerator<CsvRow[]> {
  yield [headOf(ctx)]
  let after: Parameters<typeof listMessageReport>[1]['after'] = null
  do {
    const batch: Awaited<ReturnType<typeof listMessageReport>> = await listMessageReport(ctx, {
      days,
      after,
      size: messagesAtOnce,
    })
    yield batch.items.map((message) => rowOf(ctx, message))
    after = batch.next
  } while (after !== null)
}

/** The row of one message. */
export async function* oneMessageParts(ctx: Ctx, message: ReportedMessage): AsyncGenerator<CsvRow[]> {
  yield [headOf(ctx), rowOf(ctx, message)]
}

/** The ledger of a message: a row for each recipient. */
export async function* recipientParts(ctx: Ctx, announcementUid: string): AsyncGenerator<CsvRow[]> {
  const zone = ctx.site.timeZone
  yield [
    [
      ...['Name', 'Email', 'Status', 'What became of it', 'Why left out', `Prepared (${zone})`, 'Attempts'],
      ...[`First attempt (${zone})`, `Ended (${zone})`, `Came back (${zone})`, 'Answer of the mail server'],
      ...[`Opened (${zone})`, `Followed a link (${zone})`, `Pinned (${zone})`, `Unsubscribed (${zone})`],
      ...[`Opened by a machine (${zone})`, `Link followed by a machine (${zone})`, 'Tracked'],
    ],
  ]
  let after: number | null = 0
  while (after !== null) {
    const batch: Awaited<ReturnType<typeof listSentRecipientBatch>> = await listSentRecipientBatch(ctx, {
      announcementUid,
      after,
      size: recipientsAtOnce,
    })
    yield batch.items.map((recipient) => recipientRow(ctx, recipient))
    after = batch.next
  }
}

function recipientRow(ctx: Ctx, recipient: SentRecipient): CsvRow {
  const { name, email, status, outcome, skipped, sentAt, mail } = recipient
  const at = (moment: Date | null | undefined) => momentIn(ctx, moment ?? null)
  return [
    ...[name, email, statusLabels[status], outcomeLabels[outcome], skipped ? skipReasons[skipped] : ''],
    ...[at(mail?.createdAt ?? sentAt), mail?.attempts ?? null],
    ...[at(mail?.triedAt), at(mail?.endedAt), at(mail?.returnedAt)],
    mail && mail.state !== 'skipped' ? (mail.response ?? '') : '',
    ...[at(recipient.openedAt), at(recipient.clickedAt), at(recipient.pinnedAt), at(mail?.unsubscribedAt)],
    ...[at(recipient.machineOpenedAt), at(recipient.machineClickedAt), mail ? (mail.isTracked ? 'Yes' : 'No') : ''],
  ]
}
