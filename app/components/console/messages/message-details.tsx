import { Link, useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { tableSearch } from '~/lib/table-query.ts'
import { Icon } from '../../ui/icon.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { MessageText, SendingButton } from './message-view.tsx'
import { messagesPath } from './messages-table.tsx'
import type { MessageStatsView, SentMessageView } from './view.ts'

type FrameProps = { message: SentMessageView; children: ReactNode }

/** A message that can no longer be changed, with a tab for what became of it and one for its recipients (C-059). */
export function MessageDetails({ message, children }: FrameProps) {
  const { uid, name, status, note, createdBy, sentOn, updatedOn } = message
  const facts = [
    ['Created by', createdBy],
    ['Sent on', sentOn],
    ['Last updated', updatedOn],
  ].filter(([, value]) => value !== null)
  return (
    <RouteDialog
      title={name}
      size="xl"
      closeTo={messagesPath}
      status={<StatusChip status={status} />}
      footer={
        <>
          <CloseLink closeTo={messagesPath}>Back to Messages</CloseLink>
          <span className="end">
            <SendingButtons message={message} />
            <a className="btn btn--secondary" href={`/api/reports/announcements/?uid=${uid}`} download>
              <Icon name="download" />
              Export
            </a>
            <DialogLink className="btn btn--secondary" to={`${messagesPath}${uid}/duplicate/`}>
              Duplicate
            </DialogLink>
          </span>
        </>
      }
    >
      {note && <p className="notice">{note}</p>}
      <p className="muted flex flex-wrap gap-x-6 gap-y-1">
        {facts.map(([label, value]) => (
          <span key={label}>
            {label} {value}
          </span>
        ))}
      </p>
      <div className="formtabs">
        <Tabs uid={uid} />
        {children}
      </div>
    </RouteDialog>
  )
}

/** The tabs keep the query of the list of messages, but not that of the recipients. */
function Tabs({ uid }: { uid: string }) {
  const { pathname, search } = useLocation()
  const stats = `${messagesPath}${uid}/`
  const isRecipients = pathname.includes('/recipients')
  const list = tableSearch(search, '')
  return (
    <nav className="tabs" aria-label="Message">
      <Link to={stats + list} aria-current={isRecipients ? undefined : 'page'} preventScrollReset>
        Stats
      </Link>
      <Link to={`${stats}recipients/${list}`} aria-current={isRecipients ? 'page' : undefined} preventScrollReset>
        Recipients
      </Link>
    </nav>
  )
}

function SendingButtons({ message: { uid, sending } }: { message: Pick<SentMessageView, 'uid' | 'sending'> }) {
  if (sending === 'preparing' || sending === 'sending') return <SendingButton uid={uid} change="stop" label="Stop" />
  return sending === 'stopped' ? <SendingButton uid={uid} change="resume" label="Resume" /> : null
}

/** The tab "Stats": rates of both ways of delivery, the states of the mails, and the message itself (C-063). */
export function MessageStats({ uid, stats }: { uid: string; stats: MessageStatsView }) {
  const { email, dashboard, remarks, ledger, inDoubt, message, deliveryType } = stats
  return (
    <div className="formstack">
      <div className="grid gap-6 sm:grid-cols-2">
        <Panel title="Email" rates={email} />
        <Panel title="Learner dashboard" rates={dashboard} />
      </div>
      {remarks.map((remark) => (
        <p key={remark} className="muted small">
          {remark}
        </p>
      ))}
      {inDoubt > 0 && (
        <div className="notice">
          <span>
            {inDoubt === 1 ? 'One email is' : `${inDoubt.toLocaleString('en')} emails are`} in doubt: nobody knows whether
            the mail server took {inDoubt === 1 ? 'it' : 'them'}.{' '}
          </span>
          <DialogLink to={`${messagesPath}${uid}/resend/`}>Send again</DialogLink>
        </div>
      )}
      {ledger.length > 0 && (
        <section>
          <h3>What became of the emails</h3>
          <dl className="figures">
            {ledger.map(({ label, value, what }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd className="voice num">{value}</dd>
                <dd className="muted small">{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <MessageText message={message} deliveryType={deliveryType} />
    </div>
  )
}

function Panel({ title, rates }: { title: string; rates: MessageStatsView['email'] }) {
  return (
    <section aria-label={title} className="p-4 border border-line rounded-lg">
      <h3>{title}</h3>
      <dl className="grid grid-cols-2 gap-3 mt-2">
        {rates.map(({ label, value }) => (
          <div key={label}>
            <dt className="muted small">{label}</dt>
            <dd>
              <strong className="num">{value}</strong>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
