import { useModal } from '../ui/modal.ts'

/** An alert that only OK closes. Escape does not. */
export function SessionClosed({ onLeave }: { onLeave: () => void }) {
  const ref = useModal()
  return (
    <dialog
      ref={ref}
      className="dlg"
      role="alertdialog"
      aria-labelledby="closed-title"
      aria-describedby="closed-text"
      onCancel={(event) => event.preventDefault()}
    >
      <header>
        <h2 id="closed-title">Module Session Closed</h2>
      </header>
      <p id="closed-text" className="in">
        The session for this launched module has ended. This may happen if the module has been inactive for too long, or
        if the module is opened in another window. You will need to re-launch this module.
      </p>
      <footer>
        <button className="btn btn--primary" type="button" onClick={onLeave}>
          OK
        </button>
      </footer>
    </dialog>
  )
}
