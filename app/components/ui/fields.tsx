/** Fields of forms, on learners' pages and in the console: label, hint, control and error, each known to screen readers. */
import { createContext, type ReactNode, type RefObject, useContext, useId, useState } from 'react'
import { labelFieldOf } from '~/forms/kept-form.ts'
import { useHydrated } from './form.tsx'
import { Icon } from './icon.tsx'

/** What a form knows of one of its fields. */
type FieldState = {
  error?: string
  /** What the form began with or was refused with: a text, a list of texts, or nothing. */
  defaultValue?: unknown
  /** Takes the message away while the field is being changed. */
  clearError: () => void
  /** Looks at the field again. */
  validate: () => void
  onChange: () => void
  onBlur: () => void
}

/** How a form that checks itself in the browser tells its fields what it knows. `focus` is for fields that no input of their name stands for. */
export type FieldBinding = (name: string, options: { focus?: () => void }) => FieldState

/** None in plain forms: there a field is told by its own properties, and the browser checks what is required. */
export const fieldBinding = createContext<FieldBinding | null>(null)

const nothing = () => {}
const plainField: FieldBinding = () => ({ clearError: nothing, validate: nothing, onChange: nothing, onBlur: nothing })

/** What the form around a field knows of it; in a plain form what the field is given. */
export function useFormField(
  name: string,
  given: { error?: string; defaultValue?: unknown } = {},
  options: { focus?: () => void } = {},
): FieldState & { isBound: boolean } {
  const useBinding = useContext(fieldBinding)
  const state = (useBinding ?? plainField)(name, options)
  return useBinding ? { ...state, isBound: true } : { ...state, ...given, isBound: false }
}

export type FieldProps = {
  name: string
  label: ReactNode
  hint?: ReactNode
  isOptional?: boolean
  /** In a plain form: what was refused, and what the field begins with. */
  error?: string
  defaultValue?: string
}

type FrameProps = Pick<FieldProps, 'label' | 'hint' | 'isOptional' | 'error'> & {
  id: string
  /** The name of a field that people type into: its label goes along, for the page that brings back what was typed. */
  typedName?: string
  /** Beside the label. */
  aside?: ReactNode
  children: ReactNode
}

/** A label with what stands beside it, a hint, the control itself and its error. */
export function Field({ id, label, hint, isOptional, aside, error, typedName, children }: FrameProps) {
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
      {typedName && <LabelToSend name={typedName} label={label} />}
      <FieldError id={id} error={error} />
    </div>
  )
}

/** The same for a group of controls that answer one question. */
export function FieldGroup({ id, label, hint, isOptional, aside, error, children }: Omit<FrameProps, 'typedName'>) {
  return (
    <fieldset className="field" aria-describedby={described(id, { error, hint })['aria-describedby']}>
      <legend className="legend">
        {label}
        {isOptional && <span className="opt"> (optional)</span>}
        {aside}
      </legend>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {children}
      <FieldError id={id} error={error} />
    </fieldset>
  )
}

export function FieldError({ id, error }: { id: string; error?: string }) {
  if (!error) return null
  return (
    <p className="error" id={`${id}-error`}>
      <Icon name="alert" />
      {error}
    </p>
  )
}

/** Ties a control to its hint and its error. */
export function described(id: string, parts: { error?: string; hint?: ReactNode; also?: string }) {
  const ids = [parts.hint && `${id}-hint`, parts.also, parts.error && `${id}-error`].filter(Boolean).join(' ')
  return { 'aria-invalid': parts.error ? (true as const) : undefined, 'aria-describedby': ids || undefined }
}

/** Id, description and the mark of a required field. Only where the browser itself checks is that its own `required`. */
export function controlProps(
  id: string,
  field: { error?: string; hint?: ReactNode; isOptional?: boolean; isBound?: boolean; also?: string },
) {
  const { error, hint, isOptional, isBound = true, also } = field
  const isRequired = isOptional ? undefined : (true as const)
  return {
    id,
    ...(isBound ? { 'aria-required': isRequired } : { required: isRequired }),
    ...described(id, { error, hint, also }),
  }
}

/** Only without scripts, where a post may meet an ended session and come back as a page of its own (console/kept-form.tsx). */
function LabelToSend({ name, label }: { name: string; label: ReactNode }) {
  const isBound = useContext(fieldBinding) !== null
  const isHydrated = useHydrated()
  if (!isBound || isHydrated || typeof label !== 'string') return null
  return <input type="hidden" name={labelFieldOf(name)} value={label} />
}

type TextProps = FieldProps & {
  type?: 'text' | 'email' | 'url' | 'search'
  maxLength?: number
  hasCounter?: boolean
  autoComplete?: string
  inputMode?: 'decimal' | 'numeric'
  placeholder?: string
  /** Stands behind the input and is read with it: `%`. */
  unit?: string
  inputRef?: RefObject<HTMLInputElement>
}

