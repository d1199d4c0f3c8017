/** What a table's address says: `?search=&sort=-updated&page=2&size=20`. Whatever makes no sense there is as if it were not there. */
export type TableQuery = {
  search: string
  sort: string
  isDescending: boolean
  page: number
  size: number
  /** What the address of the table said from whose dialog this one was opened (`list=`). */
  behind?: string
}

export const tableSizes = [10, 20] as const
export const longestSearch = 100

/** The number of a page, from an address that anybody may write; what makes no sense is the first. */
export function pageNumber(value: string | null): number {
  const page = Number(value ?? 1)
  return Number.isSafeInteger(page) && page >= 1 && page <= 100_000 ? page : 1
}

/** `sorts` are the columns that may be sorted by; the first is the default. */
export function readTableQuery(params: URLSearchParams, sorts: readonly string[]): TableQuery {
  const [first = ''] = sorts
  const asked = params.get('sort') ?? ''
  const sort = asked.replace(/^-/, '')
  const isKnown = sorts.includes(sort)
  const size = Number(params.get('size'))
  const behind = listBehind(params)
  return {
    search: [...(params.get('search') ?? '').trim()].slice(0, longestSearch).join(''),
    sort: isKnown ? sort : first,
    isDescending: isKnown && asked.startsWith('-'),
    page: pageNumber(params.get('page')),
    size: tableSizes.find((known) => known === size) ?? tableSizes[0],
    ...(behind && { behind }),
  }
}

const listed = ['search', 'sort', 'page', 'size']

/** What an address says about the table behind its dialog, to be said again by the next one; '' for nothing. */
export function tableSearch(search: string): string {
  const params = new URLSearchParams([...new URLSearchParams(search)].filter(([name]) => listed.includes(name)))
  return params.size > 0 ? `?${params}` : ''
}

export function listBehind(params: URLSearchParams): string {
  return tableSearch(params.get('list') ?? '')
}

/** What an address says about its table and about the one behind that, to come back to both; '' for nothing. */
export function tablesSearch(search: string): string {
  const params = new URLSearchParams(tableSearch(search))
  const list = listBehind(new URLSearchParams(search))
  if (list) params.set('list', list)
  return params.size > 0 ? `?${params}` : ''
}

/** The address of the same table otherwise; what is as usual is left out. */
export function writeTableQuery(query: TableQuery, change: Partial<TableQuery>, usualSort: string): string {
  const next = { ...query, ...change }
  const params = new URLSearchParams()
  if (next.search) params.set('search', next.search)
  if (next.sort !== usualSort || next.isDescending) params.set('sort', `${next.isDescending ? '-' : ''}${next.sort}`)
  if (next.page > 1) params.set('page', String(next.page))
  if (next.size !== tableSizes[0]) params.set('size', String(next.size))
  if (next.behind) params.set('list', next.behind)
  return `?${params}`
}
