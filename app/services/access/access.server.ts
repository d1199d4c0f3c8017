/**
 * What a viewer may see, for all kinds of content. Lists, lookups, searches and counts use the same SQL fragments and
 * therefore agree.
 *
 * Learners see content of their site that is published, not deleted, and in their plan while it is valid. Coming Soon
 * items are listed but cannot be opened. What a learner has started stays in the learner's own lists, with its results,
 * when the plan no longer includes it or has ended. An assignment grants no access. Admins, authors and the operator see
 * everything on the site that is not deleted. Nobody else sees anything. A feature that the site has switched off is
 * hidden everywhere except in the console for staff.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { actsAsStaff, type Ctx } from '../context.ts'
import type { FlagName } from '../sites/sites.server.ts'
import { isSwitchedOn } from './flags.server.ts'

export type ContentKind = 'modules' | 'courses' | 'lectures' | 'videos'

type Shape = {
  plans: string
  owner: string
  published: RawBuilder<SqlBool>
  comingSoon: RawBuilder<SqlBool> | null
  /** The flag that must be on for this content to be visible. */
  flag?: FlagName
}

const shapes: Record<ContentKind, Shape> = {
  modules: {
    plans: 'module_access_plans',
    owner: 'module_id',
    published: sql`modules.published_version_id is not null`,
    comingSoon: sql`modules.coming_soon`,
  },
  courses: {
    plans: 'course_access_plans',
    owner: 'course_id',
    published: sql`courses.published_version_id is not null`,
    comingSoon: null,
  },
  lectures: {
    plans: 'lecture_access_plans',
    owner: 'lecture_id',
    published: sql`lectures.status = 'published'`,
    comingSoon: sql`lectures.coming_soon`,
    flag: 'LECTURES',
  },
  videos: {
    plans: 'video_access_plans',
    owner: 'video_id',
    published: sql`videos.status = 'published'`,
    comingSoon: null,
  },
}

/** SQL condition: the content may be listed and viewed. The query must select from the table under its own name. */
export function isListed(ctx: Ctx, kind: ContentKind): RawBuilder<SqlBool> {
  if (seesDrafts(ctx)) return sql<SqlBool>`(${isOfSite(ctx, kind)} and ${isFeatureOn(ctx, kind)})`
  return sql<SqlBool>`(${isOfSite(ctx, kind)} and ${isAnnounced(kind)} and ${isInOwnPlan(ctx, kind)} and ${isFeatureOn(ctx, kind)})`
}

/**
 * SQL condition for lists of what the viewer has started: published content, whether the plan includes it or not. Such a
 * list shows names and results, and `isListed` says which items lead somewhere.
 */
export function isShownOnceStarted(ctx: Ctx, kind: ContentKind): RawBuilder<SqlBool> {
  if (seesDrafts(ctx)) return isListed(ctx, kind)
  return sql<SqlBool>`(${isOfSite(ctx, kind)} and ${isAnnounced(kind)} and ${isFeatureOn(ctx, kind)})`
}

/** Like `isListed`, for the console, where staff also work on features that are switched off. */
export function isManaged(ctx: Ctx, kind: ContentKind): RawBuilder<SqlBool> {
  return seesDrafts(ctx) ? isOfSite(ctx, kind) : isListed(ctx, kind)
}

/** SQL condition: a learner may open the content. Staff open drafts by previewing them. */
export function isOpenable(ctx: Ctx, kind: ContentKind): RawBuilder<SqlBool> {
  const { published, comingSoon } = shapes[kind]
  const open = comingSoon ? sql<SqlBool>`(${published} and not ${comingSoon})` : published
  const own = seesDrafts(ctx) ? sql<SqlBool>`true` : isInOwnPlan(ctx, kind)
  return sql<SqlBool>`(${isOfSite(ctx, kind)} and ${open} and ${own} and ${isFeatureOn(ctx, kind)})`
}

/**
 * SQL condition for any person of the site: the content is open for learners, and the person's subscription includes it,
 * whether it is still valid or has ended. It includes everything that is open for staff.
 */
