import { Link } from '@remix-run/react'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'
import { messageAddress } from './message-address.ts'
import { ClipIcon, PinIcon } from './message-icons.tsx'

type MessageRow = {
  uid: string
  subject: string
  from: string
  excerpt: string
  sentAt: string
  sentOn: string
  isUnread: boolean
  isPinned: boolean
  hasAttachment: boolean
}

type Props = { messages: MessageRow[]; page: number; size: number; total: number }

export function MessageList({ messages, page, size, total }: Props) {
  if (messages.length === 0) return <NoMessages total={total} />
  return (
    <section aria-label="Messages">
      <ul className="messages">
        {messages.map((message) => (
          <Row key={message.uid} message={message} />
        ))}
      </ul>
      <Pages page={page} size={size} total={total} to={(page) => `?page=${page}`} />
    </section>
  )
}

/** A message in the list. Words, font weight and color mark it as unread. */
function Row({ message }: { message: MessageRow }) {
  const { uid, subject, from, excerpt, sentAt, sentOn, isUnread, isPinned, hasAttachment } = message
  return (
    <li className={isUnread ? 'is-unread' : undefined}>
      <h2>
        <Link to={messageAddress(uid)}>{subject}</Link>
      </h2>
      <p className="excerpt">{excerpt}</p>
      <p className="about">
        {isUnread && <span className="flag flag--unread">Unread</span>}
        {isPinned && (
          <span className="mark">
            <PinIcon />
            Pinned
          </span>
        )}
        <span className="from">{from}</span>
        <time dateTime={sentAt}>{sentOn}</time>
        {hasAttachment && (
          <span className="mark">
            <ClipIcon />
            Attachment
          </span>
        )}
      </p>
    </li>
  )
}

function NoMessages({ total }: { total: number }) {
  if (total > 0) return <BeyondTheList icon="message" to="?" />
  return (
    <Empty icon="message" title="You have no messages yet">
      <p>News about your program, new courses and maintenance on this site appears here.</p>
      <Link className="btn btn--primary" to="/courses/">
        Go to Courses
      </Link>
    </Empty>
  )
}
