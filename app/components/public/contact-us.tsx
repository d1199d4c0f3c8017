import { Link } from '@remix-run/react'
import type { Brand } from '~/config/brands.ts'
import { Mail } from './terms.tsx'

export function ContactUs({ brand }: { brand: Brand }) {
  return (
    <article className="wrap">
      <header className="pagehead">
        <h1>Contact Us</h1>
        <p className="lead muted">A person reads what you write, on working days within two of them.</p>
      </header>
      <div className="prose">
        <h2>By e-mail</h2>
        <p>
          <Mail brand={brand} />
        </p>
        <p>
          If a page did not work, tell us its address, what you did and what you saw. If an error page named a request,
          copy that too: it leads us straight to the fault.
        </p>
        <h2>Before you write</h2>
        <ul>
          <li>
            Forgotten password: <Link to="/request-password-reset/">ask for a link</Link>; it works at once.
          </li>
          <li>An expired invitation: ask the person who invited you for a new one, or write to us.</li>
          <li>
            Missing content: what you can open depends on your access. The <Link to="/faq/">FAQ</Link> says how.
          </li>
        </ul>
        <h2>About your data</h2>
        <p>
          The <Link to="/privacy-policy/">Privacy Policy</Link> says what {brand.name} keeps. To have your account
          closed or a record corrected, write from the address that you sign in with.
        </p>
      </div>
    </article>
  )
}
