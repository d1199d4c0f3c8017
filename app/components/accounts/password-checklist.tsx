import { type FormEvent, useCallback, useState } from 'react'
import { metRules, passwordRules, passwordsMatch } from '~/forms/account-rules.ts'
import { Icon } from '../ui/icon.tsx'
import { valuesOf } from './use-checked-form.ts'

type Typed = Record<string, string>

/** Tracks the current values of a password form. `typed` is null before hydration and without JavaScript. */
export function usePasswords() {
  const [typed, setTyped] = useState<Typed | null>(null)
  // Values that were typed before hydration count too.
  const ref = useCallback((form: HTMLFormElement | null) => {
    if (form) setTyped(valuesOf(form))
  }, [])
  const onInput = (event: FormEvent<HTMLFormElement>) => setTyped(valuesOf(event.currentTarget))
  return { typed, formProps: { ref, onInput } }
}

export function keepsAllRules({ password = '', password2 = '' }: Typed): boolean {
  return passwordRules.every((rule) => rule.holds(password)) && passwordsMatch.holds(password, password2)
}

/**
 * Lists the password rules. With JavaScript each rule is ticked while it is met; without it, `sent` holds the rules
 * that the posted passwords met.
 */
export function PasswordChecklist({ id, typed, sent }: { id: string; typed: Typed | null; sent?: string[] }) {
  const met = typed ? metRules(typed) : sent
  const rules = [...passwordRules, passwordsMatch].map((rule) => ({ ...rule, isMet: met?.includes(rule.id) }))
  return (
    <div id={id} className="pwrules">
      <p>Your password needs:</p>
      <ul>
        {rules.map((rule) => (
          <li key={rule.id} data-met={rule.isMet}>
            {rule.isMet ? <Icon name="check" /> : <span className="unmet" aria-hidden="true" />}
            {rule.text}
            {met && <span className="sr-only">{rule.isMet ? ': done' : ': not yet'}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