export function TextField(props: TextProps) {
  const { name, label, hint, isOptional, hasCounter, maxLength, type = 'text', unit, inputRef, ...input } = props
  const id = useId()
  const field = useFormField(name, props)
  const { error, defaultValue, isBound } = field
  const { length, onChange } = useLength(defaultValue)
  const control = (
    <input
      {...controlProps(id, { error, hint, isOptional, isBound, also: unit && `${id}-unit` })}
      ref={inputRef}
      className="input"
      name={name}
      type={type}
      defaultValue={defaultValue as string | undefined}
      maxLength={maxLength}
      // The console asks for things and not for the person who types.
      autoComplete={input.autoComplete ?? (isBound ? 'off' : undefined)}
      inputMode={input.inputMode}
      placeholder={input.placeholder}
      onChange={(event) => {
        onChange(event)
        field.onChange()
      }}
      onBlur={field.onBlur}
      {...(type === 'email' && { autoCapitalize: 'none', spellCheck: false })}
    />
  )
  return (
    <Field
      {...{ id, label, hint, isOptional, error }}
      typedName={name}
      aside={hasCounter && <Counter length={length} max={maxLength} />}
    >
      {unit ? (
        <span className="united">
          {control}
          <span className="unit" id={`${id}-unit`}>
            {unit}
          </span>
        </span>
      ) : (
        control
      )}
    </Field>
  )
}

type NumberProps = Omit<TextProps, 'type' | 'inputMode' | 'hasCounter' | 'maxLength'> & { hasDecimals?: boolean }

/**
 * A number, with its unit behind it. No `type=number`: that input sends nothing instead of what it cannot read, so nobody could say what
 * is wrong. Its schema is `numberField`.
 */
export function NumberField({ hasDecimals = false, ...props }: NumberProps) {
  return <TextField {...props} inputMode={hasDecimals ? 'decimal' : 'numeric'} maxLength={20} />
}

type AreaProps = FieldProps & { maxLength?: number; rows?: number; hasCounter?: boolean }

export function TextArea(props: AreaProps) {
  const { name, label, hint, isOptional, maxLength, rows = 4, hasCounter = true } = props
  const id = useId()
  const field = useFormField(name, props)
  const { error, defaultValue, isBound } = field
  const { length, onChange } = useLength(defaultValue)
  return (
    <Field
      {...{ id, label, hint, isOptional, error }}
      typedName={name}
      aside={hasCounter && <Counter length={length} max={maxLength} />}
    >
      <textarea
        {...controlProps(id, { error, hint, isOptional, isBound })}
        className="input"
        name={name}
        defaultValue={defaultValue as string | undefined}
        rows={rows}
        maxLength={maxLength}
        onChange={(event) => {
          onChange(event)
          field.onChange()
        }}
        onBlur={field.onBlur}
      />
    </Field>
  )
}

function useLength(initial: unknown) {
  const [length, setLength] = useState(typeof initial === 'string' ? [...initial].length : 0)
  const onChange = (event: { currentTarget: { value: string } }) => setLength([...event.currentTarget.value].length)
  return { length, onChange }
}

/** Counts only in the browser: without JavaScript it would stand still. */
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
export function SelectField(props: SelectProps) {
  const { name, label, hint, isOptional, options, placeholder } = props
  const id = useId()
  const { error, defaultValue, isBound, onChange, onBlur } = useFormField(name, props)
  return (
    <Field {...{ id, label, hint, isOptional, error }}>
      <select
        {...controlProps(id, { error, hint, isOptional, isBound })}
        className="input"
        name={name}
        defaultValue={defaultValue as string | undefined}
        onChange={onChange}
        onBlur={onBlur}
      >
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

type CheckboxProps = Pick<FieldProps, 'name' | 'label' | 'hint' | 'error'> & {
  isRequired?: boolean
  defaultChecked?: boolean
  /** Shown as a switch: for what is on or off, such as a setting. */
  isSwitch?: boolean
}

/** Sends `on` when it is ticked and nothing when it is not. Its schema is `tick`. */
export function CheckboxField(props: CheckboxProps) {
  const { name, label, hint, isRequired = false, defaultChecked, isSwitch } = props
  const id = useId()
  const given = { error: props.error, defaultValue: defaultChecked ? 'on' : undefined }
  const { error, defaultValue, isBound, onChange, onBlur } = useFormField(name, given)
  return (
    <div>
      <label className={isSwitch ? 'tick tick--switch' : 'tick'}>
        <input
          {...controlProps(id, { error, hint, isOptional: !isRequired, isBound })}
          type="checkbox"
          role={isSwitch ? 'switch' : undefined}
          name={name}
          defaultChecked={defaultValue === 'on' || defaultValue === true}
          onChange={onChange}
          onBlur={onBlur}
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
