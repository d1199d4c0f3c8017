import { useEffect, useSyncExternalStore } from 'react'

/** Under this name a change is kept for all tabs (L-180). */
const key = 'favoritesChangedTs'
const badgeMs = 5_000

type SavedChange = { at: number; count: number; hasRisen: boolean }

const listeners = new Set<() => void>()

/** `count` is of courses, modules and videos: lectures do not count (L-181). */
export function announceSaved(change: Omit<SavedChange, 'at'>): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...change, at: Date.now() }))
  } catch {
    // Without storage there is no badge, which is a courtesy.
  }
  for (const listener of listeners) listener()
}

/** The last change, for five seconds after it, whichever tab made it; null on the server. */
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
