/**
 * Users for the console's tables, for admins: one page, searched, filtered and sorted in the database, how many there are
 * on each tab, and the changes since a table was read.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  groupChoices,
  mostUsersAtOnce,
  noneOfThem,
  statusesOfTab,
  type UserSort,
  type UserTab,
  userTables,
} from '~/forms/user-tables.ts'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { longestLiveList, mostFilterOptions, type TableQuery } from '~/lib/table-query.ts'
import { containsPattern, isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { anyOf, type FilterChoice, planChoices } from '../access/content-tables.server.ts'
import { openDueWork } from '../access/due-work.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { limitsOfPage, type PageInput, parsePage } from '../paging.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import {
  daysBefore,
  invitationJoin,
  isDue,
  isOfSite,
  listUserEntries,
  statusConditions,
  tabConditions,
  type UserEntry,
} from './table-entries.server.ts'

export type UserPageInput = { tab: UserTab } & Partial<Omit<TableQuery, 'columns'>>

/** Tells whether a query finds everybody of its tab. Their number is then known without another count. */
export function isWholeTab({ search = '', filters = {} }: UserPageInput): boolean {
  return search === '' && Object.keys(filters).length === 0
}

/**
 * Lists one page of a tab, for admins. A page after the last one is empty. The total is not counted for a whole tab: see
 * `countUsersOfTabs`.
 */
export async function listUserPage(
  ctx: Ctx,
  input: UserPageInput,
): Promise<{ items: UserEntry[]; total: number | null }> {
  requireAdmin(ctx)
  const matches = conditionOf(ctx, input)
  if (!matches) return { items: [], total: 0 }
  if (input.filters?.due) return findWithTotal(ctx, input, matches)
  // The number of matches says how the page is best found.
  const total = isWholeTab(input) ? null : await countMatches(ctx, matches)
  if (total === 0) return { items: [], total }
  const isBroad = total === null || total > mostSorted
  // A page of a long list by name comes from the index on names, so that only the people before it are looked at.
  const isWalked = isBroad && (input.sort === undefined || input.sort === 'name')
  const found = (isWalked && conditionOf(ctx, input, { isWalked })) || matches
  const uids = await findUids(ctx, input, found, { ...limitsOfPage(input), isBroad })
  return { items: await listUserEntries(ctx, uids), total }
}

/** Up to so many matches are found before they are sorted. */
const mostSorted = 5000

