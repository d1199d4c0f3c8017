/** The forms of access plans: a plan itself, and the renewal of access that ends soon or has ended. */
import { z } from 'zod'
import { durationProblem } from './access-duration.ts'
import { oneOf } from './choices.ts'
import { tickOr } from './optional-fields.ts'
import { textField } from './text.ts'

export const longestPlanName = 100

export const planForm = z.object({
  name: textField({ max: longestPlanName, required: 'Name is required' }),
  isPublic: tickOr(false),
})
export type PlanValues = z.output<typeof planForm>

/** The name of a plan's form. Each stored state has its own name. */
export function planFormId(uid: string, revision: string | number): string {
  return `plan-${uid}-${revision}`
}

/** Whose access is renewed: it ends within so many days, or it has ended in the last ninety. */
export const renewalWindows = ['30', '60', '90', 'ended'] as const
export type RenewalWindow = (typeof renewalWindows)[number]

export const renewalWindowLabels: Record<RenewalWindow, string> = {
  '30': 'Ends in 30 days',
  '60': 'Ends in 60 days',
  '90': 'Ends in 90 days',
  ended: 'Ended in the last 90 days',
}

export const renewAccessForm = z
  .object({
    window: oneOf(renewalWindows, 'Please choose whose access to renew'),
    duration: z.string().default(''),
    unit: z.string().default(''),
  })
  .superRefine(({ duration, unit }, issues) => {
    const message = durationProblem(duration, unit)
    if (message) issues.addIssue({ code: 'custom', path: ['duration'], message })
  })

/** How a plan is named in a list to choose from. */
export function planLabel({ name, isRetired }: { name: string; isRetired: boolean }): string {
  return isRetired ? `${name} (retired)` : name
}
