import { Form, Link, useLocation } from '@remix-run/react'
import { lazy, type MouseEvent, Suspense, useRef, useState } from 'react'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { notify } from '../ui/notices.tsx'
import type { Shell } from './shell.ts'

const ChangePasswordDialog = lazy(() =>
  import('../accounts/change-password-dialog.tsx').then((module) => ({ default: module.ChangePasswordDialog })),
)

export function AccountMenu({ shell }: { shell: Shell }) {
  const { viewer, csrf } = shell
  const { pathname } = useLocation()
  const menu = useRef<HTMLDetailsElement>(null)
  const [isChanging, setChanging] = useState(false)
  if (!viewer) return null
  const openDialog = (event: MouseEvent) => {
    const isPlainPress = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (!isPlainPress || pathname === '/change-password/') return
    event.preventDefault()
    if (menu.current) menu.current.open = false
    setChanging(true)
  }
  const closeDialog = () => {
    setChanging(false)
    menu.current?.querySelector('summary')?.focus()
  }
  return (
    <>
      <details className="menu" ref={menu}>
        <summary className="avatar-btn" aria-label="Account menu">
          <span className="avatar" aria-hidden="true">
            {viewer.initials}
          </span>
        </summary>
        <div className="panel">
          <div className="hello">
            <strong>{viewer.firstName ? `Welcome ${viewer.firstName}` : 'Welcome!'}</strong>
            <span className="muted small">{viewer.email}</span>
          </div>
          <ul>
            {viewer.isStaff && (
              <li>
                <Link className="item" to="/dashboard/">
                  <Icon name="dash" />
                  Dashboard
                </Link>
              </li>
            )}
            {viewer.hasOutbox && (
              <li>
                <Link className="item" to="/dashboard/outbox/">
                  <Icon name="message" />
                  Outbox
                </Link>
              </li>
            )}
            <li>
              <Link className="item" to="/my-learning/">
                <Icon name="stack" />
                My Learning
              </Link>
            </li>
            <li>
              <Link className="item" to="/change-password/" onClick={openDialog}>
                <Icon name="key" />
                Change Password
              </Link>
            </li>
          </ul>
          <hr />
          <LogoutForm csrf={csrf} className="item" />
        </div>
      </details>
      {isChanging && (
        <Suspense>
          <ChangePasswordDialog
            csrf={csrf}
            email={viewer.email}
            onClose={closeDialog}
            onChanged={(text) => notify({ kind: 'success', text })}
          />
        </Suspense>
      )}
    </>
  )
}

export function LogoutForm({ csrf, className }: { csrf: string | null; className?: string }) {
  return (
    <Form method="post" action="/logout/">
      <CsrfField token={csrf} />
      <button className={className} type="submit" name="intent" value="logout">
        <Icon name="logout" />
        Logout
      </button>
    </Form>
  )
}
