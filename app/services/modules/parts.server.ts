/**
 * Reads the parts of many modules and versions at once, for pages and GraphQL loaders. Each function returns a Map by
 * uid, without entries for what the viewer may not see. Only staff see authors, packages and drafts; everybody else
 * sees the published version only.
 */
import { sql } from 'kysely'
import { fileAddress } from '~/lib/file-address.ts'
import { groupBy } from '~/lib/groups.ts'
import type { LangText } from '~/lib/language.ts'
import { isListed, isOpenable, seesDrafts } from '../access/access.server.ts'
import type { FileInfo } from '../access/parts.server.ts'
import type { Ctx } from '../context.ts'
import { blockTitles, type PackageStatus } from '../packages/packages.server.ts'
import type { LaunchMethod, MoveOn } from '../packages/structure.ts'
import { otherProgramOf } from '../packages/urls.ts'
import { type Module, selectModules, toModule } from './queries.server.ts'

export type ModuleVersion = {
  uid: string
  moduleUid: string
  moduleName: string
  version: number
  status: 'draft' | 'published'
  publishedAt: Date | null
  createdAt: Date
  /** When its package was uploaded or last replaced. */
  changedAt: Date
  /** Null for viewers who are not staff, and if the author was deleted or was the command line. */
  author: { uid: string; firstName: string; lastName: string; email: string } | null
  /** Null for viewers who are not staff. */
  package: { uid: string; status: PackageStatus; lastMsg: string | null; zipFile: FileInfo | null } | null
}

export type ModuleUnit = {
  uid: string
  index: number
  title: LangText
  /** The titles of the blocks that the unit is in, outermost first. */
  blocks: LangText[]
  description: LangText
  moveOn: MoveOn
  masteryScore: number | null
  launchMethod: LaunchMethod
  activityType: string | null
  /** The unit opens in another program, not in this one. */
  isElsewhere: boolean
}

/** Reads versions, by version uid. */
export async function listModuleVersions(ctx: Ctx, versionUids: string[]): Promise<Map<string, ModuleVersion>> {
  if (versionUids.length === 0) return new Map()
  const rows = await selectVersions(ctx).where('module_versions.uid', 'in', versionUids).execute()
  return new Map(rows.map((row) => [row.uid, toVersion(ctx, row)]))
}

/** Reads the versions of modules, newest first, by module uid. */
export async function listVersionsOfModules(ctx: Ctx, moduleUids: string[]): Promise<Map<string, ModuleVersion[]>> {
  if (moduleUids.length === 0) return new Map()
  const rows = await selectVersions(ctx)
    .where('modules.uid', 'in', moduleUids)
    .orderBy('module_versions.version', 'desc')
    .execute()
  return groupBy(
    rows,
    (row) => row.moduleUid,
    (row) => toVersion(ctx, row),
  )
}

type VersionRow = Awaited<ReturnType<ReturnType<typeof selectVersions>['execute']>>[number]

function selectVersions(ctx: Ctx) {
  const query = ctx.db
    .selectFrom('module_versions')
    .innerJoin('modules', 'modules.id', 'module_versions.module_id')
    .leftJoin('users', 'users.id', 'module_versions.author_id')
    .leftJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'module_versions.id')
    .leftJoin('stored_files', 'stored_files.id', 'cmi5_packages.zip_file_id')
    .select([
      'module_versions.uid',
      'module_versions.version',
      'module_versions.published_at as publishedAt',
      'module_versions.created_at as createdAt',
      'modules.uid as moduleUid',
      'modules.name as moduleName',
      sql<boolean>`modules.published_version_id is not distinct from module_versions.id`.as('isPublished'),
      'users.uid as authorUid',
      'users.first_name as authorFirstName',
      'users.last_name as authorLastName',
      'users.email as authorEmail',
      'cmi5_packages.uid as packageUid',
      'cmi5_packages.status as packageStatus',
      'cmi5_packages.last_msg as lastMsg',
      'stored_files.uid as zipUid',
      'stored_files.original_file_name as zipOriginalFileName',
      'stored_files.name as zipName',
      'stored_files.size as zipSize',
      'stored_files.created_at as zipCreatedAt',
    ])
    .where(isShown(ctx))
  return seesDrafts(ctx) ? query : query.whereRef('modules.published_version_id', '=', 'module_versions.id')
}

