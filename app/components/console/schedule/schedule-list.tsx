import { Link } from '@remix-run/react'
import { BeyondTheList, Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import { CancelButton } from './schedule-dialog.tsx'
import type { ScheduleRow } from './view.ts'

type Props = { rows: ScheduleRow[]; page: number; size: number; total: number; timeZone: string }

const path = '/dashboard/schedule/'

/** What will be published and unpublished, and what was in the last thirty days. */
export function ScheduleList({ rows, page, size, total, timeZone }: Props) {
  return (
    <>
      <h1>Schedule</h1>
      <p className="muted mb-5">
        To plan a change, open a course, module, lecture or video, press PUBLISH or UNPUBLISH, and choose another time.
        The time zone is {timeZone.replaceAll('_', ' ')}.
      </p>
      {rows.length === 0 && total > 0 ? (
        <BeyondTheList icon="clock" to={path} />
      ) : rows.length === 0 ? (
        <Empty icon="clock" title="Nothing is scheduled">
          <p>Content that is published or unpublished at a set time appears here.</p>
        </Empty>
      ) : (
        <RecordTable
          label="Schedule"
          heads={['Content', 'Change', 'Date', 'Planned by', 'State']}
          hasActions
          rows={rows.map((row) => ({
            id: row.uid,
            cells: [
              <span key="name">
                {row.to === null ? row.name : <Link to={row.to}>{row.name}</Link>}{' '}
                <span className="muted small">{row.kind}</span>
              </span>,
              row.change,
              row.on,
              row.plannedBy || '–',
              row.hasFailed ? (
                <span key="state">
                  <Icon name="alert" /> {row.state}
                </span>
              ) : (
                row.state
              ),
            ],
            actions: row.isWaiting && (
              <CancelButton uid={row.uid} at={row.at} label={`Cancel: ${row.change} ${row.name} on ${row.on}`} />
            ),
          }))}
        />
      )}
      <Pages page={page} size={size} total={total} to={(number) => `${path}?page=${number}`} />
    </>
  )
}
