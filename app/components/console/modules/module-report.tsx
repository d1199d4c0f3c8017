import { Link, useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { findReport, reportPagePath } from '~/forms/report-list.ts'
import { csvFileName } from '~/lib/csv.ts'
import { formatPercent } from '~/lib/percent.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { Chart } from '../chart/chart.tsx'
import { CsvLink } from '../csv-link.tsx'
import { RouteDialog } from '../route-dialog.tsx'
import { type ReportStatistics, statisticsCsv } from './report-csv.ts'

type DialogProps = { uid: string; name: string; children: ReactNode }

/** The report's dialog with two tabs, each with its own address: statistics and learners. */
export function ReportDialog({ uid, name, children }: DialogProps) {
  const { pathname, search } = useLocation()
  const isAdmin = useShell().viewer?.isAdmin === true
  const stats = `/dashboard/modules/${uid}/report/`
  const learners = `${stats}learners/`
  const isLearners = pathname.replace(/\/*$/, '/').endsWith('/report/learners/')
  // The tabs keep the query of the module list, but not that of the learner list.
  const list = tableSearch(search, '')
  return (
    <RouteDialog
      title={`Report: ${name}`}
      size="xl"
      closeTo={`/dashboard/modules/${list || '?'}`}
      footer={isAdmin && <ReportsOfModule uid={uid} />}
    >
      <div className="formtabs">
        <nav className="tabs" aria-label="Module report">
          <Link to={stats + list} aria-current={isLearners ? undefined : 'page'} preventScrollReset>
            Stats
          </Link>
          <Link to={learners + list} aria-current={isLearners ? 'page' : undefined} preventScrollReset>
            Learner List
          </Link>
        </nav>
        {children}
      </div>
    </RouteDialog>
  )
}

/** What people answered and how long they took, which may say why they fail. */
function ReportsOfModule({ uid }: { uid: string }) {
  const reports = ['modules/quiz-answers', 'modules/survey', 'modules/time_to_complete'].flatMap(
    (path) => findReport(path) ?? [],
  )
  return (
    <span className="end">
      {reports.map((report) => (
        <Link key={report.id} className="btn btn--quiet" to={`${reportPagePath(report)}?period=all_time&module=${uid}`}>
          {report.title}
        </Link>
      ))}
    </span>
  )
}

/** The figures of twelve months, oldest first. */
export type MonthsOfModule = { labels: string[]; starts: number[]; completions: number[] }

type StatsProps = { module: { uid: string; name: string }; statistics: ReportStatistics; months: MonthsOfModule }

export function ReportStats({ module, statistics, months }: StatsProps) {
  const { totalUsers, usersWithAccess, numStarts, numCompletions, avgScore } = statistics
  const figures = [
    ['Total users', count(totalUsers), 'Learners of this site with an open account'],
    ['Users with access', count(usersWithAccess), 'Of these, learners whose plan includes this module today'],
    ['Starts', count(numStarts), 'People who have opened it at least once'],
    ['Completions', count(numCompletions), 'People who have reached 100% at least once'],
    ['Average score', formatPercent(avgScore), 'The mean of everyone’s best score'],
  ] as const
  return (
    <>
      <div className="toolbar">
        <p className="reportline">{inWords(statistics)}</p>
        <div className="end">
          <CsvLink
            href={`/dashboard/modules/${module.uid}/export/statistics/`}
            fileName={csvFileName('ModuleStatistics', module.name)}
            label="Export CSV"
            rows={() => statisticsCsv(module.name, statistics)}
          />
        </div>
      </div>
      <dl className="figures">
        {figures.map(([label, value, what]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="voice num">{value}</dd>
            <dd className="muted small">{what}</dd>
          </div>
        ))}
      </dl>
      {statistics.numStarts > 0 && (
        <Chart
          kind="bars"
          title="The last twelve months"
          description="How many people first opened this module, and how many first completed it."
          labels={months.labels}
          labelHead="Month"
          series={[
            { name: 'Starts', values: months.starts },
            { name: 'Completions', values: months.completions },
          ]}
        />
      )}
    </>
  )
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function inWords({ usersWithAccess, numStarts, numCompletions }: ReportStatistics): string {
  if (numStarts === 0) {
    return usersWithAccess === 0 ? 'Nobody can open this module yet.' : 'Nobody has opened this module yet.'
  }
  const starts = numStarts === 1 ? 'One person has' : `${count(numStarts)} people have`
  const completions =
    numCompletions === 0 ? 'nobody has' : numCompletions === 1 ? 'one has' : `${count(numCompletions)} have`
  return `${starts} opened this module, and ${completions} completed it.`
}
