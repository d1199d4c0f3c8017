/** What the browser checks of a console form, by the button that sends it. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type NeededPart, validatorOf } from '~/components/console/form-validator.ts'
import { previewIntent } from '~/forms/intents.ts'
import { partSteps, partStepsForm } from '~/forms/parts.ts'
import { textField } from '~/forms/text.ts'

function formOf(values: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) form.append(name, value)
  return form
}

async function errorsOf(schema: z.ZodTypeAny, values: Record<string, string>, needed?: NeededPart) {
  const { error } = await validatorOf(schema, () => needed).validate(formOf(values))
  return error?.fieldErrors
}

test('Preview checks nothing, and any other button the whole form', async () => {
  const schema = z.object({ title: textField({ max: 20, required: 'A title is required' }), text: z.string() })
  expect(await errorsOf(schema, { intent: previewIntent, title: '', text: '**bold**' })).toBeUndefined()
  expect(await errorsOf(schema, { intent: 'save', title: '', text: '' })).toEqual({ title: 'A title is required' })
})

test('Next checks its step with the rule of the step, while other steps are still empty', async () => {
  const schema = partStepsForm('UTC')
  const [text, , time] = partSteps
  const values = { intent: 'next', title: '', sendAt: '2026-12-02T10:00', expiresAt: '2026-12-01T10:00' }
  expect(await errorsOf(schema, values, text)).toEqual({ title: 'A title is required' })
  expect(await errorsOf(schema, values, time)).toEqual({ expiresAt: 'Please choose a time after the first one' })
  expect(await errorsOf(schema, { ...values, expiresAt: '2026-12-03T10:00' }, time)).toBeUndefined()
})
