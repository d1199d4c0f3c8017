import { useNavigation } from '@remix-run/react'
import { type RefObject, useEffect, useRef, useState } from 'react'

/**
 * Marks in this tab that a unit was in its frame when the page was left. The tab's storage is ours alone: no other page
 * can set the mark, and a window that is opened from this one does not have it while this page is shown.
 */
const mark = 'viewing'

function setMark(uid: string | null): void {
  try {
    if (uid === null) sessionStorage.removeItem(mark)
    else sessionStorage.setItem(mark, uid)
  } catch {
    // Without storage, a page that is loaded again asks.
  }
}

function isMarked(uid: string): boolean {
  try {
    return sessionStorage.getItem(mark) === uid
  } catch {
    return false
  }
}

/**
 * Sets the mark while the page is hidden or gone. A hidden tab may be discarded without a further event. Whoever closes
 * the viewer has left the unit, so there is nothing to continue.
 */
export function useLeavingMark(uid: string, isShown: boolean, isClosed: RefObject<boolean>): void {
  const isStillShown = useRef(isShown)
  isStillShown.current = isShown
  useEffect(() => {
    if (!isShown) return
    const onChange = () => setMark(document.visibilityState === 'hidden' ? uid : null)
    const onLeave = () => setMark(uid)
    onChange()
    document.addEventListener('visibilitychange', onChange)
    window.addEventListener('pageshow', onChange)
    window.addEventListener('pagehide', onLeave)
    return () => {
      document.removeEventListener('visibilitychange', onChange)
      window.removeEventListener('pageshow', onChange)
      window.removeEventListener('pagehide', onLeave)
      // Back, for example, leaves the page and not the unit.
      if (isStillShown.current && !isClosed.current) onLeave()
    }
  }, [uid, isShown, isClosed])
}

/**
 * Presses the button that opens the unit again, once, if this tab had the unit before it was loaded again. The server
 * refuses if the module has been opened elsewhere since; then the page asks. Returns whether it is pressing.
 */
export function useContinuing(uid: string, question: RefObject<HTMLElement>): boolean {
  const { state } = useNavigation()
  const [stage, setStage] = useState<'asking' | 'pressing' | 'sent'>('asking')
  useEffect(() => {
    if (isMarked(uid)) setStage('pressing')
  }, [uid])
  useEffect(() => {
    // The form has its field for continuing only now.
    if (stage !== 'pressing') return
    const form = question.current?.querySelector('form')
    form?.requestSubmit(form.querySelector('button'))
  }, [stage, question])
  useEffect(() => {
    if (stage === 'pressing' && state !== 'idle') setStage('sent')
    if (stage !== 'sent' || state !== 'idle') return
    setMark(null)
    setStage('asking')
  }, [stage, state])
  return stage !== 'asking'
}
