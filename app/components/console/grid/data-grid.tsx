import { useLocation, useNavigation } from '@remix-run/react'
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { FilterOption } from '~/lib/console-rows.ts'
import {
  longestLiveList,
  readTableQuery,
  type TableDefinition,
  type TableQuery,
  writeTableQuery,
} from '~/lib/table-query.ts'
import { useColumnChoice } from './column-choice.ts'
import { ColumnMenu, FilterMenus, NothingFound, Pager, SearchForm } from './grid-controls.tsx'
import { type Selection, SelectionBar } from './grid-selection.tsx'
import { findRows, pageOf, sortRows, useLiveRows } from './live-rows.ts'
import { PlainTable } from './plain-table.tsx'
import { markLive } from './revalidation.ts'

/** One definition for the plain table that the server sends and for the grid that replaces it on wide screens. */
export type Column<Row> = {
  /** The name that the address sorts by, where it can be sorted. */
  id: string
  header: string
  /** What is sorted and searched by. */
  value: (row: Row) => string | number | null
  /** What is shown, where that is more than the value. */
  cell?: (row: Row) => ReactNode
  isSearched?: boolean
  align?: 'end'
  /** The least width in pixels. */
  width: number
  /** Its share of the space that is left. */
  grow?: number
  /** Names the row: it cannot be left out, and on phones it stands alone on its line. */
  isLead?: boolean
}

/** What the loader of the page sends. */
export type TablePage<Row> = {
  rows: Row[]
  /** How many are found. */
  total: number
  /** How many there are without search and filters, counted to one more than `longestLiveList`. */
  listed: number
  /** Names the state of the whole list: it changes whenever a row does. */
  state: string
}

export type Filter<Row> = {
  name: string
  label: string
  options: FilterOption[]
  /** Those of the options that the row belongs to. */
  valuesOf: (row: Row) => string[]
}

export type DataGridProps<Row> = {
  table: TableDefinition
  /** Names the table for screen readers: "Modules". */
  label: string
  /** The address of the page that the table stands on. */
  place: string
  /**
   * The address that hands out rows: a hundred at a time (`?after=`), what changed since a state (`?since=`), and the uids of all that is found
   * (`?uids=`, with the table's own query).
   */
  source: string
  page: TablePage<Row>
  columns: readonly Column<Row>[]
  filters?: readonly Filter<Row>[]
  rowId: (row: Row) => string
  rowName: (row: Row) => string
  actions?: (row: Row) => ReactNode
  /** How many of them, at most: it decides the width of their column. */
  actionCount?: number
  searchLabel?: string
  /** At the right of the search: the section's buttons. */
  toolbar?: ReactNode
  empty: ReactNode
  selection?: Selection<Row>
  /** Gets the rows of all pages while the browser has them, and null while it does not. Must not change. */
  onFound?: (rows: Row[] | null) => void
}

/** What both kinds of table show: one page of rows. */
export type TableProps<Row> = Pick<
  DataGridProps<Row>,
  'table' | 'label' | 'rowId' | 'rowName' | 'actions' | 'actionCount' | 'selection'
> & {
  rows: Row[]
  columns: Column<Row>[]
  query: TableQuery
  /** Where a click on the head of a column leads. */
  sortAddress: (column: Column<Row>) => string
}

/**
 * A section's table. Search, filters, order and page are in the address, so that a reload, Back and a shared link show the same. The server sends
 * the page that the address names. Of a list of up to a thousand rows the browser then fetches all, and from then on answers the address by itself.
 */
export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { table, page, columns, place, filters = [], selection, onFound } = props
  const { search } = useLocation()
  const query = useMemo(() => readTableQuery(new URLSearchParams(search), table), [search, table])
  const isWide = useWide()
  const live = useLiveRows(props, isWide && page.listed <= longestLiveList)
  const found = useMemo(
    () => live.rows && sortRows(findRows(live.rows, columns, filters, query), columns, query),
    [live.rows, columns, filters, query],
  )
  useEffect(() => (found ? markLive(table.prefix) : undefined), [found, table.prefix])
  useEffect(() => {
    onFound?.(found)
    return () => onFound?.(null)
  }, [onFound, found])
  const choice = useColumnChoice(props.label, columns, query.columns)
  const AgTable = useAgTable(isWide)
  const rows = found ? pageOf(found, query) : page.rows
  const total = found ? found.length : page.total
  const isLoading = useNavigation().location?.pathname === place
  const isEmpty = page.listed === 0 && !live.rows?.length
  if (isEmpty) {
    return (
      <>
        {props.toolbar && (
          <div className="toolbar">
            <div className="end">{props.toolbar}</div>
          </div>
        )}
        {props.empty}
      </>
    )
  }
  const address = { table, place, search, query }
  const shown = { ...props, ...address, rows, columns: choice.shown, sortAddress: sortAddressOf(address) }
  return (
    <>
      <div className="toolbar">
        <SearchForm {...address} label={props.searchLabel ?? 'Search topic or name'} />
        {props.toolbar && <div className="end">{props.toolbar}</div>}
      </div>
      <div className="filterbar">
        <FilterMenus {...address} filters={filters} />
        <ColumnMenu {...address} columns={columns} choice={choice} />
      </div>
      <div className="tablebox" aria-busy={isLoading || undefined}>
        {rows.length === 0 ? (
          <NothingFound {...address} total={total} />
        ) : AgTable ? (
          <AgTable {...shown} widths={choice.widths} onResize={choice.resize} />
        ) : (
          <PlainTable {...shown} />
        )}
        <Pager
          {...address}
          total={total}
          shown={rows.length}
          note={live.loaded === null ? undefined : `Loading ${live.loaded} of ${page.listed}`}
        />
      </div>
      {selection && (
        <SelectionBar {...address} {...props} selection={selection} rows={rows} found={found} total={total} />
      )}
    </>
  )
}

/** To the rows in the order of that column, or in the opposite one where they are in it. */
function sortAddressOf({ table, place, search, query }: TableAddress) {
  return ({ id }: { id: string }) => {
    const isSorted = query.sort === id
    const isDescending = isSorted ? !query.isDescending : table.descendingFirst.includes(id)
    return place + writeTableQuery(search, table, { sort: id, isDescending, page: 1 })
  }
}

/** Where the table's address is read and written. */
export type TableAddress = { table: TableDefinition; place: string; search: string; query: TableQuery }

type AgTableComponent = typeof import('./ag-table.tsx').AgTable

/** AG Grid is fetched only where it is shown. Null until it has come, and where it cannot be had. */
function useAgTable(isWanted: boolean): AgTableComponent | null {
  const [component, setComponent] = useState<AgTableComponent | null>(null)
  useEffect(() => {
    if (!isWanted) return
    import('./ag-table.tsx').then(
      (loaded) => loaded && setComponent(() => loaded.AgTable),
      () => {},
    )
  }, [isWanted])
  return isWanted ? component : null
}

const wide = '(min-width: 48em)'

function useWide(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(wide)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => window.matchMedia(wide).matches,
    () => false,
  )
}
