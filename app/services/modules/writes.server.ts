/**
 * Writes the tables of the modules domain: modules, module_versions, module_chapters. Call these functions in a
 * transaction.
 */
import { type RawBuilder, sql } from 'kysely'
import { caseKey, searchKey } from '~/lib/text.ts'
import { authorColumns, type Ctx, type SystemCtx } from '../context.ts'
import { fileIdOf } from '../storage/files.server.ts'
import type { ModuleState } from './module-state.server.ts'

/** Publishes the version, or unpublishes the module if the id is null. */
export async function setPublishedVersion(ctx: Ctx, moduleId: number, versionId: number | null): Promise<void> {
  await ctx.db
    .updateTable('modules')
    .set({ published_version_id: versionId, updated_at: ctx.now })
    .where('id', '=', moduleId)
    .execute()
  await ctx.db
    .updateTable('module_versions')
    .set({ publish_when_parsed: false, ...(versionId !== null && { published_at: ctx.now }) })
    .where('module_id', '=', moduleId)
    .where((eb) => (versionId === null ? eb.val(true) : eb('id', '=', versionId)))
    .execute()
}

/**
 * Cancels publication for versions that were to be published once their package is read. Returns false if there is no
 * such version.
 */
export async function cancelPendingPublication(ctx: Ctx, moduleId: number): Promise<boolean> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('module_versions')
    .set({ publish_when_parsed: false })
    .where('module_id', '=', moduleId)
    .where('publish_when_parsed', '=', true)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Puts the module at the end of a chapter, or removes it from its chapter. Returns false if the site has no such
 * chapter.
 */
export async function setChapter(ctx: Ctx, moduleId: number, chapterUid: string | null): Promise<boolean> {
  if (chapterUid === null) {
    await ctx.db.deleteFrom('module_chapters').where('module_id', '=', moduleId).execute()
    return true
  }
  const chapter = await ctx.db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', chapterUid)
    .forUpdate()
    .executeTakeFirst()
  if (!chapter) return false
  const position = sql<number>`(select coalesce(max(position) + 1, 0) from module_chapters where chapter_id = ${chapter.id})`
  await ctx.db
    .insertInto('module_chapters')
    .values({ site_id: ctx.site.id, module_id: moduleId, chapter_id: chapter.id, position })
    .onConflict((oc) =>
      oc
        .column('module_id')
        .doUpdateSet({ chapter_id: chapter.id, position })
        .where('module_chapters.chapter_id', '!=', chapter.id),
    )
    .execute()
  return true
}

/** Writes the texts, checkboxes and the duration among the changes. */
export async function updateTexts(ctx: Ctx, moduleId: number, changes: Partial<ModuleState>): Promise<void> {
  const { name, description, coverImgDesc, inSelfStudy, comingSoon, durationMinutes, showsTerms } = changes
  await ctx.db
    .updateTable('modules')
    .set({
      updated_at: ctx.now,
      ...(name !== undefined && { name, name_key: caseKey(name), search_key: searchKey(name) }),
      ...(description !== undefined && { description }),
      ...(coverImgDesc !== undefined && { cover_img_desc: coverImgDesc }),
      ...(inSelfStudy !== undefined && { in_self_study: inSelfStudy }),
      ...(comingSoon !== undefined && { coming_soon: comingSoon }),
      ...(durationMinutes !== undefined && { duration_minutes: durationMinutes }),
      ...(showsTerms !== undefined && { shows_terms: showsTerms }),
    })
    .where('id', '=', moduleId)
    .execute()
}

export async function setCover(ctx: Ctx, moduleId: number, fileUid: string): Promise<void> {
  await ctx.db
    .updateTable('modules')
    .set({ cover_file_id: fileIdOf(ctx, fileUid) })
    .where('id', '=', moduleId)
    .execute()
}

/** Counts a change of a field of the form. A save that started from an earlier revision is merged with this change. */
export async function raiseRevision(ctx: Ctx, moduleId: number): Promise<number> {
  const row = await ctx.db
    .updateTable('modules')
    .set({ revision: sql`revision + 1`, updated_at: ctx.now })
    .where('id', '=', moduleId)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return row.revision
}

