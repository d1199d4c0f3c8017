import { createPath } from '@remix-run/react'
import { reloadOnceAddress } from '~/lib/reload-once.ts'
import { isReachable, stayHere, tellUnreachable, whenBack } from './stay-here.ts'

/**
 * `until`: when the router may ask for the route's chunk again; `before`: how that went the last time (vite.config.ts). `inVain` counts how often it did
 * not come though the server was there.
 */
type LostChunk = Event & { until?: Promise<void>; before?: LostChunk; inVain?: number }

const mostInVain = 2

const never = new Promise<void>(() => {})

/**
 * A part of the page's code that cannot be fetched. Where nobody answers the page stays; where somebody does, its build has probably gone, and
 * the page is loaded again, once: with `_r=1` in the address the error surfaces (L-249, L-261; decisions, learner Q-30).
 */
export function watchChunks(): void {
  window.addEventListener('vite:preloadError', (event: LostChunk) => {
    const { before } = event
    if (before) {
      // The person was told. Browsers say that the line is back before it is; and what is gone for good is told of at the next press.
      event.preventDefault()
      event.until = isReachable().then((isThere) => {
        event.inVain = (before.inVain ?? 0) + (isThere ? 1 : 0)
        return event.inVain >= mostInVain ? never : whenBack()
      })
      return
    }
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

/** The page that a link led to, or a form that was answered; else this one. */
function target(): string {
  const { location, formMethod, state } = window.__remixRouter.state.navigation
  const isPage = location !== undefined && (formMethod === undefined || state === 'loading')
  return isPage ? new URL(createPath(location), window.location.href).href : window.location.href
}
