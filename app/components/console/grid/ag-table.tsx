import { useNavigate } from '@remix-run/react'
import {
  ClientSideRowModelModule,
  type ColDef,
  ColumnApiModule,
  type GridApi,
  type ICellRendererParams,
  ModuleRegistry,
  themeQuartz,
} from 'ag-grid-community'
import { AgGridReact } from 'ag-grid-react'
import { createContext, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { TableQuery } from '~/lib/table-query.ts'
import { columnLimits } from './column-choice.ts'
import { PageBox, RowBox } from './grid-selection.tsx'
import { boxWidth, contentOf } from './plain-table.tsx'
import type { Column, TableProps } from './types.ts'

ModuleRegistry.registerModules([ClientSideRowModelModule, ColumnApiModule])

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
  headerColumnResizeHandleColor: 'var(--line)',
  headerColumnResizeHandleHeight: '40%',
  rowBorder: { width: 1, color: 'var(--line)' },
  rowHoverColor: 'var(--paper)',
  wrapperBorder: false,
  wrapperBorderRadius: 0,
  cellHorizontalPadding: 6,
  pinnedColumnBorder: false,
  // AG Grid otherwise reserves the height of two rows for one.
  autoHeightMinBodyHeight: 0,
})

type Props<Row> = TableProps<Row> & {
  /** The widths of resized columns, in pixels by column id. */
  widths: Record<string, number>
  onResize: (id: string, width: number) => void
}

/** Gives cells more than their row. AG Grid keeps its column definitions when this changes. */
const propsContext = createContext<TableProps<unknown> | null>(null)

/**
 * One page of rows in AG Grid: arrow keys move between cells, and columns can be resized. The address holds the order
 * and the page, so the grid gets one page in its order, and a click on a column header opens another address.
 */
export function AgTable<Row>(props: Props<Row>) {
  const { rows, columns, query, rowId, label, widths, onResize, sortAddress } = props
  const navigate = useNavigate()
  const [root, isCompact] = useIsCompact()
  const grid = useRef<GridApi<Row> | null>(null)
  const { sorts, descendingFirst } = props.table
  const hasSelection = props.selection !== undefined
  const actionsWidth = props.actions && (isCompact ? 48 : (props.actionCount ?? 1) * 36 + 4)
  const definitions = useMemo(
    () => definitionsOf(columns, { sorts, descendingFirst, widths, hasSelection, actionsWidth }),
    [columns, sorts, descendingFirst, widths, hasSelection, actionsWidth],
  )
  // New column definitions have no order.
  useEffect(() => {
    if (grid.current && definitions) showSort(grid.current, query)
  }, [query, definitions])
  return (
    <propsContext.Provider value={props as unknown as TableProps<unknown>}>
      <section ref={root} className="livegrid" aria-label={label}>
        <AgGridReact<Row>
          theme={theme}
          styleNonce={document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce}
          rowData={rows}
          columnDefs={definitions}
          defaultColDef={cellKeys}
          getRowId={({ data }) => rowId(data)}
          rowHeight={70}
          headerHeight={52}
          domLayout="autoHeight"
          animateRows={false}
          suppressColumnVirtualisation
          suppressMovableColumns
          suppressNoRowsOverlay
          ensureDomOrder
          enableCellTextSelection
          tabToNextCell={leaveGrid}
          onGridReady={({ api }) => {
            grid.current = api
            showSort(api, query)
          }}
          onSortChanged={({ api, source }) => {
            if (source === 'api') return
            const sorted = api.getColumnState().find(({ sort }) => sort)
            const column = columns.find(({ id }) => id === sorted?.colId)
            if (column) navigate(sortAddress(column), { preventScrollReset: true })
          }}
          onColumnResized={({ finished, source, column }) => {
            if (finished && column && source.startsWith('ui')) onResize(column.getColId(), column.getActualWidth())
          }}
        />
      </section>
    </propsContext.Provider>
  )
}

/** Shows the order of the address in the column headers, also after Back. */
function showSort<Row>(api: GridApi<Row>, { sort, isDescending }: TableQuery): void {
  api.applyColumnState({
    state: [{ colId: sort, sort: isDescending ? 'desc' : 'asc' }],
    defaultState: { sort: null },
  })
}

/** Below this width in pixels the actions of a row are in a menu. Keep in step with console-grid.css. */
const widthForActions = 1140

function useIsCompact() {
  const root = useRef<HTMLElement>(null)
  const [isCompact, setCompact] = useState(false)
  useEffect(() => {
    if (!root.current) return
    const observer = new ResizeObserver(([entry]) => entry && setCompact(entry.contentRect.width < widthForActions))
    observer.observe(root.current)
    return () => observer.disconnect()
  }, [])
  return [root, isCompact] as const
}

