/**
 * What the removal of content would mean for people and for other content. Erased people are not counted: nobody would
 * miss anything.
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { isForPerson, stillHasAccess } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { modulesOfVersion } from '../progress/progress.server.ts'

export type CourseConsequences = {
  /** Learners who can open the course, have started it or one of its modules, and have not completed it. */
  inProgress: number
  completed: number
  assignments: number
  favorites: number
}

/**
 * Counts whom the removal of a course, or a new version of it, concerns. For staff. Takes one query. A course counts as
 * completed as in My Learning: there is a record of it, or all its modules are at 100 percent. Which modules count
 * depends on the plan and on being staff only, so they are found once for all people who share these. Whoever cannot open
 * the course loses nothing, and counts only with a record of having completed it.
 */
export async function countConsequencesOfCourse(ctx: Ctx, input: { courseUid: string }): Promise<CourseConsequences> {
  requireStaff(ctx)
  const none = { inProgress: 0, completed: 0, assignments: 0, favorites: 0 }
  if (!isUid(input.courseUid)) return none
  const canOpen = sql`(${isForPerson('courses', sql.ref('users.id'))} and ${stillHasAccess(ctx.now)})`
  const { rows } = await sql<CourseConsequences>`
    with course as (
      select id, published_version_id, deleted_at from courses where uid = ${input.courseUid} and site_id = ${ctx.site.id}),
    begun as (
      select user_id from course_progress join course on course.id = course_progress.course_id
      union
      select module_progress.user_id
      from course
      join course_chapters chapter on chapter.version_id = course.published_version_id
      join course_chapter_modules spot on spot.chapter_id = chapter.id
      join module_progress on module_progress.module_id = spot.module_id),
    people as materialized (
      select begun.user_id, record.completed_at is not null as has_completed, ${canOpen} as can_open,
        coalesce(subscription.access_plan_id, 0) as plan_id, staff.user_id is not null as is_staff
      from begun
      join users on users.id = begun.user_id and users.erased_at is null
      cross join course courses
      left join course_progress record on record.user_id = begun.user_id and record.course_id = courses.id
      left join subscriptions subscription on subscription.user_id = begun.user_id
      left join (select distinct user_id from user_groups where name in ('admins', 'authors')) staff
        on staff.user_id = begun.user_id),
    audience as (select plan_id, is_staff, min(user_id) as example from people group by plan_id, is_staff),
    part as materialized (
      select audience.plan_id, audience.is_staff, member.id as module_id,
        count(*) over (partition by audience.plan_id, audience.is_staff) as parts
      from course courses
      cross join audience
      cross join lateral ${modulesOfVersion('courses.published_version_id', sql`audience.example`)} member),
    done as materialized (
      select people.user_id, people.plan_id, people.is_staff, record.module_id
      from (select distinct module_id from part) counted
      join module_progress record on record.module_id = counted.module_id and record.progress_percent = 100
      join people on people.user_id = record.user_id),
    finished as (
      select done.user_id
      from done
      join part on part.module_id = done.module_id and part.plan_id = done.plan_id and part.is_staff = done.is_staff
      group by done.user_id, part.parts
      having count(*) = part.parts),
    outcome as (
      select has_completed or finished.user_id is not null as is_done
      from people
      left join finished on finished.user_id = people.user_id
      where has_completed or can_open)
    select
      (select count(*)::int from outcome where not is_done) as "inProgress",
      (select count(*)::int from outcome where is_done) as completed,
      (select count(*)::int from course_assignments join course on course.id = course_assignments.course_id)
        as assignments,
      (select count(*)::int from favorites join course courses on courses.id = favorites.course_id
        join users on users.id = favorites.user_id and ${canOpen}) as favorites`.execute(ctx.db)
  return rows[0] ?? none
}

export type FilmConsequences = Omit<CourseConsequences, 'assignments'>

/** Counts whom the removal of a lecture or video concerns. For staff. */
export async function countConsequencesOfFilm(
  ctx: Ctx,
  input: { kind: 'lecture' | 'video'; uid: string },
): Promise<FilmConsequences> {
  requireStaff(ctx)
  const none = { inProgress: 0, completed: 0, favorites: 0 }
  if (!isUid(input.uid)) return none
  const id = sql.ref(`${input.kind}_id`)
  const { rows } = await sql<FilmConsequences>`
    with film as (
      select id from ${sql.table(`${input.kind}s`)} where uid = ${input.uid} and site_id = ${ctx.site.id})
    select
      count(*) filter (where progress.completed_at is null)::int as "inProgress",
      count(*) filter (where progress.completed_at is not null)::int as completed,
      (select count(*)::int from favorites join film on film.id = favorites.${id}) as favorites
    from film
    join ${sql.table(`${input.kind}_progress`)} progress on progress.${id} = film.id
    join users on users.id = progress.user_id and users.erased_at is null`.execute(ctx.db)
  return rows[0] ?? none
}

/** `countPeopleInModule` of cmi5 counts those who are in the middle of it. */
export type ModuleConsequences = {
  completed: number
  assignments: number
  favorites: number
  /** The courses whose latest or published version contains it. */
  courses: number
}

/** Counts whom and what the removal of a module concerns. For staff. Takes one query. */
export async function countConsequencesOfModule(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleConsequences> {
  requireStaff(ctx)
  const none = { completed: 0, assignments: 0, favorites: 0, courses: 0 }
  if (!isUid(input.moduleUid)) return none
  const { rows } = await sql<ModuleConsequences>`
    with module as (select id from modules where uid = ${input.moduleUid} and site_id = ${ctx.site.id})
    select
      (select count(*)::int
        from module_progress record
        join module on module.id = record.module_id
        join users on users.id = record.user_id and users.erased_at is null
        where record.completed_at is not null) as completed,
      (select count(*)::int from module_assignments join module on module.id = module_assignments.module_id)
        as assignments,
      (select count(*)::int from favorites join module on module.id = favorites.module_id) as favorites,
      (select count(distinct courses.id)::int
        from module
        join course_chapter_modules spot on spot.module_id = module.id
        join course_chapters chapter on chapter.id = spot.chapter_id
        join courses on chapter.version_id in (courses.latest_version_id, courses.published_version_id)
        where courses.deleted_at is null) as courses`.execute(ctx.db)
  return rows[0] ?? none
}
