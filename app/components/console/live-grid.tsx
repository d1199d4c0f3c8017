import {
  ClientSideRowModelModule,
  type ColDef,
  ColumnApiModule,
  type GridApi,
  type ICellRendererParams,
  ModuleRegistry,
  PaginationModule,
  themeQuartz,
} from 'ag-grid-community'
import { AgGridReact } from 'ag-grid-react'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { TableQuery } from '~/lib/table-query.ts'
import { caseKey } from '~/lib/text.ts'
import { type Column, type DataGridProps, shownColumns } from './data-grid-types.ts'
import { contentOf } from './data-table.tsx'
import { operateCell } from './grid-keys.ts'
import { SelectBox } from './select-box.tsx'

ModuleRegistry.registerModules([ClientSideRowModelModule, ColumnApiModule, PaginationModule])

const theme = themeQuartz.withParams({
  fontFamily: 'inherit',
  fontSize: 14,
  accentColor: 'var(--accent)',
  backgroundColor: 'var(--surface)',
  foregroundColor: 'var(--ink)',
  borderColor: 'var(--line)',
  headerBackgroundColor: 'var(--surface)',
  headerTextColor: 'var(--muted)',
  headerFontWeight: 600,
  headerRowBorder: { width: 1.5, color: 'var(--line-strong)' },
  headerColumnBorder: false,
  headerColumnResizeHandleColor: 'transparent',
  rowBorder: { width: 1, color: 'var(--line)' },
  rowHoverColor: 'var(--paper)',
  selectedRowBackgroundColor: 'var(--accent-soft)',
  wrapperBorder: false,
  wrapperBorderRadius: 0,
  cellHorizontalPadding: 8,
  pinnedColumnBorder: false,
})

const cellKeys: ColDef = { suppressKeyboardEvent: ({ event }) => operateCell(event) }

export type Foot = { range: string; page: number; pages: number; goTo: (page: number) => void }

export type LiveGridProps<Row> = DataGridProps<Row> & {
  all: Row[]
  search: string
  size: number
  /** What the reader sees now, whenever that has changed. */
  onQuery: (shown: TableQuery) => void
  children: (foot: Foot) => ReactNode
  nothing: ReactNode
}

type Parts = Pick<DataGridProps<unknown>, 'actions' | 'selection' | 'rowId' | 'rowName'>
/** What a cell needs beyond its row; AG Grid keeps its column definitions, while these change. */
const partsContext = createContext<Parts | null>(null)

/** All rows in the browser: found by each key stroke, sorted by heads, walked by pages. */
export function LiveGrid<Row>(props: LiveGridProps<Row>) {
  const { all, search, size, columns, query, rowId, children, nothing, label, onShown } = props
  const grid = useRef<GridApi<Row> | null>(null)
  const [place, setPlace] = useState({ page: query.page - 1, pages: 1, isReady: false })
  const hasSelection = props.selection !== undefined
  const hasActions = props.actions !== undefined
  const { actionsWidth } = props
  // Only once: the address says how it starts; afterwards the grid keeps its own order
  const definitions = useMemo(
    () => definitionsOf(columns, query, { hasSelection, hasActions, actionsWidth }),
    [columns, hasSelection, hasActions, actionsWidth],
  )
  const found = useMemo(() => findRows(all, columns, search), [all, columns, search])
  useEffect(() => {
    onShown?.(found)
    return () => onShown?.(null)
  }, [onShown, found])
  const isFirstSearch = useRef(search)
  useEffect(() => {
    if (isFirstSearch.current === search) return
    isFirstSearch.current = search
    grid.current?.paginationGoToFirstPage()
  }, [search])
  const [sort, setSort] = useState({ sort: query.sort, isDescending: query.isDescending })
  useShownQuery(
    { search: search.trim(), ...sort, page: place.page + 1, size },
    query,
    place.isReady ? props.onQuery : null,
  )
  const first = place.page * size + 1
  const last = Math.min(found.length, first + size - 1)
  return (
    <partsContext.Provider value={props as unknown as Parts}>
      {found.length === 0 && nothing}
      <section className="livegrid" aria-label={label} hidden={found.length === 0}>
        <AgGridReact<Row>
          theme={theme}
          styleNonce={document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce}
          rowData={found}
          columnDefs={definitions}
          defaultColDef={cellKeys}
          getRowId={({ data }) => rowId(data)}
          rowHeight={70}
          headerHeight={52}
          domLayout="autoHeight"
          pagination
          paginationPageSize={size}
          paginationPageSizeSelector={false}
          suppressPaginationPanel
          suppressColumnVirtualisation
          suppressMovableColumns
          suppressNoRowsOverlay
          suppressCellFocus={false}
          ensureDomOrder
          enableCellTextSelection
          onGridReady={({ api }) => {
            grid.current = api
          }}
          onFirstDataRendered={({ api }) => {
            api.paginationGoToPage(query.page - 1)
            setPlace({ ...placeOf(api), isReady: true })
          }}
          onPaginationChanged={({ api }) => {
            grid.current = api
            setPlace(({ isReady }) => ({ ...placeOf(api), isReady }))
          }}
          onSortChanged={({ api }) => {
            const sorted = api.getColumnState().find(({ sort }) => sort)
            if (sorted) setSort({ sort: sorted.colId, isDescending: sorted.sort === 'desc' })
          }}
        />
      </section>
      {children({
        range: found.length === 0 ? `0 of ${all.length}` : `${first}–${last} of ${found.length}`,
        ...place,
        goTo: (page) => grid.current?.paginationGoToPage(page),
      })}
    </partsContext.Provider>
  )
}

