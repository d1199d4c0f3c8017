import { sql } from 'kysely'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { caseKey, containsPattern, isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage, type NumberedPageInput, type PageInput, parsePage } from '../paging.ts'

/** A learner who has opened the module, with what came of it. */
export type ModuleLearner = {
  userUid: string
  name: string
  email: string
  startedAt: Date
  lastVisitedAt: Date
  completedAt: Date | null
  percent: number
  /** The highest score, in whole percent. */
  score: number | null
}

export const moduleLearnerSorts = ['name', 'email', 'started', 'completed', 'progress', 'score'] as const
export type ModuleLearnerSort = (typeof moduleLearnerSorts)[number]

export type ModuleLearnerPageInput = NumberedPageInput & {
  moduleUid: string
  search?: string
  sort?: ModuleLearnerSort
  isDescending?: boolean
}

/** By last name; for admins and authors. Those who were erased are in the figures and not in the list. */
export async function listModuleLearners(
  ctx: Ctx,
  input: PageInput & { moduleUid: string; search?: string },
): Promise<Page<ModuleLearner> & { total: number }> {
  const { moduleUid, search } = input
  const page = parsePage('module-learners', input, { moduleUid: moduleUid.toLowerCase(), search })
  const { first, after } = page
  const learners = learnersOf(ctx, input)
  if (!learners) return { items: [], endCursor: null, hasNextPage: false, total: 0 }
  const name = sql<string>`coalesce(users.last_name, '') || ' ' || coalesce(users.first_name, '')`
  let query = learners
    .select([...columns, name.as('name')])
    .orderBy(name)
    .orderBy('users.id')
  if (after) query = query.where(sql<boolean>`(${name}, users.id) > (${after.name}, ${after.id})`)
  const [rows, { total }] = await Promise.all([
    query.limit(first + 1).execute(),
    learners.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { ...pageByName(page, rows, toLearner), total }
}

/** The same people for the report's table: searched by name or e-mail, in any order, walked by number. */
export async function listModuleLearnerPage(
  ctx: Ctx,
  input: ModuleLearnerPageInput,
): Promise<{ items: ModuleLearner[]; total: number }> {
  const learners = learnersOf(ctx, input)
  if (!learners) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage(input)
  const [rows, { total }] = await Promise.all([
    learners
      .select(columns)
      .orderBy(sortKeys[input.sort ?? 'name'], (order) => (input.isDescending ? order.desc() : order.asc()).nullsLast())
      .orderBy(sortKeys.name)
      .orderBy('users.id')
      .limit(limit)
      .offset(offset)
      .execute(),
    learners.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { items: rows.map(toLearner), total }
}

/** Null where the search can find nobody. */
function learnersOf(ctx: Ctx, input: { moduleUid: string; search?: string }) {
  requireStaff(ctx)
  if (!isUid(input.moduleUid)) throw new NotFound()
  const search = input.search ?? ''
  if (!isStorable(search)) return null
  const query = ctx.db
    .selectFrom('module_progress')
    .innerJoin('modules', 'modules.id', 'module_progress.module_id')
    .innerJoin('users', 'users.id', 'module_progress.user_id')
    .where('modules.uid', '=', input.moduleUid)
    .where(isListed(ctx, 'modules'))
    .where('users.erased_at', 'is', null)
  const key = caseKey(search)
  if (key === '') return query
  const pattern = containsPattern(key)
  return query.where(sql<boolean>`(${sortKeys.name} like ${pattern} or ${sortKeys.email} like ${pattern})`)
}

const columns = [
  'users.id',
  'users.uid as userUid',
  'users.first_name as firstName',
  'users.last_name as lastName',
  'users.email',
  'module_progress.started_at as startedAt',
  'module_progress.last_visited_at as lastVisitedAt',
  'module_progress.completed_at as completedAt',
  'module_progress.progress_percent as percent',
  'module_progress.highest_score as score',
] as const

/** As the table shows them, and as `caseKey` orders them in the browser. */
const sortKeys = {
  name: sql<string>`lower(normalize(trim(coalesce(users.first_name, '') || ' ' || coalesce(users.last_name, '')), NFKC)
    collate "und-x-icu") collate "C"`,
  email: sql<string>`users.email_key collate "C"`,
  started: sql<Date>`module_progress.started_at`,
  completed: sql<Date>`module_progress.completed_at`,
  progress: sql<number>`module_progress.progress_percent`,
  score: sql<number>`round(module_progress.highest_score)`,
} satisfies Record<ModuleLearnerSort, unknown>

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
    startedAt: row.startedAt,
    lastVisitedAt: row.lastVisitedAt,
    completedAt: row.completedAt,
    percent: row.percent,
    score: score === null ? null : Math.round(score),
  }
}
