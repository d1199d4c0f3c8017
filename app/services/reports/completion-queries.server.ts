/** The queries of the reports about modules that people have started and completed. */
import { type RawBuilder, sql } from 'kysely'
import type { ReportAggregate } from '~/forms/reports.ts'
import type { Ctx } from '../context.ts'
import { findCountedYear } from '../figures/figures.server.ts'
import { byPerson, type Group, groupOf, personCells, personOf } from './lines-of-people.server.ts'
import {
  averageOf,
  type Cell,
  durationCells,
  isAbout,
  isIn,
  isOfModule,
  meanOf,
  type ReportInput,
  type ReportQuery,
  type ReportSource,
  sumCell,
  type Total,
  timeCell,
} from './report-cells.server.ts'
import { countedFacts, countedRows, type Facts, isLong, joinsOf, summedUp } from './summed-up.server.ts'

/** The modules that people have started or completed in the period, as `at` says. */
export const progressRows = (ctx: Ctx, input: ReportInput, at: RawBuilder<unknown>) => sql`
  from module_progress
  where site_id = ${ctx.site.id} and ${isIn(input.period, at)} and ${isAbout(input, sql`user_id`)}`

/** Two scans of indexes, which have all that is read here. */
const progressFacts: Facts = (ctx, input, counted) => {
  if (!counted) {
    return sql`
      select user_id, sum(started) as started, sum(completed) as completed from (
        select user_id, 1 as started, 0 as completed ${progressRows(ctx, input, sql`started_at`)}
        union all
        select user_id, 0, 1 ${progressRows(ctx, input, sql`completed_at`)}) moments
      group by user_id`
  }
  const columns = { started: 'modules_started', completed: 'modules_completed' }
  const facts = countedFacts(ctx, input, { counted, columns, facts: progressFacts })
  return sql`select * from (${facts}) counted where started > 0 or completed > 0`
}

export const startedCompleted: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, {
    facts: progressFacts,
    sums: ['started', 'completed'],
    table: 'module_progress',
    cells: (sum) => [
      sumCell('Modules started', sql`${sum(sql`facts.started`)}::bigint`),
      sumCell('Modules completed', sql`${sum(sql`facts.completed`)}::bigint`),
    ],
  })

export const moduleName: Cell = {
  head: 'Module',
  sql: sql`modules.name::text`,
  link: sql`case when modules.deleted_at is null then 'module:' || modules.uid end`,
}

const completedRows = (ctx: Ctx, input: ReportInput) => sql`
  progress.site_id = ${ctx.site.id} and ${isIn(input.period, sql`progress.completed_at`)}
  and ${isAbout(input, sql`progress.user_id`)} and ${isOfModule(input, sql`progress.module_id`)}`

/** Completions with their person and module. With the site of the people, the first lines are found in the order of an index. */
const completions = (ctx: Ctx, input: ReportInput, join = sql``) => sql`
  from module_progress progress
    join users on users.id = progress.user_id join modules on modules.id = progress.module_id ${join}
  where ${completedRows(ctx, input)} and users.site_id = ${ctx.site.id}`

/** The same without person and module, which each of them has. Everything that is counted is in an index. */
export const countedCompletions = (ctx: Ctx, input: ReportInput) => sql`
  from module_progress progress where ${completedRows(ctx, input)}`

export const secondsToComplete = sql`progress.seconds_to_complete`

export const timeToComplete: ReportQuery = (ctx, input) => {
  const group = input.aggregate === 'user' ? null : groupOf(ctx, input.aggregate, { isGrouped: false })
  const cells = [
    ...(group ? [group.cell(group.key)] : personCells),
    moduleName,
    timeCell(ctx, 'Started', sql`progress.started_at`),
    timeCell(ctx, 'Completed', sql`progress.completed_at`),
    ...durationCells('Time to complete', secondsToComplete, meanOf('Average time to complete')),
  ]
  const byModule = sql`modules.name_key, progress.completed_at, progress.user_id, progress.module_id`
  return {
    heads: cells.map(({ head }) => head),
    open: async () => ({
      cells,
      from: completions(ctx, input, group ? sql`${group.join} ${group.names(group.key)}` : sql``),
      order: sql`${group ? sql`1` : byPerson}, ${byModule}`,
      counted: countedCompletions(ctx, input),
      ...(group &&
        isLong(input) && { walk: { from: walkCompletions(ctx, input, group), order: sql`step.text, ${byModule}` } }),
    }),
  }
}

/**
 * Completions, one institution, or one module of a position or group, after the other. PostgreSQL puts in order what it finds
 * at each step, and stops when it has the lines of a page. Subqueries that are sorted keep their order.
 */
