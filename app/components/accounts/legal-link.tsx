import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'

/** Opens a legal page in a new tab, so that the form keeps what has been typed. */
export function LegalLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} target="_blank" rel="noopener">
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </Link>
  )
}
