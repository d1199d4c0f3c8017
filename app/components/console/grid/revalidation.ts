/** Decides when a page with a table loads its data again. */
import type { ShouldRevalidateFunctionArgs } from '@remix-run/react'
import { addLiveTable, isRefused, isShownByBrowser } from '~/browser/layout-revalidation.ts'
import { type TableDefinition, tableSearch } from '~/lib/table-query.ts'

/**
 * Marks a table whose rows are all in the browser: when only its part of the address changes, no request is needed.
 * Returns a function that ends this.
 */
export function markLive(prefix: string): () => void {
  return addLiveTable((currentUrl, nextUrl) => withoutTable(currentUrl, prefix) === withoutTable(nextUrl, prefix))
}

function withoutTable({ search }: URL, prefix: string): string {
  const own = new URLSearchParams(tableSearch(search, prefix))
  // Another tab is another table.
  own.delete(`${prefix}tab`)
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

/** The statuses of Conflict and ChangedMeanwhile (http/respond.server.ts). */
const conflicts = [422, 409]

/**
 * The `shouldRevalidate` of a form that goes on, after a conflict, from what is stored now. After any other refusal it goes
 * on from what was typed: a reload after the session has ended would lead to the login.
 */
export function revalidatesAfterPosts(args: ShouldRevalidateFunctionArgs): boolean {
  if (isRefused(args)) return conflicts.some((status) => status === args.actionStatus)
  return args.formMethod === 'POST' || args.defaultShouldRevalidate
}
