/**
 * Modules for the console's table: one page, searched, filtered and sorted in the database, and the changes since a
 * table was read.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  type ModuleSort,
  type ModuleState,
  moduleStates,
  modulesTable,
  mostAtOnce,
  noSection,
} from '~/forms/module-tables.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import {
  anyOf,
  authorChoices,
  describeList,
  type FilterChoice,
  hasPlan,
  listChangedSince,
  nameOrTagHolds,
  planChoices,
} from '../access/content-tables.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { limitsOfPage } from '../paging.ts'
import { listModuleEntries, type ModuleEntry } from './table-entries.server.ts'

export type ModulePageInput = Partial<Omit<TableQuery, 'columns'>> & {
  /** The uids of modules that are left out. */
  except?: string[]
}

/** Lists one page of modules, for staff. A page after the last one is empty. */
export async function listModulePage(
  ctx: Ctx,
  input: ModulePageInput,
): Promise<{ items: ModuleEntry[]; total: number }> {
  requireStaff(ctx)
  const matches = conditionOf(input)
  if (!matches) return { items: [], total: 0 }
  const [uids, { count }] = await Promise.all([
    findUids(ctx, input, matches, limitsOfPage(input)),
    ctx.db
      .selectFrom('modules')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(isListed(ctx, 'modules'))
      .where(matches)
      .executeTakeFirstOrThrow(),
  ])
  return { items: await listModuleEntries(ctx, uids), total: count }
}

/**
 * Lists the uids of everything that was found and can be selected, up to the number that one action may change. Modules
 * whose package is still being processed cannot be selected. For staff.
 */
export async function listModuleUidsFound(ctx: Ctx, input: ModulePageInput): Promise<string[]> {
  requireStaff(ctx)
  const matches = conditionOf(input)
  if (!matches) return []
  return findUids(ctx, input, sql`${matches} and not ${isBeingProcessed}`, { limit: mostAtOnce, offset: 0 })
}

const isBeingProcessed = sql<SqlBool>`exists (
  select from cmi5_packages
  where module_version_id = modules.latest_version_id and status in ('uploaded', 'processing'))`

/**
 * Finds the uids of the modules on a page. Their details are read separately, so that only these modules are joined to
 * other tables.
 */
async function findUids(
  ctx: Ctx,
  input: ModulePageInput,
  matches: RawBuilder<SqlBool>,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const sort = modulesTable.sorts.find((known) => known === input.sort) ?? 'name'
  const rows = await ctx.db
    .selectFrom('modules')
    .leftJoin('module_versions as latest', 'latest.id', 'modules.latest_version_id')
    .leftJoin('users as author', 'author.id', 'latest.author_id')
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('module_progress')
          .select((eb) => [
            'module_id',
            eb.fn.count('completed_at').as('completions'),
            eb.fn.avg('highest_score').as('score'),
          ])
          .where('site_id', '=', ctx.site.id)
          .groupBy('module_id')
          .as('figures'),
      (join) => join.onRef('figures.module_id', '=', 'modules.id'),
    )
    .select('modules.uid')
    .where(isListed(ctx, 'modules'))
    .where(matches)
    .orderBy(sortKeys[sort], (order) => (input.isDescending ? order.desc() : order.asc()).nullsLast())
    .orderBy('modules.name_key')
    .orderBy('modules.id')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ uid }) => uid)
}

/** One sort key for each column. PostgreSQL leaves out the joins that the chosen key does not need. */
const sortKeys: Record<ModuleSort, RawBuilder<unknown>> = {
  name: sql`modules.name_key`,
  status: sql`coalesce(modules.published_version_id = modules.latest_version_id, false)`,
  author: sql`author.name_key`,
  version: sql`latest.version`,
  updated: sql`modules.updated_at`,
  completions: sql`coalesce(figures.completions, 0)`,
  score: sql`figures.score`,
}

