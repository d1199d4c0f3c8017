/** Addresses of console tables that make no sense: pages that do not exist, and filters that are not known. */
import { redirect } from '@remix-run/node'
import {
  onExistingPage,
  readTableQuery,
  type TableDefinition,
  type TableQuery,
  unreadParts,
  writeTableQuery,
} from '~/lib/table-query.ts'
import { Invalid } from '~/services/errors.ts'

/**
 * For the loader of a table: leads to the last page if the address names a later one. The list may have become shorter
 * since the address was written.
 */
export function requireExistingPage<Page extends { total: number }>(
  request: Request,
  table: TableDefinition,
  page: Page,
): Page {
  const { searchParams } = new URL(request.url)
  const query = readTableQuery(searchParams, table)
  const existing = onExistingPage(query, page.total)
  if (existing === query) return page
  throw redirect(addressOf(request, table, { page: existing.page }))
}

/**
 * For the loader of a table: leads to the address without filter values that are not among the options. What they named
 * may have been removed since the address was written.
 */
export function requireKnownFilters(
  request: Request,
  table: TableDefinition,
  options: Record<string, readonly { value: string }[]>,
): void {
  const { filters } = readTableQuery(new URL(request.url).searchParams, table)
  const isKnown = (name: string, value: string) => options[name]?.some((option) => option.value === value)
  const chosen = Object.entries(filters)
  if (chosen.every(([name, values]) => values.every((value) => isKnown(name, value)))) return
  const known = chosen.map(([name, values]) => [name, values.filter((value) => isKnown(name, value))])
  throw redirect(addressOf(request, table, { filters: Object.fromEntries(known), page: 1 }))
}

/**
 * The query of an address, for an action on everybody who is found. An address with a filter that the table does not know,
 * such as a link from a newer version, is refused: without that filter it would find more people.
 */
export function readWholeQuery(params: URLSearchParams, table: TableDefinition): TableQuery {
  const [unread] = unreadParts(params, table)
  if (unread === undefined) return readTableQuery(params, table)
  throw new Invalid(
    `The list has a filter that is not known here: “${[...unread].slice(0, 60).join('')}”. Choose the filters again.`,
  )
}

/** The page's address with a changed query. Requests of the router have no slash at the end of their paths. */
function addressOf({ url }: Request, table: TableDefinition, change: Partial<TableQuery>): string {
  const { pathname, search } = new URL(url)
  return pathname.replace(/\/?$/, '/') + writeTableQuery(search, table, change)
}
