/** Lectures and videos for the console's tables: one page, searched, filtered and sorted in the database. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type FilmSort, filmSorts } from '~/forms/film-tables.ts'
import { type FilmKindName, type FilmPhase, type FilmStatus, filmPhases } from '~/forms/films.ts'
import { type VideoCategory, videoCategories } from '~/forms/videos.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { isManaged } from '../access/access.server.ts'
import {
  anyOf,
  describeList,
  type FilterChoice,
  hasPlan,
  listChangedSince,
  nameOrTagHolds,
  planChoices,
  tagAndPlanJoins,
  tagsAndPlans,
} from '../access/content-tables.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { limitsOfPage } from '../paging.ts'

export type FilmPageInput = Partial<Omit<TableQuery, 'columns'>> & { kind: FilmKindName }

export type FilmEntry = {
  uid: string
  name: string
  status: FilmStatus
  isComingSoon: boolean
  /** Null for a lecture. */
  category: VideoCategory | null
  presenter: string
  phases: FilmPhase[]
  tags: string[]
  plans: { uid: string; name: string }[]
  updatedAt: Date
}

const tableOf = (kind: FilmKindName) => `${kind}s` as const

/** Lists one page of lectures or videos, for staff. A page after the last one is empty. */
export async function listFilmPage(ctx: Ctx, input: FilmPageInput): Promise<{ items: FilmEntry[]; total: number }> {
  requireStaff(ctx)
  const table = tableOf(input.kind)
  const matches = conditionOf(input)
  if (!matches) return { items: [], total: 0 }
  const found = sql`from ${sql.table(table)} where ${isManaged(ctx, table)} and ${matches}`
  const sort = filmSorts.find((known) => known === input.sort) ?? 'name'
  const direction = input.isDescending ? sql`desc` : sql`asc`
  const { limit, offset } = limitsOfPage(input)
  const [page, count] = await Promise.all([
    sql<{ uid: string }>`
      select uid ${found} order by ${sortKeys[sort]} ${direction}, name_key, id limit ${limit} offset ${offset}`.execute(
      ctx.db,
    ),
    sql<{ count: number }>`select count(*)::int as count ${found}`.execute(ctx.db),
  ])
  const items = await listFilmEntries(ctx, { kind: input.kind, uids: page.rows.map(({ uid }) => uid) })
  return { items, total: count.rows[0]?.count ?? 0 }
}

/** One sort key for each column. Phases are compared as the table writes them. */
const sortKeys: Record<FilmSort, RawBuilder<unknown>> = {
  name: sql`name_key`,
  status: sql`status collate "C"`,
  phases: sql`lower(array_to_string(phases, ', ')) collate "C"`,
  presenter: sql`lower(normalize(presenter, NFKC) collate "und-x-icu") collate "C"`,
  updated: sql`updated_at`,
}

/** Builds the condition of a search. Returns null if nothing can match. */
function conditionOf({ kind, search = '', filters = {} }: FilmPageInput): RawBuilder<SqlBool> | null {
  const table = tableOf(kind)
  const found = nameOrTagHolds(table, search)
  if (!found) return null
  const conditions: RawBuilder<SqlBool>[] = [found]
  const chosen = (name: string, known: readonly string[]) => (filters[name] ?? []).filter((one) => known.includes(one))
  const states = chosen('status', kind === 'lecture' ? ['draft', 'published', 'soon'] : ['draft', 'published'])
  if (states.length > 0) {
    conditions.push(anyOf(states.map((state) => (state === 'soon' ? sql`coming_soon` : sql`status = ${state}`))))
  }
  const phases = chosen('phase', filmPhases)
  if (phases.length > 0) conditions.push(sql`phases && ${phases}::text[]`)
  const categories = kind === 'video' ? chosen('category', videoCategories) : []
  if (categories.length > 0) conditions.push(sql`category = any(${categories}::text[])`)
  if (filters.group) conditions.push(hasPlan(table, filters.group))
  return sql`${sql.join(conditions, sql` and `)}`
}

/** Reads the entries of these films, for staff, in the given order. Films that are not on the site are left out. */
export async function listFilmEntries(ctx: Ctx, input: { kind: FilmKindName; uids: string[] }): Promise<FilmEntry[]> {
  requireStaff(ctx)
  const { kind, uids } = input
  if (uids.length === 0) return []
  const table = tableOf(kind)
  const film = (column: string) => sql.ref(`${table}.${column}`)
  const own =
    kind === 'lecture' ? sql`coming_soon as "isComingSoon", null as category` : sql`false as "isComingSoon", category`
  const { rows } = await sql<FilmEntry>`
    select ${film('uid')}, ${film('name')}, status, presenter, phases, ${film('updated_at')} as "updatedAt", ${own},
      ${tagsAndPlans}
    from ${sql.table(table)} ${tagAndPlanJoins(table)}
    where ${film('uid')} = any(${uids}::uuid[]) and ${isManaged(ctx, table)}
    order by array_position(${uids}::uuid[], ${film('uid')})`.execute(ctx.db)
  return rows
}

/** Describes the whole list, for staff: see `describeList`. */
export async function describeFilmList(
  ctx: Ctx,
  { kind }: { kind: FilmKindName },
): Promise<{ listed: number; state: string }> {
  requireStaff(ctx)
  return describeList(ctx, tableOf(kind))
}

/** Reads what changed in the list since the given state, for staff. Returns null if too much changed. */
export async function listFilmsChangedSince(
  ctx: Ctx,
  { kind, state }: { kind: FilmKindName; state: string },
): Promise<{ items: FilmEntry[]; goneUids: string[] } | null> {
  requireStaff(ctx)
  const changes = await listChangedSince(ctx, tableOf(kind), { state })
  return changes && { items: await listFilmEntries(ctx, { kind, uids: changes.uids }), goneUids: changes.goneUids }
}

/** Lists the plans that a table can be filtered by, for staff, first those that `filters` has chosen. */
export async function listFilmFilterPlans(
  ctx: Ctx,
  { search, filters = {} }: Pick<FilmPageInput, 'search' | 'filters'> = {},
): Promise<FilterChoice[]> {
  requireStaff(ctx)
  const { rows } = await sql<{ plans: FilterChoice[] }>`
    select ${planChoices(ctx, { search, chosen: filters.group })} as plans`.execute(ctx.db)
  return rows[0]?.plans ?? []
}
