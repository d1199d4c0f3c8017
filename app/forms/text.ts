import { z } from 'zod'
import { isStorable, normalizeText, tidyText } from '~/lib/text.ts'

const badCharacters = 'This text holds characters that cannot be stored'

/** A text from outside: NFC, storable, at most `max` characters, and tidy unless blanks at the ends matter. */
export function textField(options: { max: number; required?: string; trim?: boolean }) {
  const tooLong = `At most ${options.max.toLocaleString('en')} characters`
  return z
    .string({ required_error: options.required ?? 'This field is required', invalid_type_error: 'This must be text' })
    .refine(isStorable, badCharacters)
    .transform((value) => (options.trim === false ? normalizeText(value) : tidyText(value)))
    .refine((value) => options.required === undefined || value !== '', options.required ?? '')
    .refine((value) => [...value].length <= options.max, tooLong)
}

/** A password, taken as typed except for its Unicode form. Each form says whether it is required. */
export function passwordField() {
  return z
    .string({ invalid_type_error: 'This must be text' })
    .refine(isStorable, badCharacters)
    .transform((value) => value.normalize('NFC'))
}
