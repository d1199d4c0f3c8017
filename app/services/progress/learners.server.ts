import { sql } from 'kysely'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed, seesDrafts } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { NotFound, requireThat } from '../errors.ts'
import { type PageInput, parsePage } from '../paging.ts'

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

/** By last name; for admins and authors. Those who were erased are in the figures and not in the list. */
export async function listModuleLearners(
  ctx: Ctx,
  input: PageInput & { moduleUid: string },
): Promise<Page<ModuleLearner> & { total: number }> {
  requireViewer(ctx)
  requireThat(seesDrafts(ctx))
  if (!isUid(input.moduleUid)) throw new NotFound()
  const { first, after } = parsePage(input)
  const name = sql<string>`coalesce(users.last_name, '') || ' ' || coalesce(users.first_name, '')`
  const learners = ctx.db
    .selectFrom('module_progress')
    .innerJoin('modules', 'modules.id', 'module_progress.module_id')
    .innerJoin('users', 'users.id', 'module_progress.user_id')
    .where('modules.uid', '=', input.moduleUid)
    .where(isListed(ctx, 'modules'))
    .where('users.erased_at', 'is', null)
  let query = learners
    .select([
      'users.id',
      name.as('name'),
      'users.uid as userUid',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.email',
      'module_progress.started_at as startedAt',
      'module_progress.last_visited_at as lastVisitedAt',
      'module_progress.completed_at as completedAt',
      'module_progress.progress_percent as percent',
      'module_progress.highest_score as score',
    ])
    .orderBy(name)
    .orderBy('users.id')
  if (after) query = query.where(sql<boolean>`(${name}, users.id) > (${after.name}, ${after.id})`)
  const [rows, { total }] = await Promise.all([
    query.limit(first + 1).execute(),
    learners.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  const page = pageByName(rows, first, ({ id: _, firstName, lastName, score, email, ...row }) => ({
    ...row,
    name: `${firstName ?? ''} ${lastName ?? ''}`.trim(),
    email: email ?? '',
    score: score === null ? null : Math.round(score),
  }))
  return { ...page, total }
}
