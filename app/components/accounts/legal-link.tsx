import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'

/** Opens beside the form, so that what was typed stays. */
export function LegalLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} target="_blank" rel="noopener">
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </Link>
  )
}
