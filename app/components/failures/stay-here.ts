import { createPath, useLocation } from '@remix-run/react'
import { useEffect } from 'react'
import { notify, withdrawNotices } from '../ui/notices.tsx'

export const offlineText = 'You seem to be offline. Please check your connection and try again.'
export const unreachableText = 'The server could not be reached. Please try again.'

let tellings = 0

/** Says why nothing came: the line, or what is behind it. */
export function tellUnreachable(): void {
  tellings += 1
  notify({ kind: 'error', about: 'connection', text: navigator.onLine ? unreachableText : offlineText })
}

/** To be called when the server is asked, and what it gives when it has answered: what was told before that is no longer so. */
export function whenAsked(): () => boolean {
  const before = tellings
  return () => {
    if (tellings !== before) return false
    withdrawNotices('connection')
    return true
  }
}

/** Where the page that is shown stands in the tab's history, as the router counts it. */
let place = 0

export function useHistoryPlace(): void {
  const { key } = useLocation()
  // Each place has a key of its own.
  useEffect(() => {
    place = window.history.state?.idx ?? 0
  }, [key])
}

/**
 * Gives up the navigation that is under way: the page stays as it is, with all that was typed. The router knows no such thing, but a navigation to
 * where one is, for which nothing is loaded, comes to the same.
 */
export async function stayHere(): Promise<void> {
  const router = window.__remixRouter
  const { location, matches, navigation } = router.state
  if (navigation.state === 'idle') return
  const here = createPath(location)
  if (createPath(window.location) !== here) {
    // Back or forward: the address has gone ahead. What this begins is given up in its turn.
    const gone = place - (window.history.state?.idx ?? place)
    if (gone !== 0) return window.history.go(gone)
  }
  const routes = matches.map(({ route }) => ({ route, own: route.shouldRevalidate }))
  for (const { route } of routes) route.shouldRevalidate = () => false
  try {
    await router.navigate(here, { replace: true, preventScrollReset: true, state: location.state })
  } finally {
    for (const { route, own } of routes) route.shouldRevalidate = own
  }
}

/** When the browser says that it is online again, or, as long as it says nothing, after ten seconds. */
export function whenBack(): Promise<void> {
  return new Promise((resolve) => {
    const back = () => {
      if (!navigator.onLine) return
      window.removeEventListener('online', back)
      clearInterval(timer)
      resolve()
    }
    window.addEventListener('online', back)
    const timer = setInterval(back, 10_000)
  })
}

/** Whether anybody is there who answers for the product. */
export function isReachable(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}
