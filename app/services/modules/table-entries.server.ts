/** The modules of the console's table: everything about one page of them in one query. */
import { sql } from 'kysely'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import type { PackageStatus } from '../packages/packages.server.ts'

export type ModuleEntry = {
  uid: string
  name: string
  comingSoon: boolean
  updatedAt: Date
  /** Of the latest version; null if there is none. */
  versionUid: string | null
  version: number | null
  packageStatus: PackageStatus | null
  /** Of the published version; null if there is none. */
  publishedVersion: number | null
  /** Null without a version, and if its author was deleted or was the command line. */
  author: { uid: string; firstName: string; lastName: string } | null
  tags: string[]
  plans: { uid: string; name: string }[]
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
    select modules.uid, modules.name, modules.coming_soon as "comingSoon", modules.updated_at as "updatedAt",
      latest.uid as "versionUid", latest.version, package.status as "packageStatus",
      published.version as "publishedVersion", author.entry as author,
      coalesce(tagged.texts, '[]') as tags, coalesce(granted.plans, '[]') as plans, chapter.section_uid as "sectionUid",
      figures.completions, figures.score::float8 as "averageScore"
    from modules
    left join module_versions latest on latest.id = modules.latest_version_id
    left join module_versions published on published.id = modules.published_version_id
    left join cmi5_packages package on package.module_version_id = latest.id
    left join lateral (
      select jsonb_build_object(
        'uid', uid, 'firstName', coalesce(first_name, ''), 'lastName', coalesce(last_name, '')) as entry
      from users where id = latest.author_id and email is not null) author on true
    left join lateral (
      select jsonb_agg(tags.text order by tags.text) as texts
      from module_tags own join tags on tags.id = own.tag_id where own.module_id = modules.id) tagged on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('uid', access_plans.uid, 'name', access_plans.name)
        order by access_plans.name) as plans
      from module_access_plans own join access_plans on access_plans.id = own.access_plan_id
      where own.module_id = modules.id) granted on true
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
