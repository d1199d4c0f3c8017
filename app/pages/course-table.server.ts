/** The console's table of courses: one page, a short list in batches, the latest changes, and the filters' choices. */
import type { ContentRow } from '~/components/console/content-columns.tsx'
import type { FilterOption } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { listCourses } from '~/services/courses/courses.server.ts'
import {
  type CoursePageInput,
  describeCourseList,
  listCourseEntries,
  listCourseFilterChoices,
  listCoursePage,
  listCoursesChangedSince,
} from '~/services/courses/table.server.ts'
import { contentRowOf, filterOptionOf } from './content-table.server.ts'

type CourseTablePage = { rows: ContentRow[]; total: number; listed: number; state: string }

/** Reads one page of the table, for staff. */
export async function listCourseTablePage(ctx: Ctx, input: CoursePageInput): Promise<CourseTablePage> {
  const [{ items, total }, list] = await Promise.all([listCoursePage(ctx, input), describeCourseList(ctx)])
  return { rows: items.map((entry) => contentRowOf(ctx, entry)), total, ...list }
}

/** Reads the next hundred rows after the cursor, for staff. */
export async function listCourseTableBatch(
  ctx: Ctx,
  input: { after: string | null },
): Promise<{ rows: ContentRow[]; next: string | null }> {
  const { items, endCursor, hasNextPage } = await listCourses(ctx, { first: 100, after: input.after })
  const entries = await listCourseEntries(
    ctx,
    items.map(({ uid }) => uid),
  )
  return { rows: entries.map((entry) => contentRowOf(ctx, entry)), next: hasNextPage ? endCursor : null }
}

/** Reads the rows that changed since the list was in the given state, for staff. Null: read everything again. */
export async function listCourseTableChanges(
  ctx: Ctx,
  input: { state: string },
): Promise<{ rows: ContentRow[]; gone: string[] } | null> {
  const changes = await listCoursesChangedSince(ctx, input)
  return changes && { rows: changes.items.map((entry) => contentRowOf(ctx, entry)), gone: changes.goneUids }
}

/** Lists the choices of the filters, for staff, including those that the query has chosen. */
export async function listCourseFilterOptions(
  ctx: Ctx,
  input: Pick<CoursePageInput, 'filters' | 'search'> = {},
): Promise<{ group: FilterOption[]; author: FilterOption[] }> {
  const { plans, authors } = await listCourseFilterChoices(ctx, input)
  return { group: plans.map(filterOptionOf), author: authors.map(filterOptionOf) }
}
