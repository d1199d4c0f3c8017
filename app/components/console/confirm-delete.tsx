import { type ReactNode, useRef } from 'react'
import { confirmationWord, confirmDeleteForm } from '~/forms/confirm.ts'
import { TextField } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { HiddenFields } from './confirm-route.tsx'
import { ConsoleForm } from './console-form.tsx'
import { ConsoleIcon } from './console-icon.tsx'
import { CloseLink, RouteDialog } from './route-dialog.tsx'
import { SubmitButton } from './submit-button.tsx'

type Props = {
  title: string
  question: ReactNode
  /** What will be lost, one sentence each. */
  warnings: ReactNode[]
  closeTo: string
  actionLabel?: string
  /** Hidden fields that are sent with the form. */
  fields?: Record<string, string | string[]>
}

/**
 * A dialog that asks for the word DELETE before it removes something. The route's action parses with
 * `confirmDeleteForm`. If the action refuses, the dialog stays open and shows why.
 */
export function ConfirmDelete({ title, question, warnings, closeTo, actionLabel = 'Remove', fields = {} }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <RouteDialog
      title={title}
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={input}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--danger" form="confirm-delete" intent="delete" busyWord="Removing">
            <ConsoleIcon name="trash" />
            {actionLabel}
          </SubmitButton>
        </span>
      }
    >
      <ConsoleForm id="confirm-delete" intent="delete" schema={confirmDeleteForm} className="formstack">
        <HiddenFields fields={fields} />
        <div className="dlg-question">{question}</div>
        {warnings.length > 0 && (
          <div className="notice notice--warning">
            <Icon name="alert" />
            <ul className="formstack">
              {warnings.map((warning, index) => (
                <li key={index}>{warning}</li>
              ))}
            </ul>
          </div>
        )}
        <TextField name="confirmation" label={`Type ${confirmationWord} to confirm`} maxLength={50} inputRef={input} />
      </ConsoleForm>
    </RouteDialog>
  )
}
