/** The form of a report that goes out by email at set times. */
import { z } from 'zod'
import type { ReportPeriodName } from '~/lib/report-periods.ts'
import { lastDay, type ReportTimes, reportFrequencies } from '~/lib/report-times.ts'
import { oneOf } from './choices.ts'
import { listField } from './lists.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** `reports` is how many one person can have, `unopened` after how many that nobody opened it pauses. */
export const scheduledReportLimits = { name: 100, recipients: 50, reports: 50, page: 50, unopened: 3 } as const

export const frequencyLabels = { daily: 'Every day', weekly: 'Every week', monthly: 'Every month' } as const

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

export const lastOfMonth = 'last'

const chooseOften = 'Choose how often the report goes out'
const chooseDay = 'Choose a day'
const chooseTime = 'Choose a time'
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))

export const weekdayChoices = weekdays.map((label, index) => ({ value: String(index + 1), label }))
export const monthDayChoices = [
  ...numbers(28).map((value) => ({ value, label: value })),
  { value: lastOfMonth, label: 'The last day' },
]
/** Half hours. Programs may send any minute. */
export const timeChoices = Array.from({ length: 48 }, (_, index) => {
  const value = `${String(Math.floor(index / 2)).padStart(2, '0')}:${index % 2 === 0 ? '00' : '30'}`
  return { value, label: timeInWords(value) }
})

/** "8:30 AM", of 08:30 */
export function timeInWords(time: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return `${hours % 12 || 12}:${String(minutes).padStart(2, '0')} ${hours < 12 ? 'AM' : 'PM'}`
}

/** "Every week on Monday at 8:00 AM" */
export function timesInWords({ every, day, time }: ReportTimes): string {
  const on =
    every === 'weekly'
      ? ` on ${weekdays[(day ?? 1) - 1]}`
      : every === 'monthly'
        ? ` on ${day === lastDay ? 'the last day' : `day ${day}`}`
        : ''
  return `${frequencyLabels[every]}${on} at ${timeInWords(time)}`
}

/** Until which day of a month a period that begins with the month is called short. */
const shortUntil = 7

/**
 * What to say beside the day of a monthly report if its period has hardly begun then; null if it has. `monthDay` is a value
 * of the field.
 */
export function shortPeriodOn(period: ReportPeriodName | null, monthDay: string): string | null {
  const day = Number(monthDay)
  if (!(day >= 1 && day <= shortUntil)) return null
  const length = day === 1 ? 'only one day' : `only ${day} days`
  switch (period) {
    case 'this_month':
      return `On day ${day}, This Month covers ${length}. Choose Last Month in the report for the whole month.`
    case 'this_quarter':
      return `On day ${day} of January, April, July and October, This Quarter covers ${length}.`
    case 'this_year':
      return `On day ${day} of January, This Year covers ${length}.`
    default:
      return null
  }
}

/** The values of the form's fields. */
export function valuesOfTimes({ every, day, time }: ReportTimes): Record<string, string> {
  return {
    often: every,
    weekday: every === 'weekly' ? String(day) : '1',
    monthDay: every === 'monthly' ? (day === lastDay ? lastOfMonth : String(day)) : '1',
    time,
  }
}

const { recipients: most } = scheduledReportLimits

/** A field of a day that `often` does not need is sent with whatever it holds. */
export const scheduledReportForm = z
  .object({
    name: textField({ max: scheduledReportLimits.name }).default(''),
    often: oneOf(reportFrequencies, chooseOften),
    weekday: oneOf(['1', '2', '3', '4', '5', '6', '7'], chooseDay).default('1'),
    monthDay: oneOf(['1', ...numbers(28).slice(1), lastOfMonth], chooseDay).default('1'),
    time: z.string({ required_error: chooseTime, invalid_type_error: chooseTime }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
      message: chooseTime,
    }),
    recipients: listField(uidField('Please choose again'), {
      max: most,
      tooMany: `At most ${most} can be chosen`,
      required: 'Choose one or more colleagues',
    }),
  })
  .transform(({ name, often, weekday, monthDay, time, recipients }) => ({
    name,
    often: {
      every: often,
      day:
        often === 'weekly'
          ? Number(weekday)
          : often === 'monthly'
            ? monthDay === lastOfMonth
              ? lastDay
              : Number(monthDay)
            : null,
      time,
    } satisfies ReportTimes as ReportTimes,
    recipients: [...recipients].sort(),
  }))

/** The institution that a report gets after its own was deleted. */
export const reportInstitutionForm = z.object({ institution: uidField('Choose an institution') })
