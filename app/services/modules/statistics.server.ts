/** The statistics of modules in the console, with one query for a page of modules. */
import { sql } from 'kysely'
import { isListed, seesDrafts } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'

export type ModuleStatistics = ModuleFigures & {
  /** Active accounts of the site's learners. */
  totalUsers: number
  /** Those learners who have access today through one of the module's plans. */
  usersWithAccess: number
}

/** What learners have done in a module. */
type ModuleFigures = {
  numStarts: number
  numCompletions: number
  /** Mean of the learners' highest scores, in percent; null if nobody has a score. */
  avgScore: number | null
}

/**
 * Reads figures by module uid, for staff. It does not count the site's learners, who may be many. Modules that nobody
 * has opened are left out.
 */
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

/** Reads statistics by module uid. Returns null for viewers who are not staff. */
export async function listModuleStatistics(
  ctx: Ctx,
  moduleUids: string[],
): Promise<Map<string, ModuleStatistics> | null> {
  if (!seesDrafts(ctx)) return null
  if (moduleUids.length === 0) return new Map()
  // Counts learners once per plan, not once per module, because there are few plans and many users.
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

type MonthOfModules = {
  /** `2026-11`, in the site's time zone. */
  month: string
  starts: number
  completions: number
}

/**
 * Counts how many people started and completed a module, or any module, in each of the latest months, oldest first. For
 * staff.
 */
export async function listModuleMonths(
  ctx: Ctx,
  input: { moduleUid?: string; months: number },
): Promise<MonthOfModules[]> {
  requireStaff(ctx)
  const { rows } = await sql<MonthOfModules>`
    with months as (
      select generate_series(
        date_trunc('month', ${ctx.now}::timestamptz at time zone ${ctx.site.timeZone}) - make_interval(months => ${input.months - 1}),
        date_trunc('month', ${ctx.now}::timestamptz at time zone ${ctx.site.timeZone}),
        interval '1 month') as month),
    moments as (
      select moment.kind, date_trunc('month', moment.at at time zone ${ctx.site.timeZone}) as month
      from module_progress
      join modules on modules.id = module_progress.module_id
      cross join lateral (values ('start', module_progress.started_at), ('completion', module_progress.completed_at)) as moment (kind, at)
      where module_progress.site_id = ${ctx.site.id} and ${isListed(ctx, 'modules')}
        and (${input.moduleUid ?? null}::uuid is null or modules.uid = ${input.moduleUid ?? null}::uuid)
        and moment.at >= (select min(month) from months) at time zone ${ctx.site.timeZone})
    select to_char(months.month, 'YYYY-MM') as month,
      (count(*) filter (where moments.kind = 'start'))::int as starts,
      (count(*) filter (where moments.kind = 'completion'))::int as completions
    from months left join moments using (month)
    group by months.month
    order by months.month`.execute(ctx.db)
  return rows
}
