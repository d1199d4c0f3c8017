import { useEffect, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import type { DataGridProps } from './data-grid-types.ts'

type Batch<Row> = { rows: Row[]; next: string | null }
type Source<Row> = Pick<DataGridProps<Row>, 'source' | 'stamp' | 'rowId'>

/**
 * All rows of a table, a hundred at a time, and again after each change of the stamp. `rows` is null until the first have come;
 * `loaded` counts while there is more, and is null when all are there.
 */
export function useAllRows<Row>({ source, stamp, rowId }: Source<Row>, isWanted: boolean) {
  const [rows, setRows] = useState<Row[] | null>(null)
  const [loaded, setLoaded] = useState<number | null>(null)
  const idOf = useRef(rowId)
  idOf.current = rowId
  // The stamp is not used in it, but is the reason to read again.
  useEffect(() => {
    if (!isWanted) return
    const abort = new AbortController()
    readAll<Row>(source, abort.signal, (fresh, isWhole) => {
      setRows((before) => (isWhole || !before ? fresh : joined(fresh, before, idOf.current)))
      setLoaded(isWhole ? null : fresh.length)
    }).catch((error: unknown) => {
      if (abort.signal.aborted) return
      console.warn(error)
      notify({ kind: 'error', text: 'The list could not be loaded. Please try to refresh the page.' })
    })
    return () => abort.abort()
  }, [source, stamp, isWanted])
  return { rows, loaded }
}

async function readAll<Row>(
  source: string,
  signal: AbortSignal,
  onBatch: (rows: Row[], isWhole: boolean) => void,
): Promise<void> {
  let rows: Row[] = []
  let after: string | null = null
  do {
    const address: string = after ? `${source}?after=${encodeURIComponent(after)}` : source
    const response = await fetch(address, { signal, headers: { Accept: 'application/json' } })
    if (!response.ok) throw new Error(`${address} answered ${response.status}`)
    const batch = (await response.json()) as Batch<Row>
    rows = [...rows, ...batch.rows]
    after = batch.next
    onBatch(rows, after === null)
  } while (after !== null)
}

/** While a list is read again: what is new so far, then of the old what comes after the last row that both have. */
export function joined<Row>(fresh: Row[], before: Row[], idOf: (row: Row) => string): Row[] {
  const ids = new Set(fresh.map(idOf))
  const lastShared = before.findLastIndex((row) => ids.has(idOf(row)))
  return [...fresh, ...before.slice(lastShared + 1)]
}
