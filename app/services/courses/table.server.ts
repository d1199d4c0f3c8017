/** Courses for the console's table: one page, searched, filtered and sorted in the database. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type CourseSort, type CourseStatus, courseStates, coursesTable } from '~/forms/course-tables.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import {
  anyOf,
  authorChoices,
  type ContentEntry,
  contentEntryColumns,
  contentEntryJoins,
  describeList,
  type FilterChoice,
  hasPlan,
  listChangedSince,
  nameOrTagHolds,
  planChoices,
} from '../access/content-tables.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { limitsOfPage } from '../paging.ts'

export type CoursePageInput = Partial<Omit<TableQuery, 'columns'>>

/** Lists one page of courses, for staff. A page after the last one is empty. */
export async function listCoursePage(
  ctx: Ctx,
  input: CoursePageInput,
): Promise<{ items: ContentEntry[]; total: number }> {
  requireStaff(ctx)
  const matches = conditionOf(input)
  if (!matches) return { items: [], total: 0 }
  const [uids, { count }] = await Promise.all([
    findUids(ctx, input, matches),
    ctx.db
      .selectFrom('courses')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(isListed(ctx, 'courses'))
      .where(matches)
      .executeTakeFirstOrThrow(),
  ])
  return { items: await listCourseEntries(ctx, uids), total: count }
}

/** Finds the uids of a page. Their details are read separately, so that only these courses are joined to other tables. */
async function findUids(ctx: Ctx, input: CoursePageInput, matches: RawBuilder<SqlBool>): Promise<string[]> {
  const sort = coursesTable.sorts.find((known) => known === input.sort) ?? 'name'
  const { limit, offset } = limitsOfPage(input)
  const rows = await ctx.db
    .selectFrom('courses')
    .leftJoin('course_versions as latest', 'latest.id', 'courses.latest_version_id')
    .leftJoin('users as author', 'author.id', 'latest.author_id')
    .select('courses.uid')
    .where(isListed(ctx, 'courses'))
    .where(matches)
    .orderBy(sortKeys[sort], (order) => (input.isDescending ? order.desc() : order.asc()).nullsLast())
    .orderBy('courses.name_key')
    .orderBy('courses.id')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ uid }) => uid)
}

/** One sort key for each column. PostgreSQL leaves out the joins that the chosen key does not need. */
const sortKeys: Record<CourseSort, RawBuilder<unknown>> = {
  name: sql`courses.name_key`,
  status: sql`coalesce(courses.published_version_id = courses.latest_version_id, false)`,
  author: sql`author.name_key`,
  version: sql`latest.version`,
  updated: sql`courses.updated_at`,
}

/** Builds the condition of a search. Returns null if nothing can match. */
function conditionOf({ search = '', filters = {} }: CoursePageInput): RawBuilder<SqlBool> | null {
  const found = nameOrTagHolds('courses', search)
  if (!found) return null
  const conditions: RawBuilder<SqlBool>[] = [found]
  const states = (filters.status ?? []).filter((state) => courseStates.includes(state as CourseStatus))
  if (states.length > 0) conditions.push(anyOf(states.map((state) => stateConditions[state as CourseStatus])))
  if (filters.group) conditions.push(hasPlan('courses', filters.group))
  if (filters.author) conditions.push(isBy(filters.author.filter(isUid)))
  return sql`${sql.join(conditions, sql` and `)}`
}

const stateConditions: Record<CourseStatus, RawBuilder<SqlBool>> = {
  draft: sql`courses.published_version_id is distinct from courses.latest_version_id`,
  published: sql`courses.published_version_id = courses.latest_version_id`,
  behind: sql`courses.published_version_id <> courses.latest_version_id`,
}

function isBy(uids: string[]): RawBuilder<SqlBool> {
  return sql`courses.latest_version_id in (
    select course_versions.id from users join course_versions on course_versions.author_id = users.id
    where users.uid = any(${uids}::uuid[]))`
}

/** Reads the entries of these courses, for staff, in the given order. Courses that are not listed are left out. */
export async function listCourseEntries(ctx: Ctx, courseUids: string[]): Promise<ContentEntry[]> {
  requireStaff(ctx)
  if (courseUids.length === 0) return []
  const { rows } = await sql<ContentEntry>`
    select ${contentEntryColumns('courses')} from courses ${contentEntryJoins('courses')}
    where courses.uid = any(${courseUids}::uuid[]) and ${isListed(ctx, 'courses')}
    order by array_position(${courseUids}::uuid[], courses.uid)`.execute(ctx.db)
  return rows
}

/** Describes the whole list, for staff: see `describeList`. */
export async function describeCourseList(ctx: Ctx): Promise<{ listed: number; state: string }> {
  requireStaff(ctx)
  return describeList(ctx, 'courses')
}

/** Reads what changed in the list since the given state, for staff. Returns null if too much changed. */
export async function listCoursesChangedSince(
  ctx: Ctx,
  input: { state: string },
): Promise<{ items: ContentEntry[]; goneUids: string[] } | null> {
  requireStaff(ctx)
  const changes = await listChangedSince(ctx, 'courses', input)
  return changes && { items: await listCourseEntries(ctx, changes.uids), goneUids: changes.goneUids }
}

type CourseFilterChoices = Record<'plans' | 'authors', FilterChoice[]>

/** Lists the values that the table can be filtered by, for staff, first those that `filters` has chosen. */
export async function listCourseFilterChoices(
  ctx: Ctx,
  { search, filters = {} }: Pick<CoursePageInput, 'search' | 'filters'> = {},
): Promise<CourseFilterChoices> {
  requireStaff(ctx)
  const { rows } = await sql<CourseFilterChoices>`
    select ${planChoices(ctx, { search, chosen: filters.group })} as plans,
      ${authorChoices(ctx, 'course_versions', { search, chosen: filters.author })} as authors`.execute(ctx.db)
  return rows[0] ?? { plans: [], authors: [] }
}
