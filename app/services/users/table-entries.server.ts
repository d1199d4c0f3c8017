/** The users of the console's tables: everything about one page of them in one query. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { UserStatus, UserTab } from '~/forms/user-tables.ts'
import { daysFrom } from '~/lib/due.ts'
import { isUid } from '~/lib/uid.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { openDueWork } from '../access/due-work.ts'
import { actsAsAdmin, type Ctx, type GroupName, requireActor, requireAdmin } from '../context.ts'

/**
 * `accepted`: the mail server has taken it. `refused`: the address cannot receive mail. `failing`: it could not be sent and
 * is tried again. `in_doubt`: it was handed over, and no answer came. `waiting`: it is in the queue.
 */
export type MailState = 'accepted' | 'refused' | 'failing' | 'in_doubt' | 'waiting'

export type UserEntry = {
  uid: string
  firstName: string
  lastName: string
  email: string
  status: UserStatus
  groups: GroupName[]
  institution: { uid: string; name: string } | null
  plan: { uid: string; name: string } | null
  subscriptionType: 'subsidized' | 'free' | 'paid' | null
  validTo: Date | null
  joinedAt: Date | null
  lastLoginAt: Date | null
  /** When the invitation was last sent, or else created; for a disabled account without one, when it was created. */
  invitedAt: Date
  /** The last mail with the invitation, and when it was last tried; null for an account without an open one. */
  mailState: MailState | null
  mailTriedAt: Date | null
  completedModules: number
  completedCourses: number
  /** Whether something that was assigned is late, and whether something is due within a week. */
  isLate: boolean
  /** Whether something that was due in the last thirty days is late. */
  isLateBy30: boolean
  isDueSoon: boolean
}

const dayMs = 86_400_000
/** Somebody who logged in exactly ninety days ago is still active. */
const activeDays = 90

export function daysBefore(ctx: Pick<Ctx, 'now'>, days: number): Date {
  return new Date(ctx.now.getTime() - days * dayMs)
}

export function isInGroup(name: GroupName): RawBuilder<SqlBool> {
  return sql`exists (select from user_groups where user_groups.user_id = users.id and user_groups.name = ${name})`
}

/** SQL condition: the account belongs to the site and was not deleted. */
export function isOfSite(ctx: Pick<Ctx, 'site'>): RawBuilder<SqlBool> {
  return sql`(users.site_id = ${ctx.site.id} and users.erased_at is null)`
}

/** SQL conditions of the statuses (C-157). */
export function statusConditions(ctx: Pick<Ctx, 'now'>): Record<UserStatus, RawBuilder<SqlBool>> {
  const since = daysBefore(ctx, activeDays)
  return {
    active: sql`(users.is_active and users.last_login_at >= ${since})`,
    inactive: sql`(users.is_active and (users.last_login_at is null or users.last_login_at < ${since}))`,
    disabled: sql`(not users.is_active and not ${isInGroup('pending_users')})`,
    invited: sql`(not users.is_active and ${isInGroup('pending_users')})`,
  }
}

/** SQL conditions of the tabs (C-159, C-160). Somebody who is a learner and an admin is on both. `users_learners` is the index of learners. */
export const tabConditions: Record<UserTab, RawBuilder<SqlBool>> = {
  learners: sql`(users.is_active and users.is_learner)`,
  admins: sql`(users.is_active and ${isInGroup('admins')})`,
  pending: sql`not users.is_active`,
}

/** SQL condition on `work`, of `openDueWork`: it is late, late by up to thirty days, or due within seven days. */
export function isDue(ctx: Ctx, choice: 'late' | 'late30' | '7'): RawBuilder<SqlBool> {
  const today = dayOf(ctx.now, ctx.site.timeZone)
  if (choice === 'late') return sql`work.due_on < ${today}::date`
  if (choice === 'late30') {
    return sql`(work.due_on < ${today}::date and work.due_on >= ${daysFrom(today, -30)}::date)`
  }
  return sql`(work.due_on >= ${today}::date and work.due_on <= ${daysFrom(today, Number(choice))}::date)`
}

