import { reportAggregates, reportIntervals } from '~/forms/report-periods.ts'
import { type ReportPeriod, reportPeriods } from '~/lib/report-period.ts'

/**
 * Reads what a report is asked for. Every report takes a period, an interval and an aggregate, and leaves aside what has
 * no meaning for it (C-248). An unknown value is refused, and so is a missing period (C-249).
 */
export function readReportQuery({ url }: Request, { needsPeriod = true } = {}): { period: ReportPeriod | null } {
  const params = new URL(url).searchParams
  const period = chosen(params, 'period', reportPeriods)
  chosen(params, 'interval', reportIntervals)
  chosen(params, 'aggregate_by', reportAggregates)
  if (period === null && needsPeriod) throw refusal(`Add a period: ${reportPeriods.join(', ')}.`)
  return { period }
}

function chosen<Value extends string>(params: URLSearchParams, name: string, known: readonly Value[]): Value | null {
  const given = params.get(name)
  if (given === null) return null
  const value = known.find((one) => one === given)
  if (value === undefined) {
    throw refusal(`The parameter "${name}" can be ${known.map((one) => one || 'empty').join(', ')}.`)
  }
  return value
}

function refusal(sentence: string): Response {
  return new Response(sentence, { status: 400, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
}
