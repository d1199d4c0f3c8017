import { Form } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { type Notice, takesPlaceOf } from '~/lib/notice.ts'
import { CsrfField, useHydrated } from './form.tsx'
import { Icon } from './icon.tsx'
import { forgetNotice, keepNotice, keepNoticesFor, takeNextNotice } from './kept-notices.ts'

const shownFor = 6_000

type Listener = (notice: Notice) => void
const listeners = new Set<Listener>()
let count = 0

/** Says something from the browser's own code: `notify({ kind: 'error', text: … })`. */
export function notify(notice: Omit<Notice, 'id'>): void {
  count += 1
  for (const listener of listeners) listener({ ...notice, id: `own-${Date.now()}-${count}` })
}

const withdrawals = new Set<(about: Notice['about']) => void>()

/** Takes back what is no longer so, unless somebody is at it by keyboard. It stays in the notice list. */
export function withdrawNotices(about: NonNullable<Notice['about']>): void {
  for (const withdraw of withdrawals) withdraw(about)
}

type Props = { flash: Notice | null; csrf: string | null; owner: string }

/**
 * At the top centre of every page; without JavaScript plain lines above the page. `flash` is what a redirect left to say. They go, and can be read
 * again by their `owner` in the notice list.
 */
export function Notices({ flash, csrf, owner }: Props) {
  const [notices, setNotices] = useState<Notice[]>(flash ? [flash] : [])
  useEffect(() => keepNoticesFor(owner), [owner])
  useEffect(() => {
    const add: Listener = (notice) => {
      keepNotice(notice)
      setNotices((shown) => withNotice(shown, notice))
    }
    const withdraw = (about: Notice['about']) => {
      if (document.activeElement?.closest('.toasts')) return
      setNotices((shown) =>
        shown.some((one) => one.about === about) ? shown.filter((one) => one.about !== about) : shown,
      )
    }
    const left = takeNextNotice()
    if (left) add(left)
    if (flash) add(flash)
    listeners.add(add)
    withdrawals.add(withdraw)
    return () => {
      listeners.delete(add)
      withdrawals.delete(withdraw)
    }
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
          onUndo={() => forgetNotice(notice.id)}
        />
      ))}
    </div>
  )
}

/** A modal dialog lies on top of all else, and would leave what is said in its shade. */
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

type ToastProps = { notice: Notice; csrf: string | null; onGone: () => void; onUndo: () => void }

/** Goes after a while, but never while the pointer or the focus is on it. */
function Toast({ notice, csrf, onGone, onUndo }: ToastProps) {
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
  // Whoever works by keyboard would come to it too late: where nothing else has the focus, it does.
  const undoButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!undo) return
    const timer = setTimeout(() => {
      const { activeElement } = document
      if (!activeElement || activeElement === document.body || activeElement.id === 'main') undoButton.current?.focus()
    }, 200)
    return () => clearTimeout(timer)
  }, [undo])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: holding it is a courtesy; everything in it works without
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
