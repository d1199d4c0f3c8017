import { Form, Link } from '@remix-run/react'
import { useShell } from '../../layout/shell.ts'
import { BeyondTheList, Empty } from '../../ui/empty.tsx'
import { CsrfField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { RecordTable, withWholeTimes } from '../modules/record-table.tsx'
import { RemovedList } from '../removed-list.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { ReportsFrame } from './reports-page.tsx'
import type { ScheduledReportRow, ScheduledReportsView } from './view.ts'

const path = '/dashboard/reports/scheduled/'

/** The scheduled reports of the site: how often, to whom, who opened the last one, and what keeps them back. */
export function ScheduledReports({ rows, timeZone, page, size, total, removed }: ScheduledReportsView) {
  return (
    <ReportsFrame tab="scheduled">
      <h2>Scheduled reports</h2>
      <p className="muted mb-4">
        Colleagues get an email with a link to the report. To schedule one, open it and press “Schedule”. Times are in
        the time zone {timeZone}.
      </p>
      {rows.length === 0 && total > 0 ? (
        <BeyondTheList icon="clock" to={path} />
      ) : rows.length === 0 ? (
        <Empty icon="clock" title="No report is scheduled">
          <p>Reports that go out every day, week or month appear here.</p>
        </Empty>
      ) : (
        <div className="reportlines">
          <RecordTable
            label="Scheduled reports"
            heads={['Report', 'Goes out', 'To', 'Last report', 'State']}
            hasActions
            rows={rows.map((row) => ({
              id: row.uid,
              cells: [
                <ReportCell key="report" {...row} />,
                <span key="often">
                  {row.often}
                  {row.next && <span className="muted small block">Next: {withWholeTimes(row.next)}</span>}
                </span>,
                <Recipients key="to" {...row} />,
                <LastReport key="last" {...row} />,
                <State key="state" {...row} />,
              ],
              actions: <Actions {...row} />,
            }))}
          />
        </div>
      )}
      <Pages {...{ page, size, total }} to={(number) => `${path}?page=${number}`} />
      <RemovedList title="Deleted in the last thirty days" path={path} removed={removed} />
    </ReportsFrame>
  )
}

function ReportCell({ name, to, words, owner }: ScheduledReportRow) {
  return (
    <span>
      {to === null ? name : <Link to={to}>{name}</Link>}
      <span className="muted small font-normal block">{words}</span>
      <span className="muted small font-normal block">Scheduled by {owner}</span>
    </span>
  )
}

function Recipients({ recipients }: ScheduledReportRow) {
  if (recipients.length === 0) return 'Nobody'
  return (
    <ul>
      {recipients.map(({ name, problem }, index) => (
        <li key={index}>
          {name}
          {problem && <span className="muted small block">Gets no email: {problem}</span>}
        </li>
      ))}
    </ul>
  )
}

function LastReport({ last }: ScheduledReportRow) {
  if (!last) return 'None yet'
  const { to, on, sentTo, isEmpty, openedBy } = last
  return (
    <span>
      <Link to={to}>{withWholeTimes(on)}</Link>
      <span className="muted small block">
        To {sentTo}
        {isEmpty && ', empty'}
      </span>
      <span className="muted small block">{openedBy === null ? 'Not opened yet' : `Opened by ${openedBy}`}</span>
    </span>
  )
}

function State({ uid, name, state, problem, isInstitutionGone, verb }: ScheduledReportRow) {
  const { csrf } = useShell()
  return (
    <span>
      <span className="inline-flex items-center gap-1">
        {problem && <Icon name="alert" />}
        {state}
      </span>
      {problem && <span className="muted small block">{problem}</span>}
      {isInstitutionGone && (
        <DialogLink
          className="btn btn--quiet"
          to={`${path}${uid}/institution/`}
          aria-label={`Choose another institution for ${name}`}
          discover="none"
        >
          Choose another
        </DialogLink>
      )}
      {verb && (
        <Form method="post" action={`${path}${uid}/state/`} preventScrollReset>
          <CsrfField token={csrf} />
          <button
            className="btn btn--quiet"
            type="submit"
            name="intent"
            value={verb.toLowerCase()}
            aria-label={`${verb} ${name}`}
          >
            {verb}
          </button>
        </Form>
      )}
    </span>
  )
}

function Actions({ uid, name, verb }: ScheduledReportRow) {
  const actions = [
    ...(verb === null ? [] : [{ to: `${path}${uid}/send/`, icon: 'send', label: 'Send now' } as const]),
    { to: `${path}${uid}/`, icon: 'edit', label: 'Edit' },
    { to: `${path}${uid}/delete/`, icon: 'trash', label: 'Delete' },
  ] as const
  return actions.map(({ to, icon, label }) => (
    <DialogLink key={label} className="iconbtn" to={to} aria-label={`${label}: ${name}`} title={label} discover="none">
      <ConsoleIcon name={icon} />
    </DialogLink>
  ))
}
