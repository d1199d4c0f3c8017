/** Who may be sent reports: admins of the site whose account can be used. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid } from '../errors.ts'

/** SQL: why a person may not see reports; null for an admin whose account can be used. */
export function whyNoAdmin(user: RawBuilder<unknown>): RawBuilder<'deleted' | 'disabled' | 'no_admin' | null> {
  return sql`case
    when ${user}.erased_at is not null then 'deleted'
    when not ${user}.is_active then 'disabled'
    when not exists (select from user_groups where user_id = ${user}.id and name = 'admins')
      or exists (select from user_groups where user_id = ${user}.id and name = 'pending_users') then 'no_admin' end`
}

export function maySeeReports(user: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`(${whyNoAdmin(user)} is null)`
}

export type Colleague = { uid: string; name: string; email: string }

const mostColleagues = 500

/** Lists the admins of the site by name: at most 500, first those that are chosen. */
export async function listColleagues(ctx: Ctx, input: { chosen?: string[] } = {}): Promise<Colleague[]> {
  requireAdmin(ctx)
  const { rows } = await sql<Colleague>`
    select users.uid, coalesce(nullif(concat_ws(' ', users.first_name, users.last_name), ''), users.email) as name,
      users.email
    from users
    where users.site_id = ${ctx.site.id} and users.email is not null and ${maySeeReports(sql.ref('users'))}
    order by users.uid = any(${input.chosen ?? []}::uuid[]) desc, users.name_key, users.id
    limit ${mostColleagues}`.execute(ctx.db)
  return rows
}

/** Refuses people who may not be sent reports. Those who were chosen before may stay. */
export async function refuseOthers(ctx: Ctx, uids: string[], stored: string[] = []): Promise<void> {
  const fresh = uids.filter((uid) => !stored.includes(uid))
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from users
    where users.site_id = ${ctx.site.id} and users.uid = any(${fresh}::uuid[])
      and ${maySeeReports(sql.ref('users'))}`.execute(ctx.db)
  if (rows[0]?.count === fresh.length) return
  const sentence = 'Somebody you chose is not an admin of this site. Please choose again.'
  throw new Invalid(sentence, { recipients: sentence })
}
