import { Form, Link, useLocation } from '@remix-run/react'
import { lazy, type MouseEvent, Suspense, useRef, useState } from 'react'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { notify } from '../ui/notices.tsx'
import type { Shell } from './shell.ts'

const ChangePasswordDialog = lazy(() =>
  import('../accounts/change-password-dialog.tsx').then((module) => ({ default: module.ChangePasswordDialog })),
)

const ProfileDialog = lazy(() =>
  import('../accounts/profile-dialog.tsx').then((module) => ({ default: module.ProfileDialog })),
)

export function AccountMenu({ shell }: { shell: Shell }) {
  const { viewer, csrf } = shell
  const { pathname } = useLocation()
  const menu = useRef<HTMLDetailsElement>(null)
  const [dialog, setDialog] = useState<'password' | 'profile' | null>(null)
  if (!viewer) return null
  const openDialog = (which: 'password' | 'profile', address: string) => (event: MouseEvent) => {
    const isPlainPress = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (!isPlainPress || pathname === address) return
    event.preventDefault()
    if (menu.current) menu.current.open = false
    setDialog(which)
  }
  const closeDialog = (which: 'password' | 'profile') => {
    setDialog((open) => (open === which ? null : open))
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
              <Link
                className="item"
                to="/my-learning/my-profile/"
                onClick={openDialog('profile', '/my-learning/my-profile/')}
              >
                <Icon name="person" />
                Profile
              </Link>
            </li>
            <li>
              <Link className="item" to="/change-password/" onClick={openDialog('password', '/change-password/')}>
                <Icon name="key" />
                Change Password
              </Link>
            </li>
          </ul>
          <hr />
          <LogoutForm csrf={csrf} className="item" />
        </div>
      </details>
      {dialog === 'profile' && (
        <Suspense>
          <ProfileDialog
            csrf={csrf}
            isAdmin={viewer.isAdmin}
            onClose={() => closeDialog('profile')}
            onChangePassword={() => setDialog('password')}
          />
        </Suspense>
      )}
      {dialog === 'password' && (
        <Suspense>
          <ChangePasswordDialog
            csrf={csrf}
            email={viewer.email}
            onClose={() => closeDialog('password')}
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