function placeOf<Row>(api: GridApi<Row>): { page: number; pages: number } {
  return { page: Math.max(0, api.paginationGetCurrentPage()), pages: api.paginationGetTotalPages() }
}

/** Tells of each change since the address was read, once the grid stands where that had it. */
function useShownQuery(shown: TableQuery, asked: TableQuery, onQuery: ((shown: TableQuery) => void) | null): void {
  const key = keyOf(shown)
  const told = useRef(keyOf(asked))
  const latest = useRef({ shown, onQuery })
  latest.current = { shown, onQuery }
  const isReady = onQuery !== null
  useEffect(() => {
    if (!isReady || told.current === key) return
    told.current = key
    latest.current.onQuery?.(latest.current.shown)
  }, [key, isReady])
}

function keyOf({ search, sort, isDescending, page, size }: TableQuery): string {
  return JSON.stringify([search, sort, isDescending, page, size])
}

/** Rows of which a searched column holds the text, without regard to case. */
export function findRows<Row>(rows: Row[], columns: readonly Column<Row>[], search: string): Row[] {
  const key = caseKey(search)
  if (key === '') return rows
  const searched = columns.filter(({ isSearched }) => isSearched)
  return rows.filter((row) => searched.some((column) => caseKey(String(column.value(row) ?? '')).includes(key)))
}

/** Texts as the server's `name_key` orders them, numbers as numbers, and what has no value at the end either way. */
export function compareValues(
  one: string | number | null,
  other: string | number | null,
  isDescending: boolean,
): number {
  if (one === null || other === null) return one === other ? 0 : (one === null) !== isDescending ? 1 : -1
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [a, b] = [caseKey(String(one)), caseKey(String(other))]
  return a < b ? -1 : a > b ? 1 : 0
}

type Extras = { hasSelection: boolean; hasActions: boolean; actionsWidth?: number }

function definitionsOf<Row>(
  columns: readonly Column<Row>[],
  query: DataGridProps<Row>['query'],
  { hasSelection, hasActions, actionsWidth }: Extras,
): ColDef<Row>[] {
  const fixed = { sortable: false, resizable: false, suppressMovable: true } as const
  const shown = shownColumns(columns).map((column): ColDef<Row> => {
    const isSorted = column.id === query.sort
    return {
      colId: column.id,
      headerName: column.header,
      valueGetter: ({ data }) => (data ? column.value(data) : null),
      cellRenderer: ({ data }: ICellRendererParams<Row>) =>
        data ? <div className={column.align === 'end' ? 'cell n' : 'cell'}>{contentOf(column, data)}</div> : null,
      // Another row may stand in the same cell with the same value.
      equals: () => false,
      comparator: (one, other, _, __, isDescending) => compareValues(one, other, isDescending),
      sortable: column.isSortable ?? false,
      initialSort: isSorted ? (query.isDescending ? 'desc' : 'asc') : null,
      sortingOrder: ['asc', 'desc'],
      headerClass: column.align === 'end' ? 'n' : undefined,
      wrapHeaderText: true,
      resizable: false,
      suppressMovable: true,
      minWidth: column.width,
      ...(column.grow ? { flex: column.grow } : { width: column.width, maxWidth: column.width }),
    }
  })
  return [
    ...(hasSelection
      ? [{ ...fixed, colId: 'select', headerName: 'Selected', width: 52, cellRenderer: SelectCell }]
      : []),
    ...shown,
    ...(hasActions
      ? [
          {
            ...fixed,
            colId: 'actions',
            headerName: 'Actions',
            headerClass: 'is-quiet',
            width: actionsWidth ?? 64,
            pinned: 'right' as const,
            lockPinned: true,
            cellRenderer: ActionsCell,
          },
        ]
      : []),
  ]
}

function ActionsCell({ data }: ICellRendererParams) {
  const parts = useContext(partsContext)
  return <div className="rowacts">{parts?.actions?.(data)}</div>
}

function SelectCell({ data }: ICellRendererParams) {
  const parts = useContext(partsContext)
  if (!parts?.selection) return null
  return <SelectBox id={parts.rowId(data)} name={parts.rowName(data)} row={data} selection={parts.selection} />
}
