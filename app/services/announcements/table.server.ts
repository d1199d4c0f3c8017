/** Messages for the console's table and for programs, for admins: pages of them, and how far sending has come. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type MessageSort, type MessageState, messageStates, messagesTable } from '~/forms/announcement-tables.ts'
import type { DeliveryType } from '~/forms/announcements.ts'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { longestLiveList, type TableQuery } from '~/lib/table-query.ts'
import { isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { anyOf } from '../access/content-tables.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage, type PageInput, parsePage } from '../paging.ts'
import { isFoundBy, searchKeyOf } from '../search-conditions.server.ts'
import { isDelivered } from './compare.server.ts'
import type { Sending } from './read-announcement.server.ts'

export type MessageEntry = {
  uid: string
  name: string
  subject: string
  status: 'draft' | 'sent'
  deliveryType: DeliveryType
  sending: Sending | null
  sendAt: Date | null
  /** The first two names of its recipients, and how many there are. */
  recipients: string[]
  people: number
  /** The audiences of a message that is not sent yet. */
  audiences: string[]
  /** Null for the operator. The name stays when the account is deleted. */
  author: { firstName: string; lastName: string } | null
  authorName: string
  updatedAt: Date
  sentAt: Date | null
}

export type MessagePageInput = Partial<Omit<TableQuery, 'columns'>>

/** Lists one page of messages. A page after the last one is empty. */
export async function listMessagePage(
  ctx: Ctx,
  input: MessagePageInput,
): Promise<{ items: MessageEntry[]; total: number; listed: number }> {
  requireAdmin(ctx)
  const matches = conditionOf(ctx, input)
  const [uids, { rows }] = await Promise.all([
    findUids(ctx, input, matches, limitsOfPage(input)),
    sql<{ total: number; listed: number }>`
      select count(*) filter (where ${matches})::int as total, least(count(*), ${longestLiveList + 1})::int as listed
      from announcements where site_id = ${ctx.site.id} and deleted_at is null`.execute(ctx.db),
  ])
  const { total = 0, listed = 0 } = rows[0] ?? {}
  return { items: await listMessageEntries(ctx, uids), total, listed }
}

/** Lists the uids of sent messages that a query finds, for a comparison of at most so many (C-035). */
export async function listSentUidsFound(ctx: Ctx, input: MessagePageInput & { most: number }): Promise<string[]> {
  requireAdmin(ctx)
  const matches = sql<SqlBool>`${conditionOf(ctx, input)} and announcements.status = 'sent'`
  return findUids(ctx, input, matches, { limit: input.most, offset: 0 })
}

function conditionOf(ctx: Ctx, { search = '', filters = {} }: MessagePageInput): RawBuilder<SqlBool> {
  if (!isStorable(search)) return sql`false`
  const states = messageStates.filter((state) => filters.status?.includes(state))
  const conditions: RawBuilder<SqlBool>[] = [
    sql`announcements.site_id = ${ctx.site.id} and announcements.deleted_at is null`,
    isFoundBy(nameKey, search),
    ...(states.length === 0 ? [] : [anyOf(states.map((state) => stateConditions[state]))]),
  ]
  return sql`${sql.join(conditions, sql` and `)}`
}

/** A site has few messages, so their names are folded when somebody searches (C-020). */
const nameKey = searchKeyOf(sql`announcements.name`)

export const stateConditions: Record<MessageState, RawBuilder<SqlBool>> = {
  draft: sql`(announcements.status = 'draft' and announcements.sending is null)`,
  scheduled: sql`announcements.sending = 'scheduled'`,
  late: sql`announcements.sending = 'late'`,
  sending: sql`announcements.sending in ('preparing', 'sending')`,
  stopped: sql`announcements.sending = 'stopped'`,
  sent: sql`announcements.status = 'sent'`,
}

const recipientCount = sql`(
  select count(*) from announcement_recipients r where r.announcement_id = announcements.id)`

const sortKeys: Record<MessageSort, RawBuilder<unknown>> = {
  subject: sql`lower(announcements.subject) collate "und-x-icu"`,
  name: sql`lower(announcements.name) collate "und-x-icu"`,
  status: sql`announcements.status collate "C"`,
  recipients: recipientCount,
  author: sql`lower(announcements.author_name) collate "und-x-icu"`,
  updated: sql`announcements.updated_at`,
  sent: sql`announcements.sent_at`,
}

