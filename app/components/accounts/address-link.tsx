import { Form, Link } from '@remix-run/react'
import type { Refused } from '~/forms/refused.ts'
import { CsrfField, FormErrors } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'

type FormProps = {
  title: string
  text: string
  /** The address that the link was mailed to. */
  email: string
  button: string
  csrf: string
  answer?: Refused
}

/** The page of a mailed link. Only its button acts: programs that check mails open links, and press no buttons. */
export function AddressLinkForm({ title, text, email, button, csrf, answer }: FormProps) {
  return (
    <Form method="post" className="stack">
      <h1>{title}</h1>
      <CsrfField token={csrf} />
      <FormErrors refusal={answer} />
      <p className="wrap-anywhere">
        <strong>{email}</strong>
      </p>
      <p className="muted">{text}</p>
      <button className="btn btn--primary btn--wide" type="submit" name="intent" value="use">
        {button}
      </button>
    </Form>
  )
}

type OutcomeProps = {
  title: string
  message: string
  isGood: boolean
  next: { label: string; to: string }
}

/** Says what came of the change, after the button was pressed and when the link is opened again. */
export function AddressLinkOutcome({ title, message, isGood, next }: OutcomeProps) {
  return (
    <div className="stack">
      <h1>{title}</h1>
      <div className={`notice notice--${isGood ? 'success' : 'error'}`} role="status">
        <Icon name={isGood ? 'check' : 'alert'} />
        <p>{message}</p>
      </div>
      <p>
        <Link className="btn btn--primary btn--wide" to={next.to}>
          {next.label}
        </Link>
      </p>
    </div>
  )
}
