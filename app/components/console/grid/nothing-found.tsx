import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { addressOf } from './table-address.tsx'
import type { TableAddress } from './types.ts'

export function NothingFound({ title, note, ...address }: TableAddress & { title?: string; note?: ReactNode }) {
  const { search, filters } = address.query
  const isFiltered = Object.keys(filters).length > 0
  const found = search
    ? `Nothing found for “${search}”${isFiltered ? ' with these filters' : ''}`
    : 'Nothing matches these filters'
  return (
    <div className="nothing" role="status">
      <h2>{title ?? found}</h2>
      {title && <p>{found}.</p>}
      <p>{isFiltered ? 'Try fewer filters or another word.' : 'Try another word or part of a word.'}</p>
      {note}
      <Link
        className="btn btn--secondary"
        to={addressOf(address, { search: '', filters: {}, page: 1 })}
        preventScrollReset
      >
        {isFiltered ? 'Clear search and filters' : 'Clear the search'}
      </Link>
    </div>
  )
}
