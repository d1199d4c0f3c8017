/** Cursors of lists: the sort key of the last row, opaque to whoever carries it. They stay valid while rows come and go, and lead on in their own list only. */
import { createHash } from 'node:crypto'

/** A page of a list that is walked by key; `endCursor` leads to what follows. */
export type Page<T> = { items: T[]; endCursor: string | null; hasNextPage: boolean }

type NamedRow = { name: string; id: number }

/** Of rows that were read one more than asked for, which tells whether something follows. */
export function pageByName<Row extends NamedRow, T>(
  { list, first }: { list: string; first: number },
  rows: Row[],
  toItem: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, first)
  const last = shown.at(-1)
  return {
    items: shown.map(toItem),
    endCursor: last ? sealCursor(list, [last.name, last.id]) : null,
    hasNextPage: rows.length > first,
  }
}

/** `list` says which rows there are and in which order: the list's name, with what it was filtered by. */
export function sealCursor(list: string, key: (string | number)[]): string {
  return Buffer.from(JSON.stringify([tagOf(list), ...key])).toString('base64url')
}

/** The key; null for whatever is not a cursor of this list. What the key holds is for the list to check. */
export function openCursor(list: string, cursor: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(value)) return null
    const [tag, ...key] = value
    return tag === tagOf(list) ? key : null
  } catch {
    return null
  }
}

/** Null for whatever is not a cursor of this list over a name and an id. */
export function openNameCursor(list: string, cursor: string): NamedRow | null {
  const [name, id, ...more] = openCursor(list, cursor) ?? []
  if (typeof name !== 'string' || name.includes('\u0000') || more.length > 0) return null
  return typeof id === 'number' && Number.isSafeInteger(id) ? { name, id } : null
}

function tagOf(list: string): string {
  return createHash('sha256').update(list).digest('base64url').slice(0, 8)
}
