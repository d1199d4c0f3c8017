import { Form } from '@remix-run/react'
import { confirmInvitationPageErrors } from '~/forms/account-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { CheckboxField } from '../ui/fields.tsx'
import { CsrfField, FormErrors } from '../ui/form.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { LegalLink } from './legal-link.tsx'
import { keepsAllRules, PasswordChecklist, usePasswords } from './password-checklist.tsx'
import { useCheckedForm } from './use-checked-form.ts'

type Props = { account: { firstName: string; email: string }; csrf: string; answer?: Refused }

/** With JavaScript, Confirm is disabled until every rule is met. Without it, the service says what is missing. */
export function ConfirmInvitationForm({ account, csrf, answer }: Props) {
  const { onSubmit, refusal } = useCheckedForm(confirmInvitationPageErrors, answer)
  const { typed, formProps } = usePasswords()
  const errors = refusal?.fieldErrors ?? {}
  const isReady = typed === null || (keepsAllRules(typed) && typed.privacy === 'on')
  return (
    <>
      <h1 className="mb-3">Confirm Invitation</h1>
      <p className="muted mb-6">
        {account.firstName ? `Welcome, ${account.firstName}. ` : 'Welcome. '}
        Choose a password for <span className="wrap-anywhere text-ink">{account.email}</span>.
      </p>
      <Form method="post" className="stack" noValidate onSubmit={onSubmit} {...formProps}>
        <CsrfField token={csrf} />
        {/* Password managers save the new password under this address. */}
        <input type="hidden" name="username" autoComplete="username" value={account.email} />
        <FormErrors refusal={refusal} />
        <PasswordChecklist id="password-rules" typed={typed} sent={answer?.values.rulesMet?.split(' ')} />
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
        <CheckboxField
          name="privacy"
          label={
            <>
              I agree to the <LegalLink to="/privacy-policy/">Privacy Policy</LegalLink>
            </>
          }
          isRequired
          error={errors.privacy}
          defaultChecked={answer?.values.privacy === 'on'}
        />
        <button
          className="btn btn--primary btn--wide"
          type="submit"
          name="intent"
          value="confirm"
          disabled={!isReady}
          aria-describedby={isReady ? undefined : 'confirm-waits'}
        >
          Confirm
        </button>
        {!isReady && (
          <p id="confirm-waits" className="muted small">
            You can confirm once your password meets every rule above and you agree to the Privacy Policy.
          </p>
        )}
      </Form>
    </>
  )
}
