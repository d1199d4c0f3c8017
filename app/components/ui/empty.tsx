import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** Fills an empty list: it says what the list is for, and offers a next step. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** A page beyond the end of a list. `onFollow` is called when the link is followed, to close a dialog around it. */
export function BeyondTheList({ icon, to, onFollow }: { icon: IconName; to: string; onFollow?: () => void }) {
  return (
    <Empty icon={icon} title="This page is empty">
      <p>The list has fewer pages.</p>
      <Link className="btn btn--secondary" to={to} onClick={onFollow}>
        Go to the first page
      </Link>
    </Empty>
  )
}
