import { Link } from '@remix-run/react'
import type { Brand } from '~/config/brands.ts'
import { Mail } from './terms.tsx'

export function ContactUs({ brand }: { brand: Brand }) {
  return (
    <article className="wrap">
      <header className="pagehead">
        <h1>Contact Us</h1>
        <p className="lead muted">A person reads every message, within two business days.</p>
      </header>
      <div className="prose">
        <h2>By email</h2>
        <p>
          <Mail brand={brand} />
        </p>
        <p>
          If a page did not work, tell us its address, what you did and what you saw. If an error page showed a request
          ID, include it. It helps us find the problem.
        </p>
        <h2>Before you write</h2>
        <ul>
          <li>
            Forgot your password? <Link to="/request-password-reset/">Request a link</Link> to reset it.
          </li>
          <li>Has your invitation expired? Ask the person who invited you for a new one, or write to us.</li>
          <li>
            Is content missing? What you can open depends on your access. See the <Link to="/faq/">FAQ</Link>.
          </li>
        </ul>
        <h2>About your data</h2>
        <p>
          The <Link to="/privacy-policy/">Privacy Policy</Link> explains what {brand.name} keeps. To close your account
          or correct a record, write from the address that you log in with.
        </p>
      </div>
    </article>
  )
}
