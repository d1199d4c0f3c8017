import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isForPerson, isShownOnceStarted } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'

type StartedCourse = {
  course_id: number
  /** When the course was opened or the first of its modules was begun, whichever came first. */
  started_at: Date
  completed_at: Date | null
  /** True if the course itself has a record; false if only one of its modules was begun. */
  has_record: boolean
}

/**
 * Selects the courses that a person has started, each once. A course is started when a module of its published version
 * was begun, here or elsewhere, or when a module was opened from the course. Cards, pages, lists and totals use this.
 */
export function startedCourses(userId: number | RawBuilder<unknown>): RawBuilder<StartedCourse> {
  return sql`(
    select course_id, min(started_at) as started_at, max(completed_at) as completed_at, bool_or(is_record) as has_record
    from (
      select course_id, started_at, completed_at, true as is_record from course_progress where user_id = ${userId}
      union all
      select course.id, begun.started_at, null, false
      from module_progress begun
      join modules module on module.id = begun.module_id and module.deleted_at is null
      join course_chapter_modules spot on spot.module_id = begun.module_id
      join course_chapters chapter on chapter.id = spot.chapter_id
      join courses course on course.published_version_id = chapter.version_id
      where begun.user_id = ${userId}) start
    group by course_id)`
}

/** SQL array: the ids of the modules with which one of these courses is started. `courseIds` is such an array, too. */
export function modulesThatStart(courseIds: RawBuilder<unknown>): RawBuilder<number[]> {
  return sql`array(
    select spot.module_id
    from courses course
    join course_chapters chapter on chapter.version_id = course.published_version_id
    join course_chapter_modules spot on spot.chapter_id = chapter.id
    join modules module on module.id = spot.module_id and module.deleted_at is null
    where course.id = any(${courseIds}))`
}

/**
 * SQL condition for queries that join `courses` and the viewer's started course as `p`: My Learning shows it. A course
 * that only shares a module with the viewer's own must be part of the viewer's access, even if that has ended.
 */
export function isStartedCourseShown(ctx: Ctx): RawBuilder<SqlBool> {
  const { id } = requireViewer(ctx)
  return sql`(${isShownOnceStarted(ctx, 'courses')} and (p.has_record or ${isForPerson('courses', sql`${id}::bigint`)}))`
}
