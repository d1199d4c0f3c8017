import { Form } from '@remix-run/react'
import { addressErrors, longestEmail } from '~/forms/profile-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { TextField } from '../ui/fields.tsx'
import { CsrfField, FormErrors } from '../ui/form.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { useCheckedForm } from './use-checked-form.ts'

type Props = { email: string; csrf: string | null; refusal: Refused | undefined }

/** The form for a new email address. It is folded, but open when a post was refused. */
export function AddressForm({ email, csrf, refusal: refused }: Props) {
  const { onSubmit, refusal } = useCheckedForm(addressErrors, refused)
  return (
    <>
      <p className="break-words">
        You log in with <strong>{email}</strong>
      </p>
      <details className="unfold" open={refusal !== undefined || undefined}>
        <summary className="btn btn--secondary">Change email address</summary>
        <Form key={email} method="post" className="stack" noValidate onSubmit={onSubmit}>
          <p className="muted">We will notify your current address and log you out everywhere else.</p>
          <FormErrors refusal={refusal} />
          <TextField
            name="email"
            label="New email"
            type="email"
            autoComplete="email"
            maxLength={longestEmail}
            defaultValue={refusal?.values.email ?? ''}
            error={refusal?.fieldErrors.email}
          />
          <PasswordField
            name="currentPassword"
            label="Current password"
            autoComplete="current-password"
            error={refusal?.fieldErrors.currentPassword}
          />
          <CsrfField token={csrf} />
          <p>
            <button className="btn btn--primary" type="submit" name="intent" value="change-email">
              Change email
            </button>
          </p>
        </Form>
      </details>
    </>
  )
}
