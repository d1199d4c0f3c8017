import { Form, useLocation } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { forgetNotice, keepNotice, keepNoticesFor, takeNextNotice } from '~/browser/kept-notices.ts'
import { subscribeToNotices } from '~/browser/notices.ts'
import { type Notice, takesPlaceOf } from '~/lib/notice.ts'
import { CsrfField, useHydrated } from './form.tsx'
import { Icon } from './icon.tsx'

const shownFor = 6_000

type Props = { flash: Notice | null; csrf: string | null; owner: string }

/**
 * Notices over every page; without JavaScript they are plain lines above it. `flash` is the notice that a redirect
 * brought. Notices disappear after a while, and `owner` can read them again in the notice list.
 */
export function Notices({ flash, csrf, owner }: Props) {
  const [notices, setNotices] = useState<Notice[]>(flash ? [flash] : [])
  useEffect(() => keepNoticesFor(owner), [owner])
  const isViewer = useLocation().pathname.startsWith('/viewer/')
  useEffect(() => {
    // What the page before said would lie over the learner's unit. The notice list keeps it.
    if (isViewer) setNotices([])
  }, [isViewer])
  useEffect(() => {
    const onNotice = (notice: Notice) => {
      keepNotice(notice)
      setNotices((shown) => withNotice(shown, notice))
    }
    const onWithdraw = (about: Notice['about']) => {
      // A notice must not disappear while somebody uses it by keyboard.
      if (document.activeElement?.closest('.toasts')) return
      setNotices((shown) =>
        shown.some((one) => one.about === about) ? shown.filter((one) => one.about !== about) : shown,
      )
    }
    const left = takeNextNotice()
    if (left) onNotice(left)
    if (flash) onNotice(flash)
    return subscribeToNotices({ onNotice, onWithdraw })
  }, [flash])
  const ref = useAboveDialogs(notices)
  return (
    <div ref={ref} className="toasts" role="status" aria-live="polite">
      {notices.map((notice) => (
        <Toast
          key={notice.id}
          notice={notice}
          csrf={csrf}
          onGone={() => setNotices((shown) => shown.filter(({ id }) => id !== notice.id))}
          isAnswer={notice.id === flash?.id}
          onUndo={() => forgetNotice(notice.id)}
        />
      ))}
    </div>
  )
}

/** Lifts notices above an open modal dialog, which would otherwise hide them. */
function useAboveDialogs(notices: Notice[]) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const region = ref.current
    if (!region?.showPopover || notices.length === 0 || !document.querySelector('dialog:modal')) return
    region.popover = 'manual'
    region.showPopover()
    return () => region.removeAttribute('popover')
  }, [notices])
  return ref
}

function withNotice(shown: Notice[], notice: Notice): Notice[] {
  if (shown.some(({ id }) => id === notice.id)) return shown
  return [...shown.filter((earlier) => !takesPlaceOf(notice, earlier)), notice].slice(-4)
}

type ToastProps = {
  notice: Notice
  csrf: string | null
  /** It answers a press, which may have removed its button. */
  isAnswer: boolean
  onGone: () => void
  onUndo: () => void
}

/** A notice that disappears after a while, but never while the pointer or the focus is on it. */
function Toast({ notice, csrf, isAnswer, onGone, onUndo }: ToastProps) {
  const { kind, text, undo } = notice
  const isHydrated = useHydrated()
  const [isHeld, setHeld] = useState(false)
  const gone = useRef(onGone)
  gone.current = onGone
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => gone.current(), shownFor)
    return () => clearTimeout(timer)
  }, [isHeld])
  // Undo takes the focus where nothing else has it, because a keyboard user would reach it too late. Without Undo, `main`
  // takes it if the button that was pressed is gone.
  const undoButton = useRef<HTMLButtonElement>(null)
  const wasAnswer = useRef(isAnswer)
  useEffect(() => {
    const timer = setTimeout(() => {
      const { activeElement } = document
      const main = document.getElementById('main')
      if (activeElement && activeElement !== document.body && activeElement !== main) return
      if (undoButton.current) undoButton.current.focus()
      else if (wasAnswer.current) main?.focus({ preventScroll: true })
    }, 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pausing the timer is optional; everything works without it
    <div
      className={`toast toast--${kind}`}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {kind !== 'info' && <Icon name={kind === 'error' ? 'alert' : 'check'} />}
      <p>{text}</p>
      {undo && (
        <Form
          method="post"
          action={undo.action}
          preventScrollReset
          onSubmit={() => {
            document.getElementById('main')?.focus({ preventScroll: true })
            onUndo()
            onGone()
          }}
        >
          <CsrfField token={csrf} />
          <button ref={undoButton} className="btn btn--quiet" type="submit" name="intent" value="undo">
            {undo.label}
          </button>
        </Form>
      )}
      {isHydrated && (
        <button className="iconbtn" type="button" aria-label="Dismiss" onClick={onGone}>
          <Icon name="close" />
        </button>
      )}
    </div>
  )
}
