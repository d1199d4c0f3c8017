import { type SyntheticEvent, useId, useState } from 'react'
import { incompleteDate } from '~/forms/field-names.ts'
import { controlProps, Field, type FieldProps, useFormField } from './fields.tsx'

type DayProps = FieldProps & {
  /** The first and the last day that can be chosen: 2026-11-03. */
  min?: string
  max?: string
}

/** A day, by the browser's own date input. Its schema is `dayField`. */
export function DateField(props: DayProps) {
  return <DateInput type="date" {...props} />
}

type MomentProps = FieldProps & {
  /** The site's: what is typed is a time there. Shown below the label. */
  timeZone: string
}

/** A day and a time of the site. Its schema is `momentField`; what it begins with is made by `localTimeOf`. */
export function DateTimeField({ timeZone, hint, ...props }: MomentProps) {
  const zone = `Time zone: ${timeZone.replaceAll('_', ' ')}`
  return (
    <DateInput
      type="datetime-local"
      {...props}
      hint={
        <>
          {hint} {zone}
        </>
      }
    />
  )
}

function DateInput({ type, min, max, ...props }: DayProps & { type: 'date' | 'datetime-local' }) {
  const { name, label, hint, isOptional } = props
  const id = useId()
  const { error, defaultValue, isBound, onChange, onBlur } = useFormField(name, props)
  // A date that is typed in part is nothing to a form, and would be lost without a word.
  const [isIncomplete, setIncomplete] = useState(false)
  const look = ({ currentTarget: input }: SyntheticEvent<HTMLInputElement>) => {
    setIncomplete(input.validity.badInput)
    // The browser takes the last digit only after this event.
    setTimeout(() => setIncomplete(input.validity.badInput))
  }
  return (
    <Field {...{ id, label, hint, isOptional, error }} typedName={name}>
      {isIncomplete && <input type="hidden" name={name} value={incompleteDate} />}
      <input
        {...controlProps(id, { error, hint, isOptional, isBound })}
        className="input input--date"
        type={type}
        name={isIncomplete ? undefined : name}
        defaultValue={defaultValue as string | undefined}
        min={min}
        max={max}
        onKeyUp={look}
        onChange={(event) => {
          look(event)
          onChange()
        }}
        onBlur={(event) => {
          look(event)
          onBlur()
        }}
      />
    </Field>
  )
}
