/** What the console's tables of modules, courses, lectures and videos share: conditions, the state of a list, choices. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { longestLiveList, mostFilterOptions } from '~/lib/table-query.ts'
import { containsPattern, isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { isFoundWhere, searchKeyOf } from '../search-conditions.server.ts'
import { type ContentKind, isManaged } from './access.server.ts'
import { joins } from './parts.server.ts'

/** What every table of content reads of a row. */
export type ContentEntry = {
  uid: string
  name: string
  updatedAt: Date
  /** Of the latest version; null if there is none. */
  version: number | null
  /** Of the published version; null if there is none. */
  publishedVersion: number | null
  /** Null without a version, and if its author was deleted or was the command line. */
  author: { uid: string; firstName: string; lastName: string } | null
  tags: string[]
  plans: { uid: string; name: string }[]
}

/** The columns of ContentEntry. They need `contentEntryJoins`. */
export function contentEntryColumns(kind: 'modules' | 'courses'): RawBuilder<unknown> {
  const own = (column: string) => sql.ref(`${kind}.${column}`)
  return sql`${own('uid')}, ${own('name')}, ${own('updated_at')} as "updatedAt",
    latest.version, published.version as "publishedVersion", author.entry as author,
    ${tagsAndPlans}`
}

/** The joins for `contentEntryColumns`, as `latest`, `published`, `author`, `tagged` and `granted`. */
export function contentEntryJoins(kind: 'modules' | 'courses'): RawBuilder<unknown> {
  const versions = sql.table(kind === 'modules' ? 'module_versions' : 'course_versions')
  const own = (name: string) => sql.ref(`${kind}.${name}`)
  return sql`
    left join ${versions} latest on latest.id = ${own('latest_version_id')}
    left join ${versions} published on published.id = ${own('published_version_id')}
    left join lateral (
      select jsonb_build_object(
        'uid', uid, 'firstName', coalesce(first_name, ''), 'lastName', coalesce(last_name, '')) as entry
      from users where id = latest.author_id and email is not null) author on true
    ${tagAndPlanJoins(kind)}`
}

/** The joins for `tagsAndPlans`, as `tagged` and `granted`. */
export function tagAndPlanJoins(kind: ContentKind): RawBuilder<unknown> {
  const { tags, plans, column } = joins[kind]
  const id = sql.ref(`${kind}.id`)
  return sql`
    left join lateral (
      select jsonb_agg(tags.text order by tags.text) as texts
      from ${sql.table(tags)} own join tags on tags.id = own.tag_id
      where own.${sql.ref(column)} = ${id}) tagged on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('uid', access_plans.uid, 'name', access_plans.name)
        order by access_plans.name) as plans
      from ${sql.table(plans)} own join access_plans on access_plans.id = own.access_plan_id
      where own.${sql.ref(column)} = ${id}) granted on true`
}

/** The tags and plans of a row. They need `tagAndPlanJoins`. */
export const tagsAndPlans = sql`coalesce(tagged.texts, '[]') as tags, coalesce(granted.plans, '[]') as plans`

/** SQL condition: the search finds the name or the tags. Null if no text can hold it. */
export function nameOrTagHolds(kind: ContentKind, search: string): RawBuilder<SqlBool> | null {
  if (!isStorable(search)) return null
  const { tags, column } = joins[kind]
  // The search key of a film also has its presenter, so it only leads to the names that may match.
  const isFilm = kind === 'lectures' || kind === 'videos'
  const name = searchKeyOf(sql.ref(`${kind}.name`))
  // A site has few tags, so scanning them all is cheap.
  return isFoundWhere(
    search,
    (holds) => sql`((${holds(sql.ref(`${kind}.search_key`))}
        ${isFilm ? sql`and (presenter = '' or ${holds(name)})` : sql``})
      or ${sql.ref(`${kind}.id`)} in (
        select own.${sql.ref(column)} from tags join ${sql.table(tags)} own on own.tag_id = tags.id
        where ${holds(searchKeyOf(sql`tags.text`))}))`,
  )
}

/** SQL condition: the content is in one of these plans. */
export function hasPlan(kind: ContentKind, planUids: string[]): RawBuilder<SqlBool> {
  const { plans, column } = joins[kind]
  return sql`exists (
    select from ${sql.table(plans)} own join access_plans on access_plans.id = own.access_plan_id
    where own.${sql.ref(column)} = ${sql.ref(`${kind}.id`)} and access_plans.uid = any(${planUids.filter(isUid)}::uuid[]))`
}

