import { Link } from '@remix-run/react'
import type { Brand } from '~/config/brands.ts'
import { Icon } from '../ui/icon.tsx'
import { BrandLink } from './brand-link.tsx'

export function Footer({ brand }: { brand: Brand }) {
  return (
    <footer className="foot-site on-deep">
      <div className="wrap">
        <BrandLink brand={brand} />
        <nav aria-label="Footer">
          <ul>
            <li>
              <Link to="/contact-us/">Contact</Link>
            </li>
            <li>
              <Link to="/privacy-policy/">Privacy</Link>
            </li>
            <li>
              <Link to="/terms/">Terms</Link>
            </li>
          </ul>
        </nav>
        <ul className="social">
          {brand.socialLinks.map((link) => (
            <li key={link.name}>
              <a
                className="iconbtn"
                href={link.href}
                target="_blank"
                rel="noopener"
                aria-label={`${brand.name} on ${link.name} (opens in a new tab)`}
              >
                <Icon name={link.icon} />
              </a>
            </li>
          ))}
        </ul>
        <small>{brand.tagline}</small>
      </div>
    </footer>
  )
}
