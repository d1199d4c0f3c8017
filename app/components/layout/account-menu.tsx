import { Form, Link } from '@remix-run/react'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Shell } from './shell.ts'

export function AccountMenu({ shell }: { shell: Shell }) {
  const { viewer, csrf } = shell
  if (!viewer) return null
  return (
    <details className="menu">
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
          <li>
            <Link className="item" to="/my-learning/">
              <Icon name="stack" />
              My Learning
            </Link>
          </li>
        </ul>
        <hr />
        <LogoutForm csrf={csrf} className="item" />
      </div>
    </details>
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
