/**
 * Returns true for a key at most once a minute, in this process. Remembers at most `maxKeys` keys; a key that is
 * forgotten early may get true again.
 */
export function onceAMinute(maxKeys = 10_000): (key: string, now: Date) => boolean {
  // Ordered by the time of the last true.
  const lastTrue = new Map<string, number>()
  return (key, now) => {
    const last = lastTrue.get(key)
    if (last !== undefined && now.getTime() - last < 60_000) return false
    lastTrue.delete(key)
    const [oldest] = lastTrue.keys()
    if (lastTrue.size >= maxKeys && oldest !== undefined) lastTrue.delete(oldest)
    lastTrue.set(key, now.getTime())
    return true
  }
}
