import { z } from 'zod'
import { parseForm } from './parse.ts'

/**
 * A form in steps is one form with one schema. Each step names the fields that it asks for, and may have a rule over
 * several of them. The schema gets the rules with `.superRefine(rulesOf(steps))`.
 */
export type StepRule = {
  id: string
  fields: readonly string[]
  /** Runs as soon as the fields of the step are right, whatever the other steps hold. Gets no other fields. */
  rule?(values: Record<string, unknown>, issues: z.RefinementCtx): void
}

/** What the buttons of a form in steps send as `intent`; the last step has the form's own. */
export const nextStep = 'next'
export const previousStep = 'back'

/** The step that a form comes from, as it says itself. */
export const stepField = 'step'

/** For the schema of the whole form: the rules of all steps. */
export function rulesOf(steps: readonly StepRule[]) {
  return (values: Record<string, unknown>, issues: z.RefinementCtx): void => {
    for (const step of steps) step.rule?.(values, issues)
  }
}

type Part = Pick<StepRule, 'fields' | 'rule'>

/**
 * The first message of each of a step's fields. Zod runs the rules of a schema only if every field of the form can be
 * parsed, so the rule of the step also runs on the fields of the step alone. Other rules of the schema over several
 * fields wait until the whole form can be parsed.
 */
export function stepErrors(schema: z.ZodTypeAny, step: Part, values: unknown): Record<string, string> {
  const errors = ownErrors(schema, step, values)
  if (Object.keys(errors).length > 0 || !step.rule) return errors
  const fields = Object.fromEntries(step.fields.map((field) => [field, true as const]))
  const { rule } = step
  return ownErrors(
    objectOf(schema)
      .pick(fields)
      .superRefine((own, issues) => rule(own, issues)),
    step,
    values,
  )
}

function ownErrors(schema: z.ZodTypeAny, { fields }: Part, values: unknown): Record<string, string> {
  const result = parseForm(schema, values)
  if (result.ok) return {}
  return Object.fromEntries(Object.entries(result.errors).filter(([name]) => ownsField(fields, name)))
}

/** The object inside a schema with rules. */
function objectOf(schema: z.ZodTypeAny): z.AnyZodObject {
  if (schema instanceof z.ZodEffects) return objectOf(schema.innerType())
  if (schema instanceof z.ZodObject) return schema
  throw new Error('The schema of a form in steps is an object, with or without rules.')
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
