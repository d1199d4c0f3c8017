import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** A link above a page's heading, to the list that the page belongs to. */
export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <p className="crumbs">
      <Link to={to}>
        <Icon name="back" />
        {children}
      </Link>
    </p>
  )
}
