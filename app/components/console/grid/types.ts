import type { ReactNode } from 'react'
import type { FilterOption, TableDefinition, TableQuery } from '~/lib/table-query.ts'

/** A column of both tables: the plain one that the server sends, and the grid that replaces it on wide screens. */
export type Column<Row> = {
  /** Names the column in the address, for sorting. */
  id: string
  header: string
  /** The value for sorting. */
  value: (row: Row) => string | number | null
  /** The content of the cell, if it is more than the value. */
  cell?: (row: Row) => ReactNode
  /** The texts in which the search looks for a row. The service must search the same ones. */
  searched?: (row: Row) => string[]
  align?: 'end'
  /** The minimum width in pixels. */
  width: number
  /** The column's share of the remaining width. */
  grow?: number
  /** Marks the column that names the row. It cannot be hidden, and on phones it has a line of its own. */
  isLead?: boolean
  /** On phones it is shown after a press on More, or if the rows are sorted by it. */
  isMinor?: boolean
  /** It is not shown until somebody chooses it in the menu of columns. */
  isExtra?: boolean
}

/** The page of rows that the loader sends. */
export type TablePage<Row> = {
  rows: Row[]
  /** The number of rows found. */
  total: number
  /** The number of rows without search and filters, counted up to `longestLiveList` + 1. */
  listed: number
  /**
   * Identifies the state of a list up to `longestLiveList`; it is not used for longer ones. It changes when a row is
   * added, changed or removed. Figures and names from other tables may change without it; `rows` brings those of its
   * page.
   */
  state: string
}

export type Filter<Row> = {
  name: string
  label: string
  /** At most `mostFilterOptions`, among them those that the address has chosen. */
  options: FilterOption[]
  /** The path that returns the options whose names contain `&search=`, for filters with more than are sent. */
  more?: string
  /** Returns the values of the options that match the row. */
  valuesOf: (row: Row) => string[]
}

export type DataGridProps<Row> = {
  table: TableDefinition
  /** Names the table for screen readers: "Modules". */
  label: string
  /** The path of the page with the table. */
  path: string
  /**
   * The address that returns rows of a short list: `{ rows, next }`, a hundred at a time (`?after=`). It may also answer
   * `{ rows, gone }` for the changes since a state (`?since=`); with null, everything is read again. Only a table with
   * `selection` asks for the uids of all rows found (`?uids=`, with the table's own query).
   */
  source: string
  page: TablePage<Row>
  /** The first is the usual order, and orders rows of the same value. Texts are compared by code units, as `collate "C"` does. */
  columns: readonly Column<Row>[]
  filters?: readonly Filter<Row>[]
  rowId: (row: Row) => string
  rowName: (row: Row) => string
  actions?: (row: Row) => ReactNode
  /** The largest number of actions in a row. It sets the width of their column. */
  actionCount?: number
  /** "Search topic or name" unless it says what else is searched. */
  searchLabel?: string
  /** The section's buttons, to the right of the search. */
  toolbar?: ReactNode
  empty: ReactNode
  /** The heading where a search or filters find nothing, if it is always the same. */
  noneFound?: string
  /** Where else to look. */
  noneFoundNote?: ReactNode
  selection?: Selection<Row>
  /**
   * Receives the rows of all pages while the browser has them, else null. The function must stay the same between
   * renders.
   */
  onFound?: (rows: Row[] | null) => void
}

/** The props of both kinds of table, which show one page of rows. */
export type TableProps<Row> = Pick<
  DataGridProps<Row>,
  'table' | 'label' | 'rowId' | 'rowName' | 'actions' | 'actionCount' | 'selection'
> & {
  rows: Row[]
  columns: Column<Row>[]
  query: TableQuery
  /** Returns the address that a click on a column header opens. */
  sortAddress: (column: Column<Row>) => string
}

/** Everything needed to read and write the table's part of the address. */
export type TableAddress = { table: TableDefinition; path: string; search: string; query: TableQuery }

export type Selection<Row> = {
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
  /** Returns why a row cannot be selected; null if it can. */
  whyNot?: (row: Row) => string | null
  /** The maximum number of selected rows. */
  max: number
  /**
   * The address that the selection is posted to, as `uid` (http/selection.server.ts): it stores it and leads to a dialog that
   * asks.
   */
  action: string
  /** The action leads back to the list at once. If the server cannot be reached, the list stays and its clientAction says so. */
  isInPlace?: boolean
  /** The submit buttons of the selection's form. */
  actions: ReactNode
  /**
   * A button for everybody whom the table's address finds, also more than can be selected: it posts `found` to the
   * action. `most` is how many of them, in the order of the table.
   */
  found?: { most: number; label: (who: string) => string }
}
