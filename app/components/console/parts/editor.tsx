import { useLoaderData } from '@remix-run/react'
import { partEditorForm } from '~/forms/parts.ts'
import { TextField } from '../../ui/fields.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { MarkdownField } from '../markdown-field.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { Received } from './received.tsx'

const formId = 'part-editor'

/** Shows rich text in a form. Only admins can upload pictures for messages. */
export function EditorExample() {
  const { canUpload } = useLoaderData<{ canUpload: boolean }>()
  return (
    <div className="max-w-3xl">
      <h1 className="mb-6">Rich text</h1>
      <Received />
      <ConsoleForm
        id={formId}
        schema={partEditorForm}
        guard={{ noun: 'message', mode: 'creating' }}
        className="formstack"
      >
        <TextField name="subject" label="Subject" maxLength={60} hasCounter />
        <MarkdownField
          name="text"
          label="Message text"
          hint="Learners see it on their home page."
          maxLength={2000}
          canUpload={canUpload}
        />
        <p>
          <SubmitButton className="btn--primary" intent="save" busyWord="Saving">
            Save
          </SubmitButton>
        </p>
      </ConsoleForm>
    </div>
  )
}
