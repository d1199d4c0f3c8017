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
  const others = Object.entries(table.sortsWithoutColumn ?? {}).map(([id, header]) => ({ id, header }))
  const sortable = [...others, ...columns.filter(({ id }) => table.sorts.includes(id))]
  return (
    <div className="sortby">
      <AddressForm address={address} without={{ sort: table.sorts[0], isDescending: false }}>
        <SortSelect
          name={`${table.prefix}sort`}
          chosen={`${isDescending ? '-' : ''}${sort}`}
          orders={sortable.map(({ id, header }) => {
            const goesDown = id === sort ? isDescending : table.descendingFirst.includes(id)
            return { value: `${goesDown ? '-' : ''}${id}`, label: header }
          })}
          onChoose={(value) => change({ sort: value.replace(/^-/, ''), isDescending: value.startsWith('-') })}
        />
      </AddressForm>
      <SortDirections
        isDescending={isDescending}
        to={(goesDown) => addressOf(address, { isDescending: goesDown, page: 1 })}
      />
    </div>
  )
}

type SelectProps = {
  name: string
  chosen: string
  orders: { value: string; label: string }[]
  onChoose: (value: string) => void
}

/** The orders to choose from; its form has the rest of the address. */
export function SortSelect({ name, chosen, orders, onChoose }: SelectProps) {
  const isHydrated = useHydrated()
  return (
    <>
      <label>
        Sort by
        <select
          className="input"
          name={name}
          value={chosen}
          onChange={({ currentTarget: { value } }) => onChoose(value)}
        >
          {orders.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {!isHydrated && (
        <button className="btn btn--quiet" type="submit">
          Sort
        </button>
      )}
    </>
  )
}

/** Links that reverse the chosen order. */
export function SortDirections({ isDescending, to }: { isDescending: boolean; to: (goesDown: boolean) => string }) {
  return [false, true].map((goesDown) => (
    <Link
      key={String(goesDown)}
      className="iconbtn"
      to={to(goesDown)}
      aria-label={goesDown ? 'Sort descending' : 'Sort ascending'}
      aria-current={goesDown === isDescending ? 'true' : undefined}
      preventScrollReset
    >
      <Icon name="arrow" className={goesDown ? 'i--pointing-down' : 'i--pointing-up'} />
    </Link>
  ))
}
