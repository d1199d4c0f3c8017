import { z } from 'zod'
import { isStorable, normalise } from '~/lib/text.ts'

const badCharacters = 'This text holds characters that cannot be stored'

/** Every text from outside: NFC, storable, at most `max` characters; trimmed where blanks at the ends mean nothing. */
export function textField(options: { max: number; required?: string; trim?: boolean }) {
  const tooLong = `At most ${options.max} characters`
  return z
    .string({ required_error: options.required ?? 'This field is required', invalid_type_error: 'This must be text' })
    .refine(isStorable, badCharacters)
    .transform((value) => normalise(options.trim === false ? value : value.trim()))
    .refine((value) => options.required === undefined || value !== '', options.required ?? '')
    .refine((value) => [...value].length <= options.max, tooLong)
}

/** Passwords: taken as typed, except for the form of Unicode. Whether one must be there is for the form to say. */
export function passwordField() {
  return z
    .string({ invalid_type_error: 'This must be text' })
    .refine(isStorable, badCharacters)
    .transform((value) => value.normalize('NFC'))
}
