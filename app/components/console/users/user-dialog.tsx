import { Link, useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { userStatusLabels } from '~/forms/user-tables.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { RouteDialog } from '../route-dialog.tsx'
import type { UserHead } from './view.ts'

const tabs = [
  { path: '', label: 'Profile' },
  { path: 'progress/', label: 'Progress' },
  { path: 'messages/', label: 'Messages' },
  { path: 'sessions/', label: 'Sessions' },
  { path: 'history/', label: 'History' },
]

/** A person's dialog. Each of its tabs has an address of its own. */
export function UserDialog({ user, children }: { user: UserHead; children: ReactNode }) {
  const { pathname, search } = useLocation()
  const home = `/dashboard/users/${user.uid}/`
  const here = pathname.replace(/\/*$/, '/').toLowerCase()
  return (
    <RouteDialog
      title={user.name}
      size="xl"
      isForm
      closeTo="/dashboard/users/"
      status={<span className="chip">{userStatusLabels[user.status]}</span>}
    >
      <div className="formtabs">
        <nav className="tabs" aria-label="About this user">
          {tabs.map(({ path, label }) => (
            <Link
              key={label}
              to={home + path + tableSearch(search)}
              aria-current={here === home + path ? 'page' : undefined}
              preventScrollReset
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="pt-4">{children}</div>
      </div>
    </RouteDialog>
  )
}
