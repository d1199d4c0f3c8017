/** Dates as pages show them, made on the server in the site's time zone so that hydration agrees. */

const formats = new Map<string, Intl.DateTimeFormat>()

/** 3 Nov 2026 */
export function formatDay(date: Date, timeZone: string): string {
  return formatter('day', timeZone, { day: 'numeric', month: 'short', year: 'numeric' }).format(date)
}

/** 3 Nov 2026, 14:05 */
export function formatMoment(date: Date, timeZone: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const
  return formatter('moment', timeZone, options).format(date)
}

/** 45 s, 12 min, 1 h 5 min: how long somebody was at something. */
export function formatSpan(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function formatter(name: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${name} ${timeZone}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone })
  formats.set(key, made)
  return made
}
