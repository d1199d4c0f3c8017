/** Tables in the text. As in markdown, they have one header row and rows below it. */
import type { EditorState, Transaction } from '@milkdown/kit/prose/state'
import { Selection } from '@milkdown/kit/prose/state'
import {
  addColumnAfter,
  deleteColumn,
  deleteRow,
  deleteTable,
  isInTable,
  selectedRect,
} from '@milkdown/kit/prose/tables'
import type { EditorView } from '@milkdown/kit/prose/view'

export type TableChange = 'insert' | 'row' | 'column' | 'delete-row' | 'delete-column' | 'delete'

/** Returns the table changes that are possible at the caret. */
export function possibleTableChanges(state: EditorState): ReadonlySet<TableChange> {
  if (!isInTable(state)) return new Set(['insert'])
  const { map, top, bottom, left, right } = selectedRect(state)
  const changes: TableChange[] = ['row', 'column', 'delete']
  // A table keeps its header and at least one row.
  if (top > 0 && bottom - top < map.height - 1) changes.push('delete-row')
  if (right - left < map.width) changes.push('delete-column')
  return new Set(changes)
}

export function changeTable(view: EditorView, change: TableChange): void {
  const { state } = view
  if (!possibleTableChanges(state).has(change)) return
  if (change === 'insert') view.dispatch(insertTable(state).scrollIntoView())
  else if (change === 'row') view.dispatch(addRow(state).scrollIntoView())
  else if (change === 'column') addColumnAfter(state, view.dispatch)
  else if (change === 'delete-row') deleteRow(state, view.dispatch)
  else if (change === 'delete-column') deleteColumn(state, view.dispatch)
  else deleteTable(state, view.dispatch)
}

const columns = 3
const rows = 2

/** Inserts a table after the selection, which stays. Only an empty paragraph gives way to it. */
function insertTable({ schema, selection, tr }: EditorState): Transaction {
  const cells = (name: string) => Array.from({ length: columns }, () => nodeType(schema, name).createAndFill())
  const row = (name: string, cell: string) => nodeType(schema, name).createChecked(null, filled(cells(cell)))
  const table = nodeType(schema, 'table').createChecked(null, [
    row('table_header_row', 'table_header'),
    ...Array.from({ length: rows }, () => row('table_row', 'table_cell')),
  ])
  tr.replaceRangeWith(selection.to, selection.to, table)
  let at: number | null = null
  tr.doc.descendants((node, position) => {
    if (node === table) at = position
    return at === null
  })
  // The caret goes into the first cell.
  return at === null ? tr : tr.setSelection(Selection.near(tr.doc.resolve(at + 1)))
}

/** Inserts a row below the caret's row, with the alignment of the header. */
function addRow(state: EditorState): Transaction {
  const { table, tableStart, map, bottom } = selectedRect(state)
  const cells = Array.from({ length: map.width }, (_, column) => {
    const alignment = table.nodeAt(map.map[column] ?? 0)?.attrs.alignment
    return nodeType(state.schema, 'table_cell').createAndFill({ alignment })
  })
  let at = tableStart
  for (let row = 0; row < bottom; row++) at += table.child(row).nodeSize
  const tr = state.tr.insert(at, nodeType(state.schema, 'table_row').createChecked(null, filled(cells)))
  return tr.setSelection(Selection.near(tr.doc.resolve(at + 1)))
}

function filled<T>(items: (T | null)[]): T[] {
  return items.filter((item): item is T => item !== null)
}

function nodeType(schema: EditorState['schema'], name: string) {
  const type = schema.nodes[name]
  if (!type) throw new Error(`The editor knows no node "${name}".`)
  return type
}
