import { parseTimestamp } from '../xapi/xapi.server.ts'

/**
 * When something happened, as progress and reports have it. `stored` says when we heard of it, and what a unit sends late, or a seed writes
 * today about last year, happened before. The clock of a device may be wrong, so nothing happens before its launch or after it was stored. Pure.
 */
export function eventTime(
  { timestamp }: { timestamp?: string },
  { storedAt, launchedAt }: { storedAt: Date; launchedAt: Date | null },
): Date {
  const micros = timestamp === undefined ? null : parseTimestamp(timestamp)
  if (micros === null) return storedAt
  const reported = new Date(Math.floor(micros / 1000))
  if (reported >= storedAt) return storedAt
  // The launch may be later than `stored` by the difference of two clocks.
  return launchedAt !== null && reported < launchedAt ? new Date(Math.min(+launchedAt, +storedAt)) : reported
}
