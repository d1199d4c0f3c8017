import { Form, Link, useLocation, useNavigation } from '@remix-run/react'
import { loginPageErrors } from '~/forms/account-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { CheckboxField, TextField } from '../ui/fields.tsx'
import { CsrfField, FormErrors, useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { LegalLink } from './legal-link.tsx'
import { useCheckedForm } from './use-checked-form.ts'

/**
 * The browser's own checks are off (`noValidate`): errors appear beside their fields in the words of the specification.
 */
type Props = {
  next: string | null
  notice: string | null
  csrf: string
  answer?: Refused
}

export function LoginForm({ next, notice, csrf, answer }: Props) {
  const isSending = useNavigation().state !== 'idle'
  // The part of an address after # never reaches a server, but browsers keep it through redirects.
  const location = useLocation()
  const hash = useHydrated() ? location.hash : ''
  const { onSubmit, refusal } = useCheckedForm(loginPageErrors, answer)
  const errors = refusal?.fieldErrors ?? {}
  return (
    <>
      <h1 className="mb-6">Log In</h1>
      {notice && !answer && (
        <p className="notice mb-6">
          <Icon name="info" />
          <span>{notice}</span>
        </p>
      )}
      <Form method="post" className="stack" noValidate onSubmit={onSubmit}>
        <CsrfField token={csrf} />
        <input type="hidden" name="next" value={answer?.values.next ?? (next === null ? '' : next + hash)} />
        <FormErrors refusal={refusal} />
        <TextField
          name="username"
          label="Email"
          type="email"
          autoComplete="username"
          defaultValue={answer?.values.username}
          error={errors.username}
        />
        <PasswordField name="password" label="Password" autoComplete="current-password" error={errors.password} />
        <CheckboxField
          name="terms"
          label={
            <>
              I agree to the <LegalLink to="/terms/">Terms and Conditions</LegalLink>
            </>
          }
          isRequired
          error={errors.terms}
          defaultChecked={answer?.values.terms === 'on'}
        />
        <button
          className="btn btn--primary btn--wide"
          type="submit"
          name="intent"
          value="login"
          aria-disabled={isSending || undefined}
        >
          Log In
        </button>
        <p className="text-center">
          <Link className="btn btn--quiet" to="/request-password-reset/">
            Forgot password?
          </Link>
        </p>
      </Form>
    </>
  )
}
