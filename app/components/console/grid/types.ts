import type { ReactNode } from 'react'
import type { FilterOption, TableDefinition, TableQuery } from '~/lib/table-query.ts'

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
  /**
   * Names the state of a list up to `longestLiveList`; it is not used for longer ones. It changes when a row is added,
   * changed or removed. Figures and names that come from elsewhere may change without it; `rows` brings those of its
   * page.
   */
  state: string
}

export type Filter<Row> = {
  name: string
  label: string
  /** At most `mostFilterOptions`, among them those that the address has chosen. */
  options: FilterOption[]
  /** Answers with the options whose names hold `&search=`, for filters that can have more than are sent. */
  more?: string
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

/** Where the table's address is read and written. */
export type TableAddress = { table: TableDefinition; place: string; search: string; query: TableQuery }

export type Selection<Row> = {
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
  /** Why a row cannot be selected; null where it can. */
  whyNot?: (row: Row) => string | null
  /** How many at most. */
  max: number
  /** Where the selection is sent, as `uid=` for each row: a dialog that asks before it acts. */
  action: string
  /** The buttons of its form. */
  actions: ReactNode
}
