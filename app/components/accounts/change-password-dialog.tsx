import { useFetcher } from '@remix-run/react'
import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { changePasswordErrors } from '~/forms/account-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { useModal } from '../ui/modal.ts'
import { ChangePasswordFields } from './change-password-fields.tsx'
import { useCheckedForm } from './use-checked-form.ts'

/** What the page's loader and action return. */
type Loaded = { email: string; hasTokens: boolean }
type Answer = { changed: string } | (Refused & { csrf: string })
type Props = { csrf: string | null; email: string; onClose: () => void; onChanged: (message: string) => void }

/** Shows /change-password/ in a dialog over the current page. A click outside does not close it. */
export function ChangePasswordDialog({ csrf, email, onClose, onChanged }: Props) {
  const ref = useModal()
  const fetcher = useFetcher<Answer>()
  // Asked for here, because only this form wants to know whether the person has tokens.
  const { data: loaded, load } = useFetcher<Loaded>()
  const answer = fetcher.data && 'fieldErrors' in fetcher.data ? fetcher.data : undefined
  const changed = fetcher.data && 'changed' in fetcher.data ? fetcher.data.changed : undefined
  const { onSubmit, refusal } = useCheckedForm(changePasswordErrors, answer)
  useEffect(() => {
    load('/change-password/')
  }, [load])
  useEffect(() => {
    if (changed === undefined) return
    onChanged(changed)
    ref.current?.close()
  }, [changed, onChanged])
  // A portal, because the dialog must not be inside the landmarks of the page's bar.
  return createPortal(
    <dialog ref={ref} className="dlg dlg--account" aria-labelledby="change-password-title" onClose={onClose}>
      <header>
        <h2 id="change-password-title">Change Password</h2>
      </header>
      <fetcher.Form method="post" action="/change-password/" noValidate onSubmit={onSubmit}>
        <div className="in stack">
          <ChangePasswordFields
            csrf={answer?.csrf || csrf}
            email={email}
            hasTokens={loaded?.hasTokens ?? false}
            refusal={refusal}
          />
        </div>
        <footer>
          <button className="btn btn--secondary" type="button" onClick={() => ref.current?.close()}>
            Cancel
          </button>
          <button
            className="btn btn--primary"
            type="submit"
            name="intent"
            value="change"
            aria-disabled={fetcher.state !== 'idle' || undefined}
          >
            Change Password
          </button>
        </footer>
      </fetcher.Form>
    </dialog>,
    document.body,
  )
}
