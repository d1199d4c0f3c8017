/** A message that is sent or on its way, in two tabs, each with its own address. */
import { Form, Link, useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { messageRecipientsTable } from '~/forms/announcement-tables.ts'
import { discardDraft, offeredAtField, offeredKeyField } from '~/forms/draft-fields.ts'
import { goOnIntent } from '~/forms/intents.ts'
import { readTableQuery, tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { Empty } from '../../ui/empty.tsx'
import { CsrfField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { useRefusal } from '../console-form.tsx'
import { SearchForm } from '../grid/search-form.tsx'
import { addressOf } from '../grid/table-address.tsx'
import type { TableAddress } from '../grid/types.ts'
import { HistoryLink } from '../history/history-link.tsx'
import { RecordTable, withWholeTimes } from '../modules/record-table.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { CloseFooter, CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { Rates } from './compare-messages.tsx'
import { MessageText, SendingButton } from './message-view.tsx'
import { messagesPath, useSendingProgress } from './messages-table.tsx'
import type {
  DeletedMessageView,
  MessageHeadView,
  MessageRecipientsView,
  MessageStatsView,
  RecipientStoryView,
} from './view.ts'

type Tab = 'stats' | 'recipients'

/** The frame of both tabs (C-059 to C-063). */
export function MessageDetails({ head, tab, children }: { head: MessageHeadView; tab: Tab; children: ReactNode }) {
  const { search } = useLocation()
  const list = tableSearch(search, '')
  const path = `${messagesPath}${head.uid}/`
  // What was to go on as a new message is gone, or was refused.
  const refusal = useRefusal()
  useSendingProgress(!refusal && (head.sending === 'preparing' || head.sending === 'sending'))
  return (
    <RouteDialog
      title={head.name}
      size="xl"
      closeTo={messagesPath + (list || '?')}
      status={<StatusChip status={head.status} />}
      footer={
        <>
          <CloseLink closeTo={messagesPath + (list || '?')}>Back to Messages</CloseLink>
          <span className="end">
            <SendingChange head={head} />
            {head.status === 'sent' && (
              <a className="btn btn--secondary" href={`/api/reports/announcements/?uid=${head.uid}`}>
                Export
              </a>
            )}
            <HistoryLink to={`${path}history/`} />
            <DialogLink className="btn btn--secondary" to={`${path}duplicate/`}>
              Duplicate
            </DialogLink>
          </span>
        </>
      }
    >
      {head.isEmail && <OutboxNotice />}
      {refusal?.message && (
        <p className="notice notice--warning" role="alert">
          {refusal.message}
        </p>
      )}
      {head.draft && <TypedTooLate {...head.draft} action={path + list} />}
      {head.note && <p className="notice">{head.note}</p>}
      <div className="formtabs">
        <nav className="tabs" aria-label="Message">
          <Link to={path + list} aria-current={tab === 'stats' ? 'page' : undefined} preventScrollReset>
            Stats
          </Link>
          <Link
            to={`${path}recipients/${list}`}
            aria-current={tab === 'recipients' ? 'page' : undefined}
            preventScrollReset
          >
            Recipients
          </Link>
        </nav>
        <p className="muted small">{aboutOf(head)}</p>
        {children}
      </div>
    </RouteDialog>
  )
}

/** Offers what the viewer typed into a message before it was deleted. */
export function DeletedMessage({ uid, name, draft }: DeletedMessageView) {
  return (
    <RouteDialog title={name} size="md" closeTo={messagesPath} footer={<CloseFooter closeTo={messagesPath} />}>
      <TypedTooLate {...draft} action={`${messagesPath}${uid}/`} isDeleted />
    </RouteDialog>
  )
}

/** Offers what the viewer typed before the message was sent or deleted. */
function TypedTooLate({
  formKey,
  typedAt,
  typedOn,
  action,
  isDeleted = false,
}: NonNullable<MessageHeadView['draft']> & { action: string; isDeleted?: boolean }) {
  const { csrf } = useShell()
  return (
    <Form method="post" action={action} className="notice notice--warning" preventScrollReset>
      <CsrfField token={csrf} />
      <input type="hidden" name={offeredKeyField} value={formKey} />
      <input type="hidden" name={offeredAtField} value={typedAt} />
      <Icon name="alert" />
      <div>
        <p>
          <strong>What you typed on {typedOn} is not in this message.</strong>
          {`It was ${isDeleted ? 'deleted' : 'sent'} before you saved. Go on with your changes as a new message, or discard them.`}
        </p>
        <p className="flex flex-wrap gap-3 mt-3">
          <button className="btn btn--primary" type="submit" name="intent" value={goOnIntent}>
            Go on as a new message
          </button>
          <button className="btn btn--secondary" type="submit" name="intent" value={discardDraft}>
            Discard changes
          </button>
        </p>
      </div>
    </Form>
  )
}

/** "Created by Ada L. · Sent on Nov 3, 2026 · Last updated Nov 2, 2026" (C-062). The operator's messages have no author. */
function aboutOf({ author, sentOn, updatedOn }: MessageHeadView): string {
  return [author && `Created by ${author}`, sentOn && `Sent on ${sentOn}`, `Last updated ${updatedOn}`]
    .filter(Boolean)
    .join(' · ')
}

function SendingChange({ head: { uid, sending } }: { head: MessageHeadView }) {
  if (sending === 'preparing' || sending === 'sending') return <SendingButton uid={uid} change="stop" label="Stop" />
  return sending === 'stopped' ? <SendingButton uid={uid} change="resume" label="Resume" /> : null
}

export function MessageStats({ uid, stats }: { uid: string; stats: MessageStatsView }) {
  const { email, dashboard, remarks, deliveries, waiting, inDoubt, review } = stats
  return (
    <>
      <div className="grid gap-4 mt-4 sm:grid-cols-2">
        <Panel title="Email">
          <Rates rates={email} />
        </Panel>
        <Panel title="Learner dashboard">
          <Rates rates={dashboard} />
        </Panel>
      </div>
      <p className="muted small mt-2">
        Shares of the recipients who got the message. Each person counts once, however often the message was opened.
      </p>
      {remarks.map((remark) => (
        <p key={remark} className="muted small mt-2">
          {remark}
        </p>
      ))}
      <h3 className="mt-6">What became of it</h3>
      {deliveries.length === 0 ? (
        <p className="muted">It has no recipients yet.</p>
      ) : (
        <dl className="figures mt-2">
          {deliveries.map(({ label, people }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="voice num">{people}</dd>
            </div>
          ))}
        </dl>
      )}
      {waiting && (
        <p className="notice mt-6">
          <Icon name="alert" />
          <span className="wrap-anywhere">{waiting}</span>
        </p>
      )}
      {inDoubt > 0 && (
        <div className="notice items-center mt-6">
          <Icon name="alert" />
          <p>
            {inDoubt === 1 ? 'One email is' : `${inDoubt.toLocaleString('en')} emails are`} in doubt: the connection
            broke before the mail server answered. Sending again may deliver an email twice.
          </p>
          <DialogLink className="btn btn--secondary" to={`${messagesPath}${uid}/resend/`}>
            Send again
          </DialogLink>
        </div>
      )}
      <h3 className="mt-6 mb-3">The message</h3>
      <MessageText message={review} deliveryType={review.deliveryType} />
    </>
  )
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="p-4 border border-line rounded">
      <h3 className="mb-2">{title}</h3>
      {children}
    </section>
  )
}

export function MessageRecipients({ uid, recipients }: { uid: string; recipients: MessageRecipientsView }) {
  const { search } = useLocation()
  const path = `${messagesPath}${uid}/recipients/`
  const query = readTableQuery(new URLSearchParams(search), messageRecipientsTable)
  const address: TableAddress = { table: messageRecipientsTable, path, search, query }
  const { rows, total } = recipients
  return (
    <>
      <div className="toolbar my-4">
        <SearchForm label="Search name or email" {...address} />
        <a className="btn btn--secondary end" href={`${path}export/`}>
          <Icon name="download" />
          Export CSV
        </a>
      </div>
      {rows.length === 0 ? (
        <Empty icon="person" title={query.search === '' ? 'No recipients' : `Nobody found for “${query.search}”`}>
          {query.search === '' ? (
            <p>Whoever the message is for appears here once sending begins.</p>
          ) : (
            <Link className="btn btn--secondary" to={addressOf(address, { search: '', page: 1 })}>
              Show everybody
            </Link>
          )}
        </Empty>
      ) : (
        <>
          <RecordTable
            label="Recipients"
            heads={['Name', 'Status', 'Email', 'What became of it']}
            rows={rows.map(({ id, userUid, name, status, email, story }) => ({
              id,
              cells: [
                userUid === null ? (
                  name
                ) : (
                  <Link
                    key="name"
                    className="name"
                    to={`${path}${userUid}/${tableSearch(search)}`}
                    preventScrollReset
                    discover="none"
                  >
                    {name}
                  </Link>
                ),
                status,
                email || '–',
                <ul key="story">
                  {story.map((line) => (
                    <li key={line}>{withWholeTimes(line)}</li>
                  ))}
                </ul>,
              ],
            }))}
          />
          <Pages {...{ page: query.page, size: query.size, total }} to={(to) => addressOf(address, { page: to })} />
        </>
      )}
    </>
  )
}

/** Everything that happened to a message for one person. */
export function StoryOfRecipient({ uid, story }: { uid: string; story: RecipientStoryView }) {
  const { search } = useLocation()
  const { userUid, name, email, status, steps, doubtful } = story
  return (
    <div className="formstack mt-4">
      <p>
        <Link to={`${messagesPath}${uid}/recipients/${tableSearch(search)}`} preventScrollReset>
          All recipients
        </Link>
      </p>
      <div>
        <h3>
          <Link to={`/dashboard/users/${userUid}/`} discover="none">
            {name}
          </Link>
        </h3>
        <p className="muted small">{[email, status].filter((part) => part !== '').join(' · ')}</p>
      </div>
      <RecordTable
        label={`What became of the message for ${name}`}
        heads={['What happened', 'When', 'Words']}
        rows={steps.map(({ at, what, words }) => ({ id: what, cells: [what, at ?? '–', words ?? ''] }))}
      />
      {doubtful && (
        <p>
          <DialogLink className="btn btn--secondary" to={`${messagesPath}${uid}/resend/${doubtful}/`}>
            Send again
          </DialogLink>
        </p>
      )}
    </div>
  )
}
