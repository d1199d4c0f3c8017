import { type OrderByItemBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { type LearnerState, learnerStates, type ModuleLearnerSort, moduleLearnersTable } from '~/forms/module-tables.ts'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { longestLiveList, type TableQuery } from '~/lib/table-query.ts'
import { isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage, type PageInput, parsePage } from '../paging.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import { failingAttempts } from './failed-test.ts'

/** A learner who has opened the module, with progress and score. */
export type ModuleLearner = {
  userUid: string
  name: string
  email: string
  /** Uid of the access plan that is valid today; null without one. */
  planUid: string | null
  startedAt: Date
  lastVisitedAt: Date
  completedAt: Date | null
  percent: number
  /** The highest score, in whole percent. */
  score: number | null
  /** True while the learner has a unit of the module open. */
  isOpen: boolean
  /** True while the learner is failing: see `failingAttempts`. */
  isFailing: boolean
}

type ListInput = Partial<Pick<TableQuery, 'search' | 'filters'>> & {
  moduleUid: string
}

export type ModuleLearnerPageInput = ListInput & Partial<Pick<TableQuery, 'sort' | 'isDescending' | 'page' | 'size'>>

/** A file of all learners is read in batches. Each starts with a query of its own, so they are large. */
const mostInBatch = 5000

/**
 * Lists the learners of a module by name, for staff, at most 5,000 at once. Erased learners are not listed, although
 * they count in statistics.
 */
export async function listModuleLearners(ctx: Ctx, input: PageInput & ListInput): Promise<Page<ModuleLearner>> {
  const { moduleUid, search, filters } = input
  const list = { moduleUid: moduleUid.toLowerCase(), search, filters: filters && JSON.stringify(filters) }
  const page = parsePage('module-learners', input, list, mostInBatch)
  const moduleId = await findModuleId(ctx, moduleUid)
  const learners = moduleId === null ? null : selectLearners(ctx, moduleId, input)
  if (!learners) return { items: [], endCursor: null, hasNextPage: false }
  let query = learners.joined.select(learners.columns).orderBy('users.name_key').orderBy('users.id')
  const { after } = page
  if (after) query = query.where(sql<SqlBool>`(users.name_key, users.id) > (${after.name}, ${after.id})`)
  const rows = await query.limit(page.first + 1).execute()
  const { items, ...rest } = pageByName(
    page,
    rows.map((row) => ({ ...row, name: row.nameKey })),
    toLearner,
  )
  return { items, ...rest }
}

type ModuleLearnerPage = {
  items: ModuleLearner[]
  /** How many learners match the search and the filters. */
  total: number
  /** The length of the whole list, counted up to one more than a browser keeps. */
  listed: number
  /** A fingerprint of the whole list, which changes with it. */
  state: string
}

/**
 * Lists the same learners for the report's table: searched by name or email, filtered, in any order, by page number.
 */
export async function listModuleLearnerPage(ctx: Ctx, input: ModuleLearnerPageInput): Promise<ModuleLearnerPage> {
  const moduleId = await findModuleId(ctx, input.moduleUid)
  if (moduleId === null) return { items: [], total: 0, listed: 0, state: '' }
  const [found, list] = await Promise.all([selectPage(ctx, moduleId, input), describeList(ctx, moduleId)])
  return { ...found, ...list }
}

async function selectPage(
  ctx: Ctx,
  moduleId: number,
  input: ModuleLearnerPageInput,
): Promise<{ items: ModuleLearner[]; total: number }> {
  const learners = selectLearners(ctx, moduleId, input)
  if (!learners) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage(input)
  const sort = moduleLearnersTable.sorts.find((known) => known === input.sort) ?? 'name'
  const key = sortKeys[sort]
  const inDirection = (order: OrderByItemBuilder) => (input.isDescending ? order.desc() : order.asc()).nullsLast()
  // Finds the ids on the page first and then the columns to show, so that a list of 100,000 learners is sorted with as
  // little data as possible.
  const page = learners.joined
    .select(['users.id', key.as('key')])
    .orderBy(key, inDirection)
    .orderBy('users.name_key')
    .orderBy('users.id')
    .limit(limit)
    .offset(offset)
  const [rows, { total }] = await Promise.all([
    learners.joined
      .innerJoin(page.as('page'), 'page.id', 'users.id')
      .select(learners.columns)
      .orderBy(sql`page.key`, inDirection)
      .orderBy('users.name_key')
      .orderBy('users.id')
      .execute(),
    learners.counted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { items: rows.map(toLearner), total }
}

async function describeList(ctx: Ctx, moduleId: number): Promise<{ listed: number; state: string }> {
  const { rows } = await sql<{ listed: number; state: string }>`
    select count(*) as listed, coalesce(md5(string_agg(state, ',' order by user_id)), '') as state
    from (
      select user_id, user_id || ' ' || last_visited_at || ' ' || progress_percent as state from module_progress
      where module_id = ${sql.lit(moduleId)} and ${isNotErased} limit ${longestLiveList + 1}) listed`.execute(ctx.db)
  return rows[0] ?? { listed: 0, state: '' }
}

async function findModuleId(ctx: Ctx, moduleUid: string): Promise<number | null> {
  requireStaff(ctx)
  if (!isUid(moduleUid)) throw new NotFound()
  const row = await ctx.db
    .selectFrom('modules')
    .select('id')
    .where('uid', '=', moduleUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Returns null if the search cannot match anybody. The module's id is a literal: with a parameter PostgreSQL plans for
 * a module of average size, and a module with 100,000 learners would take a second.
 */
function selectLearners(ctx: Ctx, moduleId: number, { search = '', filters = {} }: Partial<ListInput>) {
  if (!isStorable(search)) return null
  const module = sql<SqlBool>`module_progress.module_id = ${sql.lit(moduleId)}`
  const isOpen = hasUnitOpen(ctx, moduleId)
  const failing = isFailing(ctx, moduleId)
  const ofProgress = stateCondition(filters.state ?? [], { open: isOpen, failing })
  const ofPlan = filters.group ? hasPlan(ctx, filters.group.filter(isUid)) : sql<SqlBool>`true`
  const ofName = searchKey(search) === '' ? null : isFoundBy(sql`users.search_key`, search)
  const joined = ctx.db
    .selectFrom('module_progress')
    .innerJoin('users', 'users.id', 'module_progress.user_id')
    .where(module)
    .where('users.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .where(ofProgress)
    .where(ofPlan)
    .where(ofName ?? sql<SqlBool>`true`)
  // Without a search, users need not be read for the count.
  const alone = ctx.db.selectFrom('module_progress').where(module).where(isNotErased).where(ofProgress).where(ofPlan)
  const columns = [
    'users.id',
    'users.uid as userUid',
    'users.first_name as firstName',
    'users.last_name as lastName',
    'users.name_key as nameKey',
    'users.email',
    planOf(ctx).as('planUid'),
    'module_progress.started_at as startedAt',
    'module_progress.last_visited_at as lastVisitedAt',
    'module_progress.completed_at as completedAt',
    'module_progress.progress_percent as percent',
    'module_progress.highest_score as score',
    isOpen.as('isOpen'),
    failing.as('isFailing'),
  ] as const
  return { joined, counted: ofName ? joined : alone, columns }
}

const isNotErased = sql<SqlBool>`
  not exists (select from users erased where erased.id = module_progress.user_id and erased.erased_at is not null)`

function stateCondition(
  chosen: string[],
  { open, failing }: Record<'open' | 'failing', RawBuilder<SqlBool>>,
): RawBuilder<SqlBool> {
  const conditions: Record<LearnerState, RawBuilder<SqlBool>> = {
    progress: sql`module_progress.completed_at is null`,
    completed: sql`module_progress.completed_at is not null`,
    open,
    failing,
  }
  const states = learnerStates.filter((state) => chosen.includes(state))
  if (states.length === 0) return sql`true`
  return sql`(${sql.join(
    states.map((state) => conditions[state]),
    sql` or `,
  )})`
}

/**
 * Tells whether the learner has an open session in her own attempt: initialized, not ended, and not idle for so long
 * that it will be ended.
 */
function hasUnitOpen(ctx: Ctx, moduleId: number): RawBuilder<boolean> {
  const since = new Date(ctx.now.getTime() - env().LAUNCH_IDLE_HOURS * 3_600_000)
  return sql`module_progress.user_id in (
    select registrations.user_id
    from launch_sessions join registrations on registrations.id = launch_sessions.registration_id
    where launch_sessions.terminated_at is null and launch_sessions.abandoned_at is null
      and launch_sessions.last_seen_at > ${since} and launch_sessions.initialized_at is not null
      and launch_sessions.launched_by is null
      and registrations.module_id = ${sql.lit(moduleId)} and not registrations.is_preview)`
}

/** Tells whether the learner failed a test lately that must be passed, and has not completed the module. */
function isFailing(ctx: Ctx, moduleId: number): RawBuilder<boolean> {
  return sql`(module_progress.completed_at is null and module_progress.user_id in (
    select attempt.user_id from ${failingAttempts(ctx)} attempt where attempt.module_id = ${sql.lit(moduleId)}))`
}

function planOf(ctx: Ctx): RawBuilder<string | null> {
  return sql`(
    select access_plans.uid from subscriptions join access_plans on access_plans.id = subscriptions.access_plan_id
    where subscriptions.user_id = module_progress.user_id and ${isValidNow(ctx)})`
}

/**
 * Looks up the plans first, so that PostgreSQL knows how many people have them and does not check each person
 * separately.
 */
function hasPlan(ctx: Ctx, uids: string[]): RawBuilder<SqlBool> {
  return sql`exists (
    select from subscriptions where subscriptions.user_id = module_progress.user_id and ${isValidNow(ctx)}
      and subscriptions.access_plan_id = any(array(select id from access_plans where uid = any(${uids}::uuid[]))))`
}

function isValidNow(ctx: Ctx): RawBuilder<SqlBool> {
  return sql`(subscriptions.valid_from is null or subscriptions.valid_from <= ${ctx.now})
    and (subscriptions.valid_to is null or subscriptions.valid_to > ${ctx.now})`
}

const sortKeys: Record<ModuleLearnerSort, RawBuilder<unknown>> = {
  name: sql`users.name_key`,
  email: sql`users.email_key collate "C"`,
  started: sql`module_progress.started_at`,
  completed: sql`module_progress.completed_at`,
  progress: sql`module_progress.progress_percent`,
  score: sql`round(module_progress.highest_score)`,
}

type Row = Omit<ModuleLearner, 'name' | 'email'> & {
  firstName: string | null
  lastName: string | null
  email: string | null
}

function toLearner({ userUid, firstName, lastName, email, score, ...row }: Row): ModuleLearner {
  return {
    userUid,
    name: `${firstName ?? ''} ${lastName ?? ''}`.trim(),
    email: email ?? '',
    planUid: row.planUid,
    startedAt: row.startedAt,
    lastVisitedAt: row.lastVisitedAt,
    completedAt: row.completedAt,
    percent: row.percent,
    score: score === null ? null : Math.round(score),
    isOpen: row.isOpen,
    isFailing: row.isFailing,
  }
}
