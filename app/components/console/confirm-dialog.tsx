import { Description, Dialog, DialogPanel, DialogTitle } from '@headlessui/react'
import { type ReactNode, useRef } from 'react'

export type Tone = 'primary' | 'danger'

type Props = {
  isOpen: boolean
  title: string
  question: ReactNode
  cancelLabel?: string
  actionLabel: string
  tone?: Tone
  onCancel: () => void
  onConfirm: () => void
}

/** A question that the browser asks without a request, in a dialog over the page. The harmless answer has the focus. */
export function ConfirmDialog({
  isOpen,
  title,
  question,
  cancelLabel = 'Cancel',
  actionLabel,
  tone = 'primary',
  onCancel,
  onConfirm,
}: Props) {
  const harmless = useRef<HTMLButtonElement>(null)
  return (
    <Dialog open={isOpen} onClose={onCancel} className="dlg-layer" role="alertdialog" initialFocus={harmless}>
      <div className="dlg-place">
        <DialogPanel className="dlg dlg--sm">
          <div className="dlg-head">
            <DialogTitle as="h2">{title}</DialogTitle>
          </div>
          <Description as="div" className="in">
            {question}
          </Description>
          <div className="dlg-foot">
            <span className="end">
              <button ref={harmless} className="btn btn--secondary" type="button" onClick={onCancel}>
                {cancelLabel}
              </button>
              <button className={`btn btn--${tone}`} type="button" onClick={onConfirm}>
                {actionLabel}
              </button>
            </span>
          </div>
        </DialogPanel>
      </div>
    </Dialog>
  )
}
