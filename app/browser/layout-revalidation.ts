/**
 * Decides when the data of root and of the layouts is loaded again. Every page loads this file, so what only tables
 * need is in components/console/grid/revalidation.ts.
 */
import type { ShouldRevalidateFunctionArgs } from '@remix-run/react'

type IsShown = (currentUrl: URL, nextUrl: URL) => boolean

/** Each says whether its table shows the next address from rows that are already in the browser. */
const liveTables = new Set<IsShown>()

export function addLiveTable(isShown: IsShown): () => void {
  liveTables.add(isShown)
  return () => liveTables.delete(isShown)
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

export function isRefused({ actionStatus }: ShouldRevalidateFunctionArgs): boolean {
  return actionStatus !== undefined && actionStatus >= 400
}

export function isShownByBrowser({ currentUrl, nextUrl, formMethod }: ShouldRevalidateFunctionArgs): boolean {
  if (formMethod !== undefined && formMethod !== 'GET') return false
  if (currentUrl.pathname !== nextUrl.pathname || currentUrl.search === nextUrl.search) return false
  return [...liveTables].some((isShown) => isShown(currentUrl, nextUrl))
}
