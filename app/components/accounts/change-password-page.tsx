import { Form, Link } from '@remix-run/react'
import { changePasswordErrors } from '~/forms/account-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { Icon } from '../ui/icon.tsx'
import { ChangePasswordFields } from './change-password-fields.tsx'
import { useCheckedForm } from './use-checked-form.ts'

type Props = { csrf: string | null; email: string; hasTokens: boolean; answer?: Refused; closeTo: string }

export function ChangePasswordPage({ csrf, email, hasTokens, answer, closeTo }: Props) {
  const { onSubmit, refusal } = useCheckedForm(changePasswordErrors, answer)
  return (
    <div className="wrap account-page">
      <h1>Change Password</h1>
      <p className="muted">You stay logged in here, and are logged out everywhere else.</p>
      <Form method="post" className="stack box" noValidate onSubmit={onSubmit}>
        <ChangePasswordFields csrf={csrf} email={email} hasTokens={hasTokens} refusal={refusal} />
        <p className="acts">
          <Link className="btn btn--secondary" to={closeTo}>
            Cancel
          </Link>
          <button className="btn btn--primary" type="submit" name="intent" value="change">
            Change Password
          </button>
        </p>
      </Form>
    </div>
  )
}

export function PasswordChanged({ message }: { message: string }) {
  return (
    <div className="wrap account-page">
      <h1>Change Password</h1>
      <div className="notice notice--success" role="status">
        <Icon name="check" />
        <p>{message}</p>
      </div>
      <p className="muted">You stay logged in here, and are logged out everywhere else.</p>
      <p>
        <Link className="btn btn--primary" to="/home/">
          Go to Home
        </Link>
      </p>
    </div>
  )
}
