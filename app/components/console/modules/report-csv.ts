import type { CsvRow } from '~/lib/csv.ts'
import { formatPercent } from '~/lib/percent.ts'
import type { ModuleLearnerRow } from './view.ts'

/**
 * The statistics of a module's report, and the rows of its two CSV files, which the browser and the server write alike.
 */
export type ReportStatistics = {
  totalUsers: number
  usersWithAccess: number
  numStarts: number
  numCompletions: number
  avgScore: number | null
}

export function statisticsCsv(name: string, statistics: ReportStatistics): CsvRow[] {
  const { totalUsers, usersWithAccess, numStarts, numCompletions, avgScore } = statistics
  return [
    ['Module name', 'Total users', 'Users with access', 'Starts', 'Completions', 'Average score'],
    [name, totalUsers, usersWithAccess, numStarts, numCompletions, formatPercent(avgScore)],
  ]
}

export function learnersCsvHead(timeZone: string): CsvRow {
  return ['Name', 'Email', `Started (${timeZone})`, `Completed (${timeZone})`, 'Progress', 'Score']
}

export function learnerCsvRow({ name, email, startedOn, completedOn, percent, score }: ModuleLearnerRow): CsvRow {
  return [name, email, startedOn, completedOn, formatPercent(percent), formatPercent(score)]
}
