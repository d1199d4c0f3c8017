/**
 * The console's forms: fields of ui/fields.tsx, which remix-validated-form checks in the browser with the service's
 * schema.
 */
import { useActionData } from '@remix-run/react'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { useField, useFormContext, ValidatedForm } from 'remix-validated-form'
import type { z } from 'zod'
import type { Refused } from '~/forms/refused.ts'
import { useShell } from '../layout/shell.ts'
import { type FieldBinding, fieldBinding } from '../ui/fields.tsx'
import { FormErrors } from '../ui/form.tsx'
import { type DraftOfForm, FormDraft } from './drafts/form-draft.tsx'
import type { RestoredDraft } from './drafts/view.ts'
import { type NeededPart, validatorOf } from './form-validator.ts'
import { TokenField } from './fresh-token.tsx'
import { usePosted } from './submit-button.tsx'
import { type Guard, UnsavedGuard } from './unsaved-guard.tsx'

/** A form that an action returned, in the shape of http/respond.server.ts. */
type ReturnedForm = Refused &
  Partial<RestoredDraft> & {
    repeated?: Record<string, string[]>
    formId?: string
    csrf: string
    /** Not a refusal: previews of rich text, requested without JavaScript (http/markdown-preview.server.ts). */
    previews?: Record<string, string>
    /** Not a refusal: the step of the form that opens now (http/form-steps.server.ts). */
    step?: string
  }

/** Gives parts of a form, such as its tabs, the schema of the whole form. */
const schemaContext = createContext<z.ZodTypeAny | null>(null)

/** The names of the fields of the surrounding form that have been changed or left. */
const touchedFields = createContext<Set<string>>(new Set())

/** The values of the surrounding form as its last answer has them; null without an answer. */
const answeredValues = createContext<Record<string, unknown> | null>(null)

export function useFormSchema(): z.ZodTypeAny {
  const schema = useContext(schemaContext)
  if (!schema) throw new Error('This part belongs inside a ConsoleForm.')
  return schema
}

/** Returns the error messages of the surrounding form, by field name. */
export function useFieldErrors(): Record<string, string> {
  return useFormContext().fieldErrors
}

/**
 * Returns what the action refused of the form with this id, or of any form if `formId` is missing. Works with and
 * without JavaScript. Undefined if nothing was refused.
 */
export function useRefusal(formId?: string): ReturnedForm | undefined {
  const answer = useActionData<Partial<ReturnedForm> | null>()
  if (!answer?.fieldErrors || answer.message === undefined) return undefined
  if (formId !== undefined && answer.formId !== undefined && answer.formId !== formId) return undefined
  return answer as ReturnedForm
}

type FormProps = {
  /** Unique on the page. Buttons in a dialog's footer refer to it with `form={id}`. */
  id: string
  /** The schema of app/forms that the service parses with. */
  schema: z.ZodTypeAny
  defaults?: Record<string, unknown>
  action?: string
  /** Asks before unsaved changes are left. The words appear in the question: "creating the module". */
  guard?: Guard
  /** Keeps what is typed as a draft of its author, and offers it later. */
  draft?: DraftOfForm
  encType?: 'multipart/form-data'
  /**
   * The intent that Enter in a field sends, as the form's main button does. With null, Enter presses the form's first
   * button.
   */
  intent?: string | null
  /** Blocks sending while true, such as during an upload. */
  isWaiting?: boolean
  /** Returns the part of the form that an intent needs, if it does not need all of it: "Next" needs its step. */
  neededBy?: (intent: string) => NeededPart
  className?: string
  children: ReactNode
}

/** The time in milliseconds until the router reports a post that has just been sent. */
const untilKnown = 500

/**
 * A form of the console. The browser checks it with the service's schema; without JavaScript only the server does. A
 * refused form comes back with the values that were typed. Pressing its button or Enter repeatedly sends it only once.
 */
export function ConsoleForm(props: FormProps) {
  const {
    id,
    schema,
    defaults = {},
    action,
    guard,
    draft,
    encType,
    intent = 'save',
    isWaiting = false,
    className,
  } = props
  const { csrf } = useShell()
  const isPosting = usePosted() !== null
  const sentAt = useRef(0)
  const refusal = useRefusal(id)
  useEffect(() => {
    // The last post has been answered.
    if (refusal || !isPosting) sentAt.current = 0
  }, [isPosting, refusal])
  const neededBy = useRef(props.neededBy)
  neededBy.current = props.neededBy
  const touched = useRef(new Set<string>())
  const marked = useRef<Record<string, string>>({})
  marked.current = useFormContext(id).fieldErrors
  const validator = useMemo(() => {
    // Once a form has been sent, also by Next, a change of one field would mark all others that are not filled in yet.
    const markedOrTouched = () => ({ fields: [...touched.current, ...Object.keys(marked.current)] })
    return validatorOf(schema, (intent) => {
      if (!neededBy.current) return undefined
      return neededBy.current(intent) ?? (intent === '' ? markedOrTouched() : undefined)
    })
  }, [schema])
  const isRefused = refusal && (refusal.message !== '' || Object.keys(refusal.fieldErrors).length > 0)
  // The defaults are not merged in: an unticked box is missing from the values that were sent.
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
      {/* On Enter, browsers press the first button of a form, whatever it does. */}
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
        <answeredValues.Provider value={refusal ? values : null}>
          <touchedFields.Provider value={touched.current}>
            <fieldBinding.Provider value={useConsoleField}>
              <TokenField token={refusal?.csrf || csrf} isSignedOut={refusal?.isSignedOut ?? false} />
              {isRefused && <MarkedErrors refusal={refusal} />}
              {refusal?.previews && <p className="notice">This is a preview. Nothing has been saved yet.</p>}
              {draft && <FormDraft {...draft} returned={refusal} />}
              {props.children}
              {guard && <UnsavedGuard {...guard} isUnsaved={refusal !== undefined || draft?.isContinued === true} />}
            </fieldBinding.Provider>
          </touchedFields.Provider>
        </answeredValues.Provider>
      </schemaContext.Provider>
    </ValidatedForm>
  )
}

/** Sums up what was refused. It counts the fields that are marked now, since some may have been corrected. */
function MarkedErrors({ refusal }: { refusal: ReturnedForm }) {
  const marked = Object.keys(useFieldErrors()).length
  const counted = useRef<ReturnedForm>()
  // In the first render after a post the form has not marked its fields yet.
  if (marked > 0) counted.current = refusal
  return <FormErrors refusal={refusal} marked={counted.current === refusal ? marked : undefined} />
}

/** Connects the fields of a ConsoleForm to remix-validated-form. */
const useConsoleField: FieldBinding = (name, { focus }) => {
  // The server's error stays until the field changes. If leaving the field cleared it, the content below would move.
  const isRefused = useRefusal()?.fieldErrors[name] !== undefined
  const { error, defaultValue, clearError, validate, getInputProps } = useField(name, {
    handleReceiveFocus: focus,
    ...(isRefused && { validationBehavior: { initial: 'onChange' } }),
  })
  const { onChange, onBlur } = getInputProps<{ onChange: () => void; onBlur: () => void }>({})
  const touched = useContext(touchedFields)
  const touching = (then: () => void) => () => {
    touched.add(name)
    then()
  }
  // A field that an answer has added is rendered before the form's store has the values of that answer.
  const answered = useContext(answeredValues)?.[name]
  return {
    error,
    defaultValue: defaultValue ?? answered,
    clearError,
    validate: touching(validate),
    onChange: touching(onChange),
    onBlur: touching(onBlur),
  }
}
