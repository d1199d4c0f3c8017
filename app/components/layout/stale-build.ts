import { useEffect, useRef } from 'react'
import { useShell } from './shell.ts'

/**
 * Once the server has a newer build than the one this document came from, links load whole pages, so that nobody goes on
 * for days with old scripts against a new server.
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
      // Offline there is no whole page to be had: the router's way leaves this one where it is.
      if (!navigator.onLine || !link || !isPlain || link.target || link.origin !== window.location.origin) return
      // Captured before the router sees it: the browser follows the link by itself.
      event.stopPropagation()
    }
    window.addEventListener('click', load, true)
    return () => window.removeEventListener('click', load, true)
  }, [isStale])
}
