/** The details of a message that was sent: what became of it, for everybody and for each recipient (C-059 to C-067). */
import type {
  MessageStatsView,
  RecipientStory,
  SentMessageView,
  SentRecipientRow,
} from '~/components/console/messages/view.ts'
import { deliveryLabels } from '~/forms/announcements.ts'
import { outcomeLabels, skipReasons } from '~/forms/sent-recipients.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { shortName } from '~/lib/short-name.ts'
import {
  getSentRecipient,
  type LedgerRow,
  listSentRecipients,
  type SentRecipient,
  type SentRecipientQuery,
} from '~/services/announcements/list-sent-recipients.server.ts'
import {
  countMailsOfMessages,
  type LedgerCounts,
  type MailState,
  noMails,
  type SkipReason,
} from '~/services/announcements/message-ledger.server.ts'
import type { MessageToEdit } from '~/services/announcements/read-announcement.server.ts'
import {
  countSendingProgress,
  getAnnouncementStatistics,
  getMessageHead,
} from '~/services/announcements/table.server.ts'
import type { Ctx } from '~/services/context.ts'
import { type Channel, figureOf, type RateFigures, rateLabels, ratesOf, shareInWords, shareOf } from './message-rates.ts'
import { noteOf } from './messages.server.ts'

const count = (value: number) => value.toLocaleString('en')

/** The frame of the dialog. */
export async function getSentMessage(ctx: Ctx, message: MessageToEdit): Promise<SentMessageView> {
  const { uid, values, status, sending, sentAt } = message
  const isMoving = sending === 'sending' || sending === 'stopped'
  const progress = isMoving ? (await countSendingProgress(ctx, [uid])).get(uid) : undefined
  const { author, authorName, updatedAt } = await getMessageHead(ctx, { announcementUid: uid })
  const { timeZone } = ctx.site
  return {
    uid,
    name: values.name,
    status,
    sending,
    note: noteOf(ctx, message, progress),
    // The information is "Ada L", without a dot (C-062).
    createdBy: (author ? shortName(author).replace(/\.$/, '') : authorName) || 'the operator',
    sentOn: sentAt && formatDay(sentAt, timeZone),
    updatedOn: formatDay(updatedAt, timeZone),
  }
}

/** The tab "Stats". */
export async function getMessageStats(ctx: Ctx, message: MessageToEdit): Promise<MessageStatsView> {
  const { uid, values, attachment } = message
  const { deliveryType } = values
  const [statistics, ledgers] = await Promise.all([
    getAnnouncementStatistics(ctx, { announcementUid: uid }),
    countMailsOfMessages(ctx, deliveryType === 'email' ? [uid] : []),
  ])
  const own = statistics[deliveryType]
  const ledger = ledgers.get(uid) ?? noMails()
  const figures: RateFigures = {
    deliveryType,
    total: own.total,
    opened: own.openCount,
    clicked: own.clickThruCount,
    pinned: own.pinCount,
    tracked: ledger.tracked,
  }
  return {
    email: rateViews('email', figures),
    dashboard: rateViews('dashboard', figures),
    remarks: deliveryType === 'email' ? remarksOf(ledger, own.machineOpenCount, own.machineClickCount) : [],
    ledger: deliveryType === 'email' ? ledgerInWords(ledger) : [],
    inDoubt: ledger.states.in_doubt ?? 0,
    message: {
      subject: values.subject,
      from: values.from,
      html: renderMarkdown(values.text, { headingsFrom: 4 }),
      attachment: attachment && { name: attachment.originalFileName, size: formatFileSize(attachment.size) },
    },
    deliveryType: deliveryLabels[deliveryType],
  }
}

function rateViews(channel: Channel, figures: RateFigures): MessageStatsView['email'] {
  return ratesOf[channel].map((rate) => ({
    label: rateLabels[rate],
    value: shareInWords(shareOf(figureOf(rate, channel, figures))),
  }))
}