async function countMatches(ctx: Ctx, matches: RawBuilder<SqlBool>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from users where ${matches}`.execute(
    ctx.db,
  )
  return rows[0]?.count ?? 0
}

/** Counts whom each of several queries finds, for admins, in one query. The counts are the totals of `listUserPage`. */
export async function countUsersFound(ctx: Ctx, inputs: UserPageInput[]): Promise<number[]> {
  requireAdmin(ctx)
  const counts = inputs.map(
    (input, index) => sql`(select count(*)::int from users where ${isFound(ctx, input)}) as ${sql.ref(`c${index}`)}`,
  )
  const { rows } = await sql<Record<string, number>>`select ${sql.join(counts)}`.execute(ctx.db)
  return inputs.map((_, index) => rows[0]?.[`c${index}`] ?? 0)
}

/** Lists the uids of everybody who was found, up to the number that one action may change, for admins. */
export async function listUserUidsFound(ctx: Ctx, input: UserPageInput, most = mostUsersAtOnce): Promise<string[]> {
  requireAdmin(ctx)
  const matches = conditionOf(ctx, input)
  return matches ? findUids(ctx, input, matches, { limit: most, offset: 0, isBroad: isWholeTab(input) }) : []
}

/** Lists a tab by name, a hundred users at a time, for admins. */
export async function listUserBatch(ctx: Ctx, input: PageInput & { tab: UserTab }): Promise<Page<UserEntry>> {
  requireAdmin(ctx)
  const page = parsePage('users-of-tab', input, { tab: input.tab })
  const { after, first } = page
  const { rows } = await sql<{ id: number; uid: string; name: string }>`
    select users.id, users.uid, users.name_key as name from users
    where ${isOnTab(ctx, input.tab)}
      and ${after ? sql`(users.name_key, users.id) > (${after.name}, ${after.id})` : sql`true`}
    order by users.name_key, users.id limit ${first + 1}`.execute(ctx.db)
  const { items: uids, ...rest } = pageByName(page, rows, ({ uid }) => uid)
  return { items: await listUserEntries(ctx, uids), ...rest }
}

/** Counts the users of each tab, for admins. */
export async function countUsersOfTabs(ctx: Ctx): Promise<Record<UserTab, number>> {
  requireAdmin(ctx)
  const { rows } = await sql<Record<UserTab, number>>`
    select
      (select count(*)::int from users where ${isOnTab(ctx, 'learners')}) as learners,
      (select count(*)::int from user_groups join users on users.id = user_groups.user_id
        where user_groups.name = 'admins' and users.is_active and ${isOfSite(ctx)}) as admins,
      (select count(*)::int from users where ${isOnTab(ctx, 'pending')}) as pending`.execute(ctx.db)
  return rows[0] ?? { learners: 0, admins: 0, pending: 0 }
}

/** A row also changes when somebody logs in. */
const changedAt = sql`greatest(users.updated_at, users.last_login_at)`

/**
 * Describes the whole list of a tab, for admins: its length, counted up to one more than a browser keeps, and a key of
 * its state that begins with the time of the latest change.
 */
export async function describeUserList(ctx: Ctx, input: { tab: UserTab }): Promise<{ listed: number; state: string }> {
  requireAdmin(ctx)
  const { rows } = await sql<{ listed: number; changed: Date | null; hash: string | null }>`
    with listed as materialized (
      select users.id, ${changedAt} as changed from users
      where ${isOnTab(ctx, input.tab)} limit ${longestLiveList + 1})
    select count(*)::int as listed, max(changed) as changed,
      md5(string_agg(id || ' ' || changed, ',' order by id)) as hash
    from listed`.execute(ctx.db)
  const { listed, changed, hash } = rows[0] ?? { listed: 0, changed: null, hash: null }
  if (listed > longestLiveList) return { listed, state: '0-' }
  return { listed, state: `${changed?.getTime() ?? 0}-${hash ?? ''}` }
}

/** If more has changed, reading the whole list again costs about the same. */
const mostChangesSent = 100

/**
 * Reads what changed on a tab since the given state, for admins. Returns null if too much changed. It reads one extra
 * minute again, because changes get their time before they are committed.
 */
export async function listUsersChangedSince(
  ctx: Ctx,
  input: { tab: UserTab; state: string },
): Promise<{ items: UserEntry[]; goneUids: string[] } | null> {
  requireAdmin(ctx)
  const time = Number(input.state.split('-')[0])
  if (!Number.isSafeInteger(time) || time <= 0 || time > 8.64e15) return null
  const { rows } = await sql<{ uid: string; isListed: boolean }>`
    select users.uid, ${isOnTab(ctx, input.tab)} as "isListed" from users
    where users.site_id = ${ctx.site.id} and ${changedAt} >= ${new Date(time - 60_000)}
    limit ${mostChangesSent + 1}`.execute(ctx.db)
  if (rows.length > mostChangesSent) return null
  const uidsWhere = (wanted: boolean) => rows.filter(({ isListed }) => isListed === wanted).map(({ uid }) => uid)
  return { items: await listUserEntries(ctx, uidsWhere(true)), goneUids: uidsWhere(false) }
}

type UserFilterChoices = Record<'institutions' | 'plans', FilterChoice[]>

/**
 * Lists the institutions and plans that the tables can be filtered by, for admins: at most `mostFilterOptions` of each,
 * first those that `filters` has chosen. `search` narrows them by name.
 */
export async function listUserFilterChoices(
  ctx: Ctx,
  { search = '', filters = {} }: Partial<Pick<UserPageInput, 'search' | 'filters'>> = {},
): Promise<UserFilterChoices> {
  requireAdmin(ctx)
  const pattern = isStorable(search) ? containsPattern(searchKey(search)) : ''
  const chosen = (filters.institution ?? []).filter(isUid)
  const { rows } = await sql<UserFilterChoices>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'name', name) order by name), '[]') from (
        select uid, name from universities
        where site_id = ${ctx.site.id} and search_key like ${pattern}
        order by (uid = any(${chosen}::uuid[])) desc, name limit ${mostFilterOptions}) institution) as institutions,
      ${planChoices(ctx, { search, chosen: filters.plan })} as plans`.execute(ctx.db)
  return rows[0] ?? { institutions: [], plans: [] }
}

function isOnTab(ctx: Ctx, tab: UserTab): RawBuilder<SqlBool> {
  return sql`(${isOfSite(ctx)} and ${tabConditions[tab]})`
}

/** Finds the uids on a page. Everything else about them is read separately, for this page only. */
async function findUids(
  ctx: Ctx,
  input: UserPageInput,
  matches: RawBuilder<SqlBool>,
  { limit, offset, isBroad }: { limit: number; offset: number; isBroad: boolean },
): Promise<string[]> {
  const { join, order } = sortOf(ctx, input)
  // A long list follows the index of its order. Few matches are found first, because PostgreSQL cannot tell how few they
  // are, and would look for them along that index.
  const found = isBroad ? matches : sql<SqlBool>`users.id = any(array(select users.id from users where ${matches}))`
  const listed =
    isBroad && input.sort === 'plan'
      ? listByPlan(ctx, input, found, offset + limit)
      : sql`select users.id from users ${join} where ${found} order by ${order}`
  // The indexes have everything but the uids.
  const { rows } = await sql<{ uid: string }>`
    select users.uid
    from unnest(array(${listed} limit ${limit} offset ${offset})) with ordinality as listed (id, place)
    join users on users.id = listed.id
    order by listed.place`.execute(ctx.db)
  return rows.map(({ uid }) => uid)
}

