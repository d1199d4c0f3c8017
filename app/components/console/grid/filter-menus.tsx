import { Link, useFetcher } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { type FilterOption, mostFilterOptions } from '~/lib/table-query.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Popover } from '../popover.tsx'
import type { ColumnChoice } from './column-choice.ts'
import { AddressForm, addressOf, useTableChange } from './table-address.tsx'
import type { Column, Filter, TableAddress } from './types.ts'

/** A filter without options is not shown. */
function isUseful<Row>({ options }: Filter<Row>): boolean {
  return options.length > 0
}

type FilterProps<Row> = TableAddress & { filters: readonly Filter<Row>[] }

export function FilterMenus<Row>({ filters, ...address }: FilterProps<Row>) {
  const isFiltered = Object.keys(address.query.filters).length > 0
  return (
    <fieldset className="filters">
      <legend className="sr-only">Filters</legend>
      {filters.filter(isUseful).map((filter) => (
        <FilterMenu key={filter.name} {...address} filter={filter} />
      ))}
      {isFiltered && (
        <Link className="btn btn--quiet" to={addressOf(address, { filters: {}, page: 1 })} preventScrollReset>
          Clear filters
        </Link>
      )}
    </fieldset>
  )
}

/** Shows rows that have any of the ticked values. With JavaScript each tick applies immediately. */
function FilterMenu<Row>({ filter, ...address }: TableAddress & { filter: Filter<Row> }) {
  const { query, table } = address
  const { name, label } = filter
  const change = useTableChange(address)
  const isHydrated = useHydrated()
  const asked = query.filters[name] ?? []
  const [chosen, setChosen] = useChosen(asked)
  const { [name]: _, ...others } = query.filters
  const choose = (values: string[]) => {
    setChosen(values)
    change({ filters: values.length > 0 ? { ...others, [name]: values } : others })
  }
  const { options, canSearch, text, search } = useOptions(filter, chosen)
  const [first] = options.filter(({ value }) => chosen.includes(value))
  const face = chosen.length > 1 ? `${label}: ${chosen.length} chosen` : first ? `${label}: ${first.label}` : label
  return (
    <Popover
      isLazy
      className={chosen.length > 0 ? 'filterbtn is-set' : 'filterbtn'}
      panelClassName="popover--choices"
      face={
        <>
          <span>{face}</span>
          <Icon name="chevron" />
        </>
      }
    >
      <AddressForm address={address} without={{ filters: others }}>
        <fieldset>
          <legend>{label}</legend>
          {isHydrated && <Box label="All" checked={chosen.length === 0} onChange={() => choose([])} />}
          {canSearch && (
            <input
              className="input"
              type="search"
              aria-label={`Search ${label}`}
              placeholder="Search for others"
              value={text}
              onChange={(event) => search(event.currentTarget.value)}
              // Enter would send the form, which is sent with each tick.
              onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            />
          )}
          {options.length === 0 && <p className="muted small">Nothing found</p>}
          {options.map((option) => (
            <Box
              key={option.value}
              label={option.label}
              name={`${table.prefix}filter`}
              value={`${name}-${option.value}`}
              checked={chosen.includes(option.value)}
              onChange={(isChecked) =>
                choose(isChecked ? [...chosen, option.value] : chosen.filter((value) => value !== option.value))
              }
            />
          ))}
        </fieldset>
        {!isHydrated && <ApplyButton />}
      </AddressForm>
    </Popover>
  )
}

/** The options that the page has sent, or those that a search has found; in both cases with the chosen ones. */
function useOptions<Row>({ options, more }: Filter<Row>, chosen: string[]) {
  const isHydrated = useHydrated()
  const fetcher = useFetcher<FilterOption[]>()
  const [text, setText] = useState('')
  const known = useRef(new Map<string, FilterOption>())
  const found = text.trim() === '' ? options : (fetcher.data ?? options)
  for (const option of [...options, ...found]) known.current.set(option.value, option)
  const others = chosen.filter((value) => !found.some((option) => option.value === value))
  const { load } = fetcher
  useEffect(() => {
    if (!more || text.trim() === '') return
    const timer = setTimeout(() => load(`${more}&${new URLSearchParams({ search: text.trim() })}`), pauseInTyping)
    return () => clearTimeout(timer)
  }, [more, text, load])
  return {
    options: [...others.flatMap((value) => known.current.get(value) ?? []), ...found],
    canSearch: isHydrated && more !== undefined && options.length >= mostFilterOptions,
    text,
    search: setText,
  }
}

const pauseInTyping = 300

/** Keeps the ticked values until the address changes them. */
function useChosen(asked: string[]) {
  const [chosen, setChosen] = useState(asked)
  const key = asked.join()
  const known = useRef(key)
  if (known.current !== key) {
    known.current = key
    if (chosen.join() !== key) setChosen(asked)
  }
  return [chosen, setChosen] as const
}

type BoxProps = {
  label: string
  name?: string
  value?: string
  checked: boolean
  disabled?: boolean
  onChange: (isChecked: boolean) => void
}

function Box({ label, onChange, ...input }: BoxProps) {
  return (
    <label className="tick">
      <input type="checkbox" {...input} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

function ApplyButton() {
  return (
    <button className="btn btn--secondary" type="submit">
      Apply
    </button>
  )
}

type ColumnMenuProps<Row> = TableAddress & { columns: readonly Column<Row>[]; choice: ColumnChoice<Row> }

/** Chooses the columns that are shown. The browser remembers the choice; without JavaScript the address holds it. */
export function ColumnMenu<Row>({ columns, choice, ...address }: ColumnMenuProps<Row>) {
  const isHydrated = useHydrated()
  const { shown, isUsual, show, reset } = choice
  const isShown = (column: Column<Row>) => shown.includes(column)
  return (
    <Popover
      isLazy
      className="filterbtn"
      panelClassName="popover--choices popover--end"
      face={
        <>
          <span>{shown.length === columns.length ? 'Columns' : `Columns: ${shown.length} of ${columns.length}`}</span>
          <Icon name="chevron" />
        </>
      }
    >
      <AddressForm address={address} without={{ columns: [] }}>
        <fieldset>
          <legend>Columns</legend>
          {columns.map((column) => (
            <Box
              key={column.id}
              label={column.header}
              name={`${address.table.prefix}columns`}
              value={column.id}
              checked={isShown(column)}
              disabled={column.isLead}
              onChange={(isChecked) => show(columns.filter((one) => (one === column ? isChecked : isShown(one))))}
            />
          ))}
        </fieldset>
        {isHydrated ? (
          <button className="btn btn--secondary" type="button" disabled={isUsual} onClick={reset}>
            Reset columns and widths
          </button>
        ) : (
          <ApplyButton />
        )}
      </AddressForm>
    </Popover>
  )
}
