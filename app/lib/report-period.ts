/** The periods of reports and their days. */

export const reportPeriods = ['7days', 'this_month', 'last_month', 'this_quarter', 'this_year', 'all_time'] as const
export type ReportPeriod = (typeof reportPeriods)[number]

/** The days of a period: the first one, and the first one after it. Null for no limit. */
export type PeriodDays = { from: string | null; until: string | null }

/** The days of a period that ends today, or of the last month. `today` is a day of the site: `2026-11-28`. */
export function daysOfPeriod(period: ReportPeriod, today: string): PeriodDays {
  const [year = 0, month = 1, day = 1] = today.split('-').map(Number)
  const at = (inMonth: number, inDay = 1) => new Date(Date.UTC(year, inMonth - 1, inDay)).toISOString().slice(0, 10)
  switch (period) {
    case '7days':
      return { from: at(month, day - 6), until: null }
    case 'this_month':
      return { from: at(month), until: null }
    case 'last_month':
      return { from: at(month - 1), until: at(month) }
    case 'this_quarter':
      return { from: at(month - ((month - 1) % 3)), until: null }
    case 'this_year':
      return { from: at(1), until: null }
    case 'all_time':
      return { from: null, until: null }
  }
}
