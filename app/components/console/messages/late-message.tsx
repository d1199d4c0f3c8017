import { stepField } from '~/forms/steps.ts'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { SendingButton } from './message-view.tsx'
import { messagesPath } from './messages-table.tsx'

type Props = { uid: string; name: string; notAfter: string | null; timesKey: string }

/** Asks what is to become of a message whose time has passed. Its review shows what would be sent, and to whom. */
export function LateMessage({ uid, name, notAfter, timesKey }: Props) {
  return (
    <RouteDialog
      title={name}
      size="md"
      closeTo={messagesPath}
      footer={
        <>
          <CloseLink closeTo={messagesPath} />
          <span className="end">
            <SendingButton
              uid={uid}
              change="keep-late"
              label="Keep as a draft"
              fields={<input type="hidden" name="shownTimes" value={timesKey} />}
            />
            <DialogLink to={`${messagesPath}${uid}/?${stepField}=review`} className="btn btn--primary">
              Check and send
            </DialogLink>
          </span>
        </>
      }
    >
      <p>
        {notAfter ? `This message was not to be sent after ${notAfter}. ` : 'The time of this message has passed. '}
        Nobody has received it yet. You can check it and send it now, or keep it as a draft.
      </p>
    </RouteDialog>
  )
}
