/** The modules of the console's table: everything about one page of them in one query. */
import { sql } from 'kysely'
import { isListed } from '../access/access.server.ts'
import { type ContentEntry, contentEntryColumns, contentEntryJoins } from '../access/content-tables.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import type { PackageStatus } from '../packages/packages.server.ts'

export type ModuleEntry = ContentEntry & {
  comingSoon: boolean
  versionUid: string | null
  packageStatus: PackageStatus | null
  sectionUid: string | null
  completions: number
  /** Mean of the learners' highest scores, in percent; null if nobody has a score. */
  averageScore: number | null
}

/** Reads the entries of these modules, for staff, in the given order. Modules that are not listed are left out. */
export async function listModuleEntries(ctx: Ctx, moduleUids: string[]): Promise<ModuleEntry[]> {
  requireStaff(ctx)
  if (moduleUids.length === 0) return []
  const { rows } = await sql<ModuleEntry>`
    select ${contentEntryColumns('modules')}, modules.coming_soon as "comingSoon",
      latest.uid as "versionUid", package.status as "packageStatus", chapter.section_uid as "sectionUid",
      figures.completions, figures.score::float8 as "averageScore"
    from modules
    ${contentEntryJoins('modules')}
    left join cmi5_packages package on package.module_version_id = latest.id
    left join lateral (
      select sections.uid as section_uid
      from module_chapters own join chapters on chapters.id = own.chapter_id
        join sections on sections.id = chapters.section_id
      where own.module_id = modules.id limit 1) chapter on true
    left join lateral (
      select count(completed_at) as completions, avg(highest_score) as score
      from module_progress where module_progress.module_id = modules.id) figures on true
    where modules.uid = any(${moduleUids}::uuid[]) and ${isListed(ctx, 'modules')}
    order by array_position(${moduleUids}::uuid[], modules.uid)`.execute(ctx.db)
  return rows
}
