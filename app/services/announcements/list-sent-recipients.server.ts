/** The recipients of a message that was sent, and what became of it for each of them. For admins. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  type Deed,
  deeds,
  type Outcome,
  outcomes,
  type SentRecipientSort,
  sentRecipientsTable,
} from '~/forms/sent-recipients.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { containsPattern, isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { anyOf } from '../access/content-tables.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage } from '../paging.ts'
import { statusConditions } from '../users/table-entries.server.ts'
import type { MailState, SkipReason } from './message-ledger.server.ts'

export type SentRecipient = {
  /** Of the person; null if nobody has the account any more. */
  uid: string | null
  name: string
  /** The address that the mail went to, or for dashboards the present one. */
  email: string
  status: 'active' | 'inactive' | 'disabled' | 'invited' | 'deleted'
  outcome: Outcome
  skipped: SkipReason | null
  /** When it was decided that the person gets it. */
  sentAt: Date | null
  openedAt: Date | null
  clickedAt: Date | null
  pinnedAt: Date | null
  machineOpenedAt: Date | null
  machineClickedAt: Date | null
  /** Null for dashboards. */
  mail: LedgerRow | null
}

/** The row of the ledger. */
export type LedgerRow = {
  uid: string
  state: MailState
  /** The words of the mail server. */
  response: string | null
  attempts: number
  isTracked: boolean
  createdAt: Date
  triedAt: Date | null
  endedAt: Date | null
  returnedAt: Date | null
  unsubscribedAt: Date | null
  nextAt: Date
}

export type SentRecipientQuery = Partial<
  Pick<TableQuery, 'search' | 'filters' | 'sort' | 'isDescending' | 'page' | 'size'>
>

const source = sql`
  announcement_recipients r
  left join users on users.id = r.user_id and users.erased_at is null
  left join mails on mails.recipient_id = r.id`

const outcomeOf: RawBuilder<Outcome> = sql`case
  when r.state = 'skipped' or mails.state = 'skipped' then 'left_out'
  when mails.state in ('refused', 'in_doubt', 'bounced', 'complained') then mails.state
  when mails.state = 'accepted' or (r.state = 'sent' and r.channel = 'dashboard') then 'delivered'
  else 'waiting' end`

const name = sql<string>`
  coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), nullif(r.name, ''), r.email,
    users.email, 'Somebody whose account was deleted')`
const email = sql<string>`coalesce(r.email, users.email, '')`

const didIt: Record<Deed, RawBuilder<SqlBool>> = {
  opened: sql`r.opened_at is not null`,
  unread: sql`(r.opened_at is null and r.state = 'sent')`,
  clicked: sql`r.clicked_at is not null`,
  pinned: sql`r.pinned_at is not null`,
  unsubscribed: sql`mails.unsubscribed_at is not null`,
}

/** Lists one page of them. */
export async function listSentRecipients(
  ctx: Ctx,
  input: { announcementUid: string; query: SentRecipientQuery },
): Promise<{ items: SentRecipient[]; total: number; listed: number }> {
  requireAdmin(ctx)
  const id = await getId(ctx, input.announcementUid)
  const { query } = input
  const own = sql<SqlBool>`r.announcement_id = ${id}`
  const matches = conditionOf(own, query)
  const { limit, offset } = limitsOfPage({ size: sentRecipientsTable.sizes[0], ...query })
  const sort = sentRecipientsTable.sorts.find((known) => known === query.sort) ?? 'name'
  const keys: Record<SentRecipientSort, RawBuilder<unknown>> = {
    name: sql`coalesce(users.name_key, lower(r.name) collate "C")`,
    email: sql`lower(${email}) collate "C"`,
    status: sql`${statusOf(ctx)} collate "C"`,
    outcome: sql`${outcomeOf} collate "C"`,
  }
  const page = sql`
    select r.id from ${source} where ${matches}
    order by ${keys[sort]} ${query.isDescending ? sql`desc` : sql`asc`} nulls last, ${keys.name}, r.id
    limit ${limit} offset ${offset}`
  const [{ rows: ids }, { rows: counts }] = await Promise.all([
    sql<{ id: number }>`${page}`.execute(ctx.db),
    sql<{ total: number; listed: number }>`
      select count(*)::int as total,
        (select count(*) from announcement_recipients r where ${own})::int as listed
      from ${source} where ${matches}`.execute(ctx.db),
  ])
  const items = await read(
    ctx,
    ids.map((row) => row.id),
  )
  return { items, total: counts[0]?.total ?? 0, listed: counts[0]?.listed ?? 0 }
}

