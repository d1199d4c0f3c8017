/** When a scheduled report is due: times by the clocks of a site. */
import { daysFrom } from './due.ts'
import { dayOf, instantsOf } from './zoned-time.ts'

export const reportFrequencies = ['daily', 'weekly', 'monthly'] as const
export type ReportFrequency = (typeof reportFrequencies)[number]

export type ReportTimes = {
  every: ReportFrequency
  /** Of a week 1 (Monday) to 7; of a month 1 to 28, or `lastDay`; null for each day. */
  day: number | null
  /** Such as 08:30. */
  time: string
}

/** The last day of a month, however long it is. */
export const lastDay = 0

/** The first due time after an instant. */
export function nextTime(times: ReportTimes, after: Date, timeZone: string): Date {
  for (let day = dayOf(after, timeZone); ; day = daysFrom(day, 1)) {
    if (!isDue(times, day)) continue
    const instant = timeOn(day, times.time, timeZone)
    if (instant > after) return instant
  }
}

/** The last due time until `now`, beginning with a due time. Whoever was away for a week has missed all before it. */
export function latestTime(times: ReportTimes, from: Date, now: Date, timeZone: string): Date {
  for (let latest = from; ; ) {
    const next = nextTime(times, latest, timeZone)
    if (next > now) return latest
    latest = next
  }
}

function isDue({ every, day }: ReportTimes, date: string): boolean {
  if (every === 'daily') return true
  if (every === 'weekly') return (new Date(`${date}T00:00:00Z`).getUTCDay() || 7) === day
  return Number((day === lastDay ? daysFrom(date, 1) : date).slice(8)) === (day === lastDay ? 1 : day)
}

const minute = 60_000

/** A time that the clocks skip is the next one that they show, and the first of one that they show twice. */
function timeOn(day: string, time: string, timeZone: string): Date {
  for (let local = Date.parse(`${day}T${time}:00Z`); ; local += minute) {
    const [instant] = instantsOf(new Date(local).toISOString().slice(0, 16), timeZone)
    if (instant) return instant
  }
}
