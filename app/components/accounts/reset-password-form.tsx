import { Form, Link } from '@remix-run/react'
import { resetPasswordErrors } from '~/forms/account-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { CsrfField, FormErrors } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { PasswordChecklist, usePasswords } from './password-checklist.tsx'
import { useCheckedForm } from './use-checked-form.ts'

type Props = {
  /** Null for a link that is wrong, used or expired; `problem` says which. */
  account: { email: string } | null
  problem?: string
  csrf: string
  answer?: Refused
}

export function ResetPasswordForm({ account, problem, csrf, answer }: Props) {
  const { onSubmit, refusal } = useCheckedForm(resetPasswordErrors, answer)
  const { typed, formProps } = usePasswords()
  const errors = refusal?.fieldErrors ?? {}
  return (
    <>
      <h1 className="mb-3">Reset Password</h1>
      {account ? (
        <p className="muted mb-6">
          Choose a new password for <span className="wrap-anywhere text-ink">{account.email}</span>.
        </p>
      ) : (
        <div className="notice notice--error mb-6" role="alert">
          <Icon name="alert" />
          <div>
            <p>{problem}</p>
            <Link to="/request-password-reset/">Request a new link</Link>
          </div>
        </div>
      )}
      <Form method="post" className="stack" noValidate onSubmit={onSubmit} {...formProps}>
        <CsrfField token={csrf} />
        {/* Password managers save the new password under this address. */}
        {account && <input type="hidden" name="username" autoComplete="username" value={account.email} />}
        {/* The notice above already says what is wrong with the link. */}
        {account && <FormErrors refusal={refusal} />}
        <PasswordChecklist id="password-rules" typed={typed} sent={answer?.values.rulesMet?.split(' ')} />
        <PasswordField
          name="password"
          label="New password"
          autoComplete="new-password"
          error={errors.password}
          describedBy="password-rules"
        />
        <PasswordField
          name="password2"
          label="Confirm password"
          autoComplete="new-password"
          error={errors.password2}
          describedBy="password-rules"
        />
        <button className="btn btn--primary btn--wide" type="submit" name="intent" value="reset">
          Reset Password
        </button>
      </Form>
    </>
  )
}

export function PasswordWasReset({ message }: { message: string }) {
  return (
    <div className="stack">
      <h1>Reset Password</h1>
      <div className="notice notice--success" role="status">
        <Icon name="check" />
        <p>{message}</p>
      </div>
      <p className="muted">You have been logged out everywhere.</p>
      <p>
        <Link className="btn btn--primary btn--wide" to="/login/">
          Log In
        </Link>
      </p>
    </div>
  )
}
