/**
 * Short lists, which the browser keeps whole: it fetches and refreshes the rows, and filters, sorts and pages them like
 * the server.
 */
import { useEffect, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { caseKey, isFoundIn, searchKey } from '~/lib/text.ts'
import type { Column, DataGridProps, Filter } from './types.ts'

type Source<Row> = Pick<DataGridProps<Row>, 'source' | 'page' | 'rowId'>
type Batch<Row> = { rows: Row[]; next: string | null }
type Changes<Row> = { rows: Row[]; gone: string[] }

/**
 * Fetches all rows of a list, a hundred at a time. When the state of the list changes, it fetches only the changes.
 * `rows` is null until all rows have arrived; `loaded` counts them until then.
 */
export function useLiveRows<Row>({ source, page, rowId }: Source<Row>, isWanted: boolean) {
  const [rows, setRows] = useState<Row[] | null>(null)
  const [loaded, setLoaded] = useState<number | null>(null)
  const latest = useRef({ rowId, listed: page.listed })
  latest.current = { rowId, listed: page.listed }
  const known = useRef<{ source: string; state: string; rows: Row[] } | null>(null)
  const { state } = page
  // Figures and names of other things, such as completions and tags, change without the state. Each loader run brings
  // those of one page.
  useEffect(() => {
    if (known.current?.source !== source) return
    known.current.rows = refreshRows(known.current.rows, page.rows, latest.current.rowId)
    setRows(known.current.rows)
  }, [source, page.rows])
  useEffect(() => {
    if (!isWanted) {
      known.current = null
      return setRows(null)
    }
    const abort = new AbortController()
    const before = known.current?.source === source ? known.current : null
    if (before?.state === state) return
    const read = async () => {
      const changed = before && (await readChanges<Row>(`${source}?since=${before.state}`, abort.signal))
      const merged = before && changed && mergeRows(before.rows, changed, latest.current.rowId)
      return merged?.length === latest.current.listed ? merged : readAll<Row>(source, abort.signal, setLoaded)
    }
    read()
      .then((fresh) => {
        if (abort.signal.aborted) return
        known.current = { source, state, rows: fresh }
        setRows(fresh)
      })
      .catch((error: unknown) => {
        if (abort.signal.aborted) return
        console.warn(error)
        notify({ kind: 'error', text: 'The list could not be loaded. Please refresh the page.' })
      })
      .finally(() => !abort.signal.aborted && setLoaded(null))
    return () => abort.abort()
  }, [source, state, isWanted])
  return { rows, loaded }
}

async function readAll<Row>(source: string, signal: AbortSignal, onCount: (rows: number) => void): Promise<Row[]> {
  let rows: Row[] = []
  let after: string | null = null
  do {
    const address: string = after ? `${source}?after=${encodeURIComponent(after)}` : source
    const batch = (await fetchJson(address, signal)) as Batch<Row>
    rows = [...rows, ...batch.rows]
    after = batch.next
    if (after) onCount(rows.length)
  } while (after !== null)
  return rows
}

/** Fetches the changes; null if the source cannot name them or there are too many. */
async function readChanges<Row>(address: string, signal: AbortSignal): Promise<Changes<Row> | null> {
  const answer = (await fetchJson(address, signal)) as Changes<Row> | Batch<Row> | null
  return answer && 'gone' in answer ? answer : null
}

async function fetchJson(address: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(address, { signal, headers: { Accept: 'application/json' } })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return response.json()
}

export function mergeRows<Row>(before: Row[], { rows, gone }: Changes<Row>, idOf: (row: Row) => string): Row[] {
  const replaced = new Set([...gone, ...rows.map(idOf)])
  return [...before.filter((row) => !replaced.has(idOf(row))), ...rows]
}

/** Returns the known rows with the fresh ones in their places. Unknown rows are left to the next read of the list. */
export function refreshRows<Row>(known: Row[], fresh: Row[], idOf: (row: Row) => string): Row[] {
  const byId = new Map(fresh.map((row) => [idOf(row), row]))
  return known.map((row) => byId.get(idOf(row)) ?? row)
}

/** Returns the rows that have a chosen value of each filter, and are found by the search. */
export function findRows<Row>(
  rows: Row[],
  columns: readonly Column<Row>[],
  filters: readonly Filter<Row>[],
  query: Pick<TableQuery, 'search' | 'filters'>,
): Row[] {
  const key = searchKey(query.search)
  const active = filters.filter(({ name }) => query.filters[name])
  // Words may be in different texts, but what is searched for as a whole is in one.
  const textOf = (row: Row) =>
    columns
      .flatMap(({ searched }) => searched?.(row) ?? [])
      .map(searchKey)
      .join('\n')
  return rows.filter(
    (row) =>
      active.every(({ name, valuesOf }) => valuesOf(row).some((value) => query.filters[name]?.includes(value))) &&
      (key === '' || isFoundIn(textOf(row), key)),
  )
}

/** Sorts rows; equal values are ordered by the first column, as on the server. */
export function sortRows<Row>(
  rows: Row[],
  columns: readonly Column<Row>[],
  { sort, isDescending }: Pick<TableQuery, 'sort' | 'isDescending'>,
): Row[] {
  const [first] = columns
  const column = columns.find(({ id }) => id === sort) ?? first
  if (!column || !first) return rows
  return [...rows].sort(
    (one, other) =>
      compareValues(column.value(one), column.value(other), isDescending) ||
      compareValues(first.value(one), first.value(other), false),
  )
}

/** Compares texts by their case key and numbers by value. Missing values come last in both directions. */
function compareValues(one: string | number | null, other: string | number | null, isDescending: boolean): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1
  const order =
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : compareTexts(caseKey(String(one)), caseKey(String(other)))
  return isDescending ? -order : order
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export function pageOf<Row>(rows: Row[], { page, size }: Pick<TableQuery, 'page' | 'size'>): Row[] {
  return rows.slice((page - 1) * size, page * size)
}
