import { Form } from '@remix-run/react'
import type { ReactNode } from 'react'
import { useShell } from '../../layout/shell.ts'
import { CsrfField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { messagesPath } from './messages-table.tsx'
import { audienceInWords, sumInWords } from './sum-in-words.ts'
import type { ChosenView, MessagePreview, ReviewView } from './view.ts'

type TextProps = { message: MessagePreview; deliveryType?: string }

/** The text of a message as learners see it. */
export function MessageText({ message, deliveryType }: TextProps) {
  const { subject, from, html, attachment, isPersonal } = message
  return (
    <article className="message">
      <header>
        <h3>{subject}</h3>
        <p className="muted small">
          From {from}
          {deliveryType && ` · ${deliveryType}`}
        </p>
      </header>
      {/* lib/markdown.ts made this HTML, and sanitizes it as its last step. */}
      <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
      {attachment && (
        <p className="filerow">
          <Icon name="file" />
          <span className="name">
            {attachment.name} <span className="muted small">{attachment.size}</span>
          </span>
        </p>
      )}
      {isPersonal && (
        <p className="muted small">Shown with your name in the placeholders. Each recipient sees their own.</p>
      )}
    </article>
  )
}

/** Step 3: everything that was entered, read-only (C-058). */
export function ReviewedMessage({ review }: { review: ReviewView }) {
  return (
    <>
      <dl className="stack mb-6">
        <div>
          <dt className="muted small">Name</dt>
          <dd>{review.name}</dd>
        </div>
        <div>
          <dt className="muted small">Delivery</dt>
          <dd>{review.deliveryType}</dd>
        </div>
        <div>
          <dt className="muted small">Recipients</dt>
          <dd>
            <ChosenInWords chosen={review.chosen} />
          </dd>
        </div>
      </dl>
      <MessageText message={review} />
    </>
  )
}

const mostNames = 10

function ChosenInWords({ chosen }: { chosen: ChosenView }) {
  const names = chosen.page.slice(0, mostNames).map(({ name }) => name)
  const more = chosen.people - names.length
  const listed = more > 0 ? `${names.join(', ')} and ${more.toLocaleString('en')} more` : names.join(', ')
  const count = chosen.total === 1 ? 'One person' : `${chosen.total.toLocaleString('en')} people`
  const isMixed = names.length > 0 && chosen.audiences.length > 0
  return (
    <>
      {isMixed ? `${count}: ${sumInWords(chosen)}` : names.length > 0 ? `${count}: ${listed}` : count}
      {isMixed && <span className="block muted small">Chosen: {listed}</span>}
      {chosen.audiences.map(({ uid, name, people }) => (
        <span key={uid} className="block muted small">
          Everybody who is in “{name}” when the message is sent ({audienceInWords(chosen, people)})
        </span>
      ))}
    </>
  )
}

type SendingButtonProps = { uid: string; change: string; label: string; fields?: ReactNode }

/** One change of how a message is being sent. */
export function SendingButton({ uid, change, label, fields }: SendingButtonProps) {
  const { csrf } = useShell()
  return (
    <Form method="post" action={`${messagesPath}${uid}/sending/`} preventScrollReset>
      <CsrfField token={csrf} />
      {fields}
      <button className="btn btn--secondary" type="submit" name="change" value={change}>
        {label}
      </button>
    </Form>
  )
}
