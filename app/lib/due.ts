/** Due dates in words. Days are texts such as 2026-11-03, in the time zone of the site. */
import { formatCalendarDay } from './dates.ts'

/** "Due Nov 20", "Due Nov 20, late" or "Due today". The year stands only with another year than today's. */
export function dueInWords(dueOn: string, today: string): string {
  if (dueOn === today) return 'Due today'
  const day = formatCalendarDay(dueOn)
  const short = dueOn.slice(0, 4) === today.slice(0, 4) ? day.replace(/, \d+$/, '') : day
  return isLate(dueOn, today) ? `Due ${short}, late` : `Due ${short}`
}

/** Work is late from the day after its due date on. */
export function isLate(dueOn: string, today: string): boolean {
  return dueOn < today
}

/** The day that many days later, or earlier with a negative number. */
export function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}
