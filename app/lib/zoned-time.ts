/** Local dates and times of a time zone, as date inputs write them, and the instants that they mean. */

const minute = 60_000
const day = 24 * 60 * minute
/** PostgreSQL knows no year 0. */
const dayPattern = /^((?!0000)\d{4})-(\d{2})-(\d{2})$/
const timePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?$/

const formats = new Map<string, Intl.DateTimeFormat>()

/** Whether a text is a day of the calendar: 2026-02-28. */
export function isDay(text: string): boolean {
  return utcOfDay(text) !== null
}

/** Whether a text is a day with a time: 2026-02-28T09:30. It may still be a time that the zone skips. */
export function isLocalTime(text: string): boolean {
  return utcOfLocalTime(text) !== null
}

/** The day that it is at an instant, such as 2026-11-03. */
export function dayOf(instant: Date, timeZone: string): string {
  return localTimeOf(instant, timeZone).slice(0, 10)
}

/** The time that clocks show at an instant, such as 2026-11-03T14:05. */
export function localTimeOf(instant: Date, timeZone: string): string {
  return new Date(instant.getTime() + offsetAt(instant.getTime(), timeZone)).toISOString().slice(0, 16)
}

/**
 * The instants at which the clocks of a zone show a local time, the earliest first: one, none where the clocks were put forward over it, and two
 * where they were put back. None for what is no local time either.
 */
export function instantsOf(localTime: string, timeZone: string): Date[] {
  const utc = utcOfLocalTime(localTime)
  if (utc === null) return []
  const offsets = new Set([offsetAt(utc - day, timeZone), offsetAt(utc + day, timeZone)])
  return [...offsets]
    .map((offset) => utc - offset)
    .filter((instant) => instant + offsetAt(instant, timeZone) === utc)
    .sort((a, b) => a - b)
    .map((instant) => new Date(instant))
}

/** The instant at which a day begins, such as 2026-11-03. Where the clocks skip midnight, it begins later. */
export function startOfDay(dayText: string, timeZone: string): Date {
  const [first] = instantsOf(`${dayText}T00:00`, timeZone)
  if (first) return first
  const utc = utcOfDay(dayText) ?? Number.NaN
  // The clocks show midnight as it was reckoned before at the moment when they are put forward.
  return new Date(utc - offsetAt(utc - day, timeZone))
}

function utcOfDay(text: string): number | null {
  const match = dayPattern.exec(text)
  if (!match) return null
  const date = new Date(`${text}T00:00:00Z`)
  // Engines make March 2 of February 30.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date.getTime() : null
}

function utcOfLocalTime(text: string): number | null {
  const match = timePattern.exec(text)
  if (!match) return null
  const [, date = '', hours, minutes, seconds = 0] = match
  const start = utcOfDay(date)
  if (start === null || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null
  return start + (Number(hours) * 60 + Number(minutes)) * minute + Number(seconds) * 1000
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(instant: number, timeZone: string): number {
  const format = formats.get(timeZone) ?? formatOf(timeZone)
  formats.set(timeZone, format)
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit'
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  })
}