/** Builds the condition of a search. Returns null if nothing can match. */
function conditionOf({ search = '', filters = {}, except = [] }: ModulePageInput): RawBuilder<SqlBool> | null {
  // Searches names and tags. Only the learners' search also looks into the pages of a package.
  const found = nameOrTagHolds('modules', search)
  if (!found) return null
  const conditions: RawBuilder<SqlBool>[] = [found]
  const states = (filters.status ?? []).filter((state) => moduleStates.includes(state as ModuleState))
  if (states.length > 0) conditions.push(anyOf(states.map((state) => stateConditions[state as ModuleState])))
  if (filters.section) conditions.push(isInSection(filters.section))
  if (filters.group) conditions.push(hasPlan('modules', filters.group))
  if (filters.author) conditions.push(isBy(filters.author.filter(isUid)))
  if (except.length > 0) conditions.push(sql`modules.uid <> all(${except.filter(isUid)}::uuid[])`)
  return sql`${sql.join(conditions, sql` and `)}`
}

const stateConditions: Record<ModuleState, RawBuilder<SqlBool>> = {
  draft: sql`(modules.published_version_id is distinct from modules.latest_version_id or modules.latest_version_id is null)`,
  published: sql`modules.published_version_id = modules.latest_version_id`,
  behind: sql`modules.published_version_id <> modules.latest_version_id`,
  soon: sql`modules.coming_soon`,
}

function isInSection(chosen: string[]): RawBuilder<SqlBool> {
  const none = sql<SqlBool>`not exists (select from module_chapters where module_id = modules.id)`
  const inOne = sql<SqlBool>`exists (
    select from module_chapters join chapters on chapters.id = module_chapters.chapter_id
      join sections on sections.id = chapters.section_id
    where module_chapters.module_id = modules.id and sections.uid = any(${chosen.filter(isUid)}::uuid[]))`
  return chosen.includes(noSection) ? anyOf([none, inOne]) : inOne
}

function isBy(uids: string[]): RawBuilder<SqlBool> {
  return sql`modules.latest_version_id in (
    select module_versions.id from users join module_versions on module_versions.author_id = users.id
    where users.uid = any(${uids}::uuid[]))`
}

/** A row also changes when its package is read. */
const changed = {
  at: sql`greatest(modules.updated_at, cmi5_packages.updated_at)`,
  join: sql`left join cmi5_packages on cmi5_packages.module_version_id = modules.latest_version_id`,
}

/** Describes the whole list, for staff: see `describeList`. */
export async function describeModuleList(ctx: Ctx): Promise<{ listed: number; state: string }> {
  requireStaff(ctx)
  return describeList(ctx, 'modules', changed)
}

/** Reads what changed in the list since the given state, for staff. Returns null if too much changed. */
export async function listModulesChangedSince(
  ctx: Ctx,
  input: { state: string },
): Promise<{ items: ModuleEntry[]; goneUids: string[] } | null> {
  requireStaff(ctx)
  const changes = await listChangedSince(ctx, 'modules', input, changed)
  return changes && { items: await listModuleEntries(ctx, changes.uids), goneUids: changes.goneUids }
}

type ModuleFilterChoices = Record<'sections' | 'plans' | 'authors', FilterChoice[]>

/**
 * Lists the values that the table can be filtered by, for staff. Sections are in their order; plans and authors are
 * sorted by name. At most `mostFilterOptions` plans and authors are listed, first those that `filters` has chosen, so
 * that each has its name. `search` narrows plans by name, and authors by name or address.
 */
export async function listModuleFilterChoices(
  ctx: Ctx,
  { search, filters = {} }: Pick<ModulePageInput, 'search' | 'filters'> = {},
): Promise<ModuleFilterChoices> {
  requireStaff(ctx)
  const { rows } = await sql<ModuleFilterChoices>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'name', name) order by position, id), '[]')
        from sections where site_id = ${ctx.site.id}) as sections,
      ${planChoices(ctx, { search, chosen: filters.group })} as plans,
      ${authorChoices(ctx, 'module_versions', { search, chosen: filters.author })} as authors`.execute(ctx.db)
  return rows[0] ?? { sections: [], plans: [], authors: [] }
}

/** Lists up to a thousand different module names to choose from, in order, for staff. */
export async function listModuleNames(ctx: Ctx): Promise<string[]> {
  requireStaff(ctx)
  const rows = await ctx.db
    .selectFrom('modules')
    .select('modules.name')
    .distinct()
    .where(isListed(ctx, 'modules'))
    .orderBy('modules.name')
    .limit(1000)
    .execute()
  return rows.map(({ name }) => name)
}
