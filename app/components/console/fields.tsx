import { useActionData } from '@remix-run/react'
import { withZod } from '@remix-validated-form/with-zod'
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useField, ValidatedForm } from 'remix-validated-form'
import type { z } from 'zod'
import type { Refused } from '~/forms/refused.ts'
import { useShell } from '../layout/shell.ts'
import { described, FieldError, FormErrors, useHydrated } from '../ui/form.tsx'
import { TokenField } from './fresh-token.tsx'
import { usePosted } from './submit-button.tsx'
import { UnsavedGuard } from './unsaved-guard.tsx'

/** The refusal of one of the page's forms, in the shape of http/respond.server.ts. */
type ConsoleRefusal = Refused & {
  repeated?: Record<string, string[]>
  formId?: string
  csrf: string
  /** Nothing was refused: somebody looked at rich text without JavaScript (http/markdown-preview.server.ts). */
  previews?: Record<string, string>
}

/** What parts of a form, such as its tabs, need of the whole. */
const schemaContext = createContext<z.ZodTypeAny | null>(null)

export function useFormSchema(): z.ZodTypeAny {
  const schema = useContext(schemaContext)
  if (!schema) throw new Error('This part belongs inside a ConsoleForm.')
  return schema
}

/** What the action refused of the form with this id, or of any, with or without JavaScript; undefined where all is well. */
export function useRefusal(formId?: string): ConsoleRefusal | undefined {
  const answer = useActionData<Partial<ConsoleRefusal> | null>()
  if (!answer?.fieldErrors || answer.message === undefined) return undefined
  if (formId !== undefined && answer.formId !== undefined && answer.formId !== formId) return undefined
  return answer as ConsoleRefusal
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
  /** What Enter in a field sends, where the form's first button does something else. */
  enter?: { intent: string; disabled?: boolean }
  className?: string
  children: ReactNode
}

/** A second press within this time, in milliseconds, is one too many: the first may not be known yet. */
const doublePress = 500

/**
 * A form of the console: checked in the browser by the schema that the service uses, and by the server where there is no
 * JavaScript. What was refused comes back with what was typed.
 */
export function ConsoleForm(props: FormProps) {
  const { id, schema, defaults = {}, action, guard, encType, enter, className, children } = props
  const { csrf } = useShell()
  const isPosting = usePosted() !== null
  const sentAt = useRef(0)
  const refusal = useRefusal(id)
  useEffect(() => {
    // Whatever was sent has been answered.
    if (refusal || !isPosting) sentAt.current = 0
  }, [isPosting, refusal])
  const validator = useMemo(() => withZod(schema), [schema])
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
        if (isPosting || Date.now() - sentAt.current < doublePress) event.preventDefault()
        else sentAt.current = Date.now()
      }}
    >
      {enter && (
        // Browsers press the first button of a form at Enter.
        <button
          className="sr-only"
          type="submit"
          name="intent"
          value={enter.intent}
          disabled={enter.disabled}
          tabIndex={-1}
          aria-hidden="true"
        />
      )}
      <schemaContext.Provider value={schema}>
        <TokenField token={refusal?.csrf || csrf} isSignedOut={refusal?.isSignedOut ?? false} />
        {refusal && !refusal.previews && <FormErrors refusal={refusal} />}
        {refusal?.previews && <p className="notice">This is a preview. Nothing has been saved yet.</p>}
        {children}
        {guard && <UnsavedGuard {...guard} isUnsaved={refusal !== undefined} />}
      </schemaContext.Provider>
    </ValidatedForm>
  )
}

type FieldProps = {
  name: string
  label: string
  hint?: ReactNode
  isOptional?: boolean
}

/** A label with what stands beside it, a hint, the control itself and its error. */
export function Field({ id, label, hint, isOptional, aside, error, children }: FieldFrame) {
  return (
    <div className="field">
      <div className="fieldhead">
        <label htmlFor={id}>
          {label}
          {isOptional && <span className="opt"> (optional)</span>}
        </label>
        {aside}
      </div>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {children}
      <FieldError id={id} error={error} />
    </div>
  )
}

type FieldFrame = Omit<FieldProps, 'name'> & { id: string; aside?: ReactNode; error?: string; children: ReactNode }

