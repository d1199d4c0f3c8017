import { Form, useNavigation } from '@remix-run/react'
import { CsrfField, FormErrors, PasswordField, type Refused, TextField, TickField } from '../ui/form.tsx'
import { LegalLink } from './legal-link.tsx'

/** Errors stand beside their fields in the documents' words, so the browser's own checks are off. */
export function LoginForm({ next, csrf, refusal }: { next: string | null; csrf: string; refusal?: Refused }) {
  const isSending = useNavigation().state !== 'idle'
  const errors = refusal?.fieldErrors ?? {}
  return (
    <>
      <h1 className="mb-6">Log In</h1>
      <Form method="post" className="stack" noValidate>
        <CsrfField token={csrf} />
        <input type="hidden" name="next" value={refusal?.values.next ?? next ?? ''} />
        <FormErrors refusal={refusal} />
        <TextField
          name="username"
          label="Email"
          type="email"
          autoComplete="username"
          defaultValue={refusal?.values.username}
          error={errors.username}
        />
        <PasswordField name="password" label="Password" autoComplete="current-password" error={errors.password} />
        <TickField name="terms" error={errors.terms} defaultChecked={refusal?.values.terms === 'on'}>
          I agree to the <LegalLink to="/terms/">Terms and Conditions</LegalLink>
        </TickField>
        <button
          className="btn btn--primary btn--wide"
          type="submit"
          name="intent"
          value="login"
          aria-disabled={isSending || undefined}
        >
          Log In
        </button>
      </Form>
    </>
  )
}
