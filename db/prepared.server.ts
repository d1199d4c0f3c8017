import type pg from 'pg'

/**
 * Prepares SQL statements that are repeated: PostgreSQL then parses and plans them once per connection, which is most
 * of the work of a short query. A text is prepared at its third use, so that one-time texts (lists of varying length)
 * take no memory on the server. Both tables are limited in size.
 */
const mostNames = 400
const mostCounted = 2000
const usesBefore = 3

/**
 * A text that begins with this is never prepared. The plan of a prepared statement is made without its values after some
 * uses, so it does not know whether a period is a week or years, and may take many times as long.
 */
export const plannedEachTime = '/* planned each time */'

const names = new Map<string, string>()
const uses = new Map<string, number>()

export function prepareRepeated(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const repeated = (text: unknown, values?: unknown, ...rest: unknown[]) => {
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : null
    return name === null ? query(text, values, ...rest) : query({ name, text, values }, ...rest)
  }
  client.query = repeated as typeof client.query
}

function nameOf(text: string): string | null {
  if (text.startsWith(plannedEachTime)) return null
  const known = names.get(text)
  if (known) return known
  if (names.size >= mostNames) return null
  const times = (uses.get(text) ?? 0) + 1
  if (times < usesBefore) {
    if (uses.size >= mostCounted) uses.clear()
    uses.set(text, times)
    return null
  }
  uses.delete(text)
  const name = `titrate_${names.size + 1}`
  names.set(text, name)
  return name
}