type Extras = {
  sorts: readonly string[]
  descendingFirst: readonly string[]
  widths: Record<string, number>
  hasSelection: boolean
  actionsWidth?: number
}

function definitionsOf<Row>(
  columns: Column<Row>[],
  { sorts, descendingFirst, widths, hasSelection, actionsWidth }: Extras,
): ColDef<Row>[] {
  const fixed = { sortable: false, resizable: false, suppressMovable: true } as const
  const shown = columns.map((column): ColDef<Row> => {
    const own = widths[column.id]
    return {
      colId: column.id,
      headerName: column.header,
      valueGetter: ({ data }) => (data ? column.value(data) : null),
      cellRenderer: ({ data }: ICellRendererParams<Row>) =>
        data ? <div className={column.align === 'end' ? 'cell n' : 'cell'}>{contentOf(column, data)}</div> : null,
      // The same cell can show another row with the same value.
      equals: () => false,
      comparator: () => 0,
      sortable: sorts.includes(column.id),
      sortingOrder: descendingFirst.includes(column.id) ? ['desc', 'asc'] : ['asc', 'desc'],
      headerClass: column.align === 'end' ? 'n' : undefined,
      wrapHeaderText: true,
      suppressMovable: true,
      minWidth: own ? Math.min(own, column.width) : column.width,
      maxWidth: columnLimits.most,
      ...(own ? { width: own, flex: null as unknown as undefined } : { flex: column.grow ?? 0.4, width: column.width }),
    }
  })
  return [
    ...(hasSelection
      ? [
          {
            ...fixed,
            colId: 'select',
            headerName: 'Selected',
            headerComponent: SelectHead,
            width: boxWidth,
            cellRenderer: SelectCell,
          },
        ]
      : []),
    ...shown,
    ...(actionsWidth
      ? [
          {
            ...fixed,
            colId: 'actions',
            headerName: 'Actions',
            headerClass: 'is-quiet',
            width: actionsWidth,
            pinned: 'right' as const,
            lockPinned: true,
            cellRenderer: ActionsCell,
          },
        ]
      : []),
  ]
}

function ActionsCell({ data }: ICellRendererParams) {
  return useContext(propsContext)?.actions?.(data)
}

function SelectHead() {
  const props = useContext(propsContext)
  return props?.selection && <PageBox {...props} selection={props.selection} />
}

function SelectCell({ data }: ICellRendererParams) {
  const props = useContext(propsContext)
  if (!props?.selection) return null
  const { table, rowId, rowName, selection } = props
  return <RowBox table={table} id={rowId(data)} name={rowName(data)} row={data} selection={selection} />
}

const cellKeys: ColDef = {
  suppressKeyboardEvent: ({ event }) => operateCell(event, '.ag-cell'),
  suppressHeaderKeyboardEvent: ({ event }) => operateCell(event, '.ag-header-cell'),
}

/** Tab leaves the rows, as a page can have a hundred of them. False gives the key back to the browser. */
const leaveGrid = () => false

const operable = 'a[href], button:not([disabled]), input:not([disabled]), summary'

/**
 * Implements the keyboard of a grid (WAI-ARIA, pattern "Grid"). Arrows move between cells. Enter or the space bar
 * operates the control in a cell; if there are several, it enters the cell, where Tab moves between them and Escape
 * leaves. Returns true if AG Grid must ignore the key.
 */
function operateCell(event: KeyboardEvent, kind: '.ag-cell' | '.ag-header-cell'): boolean {
  const target = event.target as HTMLElement
  const cell = target.closest<HTMLElement>(kind)
  if (!cell) return false
  const controls = [...cell.querySelectorAll<HTMLElement>(operable)].filter((control) => control.checkVisibility())
  if (target === cell) {
    if (event.key !== 'Enter' && event.key !== ' ') return false
    const [first, second] = controls
    if (!first) return false
    event.preventDefault()
    if (second) first.focus()
    else operate(first)
    return true
  }
  const index = controls.indexOf(target)
  if (event.key === 'Tab') return index >= 0 && controls[index + (event.shiftKey ? -1 : 1)] !== undefined
  // An open menu closes first.
  if (event.key === 'Escape' && !cell.querySelector(':popover-open')) cell.focus()
  return true
}

/** Clicks a control. If it opens a panel, the focus moves into the panel. */
function operate(control: HTMLElement): void {
  const panel = control instanceof HTMLButtonElement ? control.popoverTargetElement : null
  if (panel) control.focus()
  control.click()
  panel?.querySelector<HTMLElement>(operable)?.focus()
}
