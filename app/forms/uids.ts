import { z } from 'zod'
import { isUid } from '~/lib/uid.ts'

/** Programs may write a uid in capitals; everything that compares texts knows it in small letters. */
export function uidField(message: string) {
  return z.string().toLowerCase().refine(isUid, message)
}
