import type { SearchType } from './search-query.ts'

/** The address of the list of what carries a tag. */
export function tagAddress(tag: string, type: SearchType = 'all', page = 1): string {
  return `/search/?${new URLSearchParams({ tag, ...(type !== 'all' && { type }), ...(page > 1 && { page: String(page) }) })}`
}
