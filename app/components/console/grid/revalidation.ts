/** When a page with a table loads its data again. Root imports it, so it holds nothing that learners need not load. */
import type { ShouldRevalidateFunctionArgs } from '@remix-run/react'
import { type TableDefinition, tableSearch } from '~/lib/table-query.ts'

/** Prefixes of the tables whose rows are all in the browser: for those a change of the address needs no request. */
const liveTables = new Set<string>()

export function markLive(prefix: string): () => void {
  liveTables.add(prefix)
  return () => liveTables.delete(prefix)
}

/**
 * The `shouldRevalidate` of a layout around tables: nothing is loaded again where only the address of a table changed that the browser shows by
 * itself, and after a refusal, whose form and messages a reload would take away. With single fetch the default is true even then.
 */
export function revalidatesLayout(args: ShouldRevalidateFunctionArgs): boolean {
  if (isRefused(args) || isShownByBrowser(args)) return false
  return args.defaultShouldRevalidate
}

function isRefused({ actionStatus }: ShouldRevalidateFunctionArgs): boolean {
  return actionStatus !== undefined && actionStatus >= 400
}

function isShownByBrowser({ currentUrl, nextUrl, formMethod }: ShouldRevalidateFunctionArgs): boolean {
  if (formMethod !== undefined && formMethod !== 'GET') return false
  if (currentUrl.pathname !== nextUrl.pathname || currentUrl.search === nextUrl.search) return false
  return [...liveTables].some((prefix) => withoutTable(currentUrl, prefix) === withoutTable(nextUrl, prefix))
}

function withoutTable({ search }: URL, prefix: string): string {
  const own = new URLSearchParams(tableSearch(search, prefix))
  return new URLSearchParams([...new URLSearchParams(search)].filter(([name]) => !own.has(name))).toString()
}

/**
 * The `shouldRevalidate` of a section with a table. Opening and closing dialogs over it changes nothing in the table, and neither does what the
 * address says of other tables; a change of its own part of the address does, and a post may have.
 */
export function revalidatesTable({ prefix }: TableDefinition) {
  return (args: ShouldRevalidateFunctionArgs): boolean => {
    const { currentUrl, nextUrl, formMethod, defaultShouldRevalidate } = args
    if (isRefused(args)) return false
    if (formMethod !== undefined && formMethod !== 'GET') return defaultShouldRevalidate
    if (isShownByBrowser(args)) return false
    // A table with a prefix belongs to one page; the section's own lies under all of its dialogs.
    if (prefix && currentUrl.pathname !== nextUrl.pathname) return defaultShouldRevalidate
    if (tableSearch(currentUrl.search, prefix) !== tableSearch(nextUrl.search, prefix)) return true
    return currentUrl.pathname === nextUrl.pathname && currentUrl.search === nextUrl.search && defaultShouldRevalidate
  }
}
