import { createPath } from '@remix-run/react'
import { reloadOnceAddress } from '~/lib/reload-once.ts'
import { isReachable, stayHere, tellUnreachable, whenBack } from './stay-here.ts'

/** `until`: when the router may ask for the route's chunk again (vite.config.ts). */
type LostChunk = Event & { until?: Promise<void> }

const never = new Promise<void>(() => {})

/**
 * A part of the page's code that cannot be fetched. Where nobody answers the page stays; where somebody does, its build has probably gone, and
 * the page is loaded again, once: with `_r=1` in the address the error surfaces (L-249, L-261; decisions, learner Q-30).
 */
export function watchChunks(): void {
  window.addEventListener('vite:preloadError', (event: LostChunk) => {
    const isNavigating = window.__remixRouter?.state.navigation.state !== 'idle'
    const again = () => (isNavigating ? never : whenBack())
    if (!navigator.onLine) {
      event.preventDefault()
      event.until = again()
      stay()
      return
    }
    if (!reloadOnceAddress(window.location.href)) return
    event.preventDefault()
    event.until = isReachable().then((isThere) => {
      if (isThere) {
        window.location.assign(reloadOnceAddress(target()) ?? target())
        return never
      }
      stay()
      return again()
    })
  })
}

function stay(): void {
  tellUnreachable()
  stayHere()
}

/** The page that a link led to, else this one. */
function target(): string {
  const { location, formMethod } = window.__remixRouter.state.navigation
  const isLink = location !== undefined && formMethod === undefined
  return isLink ? new URL(createPath(location), window.location.href).href : window.location.href
}
