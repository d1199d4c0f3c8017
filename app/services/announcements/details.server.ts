/** What became of a message, for admins: the states of its mails, and each of its recipients. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { messageRecipientsTable } from '~/forms/announcement-tables.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { containsPattern, isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage } from '../paging.ts'
import { statusConditions } from '../users/table-entries.server.ts'

/** The states of the ledger (docs/decisions/040), and `open` for recipients who are not decided on yet. */
export type DeliveryState =
  | 'open'
  | 'delivered'
  | 'queued'
  | 'sending'
  | 'accepted'
  | 'refused'
  | 'in_doubt'
  | 'bounced'
  | 'complained'
  | 'skipped'

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
}

/** SQL: where the message of a recipient `r` with its mail `mail` stands. A dashboard has it as soon as it is sent. */
const state: RawBuilder<DeliveryState> = sql`
  coalesce(mail.state, case r.state when 'sent' then 'delivered' when 'skipped' then 'skipped' else 'open' end)`

/** SQL: why somebody was left out. The words of mail servers differ for each person, so they are no reasons to count. */
const leftOutFor: RawBuilder<string | null> = sql`
  case when coalesce(mail.state, r.state) = 'skipped' then coalesce(mail.response, r.skipped) end`

/** Counts the recipients of a message by what became of it. */
export async function countDeliveries(ctx: Ctx, input: { announcementUid: string }): Promise<StateCount[]> {
  requireAdmin(ctx)
  const id = await findId(ctx, input.announcementUid)
  const { rows } = await sql<StateCount>`
    select ${state} as state, ${leftOutFor} as reason, count(*)::int as people
    from announcement_recipients r left join mails mail on mail.recipient_id = r.id
    where r.announcement_id = ${id} group by 1, 2 order by 3 desc, 1, 2`.execute(ctx.db)
  return rows
}

export type RecipientsInput = { announcementUid: string } & Partial<Pick<TableQuery, 'search' | 'page' | 'size'>>

/** Lists one page of the recipients by name, found by name or email (C-067). */
export async function listMessageRecipients(
  ctx: Ctx,
  input: RecipientsInput,
): Promise<{ items: MessageRecipient[]; total: number }> {
  requireAdmin(ctx)
  const id = await findId(ctx, input.announcementUid)
  const { search = '' } = input
  if (!isStorable(search)) return { items: [], total: 0 }
  const key = searchKey(search)
  const name = sql`coalesce(nullif(r.name, ''), nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''),
    users.email, r.email, '–')`
  const email = sql`coalesce(r.email, users.email, '')`
  const found: RawBuilder<SqlBool> =
    key === ''
      ? sql`true`
      : sql`(users.search_key like ${containsPattern(key)} or lower(${name}) like ${containsPattern(key)}
          or lower(${email}) like ${containsPattern(key)})`
  const from = sql`
    from announcement_recipients r left join users on users.id = r.user_id
    where r.announcement_id = ${id} and ${found}`
  const { limit, offset } = limitsOfPage({ size: messageRecipientsTable.sizes[0], ...input })
  const status = statusConditions(ctx)
  const [counts, page] = await Promise.all([
    sql<{ total: number }>`select count(*)::int as total ${from}`.execute(ctx.db),
    sql<MessageRecipient>`
      with page as materialized (
        select r.id, row_number() over () as place from (
          select r.id ${from} order by lower(${name}) collate "und-x-icu", r.id limit ${limit} offset ${offset}) r)
      select r.id, users.uid as "userUid", ${name} as name, ${email} as email,
        case when users.id is null then null when ${status.active} then 'active' when users.is_active then 'inactive'
          when ${status.invited} then 'invited' else 'disabled' end as status,
        ${state} as state, coalesce(mail.response, r.skipped) as reason, coalesce(mail.attempts, 0) as attempts,
        coalesce(mail.tried_at, r.sent_at) as "sentAt", coalesce(mail.returned_at, mail.ended_at) as "endedAt",
        r.opened_at as "openedAt", r.clicked_at as "clickedAt", r.pinned_at as "pinnedAt"
      from page join announcement_recipients r on r.id = page.id
      left join users on users.id = r.user_id left join mails mail on mail.recipient_id = r.id
      order by page.place`.execute(ctx.db),
  ])
  return { items: page.rows, total: counts.rows[0]?.total ?? 0 }
}

async function findId(ctx: Ctx, uid: string): Promise<number> {
  if (!isUid(uid)) throw new NotFound()
  const row = await ctx.db
    .selectFrom('announcements')
    .select('id')
    .where('uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw new NotFound()
  return row.id
}
