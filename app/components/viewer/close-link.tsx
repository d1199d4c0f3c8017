import { Link } from '@remix-run/react'
import type { MouseEvent, ReactNode } from 'react'

type Props = {
  from: string
  className: string
  /** Returns true if it closes the window or goes back. Otherwise the link leads to `from`. */
  onClose?: () => boolean
  children: ReactNode
}

/** Leads to where the viewer was opened. A click that opens a new tab leaves this one alone. */
export function CloseLink({ from, className, onClose, children }: Props) {
  const onClick = (event: MouseEvent) => {
    const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (isPlain && onClose?.()) event.preventDefault()
  }
  return (
    <Link className={className} to={from} replace onClick={onClick}>
      {children}
    </Link>
  )
}
