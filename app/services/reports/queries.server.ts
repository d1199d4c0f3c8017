/** The queries of the reports but those about users, messages and films. */
import { type RawBuilder, sql } from 'kysely'
import type { ReportAggregate, ReportPath } from '~/forms/reports.ts'
import { type IntervalOfPeriod, intervalsOf, type ReportInterval, type ReportPeriod } from '~/lib/report-periods.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import type { Database } from '~db/client.server.ts'
import type { Ctx } from '../context.ts'
import { type CountedYear, type countedMoments, findCountedYear } from '../figures/figures.server.ts'
import { filmsQuery } from './film-queries.server.ts'
import { byPerson, type Group, groupOf, personCells } from './lines-of-people.server.ts'
import { pendingUsers } from './people-queries.server.ts'
import {
  averageOf,
  type Cell,
  durationCells,
  isAbout,
  isAmongAnswers,
  isIn,
  isOfModule,
  meanOf,
  questionText,
  type ReportInput,
  type ReportLines,
  type ReportQuery,
  type ReportSource,
  source,
  sumCell,
  sumOf,
  type Total,
  timeCell,
  wholeSeconds,
} from './report-cells.server.ts'

/** The sum over the people of a line. A line about one person has one row of facts, which is that sum. */
type Sum = (fact: RawBuilder<unknown>) => RawBuilder<unknown>
type Facts = (ctx: Ctx, input: ReportInput, counted: CountedYear | null) => RawBuilder<unknown>

/**
 * Lines that sum up what each person did. `facts` makes a row per person, with `user_id` and the columns `sums`, from the
 * rows of a table or from what has been counted of them. For groups of people, their numbers are added up by key before
 * the keys get names, because there are few keys.
 */
function summedUp(
  ctx: Ctx,
  input: ReportInput,
  {
    facts,
    sums,
    table,
    cells,
  }: { facts: Facts; sums: string[]; table: keyof typeof countedMoments; cells: (sum: Sum) => Cell[] },
): ReportSource {
  const people = async (db: Database) => sql`
    from (${facts(ctx, input, await findCountedYear(ctx, db, { period: input.period, table }))}) facts
      join users on users.id = facts.user_id and users.site_id = ${ctx.site.id}`
  if (input.aggregate === 'user') {
    const all = [...personCells, ...cells((fact) => fact)]
    return {
      heads: all.map(({ head }) => head),
      open: async (db) => ({ cells: all, from: await people(db), order: byPerson }),
    }
  }
  const { key, join, cell, names } = groupOf(ctx, input.aggregate)
  const ofGroup = sql`facts.key`
  const all = [cell(ofGroup), sumCell('People', sql`sum(facts.people)::int`), ...cells((fact) => sql`sum(${fact})`)]
  const added = sums.map((name) => sql`sum(${sql.ref(`facts.${name}`)}) as ${sql.ref(name)}`)
  return {
    heads: all.map(({ head }) => head),
    open: async (db) => ({
      cells: all,
      facts: sql`
        select ${key} as key, count(*) as people, ${sql.join(added)} ${await people(db)} ${join} group by 1`,
      from: sql`from facts ${names(ofGroup)} group by 1`,
      order: sql`1`,
      joins: joinsOf(input),
    }),
  }
}

export const loginRows = (ctx: Ctx, input: ReportInput) => sql`
  from logins
  where site_id = ${ctx.site.id} and ${isIn(input.period, sql`at`)} and ${isAbout(input, sql`user_id`)}`

/** SQL: what people did in a year that has been counted. */
const countedRows = (ctx: Ctx, input: ReportInput, year: number) => sql`
  from person_years
  where person_years.site_id = ${ctx.site.id} and person_years.year = ${year}
    and ${isAbout(input, sql`person_years.user_id`)}`

/**
 * SQL: what people did in a counted year without what they did later in it, as `facts` has it for the `columns` of
 * `person_years`. `more` are other expressions.
 */
