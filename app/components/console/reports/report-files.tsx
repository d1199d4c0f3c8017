import { Form, Link, useLocation, useRevalidator } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { reportFileLimits, rowOfFile } from '~/forms/report-files.ts'
import { useShell } from '../../layout/shell.ts'
import { BeyondTheList, Empty } from '../../ui/empty.tsx'
import { CsrfField, useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { ConfirmRoute } from '../confirm-route.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { RecordTable, withWholeTimes } from '../modules/record-table.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { ReportsFrame } from './reports-page.tsx'
import type { PrepareFileView, ReportFileRow, ReportFilesView } from './view.ts'

const path = '/dashboard/reports/files/'

/** Milliseconds between two requests for the state of files that are being made. */
const every = 3000

/** The files that jobs have made or are making for the viewer. */
export function ReportFiles({ rows, timeZone, page, size, total }: ReportFilesView) {
  const isUnfinished = rows.some((row) => row.isUnfinished)
  useFreshRows(isUnfinished)
  return (
    <ReportsFrame tab="files">
      <h2>Prepared files</h2>
      <p className="muted mb-4">
        A report that is too long for a download is prepared here, and you get an email when it is ready. Only you see
        your files. They are kept for {reportFileLimits.days} days. Times are in the time zone {timeZone}.
      </p>
      {isUnfinished && <Refresh />}
      {rows.length === 0 && total > 0 ? (
        <BeyondTheList icon="file" to={path} />
      ) : rows.length === 0 ? (
        <Empty icon="file" title="There are no prepared files">
          <p>Press “Prepare file…” on a long report. Its file appears here.</p>
        </Empty>
      ) : (
        <div className="records">
          <RecordTable
            label="Prepared files"
            heads={['Report', 'Asked for', 'Size', 'State']}
            hasActions
            rows={rows.map((row) => ({
              id: row.uid,
              anchor: rowOfFile(row.uid),
              cells: [
                <ReportCell key="report" {...row} />,
                row.asked,
                <SizeCell key="size" {...row} />,
                <State key="state" {...row} />,
              ],
              actions: <Actions {...row} />,
            }))}
          />
        </div>
      )}
      <Pages {...{ page, size, total }} to={(number) => `${path}?page=${number}`} />
    </ReportsFrame>
  )
}

/** Reads the list again and again while the page is visible. */
function useFreshRows(isUnfinished: boolean): void {
  const { revalidate, state } = useRevalidator()
  const isIdle = useRef(true)
  isIdle.current = state === 'idle'
  useEffect(() => {
    if (!isUnfinished) return
    const ask = () => isIdle.current && !document.hidden && revalidate()
    const timer = setInterval(ask, every)
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [isUnfinished, revalidate])
}

/** Without JavaScript, the page does not change by itself. */
function Refresh() {
  const { pathname, search } = useLocation()
  if (useHydrated()) return null
  return (
    <p className="mb-4">
      <Link className="btn btn--secondary" to={pathname + search}>
        Refresh
      </Link>
    </p>
  )
}

function ReportCell({ words, to, fileName }: ReportFileRow) {
  return (
    <span>
      {to === null ? words : <Link to={to}>{words}</Link>}
      <span className="muted small font-normal block [overflow-wrap:anywhere]">{fileName}</span>
    </span>
  )
}

function SizeCell({ rows, size }: ReportFileRow) {
  if (rows === null) return '–'
  return (
    <span>
      {rows}
      {size && <span className="muted small block">{size}</span>}
    </span>
  )
}

function State({ uid, words, state, until, problem, again, isUnfinished }: ReportFileRow) {
  const { csrf } = useShell()
  return (
    <span>
      <span className="inline-flex items-center gap-1">
        {problem && <Icon name="alert" />}
        {state}
      </span>
      {until && <span className="muted small block">Until {withWholeTimes(until)}</span>}
      {problem && <span className="muted small block">{problem}</span>}
      {again && (
        <Link className="btn btn--quiet block w-fit" to={again} discover="none" aria-label={`Prepare again: ${words}`}>
          Prepare again
        </Link>
      )}
      {isUnfinished && (
        <Form method="post" action={`${path}${uid}/cancel/`} preventScrollReset>
          <CsrfField token={csrf} />
          <button className="btn btn--quiet" type="submit" aria-label={`Cancel ${words}`}>
            Cancel
          </button>
        </Form>
      )}
    </span>
  )
}

function Actions({ uid, words, file, isUnfinished }: ReportFileRow) {
  return (
    <>
      {file && (
        <a className="iconbtn" href={file} aria-label={`Download: ${words}`} title="Download">
          <Icon name="download" />
        </a>
      )}
      {!isUnfinished && (
        <DialogLink
          className="iconbtn"
          to={`${path}${uid}/delete/`}
          aria-label={`Delete: ${words}`}
          title="Delete"
          discover="none"
        >
          <ConsoleIcon name="trash" />
        </DialogLink>
      )}
    </>
  )
}

/** The question before a job makes the file of a report. */
export function PrepareFile({ uid, words, rows, closeTo }: PrepareFileView) {
  return (
    <ConfirmRoute
      title="Prepare File"
      question={
        <>
          <OutboxNotice />
          <p className="dlg-question">{words}</p>
          <p className="mt-2">
            {rows === null ? 'Counting the rows of this file takes too long.' : `The file has ${rows}.`} We prepare it,
            which can take some minutes, and email you a link. The file is in <Link to={path}>Prepared files</Link> for{' '}
            {reportFileLimits.days} days.
          </p>
        </>
      }
      actionLabel="Prepare file"
      fields={{ uid }}
      closeTo={closeTo}
    />
  )
}
