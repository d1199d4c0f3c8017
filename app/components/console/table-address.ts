/**
 * The address of a grid in the browser: each search, sort and page is written into it, so that a reload and Back show them again. The
 * router is not asked, since its answer would be to load the page's data once more.
 */
import { useLocation } from '@remix-run/react'
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let written: string | null = null

export function showTableAddress(search: string): void {
  const shown = search === '?' ? '' : search
  written = shown
  if (window.location.search === shown) return
  window.history.replaceState(window.history.state, '', window.location.pathname + shown)
  for (const listener of listeners) listener()
}

/** The address's search as it is shown, for links that keep it. */
export function useTableAddress(): string {
  const { search } = useLocation()
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => window.location.search,
    () => search,
  )
}

/** Whether an address's search is one that the grid itself has written: it shows that already. */
export function isWrittenByGrid(search: string): boolean {
  return written === search
}
