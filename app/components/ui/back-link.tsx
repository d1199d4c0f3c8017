import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** Over a page's heading: up to the list that it belongs to. */
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
