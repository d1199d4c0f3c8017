import { Form, Link, useNavigation, useSubmit } from '@remix-run/react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { currentNavigation } from '~/browser/remix-internals.ts'
import { longestSearch, type TableQuery, writeTableQuery } from '~/lib/table-query.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NoPage } from '../../ui/pages.tsx'
import { Popover } from '../popover.tsx'
import type { ColumnChoice } from './column-choice.ts'
import type { Column, Filter, TableAddress } from './types.ts'

/** The table's page at another query. */
function addressOf({ place, search, table }: TableAddress, change: Partial<TableQuery>): string {
  return place + writeTableQuery(search, table, change)
}

/** A form whose fields are part of the table's address. Whatever else the address says goes with it. */
function AddressForm({ address, without, onSubmit, className, role, children, formRef }: AddressFormProps) {
  const others = new URLSearchParams(writeTableQuery(address.search, address.table, { page: 1, ...without }))
  return (
    <Form
      ref={formRef}
      method="get"
      action={address.place}
      className={className}
      role={role}
      preventScrollReset
      onSubmit={onSubmit}
    >
      {[...others].map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
      {children}
    </Form>
  )
}

type AddressFormProps = {
  address: TableAddress
  /** What the form's own fields say. */
  without: Partial<TableQuery>
  onSubmit?: () => void
  className?: string
  role?: 'search'
  formRef?: RefObject<HTMLFormElement>
  children: ReactNode
}

const pauseInTyping = 300

/** Asks as soon as typing pauses; without JavaScript at Enter. */
export function SearchForm({ label, ...address }: TableAddress & { label: string }) {
  const { query, table, place } = address
  const submit = useSubmit()
  const form = useRef<HTMLFormElement>(null)
  const [text, setText] = useState(query.search)
  const asked = useRef(query.search)
  // An answer to what was typed before must not take back what was typed since.
  useEffect(() => {
    if (asked.current.trim() === query.search.trim()) return
    setText(query.search)
    asked.current = query.search
  }, [query.search])
  const isLeaving = leavesFor(useNavigation().location, place)
  useEffect(() => {
    if (isLeaving || text === asked.current) return
    const timer = setTimeout(() => {
      // A link may have been pressed a moment ago, and React not know it yet.
      if (leavesFor(currentNavigation().location, place)) return
      if (window.location.pathname !== place) return
      asked.current = text
      submit(form.current, { preventScrollReset: true, replace: true })
    }, pauseInTyping)
    return () => clearTimeout(timer)
  }, [text, isLeaving, place, submit])
  return (
    <AddressForm
      address={address}
      without={{ search: '' }}
      formRef={form}
      role="search"
      className="searchbox"
      onSubmit={() => {
        asked.current = text
      }}
    >
      <button className="iconbtn" type="submit" aria-label="Search">
        <Icon name="search" />
      </button>
      <input
        className="input"
        type="search"
        name={`${table.prefix}search`}
        aria-label={label}
        placeholder={label}
        maxLength={longestSearch}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </AddressForm>
  )
}

/** Whoever typed and then opened a row is not to be held back by the search. */
function leavesFor(next: { pathname: string } | undefined, place: string): boolean {
  return next !== undefined && next.pathname !== place
}

/** With nothing to choose from there is nothing to choose. */
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

/** Shows rows with any of the ticked values. With JavaScript each tick counts at once. */
function FilterMenu<Row>({ filter, ...address }: TableAddress & { filter: Filter<Row> }) {
  const { query, table } = address
  const { name, label, options } = filter
  const submit = useSubmit()
  const form = useRef<HTMLFormElement>(null)
  const isHydrated = useHydrated()
  const asked = query.filters[name] ?? []
  const [chosen, setChosen] = useChosen(asked)
  const { [name]: _, ...others } = query.filters
  const [wanted, known] = [chosen.join(), asked.join()]
  // Once the boxes have changed.
  useEffect(() => {
    if (wanted !== known) submit(form.current, { preventScrollReset: true, replace: true })
  }, [wanted, known, submit])
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
      <AddressForm address={address} without={{ filters: others }} formRef={form}>
        <fieldset>
          <legend>{label}</legend>
          {isHydrated && <Box label="All" checked={chosen.length === 0} onChange={() => setChosen([])} />}
          {options.map((option) => (
            <Box
              key={option.value}
              label={option.label}
              name={`${table.prefix}filter`}
              value={`${name}-${option.value}`}
              checked={chosen.includes(option.value)}
              onChange={(isChecked) =>
                setChosen(isChecked ? [...chosen, option.value] : chosen.filter((value) => value !== option.value))
              }
            />
          ))}
        </fieldset>
        {!isHydrated && <ApplyButton />}
      </AddressForm>
    </Popover>
  )
}

/** What is ticked, until the address says something else. */
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

/** Which columns are shown. The browser remembers it; without JavaScript the address does. */
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

