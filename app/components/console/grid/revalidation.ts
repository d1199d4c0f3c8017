/**
 * Decides when a page with a table loads its data again. Root imports this file, so it must stay small for learners.
 */
import type { ShouldRevalidateFunctionArgs } from '@remix-run/react'
import { type TableDefinition, tableSearch } from '~/lib/table-query.ts'

/**
 * The prefixes of tables whose rows are all in the browser. When their part of the address changes, no request is
 * needed.
 */
const liveTables = new Set<string>()

export function markLive(prefix: string): () => void {
  liveTables.add(prefix)
  return () => liveTables.delete(prefix)
}

/**
 * The `shouldRevalidate` of a layout around tables. It skips the reload if only the address of a live table changed. It
 * also skips it after a refusal, because a reload would remove the form's values and messages; with single fetch the
 * default is true even then.
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
 * The `shouldRevalidate` of a section with a table. The table reloads when its own part of the address changes, and
 * after a post. It does not reload when a dialog over it opens or closes, or when the address changes for another
 * table.
 */
export function revalidatesTable({ prefix }: TableDefinition) {
  return (args: ShouldRevalidateFunctionArgs): boolean => {
    const { currentUrl, nextUrl, formMethod, defaultShouldRevalidate } = args
    if (isRefused(args)) return false
    if (formMethod !== undefined && formMethod !== 'GET') return defaultShouldRevalidate
    if (isShownByBrowser(args)) return false
    // A table with a prefix belongs to one page. The section's own table stays under all dialogs.
    if (prefix && currentUrl.pathname !== nextUrl.pathname) return defaultShouldRevalidate
    if (tableSearch(currentUrl.search, prefix) !== tableSearch(nextUrl.search, prefix)) return true
    return currentUrl.pathname === nextUrl.pathname && currentUrl.search === nextUrl.search && defaultShouldRevalidate
  }
}
