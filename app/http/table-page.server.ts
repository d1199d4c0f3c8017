/** Pages of a console table that do not exist. */
import { redirect } from '@remix-run/node'
import { onExistingPage, readTableQuery, type TableDefinition, writeTableQuery } from '~/lib/table-query.ts'

/**
 * For the loader of a table: leads to the last page if the address names a later one. The list may have become shorter
 * since the address was written.
 */
export function requireExistingPage<Page extends { total: number }>(
  request: Request,
  table: TableDefinition,
  page: Page,
): Page {
  const { pathname, search, searchParams } = new URL(request.url)
  const query = readTableQuery(searchParams, table)
  const existing = onExistingPage(query, page.total)
  if (existing === query) return page
  throw redirect(pathname + writeTableQuery(search, table, { page: existing.page }))
}
