/** The numbers of modules in the console, for a page of them in one query. */
import { sql } from 'kysely'
import { isListed, seesDrafts } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'

export type ModuleStatistics = ModuleFigures & {
  /** Open accounts of the site's learners. */
  totalUsers: number
  /** Those of them whose plan, valid today, is one of the module's. */
  usersWithAccess: number
}

/** What learners have made of a module. */
export type ModuleFigures = {
  numStarts: number
  numCompletions: number
  /** Mean of the learners' highest scores, in percent; null while nobody has one. */
  avgScore: number | null
}

/** By module uid, for staff: without counting the site's learners, who may be many. A module that nobody has opened is not in it. */
export async function listModuleFigures(ctx: Ctx, moduleUids: string[]): Promise<Map<string, ModuleFigures>> {
  requireStaff(ctx)
  if (moduleUids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('module_progress')
    .innerJoin('modules', 'modules.id', 'module_progress.module_id')
    .select((eb) => [
      'modules.uid',
      eb.fn.countAll<number>().as('numStarts'),
      eb.fn.count<number>('completed_at').as('numCompletions'),
      eb.fn.avg<number | null>('highest_score').as('avgScore'),
    ])
    .where('modules.uid', 'in', moduleUids)
    .where(isListed(ctx, 'modules'))
    .groupBy('modules.uid')
    .execute()
  return new Map(
    rows.map(({ uid, avgScore, ...row }) => [uid, { ...row, avgScore: avgScore === null ? null : Number(avgScore) }]),
  )
}

/** By module uid; null for all but staff. */
export async function listModuleStatistics(
  ctx: Ctx,
  moduleUids: string[],
): Promise<Map<string, ModuleStatistics> | null> {
  if (!seesDrafts(ctx)) return null
  if (moduleUids.length === 0) return new Map()
  // Learners are counted once per plan, not once per module: plans are few and users many.
  const rows = await ctx.db
    .with('learners', (db) =>
      db
        .selectFrom('users')
        .innerJoin('user_groups', 'user_groups.user_id', 'users.id')
        .leftJoin('subscriptions', (join) =>
          join
            .onRef('subscriptions.user_id', '=', 'users.id')
            .on(sql<boolean>`coalesce(subscriptions.valid_from, '-infinity') <= ${ctx.now}`)
            .on(sql<boolean>`coalesce(subscriptions.valid_to, 'infinity') > ${ctx.now}`),
        )
        .select((eb) => ['subscriptions.access_plan_id', eb.fn.countAll<number>().as('count')])
        .where('users.site_id', '=', ctx.site.id)
        .where('users.is_active', '=', true)
        .where('users.erased_at', 'is', null)
        .where('user_groups.name', '=', 'learners')
        .groupBy('subscriptions.access_plan_id'),
    )
    .selectFrom('modules')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('module_progress')
          .select((eb) => [
            eb.fn.countAll<number>().as('numStarts'),
            eb.fn.count<number>('completed_at').as('numCompletions'),
            eb.fn.avg<number | null>('highest_score').as('avgScore'),
          ])
          .whereRef('module_progress.module_id', '=', 'modules.id')
          .as('progress'),
      (join) => join.onTrue(),
    )
    .select((eb) => [
      'modules.uid',
      'progress.numStarts',
      'progress.numCompletions',
      'progress.avgScore',
      eb.selectFrom('learners').select(sql<number>`coalesce(sum(learners.count), 0)::int`.as('total')).as('totalUsers'),
      eb
        .selectFrom('learners')
        .innerJoin('module_access_plans', 'module_access_plans.access_plan_id', 'learners.access_plan_id')
        .whereRef('module_access_plans.module_id', '=', 'modules.id')
        .select(sql<number>`coalesce(sum(learners.count), 0)::int`.as('total'))
        .as('usersWithAccess'),
    ])
    .where('modules.uid', 'in', moduleUids)
    .where(isListed(ctx, 'modules'))
    .execute()
  return new Map(
    rows.map(({ uid, ...row }) => [
      uid,
      {
        totalUsers: row.totalUsers ?? 0,
        usersWithAccess: row.usersWithAccess ?? 0,
        numStarts: row.numStarts ?? 0,
        numCompletions: row.numCompletions ?? 0,
        avgScore: row.avgScore === null ? null : Number(row.avgScore),
      },
    ]),
  )
}
