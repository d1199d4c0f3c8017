import { Link, useLocation, useNavigate } from '@remix-run/react'
import { type ReactNode, useEffect } from 'react'
import { LogoutForm } from '../layout/account-menu.tsx'
import { useShell } from '../layout/shell.ts'
import { Icon } from '../ui/icon.tsx'
import { Dial } from '../ui/titer.tsx'

const parts = [
  { to: '/my-learning/in-progress/', label: 'In Progress', hash: '#in-progress' },
  { to: '/my-learning/completed/', label: 'Completed', hash: '#completed' },
]

const accountParts = [
  { to: '/my-learning/my-profile/', label: 'My Profile', hash: '#my-profile', icon: 'person' },
  { to: '/my-learning/my-account/', label: 'My Account', hash: '#my-account', icon: 'lock' },
] as const

type Sums = { percent: number | null; inProgressCount: number; completedCount: number }

export function LearningFrame({ sums, children }: { sums: Sums; children: ReactNode }) {
  const { pathname } = useLocation()
  const { csrf } = useShell()
  useDocumentedHashes()
  const account = accountParts.find(({ to }) => to === pathname)
  const here = account ?? parts.find(({ to }) => to === pathname)
  return (
    <div className="wrap withside">
      <div className="side">
        <details className="menu sidefold">
          <summary>
            {here?.label ?? 'My Learning'}
            <Icon name="chevron" className="i--turn" />
          </summary>
          <nav className="sidenav" aria-label="My Learning">
            <ul>
              <li>
                <Link to="/my-learning/">
                  <Icon name="stack" />
                  My Learning
                </Link>
                <ul>
                  {parts.map(({ to, label }) => (
                    <li key={to}>
                      <Link to={to} aria-current={to === pathname ? 'page' : undefined}>
                        {label}
                      </Link>
                    </li>
                  ))}
                </ul>
              </li>
              {accountParts.map(({ to, label, icon }) => (
                <li key={to}>
                  <Link to={to} aria-current={to === pathname ? 'page' : undefined}>
                    <Icon name={icon} />
                    {label}
                  </Link>
                </li>
              ))}
              <li>
                <LogoutForm csrf={csrf} />
              </li>
            </ul>
          </nav>
        </details>
      </div>
      <div>
        {here && <h1 className="mb-6">{here.label}</h1>}
        {!account && sums.percent !== null && <Summary {...sums} percent={sums.percent} />}
        {children}
      </div>
    </div>
  )
}

function Summary({ percent, inProgressCount, completedCount }: Sums & { percent: number }) {
  return (
    <div className="summary mb-10">
      <Dial percent={percent} size={112} label="Mean of all that you started" />
      <dl>
        <div>
          <dt>All that you started</dt>
          <dd>{percent}%</dd>
        </div>
        <div>
          <dt>In progress</dt>
          <dd>{inProgressCount}</dd>
        </div>
        <div>
          <dt>Completed</dt>
          <dd>{completedCount}</dd>
        </div>
      </dl>
    </div>
  )
}

/** `/my-learning/#completed` and the like are in mails and bookmarks; a server never sees what stands behind the #. */
function useDocumentedHashes(): void {
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const part = [...parts, ...accountParts].find((entry) => entry.hash === hash)
    if (part && part.to !== pathname) navigate(part.to, { replace: true })
  }, [hash, pathname, navigate])
}
