import { Link } from '@remix-run/react'
import type { TableQuery } from '~/lib/table-query.ts'
import { addressOf } from './table-address.tsx'
import type { TableAddress } from './types.ts'

export function NothingFound({ total, ...address }: TableAddress & { total: number }) {
  const { search, filters } = address.query
  const isFiltered = Object.keys(filters).length > 0
  const [title, advice, link, change] =
    total > 0
      ? ['This page is empty', 'The list has fewer pages.', 'Go to the first page', { page: 1 }]
      : [
          search ? `Nothing found for “${search}”` : 'Nothing matches these filters',
          isFiltered ? 'Try fewer filters or another word.' : 'Try another word or part of a word.',
          isFiltered ? 'Clear search and filters' : 'Clear the search',
          { search: '', filters: {}, page: 1 },
        ]
  return (
    <div className="nothing" role="status">
      <h2>{title as string}</h2>
      <p>{advice as string}</p>
      <Link className="btn btn--secondary" to={addressOf(address, change as Partial<TableQuery>)} preventScrollReset>
        {link as string}
      </Link>
    </div>
  )
}