/** Says what the rates of emails show and what they leave out. */
function remarksOf(ledger: LedgerCounts, machineOpens: number, machineClicks: number): string[] {
  const { tracked, untracked, unsubscribed } = ledger
  const remarks: string[] = []
  if (tracked > 0) {
    remarks.push(
      machineOpens + machineClicks === 0
        ? 'The rates count people. No machine has opened an email or followed a link.'
        : `The rates count people. Machines, such as Apple’s proxy and scanners, opened ${emails(machineOpens)} and followed links in ${emails(machineClicks)}; they are left out.`,
    )
  }
  if (untracked > 0) {
    remarks.push(
      tracked === 0
        ? 'These emails were sent without tracking. What became of each of them on its way is known, and who unsubscribed, but not who opened it or followed a link.'
        : `${emails(untracked, { isStart: true })} without tracking: of these, openings and clicks are not known, and the rates count them as unread.`,
    )
  }
  if (unsubscribed > 0) {
    remarks.push(`${unsubscribed === 1 ? 'One person has' : `${count(unsubscribed)} people have`} unsubscribed with the link in it.`)
  }
  return remarks
}

function emails(value: number, { isStart = false } = {}): string {
  if (isStart) return value === 1 ? 'One email was sent' : `${count(value)} emails were sent`
  return value === 1 ? 'one email' : `${count(value)} emails`
}

const stateWords: Record<MailState, { label: string; what: string }> = {
  queued: { label: 'Waiting', what: 'Not handed to the mail server yet, or to be tried again' },
  sending: { label: 'Being sent', what: 'Being handed to the mail server now' },
  accepted: { label: 'Accepted', what: 'The mail server took them' },
  refused: { label: 'Refused', what: 'The mail server will not take them' },
  in_doubt: { label: 'In doubt', what: 'Handed over, but no answer came' },
  bounced: { label: 'Came back', what: 'Taken, and returned later' },
  complained: { label: 'Complaints', what: 'The recipient reported them as unwanted' },
  skipped: { label: 'Left out', what: 'Not sent' },
}

/** The states that have mails, in the order of a mail's way; those left out with the reasons. */
function ledgerInWords({ states, reasons, total }: LedgerCounts): MessageStatsView['ledger'] {
  if (total === 0) return []
  return (Object.keys(stateWords) as MailState[]).flatMap((state) => {
    const value = states[state] ?? 0
    if (value === 0 && state !== 'accepted') return []
    const { label, what } = stateWords[state]
    const why = (Object.keys(skipReasons) as SkipReason[])
      .filter((reason) => reasons[reason])
      .map((reason) => `${count(reasons[reason] ?? 0)}: ${skipReasons[reason]}`)
    return [{ label, value: count(value), what: state === 'skipped' && why.length > 0 ? why.join('; ') : what }]
  })
}

// Recipients

export const statusLabels: Record<SentRecipient['status'], string> = {
  active: 'Active',
  inactive: 'Inactive',
  disabled: 'Disabled',
  invited: 'Invited',
  deleted: 'Deleted',
}

/** A page of the tab "Recipients". The browser keeps no rows: openings come in all the time. */
export async function listSentRecipientRows(ctx: Ctx, announcementUid: string, query: SentRecipientQuery) {
  const { items, total, listed } = await listSentRecipients(ctx, { announcementUid, query })
  return {
    rows: items.map(recipientRow),
    total,
    listed: listed === 0 ? 0 : Number.MAX_SAFE_INTEGER,
    state: '',
  }
}

function recipientRow(recipient: SentRecipient, index: number): SentRecipientRow {
  const { uid, name, email, status, outcome } = recipient
  return {
    uid,
    id: uid ?? recipient.mail?.uid ?? `nobody-${index}`,
    name,
    email,
    status: statusLabels[status],
    outcome: outcomeLabels[outcome],
    detail: detailOf(recipient),
  }
}

