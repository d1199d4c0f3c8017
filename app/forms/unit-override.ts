import { z } from 'zod'
import { normalizeText } from '~/lib/text.ts'
import { numberField } from './numbers.ts'
import { emptyAsNull } from './optional-fields.ts'
import { textField } from './text.ts'

/**
 * The rules that can be set for a unit in place of its package's rules; an empty field means the package's rule. The
 * limits are cmi5's (13.1.4).
 */
export const moveOnValues = ['NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed'] as const
export const moveOnWords: Record<(typeof moveOnValues)[number], string> = {
  NotApplicable: 'Not applicable',
  Passed: 'Passed',
  Completed: 'Completed',
  CompletedAndPassed: 'Completed and passed',
  CompletedOrPassed: 'Completed or passed',
}
export const longestParameters = 10_000

const notAScore = 'A number from 0 to 1 with at most 4 decimals, such as 0.75.'

export const unitOverrideForm = z.object({
  masteryScore: numberField({ min: 0, max: 1, decimals: 4, problem: notAScore }),
  moveOn: z.preprocess(
    emptyAsNull,
    z.enum(moveOnValues, { errorMap: () => ({ message: 'Please choose one of the five' }) }).nullable(),
  ),
  launchParameters: z.preprocess(emptyAsNull, textField({ max: longestParameters, tidy: normalizeText }).nullable()),
})

/** Returns the form's fields in the form in which the page sends them back. */
export function unitOverrideValues(override: Record<keyof UnitOverride, string | number | null>) {
  const { masteryScore, moveOn, launchParameters } = override
  return {
    masteryScore: masteryScore === null ? '' : String(masteryScore),
    moveOn: String(moveOn ?? ''),
    launchParameters: String(launchParameters ?? ''),
  }
}

/** Returns the name of the form. Each stored state has its own name. */
export function unitRulesFormId(revision: string | number): string {
  return `unit-rules-${revision}`
}

export type UnitOverride = z.output<typeof unitOverrideForm>
