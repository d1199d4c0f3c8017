import { type ReactNode, useId, useRef, useState } from 'react'
import { allOfThem, anotherOne, otherFieldOf } from '~/forms/field-names.ts'
import { searchKey } from '~/lib/text.ts'
import {
  controlProps,
  described,
  Field,
  FieldError,
  type FieldProps,
  type FrameProps,
  TextField,
  useFormField,
} from './fields.tsx'
import { useHydrated } from './form.tsx'

export type Option = { value: string; label: string }

type SelectProps = FieldProps & {
  options: Option[]
  placeholder?: string
  /** Keeps its value, which is still sent. Without options it sends nothing chosen. */
  isDisabled?: boolean
}

/** `placeholder` is the label of the empty choice. */
export function SelectField(props: SelectProps) {
  const { name, label, hint, isOptional, options, placeholder, isDisabled = false } = props
  const id = useId()
  const { error, defaultValue, isBound, onChange, onBlur } = useFormField(name, props)
  const [value, setValue] = useState((defaultValue as string | undefined) ?? options[0]?.value)
  return (
    <Field {...{ id, label, hint, isOptional, error }}>
      <select
        {...controlProps(id, { error, hint, isOptional, isBound })}
        className="input"
        name={name}
        defaultValue={defaultValue as string | undefined}
        disabled={isDisabled}
        onChange={(event) => {
          setValue(event.currentTarget.value)
          onChange()
        }}
        onBlur={onBlur}
      >
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        <Options options={options} />
      </select>
      {/* A disabled control is not sent. */}
      {isDisabled && <input type="hidden" name={name} value={options.length === 0 ? '' : value} />}
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

/** Like Field, for a group of controls that answer one question. */
function FieldGroup({ id, label, hint, isOptional, aside, error, children }: Omit<FrameProps, 'typedName'>) {
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

type RadioProps = FieldProps & { options: (Option & { hint?: ReactNode })[] }

/** Chooses one of a few visible options. Its schema is `oneOf`. */
export function RadioGroup(props: RadioProps) {
  const { name, label, hint, isOptional, options } = props
  const id = useId()
  const { error, defaultValue, onChange, onBlur } = useFormField(name, props)
  return (
    <FieldGroup {...{ id, label, hint, isOptional, error }}>
      <div>
        {options.map((option, index) => (
          <label className="choice" key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              defaultChecked={option.value === defaultValue}
              {...described(`${id}-${index}`, { error: undefined, hint: option.hint })}
              aria-invalid={error ? true : undefined}
              onChange={onChange}
              onBlur={onBlur}
            />
            <span>
              {option.label}
              {option.hint && (
                <span className="hint" id={`${id}-${index}-hint`}>
                  {option.hint}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}

type MultiProps = Omit<FieldProps, 'defaultValue'> & {
  options: Option[]
  defaultValue?: string[]
  /** The label of a box for all options, including those that are added later. */
  all?: string
  /** A box for something that is not in the list, and the label of the text field that appears with it. */
  other?: { label: string; textLabel: string; maxLength: number; error?: string; defaultValue?: string }
}

/** From this number of options on, the list scrolls and has a search box. */
const longList = 12

/**
 * Chooses several options by boxes. Its schemas are `selectionField` and `otherField`, or `listField` without "All" and
 * "Other".
 */
export function MultiSelect(props: MultiProps) {
  const { name, label, hint, isOptional, options, all, other } = props
  const id = useId()
  const boxes = useRef<HTMLDivElement>(null)
  const isHydrated = useHydrated()
  const { error, defaultValue, clearError, isBound } = useFormField(
    name,
    props as { error?: string; defaultValue?: unknown },
    {
      focus: () => boxes.current?.querySelector<HTMLInputElement>('input[type=checkbox]')?.focus(),
    },
  )
  const chosen = new Set<unknown>(Array.isArray(defaultValue) ? defaultValue : [defaultValue])
  const [isAll, setAll] = useState(chosen.has(allOfThem))
  const [count, setCount] = useState(options.filter(({ value }) => chosen.has(value)).length)
  const [query, setQuery] = useState('')
  const isLong = options.length >= longList
  const isFound = (option: Option) => searchKey(option.label).includes(searchKey(query.trim()))
  const update = () => {
    const ticked = [...(boxes.current?.querySelectorAll<HTMLInputElement>('input:checked') ?? [])]
    setAll(ticked.some(({ value }) => value === allOfThem))
    setCount(ticked.filter(({ value }) => value !== allOfThem && value !== anotherOne).length)
    clearError()
  }
  const box = (value: string, text: string, more: { disabled?: boolean; isHidden?: boolean } = {}) => (
    <label key={value} className="tick" hidden={more.isHidden}>
      <input
        type="checkbox"
        name={name}
        value={value}
        defaultChecked={chosen.has(value)}
        disabled={more.disabled}
        aria-invalid={error ? true : undefined}
        onChange={update}
      />
      <span>{text}</span>
    </label>
  )
  return (
    <FieldGroup
      {...{ id, label, hint, isOptional, error }}
      aside={
        isLong &&
        isHydrated && (
          <span className="counter">
            {isAll ? 'all' : `${count} of ${options.length.toLocaleString('en')}`}{' '}
            <span className="sr-only">chosen</span>
          </span>
        )
      }
    >
      <div className="multi" ref={boxes}>
        {all && box(allOfThem, all)}
        {isLong && isHydrated && (
          <input
            className="input"
            type="search"
            placeholder="Find in this list"
            aria-label={`Find in ${typeof label === 'string' ? label : 'this list'}`}
            disabled={isAll}
            onChange={(event) => setQuery(event.currentTarget.value)}
            // Enter must not submit the form.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
        )}
        <div className={isLong ? 'ticks ticks--long' : 'ticks'}>
          {options.map((option) =>
            box(option.value, option.label, { disabled: isHydrated && isAll, isHidden: !isFound(option) }),
          )}
          {isLong && !options.some(isFound) && <p className="muted small">Nothing in this list matches.</p>}
        </div>
        {other && (
          <>
            {box(anotherOne, other.label, { disabled: isHydrated && isAll })}
            <div className="multi-other">
              <TextField
                name={otherFieldOf(name)}
                label={other.textLabel}
                // Not required in plain forms: a browser must not insist on a hidden field.
                isOptional={!isBound}
                maxLength={other.maxLength}
                error={other.error}
                defaultValue={other.defaultValue}
              />
            </div>
          </>
        )}
      </div>
    </FieldGroup>
  )
}
