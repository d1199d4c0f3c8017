/** The forms of the console: the fields of ui/fields.tsx, checked in the browser by remix-validated-form with the schema of the service. */
import { useActionData } from '@remix-run/react'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { useField, useFormContext, ValidatedForm } from 'remix-validated-form'
import type { z } from 'zod'
import type { Refused } from '~/forms/refused.ts'
import { useShell } from '../layout/shell.ts'
import { type FieldBinding, fieldBinding } from '../ui/fields.tsx'
import { FormErrors } from '../ui/form.tsx'
import { type NeededPart, validatorOf } from './form-validator.ts'
import { TokenField } from './fresh-token.tsx'
import { usePosted } from './submit-button.tsx'
import { UnsavedGuard } from './unsaved-guard.tsx'

/** What an action gave back of a form, in the shape of http/respond.server.ts. */
type ReturnedForm = Refused & {
  repeated?: Record<string, string[]>
  formId?: string
  csrf: string
  /** Nothing was refused: somebody looked at rich text without JavaScript (http/markdown-preview.server.ts). */
  previews?: Record<string, string>
  /** Nothing was refused: this step of the form is open now (http/form-steps.server.ts). */
  step?: string
}

/** What parts of a form, such as its tabs, need of the whole. */
const schemaContext = createContext<z.ZodTypeAny | null>(null)

export function useFormSchema(): z.ZodTypeAny {
  const schema = useContext(schemaContext)
  if (!schema) throw new Error('This part belongs inside a ConsoleForm.')
  return schema
}

/** The messages beside the fields of the form around, by name. */
export function useFieldErrors(): Record<string, string> {
  return useFormContext().fieldErrors
}

/** What the action gave back of the form with this id, or of any, with or without JavaScript; undefined where all is well. */
export function useRefusal(formId?: string): ReturnedForm | undefined {
  const answer = useActionData<Partial<ReturnedForm> | null>()
  if (!answer?.fieldErrors || answer.message === undefined) return undefined
  if (formId !== undefined && answer.formId !== undefined && answer.formId !== formId) return undefined
  return answer as ReturnedForm
}

type FormProps = {
  /** Unique on the page; the buttons of a dialog's footer name it by `form={id}`. */
  id: string
  /** The schema of app/forms that the service parses with. */
  schema: z.ZodTypeAny
  defaults?: Record<string, unknown>
  action?: string
  /** Asks before unsaved changes are left: the question says "creating the module". */
  guard?: { noun: string; mode: 'creating' | 'editing' }
  encType?: 'multipart/form-data'
  /** What Enter in a field sends: the same as the form's main button. With null it is the form's first button, such as that of a search. */
  intent?: string | null
  /** While it is true nothing can be sent, as during an upload. */
  isWaiting?: boolean
  /** The part of the form that an intent needs, if it does not need all of it: "Next" needs its step. */
  neededBy?: (intent: string) => NeededPart
  className?: string
  children: ReactNode
}

/** How long it may take, in milliseconds, until a post that was sent is known to be on its way. */
const untilKnown = 500

/**
 * A form of the console: checked in the browser by the schema that the service uses, and by the server where there is no
 * JavaScript. What was refused comes back with what was typed. It is sent once, however often its button or Enter is pressed.
 */
export function ConsoleForm(props: FormProps) {
  const { id, schema, defaults = {}, action, guard, encType, intent = 'save', isWaiting = false, className } = props
  const { csrf } = useShell()
  const isPosting = usePosted() !== null
  const sentAt = useRef(0)
  const refusal = useRefusal(id)
  useEffect(() => {
    // Whatever was sent has been answered.
    if (refusal || !isPosting) sentAt.current = 0
  }, [isPosting, refusal])
  const neededBy = useRef(props.neededBy)
  neededBy.current = props.neededBy
  const validator = useMemo(() => validatorOf(schema, (intent) => neededBy.current?.(intent)), [schema])
  const isRefused = refusal && (refusal.message !== '' || Object.keys(refusal.fieldErrors).length > 0)
  // Not merged: a box that was unticked is simply not among what was sent.
  const values = refusal ? { ...refusal.values, ...refusal.repeated } : defaults
  return (
    <ValidatedForm
      id={id}
      validator={validator}
      defaultValues={values}
      method="post"
      action={action}
      encType={encType}
      className={className}
      noValidate
      preventScrollReset
      onSubmit={(_, event) => {
        if (isWaiting || isPosting || Date.now() - sentAt.current < untilKnown) event.preventDefault()
        else sentAt.current = Date.now()
      }}
    >
      {/* Browsers press the first button of a form at Enter, whatever that does. */}
      {intent !== null && (
        <button
          className="sr-only"
          type="submit"
          name="intent"
          value={intent}
          disabled={isWaiting}
          tabIndex={-1}
          aria-hidden="true"
        />
      )}
      <schemaContext.Provider value={schema}>
        <fieldBinding.Provider value={useConsoleField}>
          <TokenField token={refusal?.csrf || csrf} isSignedOut={refusal?.isSignedOut ?? false} />
          {isRefused && <FormErrors refusal={refusal} />}
          {refusal?.previews && <p className="notice">This is a preview. Nothing has been saved yet.</p>}
          {props.children}
          {guard && <UnsavedGuard {...guard} isUnsaved={refusal !== undefined} />}
        </fieldBinding.Provider>
      </schemaContext.Provider>
    </ValidatedForm>
  )
}

/** How the fields of a ConsoleForm learn what the library knows of them. */
const useConsoleField: FieldBinding = (name, { focus }) => {
  // What the server refused stands until the field is changed: merely leaving the field would take it away, and move what is below.
  const isRefused = useRefusal()?.fieldErrors[name] !== undefined
  const { error, defaultValue, clearError, validate, getInputProps } = useField(name, {
    handleReceiveFocus: focus,
    ...(isRefused && { validationBehavior: { initial: 'onChange' } }),
  })
  const { onChange, onBlur } = getInputProps<{ onChange: () => void; onBlur: () => void }>({})
  return { error, defaultValue, clearError, validate, onChange, onBlur }
}
