import { type FormEvent, useState } from 'react'
import type { Refused } from '~/forms/refused.ts'

type Check = (values: Record<string, string>) => Record<string, string>

/**
 * Checks a form before it is sent, with the same rules as the service. Without JavaScript only the service checks.
 * `refusal` holds the latest errors, from either check.
 */
export function useCheckedForm(check: Check, answer: Refused | undefined) {
  const [found, setFound] = useState<Refused | null>(null)
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const fieldErrors = check(valuesOf(event.currentTarget))
    if (Object.keys(fieldErrors).length === 0) return setFound(null)
    event.preventDefault()
    setFound({ message: '', fieldErrors, values: {} })
  }
  return { onSubmit, refusal: found ?? answer }
}

export function valuesOf(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values[name] = value
  return values
}
