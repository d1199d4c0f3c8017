import { useEffect, useRef } from 'react'
import { useShell } from './shell.ts'

/**
 * Makes links load whole pages once the server has a newer build than this document, so that nobody uses old scripts
 * with a new server for days.
 */
export function useFullLoadsAfterRelease(): void {
  const { build } = useShell()
  const first = useRef(build)
  const isStale = build !== first.current
  useEffect(() => {
    if (!isStale) return
    const load = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a')
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
      // Offline a whole page cannot load. The router then keeps the current page.
      if (!navigator.onLine || !link || !isPlain || link.target || link.origin !== window.location.origin) return
      // The router does not see the click, so the browser follows the link by itself.
      event.stopPropagation()
    }
    window.addEventListener('click', load, true)
    return () => window.removeEventListener('click', load, true)
  }, [isStale])
}
