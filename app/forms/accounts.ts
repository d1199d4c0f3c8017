import { z } from 'zod'
import { passwordField, textField } from './text.ts'

/** Texts of administration and auth, section 5 "Login". */
export const loginForm = z.object({
  username: textField({ max: 100, required: 'Please enter an email address' }),
  password: passwordField('Please enter a password').refine((value) => value.length <= 500, 'Please enter a password'),
})

/** The texts of an account; who else belongs to it (groups, plan, institution) is looked up by the service. */
export const newUserForm = z.object({
  email: textField({ max: 100, required: 'Please enter an email address' }),
  firstName: textField({ max: 50 }),
  lastName: textField({ max: 50 }),
})

/** The page asks for the terms too; programs agreed to them when they got their account. */
export const loginPageForm = loginForm.extend({
  terms: z.literal('on', { errorMap: () => ({ message: 'Please agree to Terms and Conditions' }) }),
})

export const passwordRules = [
  { id: 'length', text: 'At least 8 characters', holds: (password: string) => [...password].length >= 8 },
  { id: 'uppercase', text: 'At least one uppercase letter', holds: (password: string) => /\p{Lu}/u.test(password) },
  { id: 'digit', text: 'At least one digit', holds: (password: string) => /\p{Nd}/u.test(password) },
] as const

/** A new password under the rules of the documents (8 to 50, a capital, a digit); the first broken rule is named. */
export const newPasswordField = passwordField('Please enter a password').superRefine((password, issues) => {
  const broken = passwordRules.find((rule) => !rule.holds(password))
  if (broken) issues.addIssue({ code: 'custom', message: broken.text })
  else if ([...password].length > 50) issues.addIssue({ code: 'custom', message: 'At most 50 characters' })
})

export const confirmInvitationForm = z
  .object({ password: newPasswordField, password2: passwordField('Please confirm the password') })
  .refine((form) => form.password === form.password2, { path: ['password2'], message: 'Passwords must match' })

export const confirmInvitationPageForm = z.intersection(
  confirmInvitationForm,
  z.object({ privacy: z.literal('on', { errorMap: () => ({ message: 'Please agree to the Privacy Policy' }) }) }),
)
