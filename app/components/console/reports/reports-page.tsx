import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { type ReportTab, reportTabs } from '~/forms/report-list.ts'
import { Icon } from '../../ui/icon.tsx'
import { ReportForm } from './report-form.tsx'
import type { RefusedReport, ReportsView } from './view.ts'

/** What admins keep of reports, beside the tabs. In this order they take two lines on a phone. */
const kept = [
  { id: 'views', label: 'Saved views', path: '/dashboard/reports/views/', icon: 'save' },
  { id: 'files', label: 'Prepared files', path: '/dashboard/reports/files/', icon: 'file' },
  { id: 'scheduled', label: 'Scheduled reports', path: '/dashboard/reports/scheduled/', icon: 'clock' },
] as const

type FrameProps = { tab: ReportTab | (typeof kept)[number]['id'] | 'messages'; children: ReactNode }

/** The four tabs (C-111). Each has an address of its own, so it also works without JavaScript. */
export function ReportsFrame({ tab, children }: FrameProps) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 mb-4">
        <h1>Reports</h1>
        <nav
          className="flex flex-wrap gap-x-4 gap-y-1 ml-auto print:hidden"
          aria-label="Saved views, prepared files and scheduled reports"
        >
          {kept.map(({ id, label, path, icon }) => (
            <Link
              key={id}
              to={path}
              className={id === tab ? 'btn btn--secondary' : 'btn btn--quiet'}
              aria-current={id === tab ? 'page' : undefined}
            >
              <Icon name={icon} />
              {label}
            </Link>
          ))}
        </nav>
      </div>
      <nav className="tabs mb-6 print:hidden" aria-label="Reports">
        {reportTabs.map(({ id, label, path }) => (
          <Link key={id} to={path} aria-current={id === tab ? 'page' : undefined}>
            {label}
          </Link>
        ))}
        {/* It is asked for in Manage Messages, so it has a tab only while it is open. */}
        {tab === 'messages' && (
          <Link to="/dashboard/messages/export/" aria-current="page">
            Messages Report
          </Link>
        )}
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
