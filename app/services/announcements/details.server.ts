/** What became of a message, for admins: the states of its mails, and each of its recipients. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { messageRecipientsTable } from '~/forms/announcement-tables.ts'
import type { MailState } from '~/forms/mails.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage } from '../paging.ts'
import { isFoundWhere } from '../search-conditions.server.ts'
import { statusConditions } from '../users/table-entries.server.ts'
import { findMessageId } from './read-announcement.server.ts'

/**
 * The state of the mail (docs/decisions/040), `delivered` for a message on a dashboard, and `open` for recipients who are
 * not decided on yet.
 */
export type DeliveryState = MailState | 'open' | 'delivered'

export type StateCount = { state: DeliveryState; reason: string | null; people: number }

export type MessageRecipient = {
  id: number
  /** Null once the account has been erased. */
  userUid: string | null
  name: string
  email: string
  status: 'active' | 'inactive' | 'disabled' | 'invited' | null
  state: DeliveryState
  /** Why somebody was left out, or the words of the mail server. */
  reason: string | null
  attempts: number
  sentAt: Date | null
  endedAt: Date | null
  openedAt: Date | null
  clickedAt: Date | null
  pinnedAt: Date | null
  unsubscribedAt: Date | null
}

/** SQL: where the message of a recipient `r` with its mail `mail` stands. A dashboard has it as soon as it is sent. */
const state: RawBuilder<DeliveryState> = sql`
  coalesce(mail.state, case r.state when 'sent' then 'delivered' when 'skipped' then 'skipped' else 'open' end)`

/** SQL: why somebody was left out. The words of mail servers differ for each person, so they are no reasons to count. */
const leftOutFor: RawBuilder<string | null> = sql`
  case when coalesce(mail.state, r.state) = 'skipped' then coalesce(mail.response, r.skipped) end`

const name = sql<string>`coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email, '–')`
/** SQL: the address that the mail went to, as long as the ledger names it. */
const email = sql<string>`coalesce(mail.address, users.email, '')`

function statusOf(ctx: Ctx): RawBuilder<MessageRecipient['status']> {
  const status = statusConditions(ctx)
  return sql`case when users.id is null then null when ${status.active} then 'active'
    when users.is_active then 'inactive' when ${status.invited} then 'invited' else 'disabled' end`
}

export type TrackingCounts = {
  /** Mails with a picture and links that count, and those that were handed over without them. */
  tracked: number
  untracked: number
  unsubscribed: number
}

const handedOver: DeliveryState[] = ['accepted', 'in_doubt', 'bounced', 'complained']

/**
 * Counts the recipients of a message by what became of it, and what is known of its emails besides the rates. All mails of
 * a message are written at once, so once it has some, only recipients who are not decided on have none.
 *
 * The mails are read once, from an index. Each part depends on `message`, so that PostgreSQL reads it in this process:
 * starting others takes longer than to count.
 */
export async function countDeliveries(
  ctx: Ctx,
  input: { announcementUid: string },
): Promise<{ deliveries: StateCount[]; tracking: TrackingCounts }> {
  requireAdmin(ctx)
  const id = await findMessageId(ctx, input.announcementUid)
  const { rows } = await sql<StateCount & Record<'tracked' | 'untracked' | 'unsubscribed', number>>`
    select counted.* from announcements message cross join lateral (
      select state, null as reason, count(*) filter (where state <> 'skipped')::int as people,
        count(*) filter (where is_tracked)::int as tracked, count(*) filter (where not is_tracked)::int as untracked,
        count(unsubscribed_at)::int as unsubscribed
      from mails where announcement_id = message.id group by state
      union all
      select state, response, count(*)::int, 0, 0, 0 from mails
      where announcement_id = message.id and state = 'skipped' group by state, response
      union all
      select 'open', r.skipped, count(*)::int, 0, 0, 0 from announcement_recipients r
      where r.announcement_id = message.id and r.state = 'draft' group by r.skipped
      union all
      select case r.state when 'sent' then 'delivered' else r.state end, r.skipped, count(*)::int, 0, 0, 0
      from announcement_recipients r
      where r.announcement_id = message.id and r.state <> 'draft'
        and not exists (select from mails where announcement_id = message.id)
      group by r.state, r.skipped) counted
    where message.id = ${id} order by people desc, state, reason`.execute(ctx.db)
  const sum = (count: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + count(row), 0)
  return {
    deliveries: rows.filter(({ people }) => people > 0).map(({ state, reason, people }) => ({ state, reason, people })),
    tracking: {
      tracked: sum(({ tracked }) => tracked),
      untracked: sum(({ state, untracked }) => (handedOver.includes(state) ? untracked : 0)),
      unsubscribed: sum(({ unsubscribed }) => unsubscribed),
    },
  }
}