export function isForPerson(kind: ContentKind, userId: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const { plans, owner, published, comingSoon } = shapes[kind]
  const open = comingSoon ? sql<SqlBool>`${published} and not ${comingSoon}` : published
  return sql<SqlBool>`(${sql.ref(`${kind}.deleted_at`)} is null and ${open} and (
    exists (
      select from subscriptions own_subscription
      join ${sql.table(plans)} own_plan on own_plan.access_plan_id = own_subscription.access_plan_id
      where own_subscription.user_id = ${userId} and own_plan.${sql.ref(owner)} = ${sql.ref(`${kind}.id`)})
    or exists (select from user_groups where user_id = ${userId} and name in ('admins', 'authors'))))`
}

/** SQL condition: the film may be played. It can be opened, staff preview it, or a preview link shows it. */
export function isPlayable(ctx: Ctx, kind: 'lectures' | 'videos'): RawBuilder<SqlBool> {
  if (seesDrafts(ctx)) return isListed(ctx, kind)
  const uids = (ctx.previewed ?? []).flatMap((item) => (item.kind === kind ? [item.uid] : []))
  if (uids.length === 0) return isOpenable(ctx, kind)
  const isPreviewed = sql<SqlBool>`(${isOfSite(ctx, kind)} and ${sql.ref(`${kind}.uid`)} = any(${uids}::uuid[]))`
  return sql<SqlBool>`(${isOpenable(ctx, kind)} or ${isPreviewed})`
}

/**
 * SQL condition on `users`: the account is open, and its plan is valid or it is staff. For work that began with access
 * and ends with it, whoever asks. Staff need no plan.
 */
export function stillHasAccess(now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`(users.is_active and users.erased_at is null and (
    exists (select from user_groups staff where staff.user_id = users.id and staff.name in ('admins', 'authors'))
    or exists (
      select from subscriptions plan where plan.user_id = users.id
        and (plan.valid_from is null or plan.valid_from <= ${now}) and (plan.valid_to is null or plan.valid_to > ${now}))))`
}

/** The parts of `isOpenable` for learners, one by one, to explain what it says. */
export function accessParts(
  ctx: Ctx,
  kind: ContentKind,
): Record<'isPublished' | 'isComingSoon' | 'isFeatureOn', RawBuilder<SqlBool>> {
  const { published, comingSoon } = shapes[kind]
  return { isPublished: published, isComingSoon: comingSoon ?? sql`false`, isFeatureOn: isFeatureOn(ctx, kind) }
}

/** SQL: the names of the plans that include the content, as an array. */
export function namesOfPlansWith(kind: ContentKind): RawBuilder<string[]> {
  const { plans, owner } = shapes[kind]
  return sql`array(
    select access_plans.name::text from ${sql.table(plans)} own_plan
    join access_plans on access_plans.id = own_plan.access_plan_id
    where own_plan.${sql.ref(owner)} = ${sql.ref(`${kind}.id`)} order by access_plans.name)`
}

/** Tells whether the viewer sees drafts, authors and packages, as staff and the operator do. */
export function seesDrafts(ctx: Ctx): boolean {
  return actsAsStaff(ctx)
}

/** Published, or listed as Coming Soon. */
function isAnnounced(kind: ContentKind): RawBuilder<SqlBool> {
  const { published, comingSoon } = shapes[kind]
  return comingSoon ? sql`(${published} or ${comingSoon})` : published
}

function isOfSite(ctx: Ctx, kind: ContentKind): RawBuilder<SqlBool> {
  return sql`(${sql.ref(`${kind}.site_id`)} = ${ctx.site.id} and ${sql.ref(`${kind}.deleted_at`)} is null)`
}

function isFeatureOn(ctx: Ctx, kind: ContentKind): RawBuilder<SqlBool> {
  const { flag } = shapes[kind]
  return flag ? isSwitchedOn(ctx, flag) : sql`true`
}

function isInOwnPlan(ctx: Ctx, kind: ContentKind): RawBuilder<SqlBool> {
  const planId = ctx.viewer?.siteId === ctx.site.id ? ctx.viewer.planId : null
  if (planId === null) return sql`false`
  const { plans, owner } = shapes[kind]
  return sql`exists (
    select from ${sql.table(plans)} own_plan
    where own_plan.${sql.ref(owner)} = ${sql.ref(`${kind}.id`)} and own_plan.access_plan_id = ${planId})`
}
