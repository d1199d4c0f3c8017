/** Reads a message for its dialog and for whatever changes it, locked or not, and says whether it can still be changed. */
import { sql } from 'kysely'
import type { DeliveryType, MessageValues } from '~/forms/announcements.ts'
import { readRecipientFilters } from '~/forms/recipients.ts'
import { formatMoment } from '~/lib/dates.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'

/** Where a message stands on its way (start-sending.server.ts); null for a draft. */
export type Sending = 'scheduled' | 'late' | 'preparing' | 'sending' | 'stopped' | 'done'

export type MessageToEdit = {
  uid: string
  values: MessageValues
  attachment: { name: string; originalFileName: string; size: number } | null
  status: 'draft' | 'sent'
  sending: Sending | null
  sendAt: Date | null
  notAfter: Date | null
  sentAt: Date | null
  revision: number
  selectedUserUids: string[]
  filters: Record<string, string[]>
  author: string
  deletedAt: Date | null
}

/** Returns a message for its dialog, for admins, also one that was sent and, `withDeleted`, one that was deleted. */
export async function getAnnouncementToEdit(
  ctx: Ctx,
  { announcementUid, withDeleted = false }: { announcementUid: string; withDeleted?: boolean },
): Promise<MessageToEdit> {
  requireAdmin(ctx)
  const row = await readMessage(ctx, announcementUid)
  if (!row || (row.deletedAt !== null && !withDeleted)) throw new NotFound()
  const { id: _, ...message } = row
  return message
}

/** Lists which of these uids messages of the site have, also ones that were deleted. */
export async function listTakenUids(ctx: Ctx, input: { uids: string[] }): Promise<string[]> {
  requireAdmin(ctx)
  const taken = await ctx.db
    .selectFrom('announcements')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`uid = any(${input.uids.filter(isUid)}::uuid[])`)
    .execute()
  return taken.map(({ uid }) => uid)
}

/** The id of a message of the site that is not deleted, unless `withDeleted`. Throws NotFound for any other. */
export async function findMessageId(ctx: Ctx, uid: string, { withDeleted = false } = {}): Promise<number> {
  if (!isUid(uid)) throw new NotFound()
  const row = await ctx.db
    .selectFrom('announcements')
    .select('id')
    .where('uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .$if(!withDeleted, (qb) => qb.where('deleted_at', 'is', null))
    .executeTakeFirst()
  if (!row) throw new NotFound()
  return row.id
}

export type MessageRow = MessageToEdit & { id: number }

/**
 * Returns a key of when a message goes out: empty, or its state and its times. A form names the key of the times that it
 * was filled in with, through all its steps, so that Send does not replace a time that its sender has not seen.
 */
export function timesKeyOf(message: Pick<MessageToEdit, 'sending' | 'sendAt' | 'notAfter'> | null): string {
  const { sending = null, sendAt = null, notAfter = null } = message ?? {}
  return sending === null ? '' : [sending, sendAt?.toISOString(), notAfter?.toISOString()].join(' ')
}

/** The times in such a key, which comes from a form, and whether they have passed. */
export function timesInKey(key: string): Pick<MessageToEdit, 'sendAt' | 'notAfter'> & { isLate: boolean } {
  const isTime = (text: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text))
  const [sending, sendAt = '', notAfter = ''] = key.split(' ')
  return {
    isLate: sending === 'late',
    sendAt: isTime(sendAt) ? new Date(sendAt) : null,
    notAfter: isTime(notAfter) ? new Date(notAfter) : null,
  }
}

/** The recipients or the time of a message have changed since its sender was shown them. */
export class ReviewOutdated extends Conflict {}

/**
 * Refuses a form that was filled in while the message was to go out at another time, or not yet. `shown` is the key of
 * the form; undefined for programs. `advice` ends the sentence.
 */
export function requireShownTimes(
  { site }: Ctx,
  message: Pick<MessageToEdit, 'sending' | 'sendAt' | 'notAfter'>,
  { shown, advice }: { shown?: string; advice: string },
): void {
  if (shown === undefined || shown === timesKeyOf(message)) return
  const { sending, sendAt, notAfter } = message
  const at = (time: Date) => formatMoment(time, site.timeZone)
  const what =
    sending === 'scheduled' && sendAt
      ? `has been scheduled for ${at(sendAt)}${notAfter ? `, and not after ${at(notAfter)},` : ''}`
      : sending === 'late'
        ? 'has become late'
        : 'has lost its schedule'
  throw new ReviewOutdated('announcement.time_changed', `The message ${what} since you opened it. ${advice}`)
}

/** Locks a message. Throws NotFound if there is none, or if it was deleted. */
export async function lockMessage(ctx: Ctx, uid: string): Promise<MessageRow> {
  const row = await lockMessageOrDeleted(ctx, uid)
  if (row.deletedAt !== null) throw new NotFound()
  return row
}

/** The same for one that may have been deleted. */
export async function lockMessageOrDeleted(ctx: Ctx, uid: string): Promise<MessageRow> {
  if (!isUid(uid)) throw new NotFound()
  // In a statement of its own: the one that waits would go on with the file that the message had before.
  await sql`select from announcements where uid = ${uid} and site_id = ${ctx.site.id} for update`.execute(ctx.db)
  const row = await readMessage(ctx, uid)
  if (!row) throw new NotFound()
  return row
}

type StoredMessage = Omit<MessageRow, 'values' | 'attachment' | 'filters'> & {
  name: string
  subject: string
  text: string
  deliveryType: DeliveryType
  from: string
  fileName: string | null
  originalFileName: string | null
  fileSize: number | null
  filters: unknown
}

async function readMessage(ctx: Ctx, uid: string): Promise<MessageRow | undefined> {
  if (!isUid(uid)) return undefined
  const { rows } = await sql<StoredMessage>`
    select a.id, a.uid, a.name, a.subject, a.text, a.delivery_type as "deliveryType", a.from_field as from,
      a.status, a.sending, a.send_at as "sendAt", a.not_after as "notAfter", a.sent_at as "sentAt", a.revision,
      a.selected_user_uids as "selectedUserUids", a.filters, a.author_name as author, a.deleted_at as "deletedAt",
      f.name as "fileName", f.original_file_name as "originalFileName", f.size as "fileSize"
    from announcements a left join stored_files f on f.id = a.attachment_file_id
    where a.uid = ${uid} and a.site_id = ${ctx.site.id}`.execute(ctx.db)
  const [row] = rows
  if (!row) return undefined
  const { name, subject, text, deliveryType, from, fileName, originalFileName, fileSize, filters, ...message } = row
  return {
    ...message,
    values: { name, subject, text, deliveryType, from, attachment: fileName },
    attachment:
      fileName === null ? null : { name: fileName, originalFileName: originalFileName ?? '', size: fileSize ?? 0 },
    filters: readRecipientFilters(filters),
  }
}

/** Returns the message, locked. Throws Conflict for one that is being sent or was sent (C-151). */
export async function getEditable(ctx: Ctx, uid: string): Promise<MessageRow> {
  const row = await lockMessage(ctx, uid)
  if (isEditable(row)) return row
  const problem =
    row.status === 'sent'
      ? 'This message has been sent, so it can no longer be changed. You can duplicate it.'
      : 'This message is being sent, so it can no longer be changed. You can duplicate it.'
  throw new Conflict('announcement.sent', problem)
}

/** Nothing of a message changes once sending has begun. A schedule goes on with what the message says at its time. */
export function isEditable({ status, sending }: Pick<MessageToEdit, 'status' | 'sending'>): boolean {
  return status === 'draft' && (sending === null || sending === 'scheduled' || sending === 'late')
}
