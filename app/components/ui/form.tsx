import { useLocation } from '@remix-run/react'
import { type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import type { Refused } from '~/forms/refused.ts'
import { loginAddress } from '~/lib/next-address.ts'
import { Icon } from './icon.tsx'

/** The token that every posted form carries. */
export function CsrfField({ token }: { token: string | null | undefined }) {
  return <input type="hidden" name="csrf" value={token ?? ''} />
}

/**
 * Sums up a refused form at its top and takes the focus, so that nobody misses it. One fault that stands beside its field
 * is not said twice.
 */
export function FormErrors({ refusal }: { refusal: Refused | undefined }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (refusal) ref.current?.focus()
  }, [refusal])
  if (!refusal) return null
  const errors = Object.values(refusal.fieldErrors)
  const count = errors.length
  const hasOwnSentence = refusal.message !== '' && !errors.includes(refusal.message)
  return (
    <div ref={ref} tabIndex={-1} className="notice notice--error" role="alert">
      <Icon name="alert" />
      {count === 0 ? (
        <p>
          {refusal.message} {refusal.isSignedOut && <LoginInNewTab />}
        </p>
      ) : (
        <p>
          <strong>
            {hasOwnSentence
              ? refusal.message
              : count === 1
                ? 'Please correct one field.'
                : `Please correct ${count} fields.`}
          </strong>
          {count === 1 ? 'It is marked below.' : 'Each is marked below.'}
        </p>
      )}
    </div>
  )
}

/** Leaves the page as it is. */
export function LoginInNewTab() {
  return (
    <a href={loginAddress(useLocation())} target="_blank" rel="noreferrer">
      Log in in a new tab
    </a>
  )
}

type FieldProps = {
  name: string
  label: string
  error?: string
  hint?: string
  type?: 'text' | 'email'
  defaultValue?: string
  autoComplete?: string
  maxLength?: number
}

export function TextField({ name, label, error, hint, type = 'text', ...input }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <input
        className="input"
        id={id}
        name={name}
        type={type}
        required
        {...described(id, { error, hint })}
        {...input}
        {...(type === 'email' && { autoCapitalize: 'none', spellCheck: false })}
      />
      <FieldError id={id} error={error} />
    </div>
  )
}

/** The button that shows what is typed appears with JavaScript; pasting is never in the way. */
export function PasswordField({ name, label, error, hint, autoComplete, describedBy }: PasswordProps) {
  const id = useId()
  const [isShown, setShown] = useState(false)
  const isReady = useHydrated()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <span className="pw">
        <input
          className="input"
          id={id}
          name={name}
          type={isShown ? 'text' : 'password'}
          required
          autoComplete={autoComplete}
          {...described(id, { error, hint, also: describedBy })}
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
      <FieldError id={id} error={error} />
    </div>
  )
}

/** Another one for each field of a form: "Show password, new" and "Show password, again". */
function showLabel(label: string): string {
  const which = label
    .replace(/ ?password$/i, '')
    .toLowerCase()
    .replace(/^confirm ?(.*)$/, '$1 again')
    .trim()
  return which ? `Show password, ${which}` : 'Show password'
}

type PasswordProps = Pick<FieldProps, 'name' | 'label' | 'error' | 'hint' | 'autoComplete'> & { describedBy?: string }

export function TickField({ name, error, children, defaultChecked }: TickProps) {
  const id = useId()
  return (
    <div>
      <label className="tick">
        <input type="checkbox" name={name} required defaultChecked={defaultChecked} {...described(id, { error })} />
        <span>{children}</span>
      </label>
      <FieldError id={id} error={error} />
    </div>
  )
}

type TickProps = { name: string; error?: string; children: ReactNode; defaultChecked?: boolean }

export function FieldError({ id, error }: { id: string; error?: string }) {
  if (!error) return null
  return (
    <p className="error" id={`${id}-error`}>
      <Icon name="alert" />
      {error}
    </p>
  )
}

export function described(id: string, parts: { error?: string; hint?: string; also?: string }) {
  const ids = [parts.hint && `${id}-hint`, parts.also, parts.error && `${id}-error`].filter(Boolean).join(' ')
  return { 'aria-invalid': parts.error ? true : undefined, 'aria-describedby': ids || undefined }
}

const never = () => () => {}

/** False on the server and in the render that takes over its page, which must be equal; true ever after. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
