/** What the lines of a report are about: a person, or the people of an institution, position or group. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { brands } from '~/config/brands.ts'
import type { GroupingFilter, ReportAggregate } from '~/forms/reports.ts'
import type { Ctx } from '../context.ts'
import type { Cell } from './report-cells.server.ts'

/** SQL: the page of a person; none after the account was erased. */
const userLink = sql`case when users.erased_at is null then 'user:' || users.uid end`

/** Deleted users have no name and are last. */
const nameOrder = [sql`(users.erased_at is not null)`, sql`users.name_key`]

/** A name may be missing in an account that was erased; what it did stays. */
export const personCells: Cell[] = [
  {
    head: 'Name',
    sql: sql`case when users.erased_at is not null then 'Deleted user'
      else coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), '') end`,
    by: nameOrder,
    link: userLink,
  },
  { head: 'Email', sql: sql`case when users.erased_at is null then users.email end` },
]

export const byPerson = sql`${sql.join(nameOrder)}, users.id`

/** SQL: joins the person of a row that always has one. With the site, the first lines by name are found in an index of names. */
export const personOf = (ctx: Ctx, userId: RawBuilder<unknown>) =>
  sql`join users on users.id = ${userId} and users.site_id = ${ctx.site.id}`

/** What people are grouped by. */
export type Group = {
  /** SQL: what the people of a group have in common. Equal names are one line, also if the keys differ. */
  key: RawBuilder<unknown>
  /** The column of `user_facets` that is the key; null for the institution of `users`. */
  facet: 'position' | 'group_key' | null
  /** What the key needs next to `users`. */
  join: RawBuilder<unknown>
  /** What the key needs for a person of the site without `users`, where every row has one. */
  people: (userId: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The first cell of the line, made from a key. */
  cell: (key: RawBuilder<unknown>) => Cell
  /** What the cell needs. */
  names: (key: RawBuilder<unknown>) => RawBuilder<unknown>
}

export function groupOf(
  ctx: Ctx,
  aggregate: Exclude<ReportAggregate, 'user'>,
  { isGrouped = true }: { isGrouped?: boolean } = {},
): Group {
  const facetsOf = (userId: RawBuilder<unknown>) => sql`left join user_facets facets on facets.user_id = ${userId}`
  const facets = facetsOf(sql`users.id`)
  // Equal names are one line.
  const named = (about: GroupingFilter, name: RawBuilder<unknown>) =>
    sql`${sql.lit(`${about}:`)} || ${isGrouped ? sql`min(${name})` : name}`
  const groups: Record<typeof aggregate, Group> = {
    institution: {
      key: sql`users.university_id`,
      facet: null,
      join: sql``,
      people: (userId) => personOf(ctx, userId),
      cell: () => ({
        head: 'Institution',
        sql: sql`coalesce(institution.name::text, 'No institution')`,
        // Every institution has a name of its own.
        link: sql`'institution:' || coalesce(
          ${isGrouped ? sql`min(institution.uid::text)` : sql`institution.uid::text`}, 'none')`,
      }),
      names: (key) => sql`left join universities institution on institution.id = ${key}`,
    },
    position: {
      key: sql`facets.position`,
      facet: 'position',
      join: facets,
      people: facetsOf,
      cell: (key) => ({
        head: 'Position',
        sql: positionName(key),
        link: named('position', positionName(key)),
      }),
      names: () => sql``,
    },
    group: {
      key: sql`facets.group_key`,
      facet: 'group_key',
      join: facets,
      people: facetsOf,
      cell: (key) => ({
        head: 'Group',
        sql: siteGroupName(ctx, key),
        link: named('site_group', sql`coalesce(${key}, 'external')`),
      }),
      names: () => sql``,
    },
  }
  return groups[aggregate]
}

/** SQL: what somebody does, as lines have it. */
function positionName(key: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(nullif(${key}, ''), ${withoutPosition})`
}

const withoutPosition = 'No position'

/** SQL: the site's own group, that of its default institution, or that of all others (C-136). */
function siteGroupName(ctx: Ctx, key: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case coalesce(${key}, 'external')
    when 'site' then ${brands[ctx.site.key].name}::text
    when 'university' then coalesce((
      select universities.name::text from sites join universities on universities.id = sites.default_university_id
      where sites.id = ${ctx.site.id}), 'University')
    else 'External' end`
}

/** The line of each group by its key: its name, and all keys that have this name. */
export type SiteGroups = Map<string, { name: string; keys: string[] }>

export async function findSiteGroups(ctx: Ctx): Promise<SiteGroups> {
  const { rows } = await sql<{ name: string; keys: string[] }>`
    select ${siteGroupName(ctx, sql`key`)} as name, array_agg(key) as keys
    from unnest(array['site', 'university', 'external']) key group by 1`.execute(ctx.db)
  return new Map(rows.flatMap((line) => line.keys.map((key) => [key, line])))
}

/** SQL condition on `users`: the line of this position is about them. Whoever has no facets is in “No position”. */
export function hasPosition(ctx: Ctx, name: string): RawBuilder<SqlBool> {
  return name === withoutPosition
    ? sql`not ${hasFacets(ctx, sql`facets.position not in ('', ${name})`)}`
    : hasFacets(ctx, sql`facets.position = ${name}`)
}

/** SQL condition on `users`: the line of these groups is about them. Whoever has no facets is in “External”. */
export function isInSiteGroup(ctx: Ctx, keys: string[]): RawBuilder<SqlBool> {
  return keys.includes('external')
    ? sql`not ${hasFacets(ctx, sql`facets.group_key <> all(${keys}::text[])`)}`
    : hasFacets(ctx, sql`facets.group_key = any(${keys}::text[])`)
}

/** Compares columns themselves, because PostgreSQL has statistics about columns and not about what is made of them. */
function hasFacets(ctx: Ctx, condition: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`exists (
    select from user_facets facets
    where facets.user_id = users.id and facets.site_id = ${ctx.site.id} and ${condition})`
}