/** What says to a control's reader what belongs to it. */
export function controlProps(
  id: string,
  { error, hint, isOptional }: Pick<FieldFrame, 'error' | 'hint' | 'isOptional'>,
) {
  return {
    id,
    'aria-required': isOptional ? undefined : (true as const),
    ...described(id, { error, hint: hint ? 'hint' : undefined }),
  }
}

/** What the server refused stands until the field is changed: merely to leave the field would take it away, and move what is below. */
function useRefusedField(name: string) {
  const isRefused = useRefusal()?.fieldErrors[name] !== undefined
  return useField(name, isRefused ? { validationBehavior: { initial: 'onChange' } } : undefined)
}

type TextProps = FieldProps & {
  type?: 'text' | 'email' | 'url' | 'search'
  maxLength?: number
  hasCounter?: boolean
  autoComplete?: string
  placeholder?: string
  inputRef?: RefObject<HTMLInputElement>
}

export function TextField({
  name,
  label,
  hint,
  isOptional,
  hasCounter,
  maxLength,
  type = 'text',
  inputRef,
  ...input
}: TextProps) {
  const id = useId()
  const { error, getInputProps, defaultValue } = useRefusedField(name)
  const { length, onChange } = useLength(defaultValue)
  return (
    <Field
      {...{ id, label, hint, isOptional, error }}
      aside={hasCounter && <Counter length={length} max={maxLength} />}
    >
      <input
        {...getInputProps({ ...input, onChange })}
        {...controlProps(id, { error, hint, isOptional })}
        ref={inputRef}
        className="input"
        type={type}
        maxLength={maxLength}
        autoComplete={input.autoComplete ?? 'off'}
      />
    </Field>
  )
}

type AreaProps = FieldProps & { maxLength?: number; rows?: number; hasCounter?: boolean }

export function TextArea({ name, label, hint, isOptional, maxLength, rows = 4, hasCounter = true }: AreaProps) {
  const id = useId()
  const { error, getInputProps, defaultValue } = useRefusedField(name)
  const { length, onChange } = useLength(defaultValue)
  return (
    <Field
      {...{ id, label, hint, isOptional, error }}
      aside={hasCounter && <Counter length={length} max={maxLength} />}
    >
      <textarea
        {...getInputProps({ onChange })}
        {...controlProps(id, { error, hint, isOptional })}
        className="input"
        rows={rows}
        maxLength={maxLength}
      />
    </Field>
  )
}

function useLength(initial: unknown) {
  const [length, setLength] = useState(typeof initial === 'string' ? [...initial].length : 0)
  const onChange = (event: { currentTarget: { value: string } }) => setLength([...event.currentTarget.value].length)
  return { length, onChange }
}

/** It counts only in the browser: without JavaScript it would stand still. */
function Counter({ length, max }: { length: number; max?: number }) {
  if (!useHydrated() || max === undefined) return null
  return (
    <span className="counter" aria-hidden="true">
      {length} / {max}
    </span>
  )
}

export type Option = { value: string; label: string }

type SelectProps = FieldProps & { options: Option[]; placeholder?: string }

/** `placeholder` is the choice of nothing. */
export function SelectField({ name, label, hint, isOptional, options, placeholder }: SelectProps) {
  const id = useId()
  const { error, getInputProps } = useRefusedField(name)
  return (
    <Field {...{ id, label, hint, isOptional, error }}>
      <select {...getInputProps({})} {...controlProps(id, { error, hint, isOptional })} className="input">
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        <Options options={options} />
      </select>
    </Field>
  )
}

export function Options({ options }: { options: Option[] }) {
  return options.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ))
}

/** Sends `on` when ticked, nothing when not. */
export function CheckboxField({ name, label, hint }: Omit<FieldProps, 'isOptional'>) {
  const id = useId()
  const { error, getInputProps } = useRefusedField(name)
  return (
    <div>
      <label className="tick">
        <input
          {...getInputProps({ type: 'checkbox', value: 'on' })}
          {...controlProps(id, { error, hint, isOptional: true })}
        />
        <span>
          {label}
          {hint && (
            <span className="hint" id={`${id}-hint`}>
              {hint}
            </span>
          )}
        </span>
      </label>
      <FieldError id={id} error={error} />
    </div>
  )
}
