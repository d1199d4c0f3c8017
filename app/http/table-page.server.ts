/** Pages of a console table that do not exist. */
import { redirect } from '@remix-run/node'
import {
  onExistingPage,
  readTableQuery,
  type TableDefinition,
  type TableQuery,
  writeTableQuery,
} from '~/lib/table-query.ts'

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

/** The page's address with a changed query. Requests of the router have no slash at the end of their paths. */
function addressOf({ url }: Request, table: TableDefinition, change: Partial<TableQuery>): string {
  const { pathname, search } = new URL(url)
  return pathname.replace(/\/?$/, '/') + writeTableQuery(search, table, change)
}
