/** A module as its form knows it: read for the dialog, compared for what changed, and walked back through the audit log. */
import { sql } from 'kysely'
import type { ModuleField, ModuleValues } from '~/forms/modules.ts'
import type { Ctx } from '../context.ts'

/** The form's values as stored. Names of old modules may be longer than the form takes today, and a cover may be missing. */
export type ModuleState = Omit<ModuleValues, 'coverImg'> & { coverImg: string | null }

export type StateRow = { state: ModuleState; revision: number }

const stateFields: ModuleField[] = [
  'name',
  'coverImg',
  'coverImgDesc',
  'accessPlanUids',
  'description',
  'tags',
  'chapterUid',
  'inSelfStudy',
  'comingSoon',
  'cmi5Zip',
]

/** Lists are in a fixed order, so that equal states are equal texts. */
export async function readModuleState(ctx: Ctx, moduleUid: string): Promise<StateRow> {
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

/** What the module was at an earlier revision; null when that is too long ago to be known. */
export async function readModuleStateAt(
  ctx: Ctx,
  module: { uid: string },
  now: StateRow,
  revision: number,
): Promise<{ state: ModuleState; changedBy: Map<ModuleField, string> } | null> {
  const changedBy = new Map<ModuleField, string>()
  const entries = await listChangesSince(ctx, module, now, revision)
  if (!entries) return null
  let state = now.state
  for (const { before, actorName } of entries) {
    const earlier = (before ?? {}) as Partial<ModuleState>
    state = { ...state, ...pick(earlier) }
    // Newest first: the last who changed a field is named.
    for (const field of stateFields) if (field in earlier && !changedBy.has(field)) changedBy.set(field, actorName)
  }
  return { state, changedBy }
}

/** What raised the revision since an earlier one, newest first; null when that is too long ago to be known. */
export async function listChangesSince(
  ctx: Ctx,
  module: { uid: string },
  now: { revision: number },
  revision: number,
): Promise<{ action: string; before: unknown; after: unknown; actorName: string }[] | null> {
  if (revision === now.revision) return []
  if (!Number.isInteger(revision) || revision < 0 || revision > now.revision) return null
  const entries = await ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'before', 'after', 'actor_name as actorName'])
    .where('entity', '=', 'module')
    .where('entity_uid', '=', module.uid)
    .where(sql<boolean>`(after ->> 'revision')::int > ${revision}`)
    .orderBy('id', 'desc')
    .limit(201)
    .execute()
  return entries.length === now.revision - revision ? entries : null
}

/** The fields in which two states differ. */
export function changedFields(before: ModuleState, after: Partial<ModuleState>): ModuleField[] {
  return stateFields.filter((field) => field in after && !isSame(before[field], after[field]))
}

export function pick(state: Partial<ModuleState>, fields: ModuleField[] = stateFields): Partial<ModuleState> {
  return Object.fromEntries(fields.filter((field) => field in state).map((field) => [field, state[field]]))
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return [...one].sort().join('\n') === [...other].sort().join('\n')
  return one === other
}
