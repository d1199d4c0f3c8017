/** When a mail is tried again that the server did not take now: at first soon, later every four hours, for two days. */
const minute = 60_000
const waits = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minute)
const longest = 2 * 24 * 60 * minute

/** Null if it has been tried for two days. `attempts` counts the one that just failed. */
export function nextTry(now: Date, { attempts, triedAt }: { attempts: number; triedAt: Date }): Date | null {
  const wait = waits[Math.min(attempts, waits.length) - 1] ?? minute
  const next = new Date(now.getTime() + wait)
  return next.getTime() - triedAt.getTime() > longest ? null : next
}
