import { useFetcher } from '@remix-run/react'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import type { Refused } from '~/forms/refused.ts'
import { CsrfField, useHydrated } from '../ui/form.tsx'

type Choices = { messages: boolean; reminders: boolean; reports: boolean; tracking: boolean }

const boxes: { key: keyof Choices; name: string; label: string; hint?: string }[] = [
  {
    key: 'messages',
    name: 'isOptedOut',
    label: 'Opt out of email messages',
    hint: 'You will still get emails about your account, such as a link to a new password.',
  },
  { key: 'reminders', name: 'noReminders', label: 'Opt out of due-date reminders' },
  { key: 'reports', name: 'noReports', label: 'Opt out of reports by email' },
  {
    key: 'tracking',
    name: 'noTracking',
    label: 'Do not count whether I open emails',
    hint: 'The links I follow in them are not counted either.',
  },
]

/** With JavaScript, ticking a box sends the form. Without it, a button does. */
export function OptOutForm({ choices, csrf }: { choices: Choices; csrf: string | null }) {
  const fetcher = useFetcher<Refused>()
  const button = useRef<HTMLButtonElement>(null)
  const isHydrated = useHydrated()
  const [shown, setShown] = useState(choices)
  const refused = fetcher.data
  useEffect(() => setShown(choices), [choices])
  useEffect(() => {
    if (!refused) return
    setShown(choices)
    notify({ kind: 'error', text: refused.message })
  }, [refused, choices])
  const onChange = (key: keyof Choices) => (event: ChangeEvent<HTMLInputElement>) => {
    const { checked, form } = event.currentTarget
    setShown((before) => ({ ...before, [key]: checked }))
    form?.requestSubmit(button.current)
  }
  return (
    <fetcher.Form method="post" className="stack" action="/my-learning/my-account/">
      <CsrfField token={csrf} />
      {boxes.map(({ key, name, label, hint }) => (
        <label key={key} className="tick">
          <input type="checkbox" name={name} checked={shown[key]} onChange={onChange(key)} />
          <span>
            {label}
            {hint && <span className="hint">{hint}</span>}
          </span>
        </label>
      ))}
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
