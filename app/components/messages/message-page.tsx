import { Form, Link, useRevalidator } from '@remix-run/react'
import { useEffect } from 'react'
import type { Refused } from '~/forms/refused.ts'
import { useShell } from '../layout/shell.ts'
import { BackLink } from '../ui/back-link.tsx'
import { CsrfField, FormErrors } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { messageAddress, messagesAddress } from './message-address.ts'
import { PinIcon } from './message-icons.tsx'

type Neighbour = { uid: string; subject: string }
type Attachment = { name: string; size: string; address: string }
type Props = {
  message: {
    subject: string
    from: string
    /** HTML that lib/markdown.ts rendered and sanitized. */
    html: string
    sentAt: string
    sentOn: string
    isPinned: boolean
    /** True if this page has opened the message for the first time. */
    isNew: boolean
    attachment: Attachment | null
  }
  previous: Neighbour | null
  next: Neighbour | null
  refusal: Refused | undefined
}

/** Reloads the unread counts in the bars, which still counted this message when it was requested. */
function useUpdatedUnreadCount(isNew: boolean) {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    if (isNew) revalidate()
  }, [isNew, revalidate])
}

export function MessagePage({ message, previous, next, refusal }: Props) {
  const { subject, from, html, sentAt, sentOn, isPinned, attachment } = message
  useUpdatedUnreadCount(message.isNew)
  return (
    <article className="message" aria-labelledby="subject">
      <BackLink to={messagesAddress}>All messages</BackLink>
      <FormErrors refusal={refusal} />
      <header>
        <h2 id="subject">{subject}</h2>
        <p className="muted small">
          From {from}, <time dateTime={sentAt}>{sentOn}</time>
        </p>
        <PinForm isPinned={isPinned} />
      </header>
      {/* lib/markdown.ts made this HTML, and sanitizes it as its last step. */}
      <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
      {attachment && <AttachedFile attachment={attachment} />}
      {(previous || next) && (
        <nav className="messagenav" aria-label="Messages">
          {previous && <Step to={previous} label="Previous" />}
          {next && <Step to={next} label="Next" />}
        </nav>
      )}
    </article>
  )
}

function PinForm({ isPinned }: { isPinned: boolean }) {
  return (
    <Form method="post">
      <CsrfField token={useShell().csrf} />
      <button className="btn btn--secondary" type="submit" name="intent" value={isPinned ? 'unpin' : 'pin'}>
        <PinIcon />
        {isPinned ? 'Unpin' : 'Pin to the top'}
      </button>
    </Form>
  )
}

function AttachedFile({ attachment }: { attachment: Attachment }) {
  const { name, size, address } = attachment
  return (
    <section className="filerow" aria-label="Attachment">
      <Icon name="file" />
      <div className="name">
        {name} <span className="muted small">{size}</span>
      </div>
      <a className="btn btn--secondary" href={address} download={name} aria-label={`Download ${name}, ${size}`}>
        <Icon name="download" />
        Download
      </a>
    </section>
  )
}

function Step({ to, label }: { to: Neighbour; label: 'Previous' | 'Next' }) {
  return (
    <Link to={messageAddress(to.uid)} className={label === 'Next' ? 'is-next' : undefined}>
      <span className="small muted">
        {label === 'Previous' && <Icon name="left" />}
        {label}
        {label === 'Next' && <Icon name="right" />}
      </span>
      <span className="subject">{to.subject}</span>
    </Link>
  )
}
