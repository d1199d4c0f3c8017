import { useFetcher } from '@remix-run/react'
import { CsrfField, useHydrated } from '../ui/form.tsx'

/** With JavaScript the tick is the whole form; without it a button sends it. */
export function OptOutForm({ isOptedOut, csrf }: { isOptedOut: boolean; csrf: string | null }) {
  const fetcher = useFetcher()
  const isHydrated = useHydrated()
  const sent = fetcher.formData?.get('isOptedOut')
  const isOn = fetcher.formData ? sent === 'on' : isOptedOut
  return (
    <fetcher.Form method="post" className="stack" action="/my-learning/my-account/">
      <CsrfField token={csrf} />
      <input type="hidden" name="intent" value="opt-out" />
      <label className="tick">
        <input
          key={isHydrated ? 'live' : 'plain'}
          type="checkbox"
          name="isOptedOut"
          {...(isHydrated
            ? { checked: isOn, onChange: (event) => fetcher.submit(event.currentTarget.form) }
            : { defaultChecked: isOptedOut })}
        />
        <span>
          Opt out of email messages
          <span className="hint">Mails about the account itself, such as a link to a new password, always come.</span>
        </span>
      </label>
      {!isHydrated && (
        <button className="btn btn--secondary" type="submit">
          Save
        </button>
      )}
    </fetcher.Form>
  )
}
