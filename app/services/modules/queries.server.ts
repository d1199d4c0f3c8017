/** SQL of the modules domain: modules, module_versions and what joins them to plans, tags and chapters. */
import { sql } from 'kysely'
import { searchKey } from '~/lib/text.ts'
import { isListed, isOpenable, seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'

/** `currentVersionUid`: the version this viewer deals with, the latest one for staff, the published one for everybody else. */
export type Module = {
  uid: string
  name: string
  description: string
  inSelfStudy: boolean
  comingSoon: boolean
  coverImgDesc: string
  publishedVersionUid: string | null
  currentVersionUid: string | null
  /** Published and not Coming Soon: a learner with access can start it. */
  isOpenable: boolean
  updatedAt: Date
}

export type ModuleRow = Module & { id: number }

export function selectModules(ctx: Ctx) {
  const current = seesDrafts(ctx) ? 'latest.uid' : 'published.uid'
  return ctx.db
    .selectFrom('modules')
    .leftJoin('module_versions as published', 'published.id', 'modules.published_version_id')
    .leftJoin('module_versions as latest', 'latest.id', 'modules.latest_version_id')
    .select([
      'modules.id',
      'modules.uid',
      'modules.name',
      'modules.description',
      'modules.in_self_study as inSelfStudy',
      'modules.coming_soon as comingSoon',
      'modules.cover_img_desc as coverImgDesc',
      'published.uid as publishedVersionUid',
      sql<string | null>`${sql.ref(current)}`.as('currentVersionUid'),
      sql<boolean>`published.id is not null and not modules.coming_soon`.as('isOpenable'),
      'modules.updated_at as updatedAt',
    ])
}

export function toModule({ id: _, ...module }: ModuleRow): Module {
  return module
}

export async function findModuleRow(ctx: Ctx, moduleUid: string): Promise<ModuleRow | undefined> {
  return await selectModules(ctx).where('modules.uid', '=', moduleUid).where(isListed(ctx, 'modules')).executeTakeFirst()
}

/** By exact name; else without case. Of several the one published last. Only what can be opened. */
export async function findOpenModuleRow(ctx: Ctx, name: string, nameKey: string): Promise<ModuleRow | undefined> {
  return await selectModules(ctx)
    .where('modules.name_key', '=', nameKey)
    .where(isOpenable(ctx, 'modules'))
    .orderBy(sql`modules.name = ${name}`, 'desc')
    .orderBy('published.published_at', (order) => order.desc().nullsLast())
    .orderBy('modules.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function listModuleRows(
  ctx: Ctx,
  input: { limit: number; after: { name: string; id: number } | null; search?: string },
): Promise<ModuleRow[]> {
  let query = selectModules(ctx).where(isListed(ctx, 'modules')).orderBy('modules.name').orderBy('modules.id')
  if (input.search) query = query.where('modules.search_key', 'like', contains(input.search))
  const { after } = input
  if (after) query = query.where(sql<boolean>`(modules.name, modules.id) > (${after.name}, ${after.id})`)
  return await query.limit(input.limit).execute()
}

export async function countModuleRows(ctx: Ctx, search?: string): Promise<number> {
  let query = ctx.db
    .selectFrom('modules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isListed(ctx, 'modules'))
  if (search) query = query.where('modules.search_key', 'like', contains(search))
  return (await query.executeTakeFirstOrThrow()).count
}

function contains(search: string): string {
  return `%${searchKey(search).replace(/[\\%_]/g, '\\$&')}%`
}

export type LockedModule = {
  id: number
  uid: string
  name: string
  comingSoon: boolean
  publishedVersionId: number | null
  latestVersionId: number | null
}

/** The row, locked until the transaction ends; undefined where this viewer may not see it. */
export async function lockModuleRow(ctx: Ctx, moduleUid: string): Promise<LockedModule | undefined> {
  return await selectForLock(ctx).where('uid', '=', moduleUid).where(isListed(ctx, 'modules')).executeTakeFirst()
}

/** For the module that a version belongs to, whoever asks: jobs act for nobody. */
export async function lockModuleOfPackage(
  ctx: Ctx,
  packageUid: string,
): Promise<(LockedModule & { versionId: number; publishWhenParsed: boolean }) | undefined> {
  return await selectForLock(ctx)
    .innerJoin('module_versions', 'module_versions.module_id', 'modules.id')
    .innerJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'module_versions.id')
    .select(['module_versions.id as versionId', 'module_versions.publish_when_parsed as publishWhenParsed'])
    .where('cmi5_packages.uid', '=', packageUid)
    .where('modules.deleted_at', 'is', null)
    .executeTakeFirst()
}

function selectForLock(ctx: Ctx) {
  return ctx.db
    .selectFrom('modules')
    .select([
      'modules.id',
      'modules.uid',
      'modules.name',
      'modules.coming_soon as comingSoon',
      'modules.published_version_id as publishedVersionId',
      'modules.latest_version_id as latestVersionId',
    ])
    .forUpdate('modules')
}

export async function packageStatusOfVersion(ctx: Ctx, versionId: number): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('cmi5_packages')
    .select('status')
    .where('module_version_id', '=', versionId)
    .executeTakeFirst()
  return row?.status
}

/** Moves the pointer, or clears it with null. */
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

/** Unknown names give undefined; plans belong to one site. */
export async function findPlans(
  ctx: Ctx,
  wanted: { uids: string[] } | { name: string },
): Promise<{ id: number; uid: string; name: string }[]> {
  const query = ctx.db.selectFrom('access_plans').select(['id', 'uid', 'name']).where('site_id', '=', ctx.site.id)
  if ('name' in wanted) return await query.where('name', '=', wanted.name).execute()
  return wanted.uids.length === 0 ? [] : await query.where('uid', 'in', wanted.uids).execute()
}

export async function listPlanNames(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('access_plans')
    .select('name')
    .where('site_id', '=', ctx.site.id)
    .orderBy('name')
    .execute()
  return rows.map((row) => row.name)
}

export async function addPlans(ctx: Ctx, moduleId: number, planIds: number[]): Promise<void> {
  if (planIds.length === 0) return
  await ctx.db
    .insertInto('module_access_plans')
    .values(planIds.map((planId) => ({ site_id: ctx.site.id, module_id: moduleId, access_plan_id: planId })))
    .onConflict((oc) => oc.doNothing())
    .execute()
}

/** Puts the module at the end of a chapter. False when the site has no such chapter. */
export async function setChapter(ctx: Ctx, moduleId: number, chapterName: string): Promise<boolean> {
  const chapter = await ctx.db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', chapterName)
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

/** Imports by name on one site wait for each other, so that two of one name become two versions, not two modules. */
export async function lockModuleName(ctx: Ctx, nameKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`module|${ctx.site.id}|${nameKey}`}, 0))`.execute(ctx.db)
}

/** The newest module of exactly this name, published or not. */
export async function findModuleUidByName(ctx: Ctx, name: string): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('modules')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.uid
}

/** False when a module of this uid is already there: the same request came twice. */
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
      search_key: searchKey(`${module.name} ${module.description}`),
      description: module.description,
      in_self_study: module.inSelfStudy,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Opens the next version; the module's row must be locked. */
export async function insertVersion(
  ctx: Ctx,
  moduleId: number,
  publishWhenParsed: boolean,
): Promise<{ uid: string; version: number }> {
  const author = ctx.viewer
  const inserted = await ctx.db
    .insertInto('module_versions')
    .values({
      module_id: moduleId,
      version: sql`(select coalesce(max(version), 0) + 1 from module_versions where module_id = ${moduleId})`,
      author_id: author?.id ?? null,
      author_name: author ? `${author.firstName} ${author.lastName}`.trim() : '',
      publish_when_parsed: publishWhenParsed,
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

/** The latest version where its package failed, so that the next zip replaces it there. */
export async function reuseFailedVersion(
  ctx: Ctx,
  latestVersionId: number | null,
  publishWhenParsed: boolean,
): Promise<{ uid: string; version: number } | undefined> {
  if (latestVersionId === null) return undefined
  return await ctx.db
    .updateTable('module_versions')
    .from('cmi5_packages')
    .set({ publish_when_parsed: publishWhenParsed })
    .whereRef('cmi5_packages.module_version_id', '=', 'module_versions.id')
    .where('module_versions.id', '=', latestVersionId)
    .where('cmi5_packages.status', '=', 'error')
    .returning(['module_versions.uid', 'module_versions.version'])
    .executeTakeFirst()
}
