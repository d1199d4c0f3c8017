/** The periods of reports and the intervals in them, in days of a site and as half-open instants: [from, to). */
import { daysFrom } from './due.ts'
import { dayOf, startOfDay } from './zoned-time.ts'

export const reportPeriods = ['7days', 'this_month', 'last_month', 'this_quarter', 'this_year', 'all_time'] as const
export type ReportPeriodName = (typeof reportPeriods)[number]

/** C-275 */
export const reportPeriodLabels: Record<ReportPeriodName, string> = {
  '7days': 'Last 7 days',
  this_month: 'This Month',
  last_month: 'Last Month',
  this_quarter: 'This Quarter',
  this_year: 'This Year',
  all_time: 'All Time',
}

export const reportIntervals = ['daily', 'weekly', 'monthly'] as const
export type ReportInterval = (typeof reportIntervals)[number]

/** The periods without a whole month in them, for which the monthly interval is not offered (C-115). */
export const periodsWithoutMonths: readonly ReportPeriodName[] = ['7days', 'this_month']

export type ReportPeriod = {
  name: ReportPeriodName
  /** Null for all time, which has no beginning. */
  firstDay: string | null
  lastDay: string
  from: Date | null
  to: Date
}

/** A period that is not over ends with today. The last seven days are today and the six days before. */
export function reportPeriod(name: ReportPeriodName, { now, timeZone }: { now: Date; timeZone: string }): ReportPeriod {
  const today = dayOf(now, timeZone)
  const { firstDay, lastDay } = daysOf(name, today)
  return {
    name,
    firstDay,
    lastDay,
    from: firstDay === null ? null : startOfDay(firstDay, timeZone),
    to: startOfDay(daysFrom(lastDay, 1), timeZone),
  }
}

/**
 * The period before: the seven days or the month before; of a month, quarter or year that is not over, as many days of
 * the one before as have begun. Null for All Time.
 */
export function periodBefore({ name, firstDay, lastDay }: ReportPeriod, timeZone: string): ReportPeriod | null {
  if (firstDay === null) return null
  const length = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000
  const dayBefore = daysFrom(firstDay, -1)
  const start = name === '7days' ? daysFrom(firstDay, -7) : startBefore(name, dayBefore)
  const end = name === 'last_month' ? dayBefore : daysFrom(start, length)
  const last = end < dayBefore ? end : dayBefore
  return {
    name,
    firstDay: start,
    lastDay: last,
    from: startOfDay(start, timeZone),
    to: startOfDay(daysFrom(last, 1), timeZone),
  }
}

/** The first day of the month, quarter or year that ends with a day. */
function startBefore(name: ReportPeriodName, lastDay: string): string {
  const year = lastDay.slice(0, 4)
  if (name === 'this_year') return `${year}-01-01`
  const month = Number(lastDay.slice(5, 7)) - (name === 'this_quarter' ? 2 : 0)
  return `${year}-${String(month).padStart(2, '0')}-01`
}

function daysOf(name: ReportPeriodName, today: string): { firstDay: string | null; lastDay: string } {
  const month = `${today.slice(0, 7)}-01`
  switch (name) {
    case '7days':
      return { firstDay: daysFrom(today, -6), lastDay: today }
    case 'this_month':
      return { firstDay: month, lastDay: today }
    case 'last_month': {
      const lastDay = daysFrom(month, -1)
      return { firstDay: `${lastDay.slice(0, 7)}-01`, lastDay }
    }
    case 'this_quarter': {
      const quarter = Math.floor((Number(today.slice(5, 7)) - 1) / 3)
      return { firstDay: `${today.slice(0, 4)}-${String(quarter * 3 + 1).padStart(2, '0')}-01`, lastDay: today }
    }
    case 'this_year':
      return { firstDay: `${today.slice(0, 4)}-01-01`, lastDay: today }
    case 'all_time':
      return { firstDay: null, lastDay: today }
  }
}

export type IntervalOfPeriod = { firstDay: string; from: Date; to: Date }

/**
 * The days, weeks (from Monday on) or months that some days of a site touch, in order. The first and the last one are
 * cut to these days. A day that the clocks of the site skipped is none.
 */
export function intervalsOf(
  { firstDay, lastDay }: { firstDay: string; lastDay: string },
  interval: ReportInterval,
  timeZone: string,
): IntervalOfPeriod[] {
  const starts: string[] = []
  for (let day = firstDay; day <= lastDay; day = nextStart(day, interval)) starts.push(day)
  const bounds = [...starts, daysFrom(lastDay, 1)].map((day) => startOfDay(day, timeZone))
  return starts
    .map((day, index) => ({ firstDay: day, from: bounds[index] as Date, to: bounds[index + 1] as Date }))
    .filter(({ from, to }) => from < to)
}

/**
 * What a chart of a period shows: at most fourteen intervals. Of All Time these are the last twelve months, because nobody
 * can tell more columns apart.
 */
export function chartIntervals(
  { name, firstDay, lastDay }: ReportPeriod,
  timeZone: string,
): { interval: ReportInterval; intervals: IntervalOfPeriod[] } {
  const interval = chartInterval[name]
  const first = firstDay ?? `${yearBefore(lastDay)}-01`
  return { interval, intervals: intervalsOf({ firstDay: first, lastDay }, interval, timeZone) }
}

const chartInterval: Record<ReportPeriodName, ReportInterval> = {
  '7days': 'daily',
  this_month: 'weekly',
  last_month: 'weekly',
  this_quarter: 'weekly',
  this_year: 'monthly',
  all_time: 'monthly',
}

/** The month eleven months before that of a day, such as 2025-12. */
function yearBefore(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return month === 12 ? `${year}-01` : `${year - 1}-${String(month + 1).padStart(2, '0')}`
}

/** The first day of the interval after the one with this day. */
function nextStart(day: string, interval: ReportInterval): string {
  if (interval === 'daily') return daysFrom(day, 1)
  if (interval === 'weekly') {
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    return daysFrom(day, (8 - weekday) % 7 || 7)
  }
  // The 28th and four days is always in the next month.
  return `${daysFrom(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`
}
