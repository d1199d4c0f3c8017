import { data, redirect } from '@remix-run/node'
import type { z } from 'zod'
import { formValues, indexOfStep, nextStep, previousStep, type StepRule, stepErrors, stepField } from '~/forms/steps.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, ServiceError } from '~/services/errors.ts'
import type { Exchange } from './exchange.server.ts'
import { type Refusal, refusalOf, text } from './respond.server.ts'

type FormInSteps = {
  steps: readonly StepRule[]
  /** Of the whole form. */
  schema: z.ZodTypeAny
  /** Stores what the form holds so far, and returns the address at which it can be continued. */
  saveDraft: (form: FormData) => Promise<string>
}

/**
 * Answers the buttons Next and Back of a form in steps (components/console/steps.tsx); null for any other, which the action answers itself.
 * Next checks the step, saves the draft and opens the next one. Back loses nothing: a draft that cannot be saved as it is goes along in the form.
 */
export async function answerStep(
  args: { context: { exchange: Exchange } },
  ctx: Ctx,
  form: FormData,
  { steps, schema, saveDraft }: FormInSteps,
): Promise<Response | ReturnType<typeof data<Refusal & { step: string }>> | null> {
  const intent = text(form, 'intent')
  if (intent !== nextStep && intent !== previousStep) return null
  const from = indexOfStep(steps, text(form, stepField))
  const step = steps[from]
  if (!step) return null
  const isNext = intent === nextStep
  if (isNext) {
    const errors = stepErrors(schema, step, formValues(form))
    if (Object.keys(errors).length > 0) throw new Invalid(Object.values(errors)[0] ?? '', errors)
  }
  const to = (steps[from + (isNext ? 1 : -1)] ?? step).id
  try {
    const address = new URL(await saveDraft(form), 'http://site')
    address.searchParams.set(stepField, to)
    return redirect(address.pathname + address.search)
  } catch (error) {
    if (isNext || !(error instanceof ServiceError)) throw error
    return data({ ...(await refusalOf(ctx, args.context.exchange, form, { message: '' })), step: to })
  }
}
