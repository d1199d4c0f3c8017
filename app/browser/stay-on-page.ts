import { createPath, useLocation } from '@remix-run/react'
import { useEffect } from 'react'
import { notify, withdrawNotices } from './notices.ts'
import { cancelNavigation, currentNavigation, shownLocation } from './remix-internals.ts'

const offlineText = 'You seem to be offline. Please check your connection and try again.'
export const unreachableText = 'The server could not be reached. Please try again.'

let noticeCount = 0

/** Tells the person why nothing came back: the connection, or the server behind it. */
export function notifyUnreachable(): void {
  noticeCount += 1
  notify({ kind: 'error', about: 'connection', text: navigator.onLine ? unreachableText : offlineText })
}

/**
 * Call it before a request. The returned function, called after the answer, withdraws the connection notice and returns
 * true, unless a newer request has failed in the meantime.
 */
export function watchConnection(): () => boolean {
  const before = noticeCount
  return () => {
    if (noticeCount !== before) return false
    withdrawNotices('connection')
    return true
  }
}

/** The index of the shown page in the tab's history, as the router counts it. */
let historyIndex = 0

export function useHistoryIndex(): void {
  const { key } = useLocation()
  // Each history entry has a key of its own.
  useEffect(() => {
    historyIndex = window.history.state?.idx ?? 0
  }, [key])
}

/** Gives up the navigation that is under way. The page stays as it is, with everything that was typed. */
export async function stayOnPage(): Promise<void> {
  if (currentNavigation().state === 'idle') return
  if (createPath(window.location) !== createPath(shownLocation())) {
    // During Back or Forward the address has already changed. Going back starts a navigation that is given up in turn.
    const steps = historyIndex - (window.history.state?.idx ?? historyIndex)
    if (steps !== 0) return window.history.go(steps)
  }
  await cancelNavigation()
}

/** Resolves when the browser says that it is online again or, if it was never offline, after ten seconds. */
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

/** True when the server answers. */
export function isReachable(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}
