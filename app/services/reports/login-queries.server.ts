/** The queries of the reports about logins and sessions. */
import { type RawBuilder, sql } from 'kysely'
import { type IntervalOfPeriod, intervalsOf, type ReportInterval, type ReportPeriod } from '~/lib/report-periods.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import type { Database } from '~db/client.server.ts'
import type { Ctx } from '../context.ts'
import { personCells, personOf } from './lines-of-people.server.ts'
import {
  averageOf,
  type Cell,
  durationCells,
  isAbout,
  isIn,
  type ReportInput,
  type ReportQuery,
  source,
  sumCell,
  sumOf,
  timeCell,
  wholeSeconds,
} from './report-cells.server.ts'
import { countedFacts, type Facts, type Sum, summedUp } from './summed-up.server.ts'

export const loginRows = (ctx: Ctx, input: ReportInput, join = sql``) => sql`
  from logins ${join}
  where logins.site_id = ${ctx.site.id} and ${isIn(input.period, sql`logins.at`)}
    and ${isAbout(input, sql`logins.user_id`)}`

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

export const sessionRows = (ctx: Ctx, input: ReportInput, join = sql``) => sql`
  from visits ${join}
  where visits.site_id = ${ctx.site.id} and ${isIn(input.period, sql`visits.started_at`)}
    and ${isAbout(input, sql`visits.user_id`)}`

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

export const loginTotals: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, { facts: loginFacts, sums: ['logins'], table: 'logins', cells: (sum) => [loginCount(sum)] })

const intervalWords = { daily: ['Days', 'day'], weekly: ['Weeks', 'week'], monthly: ['Months', 'month'] } as const

/** All time begins with the first login of the site. */
export const averageLogins: ReportQuery = (ctx, input) => {
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

export const timeBetweenLogins: ReportQuery = (ctx, input) =>
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

export const sessionTotals: ReportQuery = (ctx, input) =>
  summedUp(ctx, input, { facts: sessionFacts, sums: ['sessions', 'seconds'], table: 'visits', cells: sessionCells })

export const sessionAverages: ReportQuery = (ctx, input) =>
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

/** One row per login. */
export const loginList: ReportQuery = (ctx, input) =>
  source(
    [timeCell(ctx, 'Logged in', sql`logins.at`), ...personCells],
    loginRows(ctx, input, personOf(ctx, sql`logins.user_id`)),
    sql`logins.at, logins.id`,
    loginRows(ctx, input),
  )

/** One row per session. */
export const sessionList: ReportQuery = (ctx, input) =>
  source(
    [
      timeCell(ctx, 'Began', sql`visits.started_at`),
      timeCell(ctx, 'Last seen', sql`visits.last_seen_at`),
      ...personCells,
      ...durationCells(
        'Time',
        wholeSeconds(sql`visits.started_at`, sql`visits.last_seen_at`),
        sumOf('Time', { isDuration: true }),
      ),
    ],
    sessionRows(ctx, input, personOf(ctx, sql`visits.user_id`)),
    sql`visits.started_at, visits.id`,
    sessionRows(ctx, input),
  )
