import { Form, Link } from '@remix-run/react'
import { CsrfField, FormErrors, PasswordField, type Refused, TickField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { LegalLink } from './legal-link.tsx'

type Props = {
  account: { firstName: string; email: string }
  rules: string[]
  csrf: string
  refusal?: Refused
}

export function ConfirmInvitationForm({ account, rules, csrf, refusal }: Props) {
  const errors = refusal?.fieldErrors ?? {}
  return (
    <>
      <h1 className="mb-3">Confirm Invitation</h1>
      <p className="muted mb-6">
        {account.firstName ? `Welcome, ${account.firstName}. ` : 'Welcome. '}
        Choose a password for <span className="break-all text-ink">{account.email}</span>.
      </p>
      <Form method="post" className="stack" noValidate>
        <CsrfField token={csrf} />
        {/* Password managers keep the new password with this address. */}
        <input type="hidden" name="username" autoComplete="username" value={account.email} />
        <FormErrors refusal={refusal} />
        <div id="password-rules" className="small muted">
          <p>Your password needs:</p>
          <ul className="list-disc pl-5">
            {rules.map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </div>
        <PasswordField
          name="password"
          label="Password"
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
        <TickField name="privacy" error={errors.privacy} defaultChecked={refusal?.values.privacy === 'on'}>
          I agree to the <LegalLink to="/privacy-policy/">Privacy Policy</LegalLink>
        </TickField>
        <button className="btn btn--primary btn--wide" type="submit" name="intent" value="confirm">
          Confirm
        </button>
      </Form>
    </>
  )
}

export function InvalidInvitation({ message }: { message: string }) {
  return (
    <div className="stack">
      <h1>Confirm Invitation</h1>
      <div className="notice notice--error" role="alert">
        <Icon name="alert" />
        <p>{message}</p>
      </div>
      <p>
        <Link className="btn btn--secondary" to="/login/">
          Log In
        </Link>
      </p>
    </div>
  )
}
