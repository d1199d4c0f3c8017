/**
 * Progress of the viewer, or of somebody else, in courses. The percent is computed on read, over the modules of the
 * published version.
 */
import { type RawBuilder, sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { modulesOfVersion } from './course-modules.ts'
import { startedCourses } from './started-courses.ts'
import { mostRows, wholeAnswer } from './whole-answers.ts'

export type OwnCourseProgress = {
  courseUid: string
  courseName: string
  startedAt: Date
  /** The mean of its modules, rounded down, without deleted ones; 100 only if all modules are at 100. */
  percent: number
  versionUid: string | null
  version: number | null
}

/**
 * SQL for the percent of a course, in queries that join `courses`. `userId` is a number or a column. A query that uses
 * the percent twice selects it in a subquery with `offset 0`: without that, PostgreSQL computes it twice.
 */
export function percentOf(userId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce((
    select floor(avg(coalesce(done.progress_percent, 0)))::int
    from ${modulesOfVersion('courses.published_version_id', userId)} member
    left join module_progress done on done.module_id = member.id and done.user_id = ${userId}), 0)`
}

/**
 * Lists the courses that the viewer started, newest first, for `me { coursesProgress }`. Throws Invalid for more than
 * 5,000.
 */
export async function listOwnCoursesProgress(ctx: Ctx): Promise<OwnCourseProgress[]> {
  const viewer = requireViewer(ctx)
  const rows = await ctx.db
    .selectFrom(startedCourses(viewer.id).as('started'))
    .innerJoin('courses', 'courses.id', 'started.course_id')
    .leftJoin('course_versions', 'course_versions.id', 'courses.published_version_id')
    .select([
      'courses.uid as courseUid',
      'courses.name as courseName',
      'started.started_at as startedAt',
      'course_versions.uid as versionUid',
      'course_versions.version',
      percentOf(sql`${viewer.id}::bigint`).as('percent'),
    ])
    .where('courses.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('started.has_record', '=', true), isListed(ctx, 'courses')]))
    .orderBy('started.started_at', 'desc')
    .orderBy('started.course_id', 'desc')
    .limit(mostRows + 1)
    .execute()
  return wholeAnswer(rows)
}

/** `startedAt` is null if the viewer has not started the course. */
export type CourseState = { percent: number; startedAt: Date | null; completedAt: Date | null }

/** Returns the viewer's state in each course by uid, for cards, with a single query. */
export async function findOwnCourseStates(
  ctx: Ctx,
  input: { courseUids: string[] },
): Promise<Map<string, CourseState>> {
  const viewer = requireViewer(ctx)
  if (input.courseUids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('courses')
    .leftJoin(startedCourses(viewer.id).as('started'), 'started.course_id', 'courses.id')
    .select([
      'courses.uid',
      'started.started_at as startedAt',
      'started.completed_at as completedAt',
      percentOf(sql`${viewer.id}::bigint`).as('percent'),
    ])
    .where('courses.uid', 'in', input.courseUids)
    .where('courses.site_id', '=', ctx.site.id)
    .execute()
  return new Map(rows.map(({ uid, ...state }) => [uid, state]))
}

/**
 * Records that the viewer opened a course, through one of its modules from its page. Does nothing if the viewer may not
 * open the course, or if the module is not in it.
 */
export async function recordCourseStart(
  ctx: Ctx,
  input: { courseUid: string; moduleVersionUid: string },
): Promise<void> {
  const viewer = requireViewer(ctx, 'write')
  if (!isUid(input.courseUid) || !isUid(input.moduleVersionUid)) return
  await ctx.db
    .insertInto('course_progress')
    .columns(['user_id', 'course_id', 'site_id', 'started_at'])
    .expression((eb) =>
      eb
        .selectFrom('courses')
        .select([sql<number>`${viewer.id}::bigint`.as('user_id'), 'courses.id', 'courses.site_id'])
        .select(sql<Date>`${ctx.now}::timestamptz`.as('started_at'))
        .where('courses.uid', '=', input.courseUid)
        .where(isOpenable(ctx, 'courses'))
        .where(
          sql<boolean>`exists (
            select from course_chapters chapter
            join course_chapter_modules spot on spot.chapter_id = chapter.id
            join module_versions version on version.module_id = spot.module_id
            where chapter.version_id = courses.published_version_id and version.uid = ${input.moduleVersionUid})`,
        ),
    )
    .onConflict((oc) => oc.columns(['user_id', 'course_id']).doNothing())
    .execute()
}
