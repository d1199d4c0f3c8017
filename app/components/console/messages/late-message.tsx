import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SendingButton } from './message-view.tsx'
import { messagesPath } from './messages-table.tsx'

type Props = { uid: string; name: string; notAfter: string | null }

/** Asks what is to become of a message whose time has passed. */
export function LateMessage({ uid, name, notAfter }: Props) {
  return (
    <RouteDialog
      title={name}
      size="md"
      closeTo={messagesPath}
      footer={
        <>
          <CloseLink closeTo={messagesPath} />
          <span className="end">
            <SendingButton uid={uid} change="keep-late" label="Keep as a draft" />
            <SendingButton uid={uid} change="send-late" label="Send now" />
          </span>
        </>
      }
    >
      <p>
        {notAfter ? `This message was not to be sent after ${notAfter}. ` : 'The time of this message has passed. '}
        Nobody has got it. You can send it now, or keep it as a draft.
      </p>
    </RouteDialog>
  )
}