function walkCompletions(ctx: Ctx, input: ReportInput, { key, facet, cell }: Group): RawBuilder<unknown> {
  const of = (join: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
    select progress.* from module_progress progress join users on users.id = progress.user_id ${join}
    where ${completedRows(ctx, input)} and users.site_id = ${ctx.site.id} and ${condition}`
  const text = cell(key).sql
  if (facet === null) {
    return sql`
      from (
        select institution.id, institution.uid, institution.name, ${text} as text
        from (
          select id, uid, name from universities where site_id = ${ctx.site.id} union all select null, null, null
        ) institution
        order by text) step
        cross join lateral (select step.uid, step.name) institution
        cross join lateral (
          ${of(sql``, sql`users.university_id = step.id`)}
          union all
          ${of(sql``, sql`step.id is null and users.university_id is null`)}) progress
        join modules on modules.id = progress.module_id`
  }
  const facets = sql`left join user_facets own on own.user_id = users.id`
  const isOfStep = sql`progress.module_id = step.id and ${sql.ref(`own.${facet}`)} is not distinct from step.key`
  return sql`
    from (
      select ${key} as key, ${text} as text, modules.id, modules.uid, modules.name, modules.name_key, modules.deleted_at
      from (
        select distinct ${sql.ref(facet)} from user_facets where site_id = ${ctx.site.id} union select null
      ) facets, modules
      where modules.site_id = ${ctx.site.id}
      order by text, modules.name_key) step
      cross join lateral (select step.key as ${sql.ref(facet)}) facets
      cross join lateral (select step.uid, step.name, step.name_key, step.deleted_at) modules
      cross join lateral (${of(facets, isOfStep)}) progress`
}

const toComplete = ['Average time to complete', 'Over all completions.'] as const

const averageCells = (completions: RawBuilder<unknown>, average: RawBuilder<unknown>, total: Total): Cell[] => [
  sumCell('Completions', completions),
  ...durationCells(toComplete[0], average, total),
]

export const averageTimeToComplete: ReportQuery = (ctx, input) =>
  input.aggregate === 'user' ? averageTimeOfPeople(ctx, input) : averageTimeOfGroups(ctx, input, input.aggregate)

/** A person completes a module once, so the mean of a person is over all modules. */
const averageTimeOfPeople: ReportQuery = (ctx, input) => {
  const average = sql`round(avg(${secondsToComplete}), 2)`
  // Completions are counted without their person and module.
  const mean = sql`(select ${average} ${countedCompletions(ctx, input)})`
  const total = { label: toComplete[0], note: toComplete[1], of: () => mean, parts: [], isDuration: true }
  const cells = [...personCells, ...averageCells(sql`count(*)::int`, average, total)]
  const fromRows = { cells, from: sql`${completions(ctx, input)} group by users.id`, order: byPerson }
  return {
    heads: cells.map(({ head }) => head),
    open: async (db) => {
      // What is counted is of all modules.
      if (input.rows.moduleId !== null) return fromRows
      const year = await findCountedYear(ctx, db, { period: input.period, table: 'module_progress' })
      if (!year || year.later) return fromRows
      const counted = sql`
        from (
          select user_id, modules_completed ${countedRows(ctx, input, year.year)} and modules_completed > 0) counted`
      return {
        cells: [...personCells, ...averageCells(sql`counted.modules_completed`, sql`times.average`, total)],
        // Only the people who are shown have their times read.
        from: sql`${counted}
          ${personOf(ctx, sql`counted.user_id`)}
          cross join lateral (
            select ${average} as average from module_progress progress
            where progress.user_id = users.id and progress.site_id = ${ctx.site.id}
              and ${isIn(input.period, sql`progress.completed_at`)}) times`,
        order: byPerson,
        counted,
      }
    },
  }
}

/** A line for each module of a group, added up by the keys of both before they get names. */
function averageTimeOfGroups(ctx: Ctx, input: ReportInput, aggregate: Exclude<ReportAggregate, 'user'>): ReportSource {
  const { key, people, cell, names } = groupOf(ctx, aggregate)
  const ofGroup = sql`facts.key`
  const [seconds, number] = [sql`sum(facts.seconds)`, sql`sum(facts.completions)`]
  const cells = [
    cell(ofGroup),
    moduleName,
    ...averageCells(
      sql`${number}::int`,
      sql`round(${seconds} / ${number}, 2)`,
      averageOf(...toComplete, [seconds, number]),
    ),
  ]
  return {
    heads: cells.map(({ head }) => head),
    open: async () => ({
      cells,
      facts: sql`
        select ${key} as key, progress.module_id, count(*) as completions, sum(${secondsToComplete}) as seconds
        from module_progress progress ${people(sql`progress.user_id`)}
        where ${completedRows(ctx, input)}
        group by 1, 2`,
      from: sql`
        from facts join modules on modules.id = facts.module_id ${names(ofGroup)} group by 1, modules.id`,
      order: sql`1, modules.name_key, modules.id`,
      joins: joinsOf(input),
    }),
  }
}
