import { tableSearch } from '~/lib/table-query.ts'

/**
 * The search of a page or dialog about one attempt: which one (`attempt=`), from where its statements are listed (`before=`), and where the tables
 * stood that lead to it, so that the way back leads there.
 */
export function attemptSearch(search: string, attempt: string, before?: string): string {
  const params = new URLSearchParams(tableSearch(search))
  params.set('attempt', attempt)
  if (before) params.set('before', before)
  return `?${params}`
}
