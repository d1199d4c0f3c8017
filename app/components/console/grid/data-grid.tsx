import { useLocation, useNavigation } from '@remix-run/react'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { longestLiveList, onExistingPage, readTableQuery, writeTableQuery } from '~/lib/table-query.ts'
import { useColumnChoice } from './column-choice.ts'
import { ColumnMenu, FilterMenus } from './filter-menus.tsx'
import { SelectionBar } from './grid-selection.tsx'
import { findRows, pageOf, sortRows, useLiveRows } from './live-rows.ts'
import { NothingFound } from './nothing-found.tsx'
import { Pager } from './pager.tsx'
import { PlainTable } from './plain-table.tsx'
import { markLive } from './revalidation.ts'
import { SearchForm } from './search-form.tsx'
import { SortForm } from './sort-form.tsx'
import type { Column, DataGridProps, Filter, TableAddress, TablePage } from './types.ts'

export type { Column, Filter, TablePage }

/**
 * A section's table. Search, filters, order and page are in the address, so that a reload, Back and a shared link show
 * the same rows. The server sends the page that the address names. The browser then fetches all rows of a list of up to
 * a thousand, and from then on finds the rows for an address by itself.
 */
export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { table, page, columns, path, filters = [], selection, onFound } = props
  const { search } = useLocation()
  const asked = useMemo(() => readTableQuery(new URLSearchParams(search), table), [search, table])
  const isWide = useWide()
  // A window that becomes narrow keeps the rows. Without them it would show the page that the server sent last,
  // whatever the address says now.
  const wasWide = useRef(false)
  wasWide.current ||= isWide
  const live = useLiveRows(props, wasWide.current && page.listed <= longestLiveList)
  const found = useMemo(
    () => live.rows && sortRows(findRows(live.rows, columns, filters, asked), columns, asked),
    [live.rows, columns, filters, asked],
  )
  // The list may have become shorter, so that this page no longer exists.
  const query = useMemo(() => (found ? onExistingPage(asked, found.length) : asked), [asked, found])
  useEffect(() => (found ? markLive(table.prefix) : undefined), [found, table.prefix])
  useEffect(() => {
    onFound?.(found)
    return () => onFound?.(null)
  }, [onFound, found])
  const choice = useColumnChoice(props.label, columns, query.columns)
  const AgTable = useAgTable(isWide)
  const rows = found ? pageOf(found, query) : page.rows
  const total = found ? found.length : page.total
  const { location: next } = useNavigation()
  const isLoading = next?.pathname === path
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
  const address = { table, path, search, query }
  // A second change before the first one is answered adds to it. From the address of the rows it would undo it.
  const latest = isLoading
    ? { ...address, search: next.search, query: readTableQuery(new URLSearchParams(next.search), table) }
    : address
  const shown = { ...props, ...address, rows, columns: choice.shown, sortAddress: sortAddressOf(latest) }
  return (
    <>
      <div className="toolbar">
        <SearchForm {...latest} label={props.searchLabel ?? 'Search topic or name'} />
        {props.toolbar && <div className="end">{props.toolbar}</div>}
      </div>
      <div className="filterbar">
        <FilterMenus {...latest} filters={filters} />
        <ColumnMenu {...latest} columns={columns} choice={choice} />
        <SortForm {...latest} columns={columns} />
      </div>
      <div className="tablebox" aria-busy={isLoading || undefined}>
        {rows.length === 0 ? (
          <NothingFound {...address} title={props.noneFound} note={props.noneFoundNote} />
        ) : AgTable ? (
          <AgTable {...shown} widths={choice.widths} onResize={choice.resize} />
        ) : (
          <PlainTable {...shown} />
        )}
        <Pager
          query={query}
          latest={latest}
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

/**
 * Returns a function for the address that sorts by a column, or reverses the order if the rows are sorted by it
 * already.
 */
function sortAddressOf({ table, path, search, query }: TableAddress) {
  return ({ id }: { id: string }) => {
    const isSorted = query.sort === id
    const isDescending = isSorted ? !query.isDescending : table.descendingFirst.includes(id)
    return path + writeTableQuery(search, table, { sort: id, isDescending, page: 1 })
  }
}

type AgTableComponent = typeof import('./ag-table.tsx').AgTable

/** Loads AG Grid when it is wanted. Null until it has loaded, and if loading fails. */
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
