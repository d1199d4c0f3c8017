/**
 * Courses: modules in sections and chapters. The contents of a course are versioned; its texts, pictures and plans are
 * not.
 */
import { sql } from 'kysely'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed, isOpenable, seesDrafts } from '../access/access.server.ts'
import { type Ctx, requireStaff, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { type PageInput, parsePage } from '../paging.ts'

export type Course = {
  uid: string
  name: string
  description: string
  synopsis: string
  learningObjectives: string[]
  coverImgDesc: string
  /** The author's figure. */
  durationMinutes: number | null
  addToHomepage: boolean
  showsTerms: boolean
  /** The latest version for staff, the published version for everybody else. */
  currentVersionUid: string | null
  updatedAt: Date
}

type CourseRow = Course & { id: number }

function selectCourses(ctx: Ctx) {
  const current = seesDrafts(ctx) ? 'courses.latest_version_id' : 'courses.published_version_id'
  return ctx.db
    .selectFrom('courses')
    .leftJoin('course_versions as current', (join) => join.on(sql<boolean>`current.id = ${sql.ref(current)}`))
    .select([
      'courses.id',
      'courses.uid',
      'courses.name',
      'courses.description',
      'courses.synopsis',
      'courses.learning_objectives as learningObjectives',
      'courses.cover_img_desc as coverImgDesc',
      'courses.duration_minutes as durationMinutes',
      'courses.add_to_homepage as addToHomepage',
      'courses.shows_terms as showsTerms',
      'current.uid as currentVersionUid',
      'courses.updated_at as updatedAt',
    ])
}

function toCourse({ id: _, ...course }: CourseRow): Course {
  return course
}

export async function getCourse(ctx: Ctx, input: { courseUid: string }): Promise<Course> {
  const row = isUid(input.courseUid)
    ? await selectCourses(ctx)
        .where('courses.uid', '=', input.courseUid)
        .where(isListed(ctx, 'courses'))
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  return toCourse(row)
}

/** Returns the given courses that the viewer may see, by uid. */
export async function listCoursesByUid(ctx: Ctx, courseUids: string[]): Promise<Map<string, Course>> {
  const uids = courseUids.filter(isUid)
  if (uids.length === 0) return new Map()
  const rows = await selectCourses(ctx).where('courses.uid', 'in', uids).where(isListed(ctx, 'courses')).execute()
  return new Map(rows.map((row) => [row.uid, toCourse(row)]))
}

/** Lists the courses that the viewer may see, by name. */
export async function listCourses(ctx: Ctx, input: PageInput = {}): Promise<Page<Course>> {
  requireViewer(ctx)
  const page = parsePage('courses', input)
  const { first, after } = page
  let query = selectCourses(ctx)
    .where(isListed(ctx, 'courses'))
    .orderBy('courses.name')
    .orderBy('courses.id')
    .limit(first + 1)
  if (after) query = query.where(sql<boolean>`(courses.name, courses.id) > (${after.name}, ${after.id})`)
  return pageByName(page, await query.execute(), toCourse)
}

/** Counts all courses that `listCourses` returns. */
export async function countCourses(ctx: Ctx): Promise<number> {
  const row = await ctx.db
    .selectFrom('courses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isListed(ctx, 'courses'))
    .executeTakeFirstOrThrow()
  return row.count
}

export type CatalogItem = { uid: string; rank: number; course: Course }

/** Lists the catalog in its order: published courses in a plan of the viewer; for staff, those of every plan. */
export async function listCatalog(ctx: Ctx, input: PageInput = {}): Promise<Page<CatalogItem>> {
  requireViewer(ctx)
  const page = parsePage('catalogue', input)
  const { first, after } = page
  let query = selectCourses(ctx)
    .innerJoin('course_catalog_items as item', 'item.course_id', 'courses.id')
    .select(['item.uid as itemUid', 'item.rank', 'item.id as itemId'])
    .where(isOpenable(ctx, 'courses'))
    .orderBy('item.rank')
    .orderBy('item.id')
    .limit(first + 1)
  if (after) {
    // A cursor contains a text and a number: here the rank and the id of the item.
    const rank = Number(after.name)
    query = query.where(
      sql<boolean>`(item.rank::bigint, item.id) > (${Number.isSafeInteger(rank) ? rank : 0}::bigint, ${after.id})`,
    )
  }
  const rows = await query.execute()
  return pageByName(
    page,
    rows.map((row) => ({ ...row, name: String(row.rank), id: row.itemId, course: row })),
    ({ itemUid, rank, course: { itemUid: _uid, rank: _rank, itemId: _id, ...course } }) => ({
      uid: itemUid,
      rank,
      course: toCourse(course),
    }),
  )
}

export async function countCatalog(ctx: Ctx): Promise<number> {
  const row = await ctx.db
    .selectFrom('courses')
    .innerJoin('course_catalog_items', 'course_catalog_items.course_id', 'courses.id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isOpenable(ctx, 'courses'))
    .executeTakeFirstOrThrow()
  return row.count
}

const maxItems = 1000

/** Lists courses whose latest version contains the module, by name, for staff. */
export async function listCoursesWithModule(
  ctx: Ctx,
  input: { moduleUid: string },
): Promise<{ uid: string; name: string }[]> {
  requireStaff(ctx)
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
    .limit(maxItems)
    .execute()
}
