/**
 * The rules of a profile, in the words of the specification. They use no library, so that pages can check the same
 * rules as the services.
 */
import { isMailAddress, isUnmistakable } from '~/lib/mail-text.ts'

export const longestName = 50
export const longestEmail = 100

export const nameRequired = { firstName: 'First name is required', lastName: 'Last name is required' }
export const emailRequired = 'Email address is required'
export const emailInvalid = 'A valid email address is required'
export const emailMistakable =
  'This email address has invisible or unusual characters, which make it look like another one. Please type it by hand.'
const passwordRequired = 'Please enter current password'
export const userUpdated = 'User has been updated.'
export const updateFailed = 'Error updating user. Please try again later.'

type Values = Record<string, string | undefined>

/**
 * Returns the problems of the given fields. The address `emailBefore` needs no password, because it does not change.
 */
export function profileErrors(values: Values, emailBefore: string): Record<string, string> {
  const { firstName, lastName, email } = values
  const errors: Record<string, string> = {}
  if (firstName?.trim() === '') errors.firstName = nameRequired.firstName
  if (lastName?.trim() === '') errors.lastName = nameRequired.lastName
  if (!isNewEmail(values, emailBefore)) return errors
  Object.assign(errors, emailErrors(email))
  if (!errors.email && !values.currentPassword) errors.currentPassword = passwordRequired
  return errors
}

/** Returns the problems of the form that changes only the address. */
export function addressErrors({ email, currentPassword }: Values): Record<string, string> {
  return { ...emailErrors(email), ...(currentPassword ? {} : { currentPassword: passwordRequired }) }
}

function emailErrors(email = ''): Record<string, string> {
  const problem = email.trim() === '' ? emailRequired : emailProblem(email.trim())
  return problem ? { email: problem } : {}
}

/** Says what is wrong with an address that an account is to have. */
export function emailProblem(email: string): string | null {
  if (!isMailAddress(email) || !/@[^.]+(\.[^.]+)+$/.test(email)) return emailInvalid
  return isUnmistakable(email) ? null : emailMistakable
}

export function isNewEmail({ email }: Values, emailBefore: string): boolean {
  return email !== undefined && email.trim() !== emailBefore
}
