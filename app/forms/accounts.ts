import { z } from 'zod'
import {
  changePasswordErrors,
  confirmInvitationErrors,
  confirmInvitationPageErrors,
  loginErrors,
  loginPageErrors,
  resetPasswordErrors,
  resetRequestErrors,
} from './account-rules.ts'
import { addressField, emailField, passwordField, textField } from './text.ts'

/** These schemas limit what may be sent. The messages of each form are in account-rules.ts, which pages use too. */
const address = addressField().default('')
const typedPassword = passwordField().default('')
const tick = z.string().optional()

const login = {
  username: address,
  password: typedPassword.refine((value) => value.length <= 500, 'At most 500 characters'),
}
const newPassword = { password: typedPassword, password2: typedPassword }

export const loginForm = z.object(login).superRefine(saysWith(loginErrors))

/** Asks for the terms too. Programs agreed to them when they got their account. */
export const loginPageForm = z.object({ ...login, terms: tick }).superRefine(saysWith(loginPageErrors))

export const requestPasswordResetForm = z.object({ email: address }).superRefine(saysWith(resetRequestErrors))
export const resetPasswordForm = z.object(newPassword).superRefine(saysWith(resetPasswordErrors))

export const confirmInvitationForm = z.object(newPassword).superRefine(saysWith(confirmInvitationErrors))
export const confirmInvitationPageForm = z
  .object({ ...newPassword, privacy: tick })
  .superRefine(saysWith(confirmInvitationPageErrors))

export const changePasswordForm = z
  .object({ currentPassword: typedPassword, ...newPassword })
  .superRefine(saysWith(changePasswordErrors))

/** The texts of an account. The service looks up its groups, plan and institution. */
export const newUserForm = z.object({
  email: emailField('Please enter an email address'),
  firstName: textField({ max: 50 }),
  lastName: textField({ max: 50 }),
})

function saysWith<V extends Record<string, string | undefined>>(check: (values: V) => Record<string, string>) {
  return (values: V, context: z.RefinementCtx) => {
    for (const [field, message] of Object.entries(check(values))) {
      context.addIssue({ code: 'custom', path: [field], message })
    }
  }
}
