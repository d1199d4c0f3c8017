/** What reports can be asked for (C-275). */
import type { ReportPeriod } from '~/lib/report-period.ts'

export const reportPeriodOptions: { value: ReportPeriod; label: string }[] = [
  { value: '7days', label: 'Last 7 days' },
  { value: 'this_month', label: 'This Month' },
  { value: 'last_month', label: 'Last Month' },
  { value: 'this_quarter', label: 'This Quarter' },
  { value: 'this_year', label: 'This Year' },
  { value: 'all_time', label: 'All Time' },
]

export const reportIntervals = ['daily', 'weekly', 'monthly'] as const
/** A blank stands for "User". */
export const reportAggregates = ['Institution', 'Position', 'Group', ''] as const
