/** A search query, as the address, the search box and the service read it. */

export const longestSearch = 100

const searchTypes = ['all', 'course', 'module', 'video', 'lecture', 'glossary'] as const
export type SearchType = (typeof searchTypes)[number]

/** Plural forms mean the same type; an unknown word means all. */
export function searchTypeOf(value: string | null | undefined): SearchType {
  const word = (value ?? '').trim().toLowerCase()
  return (
    searchTypes.find((type) => type === word || `${type}s` === word) ?? (word === 'glossaries' ? 'glossary' : 'all')
  )
}

/** The type to search from this page: that of its section, or all. */
export function searchTypeOfSection(pathname: string): SearchType {
  if (/^\/courses(\/|$)/.test(pathname)) return 'course'
  if (/^\/modules(\/|$)/.test(pathname)) return 'module'
  if (/^\/videos(\/|$)/.test(pathname)) return 'video'
  return 'all'
}

/**
 * NFC, at most 100 characters, without characters that cannot be stored and without blanks at the ends. Every text is a
 * valid query.
 */
export function cleanQuery(value: string | null | undefined): string {
  const storable = (value ?? '')
    .slice(0, 4 * longestSearch)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are no words
    .replace(/[\u0000-\u001f\u007f]+|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, ' ')
    .normalize('NFC')
    .trim()
  return [...storable].slice(0, longestSearch).join('').trim()
}

export function searchAddress(query: string, type: SearchType, page = 1): string {
  return `/search/?${new URLSearchParams({ query, type, ...(page > 1 && { page: String(page) }) })}`
}

/** The address of the found item. */
export function addressOfHit(hit: { kind: Exclude<SearchType, 'all'>; uid: string; slug: string | null }): string {
  if (hit.kind === 'glossary') return `/glossary/${hit.slug}/`
  return `/${hit.kind}s/${hit.uid}/`
}