/** Lists people of each plan, and those without one, up to the end of a page: the index has them by plan and name. */
function listByPlan(
  ctx: Ctx,
  { isDescending }: UserPageInput,
  matches: RawBuilder<SqlBool>,
  most: number,
): RawBuilder<unknown> {
  const peopleWhere = (plan: RawBuilder<unknown>) => sql`
    select users.id, users.name_key from users where ${matches} and ${plan}
    order by users.name_key, users.id limit ${most}`
  return sql`
    select person.id from (
      select subscriber.*, plan.place from ${placesOfPlans(ctx)} plan
        cross join lateral (${peopleWhere(sql`users.subscribed_plan_id = plan.id`)}) subscriber
      union all
      select other.*, null from (${peopleWhere(sql`users.subscribed_plan_id is null`)}) other) person
    order by person.place ${isDescending ? sql`desc` : sql`asc`} nulls last, person.name_key, person.id`
}

/** Evaluates the condition once, for those that cost more than sorting everybody whom they find. */
async function findWithTotal(
  ctx: Ctx,
  input: UserPageInput,
  matches: RawBuilder<SqlBool>,
): Promise<{ items: UserEntry[]; total: number }> {
  const { limit, offset } = limitsOfPage(input)
  const { join, order } = sortOf(ctx, input)
  const { rows } = await sql<{ uids: string[]; total: number }>`
    with found as materialized (select users.id from users where ${matches})
    select (select count(*)::int from found) as total, array(
      select users.uid from found join users on users.id = found.id ${join}
      order by ${order} limit ${limit} offset ${offset}) as uids`.execute(ctx.db)
  const { uids, total } = rows[0] ?? { uids: [], total: 0 }
  return { items: await listUserEntries(ctx, uids), total }
}

type SortKey = {
  key: RawBuilder<unknown>
  join?: RawBuilder<unknown>
  /** Everybody has a value, so that one index serves both directions. */
  isNeverNull?: boolean
}

function sortOf(ctx: Ctx, input: UserPageInput): { join: RawBuilder<unknown>; order: RawBuilder<unknown> } {
  const sorts: readonly UserSort[] = userTables[input.tab].sorts
  const { key, join = sql``, isNeverNull } = sortKeys(ctx)[sorts.find((known) => known === input.sort) ?? 'name']
  const way = input.isDescending ? sql`desc` : sql`asc`
  const order = isNeverNull
    ? sql`${key} ${way}, users.name_key ${way}, users.id ${way}`
    : sql`${key} ${way} nulls last, users.name_key, users.id`
  return { join, order }
}

function sortKeys(ctx: Ctx): Record<UserSort, SortKey> {
  const completed = (table: 'module_progress' | 'course_progress') => sql`left join (
    select user_id, count(*) as completed from ${sql.table(table)}
    where site_id = ${ctx.site.id} and completed_at is not null group by user_id) done on done.user_id = users.id`
  return {
    name: { key: sql`users.name_key`, isNeverNull: true },
    email: { key: sql`users.email_key collate "C"`, isNeverNull: true },
    joined: { key: sql`users.joined_at` },
    login: { key: sql`users.last_login_at` },
    plan: {
      // The place of a plan among the few there are is faster to sort by than its name.
      key: sql`plan.place`,
      join: sql`left join ${placesOfPlans(ctx)} plan on plan.id = users.subscribed_plan_id`,
    },
    type: { key: sql`users.subscribed_type` },
    until: { key: sql`users.subscribed_until` },
    modules: { key: sql`coalesce(done.completed, 0)`, join: completed('module_progress') },
    courses: { key: sql`coalesce(done.completed, 0)`, join: completed('course_progress') },
    invited: { key: sql`coalesce(invitation.at, users.created_at)`, join: invitationJoin },
    mail: { key: sql`invitation.mail_state collate "C"`, join: invitationJoin },
  }
}

function placesOfPlans(ctx: Ctx): RawBuilder<unknown> {
  return sql`(
    select id, dense_rank() over (order by lower(name) collate "C") as place
    from access_plans where site_id = ${ctx.site.id})`
}

/** SQL condition on `users`: whom a query of a tab finds, for other domains. They check who may ask. */
export function isFound(ctx: Ctx, input: UserPageInput): RawBuilder<SqlBool> {
  return conditionOf(ctx, input) ?? sql`false`
}