async function findUids(
  ctx: Ctx,
  input: MessagePageInput,
  matches: RawBuilder<SqlBool>,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const sort = messagesTable.sorts.find((known) => known === input.sort) ?? 'subject'
  const { rows } = await sql<{ uid: string }>`
    select announcements.uid from announcements where ${matches}
    order by ${sortKeys[sort]} ${input.isDescending ? sql`desc` : sql`asc`} nulls last,
      lower(announcements.name) collate "und-x-icu", announcements.id
    limit ${limit} offset ${offset}`.execute(ctx.db)
  return rows.map(({ uid }) => uid)
}

/** Reads the entries of these messages in one query, in the given order. Messages that are not there are left out. */
export async function listMessageEntries(ctx: Ctx, uids: string[]): Promise<MessageEntry[]> {
  requireAdmin(ctx)
  if (uids.length === 0) return []
  const { rows } = await sql<MessageEntry>`
    select announcements.uid, announcements.name, announcements.subject, announcements.status,
      announcements.delivery_type as "deliveryType", announcements.sending, announcements.send_at as "sendAt",
      announcements.updated_at as "updatedAt", announcements.sent_at as "sentAt",
      announcements.author_name as "authorName",
      case when author.id is not null then jsonb_build_object('firstName', coalesce(author.first_name, ''),
        'lastName', coalesce(author.last_name, '')) end as author,
      ${recipientCount}::int as people,
      array(
        select coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email, '–')
        from (
          select id, user_id from announcement_recipients r where r.announcement_id = announcements.id
          order by r.id limit 2) r
        left join users on users.id = r.user_id order by r.id) as recipients,
      case when announcements.status = 'draft' then array(
        select audiences.name from announcement_audiences own join audiences on audiences.id = own.audience_id
        where own.announcement_id = announcements.id and audiences.deleted_at is null
        order by audiences.name) else '{}' end as audiences
    from announcements left join users author on author.id = announcements.author_id
    where announcements.uid = any(${uids.filter(isUid)}::uuid[]) and announcements.site_id = ${ctx.site.id}
      and announcements.deleted_at is null
    order by array_position(${uids.filter(isUid)}::uuid[], announcements.uid)`.execute(ctx.db)
  return rows
}

/** A message as programs read it. */
export type Announcement = MessageEntry & {
  text: string
  from: string
  attachment: { name: string; originalFileName: string; size: number } | null
  selectedUserUids: string[]
  filters: object
}

/** Lists messages by name, for programs of admins. */
export async function listAnnouncements(ctx: Ctx, input: PageInput = {}): Promise<Page<Announcement>> {
  requireAdmin(ctx)
  const page = parsePage('announcements', input)
  const { after, first } = page
  const { rows } = await sql<{ id: number; uid: string; name: string }>`
    select id, uid, name::text from announcements
    where site_id = ${ctx.site.id} and deleted_at is null
      and ${after ? sql`(name, id) > (${after.name}, ${after.id})` : sql`true`}
    order by name, id limit ${first + 1}`.execute(ctx.db)
  const { items, ...rest } = pageByName(page, rows, ({ uid }) => uid)
  return { items: await listAnnouncementsByUid(ctx, items), ...rest }
}

