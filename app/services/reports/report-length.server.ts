/** How long a report will be, so that a long one is made by a job. */
import { type RawBuilder, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import type { Ctx } from '../context.ts'
import { allLines, type ReportLines } from './report-cells.server.ts'

export type ReportLength = { rows: number; isLong: boolean }

/**
 * What PostgreSQL charges for a second of reading (`Total Cost`) with our settings: 53,000 for search terms and 31,000 for
 * a million quiz answers, measured on two busy cores. It is a price and not a time, so this only roughly finds reports that
 * take a minute.
 */
const costPerSecond = 50_000

/**
 * Asks the planner, which answers within milliseconds and knows the number of rows of a large table within some percent.
 * Counting the lines would take as long as reading them, and the first byte of a download must go out within 200 ms.
 */
export async function estimateLines(ctx: Pick<Ctx, 'db'>, lines: ReportLines): Promise<ReportLength> {
  const { rows, cost } = await planOf(ctx, allLines(lines))
  return { rows, isLong: hasTooManyRows(rows) || cost / costPerSecond > env().REPORT_DOWNLOAD_SECONDS }
}

/** True if a file of so many rows is made by a job. */
export function hasTooManyRows(rows: number): boolean {
  return rows > env().REPORT_DOWNLOAD_ROWS
}

async function planOf({ db }: Pick<Ctx, 'db'>, query: RawBuilder<unknown>): Promise<{ rows: number; cost: number }> {
  type Plan = { Plan: { 'Plan Rows': number; 'Total Cost': number } }
  const { rows } = await sql<{ 'QUERY PLAN': Plan[] }>`explain (format json) ${query}`.execute(db)
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  return { rows: plan?.['Plan Rows'] ?? 0, cost: plan?.['Total Cost'] ?? 0 }
}
