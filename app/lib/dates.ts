/** Dates as pages show them, made on the server in the site's time zone so that hydration agrees. */

const formats = new Map<string, Intl.DateTimeFormat>()

/** 3 Nov 2026 */
export function formatDay(date: Date, timeZone: string): string {
  return formatter('day', timeZone, { day: 'numeric', month: 'short', year: 'numeric' }).format(date)
}

/** 11/03/2026: the console's tables and files (decisions, authoring 64). */
export function formatDate(date: Date, timeZone: string): string {
  const parts = formatter('date', timeZone, { day: '2-digit', month: '2-digit', year: 'numeric' }).formatToParts(date)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('month')}/${part('day')}/${part('year')}`
}

/** 3 Nov 2026, 14:05 */
export function formatMoment(date: Date, timeZone: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const
  return formatter('moment', timeZone, options).format(date)
}

function formatter(name: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${name} ${timeZone}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone })
  formats.set(key, made)
  return made
}