export async function countAnnouncements(ctx: Ctx): Promise<number> {
  requireAdmin(ctx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from announcements where site_id = ${ctx.site.id} and deleted_at is null`.execute(
    ctx.db,
  )
  return rows[0]?.count ?? 0
}

export async function getAnnouncement(ctx: Ctx, input: { announcementUid: string }): Promise<Announcement> {
  const [found] = await listAnnouncementsByUid(ctx, [input.announcementUid])
  if (!found) throw new NotFound()
  return found
}

async function listAnnouncementsByUid(ctx: Ctx, uids: string[]): Promise<Announcement[]> {
  const entries = await listMessageEntries(ctx, uids)
  const { rows } = await sql<Omit<Announcement, keyof MessageEntry> & { uid: string }>`
    select a.uid, a.text, a.from_field as from, a.selected_user_uids as "selectedUserUids", a.filters,
      case when f.id is not null then jsonb_build_object('name', f.name, 'originalFileName', f.original_file_name,
        'size', f.size) end as attachment
    from announcements a left join stored_files f on f.id = a.attachment_file_id
    where a.uid = any(${entries.map(({ uid }) => uid)}::uuid[])`.execute(ctx.db)
  const more = new Map(rows.map((row) => [row.uid, row]))
  return entries.flatMap((entry) => {
    const row = more.get(entry.uid)
    return row ? [{ ...entry, ...row }] : []
  })
}

/** How many recipients programs get with each message. */
export const mostRecipientUids = 1000

/** Lists the uids of the recipients of these messages, the first thousand of each, in one query. */
export async function listRecipientUids(ctx: Ctx, uids: string[]): Promise<Map<string, string[]>> {
  requireAdmin(ctx)
  const { rows } = await sql<{ uid: string; recipients: string[] }>`
    select a.uid, array(
      select users.uid from (
        select id, user_id from announcement_recipients r where r.announcement_id = a.id
        order by r.id limit ${mostRecipientUids}) r
      join users on users.id = r.user_id order by r.id) as recipients
    from announcements a where a.uid = any(${uids.filter(isUid)}::uuid[]) and a.site_id = ${ctx.site.id}`.execute(
    ctx.db,
  )
  return new Map(rows.map(({ uid, recipients }) => [uid, recipients]))
}

/** How far a message has come: of all recipients, how many it was handed on for, and who could not get it. */
export type SendingProgress = {
  total: number
  /** On the dashboard, or in the ledger of mails. */
  sent: number
  skipped: number
}

/** Counts for several messages at once. */
export async function countSendingProgress(ctx: Ctx, uids: string[]): Promise<Map<string, SendingProgress>> {
  requireAdmin(ctx)
  if (uids.length === 0) return new Map()
  const { rows } = await sql<SendingProgress & { uid: string }>`
    select a.uid, count(r.id)::int as total, count(*) filter (where r.state = 'skipped')::int as skipped,
      (count(*) filter (where r.state = 'sent') - (
        select count(*) from mails where announcement_id = a.id and state in ('queued', 'sending')))::int as sent
    from announcements a left join announcement_recipients r on r.announcement_id = a.id
    where a.uid = any(${uids.filter(isUid)}::uuid[]) and a.site_id = ${ctx.site.id}
    group by a.id`.execute(ctx.db)
  return new Map(rows.map(({ uid, ...progress }) => [uid, progress]))
}

/** What recipients did with a message, by the way it was delivered. */
export type ChannelStatistics = {
  total: number
  openCount: number
  unreadCount: number
  clickThruCount: number
  pinCount: number
  /** What machines did with emails, which the other counts leave out. */
  machineOpenCount: number
  machineClickCount: number
}

/** Counts each recipient once (C-279), and what people did only. */
export async function getAnnouncementStatistics(
  ctx: Ctx,
  input: { announcementUid: string },
): Promise<Record<DeliveryType, ChannelStatistics>> {
  requireAdmin(ctx)
  const empty = {
    total: 0,
    openCount: 0,
    unreadCount: 0,
    clickThruCount: 0,
    pinCount: 0,
    machineOpenCount: 0,
    machineClickCount: 0,
  }
  if (!isUid(input.announcementUid)) throw new NotFound()
  const { rows } = await sql<ChannelStatistics & { channel: DeliveryType }>`
    select r.channel, count(*)::int as total, count(r.opened_at)::int as "openCount",
      (count(*) - count(r.opened_at))::int as "unreadCount", count(r.clicked_at)::int as "clickThruCount",
      count(r.pinned_at)::int as "pinCount", count(r.machine_opened_at)::int as "machineOpenCount",
      count(r.machine_clicked_at)::int as "machineClickCount"
    from announcement_recipients r join announcements a on a.id = r.announcement_id
    where a.uid = ${input.announcementUid} and a.site_id = ${ctx.site.id} and ${isDelivered}
    group by r.channel`.execute(ctx.db)
  const of = (channel: DeliveryType): ChannelStatistics => {
    const { channel: _, ...counts } = rows.find((row) => row.channel === channel) ?? { channel, ...empty }
    return counts
  }
  return { email: of('email'), dashboard: of('dashboard') }
}
