import { useId, useState } from 'react'
import { controlProps, Field, type FieldProps } from './fields.tsx'
import { useHydrated } from './form.tsx'
import { Icon } from './icon.tsx'

type Props = Pick<FieldProps, 'name' | 'error' | 'hint'> & {
  label: string
  autoComplete?: string
  describedBy?: string
}

/**
 * A password field for learner pages. With JavaScript it has a button that shows the password. Pasting is always
 * allowed.
 */
export function PasswordField({ name, label, error, hint, autoComplete, describedBy }: Props) {
  const id = useId()
  const [isShown, setShown] = useState(false)
  const isReady = useHydrated()
  return (
    <Field {...{ id, label, hint, error }}>
      <span className="pw">
        <input
          {...controlProps(id, { error, hint, isBound: false, also: describedBy })}
          className="input"
          name={name}
          type={isShown ? 'text' : 'password'}
          autoComplete={autoComplete}
        />
        {isReady && (
          <button
            className="iconbtn"
            type="button"
            aria-label={showLabel(label)}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            <Icon name="eye" />
          </button>
        )}
      </span>
    </Field>
  )
}

/** Returns a different label for each field of a form: "Show password, new" and "Show password, again". */
function showLabel(label: string): string {
  const which = label
    .replace(/ ?password$/i, '')
    .toLowerCase()
    .replace(/^confirm ?(.*)$/, '$1 again')
    .trim()
  return which ? `Show password, ${which}` : 'Show password'
}
