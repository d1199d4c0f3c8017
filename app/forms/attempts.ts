import { z } from 'zod'
import { isUid } from '~/lib/uid.ts'
import { oneOf } from './choices.ts'

/** What staff may do with attempts: the terms of cmi5 (9.5.5.2, 10.2.2) and the forms. */
export const launchModes = ['Normal', 'Browse', 'Review'] as const
export const waiveReasons = ['Tested Out', 'Equivalent AU', 'Equivalent Outside Activity', 'Administrative'] as const
export type WaiveReason = (typeof waiveReasons)[number]

const unknownMode = 'The mode must be normal, browse or review.'

/** Programs may write the mode in lower case. An empty value becomes null. */
const launchModeField = z.preprocess(
  (value) =>
    typeof value === 'string' && value !== ''
      ? (launchModes.find((mode) => mode.toLowerCase() === value.toLowerCase()) ?? value)
      : null,
  z.enum(launchModes, { errorMap: () => ({ message: unknownMode }) }).nullable(),
)

export const launchModeForm = z.object({ mode: launchModeField })

/** The dialog's form, in which a mode must be chosen. */
export const launchInModeForm = z.object({
  mode: oneOf(launchModes, 'Please choose a mode'),
})

export const waiveForm = z.object({
  reason: z.enum(waiveReasons, {
    errorMap: (_, { data }) => ({
      message: data === '' ? 'Please choose a reason.' : `The reason must be one of: ${waiveReasons.join(', ')}.`,
    }),
  }),
})

/** Why a unit of an attempt cannot be waived. */
export const waiveRefusals = {
  closed: 'This attempt is over.',
  waived: 'This unit is waived already.',
  done: 'This unit is done already, so there is nothing to waive.',
}

/** Returns why a unit cannot be waived, or null. `isMet` means that it is waived or satisfied. */
export function whyNotWaived(
  attempt: { isOpen: boolean },
  unit: { isMet: boolean; waiveReason: string | null },
): string | null {
  if (!attempt.isOpen) return waiveRefusals.closed
  if (unit.waiveReason !== null) return waiveRefusals.waived
  return unit.isMet ? waiveRefusals.done : null
}

export const moveForm = z.object({
  moduleVersionUid: z
    .string({ errorMap: () => ({ message: 'Please choose a version' }) })
    .refine(isUid, 'Please choose a version'),
})
