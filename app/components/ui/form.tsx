import { useLocation } from '@remix-run/react'
import { useEffect, useRef, useSyncExternalStore } from 'react'
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

const never = () => () => {}

/** False on the server and in the render that takes over its page, which must be equal; true ever after. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
