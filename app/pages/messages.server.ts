/** The console's list of messages. */
import type { MessageRow } from '~/components/console/messages/view.ts'
import { mostCompared } from '~/forms/announcement-tables.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import { shortName } from '~/lib/short-name.ts'
import type { Sending } from '~/services/announcements/read-announcement.server.ts'
import {
  getAnnouncementToEdit,
  isEditable,
  type MessageToEdit,
} from '~/services/announcements/read-announcement.server.ts'
import {
  countSendingProgress,
  listMessagePage,
  listSentUidsFound,
  type MessageEntry,
  type MessagePageInput,
  type SendingProgress,
} from '~/services/announcements/table.server.ts'
import type { Ctx } from '~/services/context.ts'

type MessageTablePage = { rows: MessageRow[]; total: number; listed: number; state: string; isSending: boolean }

const onTheirWay: (Sending | null)[] = ['preparing', 'sending', 'stopped']

/** Reads one page of the table. The browser keeps no rows: messages change while they are sent. */
export async function listMessageTablePage(ctx: Ctx, input: MessagePageInput): Promise<MessageTablePage> {
  const { items, total, listed } = await listMessagePage(ctx, input)
  const moving = items.filter(({ sending }) => onTheirWay.includes(sending))
  const progress = await countSendingProgress(
    ctx,
    moving.map(({ uid }) => uid),
  )
  return {
    rows: items.map((entry) => rowOf(ctx, entry, progress.get(entry.uid))),
    total,
    listed: listed === 0 ? 0 : Number.MAX_SAFE_INTEGER,
    state: '',
    isSending: moving.some(({ sending }) => sending !== 'stopped'),
  }
}

export function listSelectableMessages(ctx: Ctx, input: MessagePageInput): Promise<string[]> {
  return listSentUidsFound(ctx, { ...input, most: mostCompared })
}

function rowOf(ctx: Ctx, entry: MessageEntry, progress: SendingProgress | undefined): MessageRow {
  const { timeZone } = ctx.site
  return {
    uid: entry.uid,
    name: entry.name,
    subject: entry.subject,
    status: entry.status,
    note: noteOf(ctx, entry, progress),
    isEditable: isEditable(entry),
    isLate: entry.sending === 'late',
    recipients: entry.recipients,
    people: entry.people,
    audiences: entry.audiences,
    author: entry.author ? shortName(entry.author) : entry.authorName,
    updatedOn: formatDay(entry.updatedAt, timeZone),
    sentOn: entry.sentAt && formatDay(entry.sentAt, timeZone),
  }
}

/** What is happening with a message beside its status. */
export function noteOf(
  ctx: Ctx,
  { sending, sendAt }: Pick<MessageToEdit, 'sending' | 'sendAt'>,
  progress?: SendingProgress,
): string | null {
  const count = (value: number) => value.toLocaleString('en')
  const done = progress ? `${count(progress.sent + progress.skipped)} of ${count(progress.total)}` : ''
  switch (sending) {
    case 'scheduled':
      return sendAt ? `Scheduled for ${formatMoment(sendAt, ctx.site.timeZone)}` : 'Scheduled'
    case 'late':
      return 'Late: waiting for your decision'
    case 'preparing':
      return 'Sending begins'
    case 'sending':
      return `Sending ${done}`.trim()
    case 'stopped':
      return `Stopped at ${done}`.trim()
    default:
      return null
  }
}

/** The message of a question before it is removed or duplicated. */
export async function getMessageName(
  ctx: Ctx,
  uid: string,
): Promise<Pick<MessageToEdit, 'uid' | 'status' | 'sending'> & { name: string }> {
  const { values, status, sending, ...message } = await getAnnouncementToEdit(ctx, { announcementUid: uid })
  return { uid: message.uid, name: values.name, status, sending }
}
