import { Form } from '@remix-run/react'
import { CsrfField } from '../ui/form.tsx'

type Props = { csrf: string; answer?: { message?: string } }

/** Asks for a new link in place of one that has expired. */
export function RenewInvitation({ csrf, answer }: Props) {
  return (
    <Form method="post" className="stack">
      <CsrfField token={csrf} />
      <p>If your link has expired, you can get a new one by email, at the address that was invited.</p>
      {answer?.message && (
        <p className="error" role="alert">
          {answer.message}
        </p>
      )}
      <button className="btn btn--secondary btn--wide" type="submit" name="intent" value="renew">
        Send me a new link
      </button>
    </Form>
  )
}