/** Lists the next of them in the order in which they were chosen, for a file. `after` is the last one of the batch before. */
export async function listSentRecipientBatch(
  ctx: Ctx,
  input: { announcementUid: string; after: number; size: number },
): Promise<{ items: SentRecipient[]; next: number | null }> {
  requireAdmin(ctx)
  const { after, size } = input
  const id = await getId(ctx, input.announcementUid)
  const { rows } = await sql<{ id: number }>`
    select r.id from announcement_recipients r where r.announcement_id = ${id} and r.id > ${after}
    order by r.id limit ${size}`.execute(ctx.db)
  const ids = rows.map((row) => row.id)
  return { items: await read(ctx, ids), next: ids.length === size ? (ids.at(-1) ?? null) : null }
}

/** Returns one of them. */
export async function getSentRecipient(
  ctx: Ctx,
  input: { announcementUid: string; userUid: string },
): Promise<SentRecipient> {
  requireAdmin(ctx)
  const id = await getId(ctx, input.announcementUid)
  if (!isUid(input.userUid)) throw new NotFound()
  const { rows } = await sql<{ id: number }>`
    select r.id from announcement_recipients r join users on users.id = r.user_id
    where r.announcement_id = ${id} and users.uid = ${input.userUid} and users.erased_at is null`.execute(ctx.db)
  const [found] = await read(
    ctx,
    rows.map((row) => row.id),
  )
  if (!found) throw new NotFound()
  return found
}

async function getId(ctx: Ctx, uid: string): Promise<number> {
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

/** Reads everything about these recipients, in the given order. */
async function read(ctx: Ctx, ids: number[]): Promise<SentRecipient[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Omit<SentRecipient, 'mail'> & { [Key in keyof LedgerRow as `mail_${Key}`]: LedgerRow[Key] }>`
    select users.uid, ${name} as name, ${email} as email, ${statusOf(ctx)} as status, ${outcomeOf} as outcome,
      coalesce(r.skipped, case when mails.state = 'skipped' then mails.response end) as skipped,
      r.sent_at as "sentAt", r.opened_at as "openedAt", r.clicked_at as "clickedAt", r.pinned_at as "pinnedAt",
      r.machine_opened_at as "machineOpenedAt", r.machine_clicked_at as "machineClickedAt", mails.uid as mail_uid,
      mails.state as mail_state, mails.response as mail_response, mails.attempts as mail_attempts,
      mails.is_tracked as "mail_isTracked", mails.created_at as "mail_createdAt", mails.tried_at as "mail_triedAt",
      mails.ended_at as "mail_endedAt", mails.returned_at as "mail_returnedAt",
      mails.unsubscribed_at as "mail_unsubscribedAt", mails.next_at as "mail_nextAt"
    from ${source}
    where r.id = any(${ids}::bigint[])
    order by array_position(${ids}::bigint[], r.id)`.execute(ctx.db)
  return rows.map((row) => {
    const entries = Object.entries(row)
    const mail = entries.flatMap(([key, value]) => (key.startsWith('mail_') ? [[key.slice(5), value]] : []))
    const own = entries.filter(([key]) => !key.startsWith('mail_'))
    return {
      ...(Object.fromEntries(own) as Omit<SentRecipient, 'mail'>),
      mail: row.mail_uid === null ? null : (Object.fromEntries(mail) as LedgerRow),
    }
  })
}

function statusOf(ctx: Ctx): RawBuilder<SentRecipient['status']> {
  const { active, invited } = statusConditions(ctx)
  return sql`case when users.id is null then 'deleted' when ${active} then 'active' when users.is_active then 'inactive'
    when ${invited} then 'invited' else 'disabled' end`
}

function conditionOf(own: RawBuilder<SqlBool>, { search = '', filters = {} }: SentRecipientQuery): RawBuilder<SqlBool> {
  if (!isStorable(search)) return sql`false`
  const key = searchKey(search)
  const chosen = filters.outcome ?? []
  const wanted = outcomes.filter((one) => chosen.includes(one))
  const done = deeds.filter((one) => chosen.includes(one))
  const any = [
    ...(wanted.length > 0 ? [sql<SqlBool>`${outcomeOf} = any(${wanted}::text[])`] : []),
    ...done.map((deed) => didIt[deed]),
  ]
  const conditions = [
    own,
    ...(key === ''
      ? []
      : [sql<SqlBool>`(users.search_key like ${containsPattern(key)} or lower(r.email) like ${containsPattern(key)})`]),
    ...(any.length > 0 ? [anyOf(any)] : []),
  ]
  return sql`(${sql.join(conditions, sql` and `)})`
}
