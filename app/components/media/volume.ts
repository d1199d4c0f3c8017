const key = 'titrate.volume'

/** What this browser was set to; else the documented 0.2. */
export function storedVolume(initial: number): number {
  try {
    const stored = Number.parseFloat(window.localStorage.getItem(key) ?? '')
    return stored >= 0 && stored <= 1 ? stored : initial
  } catch {
    return initial
  }
}

export function storeVolume(volume: number): void {
  try {
    window.localStorage.setItem(key, String(volume))
  } catch {
    // A browser that keeps nothing begins with the initial volume each time.
  }
}