/**
 * Builds the condition of a search on a tab. Returns null if nothing can match. An unknown filter or value finds nobody:
 * everybody found is written to and assigned content.
 */
function conditionOf(
  ctx: Ctx,
  { tab, search = '', filters = {} }: UserPageInput,
  { isWalked = false }: { isWalked?: boolean } = {},
): RawBuilder<SqlBool> | null {
  const known: readonly string[] = userTables[tab].filters
  if (!isStorable(search) || Object.keys(filters).some((name) => !known.includes(name))) return null
  const conditions = [isOnTab(ctx, tab), isFoundByName(search)]
  const { status, institution, plan, group, login, expiry, due } = filters
  if (status) {
    const statuses = statusesOfTab[tab].filter((one) => status.includes(one))
    conditions.push(anyOf([sql`false`, ...statuses.map((one) => statusConditions(ctx)[one])]))
  }
  if (institution) conditions.push(isOfInstitution(ctx, institution))
  if (plan) conditions.push(hasPlan(ctx, plan))
  if (group) {
    const groups = groupChoices.map(({ value }) => value).filter((one) => group.includes(one))
    conditions.push(sql`exists (
      select from user_groups where user_groups.user_id = users.id and user_groups.name = any(${groups}::text[]))`)
  }
  if (login) conditions.push(anyOf(login.map((value) => hasLoggedIn(ctx, value))))
  if (expiry) conditions.push(anyOf(expiry.map((value) => hasExpiry(ctx, value))))
  if (due) conditions.push(anyOf(due.map((value) => hasDueWork(ctx, value, isWalked))))
  return sql`${sql.join(conditions, sql` and `)}`
}

/**
 * The trigrams of `users_search` need three letters or digits in a row. For less, PostgreSQL would still read all of them
 * instead of the learners, so it gets an expression that no index has.
 */
function isFoundByName(search: string): RawBuilder<SqlBool> {
  const hasTrigram = /[\p{L}\p{N}]{3}/u.test(searchKey(search))
  return isFoundBy(hasTrigram ? sql`users.search_key` : sql`(users.search_key || '')`, search)
}

/** Looks the institutions up first, so that PostgreSQL knows how many people belong to them. */
function isOfInstitution(ctx: Ctx, chosen: string[]): RawBuilder<SqlBool> {
  const inOne = sql<SqlBool>`users.university_id = any(array(
    select id from universities where site_id = ${ctx.site.id} and uid = any(${chosen.filter(isUid)}::uuid[])))`
  return chosen.includes(noneOfThem) ? anyOf([sql`users.university_id is null`, inOne]) : inOne
}

function hasPlan(ctx: Ctx, chosen: string[]): RawBuilder<SqlBool> {
  const inOne = sql<SqlBool>`users.subscribed_plan_id = any(array(
    select id from access_plans where site_id = ${ctx.site.id} and uid = any(${chosen.filter(isUid)}::uuid[])))`
  return chosen.includes(noneOfThem) ? anyOf([sql`users.subscribed_plan_id is null`, inOne]) : inOne
}

function hasLoggedIn(ctx: Ctx, choice: string): RawBuilder<SqlBool> {
  if (choice === 'never') return sql`users.last_login_at is null`
  if (choice === 'older') return sql`users.last_login_at < ${daysBefore(ctx, 90)}`
  return ['7', '30', '90'].includes(choice)
    ? sql`users.last_login_at >= ${daysBefore(ctx, Number(choice))}`
    : sql`false`
}

/**
 * Follows the index of due dates first, because few assignments have one. Where most people have something due, that
 * reads the work of all of them for one page; `isWalked` looks at one person after the other instead. PostgreSQL would
 * turn an `exists` into the first way, so it gets a subquery for one value.
 */
function hasDueWork(ctx: Ctx, choice: string, isWalked: boolean): RawBuilder<SqlBool> {
  if (choice !== 'late' && choice !== 'late30' && choice !== '7') return sql`false`
  if (isWalked) {
    return sql`coalesce((
      select true from ${openDueWork(ctx)} work
      where work.user_id = users.id and ${isDue(ctx, choice)} limit 1), false)`
  }
  return sql`users.id in (select work.user_id from ${openDueWork(ctx)} work where ${isDue(ctx, choice)})`
}

function hasExpiry(ctx: Ctx, choice: string): RawBuilder<SqlBool> {
  const until = sql`users.subscribed_until`
  if (choice === 'never') return sql`(users.subscribed_plan_id is not null and ${until} is null)`
  if (choice === 'ended') return sql`${until} <= ${ctx.now}`
  if (!['30', '60', '90'].includes(choice)) return sql`false`
  return sql`(${until} > ${ctx.now} and ${until} <= ${daysBefore(ctx, -Number(choice))})`
}
