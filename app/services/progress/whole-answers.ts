import { Invalid } from '../errors.ts'

/** What one answer without pages may hold. */
export const mostRows = 5000

/** Of rows that were read one more than that. A list that is cut would read as if nothing else had been started. */
export function wholeAnswer<T>(rows: T[]): T[] {
  if (rows.length > mostRows)
    throw new Invalid('This is too much progress for one answer. Please ask for single modules, courses or lectures.')
  return rows
}
