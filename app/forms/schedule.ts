/** The form that publishes or unpublishes content at a set time. */
import { z } from 'zod'
import { oneOf } from './choices.ts'
import { momentField } from './dates.ts'

export const scheduledKinds = ['course', 'lecture', 'module', 'video'] as const
export type ScheduledKind = (typeof scheduledKinds)[number]

export type ScheduledAction = 'publish' | 'unpublish'

const twoYearsMs = 2 * 365 * 86_400_000

/** Times are those of the site's clocks. They are after `now` and within two years. */
export function scheduleForm({ timeZone, now }: { timeZone: string; now: Date }) {
  return z.object({
    action: oneOf(['publish', 'unpublish'], 'Please choose what happens'),
    at: momentField({
      timeZone,
      required: 'Please choose a date and a time',
      min: now,
      max: new Date(now.getTime() + twoYearsMs),
    }),
  })
}
