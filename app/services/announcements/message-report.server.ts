/** The report of messages that were sent, for admins: a row for each, the latest first (C-236). */
import { type SqlBool, sql } from 'kysely'
import type { DeliveryType } from '~/forms/announcements.ts'
import type { PeriodDays } from '~/lib/report-period.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { countMailsOfMessages, type LedgerCounts, noMails } from './message-ledger.server.ts'

export type ReportedMessage = {
  uid: string
  name: string
  subject: string
  deliveryType: DeliveryType
  from: string
  author: string
  sentAt: Date | null
  total: number
  opened: number
  clicked: number
  pinned: number
  machineOpened: number
  machineClicked: number
  ledger: LedgerCounts
}

type Place = { sentAt: Date; id: number }

export type MessageReportInput = {
  days: PeriodDays
  /** The last message of the batch before. */
  after: Place | null
  size: number
}

// A Date has no microseconds, so the place in the list has none either.
const inMs = sql`date_trunc('milliseconds', message.sent_at)`

/** Lists the next messages that were sent on these days of the site. */
export async function listMessageReport(
  ctx: Ctx,
  input: MessageReportInput,
): Promise<{ items: ReportedMessage[]; next: Place | null }> {
  requireAdmin(ctx)
  const { days, after, size } = input
  const startOf = (day: string) => sql`(${day}::date::timestamp at time zone ${ctx.site.timeZone})`
  const conditions = [
    sql<SqlBool>`message.status = 'sent' and message.sent_at is not null`,
    ...(days.from ? [sql<SqlBool>`message.sent_at >= ${startOf(days.from)}`] : []),
    ...(days.until ? [sql<SqlBool>`message.sent_at < ${startOf(days.until)}`] : []),
    ...(after ? [sql<SqlBool>`(${inMs}, message.id) < (${after.sentAt}::timestamptz, ${after.id})`] : []),
  ]
  const { rows } = await sql<Place>`
    select message.id, message.sent_at as "sentAt" from announcements message
    where message.site_id = ${ctx.site.id} and message.deleted_at is null and ${sql.join(conditions, sql` and `)}
    order by ${inMs} desc, message.id desc limit ${size}`.execute(ctx.db)
  const items = await read(
    ctx,
    rows.map(({ id }) => id),
  )
  return { items, next: rows.length === size ? (rows.at(-1) ?? null) : null }
}

/** Returns one message, also while it is being sent. Throws NotFound for one that nobody has sent. */
export async function getMessageReport(ctx: Ctx, input: { announcementUid: string }): Promise<ReportedMessage> {
  requireAdmin(ctx)
  if (!isUid(input.announcementUid)) throw new NotFound()
  const { rows } = await sql<{ id: number }>`
    select id from announcements
    where uid = ${input.announcementUid} and site_id = ${ctx.site.id} and deleted_at is null
      and (status = 'sent' or sending in ('preparing', 'sending', 'stopped'))`.execute(ctx.db)
  const [found] = await read(
    ctx,
    rows.map(({ id }) => id),
  )
  if (!found) throw new NotFound()
  return found
}

async function read(ctx: Ctx, ids: number[]): Promise<ReportedMessage[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Omit<ReportedMessage, 'ledger'>>`
    select message.uid, message.name, message.subject, message.delivery_type as "deliveryType",
      message.from_field as "from", message.author_name as author, message.sent_at as "sentAt",
      count(r.id)::int as total, count(r.opened_at)::int as opened, count(r.clicked_at)::int as clicked,
      count(r.pinned_at)::int as pinned, count(r.machine_opened_at)::int as "machineOpened",
      count(r.machine_clicked_at)::int as "machineClicked"
    from announcements message
    left join announcement_recipients r on r.announcement_id = message.id and r.state = 'sent'
    where message.id = any(${ids}::bigint[])
    group by message.id
    order by array_position(${ids}::bigint[], message.id)`.execute(ctx.db)
  const ledgers = await countMailsOfMessages(
    ctx,
    rows.map(({ uid }) => uid),
  )
  return rows.map((row) => ({ ...row, ledger: ledgers.get(row.uid) ?? noMails() }))
}
