import { Link } from '@remix-run/react'
import { auditKinds } from '~/forms/audit-log.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { CursorLinks } from '../cursor-links.tsx'
import { FilterForm, FilterInput } from '../filter-form.tsx'
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
    <FilterForm
      path={path}
      filters={filters}
      isFiltered={isFiltered}
      end={
        <a className="btn btn--secondary ml-auto" href={file} download>
          <Icon name="download" />
          Export file
        </a>
      }
    >
      {target && <input type="hidden" name="target" value={target} />}
      <FilterInput name="person" label="Person" defaultValue={person} maxLength={100} />
      <FilterSelect name="kind" label="Kind" all="All kinds" options={auditKinds} chosen={kind} />
      <FilterInput name="from" label="From" type="date" defaultValue={from} />
      <FilterInput name="to" label="To" type="date" defaultValue={to} />
    </FilterForm>
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
