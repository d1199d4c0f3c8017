/** The stored state of a person's form. */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import type { Ctx, GroupName } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'

type Row = {
  id: number
  uid: string
  email: string
  firstName: string
  lastName: string
  isActive: boolean
  revision: number
  university: string
  groups: GroupName[]
  accessPlanUid: string
  subscriptionType: string
  validTo: Date | null
  durationDays: number | null
}

/** Reads a person of the site, and locks the account if something is to be written. Throws NotFound. */
export async function readUserState(ctx: Ctx, userUid: string, { isLocked }: { isLocked: boolean }) {
  if (!isUid(userUid)) throw new NotFound()
  const { rows } = await sql<Row>`
    select users.id, users.uid, users.email, coalesce(users.first_name, '') as "firstName",
      coalesce(users.last_name, '') as "lastName", users.is_active as "isActive", users.revision,
      coalesce(universities.name, '') as university,
      array(select name from user_groups where user_id = users.id order by name) as groups,
      coalesce(access_plans.uid::text, '') as "accessPlanUid", coalesce(subscriptions.type, '') as "subscriptionType",
      subscriptions.valid_to as "validTo", subscriptions.duration_days as "durationDays"
    from users
    left join universities on universities.id = users.university_id
    left join subscriptions on subscriptions.user_id = users.id
    left join access_plans on access_plans.id = subscriptions.access_plan_id
    where users.site_id = ${ctx.site.id} and users.uid = ${userUid} and users.erased_at is null
    ${isLocked ? sql`for update of users` : sql``}`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new NotFound('This user no longer exists.')
  const { id, uid, email, isActive, revision, groups, validTo, durationDays, ...texts } = row
  const isPending = groups.includes('pending_users')
  const days = isPending && durationDays !== null ? `days:${durationDays}` : 'none'
  const access = validTo ? `until:${validTo.toISOString()}` : days
  const state = {
    ...texts,
    groups: groups.filter((name): name is Exclude<GroupName, 'pending_users'> => name !== 'pending_users'),
    access,
  }
  return { id, uid, email, isActive, isPending, revision, state }
}

/** Finds an access plan of the site. Throws Invalid. */
export async function findPlan(
  ctx: Ctx,
  uid: string,
): Promise<{ id: number; uid: string; name: string; retired_at: Date | null }> {
  const plan = isUid(uid)
    ? await ctx.db
        .selectFrom('access_plans')
        .select(['id', 'uid', 'name', 'retired_at'])
        .where('site_id', '=', ctx.site.id)
        .where('uid', '=', uid)
        .executeTakeFirst()
    : undefined
  if (plan) return plan
  throw new Invalid('There is no such access plan on this site.', { accessPlanUid: 'No such access plan' })
}

/** Finds a plan that somebody is to have. A retired one is only for people who have it already. Throws Invalid. */
export async function findPlanToGive(ctx: Ctx, uid: string, had: { planId?: number; planUid?: string }) {
  const plan = await findPlan(ctx, uid)
  if (plan.retired_at === null || plan.id === had.planId || plan.uid === had.planUid) return plan
  throw planIsRetired()
}

export function planIsRetired(): Invalid {
  const problem = 'This access plan has been retired. Please choose another one.'
  return new Invalid(problem, { accessPlanUid: problem })
}
