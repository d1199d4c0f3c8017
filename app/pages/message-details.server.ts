/** A message that is sent or on its way: what it says, how it was received, and what became of it for each recipient. */
import type {
  MessageHeadView,
  MessageRecipientsView,
  MessageStatsView,
  RateView,
} from '~/components/console/messages/view.ts'
import type { messageRecipientsTable } from '~/forms/announcement-tables.ts'
import { deliveryLabels } from '~/forms/announcements.ts'
import { userStatusLabels } from '~/forms/user-tables.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { shortName } from '~/lib/short-name.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { listMessageFigures, type MessageFigures } from '~/services/announcements/compare.server.ts'
import {
  countDeliveries,
  type DeliveryState,
  listMessageRecipients,
  type MessageRecipient,
  type StateCount,
} from '~/services/announcements/details.server.ts'
import type { MessageToEdit } from '~/services/announcements/read-announcement.server.ts'
import { countSendingProgress, listMessageEntries } from '~/services/announcements/table.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ratesAmong } from './compare-messages.server.ts'
import { noteOf } from './messages.server.ts'

export async function getMessageHead(ctx: Ctx, message: MessageToEdit): Promise<MessageHeadView> {
  const { uid, values, status, sending, sentAt } = message
  const { timeZone } = ctx.site
  const [progress, [entry]] = await Promise.all([countSendingProgress(ctx, [uid]), listMessageEntries(ctx, [uid])])
  return {
    uid,
    name: values.name,
    status,
    sending,
    note: noteOf(ctx, message, progress.get(uid)),
    author: entry?.author ? shortName(entry.author) : (entry?.authorName ?? ''),
    updatedOn: entry ? formatDay(entry.updatedAt, timeZone) : '',
    sentOn: sentAt && formatDay(sentAt, timeZone),
  }
}

/** The tab "Stats" (C-063 to C-066). */
export async function getMessageStats(ctx: Ctx, message: MessageToEdit): Promise<MessageStatsView> {
  const { uid, values, attachment } = message
  const [[figures], deliveries] = await Promise.all([
    listMessageFigures(ctx, { uids: [uid] }),
    countDeliveries(ctx, { announcementUid: uid }),
  ])
  return {
    ...(figures ? ratesAmong(figures, [figures]) : noRates(values.deliveryType)),
    deliveries: deliveries.map((one) => ({ label: countInWords(one), people: one.people.toLocaleString('en') })),
    inDoubt: deliveries.find(({ state }) => state === 'in_doubt')?.people ?? 0,
    review: {
      subject: values.subject,
      deliveryType: deliveryLabels[values.deliveryType],
      from: values.from,
      html: renderMarkdown(values.text, { headingsFrom: 4 }),
      attachment: attachment && { name: attachment.originalFileName, size: formatFileSize(attachment.size) },
    },
  }
}

/** A message that nobody has got yet has no recipients to count. */
function noRates(deliveryType: MessageFigures['deliveryType']): Record<'email' | 'dashboard', RateView[]> {
  const nothing = { uid: '', name: '', subject: '', sentAt: new Date(0), total: 0, opened: 0, clicked: 0, pinned: 0 }
  const figures = { ...nothing, deliveryType }
  return ratesAmong(figures, [figures])
}

const stateLabels: Record<DeliveryState, string> = {
  open: 'Not decided yet',
  delivered: 'On the dashboard',
  queued: 'Waiting to be sent',
  sending: 'Being sent',
  accepted: 'Accepted by the mail server',
  refused: 'Refused by the mail server',
  in_doubt: 'In doubt: the connection broke before the mail server answered',
  bounced: 'Came back',
  complained: 'Reported as unwanted',
  skipped: 'Left out',
}

const reasonLabels: Record<string, string> = {
  disabled: 'the account is closed',
  opted_out: 'opted out of emails',
  no_address: 'no email address',
  suppressed: 'mail to this address is suppressed',
}

function countInWords({ state, reason }: StateCount): string {
  return reason === null ? stateLabels[state] : `${stateLabels[state]}: ${reasonLabels[reason] ?? reason}`
}

type Query = Pick<TableQuery, 'search' | 'page'> & { size: (typeof messageRecipientsTable.sizes)[number] }

/** The tab "Recipients" (C-067), with what became of the message for each of them. */
export async function getMessageRecipients(
  ctx: Ctx,
  { announcementUid, query }: { announcementUid: string; query: Omit<Query, 'size'> },
): Promise<MessageRecipientsView> {
  const { search, page } = query
  const { items, total } = await listMessageRecipients(ctx, { announcementUid, search, page })
  return {
    rows: items.map((person) => ({
      id: String(person.id),
      userUid: person.userUid,
      name: person.name,
      status: person.status === null ? 'Erased' : userStatusLabels[person.status],
      email: person.email,
      story: storyOf(ctx, person),
    })),
    total,
  }
}

/** Everything that is known, in the order in which it happened. */
function storyOf(ctx: Ctx, person: MessageRecipient): string[] {
  const at = (moment: Date | null) => (moment ? ` on ${formatMoment(moment, ctx.site.timeZone)}` : '')
  const { state, reason, attempts, sentAt, endedAt } = person
  const outcome =
    state === 'skipped'
      ? `Left out: ${reason === null ? 'no reason is known' : (reasonLabels[reason] ?? reason)}`
      : `${stateLabels[state]}${at(endedAt ?? sentAt)}${attempts > 1 ? `, after ${attempts} attempts` : ''}`
  return [
    outcome,
    ...(reason !== null && state !== 'skipped' ? [`“${reason}”`] : []),
    ...(person.openedAt ? [`Opened${at(person.openedAt)}`] : []),
    ...(person.clickedAt ? [`Link followed${at(person.clickedAt)}`] : []),
    ...(person.pinnedAt ? [`Pinned${at(person.pinnedAt)}`] : []),
  ]
}
