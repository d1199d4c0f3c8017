import { useId, useRef, useState } from 'react'
import { incompleteDate } from '~/forms/field-names.ts'
import { controlProps, Field, type FieldProps, useFormField } from './fields.tsx'

type DayProps = FieldProps & {
  /** The first and the last day that can be chosen: 2026-11-03. */
  min?: string
  max?: string
}

/** A day in the browser's own date input. Its schema is `dayField`. */
export function DateField(props: DayProps) {
  return <DateInput type="date" {...props} />
}

type MomentProps = FieldProps & {
  /** The site's time zone, which the entered time is in. It is shown below the label. */
  timeZone: string
}

/** A day and a time of the site. Its schema is `momentField`, and `localTimeOf` makes its default value. */
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
  const input = useRef<HTMLInputElement>(null)
  const field = useFormField(name, props, { focus: () => input.current?.focus() })
  const { error, defaultValue, isBound, onChange, onBlur } = field
  // Browsers send nothing for an incomplete date, so it would be lost without an error.
  const [isIncomplete, setIncomplete] = useState(false)
  const check = () => {
    const checkNow = () => setIncomplete(input.current?.validity.badInput ?? false)
    checkNow()
    // The browser accepts the last digit only after this event.
    setTimeout(checkNow)
  }
  return (
    <Field {...{ id, label, hint, isOptional, error }} typedName={name}>
      {isIncomplete && <input type="hidden" name={name} value={incompleteDate} />}
      <input
        {...controlProps(id, { error, hint, isOptional, isBound })}
        ref={input}
        className="input input--date"
        type={type}
        name={isIncomplete ? undefined : name}
        // React writes the default at each update if the prop exists, even as undefined, and the browser would then clear
        // a partly typed date. Only a spread leaves the prop out.
        {...(defaultValue ? { defaultValue: defaultValue as string } : {})}
        min={min}
        max={max}
        onKeyUp={check}
        onChange={() => {
          check()
          onChange()
        }}
        onBlur={() => {
          check()
          onBlur()
        }}
      />
    </Field>
  )
}
