import { Link } from '@remix-run/react'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AddressForm, addressOf, useTableChange } from './table-address.tsx'
import type { Column, TableAddress } from './types.ts'

/** Sorts the rows on phones, whose table has no column headers. With JavaScript the choice applies immediately. */
export function SortForm<Row>({ columns, ...address }: TableAddress & { columns: readonly Column<Row>[] }) {
  const { table, query } = address
  const { sort, isDescending } = query
  const change = useTableChange(address)
  const isHydrated = useHydrated()
  const sortable = columns.filter(({ id }) => table.sorts.includes(id))
  return (
    <div className="sortby">
      <AddressForm address={address} without={{ sort: table.sorts[0], isDescending: false }}>
        <label>
          Sort by
          <select
            className="input"
            name={`${table.prefix}sort`}
            value={`${isDescending ? '-' : ''}${sort}`}
            onChange={({ currentTarget: { value } }) =>
              change({ sort: value.replace(/^-/, ''), isDescending: value.startsWith('-') })
            }
          >
            {sortable.map(({ id, header }) => {
              const goesDown = id === sort ? isDescending : table.descendingFirst.includes(id)
              return (
                <option key={id} value={`${goesDown ? '-' : ''}${id}`}>
                  {header}
                </option>
              )
            })}
          </select>
        </label>
        {!isHydrated && (
          <button className="btn btn--quiet" type="submit">
            Sort
          </button>
        )}
      </AddressForm>
      {[false, true].map((goesDown) => (
        <Link
          key={String(goesDown)}
          className="iconbtn"
          to={addressOf(address, { isDescending: goesDown, page: 1 })}
          aria-label={goesDown ? 'Sort descending' : 'Sort ascending'}
          aria-current={goesDown === isDescending ? 'true' : undefined}
          preventScrollReset
        >
          <Icon name="arrow" className={goesDown ? 'i--pointing-down' : 'i--pointing-up'} />
        </Link>
      ))}
    </div>
  )
}
