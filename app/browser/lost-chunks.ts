import { createPath } from '@remix-run/react'
import { reloadOnceAddress } from './reload-once.ts'
import { currentNavigation } from './remix-internals.ts'
import { isReachable, notifyUnreachable, stayOnPage, whenBack } from './stay-on-page.ts'

/**
 * Fired when a chunk cannot be fetched. `until` tells the router when it may ask for a route's chunk again, and
 * `before` is the event of its previous failure (remix-internals.ts, item 7). `missedCount` counts the failures while
 * the server was reachable.
 */
type LostChunk = Event & { until?: Promise<void>; before?: LostChunk; missedCount?: number }

const maxMissed = 2

const never = new Promise<void>(() => {})

let optionalCount = 0

/**
 * Loads a chunk that the page works without, such as the tracking of a film. If it cannot be fetched, the page neither
 * loads again nor shows a notice, and this resolves with undefined.
 */
export async function loadOptional<T>(load: () => Promise<T>): Promise<T | undefined> {
  optionalCount += 1
  try {
    return await load()
  } catch {
    return undefined
  } finally {
    optionalCount -= 1
  }
}

/**
 * Handles parts of the page's code that cannot be fetched. Where the server cannot be reached, the page stays. Where it
 * can, its build has probably changed, and the page is loaded again, once: with `_r=1` in the address the error
 * surfaces (L-249, L-261).
 */
export function watchChunks(): void {
  window.addEventListener('vite:preloadError', (event: LostChunk) => {
    const { before } = event
    if (before) {
      // The person already knows. Browsers say that they are online too early, and a chunk that is gone for good is
      // reported the next time it is needed.
      event.preventDefault()
      event.until = isReachable().then((isThere) => {
        event.missedCount = (before.missedCount ?? 0) + (isThere ? 1 : 0)
        return event.missedCount >= maxMissed ? never : whenBack()
      })
      return
    }
    const isNavigating = currentNavigation().state !== 'idle'
    // The event does not say which chunk is lost. A press that loses another one at this moment gets its error message.
    if (optionalCount > 0 && !isNavigating) return
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
  notifyUnreachable()
  stayOnPage()
}

/** The page that a link or an answered form leads to; without a navigation, this page. */
function target(): string {
  const { location, formMethod, state } = currentNavigation()
  const isPage = location !== undefined && (formMethod === undefined || state === 'loading')
  return isPage ? new URL(createPath(location), window.location.href).href : window.location.href
}
