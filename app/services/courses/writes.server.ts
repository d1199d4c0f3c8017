/** Writes courses, their versions and the catalog. Call these functions in a transaction. */
import { sql } from 'kysely'
import type { CourseValues } from '~/forms/courses.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import { authorColumns, type Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { fileIdOf } from '../storage/files.server.ts'
import type { CourseState } from './course-state.server.ts'

/** Returns false if a course with this uid exists, because the request was sent twice. */
export async function insertCourse(ctx: Ctx, course: { uid: string } & CourseValues): Promise<boolean> {
  const row = await ctx.db
    .insertInto('courses')
    .values({
      uid: course.uid,
      site_id: ctx.site.id,
      name: course.name,
      name_key: caseKey(course.name),
      search_key: searchKey(course.name),
      description: course.description,
      synopsis: course.synopsis,
      learning_objectives: course.learningObjectives,
      cover_img_desc: course.coverImgDesc,
      duration_minutes: course.durationMinutes,
      shows_terms: course.showsTerms,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export type LockedCourse = {
  id: number
  uid: string
  name: string
  latestVersionId: number | null
  publishedVersionId: number | null
  addToHomepage: boolean
}

/** Locks a course of the site until the transaction ends. */
export async function lockCourseOfSite(ctx: Ctx, courseUid: string): Promise<LockedCourse | undefined> {
  return await ctx.db
    .selectFrom('courses')
    .select(['id', 'uid', 'name', 'latest_version_id as latestVersionId'])
    .select(['published_version_id as publishedVersionId', 'add_to_homepage as addToHomepage'])
    .where('uid', '=', courseUid)
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Creates the next version with these sections. Throws Invalid if a module does not belong to the site. */
export async function insertVersion(ctx: Ctx, courseId: number, sections: CourseValues['sections']): Promise<number> {
  const { id: versionId } = await ctx.db
    .insertInto('course_versions')
    .values({
      site_id: ctx.site.id,
      course_id: courseId,
      version: sql`(select coalesce(max(version), 0) + 1 from course_versions where course_id = ${courseId})`,
      ...authorColumns(ctx),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (sections.length > 0) await insertSections(ctx, versionId, sections)
  await ctx.db
    .updateTable('courses')
    .set({ latest_version_id: versionId, updated_at: ctx.now })
    .where('id', '=', courseId)
    .execute()
  return versionId
}

/** True if learners could see this version. Then it stays as it was, because completions refer to it. */
export async function wasPublished(ctx: Ctx, versionId: number): Promise<boolean> {
  const { published_at } = await ctx.db
    .selectFrom('course_versions')
    .select('published_at')
    .where('id', '=', versionId)
    .executeTakeFirstOrThrow()
  return published_at !== null
}

/** Replaces the sections of a version that nobody but staff has seen. */
export async function replaceSections(
  ctx: Ctx,
  course: { id: number; versionId: number },
  sections: CourseValues['sections'],
): Promise<void> {
  await ctx.db.deleteFrom('course_sections').where('version_id', '=', course.versionId).execute()
  if (sections.length > 0) await insertSections(ctx, course.versionId, sections)
}

/** Inserts everything with one SQL statement for each of the three tables. */
async function insertSections(ctx: Ctx, versionId: number, sections: CourseValues['sections']): Promise<void> {
  const createdSections = await ctx.db
    .insertInto('course_sections')
    .values(
      sections.map(({ uid, name, description }, position) => ({
        ...(uid !== null && { uid }),
        version_id: versionId,
        name,
        description,
        position,
      })),
    )
    .returning(['id', 'position'])
    .execute()
  const sectionIds = new Map(createdSections.map(({ id, position }) => [position, id]))
  const chapters = sections.flatMap(({ chapters }, section) =>
    chapters.map((chapter, position) => ({ chapter, position, sectionId: sectionIds.get(section) ?? 0 })),
  )
  if (chapters.length === 0) return
  const createdChapters = await ctx.db
    .insertInto('course_chapters')
    .values(
      chapters.map(({ chapter, position, sectionId }) => ({
        ...(chapter.uid !== null && { uid: chapter.uid }),
        site_id: ctx.site.id,
        version_id: versionId,
        section_id: sectionId,
        name: chapter.name,
        description: chapter.description,
        position,
      })),
    )
    .returning(['id', 'section_id as sectionId', 'position'])
    .execute()
  const chapterIds = new Map(createdChapters.map(({ id, sectionId, position }) => [`${sectionId}/${position}`, id]))
  await insertModules(
    ctx,
    chapters.flatMap(({ chapter, position, sectionId }) =>
      chapter.moduleUids.map((uid, place) => ({
        chapterId: chapterIds.get(`${sectionId}/${position}`) ?? 0,
        uid,
        position: place,
      })),
    ),
  )
}

async function insertModules(ctx: Ctx, spots: { chapterId: number; uid: string; position: number }[]): Promise<void> {
  if (spots.length === 0) return
  const result = await sql`
    insert into course_chapter_modules (site_id, chapter_id, module_id, position)
    select modules.site_id, spot."chapterId", modules.id, spot.position
    from jsonb_to_recordset(${JSON.stringify(spots)}::jsonb) as spot ("chapterId" bigint, uid uuid, position integer)
    join modules on modules.uid = spot.uid and modules.site_id = ${ctx.site.id} and modules.deleted_at is null`.execute(
    ctx.db,
  )
  if (Number(result.numAffectedRows) !== spots.length) throw await unknownModule(ctx, spots)
}

/** The refusal of sections with modules that the site does not have. It names those that were removed lately. */
async function unknownModule(ctx: Ctx, spots: { uid: string }[]): Promise<Invalid> {
  const removed = await ctx.db
    .selectFrom('modules')
    .select('name')
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', 'is not', null)
    .where(
      'uid',
      'in',
      spots.map(({ uid }) => uid),
    )
    .orderBy('name')
    .execute()
  const names = removed.map(({ name }) => `“${name}”`).join(', ')
  const message = names
    ? `No longer there: ${names}. Take ${removed.length === 1 ? 'it' : 'them'} out of the course.`
    : 'One of the modules does not exist.'
  return new Invalid(message, { sections: message }, 'course.unknown_module')
}

/**
 * Locks the site's catalog, so that no two courses get the same rank. It locks the site's row, but not `for update`:
 * every insert of a row of the site holds a key share lock on it, and two transactions that wait for each other's would
 * deadlock.
 */
export async function lockCatalog(ctx: Ctx): Promise<void> {
  await ctx.db.selectFrom('sites').select('id').where('id', '=', ctx.site.id).forNoKeyUpdate().execute()
}

/** Publishes a version, and adds the course to the end of the catalog if it is not in there. */
export async function setPublishedVersion(ctx: Ctx, courseId: number, versionId: number): Promise<void> {
  await lockCatalog(ctx)
  await ctx.db
    .updateTable('courses')
    .set({ published_version_id: versionId, updated_at: ctx.now })
    .where('id', '=', courseId)
    .execute()
  await ctx.db.updateTable('course_versions').set({ published_at: ctx.now }).where('id', '=', versionId).execute()
  await addToCatalog(ctx, courseId)
}

/** Adds a course to the end of the catalog. Returns false if it is in there. */
export async function addToCatalog(ctx: Ctx, courseId: number): Promise<boolean> {
  await lockCatalog(ctx)
  const { numInsertedOrUpdatedRows = 0n } = await ctx.db
    .insertInto('course_catalog_items')
    .values({
      site_id: ctx.site.id,
      course_id: courseId,
      rank: sql`(select coalesce(max(rank) + 1, 0) from course_catalog_items where site_id = ${ctx.site.id})`,
    })
    .onConflict((oc) => oc.column('course_id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Unpublishes the course and takes it out of the catalog. */
export async function clearPublishedVersion(ctx: Ctx, courseId: number): Promise<void> {
  await lockCatalog(ctx)
  await ctx.db
    .updateTable('courses')
    .set({ published_version_id: null, updated_at: ctx.now })
    .where('id', '=', courseId)
    .execute()
  await ctx.db.deleteFrom('course_catalog_items').where('course_id', '=', courseId).execute()
}

export async function setAddToHomepage(ctx: Ctx, courseId: number, addToHomepage: boolean): Promise<void> {
  await ctx.db
    .updateTable('courses')
    .set({ add_to_homepage: addToHomepage, updated_at: ctx.now })
    .where('id', '=', courseId)
    .execute()
}

/** Sets the pictures among the changes; null removes one. */
export async function setPictures(
  ctx: Ctx,
  courseId: number,
  files: { coverFileUid?: string | null; bannerFileUid?: string | null },
): Promise<void> {
  const { coverFileUid, bannerFileUid } = files
  if (coverFileUid === undefined && bannerFileUid === undefined) return
  await ctx.db
    .updateTable('courses')
    .set({
      ...(coverFileUid !== undefined && { cover_file_id: fileIdOf(ctx, coverFileUid) }),
      ...(bannerFileUid !== undefined && { banner_file_id: fileIdOf(ctx, bannerFileUid) }),
    })
    .where('id', '=', courseId)
    .execute()
}

/** Writes the texts, the objectives, the duration and the switch for definitions among the changes. */
export async function updateTexts(ctx: Ctx, courseId: number, changes: Partial<CourseState>): Promise<void> {
  const { name, description, synopsis, learningObjectives, coverImgDesc, durationMinutes, showsTerms } = changes
  await ctx.db
    .updateTable('courses')
    .set({
      updated_at: ctx.now,
      ...(name !== undefined && { name, name_key: caseKey(name), search_key: searchKey(name) }),
      ...(description !== undefined && { description }),
      ...(synopsis !== undefined && { synopsis }),
      ...(learningObjectives !== undefined && { learning_objectives: learningObjectives }),
      ...(coverImgDesc !== undefined && { cover_img_desc: coverImgDesc }),
      ...(durationMinutes !== undefined && { duration_minutes: durationMinutes }),
      ...(showsTerms !== undefined && { shows_terms: showsTerms }),
    })
    .where('id', '=', courseId)
    .execute()
}

export async function raiseRevision(ctx: Ctx, courseId: number): Promise<number> {
  const { revision } = await ctx.db
    .updateTable('courses')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', courseId)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

/** Marks a course as deleted, or as there again. Returns false if it already is. */
export async function setDeleted(ctx: Ctx, courseUid: string, isDeleted: boolean, after?: Date): Promise<boolean> {
  let query = ctx.db
    .updateTable('courses')
    .set({
      deleted_at: isDeleted ? ctx.now : null,
      deleted_by: isDeleted ? (ctx.viewer?.id ?? null) : null,
      updated_at: ctx.now,
    })
    .where('uid', '=', courseUid)
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', isDeleted ? 'is' : 'is not', null)
  if (after) query = query.where('deleted_at', '>', after)
  const { numUpdatedRows } = await query.executeTakeFirst()
  return numUpdatedRows > 0n
}
