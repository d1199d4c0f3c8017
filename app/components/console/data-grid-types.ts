import type { ReactNode } from 'react'
import type { TableQuery } from '~/lib/table-query.ts'

/** One definition for the plain table that the server sends and for the grid that replaces it on wide screens. */
export type Column<Row> = {
  id: string
  header: string
  /** What is sorted and searched by. */
  value: (row: Row) => string | number | null
  /** What is shown, where that is more than the value. */
  cell?: (row: Row) => ReactNode
  isSortable?: boolean
  isSearched?: boolean
  isHidden?: boolean
  align?: 'end'
  /** In pixels, the least; `grow` shares what is left. */
  width: number
  grow?: number
  /** The row's name: on phones it stands alone on its line. */
  isLead?: boolean
}

export type Selection<Row> = {
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
  isSelectable?: (row: Row) => boolean
  /** How many at most. */
  max?: number
  /** Of the boxes, so that a plain form can send them; `form` is that form's id. */
  name: string
  form?: string
}

export type DataGridProps<Row> = {
  /** Names the table for screen readers: "Modules". */
  label: string
  columns: readonly Column<Row>[]
  rows: Row[]
  total: number
  query: TableQuery
  rowId: (row: Row) => string
  rowName: (row: Row) => string
  actions?: (row: Row) => ReactNode
  actionsWidth?: number
  /** The address that hands out all rows, a hundred at a time: `{ rows, next }` for `?after=`. */
  source: string
  /** Changes whenever the rows may have; the grid then reads them again. */
  stamp: string
  searchLabel?: string
  /** At the right of the search: the section's buttons. */
  toolbar?: ReactNode
  empty: ReactNode
  /** Told which rows the grid shows on its pages, once all have come; null while there is no such grid. Must not change. */
  onShown?: (rows: Row[] | null) => void
  selection?: Selection<Row>
}

export function shownColumns<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.filter(({ isHidden }) => !isHidden)
}
