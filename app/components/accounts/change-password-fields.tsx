import type { Refused } from '~/forms/refused.ts'
import { CheckboxField } from '../ui/fields.tsx'
import { CsrfField, FormErrors } from '../ui/form.tsx'
import { PasswordField } from '../ui/password-field.tsx'

type Props = { csrf: string | null; email: string; hasTokens: boolean; refusal: Refused | undefined }

/** The fields that the page and the dialog share. */
export function ChangePasswordFields({ csrf, email, hasTokens, refusal }: Props) {
  const errors = refusal?.fieldErrors ?? {}
  return (
    <>
      <FormErrors refusal={refusal} />
      <PasswordField
        name="currentPassword"
        label="Current password"
        autoComplete="current-password"
        error={errors.currentPassword}
      />
      <PasswordField
        name="password"
        label="New password"
        hint="At least 8 characters, with an uppercase letter and a digit."
        autoComplete="new-password"
        error={errors.password}
      />
      <PasswordField
        name="password2"
        label="Confirm new password"
        autoComplete="new-password"
        error={errors.password2}
      />
      {hasTokens && (
        <CheckboxField
          name="revoke"
          label="Revoke my access tokens"
          hint="Programs that use them will stop working."
          defaultChecked={refusal?.values.revoke === 'on'}
        />
      )}
      <CsrfField token={csrf} />
      {/* Password managers save the new password under this address. */}
      <input type="hidden" name="username" autoComplete="username" value={email} />
    </>
  )
}
