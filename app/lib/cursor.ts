/** Cursors of lists: the sort key of the last row, opaque to whoever carries it. They stay valid while rows come and go. */

/** A page of a list that is walked by key; `endCursor` leads to what follows. */
export type Page<T> = { items: T[]; endCursor: string | null; hasNextPage: boolean }

type NamedRow = { name: string; id: number }

/** Of rows that were read one more than asked for, which tells whether something follows. */
export function pageByName<Row extends NamedRow, T>(rows: Row[], first: number, toItem: (row: Row) => T): Page<T> {
  const shown = rows.slice(0, first)
  const last = shown.at(-1)
  return {
    items: shown.map(toItem),
    endCursor: last ? encodeNameCursor(last) : null,
    hasNextPage: rows.length > first,
  }
}

function encodeNameCursor({ name, id }: NamedRow): string {
  return Buffer.from(JSON.stringify([name, id])).toString('base64url')
}

/** Null for whatever is not a cursor over a name and an id. */
export function decodeNameCursor(cursor: string): NamedRow | null {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(key) || key.length !== 2) return null
    const [name, id] = key
    return typeof name === 'string' && !name.includes('\u0000') && Number.isSafeInteger(id) ? { name, id } : null
  } catch {
    return null
  }
}
