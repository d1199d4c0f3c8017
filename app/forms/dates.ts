import { z } from 'zod'
import { formatCalendarDay, formatMoment } from '~/lib/dates.ts'
import { instantsOf, isDay, isLocalTime } from '~/lib/zoned-time.ts'
import { emptyAsNull } from './optional-fields.ts'

const incompleteDay = 'Please enter a complete date, such as 11/03/2026.'
const incompleteMoment = 'Please enter a date and a time.'
const earliestYear = 1900
const latestYear = 2199
const unlikelyYear = `Please enter a year from ${earliestYear} to ${latestYear}.`

type DayOptions = {
  /** The message for an empty field. Without it the field may be empty, and its value is null. */
  required?: string
  /** The first and the last day that are accepted: 2026-11-03. */
  min?: string
  max?: string
}

/** A day without a time, as a date input sends it: 2026-11-03. */
export function dayField(options: DayOptions & { required: string }): z.ZodType<string, z.ZodTypeDef, unknown>
export function dayField(options: DayOptions): z.ZodType<string | null, z.ZodTypeDef, unknown>
export function dayField({ required, min, max }: DayOptions): z.ZodType<string | null, z.ZodTypeDef, unknown> {
  const day = dateText(required, incompleteDay)
    .refine(isDay, incompleteDay)
    .refine(isLikely, unlikelyYear)
    .refine(
      (text) => min === undefined || text >= min,
      `Please enter ${min && formatCalendarDay(min)} or a later date.`,
    )
    .refine(
      (text) => max === undefined || text <= max,
      `Please enter ${max && formatCalendarDay(max)} or an earlier date.`,
    )
  return z.preprocess(emptyAsNull, required === undefined ? day.nullable() : day)
}

type MomentOptions = {
  /** The time zone of the text: the site's. */
  timeZone: string
  required?: string
  /** The earliest and the latest instant that are accepted. */
  min?: Date
  max?: Date
  /**
   * The stored value. If its time is not changed, it keeps its seconds, and it stays the same instant even if clocks
   * show that time twice.
   */
  stored?: Date | null
}

/**
 * An instant. A date-and-time input sends a local time of the site; programs send a time with its offset. If clocks
 * show a time twice in the fall, the first one counts. A time that clocks skip in the spring is refused.
 */
export function momentField(options: MomentOptions & { required: string }): z.ZodType<Date, z.ZodTypeDef, unknown>
export function momentField(options: MomentOptions): z.ZodType<Date | null, z.ZodTypeDef, unknown>
export function momentField(options: MomentOptions): z.ZodType<Date | null, z.ZodTypeDef, unknown> {
  const { timeZone, required, min, max, stored } = options
  const moment = dateText(required, incompleteMoment).transform((text, issues) => {
    const refuse = (message: string) => {
      issues.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (!isLocalTime(text) && !isInstant(text)) return refuse(incompleteMoment)
    if (!isLikely(text)) return refuse(unlikelyYear)
    const instants = isInstant(text) ? [new Date(text)] : instantsOf(text, timeZone)
    const instant = instants.find((one) => sameMinute(one, stored)) ?? instants[0]
    if (!instant) {
      return refuse(`Clocks skip this time on ${formatCalendarDay(text.slice(0, 10))}. Please choose another one.`)
    }
    if (stored && sameMinute(instant, stored)) return stored
    if (min && instant < min) return refuse(`Please enter ${formatMoment(min, timeZone)} or a later time.`)
    if (max && instant > max) return refuse(`Please enter ${formatMoment(max, timeZone)} or an earlier time.`)
    return instant
  })
  return z.preprocess(emptyAsNull, required === undefined ? moment.nullable() : moment)
}

function dateText(required: string | undefined, incomplete: string) {
  return z.string({ errorMap: (_, { data }) => ({ message: data === null ? (required ?? incomplete) : incomplete }) })
}

function isInstant(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.test(text) &&
    isDay(text.slice(0, 10)) &&
    !Number.isNaN(new Date(text).getTime())
  )
}

function isLikely(text: string): boolean {
  const year = Number(text.slice(0, 4))
  return year >= earliestYear && year <= latestYear
}

function sameMinute(a: Date, b: Date | null | undefined): boolean {
  return b != null && Math.floor(a.getTime() / 60_000) === Math.floor(b.getTime() / 60_000)
}
