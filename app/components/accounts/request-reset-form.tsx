import { Form, Link } from '@remix-run/react'
import { resetRequestErrors } from '~/forms/account-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { TextField } from '../ui/fields.tsx'
import { CsrfField, FormErrors } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useCheckedForm } from './use-checked-form.ts'

export function RequestResetForm({ csrf, answer }: { csrf: string; answer?: Refused }) {
  const { onSubmit, refusal } = useCheckedForm(resetRequestErrors, answer)
  return (
    <>
      <h1 className="mb-3">Request Password Reset</h1>
      <p className="muted mb-6">
        Enter the email address that you log in with. We will send you a link to reset your password.
      </p>
      <Form method="post" className="stack" noValidate onSubmit={onSubmit}>
        <CsrfField token={csrf} />
        <FormErrors refusal={refusal} />
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          defaultValue={answer?.values.email}
          error={refusal?.fieldErrors.email}
        />
        <button className="btn btn--primary btn--wide" type="submit" name="intent" value="request">
          Send Link
        </button>
        <p className="text-center">
          <Link className="btn btn--quiet" to="/login/">
            Back to Log In
          </Link>
        </p>
      </Form>
    </>
  )
}

/** Looks the same whether a mail was sent or not, so that nobody learns which addresses have accounts. */
export function ResetRequested({ message }: { message: string }) {
  return (
    <div className="stack">
      <h1>Request Password Reset</h1>
      <div className="notice notice--success" role="status">
        <Icon name="check" />
        <p>{message}</p>
      </div>
      <p className="muted">
        The link works for 24 hours. If it does not arrive within a few minutes, check your spam folder and the address
        that you entered.
      </p>
      <p>
        <Link className="btn btn--secondary" to="/login/">
          Back to Log In
        </Link>
      </p>
    </div>
  )
}
