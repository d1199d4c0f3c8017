import { Link } from '@remix-run/react'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { messagesPath } from './messages-table.tsx'
import type { ComparedMessage, RateView } from './view.ts'

type Channel = 'email' | 'dashboard'
type Props = { messages: ComparedMessage[]; channel: Channel; addresses: Record<Channel, string> }

const labels: Record<Channel, string> = { email: 'EMAIL', dashboard: 'LEARNER DASHBOARD' }
const channels: Channel[] = ['email', 'dashboard']

/** Sent messages side by side. Each tab has an address of its own, so it also works without JavaScript. */
export function CompareMessages({ messages, channel, addresses }: Props) {
  return (
    <RouteDialog
      title="Message Comparison"
      size="xl"
      closeTo={messagesPath}
      footer={<CloseLink closeTo={messagesPath}>Close</CloseLink>}
    >
      <div className="formtabs">
        <nav className="tabs" aria-label="Delivery">
          {channels.map((one) => (
            <Link
              key={one}
              to={addresses[one]}
              aria-current={one === channel ? 'page' : undefined}
              preventScrollReset
              replace
            >
              {labels[one]}
            </Link>
          ))}
        </nav>
        <ul className="grid gap-4 mt-4 sm:grid-cols-2">
          {messages.map((message) => (
            <li key={message.uid} className="formstack p-4 border border-line rounded">
              <div>
                <h3>{message.name}</h3>
                <p className="muted small">
                  {message.subject} · Sent {message.sentOn}
                </p>
              </div>
              <Rates rates={message[channel]} />
              <p>
                <DialogLink
                  to={`${messagesPath}${message.uid}/`}
                  aria-label={`Details of ${message.name}`}
                  discover="none"
                >
                  Details
                </DialogLink>
              </p>
            </li>
          ))}
        </ul>
      </div>
    </RouteDialog>
  )
}

export function Rates({ rates }: { rates: RateView[] }) {
  return (
    <dl className="grid grid-cols-2 gap-3">
      {rates.map(({ label, value, tag, note }) => (
        <div key={label}>
          <dt className="muted small">{label}</dt>
          <dd>
            <strong className="num">{value}</strong>
            {tag && <span className="block small">{tag}</span>}
            {note && <span className="block muted small">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
