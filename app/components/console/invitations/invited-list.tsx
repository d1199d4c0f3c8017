import { Icon } from '../../ui/icon.tsx'
import { BulkProgress } from '../bulk/bulk-progress.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import type { InvitedListView } from './view.ts'

const closeTo = '/dashboard/users/?tab=pending'

/** How far the invitations of a list are, what happened to each row, and the way to withdraw them. */
export function InvitedList({ list }: { list: InvitedListView }) {
  const { operation, fileName, leftOut, withdrawable, withdrawal } = list
  const path = `/dashboard/users/invitations/${operation.uid}/`
  const isRunning = operation.status === 'running' || withdrawal?.status === 'running'
  return (
    <RouteDialog
      title="Invite Users"
      closeTo={closeTo}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <span className="end">
            {!isRunning && withdrawable > 0 && (
              <DialogLink className="btn btn--danger-line" to={`${path}withdraw/`}>
                Withdraw invitations
              </DialogLink>
            )}
          </span>
        </>
      }
    >
      <p className="muted mb-4 wrap-anywhere">{fileName}</p>
      <BulkProgress operation={operation} />
      {leftOut > 0 && (
        <p className="muted mt-4">
          {leftOut === 1 ? '1 row was' : `${leftOut.toLocaleString('en')} rows were`} left out, because something was
          wrong in {leftOut === 1 ? 'it' : 'them'}.
        </p>
      )}
      {operation.status !== 'running' && <p className="mt-4">{whoIsLeft(withdrawable)}</p>}
      <p className="mt-4">
        <a className="btn btn--secondary" href={`${path}result/`} download>
          <Icon name="download" />
          Download what happened to each row
        </a>
      </p>
      {withdrawal && (
        <div className="mt-6">
          <h3 className="text-base mb-3">{withdrawal.title}</h3>
          <BulkProgress operation={withdrawal} name={withdrawal.title} />
        </div>
      )}
    </RouteDialog>
  )
}

function whoIsLeft(people: number): string {
  if (people === 0) return 'Nobody on this list has an open invitation.'
  return `${people.toLocaleString('en')} of the people invited ${people === 1 ? 'has' : 'have'} not registered yet. Emails are sent one after the other.`
}
