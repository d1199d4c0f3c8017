import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** An empty place says what it is for, and offers the next step. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** A page of a list that is beyond its end. `onFollow` closes a dialog around it. */
export function BeyondTheList({ icon, to, onFollow }: { icon: IconName; to: string; onFollow?: () => void }) {
  return (
    <Empty icon={icon} title="There is nothing on this page">
      <p>The list is shorter than that.</p>
      <Link className="btn btn--secondary" to={to} onClick={onFollow}>
        To the first page
      </Link>
    </Empty>
  )
}
