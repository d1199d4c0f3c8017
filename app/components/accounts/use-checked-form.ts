import { type FormEvent, useState } from 'react'
import type { Refused } from '~/forms/refused.ts'

type Check = (values: Record<string, string>) => Record<string, string>

/**
 * Says what is wrong before anything is sent, with the rules that the service has too. Without JavaScript the service says it.
 * `refusal` is whatever was said last.
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
