import { type FormEvent, useCallback, useState } from 'react'
import { metRules, passwordRules, passwordsMatch } from '~/forms/account-rules.ts'
import { Icon } from '../ui/icon.tsx'
import { valuesOf } from './use-checked-form.ts'

type Typed = Record<string, string>

/** What stands in a form now, from its hydration on; null before and without JavaScript. */
export function usePasswords() {
  const [typed, setTyped] = useState<Typed | null>(null)
  // What was typed before the page was alive counts too.
  const ref = useCallback((form: HTMLFormElement | null) => {
    if (form) setTyped(valuesOf(form))
  }, [])
  const onInput = (event: FormEvent<HTMLFormElement>) => setTyped(valuesOf(event.currentTarget))
  return { typed, formProps: { ref, onInput } }
}

export function keepsAllRules({ password = '', password2 = '' }: Typed): boolean {
  return passwordRules.every((rule) => rule.holds(password)) && passwordsMatch.holds(password, password2)
}

/** A plain list of the rules; with JavaScript each is ticked as it holds, without it as `sent` says of what was sent. */
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
