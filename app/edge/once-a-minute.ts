/**
 * Says yes to a key at most once a minute, in this process. Remembers so many keys at most; one that is forgotten early may
 * hear yes again.
 */
export function onceAMinute(most = 10_000): (key: string, now: Date) => boolean {
  // In the order of their last yes.
  const heard = new Map<string, number>()
  return (key, now) => {
    const last = heard.get(key)
    if (last !== undefined && now.getTime() - last < 60_000) return false
    heard.delete(key)
    const [oldest] = heard.keys()
    if (heard.size >= most && oldest !== undefined) heard.delete(oldest)
    heard.set(key, now.getTime())
    return true
  }
}
