import { Form, Link } from '@remix-run/react'
import { auditKinds } from '~/forms/audit-log.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { CursorLinks } from '../cursor-links.tsx'
import { FilterSelect } from '../filter-select.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import type { AuditLogView, AuditRow } from './view.ts'

const path = '/dashboard/audit-log/'

/** Who changed what on the site, newest first, with filters. Works without JavaScript. */
export function AuditLog({ rows, filters, next, newest, file, timeZone }: AuditLogView) {
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <>
      <h1>Audit Log</h1>
      <p className="muted mb-4">
        Every change by staff, with the values before and after. For people it has only the names of the changed fields.
        Times are in {timeZone}.
      </p>
      <Filters filters={filters} isFiltered={isFiltered} file={file} />
      {rows.length === 0 ? (
        <Empty icon="search" title={isFiltered || newest ? 'No changes found' : 'Nothing has been changed yet'}>
          {isFiltered && (
            <Link className="btn btn--secondary" to={path}>
              Show all changes
            </Link>
          )}
        </Empty>
      ) : (
        <RecordTable
          label="Changes"
          heads={['Time', 'Person', 'What', 'Change', 'Details']}
          rows={rows.map((row) => ({
            id: row.id,
            cells: [
              row.at,
              row.who,
              <Target key="what" row={row} isNarrowed={filters.target !== ''} />,
              row.change,
              <Details key="details" row={row} />,
            ],
          }))}
        />
      )}
      <CursorLinks newest={newest} next={next} />
    </>
  )
}

type FilterProps = Pick<AuditLogView, 'filters' | 'file'> & { isFiltered: boolean }

function Filters({ filters, isFiltered, file }: FilterProps) {
  const { person, kind, target, from, to } = filters
  return (
    <Form key={JSON.stringify(filters)} method="get" action={path} className="flex flex-wrap items-end gap-3 mb-4">
      {target && <input type="hidden" name="target" value={target} />}
      <div className="field">
        <label htmlFor="audit-person">Person</label>
        <input id="audit-person" className="input" type="search" name="person" defaultValue={person} maxLength={100} />
      </div>
      <FilterSelect name="kind" label="Kind" all="All kinds" options={auditKinds} chosen={kind} />
      <div className="field">
        <label htmlFor="audit-from">From</label>
        <input id="audit-from" className="input" type="date" name="from" defaultValue={from} />
      </div>
      <div className="field">
        <label htmlFor="audit-to">To</label>
        <input id="audit-to" className="input" type="date" name="to" defaultValue={to} />
      </div>
      <button className="btn btn--primary" type="submit">
        Show
      </button>
      {isFiltered && (
        <Link className="btn btn--quiet" to={path}>
          Clear
        </Link>
      )}
      <a className="btn btn--secondary ml-auto" href={file} download>
        <Icon name="download" />
        Export file
      </a>
    </Form>
  )
}

function Target({ row, isNarrowed }: { row: AuditRow; isNarrowed: boolean }) {
  const { kind, target, targetUid, to } = row
  return (
    <>
      {target === null ? null : to ? (
        <Link to={to} discover="none">
          {target}
        </Link>
      ) : (
        target
      )}{' '}
      <span className="muted small">
        {kind}
        {!isNarrowed && (
          <>
            {' · '}
            <Link to={`${path}?target=${targetUid}`} aria-label={`All changes of ${target ?? kind}`}>
              all changes
            </Link>
          </>
        )}
      </span>
    </>
  )
}

function Details({ row: { details, undo } }: { row: AuditRow }) {
  if (details.length === 0 && !undo) return '–'
  return (
    <>
      {details.length > 0 && (
        <details>
          <summary className="cursor-pointer underline">
            {details.length === 1 ? '1 field' : `${details.length} fields`}
          </summary>
          <dl>
            {details.map(({ field, before, after }) => (
              <div key={field} className="my-2">
                <dt className="muted small">{field}</dt>
                <dd>
                  {before !== null && <del>{before}</del>}{' '}
                  {after !== null && <ins className="no-underline">{after}</ins>}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {undo && (
        <Link className="small" to={undo.to} discover="none">
          {undo.label}
        </Link>
      )}
    </>
  )
}