/** Emails of a message that is being sent which the mail server did not take, and when the next of them is tried. */
export type WaitingMails = { count: number; response: string; nextAt: Date }

export async function findWaitingMails(ctx: Ctx, input: { announcementUid: string }): Promise<WaitingMails | null> {
  requireAdmin(ctx)
  const id = await findMessageId(ctx, input.announcementUid)
  const { rows } = await sql<WaitingMails>`
    select response, next_at as "nextAt", (count(*) over ())::int as count from mails
    where announcement_id = ${id} and state = 'queued' and response is not null and next_at > ${ctx.now}
      and exists (select from announcements message where message.id = ${id} and message.sending = 'sending')
    order by next_at, id limit 1`.execute(ctx.db)
  return rows[0] ?? null
}

/** How many mails of a message are in doubt, or whether one of them is, with its address. */
export async function countInDoubt(
  ctx: Ctx,
  input: { announcementUid: string; mailUid: string | null },
): Promise<{ name: string; count: number; address: string | null }> {
  requireAdmin(ctx)
  const { announcementUid, mailUid } = input
  if (!isUid(announcementUid) || (mailUid !== null && !isUid(mailUid))) throw new NotFound()
  const { rows } = await sql<{ name: string; count: number; address: string | null }>`
    select message.name, count(mail.id)::int as count, min(mail.address) as address
    from announcements message
    left join mails mail on mail.announcement_id = message.id and mail.state = 'in_doubt'
      and (${mailUid}::uuid is null or mail.uid = ${mailUid}::uuid)
    where message.uid = ${announcementUid} and message.site_id = ${ctx.site.id} and message.deleted_at is null
    group by message.id`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return { ...rows[0], address: mailUid === null ? null : rows[0].address }
}

export type RecipientsInput = { announcementUid: string } & Partial<Pick<TableQuery, 'search' | 'page' | 'size'>>

/** Lists one page of the recipients in the order of the users' table, found by name or email (C-067). */
export async function listMessageRecipients(
  ctx: Ctx,
  input: RecipientsInput,
): Promise<{ items: MessageRecipient[]; total: number }> {
  requireAdmin(ctx)
  const id = await findMessageId(ctx, input.announcementUid)
  const { search = '' } = input
  if (!isStorable(search)) return { items: [], total: 0 }
  const found = isFoundWhere(
    search,
    (holds) => sql`(${holds(sql`users.search_key`)} or r.id in (
      select recipient_id from mails where announcement_id = ${id} and ${holds(sql`address_key`)}))`,
  )
  const from = sql`
    from announcement_recipients r left join users on users.id = r.user_id
    where r.announcement_id = ${id} and ${found}`
  const { limit, offset } = limitsOfPage({ size: messageRecipientsTable.sizes[0], ...input })
  const [counts, page] = await Promise.all([
    sql<{ total: number }>`select count(*)::int as total ${from}`.execute(ctx.db),
    sql<MessageRecipient>`
      with page as materialized (
        select r.id, row_number() over () as place from (
          select r.id ${from} order by users.name_key, r.id limit ${limit} offset ${offset}) r)
      select r.id, users.uid as "userUid", ${name} as name, ${email} as email,
        ${statusOf(ctx)} as status, ${state} as state, coalesce(mail.response, r.skipped) as reason, coalesce(mail.attempts, 0) as attempts,
        coalesce(mail.tried_at, r.sent_at) as "sentAt", coalesce(mail.returned_at, mail.ended_at) as "endedAt",
        r.opened_at as "openedAt", r.clicked_at as "clickedAt", r.pinned_at as "pinnedAt",
        mail.unsubscribed_at as "unsubscribedAt"
      from page join announcement_recipients r on r.id = page.id
      left join users on users.id = r.user_id left join mails mail on mail.recipient_id = r.id
      order by page.place`.execute(ctx.db),
  ])
  return { items: page.rows, total: counts.rows[0]?.total ?? 0 }
}

