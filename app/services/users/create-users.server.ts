/** Creates accounts that are opened with their invitation, any number of them in a few statements. */
import { sql } from 'kysely'
import { deletedAddress } from '~/forms/users.ts'
import { emailKey, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { logSecurityEvent } from '../audit/security-events.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid } from '../errors.ts'
import { ensureUniversities } from '../institutions/institutions.server.ts'
import { projectFacetsOf } from '../questionnaire/questionnaire.server.ts'
import { isReserved, requireUnreserved } from './addresses.server.ts'
import { planIsRetired } from './user-state.server.ts'

/** Who is to get an account. Names and addresses have been checked. An admin gets no subscription (C-168). */
export type Invitee = {
  firstName: string
  lastName: string
  email: string
  university: string
  isAdmin: boolean
  /** Null for admins. */
  accessPlanUid: string | null
  /** How long access lasts once the account is open; null if it does not end. */
  days: number | null
}

/**
 * An address that an account has: an open or an invited one, or one that was deleted and can be brought back. An address
 * that is reserved for somebody (addresses.server.ts) counts as theirs.
 */
export type KnownAddress = { email: string; userUid: string; state: 'open' | 'invited' | 'disabled' | 'deleted' }

/** Finds which of these addresses have an account on the site, by the address asked for, for admins. */
export async function listKnownAddresses(ctx: Ctx, emails: string[]): Promise<Map<string, KnownAddress>> {
  requireAdmin(ctx)
  const keys = emails.map(emailKey)
  const { rows } = await sql<Omit<KnownAddress, 'email'> & { key: string }>`
    select users.email_key as key, users.uid as "userUid",
      case when users.erased_at is not null then 'deleted' when users.is_active then 'open'
        when exists (select from user_groups where user_id = users.id and name = 'pending_users') then 'invited'
        else 'disabled' end as state
    from users where site_id = ${ctx.site.id} and email_key = any(${keys}::text[])
    union all
    select email_key_before, users.uid, 'open'
    from address_changes join users on users.id = user_id
    where ${isReserved(ctx)} and email_key_before = any(${keys}::text[]) and users.email_key <> email_key_before`.execute(
    ctx.db,
  )
  const byKey = new Map(rows.map(({ key, ...row }) => [key, row]))
  return new Map(
    emails.flatMap((email) => {
      const row = byKey.get(emailKey(email))
      return row ? [[email, { email, ...row }] as const] : []
    }),
  )
}

/** Says why nobody can be invited by this address (C-225). */
export function whyKnown({ state }: KnownAddress): string {
  if (state === 'invited') {
    return 'A user with this email address has already been invited. Use Resend invites to send the invitation again.'
  }
  if (state === 'deleted') return deletedAddress
  if (state === 'disabled') return 'A user with this email address already exists, and the account is disabled.'
  return 'A user with this email address already exists.'
}

/** Creates all of the accounts or none, for admins. Throws Conflict if one of the addresses has an account already. */
export async function createUsers(ctx: Ctx, input: { people: Invitee[] }): Promise<{ uid: string; email: string }[]> {
  requireAdmin(ctx, 'write')
  const { people } = input
  if (people.length === 0) return []
  return inTransaction(ctx, async (ctx) => {
    await requirePlans(ctx, people)
    const universities = await ensureUniversities(ctx, {
      names: [...new Set(people.map(({ university }) => university))],
    })
    const rows = people.map(({ firstName, lastName, email, university, isAdmin, accessPlanUid, days }) => ({
      email,
      email_key: emailKey(email),
      first_name: firstName,
      last_name: lastName,
      search_key: searchKey(`${firstName} ${lastName} ${email}`),
      university_uid: universities.get(university) ?? null,
      plan_uid: isAdmin ? null : accessPlanUid,
      duration_days: isAdmin ? null : days,
      group_name: isAdmin ? 'admins' : 'learners',
    }))
    const { rows: made } = await sql<{ uid: string; email: string }>`
      with wanted as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as wanted (
          email text, email_key text, first_name text, last_name text, search_key text, university_uid uuid,
          plan_uid uuid, duration_days integer, group_name text)),
      made as (
        insert into users (site_id, email, email_key, first_name, last_name, search_key, university_id, created_at, updated_at)
        select ${ctx.site.id}, email, email_key, first_name, last_name, wanted.search_key, universities.id,
          ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
        from wanted left join universities on universities.uid = wanted.university_uid
        order by email_key
        on conflict (site_id, email_key) do nothing
        returning id, uid, email, email_key),
      grouped as (
        insert into user_groups (user_id, name)
        select made.id, name from made join wanted using (email_key)
          cross join lateral unnest(array[wanted.group_name, 'pending_users']) name),
      subscribed as (
        insert into subscriptions (site_id, user_id, type, access_plan_id, auto_renew, duration_days)
        select ${ctx.site.id}, made.id, 'subsidized', access_plans.id, wanted.duration_days is null, wanted.duration_days
        from made join wanted using (email_key) join access_plans on access_plans.uid = wanted.plan_uid)
      select uid, email from made`.execute(ctx.db)
    if (made.length < people.length) throw await refuseKnown(ctx, people, made)
    await requireUnreserved(ctx, { userUids: made.map(({ uid }) => uid) })
    await projectFacetsOf(ctx, { userUids: made.map(({ uid }) => uid) })
    await recordAudit(ctx, ...made.map(({ uid }) => ({ action: 'user.invited', entity: 'user', entityUid: uid })))
    if (people.some(({ isAdmin }) => isAdmin)) await logSecurityEvent(ctx, 'role.granted', { groups: ['admins'] })
    return made
  })
}

/** Says which address cannot be used: one that has an account, or one that is in the input twice. */
async function refuseKnown(ctx: Ctx, people: Invitee[], made: { email: string }[]): Promise<Conflict> {
  const fresh = new Set(made.map(({ email }) => emailKey(email)))
  const others = people.map(({ email }) => email).filter((email) => !fresh.has(emailKey(email)))
  const known = await listKnownAddresses(ctx, others)
  const [first] = known.values()
  const message = first ? whyKnown(first) : 'The same email address is in the list twice.'
  return new Conflict('user.email_taken', message, { email: message })
}

async function requirePlans(ctx: Ctx, people: Invitee[]): Promise<void> {
  const uids = [...new Set(people.flatMap(({ isAdmin, accessPlanUid }) => (isAdmin ? [] : [accessPlanUid ?? ''])))]
  const { rows } = await sql<{ isRetired: boolean }>`
    select retired_at is not null as "isRetired" from access_plans
    where site_id = ${ctx.site.id} and uid = any(${uids.filter(isUid)}::uuid[])`.execute(ctx.db)
  if (rows.some(({ isRetired }) => isRetired)) throw planIsRetired()
  if (rows.length === uids.length) return
  throw new Invalid('There is no such access plan on this site.', { accessPlanUid: 'No such access plan' })
}
