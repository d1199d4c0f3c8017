/** The curated list of courses: published courses in the order in which learners see them. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { catalogForm, mostInCatalog } from '~/forms/catalog.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { findActorOf, recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { limitsOfPage } from '../paging.ts'
import { isFoundWhere, searchKeyOf } from '../search-conditions.server.ts'
import { lockCatalog } from './writes.server.ts'

const updated = 'catalog.updated'

export type ListedCourse = { uid: string; name: string; isPublished: boolean }

/** Lists the whole catalog in its order, whatever plans its courses have. For admins. */
export async function listCatalogCourses(ctx: Ctx): Promise<ListedCourse[]> {
  requireAdmin(ctx)
  return await selectListed(ctx)
    .innerJoin('course_catalog_items as item', 'item.course_id', 'courses.id')
    .orderBy('item.rank')
    .orderBy('item.id')
    .limit(mostInCatalog)
    .execute()
}

/** Finds courses of the site by uid, also drafts. For admins. */
export async function findCoursesToList(ctx: Ctx, courseUids: string[]): Promise<Map<string, ListedCourse>> {
  requireAdmin(ctx)
  const uids = courseUids.filter(isUid)
  if (uids.length === 0) return new Map()
  const rows = await selectListed(ctx).where('courses.uid', 'in', uids).execute()
  return new Map(rows.map((row) => [row.uid, row]))
}

/**
 * Lists a page of the courses of the site, also drafts, found by name or tag. Those that can be added come first, by
 * name. For admins.
 */
export async function listCoursesToPick(
  ctx: Ctx,
  input: { search: string; page: number; size: number },
): Promise<{ items: ListedCourse[]; total: number }> {
  requireAdmin(ctx)
  const { limit, offset } = limitsOfPage(input)
  const isClosed = sql`courses.published_version_id is null
    or exists (select from course_catalog_items item where item.course_id = courses.id)`
  const rows = await selectFound(ctx, input.search)
    .clearOrderBy()
    .orderBy(isClosed)
    .orderBy('courses.name')
    .orderBy('courses.id')
    .select(sql<number>`count(*) over ()::int`.as('total'))
    .limit(limit)
    .offset(offset)
    .execute()
  return { items: rows.map(({ total: _, ...course }) => course), total: rows[0]?.total ?? 0 }
}

/** Lists the first `most` published courses that are found by name or tag, by name. For admins. */
export async function listPublishedCourses(ctx: Ctx, input: { search: string; most: number }): Promise<ListedCourse[]> {
  requireAdmin(ctx)
  return await selectFound(ctx, input.search)
    .where('courses.published_version_id', 'is not', null)
    .limit(input.most)
    .execute()
}

function selectFound(ctx: Ctx, search: string) {
  return selectListed(ctx)
    .where(
      isFoundWhere(
        search,
        (holds) => sql`(${holds(sql`courses.search_key`)} or exists (
          select from course_tags own join tags on tags.id = own.tag_id
          where own.course_id = courses.id and ${holds(searchKeyOf(sql`tags.text`))}))`,
      ),
    )
    .orderBy('courses.name')
    .orderBy('courses.id')
}

function selectListed(ctx: Ctx) {
  return ctx.db
    .selectFrom('courses')
    .select(['courses.uid', 'courses.name'])
    .select(sql<boolean>`courses.published_version_id is not null`.as('isPublished'))
    .where('courses.site_id', '=', ctx.site.id)
    .where('courses.deleted_at', 'is', null)
}

/**
 * Replaces the catalog, for admins. Refuses courses that the site does not have, or that are not published, and changes
 * nothing then (A-228). A page that sends the list it was opened with is refused if somebody has changed it since.
 */
export async function setCourseCatalogItems(ctx: Ctx, input: z.input<typeof catalogForm>): Promise<void> {
  requireAdmin(ctx, 'write')
  const { items, openedItems } = parseInput(catalogForm, input)
  await inTransaction(ctx, async (ctx) => {
    await lockCatalog(ctx)
    const before = (await listCatalogCourses(ctx)).map(({ uid }) => uid)
    if (items.join() === before.join()) return
    if (openedItems && openedItems.join() !== before.join()) {
      const actor = await findActorOf(ctx, {
        entity: 'site',
        action: updated,
        states: [{ entityUid: ctx.site.uid, after: { courseUids: before } }],
      })
      throw new Conflict(
        'catalog.not_in_step',
        `${actor ?? 'Somebody'} has changed the list of courses in the meantime.`,
      )
    }
    await requirePublished(ctx, items)
    const removed = before.filter((uid) => !items.includes(uid))
    await ctx.db
      .deleteFrom('course_catalog_items')
      .where('site_id', '=', ctx.site.id)
      .where(sql<boolean>`course_id in (select id from courses where uid = any(${removed}::uuid[]))`)
      .execute()
    await sql`
      insert into course_catalog_items (site_id, course_id, rank)
      select courses.site_id, courses.id, wanted.rank
      from unnest(${items}::uuid[]) with ordinality as wanted (uid, rank)
      join courses on courses.uid = wanted.uid and courses.site_id = ${ctx.site.id}
      on conflict (course_id) do update set rank = excluded.rank`.execute(ctx.db)
    await recordAudit(ctx, {
      action: updated,
      entity: 'site',
      entityUid: ctx.site.uid,
      before: { courseUids: before },
      after: { courseUids: items },
    })
  })
}

async function requirePublished(ctx: Ctx, items: string[]): Promise<void> {
  const courses = await findCoursesToList(ctx, items)
  if (courses.size !== items.length) {
    throw new Invalid('There is no such course.', {}, 'catalog.unknown_course')
  }
  const draft = [...courses.values()].find(({ isPublished }) => !isPublished)
  if (!draft) return
  throw new Conflict('catalog.not_published', `The course “${draft.name}” is not published.`)
}
