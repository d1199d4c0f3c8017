import { Form } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { forgetNotice, forgetNotices, type KeptNotice, useKeptNotices } from '~/browser/kept-notices.ts'
import { useShell } from '../layout/shell.ts'
import { CsrfField } from './form.tsx'
import { Icon } from './icon.tsx'
import { useModal } from './modal.ts'

/**
 * Lists the notices of this visit, for people who missed them. It is not loaded lazily, because it must open offline,
 * too.
 */
export function NoticeList({ csrf, onClose }: { csrf: string | null; onClose: () => void }) {
  const ref = useModal()
  const notices = useKeptNotices()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
  }, [])
  const close = () => ref.current?.close()
  return createPortal(
    <dialog ref={ref} className="dlg dlg--account dlg--notices" aria-labelledby="notices-title" onClose={onClose}>
      <header>
        <h2 id="notices-title" ref={heading} tabIndex={-1}>
          Notices
        </h2>
      </header>
      <div className="in">
        <p className="muted small">Notices from this visit, newest first.</p>
        {notices.length === 0 ? (
          <p className="py-4">There are no notices.</p>
        ) : (
          <ol className="noticelist">
            {notices.map((notice) => (
              <Kept key={notice.id} notice={notice} csrf={csrf} onUndo={close} />
            ))}
          </ol>
        )}
      </div>
      <footer>
        {notices.length > 0 && (
          <button className="btn btn--quiet" type="button" onClick={forgetNotices}>
            Clear
          </button>
        )}
        <button className="btn btn--secondary" type="button" onClick={close}>
          Close
        </button>
      </footer>
    </dialog>,
    document.body,
  )
}

const kinds = { error: 'Error', info: 'Information', success: 'Done' }
const icons = { error: 'alert', info: 'info', success: 'check' } as const

type KeptProps = { notice: KeptNotice; csrf: string | null; onUndo: () => void }

function Kept({ notice: { id, kind, text, undo, at }, csrf, onUndo }: KeptProps) {
  const { timeZone } = useShell()
  const time = new Date(at)
  return (
    <li className={`kept kept--${kind}`}>
      <Icon name={icons[kind]} />
      <p>
        <span className="sr-only">{kinds[kind]}: </span>
        {text}
      </p>
      <time className="muted small num" dateTime={time.toISOString()}>
        {time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })}
      </time>
      {undo && (
        <Form
          method="post"
          action={undo.action}
          preventScrollReset
          onSubmit={() => {
            forgetNotice(id)
            onUndo()
          }}
        >
          <CsrfField token={csrf} />
          <button className="btn btn--quiet" type="submit" name="intent" value="undo">
            {undo.label}
          </button>
        </Form>
      )}
    </li>
  )
}
