import { Link, useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { SavedMark } from '../favorites/saved-badge.tsx'
import { learningParts } from '../learning/parts.ts'
import { SearchBox } from '../search/search-box.tsx'
import { Icon } from '../ui/icon.tsx'
import { Dial } from '../ui/titer.tsx'
import { AccountMenu, LogoutForm } from './account-menu.tsx'
import { BrandLink } from './brand-link.tsx'
import { ways, waysFor } from './explore.ts'
import type { Shell } from './shell.ts'

/** The sticky bar for signed-in people on learner pages (L-098 to L-103). */
export function LearnerBar({ shell }: { shell: Shell }) {
  const { pathname } = useLocation()
  const isAt = (path: string) => pathname === path || (path !== '/' && pathname.startsWith(path))
  const isHome = pathname === '/' || isAt('/home/')
  const hasGlossary = shell.flags.includes('GLOSSARY')
  return (
    <>
      <header className="topbar">
        <div className="wrap">
          <BrandLink brand={shell.brand} />
          <nav className="wide-only h-full" aria-label="Main">
            <ul className="nav">
              <li>
                <BarLink to="/home/" isCurrent={isHome}>
                  Home
                </BarLink>
              </li>
              <li>
                <ExploreMenu
                  flags={shell.flags}
                  isCurrent={[...ways.map(({ to }) => to), '/all-content/'].some(isAt)}
                />
              </li>
            </ul>
          </nav>
          <SearchBox className="wide-only" />
          <nav className="wide-only ml-auto h-full" aria-label="More">
            <ul className="nav">
              <li>
                <BarLink to="/about-us/" isCurrent={isAt('/about-us/')}>
                  About
                </BarLink>
              </li>
              <li>
                {hasGlossary ? (
                  <ResourcesMenu isCurrent={isAt('/faq/') || isAt('/glossary/')} />
                ) : (
                  <BarLink to="/faq/" isCurrent={isAt('/faq/')}>
                    FAQ
                  </BarLink>
                )}
              </li>
              <li>
                <BarLink to="/my-learning/in-progress/" isCurrent={isAt('/my-learning/')}>
                  My Learning
                  <SavedMark />
                  <Ring percent={shell.progressPercent} />
                </BarLink>
              </li>
            </ul>
          </nav>
          <span className="narrow-only flex-1" />
          <AccountMenu shell={shell} />
          <MobileMenu shell={shell} isHome={isHome} hasGlossary={hasGlossary} />
        </div>
      </header>
      {/* The search page has its own search box. */}
      {pathname !== '/search/' && (
        <div className="searchbar narrow-only">
          <SearchBox />
        </div>
      )}
    </>
  )
}

function BarLink({ to, isCurrent, children }: { to: string; isCurrent: boolean; children: ReactNode }) {
  return (
    <Link to={to} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </Link>
  )
}

function Ring({ percent }: { percent: number | null }) {
  return percent ? <Dial percent={percent} size={24} label="My progress" /> : null
}

function ExploreMenu({ flags, isCurrent }: { flags: string[]; isCurrent: boolean }) {
  return (
    <details className="menu menu--mega" name="bar">
      <summary aria-current={isCurrent ? 'true' : undefined}>
        Explore
        <Icon name="chevron" className="i--turn" />
      </summary>
      <div className="mega">
        <div className="wrap">
          <ul className="ways">
            {waysFor(flags).map((way) => (
              <li key={way.to}>
                <h2>{way.title}</h2>
                <p>{way.text}</p>
                <Link className="btn btn--quiet" to={way.to}>
                  Go to {way.title}
                  <Icon name="arrow" />
                </Link>
              </li>
            ))}
          </ul>
          {flags.includes('ALL_CONTENT') && (
            <p className="mt-4">
              <Link className="btn btn--quiet" to="/all-content/">
                View All Content
                <Icon name="arrow" />
              </Link>
            </p>
          )}
        </div>
      </div>
    </details>
  )
}

function ResourcesMenu({ isCurrent }: { isCurrent: boolean }) {
  return (
    <details className="menu" name="bar">
      <summary aria-current={isCurrent ? 'true' : undefined}>
        Resources
        <Icon name="chevron" className="i--turn" />
      </summary>
      <div className="panel">
        <ul>
          <li>
            <Link className="item" to="/faq/">
              <Icon name="question" />
              FAQ
            </Link>
          </li>
          <li>
            <Link className="item" to="/glossary/">
              <Icon name="book" />
              Glossary
            </Link>
          </li>
        </ul>
      </div>
    </details>
  )
}

type MobileProps = { shell: Shell; isHome: boolean; hasGlossary: boolean }

/** The menu on narrow screens. It covers the window, and has all links of the wide bar and the parts of My Learning. */
function MobileMenu({ shell, isHome, hasGlossary }: MobileProps) {
  const { pathname } = useLocation()
  const item = (to: string, label: string) => (
    <li key={to}>
      <BarLink to={to} isCurrent={pathname === to}>
        {label}
      </BarLink>
    </li>
  )
  return (
    <details className="menu narrow-only" name="bar">
      <summary className="iconbtn" aria-label="Menu">
        <Icon name="menu" className="when-closed" />
        <Icon name="close" className="when-open" />
      </summary>
      <nav className="mobilemenu" aria-label="Menu">
        <ul>
          <li>
            <BarLink to="/home/" isCurrent={isHome}>
              Home
            </BarLink>
          </li>
          <li>
            <span className="heading">Explore</span>
            <ul>
              {waysFor(shell.flags).map(({ to, title }) => item(to, title))}
              {shell.flags.includes('ALL_CONTENT') && item('/all-content/', 'View All Content')}
            </ul>
          </li>
          {item('/about-us/', 'About')}
          {item('/faq/', 'FAQ')}
          {hasGlossary && item('/glossary/', 'Glossary')}
          <li>
            <Link to="/my-learning/">
              My Learning
              <Ring percent={shell.progressPercent} />
            </Link>
            <ul>{learningParts(shell).map(({ to, label }) => item(to, label))}</ul>
          </li>
        </ul>
        <LogoutForm csrf={shell.csrf} className="item mt-4" />
      </nav>
    </details>
  )
}
