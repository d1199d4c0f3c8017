import { z } from 'zod'
import { isUid } from '~/lib/uid.ts'

/** A uid. Programs may write it in capitals; it is compared in lower case. */
export function uidField(message: string) {
  return z.string().toLowerCase().refine(isUid, message)
}