function countedFacts(
  ctx: Ctx,
  input: ReportInput,
  {
    counted: { year, later },
    columns,
    more = sql``,
    facts,
  }: { counted: CountedYear; columns: Record<string, string>; more?: RawBuilder<unknown>; facts: Facts },
): RawBuilder<unknown> {
  const names = Object.entries(columns)
  if (!later) {
    const own = names.map(([name, column]) => sql`${sql.ref(`person_years.${column}`)} as ${sql.ref(name)}`)
    return sql`select person_years.user_id, ${sql.join(own)} ${more} ${countedRows(ctx, input, year)}`
  }
  const left = names.map(
    ([name, column]) => sql`
      ${sql.ref(`person_years.${column}`)} - coalesce(${sql.ref(`later.${name}`)}, 0) as ${sql.ref(name)}`,
  )
  const rest = facts(ctx, { ...input, period: { ...input.period, ...later } }, null)
  // Without `offset 0`, each process would count what came later.
  return sql`
    select person_years.user_id, ${sql.join(left)} ${more}
    from person_years left join (${rest} offset 0) later on later.user_id = person_years.user_id
    where person_years.site_id = ${ctx.site.id} and person_years.year = ${year}
      and ${isAbout(input, sql`person_years.user_id`)}`
}

const loginFacts: Facts = (ctx, input, counted) => {
  if (!counted) {
    return sql`
      select user_id, count(*) as logins, extract(epoch from max(at) - min(at)) as span
      ${loginRows(ctx, input)} group by user_id`
  }
  const last = sql`person_years.last_login_at`
  const lastOfPeriod = sql`
    case when later.user_id is null then ${last} else (
      select max(at) from logins
      where logins.user_id = person_years.user_id and at < ${input.period.to}) end`
  const more = sql`,
    extract(epoch from ${counted.later ? lastOfPeriod : last} - person_years.first_login_at) as span`
  const facts = countedFacts(ctx, input, { counted, columns: { logins: 'logins' }, more, facts: loginFacts })
  return sql`select * from (${facts}) counted where logins > 0`
}

export const sessionRows = (ctx: Ctx, input: ReportInput) => sql`
  from visits
  where site_id = ${ctx.site.id} and ${isIn(input.period, sql`started_at`)} and ${isAbout(input, sql`user_id`)}`

const sessionFacts: Facts = (ctx, input, counted) => {
  if (!counted) {
    return sql`
      select user_id, count(*) as sessions, sum(${wholeSeconds(sql`started_at`, sql`last_seen_at`)}) as seconds
      ${sessionRows(ctx, input)} group by user_id`
  }
  const columns = { sessions: 'sessions', seconds: 'session_seconds' }
  const facts = countedFacts(ctx, input, { counted, columns, facts: sessionFacts })
  return sql`select * from (${facts}) counted where sessions > 0`
}

const loginCount = (sum: Sum) => sumCell('Logins', sql`${sum(sql`facts.logins`)}::bigint`)
const sessionCells = (sum: Sum): Cell[] => [
  sumCell('Sessions', sql`${sum(sql`facts.sessions`)}::bigint`),
  ...durationCells('Total time', sql`${sum(sql`facts.seconds`)}::bigint`, sumOf('Total time', { isDuration: true })),
]

const loginTotals: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, { facts: loginFacts, sums: ['logins'], table: 'logins', cells: (sum) => [loginCount(sum)] })

const intervalWords = { daily: ['Days', 'day'], weekly: ['Weeks', 'week'], monthly: ['Months', 'month'] } as const

/** All time begins with the first login of the site. */
const averageLogins: ReportQuery = (ctx, input) => {
  const interval = input.interval ?? 'daily'
  const [many, one] = intervalWords[interval]
  const average = `Average logins per ${one}`
  const perInterval = (logins: RawBuilder<unknown>, count: number) =>
    sql`round(${logins}::numeric / ${Math.max(count, 1)}::int, 2)`
  const cells = (sum: Sum, count: number): Cell[] => [
    loginCount(sum),
    { head: many, sql: sql`${count}::int`, kind: 'number' },
    {
      head: average,
      sql: perInterval(sum(sql`facts.logins`), count),
      kind: 'number',
      total: {
        label: average,
        note: `All logins divided by the ${count === 1 ? one : `${count} ${many.toLowerCase()}`} of the period that ${count === 1 ? 'has' : 'have'} begun.`,
        of: (logins) => perInterval(sql`sum(${logins})`, count),
        parts: [sum(sql`facts.logins`)],
        isDuration: false,
      },
    },
  ]
  const of = (count: number) =>
    summedUp(ctx, input, { facts: loginFacts, sums: ['logins'], table: 'logins', cells: (sum) => cells(sum, count) })
  return {
    heads: of(0).heads,
    open: async (db) => of((await intervalsSinceFirstLogin(ctx, db, input.period, interval)).length).open(db),
  }
}

