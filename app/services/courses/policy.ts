/** What may be done to courses, as pure predicates. */
import { isStaffOf, type Viewer } from '../context.ts'

/** Admins and authors of the site. */
export function canEditCourses(viewer: Viewer | null, site: { id: number }): boolean {
  return isStaffOf(viewer, site)
}
