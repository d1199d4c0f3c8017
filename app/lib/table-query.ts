/**
 * The state of a console table in the address: `?search=assay&filter=status-draft&sort=-updated&page=2&size=20`.
 * Anybody can write such an address, so invalid values are ignored. A second table in the same address, such as a
 * module's learners above the list of modules, puts a prefix before its names (`learners.page=2`). So each table finds
 * its own part, and a dialog can keep the parts of both.
 */
import { longestSearch } from './search-query.ts'

export type TableDefinition = {
  /** The prefix with its dot: `learners.`. The section's own table has none. */
  prefix: string
  /** Columns that can be sorted by. The first is the default order. */
  sorts: readonly string[]
  /** Labels of the sorts that have no column. */
  sortsWithoutColumn?: Readonly<Record<string, string>>
  /** Columns whose first click sorts from the newest or largest down. */
  descendingFirst: readonly string[]
  /** Rows per page. The first is the default. */
  sizes: readonly number[]
  /** Names of its filters, without hyphens. */
  filters: readonly string[]
}

export type TableQuery = {
  search: string
  sort: string
  isDescending: boolean
  page: number
  size: number
  /** The chosen values by filter. Filters without a chosen value are left out. */
  filters: Record<string, string[]>
  /** Ids of the visible columns; empty for the default ones. Only pages without JavaScript have them in the address. */
  columns: string[]
}

/**
 * The most rows that the browser loads at once, to search and sort without requests. Longer lists are loaded page by
 * page.
 */
export const longestLiveList = 1000
const longestFilter = 50
const furthestPage = 100_000

export function readTableQuery(params: URLSearchParams, table: TableDefinition): TableQuery {
  const get = (name: string) => params.get(table.prefix + name) ?? ''
  const [usualSort = ''] = table.sorts
  const [usualSize = 10] = table.sizes
  const sort = get('sort').replace(/^-/, '')
  const isKnown = table.sorts.includes(sort)
  const size = Number(get('size'))
  return {
    search: [...get('search').trim()].slice(0, longestSearch).join(''),
    sort: isKnown ? sort : usualSort,
    isDescending: isKnown && get('sort').startsWith('-'),
    page: pageNumber(get('page')),
    size: table.sizes.includes(size) ? size : usualSize,
    filters: readFilters(params.getAll(`${table.prefix}filter`), table.filters),
    columns: params.getAll(`${table.prefix}columns`).slice(0, longestFilter),
  }
}

/** A page number from the address; 1 for an invalid one. */
export function pageNumber(value: string | null): number {
  const page = /^\d+$/.test(value ?? '') ? Number(value) : 1
  return page >= 1 && page <= furthestPage ? page : 1
}

/** Returns the query with the last page instead of one that does not exist. */
export function onExistingPage(query: TableQuery, total: number): TableQuery {
  const last = Math.max(1, Math.ceil(total / query.size))
  return query.page > last ? { ...query, page: last } : query
}

/** Each value is `{filter}-{value}`, so that the checkboxes of a plain form can share one name. */
function readFilters(values: string[], known: readonly string[]): Record<string, string[]> {
  const filters: Record<string, string[]> = {}
  for (const value of values.slice(0, known.length * longestFilter)) {
    const [name = '', ...rest] = value.split('-')
    const chosen = rest.join('-')
    if (!known.includes(name) || chosen === '' || chosen.length > longestSearch) continue
    const list = filters[name] ?? []
    if (!list.includes(chosen)) filters[name] = [...list, chosen]
  }
  return filters
}

/**
 * What an address says about this table that `readTableQuery` leaves out and that would narrow the list: unknown filters,
 * values that make no sense, and a search that is too long. Whoever acts on everything that is found must refuse it.
 */
export function unreadParts(params: URLSearchParams, table: TableDefinition): string[] {
  const { filters } = readTableQuery(params, table)
  const read = new Set(Object.entries(filters).flatMap(([name, values]) => values.map((value) => `${name}-${value}`)))
  const search = (params.get(`${table.prefix}search`) ?? '').trim()
  return [
    ...params.getAll(`${table.prefix}filter`).filter((value) => !read.has(value)),
    ...([...search].length > longestSearch ? [search] : []),
  ]
}

/**
 * `search` with this table's part changed and everything else unchanged. Default values are left out; `''` if nothing
 * is left.
 */
export function writeTableQuery(search: string, table: TableDefinition, change: Partial<TableQuery>): string {
  const params = new URLSearchParams(search)
  const next = { ...readTableQuery(params, table), ...change }
  const set = (name: string, value: string, isUsual: boolean) => {
    if (isUsual) params.delete(table.prefix + name)
    else params.set(table.prefix + name, value)
  }
  const setAll = (name: string, values: string[]) => {
    params.delete(table.prefix + name)
    for (const value of values) params.append(table.prefix + name, value)
  }
  set('search', next.search, next.search === '')
  setAll(
    'filter',
    Object.entries(next.filters).flatMap(([name, values]) => values.map((value) => `${name}-${value}`)),
  )
  set('sort', `${next.isDescending ? '-' : ''}${next.sort}`, next.sort === table.sorts[0] && !next.isDescending)
  set('page', String(next.page), next.page === 1)
  set('size', String(next.size), next.size === table.sizes[0])
  setAll('columns', next.columns)
  return params.size > 0 ? `?${params}` : ''
}

/** `tab` says which of several tables the page shows; each table leaves it as it is. */
const tableName = /^([a-z]+\.)?(search|filter|sort|page|size|columns|tab)$/

/**
 * The part of an address that is about its tables, for the next address; '' for nothing. With `prefix`, only that
 * table's part.
 */
export function tableSearch(search: string, prefix?: string): string {
  const params = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(search)) {
    const match = tableName.exec(name)
    if (match && (prefix === undefined || (match[1] ?? '') === prefix)) params.append(name, value)
  }
  return params.size > 0 ? `?${params}` : ''
}

/** The most options of a filter that are sent with a page. The browser searches for others (`Filter.more`). */
export const mostFilterOptions = 200

/** An option of a table's filter. */
export type FilterOption = { value: string; label: string }