async function intervalsSinceFirstLogin(
  ctx: Ctx,
  db: Database,
  period: ReportPeriod,
  interval: ReportInterval,
): Promise<IntervalOfPeriod[]> {
  const { timeZone } = ctx.site
  const { lastDay } = period
  if (period.firstDay !== null) return intervalsOf({ firstDay: period.firstDay, lastDay }, interval, timeZone)
  const { rows } = await sql<{ first: Date | null }>`
    select min(at) as first from logins where site_id = ${ctx.site.id}`.execute(db)
  const first = rows[0]?.first
  return first ? intervalsOf({ firstDay: dayOf(first, timeZone), lastDay }, interval, timeZone) : []
}

const timeBetweenLogins: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, {
    facts: (...about) => sql`select *, logins - 1 as gaps from (${loginFacts(...about)}) more where logins > 1`,
    sums: ['logins', 'gaps', 'span'],
    table: 'logins',
    cells: (sum) => {
      const [span, gaps] = [sum(sql`facts.span`), sum(sql`facts.gaps`)]
      const average = sql`${span}::numeric / ${gaps}`
      const label = 'Average time between logins'
      const total = averageOf(label, 'Over all times from one login of a person to their next.', [span, gaps])
      return [
        loginCount(sum),
        ...durationCells(label, sql`round(${average}, 2)`, total),
        { head: 'Average days between logins', sql: sql`round(${average} / 86400, 2)`, kind: 'number' },
      ]
    },
  })

const sessionTotals: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, { facts: sessionFacts, sums: ['sessions', 'seconds'], table: 'visits', cells: sessionCells })

const sessionAverages: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, {
    facts: sessionFacts,
    sums: ['sessions', 'seconds'],
    table: 'visits',
    cells: (sum) => {
      const [seconds, sessions] = [sum(sql`facts.seconds`), sum(sql`facts.sessions`)]
      const total = averageOf('Average time', 'The total time divided by the number of sessions.', [seconds, sessions])
      return [
        ...sessionCells(sum),
        ...durationCells('Average time', sql`round(${seconds}::numeric / ${sessions}, 2)`, total),
      ]
    },
  })

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

const startedCompleted: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, {
    facts: progressFacts,
    sums: ['started', 'completed'],
    table: 'module_progress',
    cells: (sum) => [
      sumCell('Modules started', sql`${sum(sql`facts.started`)}::bigint`),
      sumCell('Modules completed', sql`${sum(sql`facts.completed`)}::bigint`),
    ],
  })