/** What happened to a message for one person, with all times. `mail` is null on dashboards. */
export type RecipientStory = Pick<MessageRecipient, 'name' | 'email' | 'status' | 'state'> & {
  userUid: string | null
  skipped: string | null
  sentAt: Date | null
  openedAt: Date | null
  clickedAt: Date | null
  pinnedAt: Date | null
  machineOpenedAt: Date | null
  machineClickedAt: Date | null
  mail: MailOfStory | null
}

/** Times are ISO texts. */
export type MailOfStory = {
  uid: string
  response: string | null
  attempts: number
  isTracked: boolean
  createdAt: string
  triedAt: string | null
  nextAt: string
  endedAt: string | null
  returnedAt: string | null
  unsubscribedAt: string | null
}

function stories(ctx: Ctx, matches: RawBuilder<SqlBool>) {
  return sql<RecipientStory & { id: number }>`
    select r.id, users.uid as "userUid", ${name} as name, ${email} as email, ${statusOf(ctx)} as status,
      ${state} as state, ${leftOutFor} as skipped, r.sent_at as "sentAt", r.opened_at as "openedAt",
      r.clicked_at as "clickedAt", r.pinned_at as "pinnedAt", r.machine_opened_at as "machineOpenedAt",
      r.machine_clicked_at as "machineClickedAt",
      case when mail.id is not null then jsonb_build_object('uid', mail.uid, 'response', mail.response,
        'attempts', mail.attempts, 'isTracked', mail.is_tracked, 'createdAt', mail.created_at,
        'triedAt', mail.tried_at, 'nextAt', mail.next_at, 'endedAt', mail.ended_at, 'returnedAt', mail.returned_at,
        'unsubscribedAt', mail.unsubscribed_at) end as mail
    from announcement_recipients r
    left join users on users.id = r.user_id left join mails mail on mail.recipient_id = r.id
    where ${matches} order by r.id`
}

/** Returns the story of one recipient. */
export async function getRecipientStory(
  ctx: Ctx,
  input: { announcementUid: string; userUid: string },
): Promise<RecipientStory> {
  requireAdmin(ctx)
  const id = await findMessageId(ctx, input.announcementUid)
  if (!isUid(input.userUid)) throw new NotFound()
  const matches = sql<SqlBool>`r.announcement_id = ${id} and users.uid = ${input.userUid}`
  const { rows } = await stories(ctx, matches).execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0]
}

/** Lists the stories of the next recipients, in the order in which they were chosen. `after` is 0, or `next` of the batch before. */
export async function listRecipientStories(
  ctx: Ctx,
  input: { announcementUid: string; after: number; size: number },
): Promise<{ items: RecipientStory[]; next: number | null }> {
  requireAdmin(ctx)
  const id = await findMessageId(ctx, input.announcementUid)
  const { rows: ids } = await sql<{ id: number }>`
    select id from announcement_recipients
    where announcement_id = ${id} and id > ${input.after} order by id limit ${input.size}`.execute(ctx.db)
  const matches = sql<SqlBool>`r.id = any(${ids.map((row) => row.id)}::bigint[])`
  const { rows: items } = await stories(ctx, matches).execute(ctx.db)
  return { items, next: ids.length === input.size ? (ids.at(-1)?.id ?? null) : null }
}
