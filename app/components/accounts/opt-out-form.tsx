import { useFetcher } from '@remix-run/react'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import type { Refused } from '~/forms/refused.ts'
import { CsrfField, useHydrated } from '../ui/form.tsx'

/** With JavaScript, ticking the box sends the form. Without it, a button does. */
export function OptOutForm({ isOptedOut, csrf }: { isOptedOut: boolean; csrf: string | null }) {
  const fetcher = useFetcher<Refused>()
  const button = useRef<HTMLButtonElement>(null)
  const isHydrated = useHydrated()
  const [isOn, setOn] = useState(isOptedOut)
  const refused = fetcher.data
  useEffect(() => setOn(isOptedOut), [isOptedOut])
  useEffect(() => {
    if (!refused) return
    setOn(isOptedOut)
    notify({ kind: 'error', text: refused.message })
  }, [refused, isOptedOut])
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    setOn(event.currentTarget.checked)
    event.currentTarget.form?.requestSubmit(button.current)
  }
  return (
    <fetcher.Form method="post" className="stack" action="/my-learning/my-account/">
      <CsrfField token={csrf} />
      <label className="tick">
        <input type="checkbox" name="isOptedOut" checked={isOn} onChange={onChange} />
        <span>
          Opt out of email messages
          <span className="hint">
            That includes reminders of what is due. You will still get emails about your account, such as a link to a
            new password.
          </span>
        </span>
      </label>
      <button
        ref={button}
        className="btn btn--secondary"
        type="submit"
        name="intent"
        value="opt-out"
        hidden={isHydrated}
      >
        Save
      </button>
    </fetcher.Form>
  )
}