export function NothingFound({ total, ...address }: TableAddress & { total: number }) {
  const { search, filters } = address.query
  const isFiltered = Object.keys(filters).length > 0
  const [title, advice, link, change] =
    total > 0
      ? ['There is nothing on this page', 'The list is shorter than that.', 'Go to the first page', { page: 1 }]
      : [
          search ? `Nothing found for “${search}”` : 'Nothing matches these filters',
          isFiltered ? 'Try fewer filters, or another word.' : 'Try another word, or a part of one.',
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

type PagerProps = {
  /** Of the rows that are shown. */
  query: TableQuery
  /** The address that is being loaded, or that of the rows. */
  latest: TableAddress
  total: number
  /** Rows on this page. */
  shown: number
  /** Instead of the range. */
  note?: string
}

/** Rows per page, the range that is shown, and links to the pages. */
export function Pager({ query, latest, total, shown, note }: PagerProps) {
  const { page, size } = query
  const pages = Math.max(1, Math.ceil(total / size))
  const first = (page - 1) * size + 1
  const range = shown === 0 ? `0 of ${count(total)}` : `${count(first)}–${count(first + shown - 1)} of ${count(total)}`
  const to = (target: number) => addressOf(latest, { page: target })
  const root = usePagerFocus()
  return (
    <nav ref={root} className="tablefoot pages" aria-label="Pages">
      <SizeForm {...latest} />
      <span aria-live="polite">{note ?? range}</span>
      {pages > 7 && <GoToForm key={page} {...latest} pages={pages} />}
      <ul>
        <li>
          {page > 1 ? (
            <Step to={to(Math.min(page - 1, pages))} icon="left" label="Previous page" />
          ) : (
            <NoPage icon="left" />
          )}
        </li>
        {numbersOf(page, pages).map((number, index) => (
          <li key={number ?? `gap ${index}`} className="number">
            {number === null ? (
              <span aria-hidden="true">…</span>
            ) : (
              <Link
                className="iconbtn num"
                to={to(number)}
                aria-label={`Page ${number}`}
                aria-current={number === page ? 'page' : undefined}
                preventScrollReset
              >
                {count(number)}
              </Link>
            )}
          </li>
        ))}
        <li>{page < pages ? <Step to={to(page + 1)} icon="right" label="Next page" /> : <NoPage icon="right" />}</li>
      </ul>
    </nav>
  )
}

function count(value: number): string {
  return value.toLocaleString('en')
}

/** First, last, and what is around the current page; null for what is left out between them. */
export function numbersOf(page: number, pages: number): (number | null)[] {
  if (pages <= 7) return Array.from({ length: pages }, (_, index) => index + 1)
  const start = Math.min(Math.max(page - 1, 2), pages - 4)
  const middle =
    page <= 3 ? [2, 3, 4] : page >= pages - 2 ? [pages - 3, pages - 2, pages - 1] : [start, start + 1, start + 2]
  const [from = 2, , until = 4] = middle
  return [1, ...(from > 2 ? [null] : []), ...middle, ...(until < pages - 1 ? [null] : []), pages]
}

function Step({ to, icon, label }: { to: string; icon: 'left' | 'right'; label: string }) {
  return (
    <Link className="iconbtn" to={to} aria-label={label} preventScrollReset>
      <Icon name={icon} />
    </Link>
  )
}

function GoToForm({ pages, ...address }: TableAddress & { pages: number }) {
  return (
    <AddressForm address={address} without={{ page: 1 }} className="goto">
      <label>
        Go to page
        <input
          className="input num"
          type="number"
          name={`${address.table.prefix}page`}
          min={1}
          max={pages}
          required
          placeholder={String(address.query.page)}
        />
      </label>
      <button className="btn btn--quiet" type="submit">
        Go
      </button>
    </AddressForm>
  )
}

/** With JavaScript the choice counts at once. */
function SizeForm(address: TableAddress) {
  const { table, query } = address
  const submit = useSubmit()
  const isHydrated = useHydrated()
  return (
    <AddressForm address={address} without={{ size: table.sizes[0] }} className="sizes">
      <label>
        Rows per page
        <select
          key={query.size}
          className="input"
          name={`${table.prefix}size`}
          defaultValue={query.size}
          onChange={(event) => submit(event.currentTarget.form, { preventScrollReset: true })}
        >
          {table.sizes.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      {!isHydrated && (
        <button className="btn btn--quiet" type="submit">
          Show
        </button>
      )}
    </AddressForm>
  )
}

/** The last page has no way on: the focus moves to the way back, and on the first page the other way round. */
function usePagerFocus() {
  const root = useRef<HTMLElement>(null)
  const wasInside = useRef(false)
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      wasInside.current = root.current?.querySelector('ul')?.contains(target as Node) ?? false
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  useEffect(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null
    if (wasInside.current && isLost) root.current?.querySelector<HTMLElement>('li a')?.focus()
  })
  return root
}
