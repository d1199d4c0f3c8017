import { Link } from '@remix-run/react'
import { BackLink } from '../ui/back-link.tsx'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'

type Row = { id: string; to: string; subject: string; sentAt: string }
type ListProps = { isUsed: boolean; mails: Row[]; page: number; size: number; total: number }

/** Lists mails that stay in files, for installations without a mail server. */
export function OutboxList({ isUsed, mails, page, size, total }: ListProps) {
  return (
    <div className="stack outbox">
      <h1>Outbox</h1>
      <p className="muted">
        {isUsed
          ? 'No mail server is set up, so mail stays here and is not sent. The operator can set one up with SMTP_URL.'
          : 'A mail server is set up and sends new mail. The mail below is from before.'}
      </p>
      {mails.length === 0 && page > 1 ? (
        <BeyondTheList icon="message" to="/dashboard/outbox/" />
      ) : mails.length === 0 ? (
        <Empty icon="message" title="No mail yet">
          <p>Invitations and password reset links appear here.</p>
        </Empty>
      ) : (
        <ul className="mails">
          {mails.map((mail) => (
            <li key={mail.id}>
              <Link to={`/dashboard/outbox/${mail.id}/`}>{mail.subject || '(no subject)'}</Link>
              <span className="muted small">
                {mail.to} · {mail.sentAt}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Pages page={page} size={size} total={total} to={(number) => `/dashboard/outbox/?page=${number}`} />
    </div>
  )
}

export function OutboxMail({
  to,
  subject,
  text,
  sentAt,
}: {
  to: string
  subject: string
  text: string
  sentAt: string
}) {
  return (
    <div className="stack outbox">
      <BackLink to="/dashboard/outbox/">Outbox</BackLink>
      <h1>{subject || '(no subject)'}</h1>
      <p className="muted">
        To {to} · {sentAt}
      </p>
      <pre className="box">{text}</pre>
    </div>
  )
}
