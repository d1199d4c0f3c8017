import { useRef } from 'react'
import { changeAddressForm, objectionDays } from '~/forms/address-changes.ts'
import { longestEmail } from '~/forms/profile-rules.ts'
import { TextField } from '../../ui/fields.tsx'
import { nothingTyped } from '../confirm-route.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { AddressChangeView } from './view.ts'

const title = 'Change email address'
const formId = 'change-address'

/** The address of somebody else: enters a new one or, while one waits to be confirmed, cancels it or sends it again. */
export function ChangeAddress({ user }: { user: AddressChangeView }) {
  return user.waiting === null ? <NewAddress user={user} /> : <WaitingAddress user={user} waiting={user.waiting} />
}

function NewAddress({ user: { uid, name, email, isPending } }: { user: AddressChangeView }) {
  const first = useRef<HTMLInputElement>(null)
  const closeTo = `/dashboard/users/${uid}/`
  return (
    <RouteDialog
      title={title}
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={first}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Changing">
            {isPending ? 'Change and invite' : 'Change'}
          </SubmitButton>
        </span>
      }
    >
      <ConsoleForm id={formId} schema={changeAddressForm} className="formstack">
        <p className="wrap-anywhere">
          {name}, {email}
        </p>
        <TextField
          name="email"
          label="New email address"
          type="email"
          maxLength={longestEmail}
          inputRef={first}
          hint={
            isPending
              ? 'Nobody has opened this account yet. The address changes at once, the invitation is sent to it, and links in earlier mails no longer work.'
              : `Nothing changes until the new address is confirmed with a link that is sent there. The present address is told, and can object for ${objectionDays} days.`
          }
        />
      </ConsoleForm>
    </RouteDialog>
  )
}

type WaitingProps = { user: AddressChangeView; waiting: NonNullable<AddressChangeView['waiting']> }

function WaitingAddress({ user: { uid, name, email }, waiting }: WaitingProps) {
  const closeTo = `/dashboard/users/${uid}/`
  return (
    <RouteDialog
      title={title}
      size="md"
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo} />
          <SubmitButton className="btn--danger-line" form={formId} intent="cancel" busyWord="Canceling">
            Cancel the change
          </SubmitButton>
          {waiting.canBeSentAgain && (
            <SubmitButton className="btn--primary" form={formId} intent="again" busyWord="Sending">
              Send again
            </SubmitButton>
          )}
        </span>
      }
    >
      <ConsoleForm id={formId} intent={null} schema={nothingTyped} className="formstack">
        <p className="wrap-anywhere">
          {name}, {email}
        </p>
        <p className="notice wrap-anywhere">Waiting for confirmation at {waiting.email}</p>
        <p className="muted">
          Asked for on {waiting.askedOn}. The link works until {waiting.until}.
          {!waiting.canBeSentAgain && ' It can be sent again an hour after the last mail.'}
        </p>
      </ConsoleForm>
    </RouteDialog>
  )
}
