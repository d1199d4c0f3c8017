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
