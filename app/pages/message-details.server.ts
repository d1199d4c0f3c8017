/** A message that is sent or on its way: what it says, how it was received, and what became of it for each recipient. */
import type { MessageHeadView, MessageRecipientsView, MessageStatsView } from '~/components/console/messages/view.ts'
import { deliveryLabels } from '~/forms/announcements.ts'
import { mailStates, skipReasons } from '~/forms/mails.ts'
import { userStatusLabels } from '~/forms/user-tables.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { shortName } from '~/lib/short-name.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { listMessageFigures } from '~/services/announcements/compare.server.ts'
import {
  countDeliveries,
  type DeliveryState,
  listMessageRecipients,
  type MessageRecipient,
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
    ...ratesAmong(figures ?? null, figures ? [figures] : []),
    deliveries: deliveries.map((one) => ({
      label: inWords(one.state, one.reason),
      people: one.people.toLocaleString('en'),
    })),
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

const stateLabels: Record<DeliveryState, string> = {
  ...mailStates,
  open: 'Not decided yet',
  delivered: 'On the dashboard',
}

/** "Left out. The address was suppressed." */
function inWords(state: DeliveryState, reason: string | null): string {
  return reason === null ? stateLabels[state] : `${stateLabels[state]}. ${skipReasons[reason] ?? reason}`
}

/** The tab "Recipients" (C-067), with what became of the message for each of them. */
export async function getMessageRecipients(
  ctx: Ctx,
  { announcementUid, query }: { announcementUid: string; query: Pick<TableQuery, 'search' | 'page'> },
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
      ? inWords(state, reason)
      : `${stateLabels[state]}${at(endedAt ?? sentAt)}${attempts > 1 ? `, after ${attempts} attempts` : ''}`
  return [
    outcome,
    ...(reason !== null && state !== 'skipped' ? [`“${reason}”`] : []),
    ...(person.openedAt ? [`Opened${at(person.openedAt)}`] : []),
    ...(person.clickedAt ? [`Link followed${at(person.clickedAt)}`] : []),
    ...(person.pinnedAt ? [`Pinned${at(person.pinnedAt)}`] : []),
  ]
}
