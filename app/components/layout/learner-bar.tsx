import { Link, useLocation } from '@remix-run/react'
import { Icon } from '../ui/icon.tsx'
import { Dial } from '../ui/titer.tsx'
import { AccountMenu, LogoutForm } from './account-menu.tsx'
import { BrandLink } from './brand-link.tsx'
import type { Shell } from './shell.ts'

/** The sticky variant, for signed-in people on learner pages. What is not built yet is not in it. */
export function LearnerBar({ shell }: { shell: Shell }) {
  const { pathname } = useLocation()
  const isAt = (path: string) => pathname === path || (path !== '/' && pathname.startsWith(path))
  const isHome = pathname === '/' || isAt('/home/')
  const current = (isCurrent: boolean) => (isCurrent ? ('page' as const) : undefined)
  const ring = shell.progressPercent !== null && <Dial percent={shell.progressPercent} size={24} label="My progress" />
  return (
    <header className="topbar">
      <div className="wrap">
        <BrandLink brand={shell.brand} />
        <nav className="wide-only h-full flex-1 justify-between" aria-label="Main">
          <ul className="nav">
            <li>
              <Link to="/home/" aria-current={current(isHome)}>
                Home
              </Link>
            </li>
            <li>
              <ExploreMenu isCurrent={isAt('/modules/')} />
            </li>
          </ul>
          <ul className="nav">
            <li>
              <Link to="/my-learning/" aria-current={current(isAt('/my-learning/'))}>
                My Learning
                {ring}
              </Link>
            </li>
          </ul>
        </nav>
        <span className="narrow-only flex-1" />
        <AccountMenu shell={shell} />
        <details className="menu narrow-only">
          <summary className="iconbtn" aria-label="Menu">
            <Icon name="menu" className="when-closed" />
            <Icon name="close" className="when-open" />
          </summary>
          <nav className="mobilemenu" aria-label="Menu">
            <ul>
              <li>
                <Link to="/home/" aria-current={current(isHome)}>
                  Home
                </Link>
              </li>
              <li>
                <span className="heading">Explore</span>
                <ul>
                  <li>
                    <Link to="/modules/" aria-current={current(isAt('/modules/'))}>
                      Modules
                    </Link>
                  </li>
                </ul>
              </li>
              <li>
                <Link to="/my-learning/">
                  My Learning
                  {ring}
                </Link>
                <ul>
                  <li>
                    <Link to="/my-learning/in-progress/" aria-current={current(isAt('/my-learning/in-progress/'))}>
                      In Progress
                    </Link>
                  </li>
                  <li>
                    <Link to="/my-learning/completed/" aria-current={current(isAt('/my-learning/completed/'))}>
                      Completed
                    </Link>
                  </li>
                </ul>
              </li>
            </ul>
            <LogoutForm csrf={shell.csrf} className="item mt-4" />
          </nav>
        </details>
      </div>
    </header>
  )
}

function ExploreMenu({ isCurrent }: { isCurrent: boolean }) {
  return (
    <details className="menu menu--mega">
      <summary aria-current={isCurrent ? 'true' : undefined}>
        Explore
        <Icon name="chevron" className="i--turn" />
      </summary>
      <div className="mega">
        <div className="wrap">
          <ul className="ways">
            <li>
              <h2>Modules</h2>
              <p>One topic each, in text and illustration, with questions to check yourself.</p>
              <Link className="btn btn--quiet" to="/modules/">
                Go to Modules
                <Icon name="arrow" />
              </Link>
            </li>
          </ul>
        </div>
      </div>
    </details>
  )
}
