import { Empty } from '../../ui/empty.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import type { InvitedListLine } from './view.ts'

const closeTo = '/dashboard/users/?tab=pending'

/** The lists of people that were invited in the last thirty days. */
export function InvitedLists({ lists }: { lists: InvitedListLine[] }) {
  return (
    <RouteDialog title="Invited lists" closeTo={closeTo} footer={<CloseLink closeTo={closeTo} />}>
      <p className="muted mb-4">Lists are kept for thirty days.</p>
      {lists.length === 0 ? (
        <Empty icon="check" title="No list has been invited">
          <p>With Invite User, you can invite many people from a CSV file.</p>
        </Empty>
      ) : (
        <table className="faults">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">Started</th>
              <th scope="col">State</th>
              <th scope="col">Invited</th>
              <th scope="col">Not registered yet</th>
            </tr>
          </thead>
          <tbody>
            {lists.map(({ uid, fileName, createdOn, status, invited, total, waiting }) => (
              <tr key={uid}>
                <th scope="row" data-label="File">
                  <DialogLink className="name" to={`/dashboard/users/invitations/${uid}/`}>
                    {fileName}
                  </DialogLink>
                </th>
                <td data-label="Started">{createdOn}</td>
                <td data-label="State">{status}</td>
                <td data-label="Invited">
                  {invited.toLocaleString('en')} of {total.toLocaleString('en')}
                </td>
                <td data-label="Not registered yet">{waiting.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </RouteDialog>
  )
}
