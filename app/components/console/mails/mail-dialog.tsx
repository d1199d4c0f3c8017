import { Link } from '@remix-run/react'
import { CloseFooter, RouteDialog } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import type { MailView } from './view.ts'

const closeTo = '/dashboard/mails/'

/** What became of a mail. */
export function MailDialog({ subject, kind, to, userUid, state, message, story, suppressionUid }: MailView) {
  return (
    <RouteDialog
      title={subject}
      size="md"
      closeTo={closeTo}
      status={<StatusChip status={state.tone} label={state.label} />}
      footer={<CloseFooter closeTo={closeTo} />}
    >
      <dl className="stack">
        <div>
          <dt className="muted small">To</dt>
          <dd>{userUid ? <Link to={`/dashboard/users/${userUid}/`}>{to}</Link> : to}</dd>
        </div>
        <div>
          <dt className="muted small">Kind</dt>
          <dd>
            {kind}
            {message && (
              <>
                {': '}
                <Link to={`/dashboard/messages/${message.uid}/`}>{message.name}</Link>
              </>
            )}
          </dd>
        </div>
      </dl>
      <h3 className="mt-4">What happened</h3>
      <ol className="stack" aria-label="What happened">
        {story.map(({ at, what, words }) => (
          <li key={what}>
            {at && <span className="muted small block">{at}</span>}
            {what}
            {words && (
              <>
                {': '}
                <q className="wrap-anywhere">{words}</q>
              </>
            )}
          </li>
        ))}
      </ol>
      {suppressionUid && (
        <p className="mt-4">
          This address gets no mail now.{' '}
          <Link to={`/dashboard/suppressed/${suppressionUid}/release/`}>Send to it again</Link>
        </p>
      )}
    </RouteDialog>
  )
}
