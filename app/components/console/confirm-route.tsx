import type { ReactNode } from 'react'
import { z } from 'zod'
import type { Tone } from './confirm-dialog.tsx'
import { ConsoleForm } from './console-form.tsx'
import { CloseLink, RouteDialog } from './route-dialog.tsx'
import { SubmitButton } from './submit-button.tsx'

type Props = {
  title: string
  size?: 'md' | 'lg'
  question: ReactNode
  actionLabel: string
  tone?: Tone
  closeTo: string
  /** Hidden fields that are sent with the answer. */
  fields?: Record<string, string | string[]>
  intent?: string
}

/** The schema of a form that has only buttons. */
export const nothingTyped = z.object({})

/**
 * A question with an address of its own. The answer is posted to the route's action, so it works without JavaScript.
 */
export function ConfirmRoute({
  title,
  size = 'md',
  question,
  actionLabel,
  tone = 'primary',
  closeTo,
  fields = {},
  intent = 'confirm',
}: Props) {
  return (
    <RouteDialog
      title={title}
      size={size}
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className={`btn--${tone}`} form="confirm" intent={intent} busyWord="Working">
            {actionLabel}
          </SubmitButton>
        </span>
      }
    >
      <ConsoleForm id="confirm" intent={intent} schema={nothingTyped} className="formstack">
        <HiddenFields fields={fields} />
        <div>{question}</div>
      </ConsoleForm>
    </RouteDialog>
  )
}

export function HiddenFields({ fields }: { fields: Record<string, string | string[]> }) {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => <input key={name + value} type="hidden" name={name} value={value} />),
  )
}
