import { z } from 'zod'
import { isStorable, normalizeText, tidyLine } from '~/lib/text.ts'
import { emailProblem, longestEmail } from './profile-rules.ts'

export const badCharacters = 'This text holds characters that cannot be stored'

type TextOptions = {
  max: number
  required?: string
  /** `tidyText` for a text of several lines, `normalizeText` where each character matters. */
  tidy?: (value: string) => string
}

/** A text from outside: NFC, storable, at most `max` characters, and a tidy line unless `tidy` says otherwise. */
export function textField({ max, required, tidy = tidyLine }: TextOptions) {
  const tooLong = `At most ${max.toLocaleString('en')} characters`
  return z
    .string({ required_error: required ?? 'This field is required', invalid_type_error: 'This must be text' })
    .refine(isStorable, badCharacters)
    .transform(tidy)
    .refine((value) => required === undefined || value !== '', required ?? '')
    .refine((value) => [...value].length <= max, tooLong)
}

/** An email address as somebody typed it. It is not tidied, because with an invisible character it is another one. */
export function addressField({ required }: { required?: string } = {}) {
  return textField({ max: longestEmail, required, tidy: (value) => normalizeText(value).trim() })
}

/** The address of an account: it can get mail, and it cannot be mistaken for another one. */
export function emailField(required: string) {
  return addressField({ required }).superRefine((email, issues) => {
    const message = email === '' ? null : emailProblem(email)
    if (message) issues.addIssue({ code: 'custom', message })
  })
}

/** A password, taken as typed except for its Unicode form. Each form says whether it is required. */
export function passwordField() {
  return z
    .string({ invalid_type_error: 'This must be text' })
    .refine(isStorable, badCharacters)
    .transform((value) => value.normalize('NFC'))
}
