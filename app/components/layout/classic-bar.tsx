import { Link, useLocation } from '@remix-run/react'
import { Icon } from '../ui/icon.tsx'
import { AccountMenu } from './account-menu.tsx'
import { BrandLink } from './brand-link.tsx'
import type { Shell } from './shell.ts'

const links = [
  { to: '/home/', label: 'Home' },
  { to: '/modules/', label: 'Self-Guided Learning' },
  { to: '/videos/', label: 'Videos' },
  { to: '/about-us/', label: 'About' },
  { to: '/faq/', label: 'FAQ' },
]

/** The bar of the console, and of public pages for visitors who are not signed in (L-090). */
export function ClassicBar({ shell, isFull = false }: { shell: Shell; isFull?: boolean }) {
  const { pathname } = useLocation()
  return (
    <header className={isFull ? 'topbar topbar--full' : 'topbar'}>
      <div className="wrap">
        <BrandLink brand={shell.brand} />
        <nav className="wide-only h-full" aria-label="Main">
          <ul className="nav">
            {links.map((link) => (
              <li key={link.to}>
                <Link to={link.to} aria-current={pathname === link.to ? 'page' : undefined}>
                  {link.label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <p className="welcome wide-only">{shell.brand.welcome}</p>
        <span className="narrow-only flex-1" />
        {shell.viewer ? (
          <AccountMenu shell={shell} />
        ) : (
          <Link className="btn btn--secondary" to="/login/">
            Log In
          </Link>
        )}
        <details className="menu narrow-only">
          <summary className="iconbtn" aria-label="Menu">
            <Icon name="menu" className="when-closed" />
            <Icon name="close" className="when-open" />
          </summary>
          <nav className="mobilemenu" aria-label="Menu">
            <ul>
              {links.map((link) => (
                <li key={link.to}>
                  <Link to={link.to}>{link.label}</Link>
                </li>
              ))}
            </ul>
          </nav>
        </details>
      </div>
    </header>
  )
}
