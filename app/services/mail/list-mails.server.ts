/** The ledger of mails for admins: what was sent to whom, and what became of it. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type MailFilters, type MailKindName, type MailState, mailFilters } from '~/forms/mails.ts'
import { openCursor, type Page, sealCursor } from '~/lib/cursor.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'

export type LedgerMail = {
  uid: string
  kind: MailKindName
  subject: string
  name: string | null
  /** Null after the person was erased. */
  address: string | null
  /** The account, if there still is one. */
  userUid: string | null
  state: MailState
  /** The words of the mail server, or why the mail was left out. */
  response: string | null
  createdAt: Date
}

export type MailStory = LedgerMail & {
  announcement: { uid: string; name: string } | null
  attempts: number
  /** When it was first handed over, when that ended, and when something came back. */
  triedAt: Date | null
  endedAt: Date | null
  returnedAt: Date | null
  nextAt: Date
  /** The reason if the address gets no mail now. */
  suppression: { uid: string } | null
}

const list = 'mails'

const columns = sql`
  mail.uid, mail.kind, mail.subject, mail.name, mail.address, mail.state, mail.response, mail.created_at as "createdAt",
  users.uid as "userUid"`
const account = sql`
  left join users on users.id = mail.user_id and users.erased_at is null`

/** Lists the mails of the site that match the filters, newest first. `after` is the cursor of the page before. */
export async function listMails(ctx: Ctx, input: Partial<MailFilters> & { first?: number }): Promise<Page<LedgerMail>> {
  requireAdmin(ctx)
  const filters = mailFilters.parse(input)
  const first = Math.min(Math.max(input.first ?? 25, 1), 100)
  const [time, id] = openCursor(list, filters.after) ?? []
  const conditions: RawBuilder<SqlBool>[] = [sql`site_id = ${ctx.site.id}`]
  if (typeof time === 'string' && isMoment(time) && Number.isSafeInteger(id)) {
    conditions.push(sql`(created_at, id) < (${time}::timestamptz, ${id}::bigint)`)
  }
  // Literals, because the indexes are about some states and kinds.
  if (filters.kind) conditions.push(sql`kind = ${sql.lit(filters.kind)}`)
  if (filters.kind && filters.kind !== 'message') conditions.push(sql`kind <> 'message'`)
  if (filters.state) conditions.push(sql`state = ${sql.lit(filters.state)}`)
  if (filters.address) conditions.push(sql`address_key like ${`${filters.address.replace(/[\\%_]/g, '\\$&')}%`}`)
  const { rows } = await sql<LedgerMail & { id: number; moment: string }>`
    with page as (
      select * from mails where ${sql.join(conditions, sql` and `)}
      order by created_at desc, id desc limit ${first + 1})
    select mail.id, mail.created_at::text as moment, ${columns}
    from page mail ${account}
    order by mail.created_at desc, mail.id desc`.execute(ctx.db)
  const shown = rows.slice(0, first)
  const last = shown.at(-1)
  return {
    items: shown.map(({ id: _, moment: __, ...mail }) => mail),
    endCursor: last ? sealCursor(list, [last.moment, Number(last.id)]) : null,
    hasNextPage: rows.length > first,
  }
}

/** A hundred thousand mails of a message have the same time, so microseconds count. */
function isMoment(value: string): boolean {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/.test(value) && !Number.isNaN(Date.parse(value))
}

/** Returns what became of a mail. */
export async function getMail(ctx: Ctx, input: { uid: string }): Promise<MailStory> {
  requireAdmin(ctx)
  if (!isUid(input.uid)) throw new NotFound()
  const { rows } = await sql<
    Omit<MailStory, 'announcement' | 'suppression'> & {
      announcementUid: string | null
      announcementName: string | null
      suppressionUid: string | null
    }
  >`
    select ${columns}, mail.attempts, mail.tried_at as "triedAt", mail.ended_at as "endedAt",
      mail.returned_at as "returnedAt", mail.next_at as "nextAt", message.uid as "announcementUid",
      message.name as "announcementName", suppression.uid as "suppressionUid"
    from mails mail ${account}
    left join announcements message on message.id = mail.announcement_id and message.deleted_at is null
    left join mail_suppressions suppression on suppression.site_id = mail.site_id
      and suppression.address_key = mail.address_key and suppression.released_at is null
    where mail.uid = ${input.uid} and mail.site_id = ${ctx.site.id}`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new NotFound()
  const { announcementUid, announcementName, suppressionUid, ...mail } = row
  return {
    ...mail,
    announcement: announcementUid === null ? null : { uid: announcementUid, name: announcementName ?? '' },
    suppression: suppressionUid === null ? null : { uid: suppressionUid },
  }
}
