import { Link } from '@remix-run/react'
import { Icon } from '../../ui/icon.tsx'
import { addressOf } from './table-address.tsx'
import type { TableAddress } from './types.ts'

type Props = { address: TableAddress; orders: { sort: string; word: string }[] }

/** The orders of a list without column heads. The current one has an arrow and, pressed again, is turned around. */
export function SortLinks({ address, orders }: Props) {
  const { query, table } = address
  return (
    <p className="flex gap-4 mb-2" role="group" aria-label="Order">
      {orders.map(({ sort, word }) => {
        const isCurrent = query.sort === sort
        const isDescending = isCurrent ? !query.isDescending : table.descendingFirst.includes(sort)
        return (
          <Link
            key={sort}
            className={isCurrent ? 'inline-flex items-center gap-1 font-semibold' : undefined}
            to={addressOf(address, { sort, isDescending, page: 1 })}
            aria-current={isCurrent ? 'true' : undefined}
            preventScrollReset
          >
            {word}
            {isCurrent && (
              <>
                <Icon name="arrow" className={query.isDescending ? 'i--pointing-down' : 'i--pointing-up'} />
                <span className="sr-only">, {query.isDescending ? 'descending' : 'ascending'}</span>
              </>
            )}
          </Link>
        )
      })}
    </p>
  )
}