/** The latest invitation of each account, as `invitation`. */
export const invitationJoin = sql`
  left join lateral (
    select coalesce(last_attempted_send_at, created_at) as at, last_attempted_send_at as tried_at,
      case when accepted_at is not null then null when refused_at is not null then 'refused'
        when sent_at is not null and exists (
          select from mails where mails.site_id = invitations.site_id
            and mails.source = 'invitation:' || invitations.uid and mails.state = 'in_doubt') then 'in_doubt'
        when sent_at is not null then 'accepted' when failed_at is not null then 'failing'
        else 'waiting' end as mail_state
    from invitations
    where invitations.user_id = users.id order by id desc limit 1) invitation on true`

/** Reads the entries of these users, for admins, in the given order. Users who are not there are left out. */
export async function listUserEntries(ctx: Ctx, userUids: string[]): Promise<UserEntry[]> {
  requireAdmin(ctx)
  const uids = userUids.filter(isUid)
  if (uids.length === 0) return []
  const status = statusConditions(ctx)
  const { rows } = await sql<UserEntry>`
    select users.uid, coalesce(users.first_name, '') as "firstName", coalesce(users.last_name, '') as "lastName",
      coalesce(users.email, '') as email,
      case when ${status.active} then 'active' when users.is_active then 'inactive'
        when ${status.invited} then 'invited' else 'disabled' end as status,
      array(select name from user_groups where user_id = users.id order by name) as groups,
      case when universities.id is not null
        then jsonb_build_object('uid', universities.uid, 'name', universities.name) end as institution,
      case when access_plans.id is not null
        then jsonb_build_object('uid', access_plans.uid, 'name', access_plans.name) end as plan,
      subscriptions.type as "subscriptionType", subscriptions.valid_to as "validTo",
      users.joined_at as "joinedAt", users.last_login_at as "lastLoginAt",
      coalesce(invitation.at, users.created_at) as "invitedAt", invitation.mail_state as "mailState",
      invitation.tried_at as "mailTriedAt",
      coalesce(modules.completed, 0)::int as "completedModules", coalesce(courses.completed, 0)::int as "completedCourses",
      coalesce(due.late, false) as "isLate",
      coalesce(due.late30, false) as "isLateBy30", coalesce(due.soon, false) as "isDueSoon"
    from users
    left join universities on universities.id = users.university_id
    left join subscriptions on subscriptions.user_id = users.id
    left join access_plans on access_plans.id = subscriptions.access_plan_id
    ${invitationJoin}
    left join lateral (
      select count(completed_at) as completed from module_progress where user_id = users.id) modules on true
    left join lateral (
      select count(completed_at) as completed from course_progress where user_id = users.id) courses on true
    left join lateral (
      select bool_or(${isDue(ctx, 'late')}) as late, bool_or(${isDue(ctx, 'late30')}) as late30,
        bool_or(${isDue(ctx, '7')}) as soon
      from ${openDueWork(ctx)} work where work.user_id = users.id) due on true
    where users.uid = any(${uids}::uuid[]) and ${isOfSite(ctx)}
    order by array_position(${uids}::uuid[], users.uid)`.execute(ctx.db)
  return rows
}

/**
 * Counts the modules and courses that each of these users has completed, in one query. Others than admins get only their
 * own figures.
 */
export async function countCompletedUnits(
  ctx: Ctx,
  userUids: string[],
): Promise<Map<string, { numCompletedModules: number; numCompletedCourses: number }>> {
  requireActor(ctx)
  const uids = userUids.filter((uid) => isUid(uid) && (actsAsAdmin(ctx) || uid === ctx.viewer?.uid))
  if (uids.length === 0) return new Map()
  const { rows } = await sql<{ uid: string; modules: number; courses: number }>`
    select users.uid,
      (select count(completed_at)::int from module_progress where user_id = users.id) as modules,
      (select count(completed_at)::int from course_progress where user_id = users.id) as courses
    from users where users.uid = any(${uids}::uuid[]) and ${isOfSite(ctx)}`.execute(ctx.db)
  return new Map(
    rows.map(({ uid, modules, courses }) => [uid, { numCompletedModules: modules, numCompletedCourses: courses }]),
  )
}
