import type { z } from 'zod'
import { parseForm } from './parse.ts'

/** A form in steps is one form with one schema. Each step names the fields that it asks for. */
export type StepRule = { id: string; fields: readonly string[] }

/** What the buttons of a form in steps send as `intent`; the last step has the form's own. */
export const nextStep = 'next'
export const previousStep = 'back'

/** The step that a form comes from, as it says itself. */
export const stepField = 'step'

/**
 * The first message of each of a step's fields. A rule over several fields (`superRefine`) is looked at only once each field of the form has the
 * type that it should have, so a schema turns what is empty into null instead of refusing its type.
 */
export function stepErrors(schema: z.ZodTypeAny, step: StepRule, values: unknown): Record<string, string> {
  const result = parseForm(schema, values)
  if (result.ok) return {}
  return Object.fromEntries(Object.entries(result.errors).filter(([name]) => ownsField(step.fields, name)))
}

/** The id of the step that is open: the one that is asked for, but none beyond the first with an error. */
export function openStep(
  schema: z.ZodTypeAny,
  steps: readonly StepRule[],
  values: unknown,
  requested: string | null | undefined,
): string {
  const last = indexOfStep(steps, requested)
  const firstWithError = steps.findIndex((step) => Object.keys(stepErrors(schema, step, values)).length > 0)
  return steps[firstWithError < 0 ? last : Math.min(last, firstWithError)]?.id ?? ''
}

/** The place of a step; the first one for a name that none has. */
export function indexOfStep(steps: readonly StepRule[], id: string | null | undefined): number {
  return Math.max(
    0,
    steps.findIndex((step) => step.id === id),
  )
}

/** Whether the name of an input, or of a message, belongs to one of these fields: `files` has `files.0` and `files[0]`. */
export function ownsField(fields: readonly string[], name: string): boolean {
  return fields.some((field) => name === field || name.startsWith(`${field}.`) || name.startsWith(`${field}[`))
}

/** The fields of a form as a schema takes them: a name that came more than once is a list. */
export function formValues(form: FormData): Record<string, FormDataEntryValue | FormDataEntryValue[]> {
  const values: Record<string, FormDataEntryValue | FormDataEntryValue[]> = {}
  for (const name of new Set(form.keys())) {
    const [only, ...more] = form.getAll(name)
    if (only !== undefined) values[name] = more.length > 0 ? [only, ...more] : only
  }
  return values
}
