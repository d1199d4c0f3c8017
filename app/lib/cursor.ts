/**
 * Cursors of lists: the sort key of the last row, opaque to clients. A cursor stays valid while rows come and go, and
 * works only for its own list.
 */
import { createHash } from 'node:crypto'

/** A page of a list that is read by key; `endCursor` leads to the next page. */
export type Page<T> = { items: T[]; endCursor: string | null; hasNextPage: boolean }

type NamedRow = { name: string; id: number }

/** Takes one row more than requested, which shows whether there is a next page. */
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

/** `list` identifies the rows and their order: the list's name with its filters. */
export function sealCursor(list: string, key: (string | number)[]): string {
  return Buffer.from(JSON.stringify([tagOf(list), ...key])).toString('base64url')
}

/** The key; null if `cursor` is not a cursor of this list. The list must check the values of the key itself. */
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

/** Null if `cursor` is not a cursor of this list over a name and an id. */
export function openNameCursor(list: string, cursor: string): NamedRow | null {
  const [name, id, ...more] = openCursor(list, cursor) ?? []
  if (typeof name !== 'string' || name.includes('\u0000') || more.length > 0) return null
  return typeof id === 'number' && Number.isSafeInteger(id) ? { name, id } : null
}

function tagOf(list: string): string {
  return createHash('sha256').update(list).digest('base64url').slice(0, 8)
}
