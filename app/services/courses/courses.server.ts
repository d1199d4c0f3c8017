/** Courses: modules in sections and chapters. What is in a course is versioned; its texts, pictures and plans are not. */
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { requireThat } from '../errors.ts'
import { canEditCourses } from './policy.ts'

const most = 1000

/** Courses whose newest version holds the module, by name; for admins and authors. */
export async function listCoursesWithModule(
  ctx: Ctx,
  input: { moduleUid: string },
): Promise<{ uid: string; name: string }[]> {
  requireViewer(ctx)
  requireThat(canEditCourses(ctx.viewer, ctx.site))
  if (!isUid(input.moduleUid)) return []
  return await ctx.db
    .selectFrom('courses')
    .select(['courses.uid', 'courses.name'])
    .where('courses.site_id', '=', ctx.site.id)
    .where('courses.deleted_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('course_chapter_modules')
          .innerJoin('course_chapters', 'course_chapters.id', 'course_chapter_modules.chapter_id')
          .innerJoin('modules', 'modules.id', 'course_chapter_modules.module_id')
          .whereRef('course_chapters.version_id', '=', 'courses.latest_version_id')
          .where('modules.uid', '=', input.moduleUid)
          .select('modules.id'),
      ),
    )
    .orderBy('courses.name')
    .orderBy('courses.id')
    .limit(most)
    .execute()
}
