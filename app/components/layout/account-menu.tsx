import { Form, Link, useLocation } from '@remix-run/react'
import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { useKeptNotices } from '~/browser/kept-notices.ts'
import { Loaded } from '~/browser/loaded.tsx'
import { notify } from '~/browser/notices.ts'
import { CsrfField } from '../ui/form.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { NoticeList } from '../ui/notice-list.tsx'
import type { Shell } from './shell.ts'

const loadChangePassword = () =>
  import('../accounts/change-password-dialog.tsx').then((module) => module?.ChangePasswordDialog)
const loadProfile = () => import('../accounts/profile-dialog.tsx').then((module) => module?.ProfileDialog)
const loadProgress = () => import('../learning/progress-dialog.tsx').then((module) => module?.ProgressDialog)

type MenuDialog = 'password' | 'profile' | 'progress' | 'notices'

/** The account menu. Its links open their pages as dialogs over the current page. */
export function AccountMenu({ shell }: { shell: Shell }) {
  const { viewer, csrf, flags, unreadCount } = shell
  const { pathname } = useLocation()
  const menu = useRef<HTMLDetailsElement>(null)
  const [dialog, setDialog] = useState<MenuDialog | null>(null)
  if (!viewer) return null
  const showDialog = (which: MenuDialog) => {
    if (menu.current) menu.current.open = false
    setDialog(which)
  }
  const openDialog = (which: MenuDialog, address: string) => (event: MouseEvent) => {
    const isPlainPress = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (!isPlainPress || pathname === address) return
    event.preventDefault()
    showDialog(which)
  }
  const closeDialog = (which: MenuDialog) => {
    setDialog((open) => (open === which ? null : open))
    menu.current?.querySelector('summary')?.focus()
  }
  const profileAddress = '/my-learning/my-profile/'
  return (
    <>
      <details className="menu" name="bar" ref={menu}>
        <summary
          className="avatar-btn"
          aria-label={
            unreadCount > 0
              ? `Account menu, ${unreadCount} unread ${unreadCount === 1 ? 'message' : 'messages'}`
              : 'Account menu'
          }
        >
          <span className="avatar" aria-hidden="true">
            {viewer.initials}
          </span>
          <UnreadBadge count={unreadCount} />
        </summary>
        <div className="panel">
          <div className="hello">
            <strong>{viewer.firstName ? `Welcome ${viewer.firstName}` : 'Welcome!'}</strong>
            <span className="muted small">{viewer.email}</span>
          </div>
          <ul>
            <Item to={profileAddress} icon="person" onClick={openDialog('profile', profileAddress)}>
              Profile
            </Item>
            {viewer.isStaff && (
              <Item to="/dashboard/" icon="dash">
                Dashboard
              </Item>
            )}
            {!viewer.isAdmin && (
              <Item to="/my-progress/" icon="report" onClick={openDialog('progress', '/my-progress/')}>
                My Progress
              </Item>
            )}
            {viewer.hasOutbox && (
              <Item to="/dashboard/outbox/" icon="message">
                Outbox
              </Item>
            )}
            <Item to="/my-learning/" icon="stack">
              My Learning
            </Item>
            {flags.includes('ANNOUNCEMENTS') && (
              <Item to="/my-learning/my-messages/" icon="message">
                My Messages
                <UnreadBadge count={unreadCount} />
              </Item>
            )}
            <Item to={profileAddress} icon="edit">
              My Profile
            </Item>
            <Item to="/change-password/" icon="key" onClick={openDialog('password', '/change-password/')}>
              Change Password
            </Item>
            <NoticesItem onOpen={() => showDialog('notices')} />
          </ul>
          <hr />
          <LogoutForm csrf={csrf} className="item" />
        </div>
      </details>
      {dialog === 'profile' && (
        <Loaded
          load={loadProfile}
          props={{
            csrf,
            isAdmin: viewer.isAdmin,
            onClose: () => closeDialog('profile'),
            onChangePassword: () => setDialog('password'),
          }}
          onMissing={() => closeDialog('profile')}
        />
      )}
      {dialog === 'progress' && (
        <Loaded
          load={loadProgress}
          props={{ onClose: () => closeDialog('progress') }}
          onMissing={() => closeDialog('progress')}
        />
      )}
      {dialog === 'password' && (
        <Loaded
          load={loadChangePassword}
          props={{
            csrf,
            email: viewer.email,
            onClose: () => closeDialog('password'),
            onChanged: (text) => notify({ kind: 'info', text }),
          }}
          onMissing={() => closeDialog('password')}
        />
      )}
      {dialog === 'notices' && <NoticeList csrf={csrf} onClose={() => closeDialog('notices')} />}
    </>
  )
}

type ItemProps = { to: string; icon: IconName; onClick?: (event: MouseEvent) => void; children: ReactNode }

function Item({ to, icon, onClick, children }: ItemProps) {
  return (
    <li>
      <Link className="item" to={to} onClick={onClick}>
        <Icon name={icon} />
        {children}
      </Link>
    </li>
  )
}

/**
 * Opens the list of notices, once there is one. The browser keeps the list; without JavaScript notices stay on the
 * page.
 */
function NoticesItem({ onOpen }: { onOpen: () => void }) {
  const { length } = useKeptNotices()
  if (length === 0) return null
  return (
    <li>
      <button className="item" type="button" onClick={onOpen}>
        <Icon name="list" />
        Notices
        <span className="muted num ml-auto">{length}</span>
      </button>
    </li>
  )
}

/** Shows the number of unread messages, at most "99+" (L-096). */
export function UnreadBadge({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className="count">
      {count > 99 ? '99+' : count}
      <span className="sr-only"> unread</span>
    </span>
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