export function anyOf(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(conditions, sql` or `)})`
}

/** When a row of the table last changed: `at` may use `join`, which joins more tables to that of the kind. */
type Changed = { at: RawBuilder<unknown>; join?: RawBuilder<unknown> }

/**
 * Returns the length of the whole list, counted up to one more than a browser keeps, and a key of its present state.
 * The key begins with the time of the latest change, in milliseconds, for `listChangedSince`. A list that is too long
 * for a browser has the key of an empty one.
 */
export async function describeList(
  ctx: Ctx,
  kind: ContentKind,
  changed: Changed = { at: sql.ref(`${kind}.updated_at`) },
): Promise<{ listed: number; state: string }> {
  const id = sql.ref(`${kind}.id`)
  const { rows } = await sql<{ listed: number; changed: Date | null; hash: string | null }>`
    with listed as materialized (
      select ${id} from ${sql.table(kind)} where ${isManaged(ctx, kind)} limit ${longestLiveList + 1})
    select (select count(*) from listed) as listed, max(changed) as changed,
      md5(string_agg(id || ' ' || changed, ',' order by id)) as hash
    from (
      select ${id}, ${changed.at} as changed
      from ${sql.table(kind)} ${changed.join ?? sql``}
      where ${id} in (select id from listed) and (select count(*) from listed) <= ${longestLiveList}) short`.execute(
    ctx.db,
  )
  const row = rows[0] ?? { listed: 0, changed: null, hash: null }
  return { listed: row.listed, state: `${row.changed?.getTime() ?? 0}-${row.hash ?? ''}` }
}

/** If more has changed, reading the whole list again costs about the same. */
const mostChangesSent = 100

/**
 * Finds the uids of what changed in a list since the given state, so that a table can refresh single rows. Returns null
 * if too much changed. It reads one extra minute again, because changes get their time before they are committed.
 */
export async function listChangedSince(
  ctx: Ctx,
  kind: ContentKind,
  input: { state: string },
  changed: Changed = { at: sql.ref(`${kind}.updated_at`) },
): Promise<{ uids: string[]; goneUids: string[] } | null> {
  const time = Number(input.state.split('-')[0])
  if (!Number.isSafeInteger(time) || time <= 0 || time > 8.64e15) return null
  const since = new Date(time - 60_000)
  const uid = sql.ref(`${kind}.uid`)
  const [{ rows }, gone] = await Promise.all([
    sql<{ uid: string }>`
      select ${uid} from ${sql.table(kind)} ${changed.join ?? sql``}
      where ${isManaged(ctx, kind)} and ${changed.at} >= ${since} limit ${mostChangesSent + 1}`.execute(ctx.db),
    sql<{ uid: string }>`
      select uid from ${sql.table(kind)}
      where site_id = ${ctx.site.id} and deleted_at >= ${since} limit ${mostChangesSent + 1}`.execute(ctx.db),
  ])
  if (rows.length > mostChangesSent || gone.rows.length > mostChangesSent) return null
  return { uids: rows.map(({ uid }) => uid), goneUids: gone.rows.map(({ uid }) => uid) }
}

export type FilterChoice = { uid: string; name: string }

/** What the choices of a filter are narrowed by, and those that are chosen already, which come first. */
export type ChoiceInput = { search?: string; chosen?: string[] }

function patternOf(search = ''): string {
  return isStorable(search) ? containsPattern(searchKey(search)) : ''
}

const chosenFirst = (chosen: string[] = []) => sql`(uid = any(${chosen.filter(isUid)}::uuid[])) desc`

/** A subquery of the site's plans as JSON, by name, at most `mostFilterOptions`. */
export function planChoices(ctx: Ctx, { search, chosen }: ChoiceInput): RawBuilder<FilterChoice[]> {
  return sql`(select coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'name', name) order by name), '[]') from (
    select uid, name from access_plans
    where site_id = ${ctx.site.id}
      and ${searchKeyOf(sql`name`)} like ${patternOf(search)}
    order by ${chosenFirst(chosen)}, name limit ${mostFilterOptions}) plan)`
}

/**
 * A subquery of the authors of versions as JSON, by name, at most `mostFilterOptions`, searched by name or address. The
 * authors are found first, as an array: PostgreSQL would otherwise look for the versions of each of a hundred thousand
 * people.
 */
export function authorChoices(
  ctx: Ctx,
  versions: 'module_versions' | 'course_versions',
  { search, chosen }: ChoiceInput,
): RawBuilder<FilterChoice[]> {
  return sql`(select coalesce(
      jsonb_agg(jsonb_build_object('uid', uid, 'name', concat_ws(' ', first_name, last_name)) order by name_key, id), '[]')
    from (
      select id, uid, first_name, last_name, name_key from users
      where site_id = ${ctx.site.id} and erased_at is null and search_key like ${patternOf(search)}
        and id = any(array(select distinct author_id from ${sql.table(versions)} where author_id is not null))
      order by ${chosenFirst(chosen)}, name_key, id limit ${mostFilterOptions}) author)`
}
