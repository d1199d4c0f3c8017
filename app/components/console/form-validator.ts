/** How a ConsoleForm checks itself in the browser. */
import { withZod } from '@remix-validated-form/with-zod'
import type { Validator } from 'remix-validated-form'
import type { z } from 'zod'
import { discardDraft, restoreDraft } from '~/forms/draft-fields.ts'
import { previewIntent } from '~/forms/intents.ts'
import { formValues, ownsField, type StepRule, stepErrors } from '~/forms/steps.ts'

/** The part of a form that an intent needs, such as "Next" its step. Undefined if it needs the whole form. */
export type NeededPart = Pick<StepRule, 'fields' | 'rule'> | undefined

/** Wraps the schema as the library expects it. What an intent does not need is not checked. */
export function validatorOf(
  schema: z.ZodTypeAny,
  neededBy: (intent: string) => NeededPart,
): Validator<Record<string, unknown>> {
  const whole = withZod(schema)
  return {
    ...whole,
    validate: async (form) => {
      const result = await whole.validate(form)
      if (!result.error || !(form instanceof FormData)) return result
      const intent = String(form.get('intent') ?? '')
      const needed = [previewIntent, restoreDraft, discardDraft].includes(intent) ? { fields: [] } : neededBy(intent)
      if (!needed) return result
      const own = Object.entries(result.error.fieldErrors).filter(([name]) => ownsField(needed.fields, name))
      const errors = own.length > 0 ? Object.fromEntries(own) : stepErrors(schema, needed, formValues(form))
      if (Object.keys(errors).length === 0) return { ...result, error: undefined, data: {} }
      return { ...result, error: { ...result.error, fieldErrors: errors } }
    },
  }
}
