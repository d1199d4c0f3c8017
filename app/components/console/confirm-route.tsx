import type { ReactNode } from 'react'
import { z } from 'zod'
import type { Tone } from './confirm-dialog.tsx'
import { ConsoleForm } from './fields.tsx'
import { CloseLink, RouteDialog } from './route-dialog.tsx'

type Props = {
  title: string
  question: ReactNode
  actionLabel: string
  tone?: Tone
  closeTo: string
  /** Hidden fields that go with the answer. */
  fields?: Record<string, string>
  intent?: string
}

const nothing = z.object({})

/** A question as a route, posted to its action; works without JavaScript. */
export function ConfirmRoute({
  title,
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
      size="md"
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <button className={`btn btn--${tone}`} type="submit" form="confirm" name="intent" value={intent}>
            {actionLabel}
          </button>
        </span>
      }
    >
      <ConsoleForm id="confirm" schema={nothing} className="formstack">
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div>{question}</div>
      </ConsoleForm>
    </RouteDialog>
  )
}
