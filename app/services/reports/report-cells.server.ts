/** What the queries of reports are made of. Every row has the cells of a line in the file, in the order of the heads. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReportAggregate } from '~/forms/reports.ts'
import type { ReportInterval, ReportPeriod } from '~/lib/report-periods.ts'
import type { Database } from '~db/client.server.ts'
import type { Ctx } from '../context.ts'

export type ReportCells = Record<string, string | number | null>
export type ReportInput = {
  period: ReportPeriod
  interval: ReportInterval | null
  aggregate: ReportAggregate
}
export type ReportSource = {
  heads: string[]
  query: (db: Database) => Promise<RawBuilder<ReportCells>>
}

export type Cell = { head: string; sql: RawBuilder<unknown> }

export type ReportQuery = (ctx: Ctx, input: ReportInput) => ReportSource

/** A time as the clocks of the site show it. Its head names the zone. */
export function timeOf(ctx: Ctx, at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${at} at time zone ${ctx.site.timeZone}, 'YYYY-MM-DD HH24:MI:SS')`
}

/** Seconds as 27:05:00, for people, and as a number, to calculate with. */
export function durationCells(head: string, seconds: RawBuilder<unknown>): Cell[] {
  return [
    {
      head: `${head} (h:mm:ss)`,
      sql: sql`to_char(make_interval(secs => round((${seconds})::numeric)::double precision), 'FMHH24:MI:SS')`,
    },
    { head: `${head} (seconds)`, sql: seconds },
  ]
}

export function isIn({ from, to }: ReportPeriod, at: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return from ? sql`(${at} >= ${from} and ${at} < ${to})` : sql`(${at} < ${to})`
}

/** A whole second for each session and completion, so that the totals are the sums of what they are made of. */
export const wholeSeconds = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
  sql`round(greatest(extract(epoch from ${to} - ${from}), 0))::bigint`

function select(cells: Cell[], rest: RawBuilder<unknown>): RawBuilder<ReportCells> {
  return sql`select ${sql.join(cells.map((cell, index) => sql`${cell.sql} as ${sql.ref(`c${index + 1}`)}`))} ${rest}`
}

export function source(cells: Cell[], rest: RawBuilder<unknown>): ReportSource {
  return { heads: cells.map(({ head }) => head), query: async () => select(cells, rest) }
}
