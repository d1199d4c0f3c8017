import { Link, useLocation } from '@remix-run/react'
import { institutionsTable } from '~/forms/institutions.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { SearchForm } from '../grid/search-form.tsx'
import { SortLinks } from '../grid/sort-links.tsx'
import { addressOf } from '../grid/table-address.tsx'
import type { TableAddress } from '../grid/types.ts'
import { RemovedList } from '../removed-list.tsx'
import { DialogLink } from '../route-dialog.tsx'
import type { InstitutionRow, InstitutionsView } from './view.ts'

const path = '/dashboard/institutions/'

/** The institutions of the site with their people. */
export function InstitutionList({ rows, total, page, size, lookalikes, removed }: InstitutionsView) {
  const { search } = useLocation()
  const query = readTableQuery(new URLSearchParams(search), institutionsTable)
  const address: TableAddress = { table: institutionsTable, path, search, query }
  return (
    <>
      <h1>Manage Institutions</h1>
      <p className="muted mb-4">
        An institution appears here when somebody who belongs to it is invited. If one is listed twice, merge the two,
        and the people of one move to the other.
      </p>
      <div className="flex flex-wrap items-center gap-3 mb-4">
        <SearchForm label="Search institutions" {...address} />
        <span className="ml-auto">
          <DialogLink className="btn btn--secondary" to={`${path}delete/`}>
            <ConsoleIcon name="trash" />
            Delete Institution
          </DialogLink>
        </span>
      </div>
      {lookalikes.length > 0 && query.search === '' && <Lookalikes pairs={lookalikes} />}
      {rows.length === 0 ? (
        <NoInstitutions search={query.search} />
      ) : (
        <>
          <SortLinks
            address={address}
            orders={[
              { sort: 'name', word: 'By name' },
              { sort: 'people', word: 'By people' },
            ]}
          />
          <ul className="sortable" aria-label="Institutions">
            {rows.map((row) => (
              <li key={row.uid} className="sortable-row">
                <Row row={row} />
              </li>
            ))}
          </ul>
          <Pages {...{ page, size, total }} to={(to) => addressOf(address, { page: to })} />
        </>
      )}
      <RemovedList title="Deleted in the last thirty days" path={path} removed={removed} />
    </>
  )
}

function Row({ row: { uid, name, people, learners, isDefault } }: { row: InstitutionRow }) {
  return (
    <>
      <span className="sortable-name">
        <DialogLink className="name" to={`${path}${uid}/`} discover="none">
          {name}
        </DialogLink>{' '}
        <span className="muted small whitespace-nowrap">
          {people === 0 ? 'nobody' : people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}
          {learners > 0 && (
            <>
              {', '}
              <Link to={`/dashboard/users/?filter=institution-${uid}`}>
                {learners === 1 ? '1 learner' : `${learners.toLocaleString('en')} learners`}
                <span className="sr-only"> of {name}</span>
              </Link>
            </>
          )}
          {isDefault && ', default institution'}
        </span>
      </span>
      <DialogLink className="iconbtn" to={`${path}${uid}/`} aria-label={`Edit ${name}`} title="Edit" discover="none">
        <ConsoleIcon name="edit" />
      </DialogLink>
      {!isDefault && (
        <DialogLink
          className="iconbtn"
          to={`${path}delete/?institution=${uid}`}
          aria-label={`Delete ${name}`}
          title="Delete"
          discover="none"
        >
          <ConsoleIcon name="trash" />
        </DialogLink>
      )}
    </>
  )
}

function Lookalikes({ pairs }: { pairs: InstitutionsView['lookalikes'] }) {
  return (
    <div className="notice mb-4">
      <Icon name="info" />
      <div>
        <strong>These may be the same institution</strong>
        <ul>
          {pairs.map(({ one, other }) => (
            <li key={one.value + other.value}>
              “{one.label}” and “{other.label}”{' '}
              <DialogLink to={`${path}${other.value}/merge/?into=${one.value}`} discover="none">
                Merge
                <span className="sr-only">
                  {' '}
                  {one.label} and {other.label}
                </span>
              </DialogLink>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function NoInstitutions({ search }: { search: string }) {
  if (search === '') {
    return (
      <Empty icon="list" title="There are no institutions yet">
        <p>The first one appears as soon as somebody who belongs to it is invited.</p>
      </Empty>
    )
  }
  return (
    <Empty icon="search" title={`No institutions found for “${search}”`}>
      <Link className="btn btn--secondary" to={path}>
        Show all institutions
      </Link>
    </Empty>
  )
}
