import { Link } from '@remix-run/react'
import { addressOf } from './table-address.tsx'
import type { TableAddress } from './types.ts'

export function NothingFound(address: TableAddress) {
  const { search, filters } = address.query
  const isFiltered = Object.keys(filters).length > 0
  return (
    <div className="nothing" role="status">
      <h2>{search ? `Nothing found for “${search}”` : 'Nothing matches these filters'}</h2>
      <p>{isFiltered ? 'Try fewer filters or another word.' : 'Try another word or part of a word.'}</p>
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
