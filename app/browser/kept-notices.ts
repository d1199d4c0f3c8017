import { useSyncExternalStore } from 'react'
import { type Notice, takesPlaceOf } from '~/lib/notice.ts'

/**
 * The notices of this visit, newest first, so that people can read them again. They are kept in this tab only, and only
 * for the person who saw them. A notice that a reload would cut short is shown by the next page.
 */
export type KeptNotice = Notice & { at: number }
type Kept = { owner: string; notices: KeptNotice[] }

const keptKey = 'notices'
const nextKey = 'notice-next'
const maxNotices = 20
const none: KeptNotice[] = []

let kept: Kept | null = null
const listeners = new Set<() => void>()

export function useKeptNotices(): KeptNotice[] {
  return useSyncExternalStore(
    subscribe,
    () => read().notices,
    () => none,
  )
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function keepNotice(notice: Notice): void {
  const { owner, notices } = read()
  if (notices.some(({ id }) => id === notice.id)) return
  // A repeated notice moves to the top.
  const others = notices.filter((earlier) => !takesPlaceOf(notice, earlier))
  write({ owner, notices: [{ ...notice, at: Date.now() }, ...others].slice(0, maxNotices) })
}

export function forgetNotice(id: string): void {
  const { owner, notices } = read()
  write({ owner, notices: notices.filter((notice) => notice.id !== id) })
}

export function forgetNotices(): void {
  write({ owner: read().owner, notices: none })
}

/** Clears the notices if another person uses the tab. */
export function keepNoticesFor(owner: string): void {
  if (read().owner !== owner) write({ owner, notices: none })
}

export function notifyAfterReload(notice: Omit<Notice, 'id'>): void {
  store(nextKey, { ...notice, id: `next-${Date.now()}` })
}

export function takeNextNotice(): Notice | null {
  const notice = stored<Notice>(nextKey)
  if (notice) store(nextKey, null)
  return notice
}

function read(): Kept {
  kept ??= stored<Kept>(keptKey) ?? { owner: '', notices: none }
  return kept
}

function write(next: Kept): void {
  kept = next
  store(keptKey, next)
  for (const listener of listeners) listener()
}

/** Session storage may be unavailable. Then the notices last as long as the page. */
function stored<T>(key: string): T | null {
  try {
    return JSON.parse(window.sessionStorage.getItem(key) ?? 'null') as T | null
  } catch {
    return null
  }
}

function store(key: string, value: object | null): void {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // As above.
  }
}
