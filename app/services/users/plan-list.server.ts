/** Access plans with the number of their learners, and of those whose access ends soon. For admins. */
import { sql } from 'kysely'
import { type Ctx, requireAdmin } from '../context.ts'
import { daysBefore, isOfSite, tabConditions } from './table-entries.server.ts'

export type CountedPlan = {
  uid: string
  name: string
  isPublic: boolean
  isRetired: boolean
  /** Learners who have it, also those whose access has ended. The tab Learners filtered by the plan lists the same. */
  learners: number
  /** Of these, whose access has ended, and ends in so many days. The filter `expiry` finds the same. */
  ended: number
  in30: number
  in60: number
  in90: number
  /** How many modules, courses, lectures and videos are in it. */
  items: number
}

const mostPlans = 500

/** Lists the plans of the site by name, those that are offered first. */
export async function listCountedPlans(ctx: Ctx): Promise<CountedPlan[]> {
  requireAdmin(ctx)
  const endsBy = (days: number) =>
    sql`count(*) filter (where valid_to > ${ctx.now} and valid_to <= ${daysBefore(ctx, -days)})::int`
  const itemsOf = (table: string, item: string) =>
    sql`(select count(*)::int from ${sql.table(table)} own join ${sql.table(item)} item
      on item.id = own.${sql.ref(`${item.slice(0, -1)}_id`)} and item.deleted_at is null
      where own.access_plan_id = access_plans.id)`
  const { rows } = await sql<CountedPlan>`
    with counted as (
      select subscriptions.access_plan_id, count(*)::int as learners,
        count(*) filter (where valid_to <= ${ctx.now})::int as ended,
        ${endsBy(30)} as in30, ${endsBy(60)} as in60, ${endsBy(90)} as in90
      from subscriptions join users on users.id = subscriptions.user_id
      where ${isOfSite(ctx)} and ${tabConditions.learners} group by subscriptions.access_plan_id)
    select access_plans.uid, access_plans.name, access_plans.is_public as "isPublic",
      access_plans.retired_at is not null as "isRetired", coalesce(learners, 0) as learners, coalesce(ended, 0) as ended,
      coalesce(in30, 0) as in30, coalesce(in60, 0) as in60, coalesce(in90, 0) as in90,
      ${itemsOf('module_access_plans', 'modules')} + ${itemsOf('course_access_plans', 'courses')}
        + ${itemsOf('lecture_access_plans', 'lectures')} + ${itemsOf('video_access_plans', 'videos')} as items
    from access_plans left join counted on counted.access_plan_id = access_plans.id
    where access_plans.site_id = ${ctx.site.id}
    order by access_plans.retired_at is not null, access_plans.name limit ${mostPlans}`.execute(ctx.db)
  return rows
}
