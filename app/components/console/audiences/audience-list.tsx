import { Link, useLocation } from '@remix-run/react'
import { audiencesTable } from '~/forms/audience-tables.ts'
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
import type { AudienceRow, AudiencesView } from './view.ts'

const path = '/dashboard/audiences/'

/** The audiences of the site with their rules and how many people are in each now. */
export function AudienceList({ rows, total, page, size, removed }: AudiencesView) {
  const { search } = useLocation()
  const query = readTableQuery(new URLSearchParams(search), audiencesTable)
  const address: TableAddress = { table: audiencesTable, path, search, query }
  return (
    <>
      <h1>Manage Audiences</h1>
      <p className="muted mb-4">
        An audience is a rule about people. Whoever meets its conditions is in it, and whoever no longer does is out.
      </p>
      <div className="flex flex-wrap items-center gap-3 mb-4">
        <SearchForm label="Search audiences" {...address} />
        <span className="ml-auto">
          <DialogLink className="btn btn--primary" to={`${path}new/`}>
            <ConsoleIcon name="plus" />
            New Audience
          </DialogLink>
        </span>
      </div>
      {rows.length === 0 ? (
        <NoAudiences search={query.search} />
      ) : (
        <>
          <SortLinks
            address={address}
            orders={[
              { sort: 'name', word: 'By name' },
              { sort: 'updated', word: 'By last change' },
            ]}
          />
          <ul className="sortable" aria-label="Audiences">
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

function Row({ row: { uid, name, words, hasGone, people, updatedOn } }: { row: AudienceRow }) {
  const actions = [
    { to: `${path}${uid}/`, icon: 'edit', label: 'Edit' },
    { to: `${path}${uid}/duplicate/`, icon: 'copy', label: 'Duplicate' },
    { to: `${path}${uid}/delete/`, icon: 'trash', label: 'Delete' },
  ] as const
  return (
    <>
      <span className="sortable-name">
        <Link className="name" to={`${path}${uid}/people/`} discover="none">
          {name}
        </Link>{' '}
        <span className="muted small font-normal block">
          {people === 0 ? 'nobody' : people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}, changed on{' '}
          {updatedOn}
        </span>
        <RuleInWords words={words} />
        {hasGone && <GoneNotice />}
      </span>
      {actions.map(({ to, icon, label }) => (
        <DialogLink
          key={label}
          className="iconbtn"
          to={to}
          aria-label={`${label} ${name}`}
          title={label}
          discover="none"
        >
          <ConsoleIcon name={icon} />
        </DialogLink>
      ))}
    </>
  )
}

/** The conditions of an audience, one below the other. */
export function RuleInWords({ words }: { words: string[] }) {
  return (
    <ul className="muted small font-normal">
      {words.map((word, index) => (
        <li key={index}>{word}</li>
      ))}
    </ul>
  )
}

export function GoneNotice() {
  return (
    <span className="small flex items-center gap-2">
      <Icon name="alert" />
      Something that this rule names no longer exists. Edit the audience to correct it.
    </span>
  )
}

function NoAudiences({ search }: { search: string }) {
  if (search === '') {
    return (
      <Empty icon="person" title="There are no audiences yet">
        <p>With one, you see who has not completed a module, or was not seen for a month.</p>
      </Empty>
    )
  }
  return (
    <Empty icon="search" title={`No audiences found for “${search}”`}>
      <Link className="btn btn--secondary" to={path}>
        Show all audiences
      </Link>
    </Empty>
  )
}
