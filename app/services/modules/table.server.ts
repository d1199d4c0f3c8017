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
import { longestLiveList, mostFilterOptions, type TableQuery } from '~/lib/table-query.ts'
import { containsPattern, isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { limitsOfPage } from '../paging.ts'
import { listModuleEntries, type ModuleEntry } from './table-entries.server.ts'

export type ModulePageInput = Partial<Omit<TableQuery, 'columns'>>

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
function conditionOf({ search = '', filters = {} }: ModulePageInput): RawBuilder<SqlBool> | null {
  if (!isStorable(search)) return null
  const conditions: RawBuilder<SqlBool>[] = [sql`true`]
  const key = searchKey(search)
  // Searches names and tags. Only the learners' search also looks into the pages of a package.
  if (key !== '') conditions.push(nameOrTagHolds(containsPattern(key)))
  const states = (filters.status ?? []).filter((state) => moduleStates.includes(state as ModuleState))
  if (states.length > 0) conditions.push(anyOf(states.map((state) => stateConditions[state as ModuleState])))
  if (filters.section) conditions.push(isInSection(filters.section))
  if (filters.group) conditions.push(hasPlan(filters.group.filter(isUid)))
  if (filters.author) conditions.push(isBy(filters.author.filter(isUid)))
  return sql`${sql.join(conditions, sql` and `)}`
}

const stateConditions: Record<ModuleState, RawBuilder<SqlBool>> = {
  draft: sql`(modules.published_version_id is distinct from modules.latest_version_id or modules.latest_version_id is null)`,
  published: sql`modules.published_version_id = modules.latest_version_id`,
  behind: sql`modules.published_version_id <> modules.latest_version_id`,
  soon: sql`modules.coming_soon`,
}

function nameOrTagHolds(pattern: string): RawBuilder<SqlBool> {
  // Strips marks from tags as `searchKey` strips them from names. A site has few tags, so scanning them all is cheap.
  return sql`(modules.search_key like ${pattern} or modules.id in (
    select module_tags.module_id from tags join module_tags on module_tags.tag_id = tags.id
    where regexp_replace(normalize(tags.text_key, NFKD), '[\u0300-\u036f]', '', 'g') like ${pattern}))`
}

function isInSection(chosen: string[]): RawBuilder<SqlBool> {
  const none = sql<SqlBool>`not exists (select from module_chapters where module_id = modules.id)`
  const inOne = sql<SqlBool>`exists (
    select from module_chapters join chapters on chapters.id = module_chapters.chapter_id
      join sections on sections.id = chapters.section_id
    where module_chapters.module_id = modules.id and sections.uid = any(${chosen.filter(isUid)}::uuid[]))`
  return chosen.includes(noSection) ? anyOf([none, inOne]) : inOne
}

function hasPlan(uids: string[]): RawBuilder<SqlBool> {
  return sql`exists (
    select from module_access_plans own join access_plans on access_plans.id = own.access_plan_id
    where own.module_id = modules.id and access_plans.uid = any(${uids}::uuid[]))`
}

function isBy(uids: string[]): RawBuilder<SqlBool> {
  return sql`modules.latest_version_id in (
    select module_versions.id from users join module_versions on module_versions.author_id = users.id
    where users.uid = any(${uids}::uuid[]))`
}

function anyOf(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(conditions, sql` or `)})`
}

/**
 * Returns the length of the whole list, counted up to one more than a browser keeps, and a key of its present state.
 * The key begins with the time of the latest change, in milliseconds, for `listModulesChangedSince`. A list that is too
 * long for a browser has the key of an empty one.
 */
export async function describeModuleList(ctx: Ctx): Promise<{ listed: number; state: string }> {
  requireStaff(ctx)
  const { rows } = await sql<{ listed: number; changed: Date | null; hash: string | null }>`
    with listed as materialized (
      select modules.id, modules.updated_at, modules.latest_version_id from modules
      where ${isListed(ctx, 'modules')} limit ${longestLiveList + 1})
    select (select count(*) from listed) as listed, max(changed) as changed,
      md5(string_agg(id || ' ' || changed, ',' order by id)) as hash
    from (
      select listed.id, greatest(listed.updated_at, cmi5_packages.updated_at) as changed
      from listed left join cmi5_packages on cmi5_packages.module_version_id = listed.latest_version_id
      where (select count(*) from listed) <= ${longestLiveList}) short`.execute(ctx.db)
  const { listed, changed, hash } = rows[0] ?? { listed: 0, changed: null, hash: null }
  return { listed, state: `${changed?.getTime() ?? 0}-${hash ?? ''}` }
}

/** If more has changed, reading the whole list again costs about the same. */
const mostChangesSent = 100

/**
 * Reads what changed in the list since the given state, for staff, so that a table can refresh single rows. Returns
 * null if too much changed. It reads one extra minute again, because changes get their time before they are committed.
 */
export async function listModulesChangedSince(
  ctx: Ctx,
  input: { state: string },
): Promise<{ items: ModuleEntry[]; goneUids: string[] } | null> {
  requireStaff(ctx)
  const time = Number(input.state.split('-')[0])
  if (!Number.isSafeInteger(time) || time <= 0 || time > 8.64e15) return null
  const since = new Date(time - 60_000)
  const [rows, gone] = await Promise.all([
    ctx.db
      .selectFrom('modules')
      .leftJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'modules.latest_version_id')
      .select('modules.uid')
      .where(isListed(ctx, 'modules'))
      .where(sql<SqlBool>`greatest(modules.updated_at, cmi5_packages.updated_at) >= ${since}`)
      .limit(mostChangesSent + 1)
      .execute(),
    ctx.db
      .selectFrom('modules')
      .select('uid')
      .where('site_id', '=', ctx.site.id)
      .where('deleted_at', '>=', since)
      .limit(mostChangesSent + 1)
      .execute(),
  ])
  if (rows.length > mostChangesSent || gone.length > mostChangesSent) return null
  const items = await listModuleEntries(
    ctx,
    rows.map(({ uid }) => uid),
  )
  return { items, goneUids: gone.map(({ uid }) => uid) }
}

type ModuleFilterChoices = Record<'sections' | 'plans' | 'authors', { uid: string; name: string }[]>

/**
 * Lists the values that the table can be filtered by, for staff. Sections are in their order; plans and authors are
 * sorted by name. At most `mostFilterOptions` plans and authors are listed, first those that `filters` has chosen, so
 * that each has its name. `search` narrows plans by name, and authors by name or address. The authors are found first,
 * as an array: PostgreSQL would otherwise look for the versions of each of a hundred thousand people.
 */
export async function listModuleFilterChoices(
  ctx: Ctx,
  { search = '', filters = {} }: Pick<ModulePageInput, 'search' | 'filters'> = {},
): Promise<ModuleFilterChoices> {
  requireStaff(ctx)
  const pattern = isStorable(search) ? containsPattern(searchKey(search)) : ''
  const chosen = [...(filters.group ?? []), ...(filters.author ?? [])].filter(isUid)
  const firstOf = (uid: RawBuilder<unknown>) => sql`(${uid} = any(${chosen}::uuid[])) desc`
  const { rows } = await sql<ModuleFilterChoices>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'name', name) order by position, id), '[]')
        from sections where site_id = ${ctx.site.id}) as sections,
      (select coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'name', name) order by name), '[]') from (
        select uid, name from access_plans
        where site_id = ${ctx.site.id}
          and regexp_replace(normalize(lower(name), NFKD), '[\u0300-\u036f]', '', 'g') like ${pattern}
        order by ${firstOf(sql`uid`)}, name limit ${mostFilterOptions}) plan) as plans,
      (select coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'name', concat_ws(' ', first_name, last_name))
          order by name_key, id), '[]') from (
        select id, uid, first_name, last_name, name_key from users
        where site_id = ${ctx.site.id} and erased_at is null and search_key like ${pattern}
          and id = any(array(select distinct author_id from module_versions where author_id is not null))
        order by ${firstOf(sql`uid`)}, name_key, id limit ${mostFilterOptions}) author) as authors`.execute(ctx.db)
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