/** Learners see only the card of a Coming Soon module, not its versions and units. */
function isShown(ctx: Ctx) {
  return seesDrafts(ctx) ? isListed(ctx, 'modules') : isOpenable(ctx, 'modules')
}

function toVersion(ctx: Ctx, row: VersionRow): ModuleVersion {
  const forStaff = seesDrafts(ctx)
  const author = forStaff && row.authorUid !== null && row.authorEmail !== null
  return {
    uid: row.uid,
    moduleUid: row.moduleUid,
    moduleName: row.moduleName,
    version: row.version,
    status: row.isPublished ? 'published' : 'draft',
    publishedAt: row.publishedAt,
    createdAt: row.createdAt,
    changedAt: row.zipCreatedAt ?? row.createdAt,
    author: author
      ? {
          uid: row.authorUid ?? '',
          firstName: row.authorFirstName ?? '',
          lastName: row.authorLastName ?? '',
          email: row.authorEmail ?? '',
        }
      : null,
    package:
      forStaff && row.packageUid !== null
        ? {
            uid: row.packageUid,
            status: row.packageStatus as PackageStatus,
            lastMsg: row.lastMsg,
            zipFile:
              row.zipUid === null
                ? null
                : {
                    uid: row.zipUid,
                    originalFileName: row.zipOriginalFileName ?? '',
                    name: row.zipName ?? '',
                    size: row.zipSize ?? 0,
                    url: `${ctx.site.baseUrl}${fileAddress(row.zipName ?? '')}`,
                  },
          }
        : null,
  }
}

/**
 * Reads units in the order of the course structure, by version uid. Rules that staff set for the module replace those
 * of the package.
 */
export async function listUnitsOfVersions(ctx: Ctx, versionUids: string[]): Promise<Map<string, ModuleUnit[]>> {
  if (versionUids.length === 0) return new Map()
  const query = ctx.db
    .selectFrom('cmi5_units')
    .innerJoin('cmi5_packages', 'cmi5_packages.id', 'cmi5_units.package_id')
    .innerJoin('module_versions', 'module_versions.id', 'cmi5_packages.module_version_id')
    .innerJoin('modules', 'modules.id', 'module_versions.module_id')
    .leftJoin('unit_overrides', (join) =>
      join
        .onRef('unit_overrides.module_id', '=', 'modules.id')
        .onRef('unit_overrides.publisher_id', '=', 'cmi5_units.publisher_id'),
    )
    .select((eb) => [
      'module_versions.uid as versionUid',
      'cmi5_units.uid',
      'cmi5_units.position as index',
      'cmi5_units.title',
      blockTitles('cmi5_units.block_id').as('blocks'),
      'cmi5_units.description',
      eb.fn.coalesce('unit_overrides.move_on', 'cmi5_units.move_on').as('moveOn'),
      eb.fn.coalesce('unit_overrides.mastery_score', 'cmi5_units.mastery_score').as('masteryScore'),
      'cmi5_units.launch_method as launchMethod',
      'cmi5_units.activity_type as activityType',
      'cmi5_units.url',
    ])
    .where('module_versions.uid', 'in', versionUids)
    .where(isShown(ctx))
    .orderBy('cmi5_units.position')
  const rows = await (seesDrafts(ctx)
    ? query
    : query.whereRef('modules.published_version_id', '=', 'module_versions.id')
  ).execute()
  return groupBy(
    rows,
    (row) => row.versionUid,
    ({ versionUid: _, url, ...unit }) => ({ ...unit, isElsewhere: otherProgramOf(url) !== null }) as ModuleUnit,
  )
}

/**
 * Reads the modules that a chapter shows to this viewer on the modules page ("Add to Modules page"), in order, by
 * chapter uid.
 */
export async function listModulesOfChapters(ctx: Ctx, chapterUids: string[]): Promise<Map<string, Module[]>> {
  if (chapterUids.length === 0) return new Map()
  const rows = await selectModules(ctx)
    .innerJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .innerJoin('chapters', 'chapters.id', 'module_chapters.chapter_id')
    .select('chapters.uid as chapterUid')
    .where('chapters.uid', 'in', chapterUids)
    .where('modules.in_self_study', '=', true)
    .where(isListed(ctx, 'modules'))
    .orderBy('module_chapters.position')
    .orderBy('modules.name')
    .orderBy('modules.id')
    .execute()
  return groupBy(
    rows,
    (row) => row.chapterUid,
    ({ chapterUid: _, ...row }) => toModule(row),
  )
}
