/** SQL queries of the modules domain: modules, module_versions and their joins to plans, tags and chapters. */
import { sql } from 'kysely'
import { containsPattern, searchKey } from '~/lib/text.ts'
import { isListed, isOpenable, seesDrafts } from '../access/access.server.ts'
import type { Ctx, SystemCtx } from '../context.ts'

/** `currentVersionUid` is the latest version for staff and the published version for everybody else. */
export type Module = {
  uid: string
  name: string
  description: string
  inSelfStudy: boolean
  comingSoon: boolean
  showsTerms: boolean
  coverImgDesc: string
  /** The author's figure. */
  durationMinutes: number | null
  /** An estimate of the current package; null if it gives nothing to go by. */
  estimatedMinutes: number | null
  publishedVersionUid: string | null
  currentVersionUid: string | null
  /** Published and not Coming Soon: a learner with access can start it. */
  isOpenable: boolean
  updatedAt: Date
}

export type ModuleRow = Module & { id: number }

export function selectModules(ctx: Ctx) {
  const current = seesDrafts(ctx) ? 'latest' : 'published'
  return ctx.db
    .selectFrom('modules')
    .leftJoin('module_versions as published', 'published.id', 'modules.published_version_id')
    .leftJoin('module_versions as latest', 'latest.id', 'modules.latest_version_id')
    .leftJoin('cmi5_packages as package', 'package.module_version_id', `${current}.id`)
    .select([
      'modules.id',
      'modules.uid',
      'modules.name',
      'modules.description',
      'modules.in_self_study as inSelfStudy',
      'modules.coming_soon as comingSoon',
      'modules.shows_terms as showsTerms',
      'modules.cover_img_desc as coverImgDesc',
      'modules.duration_minutes as durationMinutes',
      sql<number | null>`nullif(package.estimated_minutes, 0)`.as('estimatedMinutes'),
      'published.uid as publishedVersionUid',
      `${current}.uid as currentVersionUid`,
      sql<boolean>`published.id is not null and not modules.coming_soon`.as('isOpenable'),
      'modules.updated_at as updatedAt',
    ])
}

export function toModule({ id: _, ...module }: ModuleRow): Module {
  return module
}

export async function findModuleRow(ctx: Ctx, moduleUid: string): Promise<ModuleRow | undefined> {
  return await selectModules(ctx)
    .where('modules.uid', '=', moduleUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
}

export function listModuleRowsByUid(ctx: Ctx, moduleUids: string[]): Promise<ModuleRow[]> {
  return selectModules(ctx).where('modules.uid', 'in', moduleUids).where(isListed(ctx, 'modules')).execute()
}

/**
 * Finds a module that the viewer can open. An exact match comes before one that ignores case; of several, the one
 * published last wins.
 */
export async function findOpenModuleRow(ctx: Ctx, name: string, nameKeys: string[]): Promise<ModuleRow | undefined> {
  return await selectModules(ctx)
    .where('modules.name_key', 'in', nameKeys)
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
  return containsPattern(searchKey(search))
}

export type LockedModule = {
  id: number
  uid: string
  name: string
  comingSoon: boolean
  publishedVersionId: number | null
  latestVersionId: number | null
}

type VersionOfPackage = {
  versionId: number
  version: number
  publishWhenParsed: boolean
  publishedVersion: number | null
}

/** Locks the row until the transaction ends. Returns undefined if the viewer may not see the module. */
export async function lockModuleRow(ctx: Ctx, moduleUid: string): Promise<LockedModule | undefined> {
  return await selectForLock(ctx)
    .where('modules.uid', '=', moduleUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
}

/** Locks a module of the site that is not deleted. The caller must have checked the viewer. */
export async function lockModuleOfSite(ctx: Ctx, moduleUid: string): Promise<LockedModule | undefined> {
  return await selectForLock(ctx)
    .where('modules.uid', '=', moduleUid)
    .where('modules.site_id', '=', ctx.site.id)
    .where('modules.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Locks the module of a package without checking the viewer, because jobs have none. */
export async function lockModuleOfPackage(
  ctx: Ctx,
  packageUid: string,
): Promise<(LockedModule & VersionOfPackage) | undefined> {
  return await selectForLock(ctx)
    .innerJoin('module_versions', 'module_versions.module_id', 'modules.id')
    .innerJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'module_versions.id')
    .leftJoin('module_versions as published', 'published.id', 'modules.published_version_id')
    .select([
      'module_versions.id as versionId',
      'module_versions.version',
      'module_versions.publish_when_parsed as publishWhenParsed',
      'published.version as publishedVersion',
    ])
    .where('cmi5_packages.uid', '=', packageUid)
    .where('modules.site_id', '=', ctx.site.id)
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

/**
 * What decides whether the status of these modules can change. `isPending`: a package is published as soon as it is
 * parsed.
 */
export async function listStatusRows(ctx: Ctx, moduleUids: string[]) {
  return await ctx.db
    .selectFrom('modules')
    .leftJoin('cmi5_packages as p', 'p.module_version_id', 'modules.latest_version_id')
    .select([
      'modules.uid',
      'modules.coming_soon as comingSoon',
      'modules.published_version_id as publishedVersionId',
      'modules.latest_version_id as latestVersionId',
      'p.status as packageStatus',
    ])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('module_versions as v')
            .select('v.id')
            .whereRef('v.module_id', '=', 'modules.id')
            .where('v.publish_when_parsed', '=', true),
        )
        .as('isPending'),
    )
    .where('modules.uid', 'in', moduleUids)
    .where(isListed(ctx, 'modules'))
    .execute()
}

/** Finds a version with the status of its package and the number of the published version. */
export async function findVersionOfModule(
  ctx: Ctx,
  moduleId: number,
  uid: string,
): Promise<{ id: number; version: number; status: string | null; published: number | null } | undefined> {
  return await ctx.db
    .selectFrom('module_versions as v')
    .innerJoin('modules as m', 'm.id', 'v.module_id')
    .leftJoin('cmi5_packages as p', 'p.module_version_id', 'v.id')
    .leftJoin('module_versions as live', 'live.id', 'm.published_version_id')
    .select(['v.id', 'v.version', 'p.status', 'live.version as published'])
    .where('v.module_id', '=', moduleId)
    .where('v.uid', '=', uid)
    .executeTakeFirst()
}

export async function findPlanUid(ctx: Ctx, name: string): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('access_plans')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.uid
}

export async function findChapterUid(ctx: Ctx, name: string): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('chapters')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.uid
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

/** Finds the newest module with exactly this name, published or not. */
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

export async function findPackageUidOfLatest(ctx: Ctx, moduleUid: string): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('modules')
    .innerJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'modules.latest_version_id')
    .select('cmi5_packages.uid')
    .where('modules.uid', '=', moduleUid)
    .where('modules.site_id', '=', ctx.site.id)
    .executeTakeFirst()
  return row?.uid
}

export async function planNamesOf(ctx: Ctx, uids: string[]): Promise<string[]> {
  if (uids.length === 0) return []
  const rows = await ctx.db
    .selectFrom('access_plans')
    .select('name')
    .where('site_id', '=', ctx.site.id)
    .where('uid', 'in', uids)
    .orderBy('name')
    .execute()
  return rows.map(({ name }) => name)
}

export async function chapterNameOf(ctx: Ctx, uid: string): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('chapters')
    .select('name')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
    .executeTakeFirst()
  return row?.name ?? null
}

/** Lists deleted modules of all sites. */
export async function listDeletedBefore(ctx: SystemCtx, before: Date, most: number): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('modules')
    .select('uid')
    .where('deleted_at', '<', before)
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ uid }) => uid)
}
