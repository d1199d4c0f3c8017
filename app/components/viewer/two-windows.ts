import { type MutableRefObject, useEffect, useRef } from 'react'

/**
 * The viewer and the unit's own window, both pages of ours. Content is in a frame of the window, where it can navigate
 * neither of them.
 */
const betweenLooks = 1000

/** Tells the viewer behind this window that the learner left, and closes the window. False if no viewer is behind it. */
export function leaveWindow(): boolean {
  const behind = window.opener as Window | null
  if (!behind || behind.closed) return false
  behind.postMessage('Exited', window.location.origin)
  window.close()
  return true
}

/** Notices, in the viewer, that the unit's window was closed without a word. */
export function useOwnWindow(own: MutableRefObject<Window | null>, isOn: boolean, onClosed: () => void): void {
  const closed = useRef(onClosed)
  closed.current = onClosed
  useEffect(() => {
    if (!isOn) return
    const timer = window.setInterval(() => {
      if (!own.current?.closed) return
      own.current = null
      closed.current()
    }, betweenLooks)
    return () => window.clearInterval(timer)
  }, [isOn, own])
}
