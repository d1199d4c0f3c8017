import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { type ReportTab, reportTabs } from '~/forms/reports.ts'
import { ReportForm } from './report-form.tsx'
import type { RefusedReport, ReportsView } from './view.ts'

/** The four tabs (C-111). Each has an address of its own, so it also works without JavaScript. */
export function ReportsFrame({ tab, children }: { tab: ReportTab | null; children: ReactNode }) {
  return (
    <>
      <h1>Reports</h1>
      <nav className="tabs mb-6" aria-label="Reports">
        {reportTabs.map(({ id, label, path }) => (
          <Link key={id} to={path} aria-current={id === tab ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </>
  )
}

export function ReportsPage(view: ReportsView | RefusedReport) {
  const { tab, reports, report } = view
  if (reports.length === 1) {
    return (
      <ReportsFrame tab={tab}>
        <ReportForm {...view} />
      </ReportsFrame>
    )
  }
  return (
    <ReportsFrame tab={tab}>
      <div className="grid gap-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
        <nav className="sidenav" aria-label="Choose a report">
          <ul>
            {reports.map(({ path, title, href }) => (
              <li key={path}>
                <Link to={href} aria-current={path === report.path ? 'page' : undefined} preventScrollReset>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <ReportForm key={report.path} {...view} />
      </div>
    </ReportsFrame>
  )
}
