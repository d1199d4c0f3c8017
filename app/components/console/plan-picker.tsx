import { useId, useRef } from 'react'
import { useField } from 'remix-validated-form'
import { FieldError } from '../ui/form.tsx'
import type { Option } from './fields.tsx'

type Props = { name: string; label: string; plans: Option[]; hint?: string; isOptional?: boolean }

/** "Groups with Access": a box for each plan. Its schema is `listField`. */
export function PlanPicker({ name, label, plans, hint, isOptional }: Props) {
  const id = useId()
  const first = useRef<HTMLInputElement>(null)
  const { error, defaultValue, clearError } = useField(name, { handleReceiveFocus: () => first.current?.focus() })
  const chosen = new Set<unknown>(Array.isArray(defaultValue) ? defaultValue : [defaultValue])
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <fieldset className="field" aria-describedby={describedBy || undefined}>
      <legend className="legend">
        {label}
        {isOptional && <span className="opt"> (optional)</span>}
      </legend>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <div className="ticks">
        {plans.map(({ value, label }, index) => (
          <label key={value} className="tick">
            <input
              ref={index === 0 ? first : undefined}
              type="checkbox"
              name={name}
              value={value}
              defaultChecked={chosen.has(value)}
              aria-invalid={error ? true : undefined}
              onChange={() => clearError()}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <FieldError id={id} error={error} />
    </fieldset>
  )
}
