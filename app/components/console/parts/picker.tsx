import { useActionData, useLoaderData } from '@remix-run/react'
import { z } from 'zod'
import { pickedField } from '~/forms/picked.ts'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { Picker } from '../picker/picker.tsx'
import type { PickerView } from '../picker/view.ts'
import { SubmitButton } from '../submit-button.tsx'

export const mostPicked = 25
export const pickerExampleForm = z.object({
  chosen: pickedField({ most: mostPicked, required: 'Please choose at least one module' }),
})

const formId = 'picker'

/** Shows the picker with modules of the site. It saves nothing; the page shows what the server received. */
export function PickerExample() {
  const view = useLoaderData<PickerView>()
  const answer = useActionData<{ picker?: PickerView } | null>()
  const refusal = useRefusal(formId)
  return (
    <>
      <h1>Two-list picker</h1>
      <p className="muted">Choose up to {mostPicked} modules. You can choose only published ones.</p>
      <ConsoleForm id={formId} schema={pickerExampleForm} intent={null} guard={{ noun: 'list', mode: 'editing' }}>
        <Picker
          name="chosen"
          view={answer?.picker ?? view}
          most={mostPicked}
          noun={['module', 'modules']}
          source="/dashboard/parts/picker/"
          error={refusal?.fieldErrors.chosen}
        />
        <p>
          <SubmitButton form={formId} intent="save" className="btn--primary" busyWord="Saving">
            Save
          </SubmitButton>
        </p>
      </ConsoleForm>
    </>
  )
}
