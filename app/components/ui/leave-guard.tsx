import { useBlocker } from '@remix-run/react'
import { type RefObject, useEffect } from 'react'
import { useModal } from './modal.ts'

/** Says whether the values of a form differ from those that it was rendered with. */
export function isFormChanged(form: HTMLFormElement | null): boolean {
  if (!form) return false
  return [...form.elements].some((control) => {
    if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue
    if (!(control instanceof HTMLInputElement) || control.type === 'hidden') return false
    const isChoice = control.type === 'checkbox' || control.type === 'radio'
    return isChoice ? control.checked !== control.defaultChecked : control.value !== control.defaultValue
  })
}

/**
 * Asks before a link, Back or closing the tab discards changes. It does not ask for Cancel, which stays on the same
 * path.
 */
export function LeaveGuard({ form }: { form: RefObject<HTMLFormElement> }) {
  useBeforeUnload(form)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && isFormChanged(form.current),
  )
  if (blocker.state !== 'blocked') return null
  return <LeaveQuestion onStay={() => blocker.reset()} onLeave={() => blocker.proceed()} />
}

function useBeforeUnload(form: RefObject<HTMLFormElement>): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (isFormChanged(form.current)) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [form])
}

export function LeaveQuestion({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const ref = useModal()
  return (
    <dialog
      ref={ref}
      className="dlg"
      role="alertdialog"
      aria-labelledby="leave-title"
      aria-describedby="leave-text"
      onClose={(event) => {
        // The question can be inside another dialog, which must not see this close event.
        event.stopPropagation()
        onStay()
      }}
    >
      <header>
        <h2 id="leave-title">Unsaved changes</h2>
      </header>
      <p id="leave-text" className="in">
        Your changes have not been saved.
      </p>
      <footer>
        <button className="btn btn--danger-line" type="button" onClick={onLeave}>
          Leave without saving
        </button>
        <button className="btn btn--primary" type="button" onClick={() => ref.current?.close()}>
          Keep editing
        </button>
      </footer>
    </dialog>
  )
}
