/** Form fields for learner pages and the console: label, hint, control and error, all linked for screen readers. */
import { createContext, type ReactNode, type RefObject, useContext, useEffect, useId, useRef, useState } from 'react'
import { labelFieldOf } from '~/forms/kept-form.ts'
import { useHydrated } from './form.tsx'
import { Icon } from './icon.tsx'

/** The state of one field in its form. */
type FieldState = {
  error?: string
  /** The initial or refused value: a text, a list of texts, or nothing. */
  defaultValue?: unknown
  /** Removes the error message, when the field changes. */
  clearError: () => void
  /** Checks the field again. */
  validate: () => void
  onChange: () => void
  onBlur: () => void
}

/** Connects fields to a form that is checked in the browser. `focus` is for fields without an input of their name. */
export type FieldBinding = (name: string, options: { focus?: () => void }) => FieldState

/** Null in plain forms, where a field gets its state from its props, and the browser checks required fields. */
export const fieldBinding = createContext<FieldBinding | null>(null)

const nothing = () => {}
const plainField: FieldBinding = () => ({ clearError: nothing, validate: nothing, onChange: nothing, onBlur: nothing })

/** Returns the field's state from the form around it or, in a plain form, from `given`. */
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
  /** For plain forms: the error and the initial value. */
  error?: string
  defaultValue?: string
}

export type FrameProps = Pick<FieldProps, 'label' | 'hint' | 'isOptional' | 'error'> & {
  id: string
  /** The name of a field that people type into. Its label is sent too, for the page that shows kept values. */
  typedName?: string
  /** Content beside the label. */
  aside?: ReactNode
  children: ReactNode
}

/** A label, a hint, the control and its error. */
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

export function FieldError({ id, error }: { id: string; error?: string }) {
  const line = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (error === undefined) return
    // A wrong field takes the focus before its message is there, so the message can be below the edge of the dialog.
    const field = line.current?.closest('.field')
    if (field?.contains(document.activeElement)) line.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  if (!error) return null
  return (
    <p ref={line} className="error" id={`${id}-error`}>
      <Icon name="alert" />
      {error}
    </p>
  )
}

/** Returns the attributes that link a control to its hint and its error. */
export function described(id: string, parts: { error?: string; hint?: ReactNode; also?: string }) {
  const ids = [parts.hint && `${id}-hint`, parts.also, parts.error && `${id}-error`].filter(Boolean).join(' ')
  return { 'aria-invalid': parts.error ? (true as const) : undefined, 'aria-describedby': ids || undefined }
}

/**
 * Returns the id, the description and the required mark of a control: `required` in plain forms, else `aria-required`.
 */
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

/**
 * Sends a field's label without JavaScript: a post after the session has ended shows it again (console/kept-form.tsx).
 */
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
  /** The unit after the input, which screen readers read with it: `%`. */
  unit?: string
  /** What the browser offers while somebody types. Anything else can be typed as well. */
  suggestions?: string[]
  inputRef?: RefObject<HTMLInputElement>
}

export function TextField(props: TextProps) {
  const { name, label, hint, isOptional, hasCounter, maxLength, type = 'text', unit, inputRef, ...input } = props
  const { suggestions } = props
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
      list={suggestions && `${id}-list`}
      // Console forms do not ask for the data of the person who types.
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
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
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
 * A number with an optional unit. It is not `type=number`, because that input sends nothing if it cannot read a number,
 * so the error could not name the problem. Its schema is `numberField`.
 */
export function NumberField({ hasDecimals = false, ...props }: NumberProps) {
  return <TextField {...props} inputMode={hasDecimals ? 'decimal' : 'numeric'} maxLength={20} />
}

/** Counts the characters of a field while somebody types. */
export function useLength(initial: unknown) {
  const [length, setLength] = useState(typeof initial === 'string' ? [...initial].length : 0)
  const onChange = (event: { currentTarget: { value: string } }) => setLength([...event.currentTarget.value].length)
  return { length, onChange }
}

/** Shows the number of characters. It needs JavaScript, so it is not in the server's page. */
export function Counter({ length, max }: { length: number; max?: number }) {
  if (!useHydrated() || max === undefined) return null
  return (
    <span className="counter" aria-hidden="true">
      {length} / {max}
    </span>
  )
}

type CheckboxProps = Pick<FieldProps, 'name' | 'label' | 'hint' | 'error'> & {
  isRequired?: boolean
  defaultChecked?: boolean
  /** Shows a switch, for settings that are on or off. */
  isSwitch?: boolean
  onToggle?: (isTicked: boolean) => void
}

/** Sends `on` if it is ticked, and nothing if it is not. Its schema is `tick`. */
export function CheckboxField(props: CheckboxProps) {
  const { name, label, hint, isRequired = false, defaultChecked, isSwitch, onToggle } = props
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
          onChange={(event) => {
            onToggle?.(event.currentTarget.checked)
            onChange()
          }}
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
