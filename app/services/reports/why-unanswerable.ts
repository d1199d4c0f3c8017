import { Invalid, NotFound } from '../errors.ts'

/** Why a stored question can no longer be answered, in a sentence; null for errors that say nothing about the question. */
export function whyUnanswerable(error: unknown): string | null {
  if (error instanceof Invalid) return error.message
  return error instanceof NotFound ? 'What this report is about no longer exists.' : null
}

/** Whether that is because its institution does not exist. */
export function isInstitutionUnknown(error: unknown): boolean {
  return error instanceof Invalid && 'institution' in error.fieldErrors
}
