/** The fields of a module as its form edits them. */
import { sql } from 'kysely'
import type { ModuleValues } from '~/forms/modules.ts'
import type { Ctx } from '../context.ts'
import type { Revised } from '../revisions.ts'

/** The stored values of the form. An old module may have a longer name than the form accepts today, and no cover. */
export type ModuleState = Omit<ModuleValues, 'coverImg'> & { coverImg: string | null }

/** Reads the values of the form and the revision that it sends back with them. */
export async function readModuleState(ctx: Ctx, moduleUid: string): Promise<Revised<ModuleState>> {
  const row = await ctx.db
    .selectFrom('modules')
    .leftJoin('stored_files as cover', 'cover.id', 'modules.cover_file_id')
    .leftJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .leftJoin('chapters', 'chapters.id', 'module_chapters.chapter_id')
    .leftJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'modules.latest_version_id')
    .leftJoin('stored_files as zip', 'zip.id', 'cmi5_packages.zip_file_id')
    .select([
      'modules.revision',
      'modules.name',
      'modules.description',
      'modules.cover_img_desc as coverImgDesc',
      'modules.in_self_study as inSelfStudy',
      'modules.coming_soon as comingSoon',
      'modules.shows_terms as showsTerms',
      'modules.duration_minutes as durationMinutes',
      'cover.name as coverImg',
      'chapters.uid as chapterUid',
      'zip.name as cmi5Zip',
      sql<string[]>`array(
        select plan.uid::text from module_access_plans own join access_plans plan on plan.id = own.access_plan_id
        where own.module_id = modules.id order by plan.uid)`.as('accessPlanUids'),
      sql<string[]>`array(
        select tag.text::text from module_tags own join tags tag on tag.id = own.tag_id
        where own.module_id = modules.id order by tag.text_key)`.as('tags'),
    ])
    .where('modules.uid', '=', moduleUid)
    .executeTakeFirstOrThrow()
  const { revision, ...state } = row
  return { state, revision }
}
