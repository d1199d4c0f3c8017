import { Invalid } from '../errors.ts'

/** The most rows that a response without pages may contain. */
export const mostRows = 5000

/**
 * Returns the rows, or throws Invalid if there are too many. Callers read one row more than `mostRows`. A truncated
 * list would look as if nothing else had been started.
 */
export function wholeAnswer<T>(rows: T[]): T[] {
  if (rows.length > mostRows)
    throw new Invalid('This is too much progress for one response. Please ask for single modules, courses or lectures.')
  return rows
}