const moduleName: Cell = {
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

const timeToComplete: ReportQuery = (ctx, input) => {
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

/** Most of what a walk comes across is then in the report. */
const isLong = ({ people, period: { from, to } }: ReportInput) =>
  people === null && (from === null || to.getTime() - from.getTime() > 90 * 86_400_000)

const joinsOf = (input: ReportInput): ReportLines['joins'] => {
  if (input.people !== null) return undefined
  return isLong(input) ? 'in order' : 'hashed'
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

const averageTimeToComplete: ReportQuery = (ctx, input) =>
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
          join users on users.id = counted.user_id and users.site_id = ${ctx.site.id}
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
  const { key, join, cell, names } = groupOf(ctx, aggregate)
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
        from module_progress progress join users on users.id = progress.user_id ${join}
        where ${completedRows(ctx, input)} and users.site_id = ${ctx.site.id}
        group by 1, 2`,
      from: sql`
        from facts join modules on modules.id = facts.module_id ${names(ofGroup)} group by 1, modules.id`,
      order: sql`1, modules.name_key, modules.id`,
      joins: joinsOf(input),
    }),
  }
}

/** What was answered. xAPI writes `[,]` between several answers (1.0.3 data, appendix C). */
export const answerText = sql`replace(answer.response, '[,]', ', ')`

/** Answers. Totals and charts need no person and module. */
export const answerRows = (ctx: Ctx, kind: 'quiz' | 'survey', input: ReportInput, join = sql``) => sql`
  from question_answers answer ${join}
  where answer.site_id = ${ctx.site.id} and answer.kind = ${kind}
    and ${isIn(input.period, sql`answer.answered_at`)} and ${isAbout(input, sql`answer.user_id`)}
    and ${isAmongAnswers(input)}`

const answers =
  (kind: 'quiz' | 'survey', more: Cell[]): ReportQuery =>
  (ctx, input) =>
    source(
      [
        timeCell(ctx, 'Answered', sql`answer.answered_at`),
        ...personCells,
        moduleName,
        { head: 'Question', sql: questionText, link: sql`'question:' || modules.uid || ':' || answer.question_iri` },
        { head: 'Answer', sql: answerText },
        ...more,
      ],
      answerRows(
        ctx,
        kind,
        input,
        sql`
          left join users on users.id = answer.user_id left join modules on modules.id = answer.module_id`,
      ),
      sql`answer.answered_at, answer.seq`,
      answerRows(ctx, kind, input),
    )

const searchTerms: ReportQuery = (ctx, input) => {
  const rows = sql`
    from search_queries
    where site_id = ${ctx.site.id} and ${isIn(input.period, sql`at`)} and ${isAbout(input, sql`user_id`)}
      and ${input.rows.isWithoutResults ? sql`results = 0` : sql`true`}`
  const cellsOf = (term: RawBuilder<unknown>, searches: RawBuilder<unknown>, failed: RawBuilder<unknown>): Cell[] => [
    { head: 'Search term', sql: term },
    sumCell('Searches', searches),
    { head: 'People', sql: sql`count(distinct user_id)::int`, kind: 'number' },
    sumCell('Searches without results', failed),
  ]
  const order = sql`2 desc, 1`
  const all = cellsOf(sql`lower(trim(query))`, sql`count(*)::int`, sql`(count(*) filter (where results = 0))::int`)
  // Texts are counted as they were written, and made terms after that. Their people are counted for the terms that are shown.
  const people = {
    from: [sql`facts.written`],
    sql: (written: RawBuilder<unknown>) =>
      sql`(select count(distinct user_id)::int ${rows} and query = any(${written}))`,
  }
  const shown = cellsOf(sql`facts.term`, sql`facts.searches`, sql`facts.failed`)
  const onScreen = {
    facts: sql`
      select lower(trim(query)) as term, sum(searches)::int as searches, sum(failed)::int as failed,
        array_agg(query) as written
      from (
        select query, count(*) as searches, count(*) filter (where results = 0) as failed ${rows} group by query) texts
      group by 1`,
    cells: shown.map((cell) => (cell.head === 'People' ? { ...cell, find: people } : cell)),
    from: sql`from facts where facts.term <> ''`,
    order,
  }
  return {
    heads: all.map(({ head }) => head),
    open: async () => ({
      cells: all,
      from: sql`${rows} and trim(query) <> '' group by 1`,
      order,
      // About some people, each line would look all of them up.
      ...(input.people === null && { onScreen }),
    }),
  }
}

export const reportQueries: Record<Exclude<ReportPath, 'users' | 'announcements'>, ReportQuery> = {
  'pending-users': pendingUsers,
  search_terms: searchTerms,
  'logins/total': loginTotals,
  'logins/avg': averageLogins,
  'logins/avg_time_between_logins': timeBetweenLogins,
  'sessions/averages': sessionAverages,
  'sessions/total': sessionTotals,
  'modules/started_completed': startedCompleted,
  'modules/time_to_complete': timeToComplete,
  'modules/time_to_complete/avg': averageTimeToComplete,
  'modules/quiz-answers': answers('quiz', [
    {
      head: 'Correct',
      sql: sql`case answer.is_correct when true then 'Yes' when false then 'No' end`,
      total: { label: 'Correct', of: (column) => sql`count(*) filter (where ${column} = 'Yes')`, isDuration: false },
    },
    { head: 'Score (%)', sql: sql`round((answer.score_scaled * 100)::numeric, 1)`, kind: 'number' },
  ]),
  'modules/survey': answers('survey', []),
  videos: filmsQuery,
}
