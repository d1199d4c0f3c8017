import { tableSearch } from '~/lib/table-query.ts'

/**
 * Returns the search part of an address about one attempt: the attempt (`attempt=`), the position in its statements
 * (`before=`), and the queries of the tables that led here, so that the way back opens them as they were.
 */
export function attemptSearch(search: string, attempt: string, before?: string): string {
  const params = new URLSearchParams(tableSearch(search))
  params.set('attempt', attempt)
  if (before) params.set('before', before)
  return `?${params}`
}
