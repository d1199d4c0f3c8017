import { useLocation } from '@remix-run/react'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { Refused } from '~/forms/refused.ts'
import { loginAddress } from '~/lib/next-address.ts'
import { Icon } from './icon.tsx'

/** The token against forgery that every posted form contains. */
export function CsrfField({ token }: { token: string | null | undefined }) {
  return <input type="hidden" name="csrf" value={token ?? ''} />
}

type ErrorsProps = {
  refusal: Refused | undefined
  /** How many fields are marked now, in a form that the browser checks again. */
  marked?: number
}

/**
 * Sums up the errors at the top of a refused form and takes the focus, so that nobody misses them. It does not repeat a
 * message that is shown beside a field.
 */
export function FormErrors({ refusal, marked }: ErrorsProps) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (refusal) ref.current?.focus()
  }, [refusal])
  if (!refusal) return null
  const errors = Object.values(refusal.fieldErrors)
  const count = marked ?? errors.length
  const hasOwnSentence = refusal.message !== '' && !errors.includes(refusal.message)
  // All fields that were refused have been corrected.
  if (count === 0 && errors.length > 0 && !hasOwnSentence) return null
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

/** Links to the login in a new tab, so that this page keeps its form. */
export function LoginInNewTab() {
  return (
    <a href={loginAddress(useLocation())} target="_blank" rel="noreferrer">
      Log in in a new tab
    </a>
  )
}

const never = () => () => {}

/** Returns false on the server and during hydration, which must render the same; true afterwards. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
