import { useEffect, useSyncExternalStore } from 'react'

/** The storage key of the last change, which all tabs read (L-180). */
const key = 'favoritesChangedTs'
const badgeMs = 5_000

type SavedChange = { at: number; count: number; hasRisen: boolean }

const listeners = new Set<() => void>()

/** Tells all tabs about a change. `count` includes courses, modules and videos, but not lectures (L-181). */
export function announceSaved(change: Omit<SavedChange, 'at'>): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...change, at: Date.now() }))
  } catch {
    // Without storage there is no badge, which is optional anyway.
  }
  for (const listener of listeners) listener()
}

/** Returns the last change of any tab for five seconds, then null; null on the server. */
export function useSavedChange(): SavedChange | null {
  const stored = useSyncExternalStore(
    subscribe,
    () => readKey(),
    () => null,
  )
  const change = stored === null ? null : recentChange(stored, Date.now())
  const at = change?.at
  useEffect(() => {
    if (at === undefined) return
    const timer = setTimeout(
      () => {
        for (const listener of listeners) listener()
      },
      at + badgeMs - Date.now(),
    )
    return () => clearTimeout(timer)
  }, [at])
  return change
}

export function recentChange(stored: string, now: number): SavedChange | null {
  try {
    const { at, count, hasRisen } = JSON.parse(stored) as SavedChange
    const isRecent = typeof at === 'number' && at <= now && now - at < badgeMs
    return isRecent && typeof count === 'number' ? { at, count, hasRisen: hasRisen === true } : null
  } catch {
    return null
  }
}

function readKey(): string | null {
  try {
    const stored = localStorage.getItem(key)
    return stored !== null && recentChange(stored, Date.now()) ? stored : null
  } catch {
    return null
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
