import { sql } from 'kysely'
import { type Ctx, requireViewer } from '../context.ts'
import { modulesOfVersion } from './course-modules.ts'

export type OwnCourseProgress = {
  courseUid: string
  courseName: string
  startedAt: Date
  /** The floor of the mean of its modules, deleted ones left out; 100 only when all are (design, section 8). */
  percent: number
  versionUid: string | null
  version: number | null
}

/** The courses that the viewer started, newest first; for `me { coursesProgress }`. */
export async function listOwnCoursesProgress(ctx: Ctx): Promise<OwnCourseProgress[]> {
  const viewer = requireViewer(ctx)
  return ctx.db
    .selectFrom('course_progress')
    .innerJoin('courses', 'courses.id', 'course_progress.course_id')
    .leftJoin('course_versions', 'course_versions.id', 'courses.published_version_id')
    .select([
      'courses.uid as courseUid',
      'courses.name as courseName',
      'course_progress.started_at as startedAt',
      'course_versions.uid as versionUid',
      'course_versions.version',
      sql<number>`coalesce((
        select floor(avg(coalesce(p.progress_percent, 0)))
        from ${modulesOfVersion('courses.published_version_id')} member
        left join module_progress p on p.module_id = member.id and p.user_id = course_progress.user_id), 0)`.as(
        'percent',
      ),
    ])
    .where('course_progress.user_id', '=', viewer.id)
    .where('courses.deleted_at', 'is', null)
    .orderBy('course_progress.started_at', 'desc')
    .limit(1000)
    .execute()
}
