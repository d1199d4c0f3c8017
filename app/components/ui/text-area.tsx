/** Fields for long texts. They are not in fields.tsx, which learner pages load. */
import { useId } from 'react'
import { Counter, controlProps, Field, type FieldProps, useFormField, useLength } from './fields.tsx'

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