/** What the person did with it, or why it did not arrive. */
function detailOf({ outcome, skipped, mail, ...did }: SentRecipient): string {
  if (outcome === 'left_out') return skipped ? skipReasons[skipped] : ''
  if (outcome === 'refused') return mail?.response ?? ''
  const deeds = [
    ...(did.openedAt ? ['opened'] : did.machineOpenedAt ? ['opened by a machine'] : []),
    ...(did.clickedAt ? ['followed a link'] : []),
    ...(did.pinnedAt ? ['pinned'] : []),
    ...(mail?.unsubscribedAt ? ['unsubscribed'] : []),
  ]
  return deeds.join(', ')
}

/** The whole story of a message for one person. */
export async function getRecipientStory(
  ctx: Ctx,
  input: { announcementUid: string; userUid: string },
): Promise<RecipientStory> {
  const recipient = await getSentRecipient(ctx, input)
  const { uid, name, email, status, outcome, mail } = recipient
  return {
    uid: uid ?? '',
    name,
    email,
    status: statusLabels[status],
    outcome: outcomeLabels[outcome],
    steps: stepsOf(recipient)
      .sort((one, other) => (one.at?.getTime() ?? Infinity) - (other.at?.getTime() ?? Infinity))
      .map(({ at, what, words }) => ({ at: at && formatMoment(at, ctx.site.timeZone), what, words: words ?? null })),
    inDoubt: mail?.state === 'in_doubt' ? mail.uid : null,
  }
}

type Step = { at: Date | null; what: string; words?: string | null }

function stepsOf(recipient: SentRecipient): Step[] {
  const { mail, skipped, sentAt } = recipient
  const steps: Step[] = mail
    ? mailSteps(mail, skipped)
    : [
        recipient.outcome === 'waiting'
          ? { at: null, what: 'Waits for the message to be sent' }
          : { at: sentAt, what: 'Delivered to the dashboard' },
      ]
  const did: [Date | null, string][] = [
    [recipient.machineOpenedAt, 'Opened by a machine'],
    [recipient.machineClickedAt, 'A link was followed by a machine'],
    [recipient.openedAt, 'Opened'],
    [recipient.clickedAt, 'Followed a link'],
    [recipient.pinnedAt, 'Pinned'],
    [mail?.unsubscribedAt ?? null, 'Unsubscribed with the link in the mail'],
  ]
  return [...steps, ...did.flatMap(([at, what]) => (at ? [{ at, what }] : []))]
}

function mailSteps(mail: LedgerRow, skipped: SkipReason | null): Step[] {
  const { state, response, attempts, createdAt, triedAt, endedAt, returnedAt, nextAt, isTracked } = mail
  const steps: Step[] = [{ at: createdAt, what: 'Prepared' }]
  if (triedAt && state !== 'skipped') {
    steps.push({
      at: triedAt,
      what: attempts > 1 ? `Tried for the first time; ${attempts} attempts so far` : 'Handed to the mail server',
      words: isTracked ? null : 'Sent without tracking: openings and clicks are not known.',
    })
  }
  const ends: Record<MailState, Step> = {
    queued: { at: nextAt, what: attempts > 0 ? 'To be tried again' : 'Waits to be sent', words: response },
    sending: { at: null, what: 'Being sent now' },
    accepted: { at: endedAt, what: 'Accepted by the mail server', words: response },
    refused: { at: endedAt, what: 'Refused by the mail server', words: response },
    in_doubt: { at: endedAt, what: 'In doubt: no answer came', words: response },
    bounced: { at: returnedAt ?? endedAt, what: 'Came back', words: response },
    complained: { at: returnedAt ?? endedAt, what: 'The recipient complained', words: response },
    skipped: { at: endedAt, what: 'Left out', words: skipped ? skipReasons[skipped] : null },
  }
  if ((state === 'bounced' || state === 'complained') && endedAt && returnedAt) {
    steps.push({ at: endedAt, what: 'Accepted by the mail server' })
  }
  return [...steps, ends[state]]
}
