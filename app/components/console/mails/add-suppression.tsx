import { useRef } from 'react'
import { addSuppressionForm } from '~/forms/mails.ts'
import { TextField } from '../../ui/fields.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'

const closeTo = '/dashboard/suppressed/'
const formId = 'add-address'

/** Suppresses an address by hand. */
export function AddSuppression() {
  const input = useRef<HTMLInputElement>(null)
  return (
    <RouteDialog
      title="Add Address"
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={input}
      footer={
        <>
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <span className="end">
            <SubmitButton className="btn--primary" form={formId} intent="add" busyWord="Adding">
              Add
            </SubmitButton>
          </span>
        </>
      }
    >
      <ConsoleForm
        id={formId}
        intent="add"
        schema={addSuppressionForm}
        defaults={{ email: '' }}
        guard={{ noun: 'address', mode: 'creating' }}
        className="formstack"
      >
        <TextField
          name="email"
          label="Email address"
          hint="It gets no mail from this site, not even a link for a new password, until you release it."
          maxLength={254}
          inputRef={input}
        />
      </ConsoleForm>
    </RouteDialog>
  )
}
