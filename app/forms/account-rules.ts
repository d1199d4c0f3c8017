/**
 * The rules of the account forms, in the words of the specification. They use no library, so that pages can check the
 * same rules as the services.
 */
type Values = Record<string, string | undefined>
type Errors = Record<string, string>

const longestPassword = 50

/** The answer to every request for a new password, whether or not the account exists. */
export const resetRequested =
  'If an account exists for this email address, you will receive a message with a link to reset your password.'

/** The rules of the live checklist for an invitation. The other two forms name the first rule that is broken. */
export const passwordRules = [
  { id: 'length', text: 'At least 8 characters', holds: (password: string) => [...password].length >= 8 },
  { id: 'uppercase', text: 'At least one uppercase letter', holds: (password: string) => /\p{Lu}/u.test(password) },
  { id: 'digit', text: 'At least one digit', holds: (password: string) => /\p{Nd}/u.test(password) },
] as const

export const passwordsMatch = {
  id: 'match',
  text: 'Passwords must match',
  holds: (password: string, again: string) => password !== '' && isSame(password, again),
} as const

/** Returns the rules that a pair of passwords meets, for a page that does not get the passwords back. */
export function metRules({ password = '', password2 = '' }: Values): string[] {
  const met = passwordRules.filter((rule) => rule.holds(password)).map((rule): string => rule.id)
  return passwordsMatch.holds(password, password2) ? [...met, passwordsMatch.id] : met
}

export function loginErrors({ username, password }: Values): Errors {
  return said({
    username: !username?.trim() && 'Please enter an email address',
    password: !password && 'Please enter a password',
  })
}

export function loginPageErrors(values: Values): Errors {
  return { ...loginErrors(values), ...said({ terms: values.terms !== 'on' && 'Please agree to Terms and Conditions' }) }
}

export function resetRequestErrors({ email }: Values): Errors {
  return said({ email: !email?.trim() && 'Please enter an email address' })
}

export function resetPasswordErrors({ password = '', password2 = '' }: Values): Errors {
  return said({
    password: password === '' ? 'Please enter a password' : brokenRule(password),
    password2:
      password2 === '' ? 'Please confirm the password' : !isSame(password, password2) && 'Passwords do not match',
  })
}

export function confirmInvitationErrors({ password = '', password2 = '' }: Values): Errors {
  return said({
    password: password === '' ? 'Please enter a password' : brokenRule(password),
    password2: password2 === '' ? 'Please confirm the password' : !isSame(password, password2) && passwordsMatch.text,
  })
}

export function confirmInvitationPageErrors(values: Values): Errors {
  return {
    ...confirmInvitationErrors(values),
    ...said({ privacy: values.privacy !== 'on' && 'Please agree to the Privacy Policy' }),
  }
}

export function changePasswordErrors({ currentPassword = '', password = '', password2 = '' }: Values): Errors {
  return said({
    currentPassword:
      currentPassword === ''
        ? 'Please enter current password'
        : [...currentPassword].length > longestPassword && tooLong,
    password: newPasswordError(currentPassword, password),
    password2: password2 === '' ? 'Please confirm the password' : !isSame(password, password2) && passwordsMatch.text,
  })
}

const tooLong = `At most ${longestPassword} characters`

function newPasswordError(currentPassword: string, password: string): string | false {
  if (password === '') return 'Please enter new password'
  if (!passwordRules[0].holds(password)) return 'The minimum password length is 8'
  if (isSame(currentPassword, password)) return "New password can't be the same as the current password"
  return brokenRule(password)
}

function brokenRule(password: string): string | false {
  const broken = passwordRules.find((rule) => !rule.holds(password))
  return broken ? broken.text : [...password].length > longestPassword && tooLong
}

/** Compares in one Unicode form, because the same letter can be typed in two. */
function isSame(one: string, other: string): boolean {
  return one.normalize('NFC') === other.normalize('NFC')
}

function said(messages: Record<string, string | false>): Errors {
  return Object.fromEntries(Object.entries(messages).filter((entry): entry is [string, string] => entry[1] !== false))
}

/** The same whether there is such an invitation or not. */
export const renewalAsked =
  'If this invitation is still open, a new link is on its way to the address that was invited. At most one is sent in an hour.'

export const usedInvitation =
  'This invitation has been used already: your account is open. Please log in with your password.'
