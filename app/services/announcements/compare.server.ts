/** The figures of several sent messages, for admins who compare them. */
import { type SqlBool, sql } from 'kysely'
import { mostCompared } from '~/forms/announcement-tables.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'

export type MessageFigures = {
  uid: string
  name: string
  subject: string
  deliveryType: 'email' | 'dashboard'
  sentAt: Date
  /**
   * Who got it; what they did counts once for each of them (C-279). Emails that came back are left out. Those in doubt
   * count, because most of them arrive.
   */
  total: number
  opened: number
  clicked: number
  pinned: number
  /** True if what people do with it is known: always on dashboards, by email if one was sent with tracking. */
  isTracked: boolean
  /** What machines did, which the other figures leave out. */
  machineOpens: number
  machineClicks: number
}

/** Reads two to four sent messages in the given order. Throws NotFound if fewer than two of them are left. */
export async function compareAnnouncements(ctx: Ctx, input: { uids: string[] }): Promise<MessageFigures[]> {
  const rows = await listMessageFigures(ctx, { uids: [...new Set(input.uids)].slice(0, mostCompared) })
  if (rows.length < 2) throw new NotFound('Please check two to four messages that were sent and not deleted.')
  return rows
}

/** SQL: whether the recipient `r` of a message got it, as far as is known. */
export const isDelivered = sql<SqlBool>`r.state = 'sent' and not exists (
  select from mails
  where mails.announcement_id = r.announcement_id and mails.recipient_id = r.id and mails.state = 'bounced')`

/**
 * Reads the figures of sent messages in the given order. Other messages are left out.
 *
 * Those who got a message (`isDelivered`) are counted as all to whom it was sent without the few whose email came back:
 * the former are read from an index alone, and the latter one by one (`offset 0` keeps PostgreSQL from reading all again).
 */
export async function listMessageFigures(ctx: Ctx, input: { uids: string[] }): Promise<MessageFigures[]> {
  requireAdmin(ctx)
  const uids = input.uids.filter(isUid)
  const counts = sql`count(*)::int as total, count(r.opened_at)::int as opened, count(r.clicked_at)::int as clicked,
    count(r.pinned_at)::int as pinned, count(r.machine_opened_at)::int as machine_opens,
    count(r.machine_clicked_at)::int as machine_clicks`
  const { rows } = await sql<MessageFigures>`
    select message.uid, message.name, message.subject, message.delivery_type as "deliveryType",
      message.sent_at as "sentAt", sent.total - back.total as total, sent.opened - back.opened as opened,
      sent.clicked - back.clicked as clicked, sent.pinned - back.pinned as pinned,
      sent.machine_opens - back.machine_opens as "machineOpens",
      sent.machine_clicks - back.machine_clicks as "machineClicks",
      message.delivery_type = 'dashboard' or exists (
        select from mails where mails.announcement_id = message.id and mails.is_tracked) as "isTracked"
    from announcements message
    cross join lateral (
      select ${counts} from announcement_recipients r where r.announcement_id = message.id and r.state = 'sent') sent
    cross join lateral (
      select ${counts} from mails cross join lateral (
        select * from announcement_recipients r
        where r.id = mails.recipient_id and r.announcement_id = message.id offset 0) r
      where mails.announcement_id = message.id and mails.state = 'bounced' and r.state = 'sent') back
    where message.site_id = ${ctx.site.id} and message.uid = any(${uids}::uuid[])
      and message.status = 'sent' and message.deleted_at is null
    order by array_position(${uids}::uuid[], message.uid)`.execute(ctx.db)
  return rows
}
