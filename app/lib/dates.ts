/**
 * Dates as pages, files and mails show them. The server formats them in the site's time zone, so that hydration agrees.
 */

const formats = new Map<string, Intl.DateTimeFormat>()

/** Nov 3, 2026 */
export function formatDay(date: Date, timeZone: string): string {
  return format(date, timeZone, { dateStyle: 'medium' })
}

/** Nov 3, 2026, of `2026-11-03` */
export function formatCalendarDay(day: string): string {
  return formatDay(new Date(`${day}T00:00:00Z`), 'UTC')
}

/** Nov 3, 2026, 2:05 PM */
export function formatMoment(date: Date, timeZone: string): string {
  return format(date, timeZone, { dateStyle: 'medium', timeStyle: 'short' })
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Nov 2026, of `2026-11` */
export function formatMonth(month: string): string {
  const [year = '', number = ''] = month.split('-')
  return `${months[Number(number) - 1] ?? ''} ${year}`
}

type Options = Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'>

function format(date: Date, timeZone: string, options: Options): string {
  const key = `${timeZone} ${options.timeStyle ?? ''}`
  const formatter = formats.get(key) ?? new Intl.DateTimeFormat('en-US', { ...options, timeZone })
  formats.set(key, formatter)
  // Some versions of Node put a narrow no-break space before AM and PM, others do not.
  return formatter.format(date).replaceAll('\u202f', ' ')
}
