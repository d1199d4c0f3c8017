import { Link, useLocation, useNavigate } from '@remix-run/react'
import { type ReactNode, useEffect } from 'react'
import { SavedBadge } from '../favorites/saved-badge.tsx'
import { LogoutForm, UnreadBadge } from '../layout/account-menu.tsx'
import { useShell } from '../layout/shell.ts'
import { Icon } from '../ui/icon.tsx'
import { Dial } from '../ui/titer.tsx'
import { learningParts, personalParts, studyParts } from './parts.ts'

type Sums = { percent: number | null; inProgressCount: number; completedCount: number }

export function LearningFrame({ sums, children }: { sums: Sums; children: ReactNode }) {
  const { pathname } = useLocation()
  const shell = useShell()
  const { csrf, unreadCount } = shell
  useDocumentedHashes()
  const study = studyParts(shell)
  const personal = personalParts(shell)
  const isPersonal = personal.some(({ to }) => pathname.startsWith(to))
  const here = [...study, ...personal].find(({ to }) => pathname.startsWith(to))
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
                  {study.map(({ to, label }) => (
                    <li key={to}>
                      <Link to={to} aria-current={to === pathname ? 'page' : undefined}>
                        {label}
                        {label === 'Saved' && <SavedBadge />}
                      </Link>
                    </li>
                  ))}
                </ul>
              </li>
              {personal.map(({ to, label, icon }) => (
                <li key={to}>
                  <Link to={to} aria-current={to === pathname ? 'page' : pathname.startsWith(to) ? 'true' : undefined}>
                    {icon && <Icon name={icon} />}
                    {label}
                    {icon === 'message' && <UnreadBadge count={unreadCount} />}
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
        {!isPersonal && sums.percent !== null && <Summary {...sums} percent={sums.percent} />}
        {children}
      </div>
    </div>
  )
}

function Summary({ percent, inProgressCount, completedCount }: Sums & { percent: number }) {
  return (
    <div className="summary mb-10">
      <Dial percent={percent} size={112} label="Average progress in the modules and courses that you started" />
      <dl>
        <div>
          <dt>Average progress in modules and courses</dt>
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

/**
 * Opens the part that a hash such as `/my-learning/#completed` names. Mails and bookmarks contain such addresses, and a
 * server never sees the part after #.
 */
function useDocumentedHashes(): void {
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  const shell = useShell()
  const target = learningParts(shell).find((part) => part.hash === hash)?.to
  useEffect(() => {
    if (target && target !== pathname) navigate(target, { replace: true })
  }, [target, pathname, navigate])
}