/** Marks the module as deleted. The module must be locked. */
export async function markDeleted(ctx: Ctx, moduleUid: string): Promise<void> {
  await ctx.db
    .updateTable('modules')
    .set({ deleted_at: ctx.now, deleted_by: ctx.viewer?.id ?? null })
    .where('uid', '=', moduleUid)
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** One person's deletion of modules, which ended at `until`. */
export type Deletion = { byId: number | null; until: Date }

/**
 * Undoes a deletion. Returns false if the module is not deleted, or was deleted before `after`, so that its files may be
 * gone, or by another deletion than the given one.
 */
export async function markRestored(
  ctx: Ctx,
  moduleUid: string,
  { after, deletion }: { after: Date; deletion?: Deletion },
): Promise<boolean> {
  const row = await ctx.db
    .updateTable('modules')
    .set({ deleted_at: null, deleted_by: null })
    .where('uid', '=', moduleUid)
    .where('site_id', '=', ctx.site.id)
    .where(isRestorable(after, deletion))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Counts the modules that `markRestored` would restore. */
export async function countRestorable(
  ctx: Ctx,
  moduleUids: string[],
  { after, deletion }: { after: Date; deletion?: Deletion },
): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('modules')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('uid', 'in', moduleUids)
    .where('site_id', '=', ctx.site.id)
    .where(isRestorable(after, deletion))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function isRestorable(after: Date, deletion: Deletion | undefined): RawBuilder<boolean> {
  const isOwn = deletion
    ? sql`deleted_by is not distinct from ${deletion.byId} and deleted_at <= ${deletion.until}`
    : sql`true`
  return sql<boolean>`(deleted_at > ${after} and ${isOwn})`
}

/** Deletes modules permanently, with everything that belongs to them. Modules that were restored meanwhile stay. */
export async function deleteModuleRows(ctx: SystemCtx, uids: string[], deletedBefore: Date): Promise<void> {
  await ctx.db.deleteFrom('modules').where('uid', 'in', uids).where('deleted_at', '<', deletedBefore).execute()
}

/**
 * Makes imports with the same name on one site wait for each other, so that two of them create two versions, not two
 * modules.
 */
export async function lockModuleName(ctx: Ctx, nameKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`module|${ctx.site.id}|${nameKey}`}, 0))`.execute(ctx.db)
}

/** Returns false if a module with this uid exists: the same request was sent twice. */
export async function insertModule(
  ctx: Ctx,
  module: { uid: string; name: string; nameKey: string; description: string; inSelfStudy: boolean },
): Promise<boolean> {
  const row = await ctx.db
    .insertInto('modules')
    .values({
      uid: module.uid,
      site_id: ctx.site.id,
      name: module.name,
      name_key: module.nameKey,
      search_key: searchKey(module.name),
      description: module.description,
      in_self_study: module.inSelfStudy,
      created_at: ctx.now,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Opens the next version. The row of the module must be locked. */
export async function insertVersion(
  ctx: Ctx,
  moduleId: number,
  publishWhenParsed: boolean,
): Promise<{ uid: string; version: number }> {
  const inserted = await ctx.db
    .insertInto('module_versions')
    .values({
      module_id: moduleId,
      version: sql`(select coalesce(max(version), 0) + 1 from module_versions where module_id = ${moduleId})`,
      ...authorColumns(ctx),
      publish_when_parsed: publishWhenParsed,
      created_at: ctx.now,
    })
    .returning(['id', 'uid', 'version'])
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('modules')
    .set({ latest_version_id: inserted.id, updated_at: ctx.now })
    .where('id', '=', moduleId)
    .execute()
  return { uid: inserted.uid, version: inserted.version }
}

/**
 * Finds the latest version if its package failed, so that the next zip replaces it. The person who uploads the zip
 * becomes the author.
 */
export async function reuseFailedVersion(
  ctx: Ctx,
  latestVersionId: number | null,
  publishWhenParsed: boolean,
): Promise<{ uid: string; version: number } | undefined> {
  if (latestVersionId === null) return undefined
  return await ctx.db
    .updateTable('module_versions')
    .from('cmi5_packages')
    .set({ publish_when_parsed: publishWhenParsed, ...authorColumns(ctx) })
    .whereRef('cmi5_packages.module_version_id', '=', 'module_versions.id')
    .where('module_versions.id', '=', latestVersionId)
    .where('cmi5_packages.status', '=', 'error')
    .returning(['module_versions.uid', 'module_versions.version'])
    .executeTakeFirst()
}

/**
 * Deletes the version and makes the one before it the latest. Returns false and changes nothing if there is no earlier
 * version.
 */
export async function deleteLatestVersion(ctx: Ctx, moduleId: number, versionId: number): Promise<boolean> {
  const before = await ctx.db
    .selectFrom('module_versions')
    .select('id')
    .where('module_id', '=', moduleId)
    .where('id', '<>', versionId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!before) return false
  await ctx.db
    .updateTable('modules')
    .set({ latest_version_id: before.id, updated_at: ctx.now })
    .where('id', '=', moduleId)
    .execute()
  await ctx.db.deleteFrom('module_versions').where('id', '=', versionId).execute()
  return true
}
