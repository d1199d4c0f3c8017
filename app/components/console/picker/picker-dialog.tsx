import { Dialog, DialogPanel, DialogTitle } from '@headlessui/react'
import type { ReactNode } from 'react'

type Props = {
  title: string
  isOpen: boolean
  onClose: () => void
  canSubmit: boolean
  onSubmit: () => void
  /** The picker; nothing while its first page is being read. */
  children: ReactNode
}

/** A dialog around a picker. The page that opens it adds what was chosen. */
export function PickerDialog({ title, isOpen, onClose, canSubmit, onSubmit, children }: Props) {
  return (
    <Dialog open={isOpen} onClose={onClose} className="dlg-layer">
      <div className="dlg-place">
        <DialogPanel className="dlg dlg--lg">
          <div className="dlg-head">
            <DialogTitle as="h2">{title}</DialogTitle>
          </div>
          <div className="in">
            {children || (
              <p className="muted" role="status">
                Loading …
              </p>
            )}
          </div>
          <div className="dlg-foot">
            <button className="btn btn--quiet" type="button" onClick={onClose}>
              Cancel
            </button>
            <span className="end">
              <button className="btn btn--primary" type="button" disabled={!canSubmit} onClick={onSubmit}>
                Submit
              </button>
            </span>
          </div>
        </DialogPanel>
      </div>
    </Dialog>
  )
}
