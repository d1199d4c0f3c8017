const key = 'titrate.volume'

/** Returns the volume that was set in this browser, or else the initial one. */
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
    // Without storage, films start with the initial volume each time.
  }
}
