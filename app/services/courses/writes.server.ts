/** Writes courses, their versions and the catalog. Call these functions in a transaction. */
import { sql } from 'kysely'
import type { CourseValues } from '~/forms/courses.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import { authorColumns, type Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { fileIdOf } from '../storage/files.server.ts'

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
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Locks a course of the site until the transaction ends. */
export async function lockCourseOfSite(
  ctx: Ctx,
  courseUid: string,
): Promise<{ id: number; latestVersionId: number | null } | undefined> {
  return await ctx.db
    .selectFrom('courses')
    .select(['id', 'latest_version_id as latestVersionId'])
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

/** Inserts everything with one SQL statement for each of the three tables. */
async function insertSections(ctx: Ctx, versionId: number, sections: CourseValues['sections']): Promise<void> {
  const createdSections = await ctx.db
    .insertInto('course_sections')
    .values(sections.map(({ name, description }, position) => ({ version_id: versionId, name, description, position })))
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
  if (Number(result.numAffectedRows) !== spots.length) {
    throw new Invalid('One of the modules does not exist.', {}, 'course.unknown_module')
  }
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
  await ctx.db
    .insertInto('course_catalog_items')
    .values({
      site_id: ctx.site.id,
      course_id: courseId,
      rank: sql`(select coalesce(max(rank) + 1, 0) from course_catalog_items where site_id = ${ctx.site.id})`,
    })
    .onConflict((oc) => oc.column('course_id').doNothing())
    .execute()
}

export async function setCover(ctx: Ctx, courseId: number, fileUid: string): Promise<void> {
  await ctx.db
    .updateTable('courses')
    .set({ cover_file_id: fileIdOf(ctx, fileUid) })
    .where('id', '=', courseId)
    .execute()
}
