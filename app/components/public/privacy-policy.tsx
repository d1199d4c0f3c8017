import type { Brand } from '~/config/brands.ts'
import { Mail } from './terms.tsx'

export function PrivacyPolicy({ brand }: { brand: Brand }) {
  return (
    <article className="wrap">
      <header className="pagehead">
        <h1>Privacy Policy</h1>
        <p className="lead muted">What {brand.name} keeps about you, why, and for how long.</p>
      </header>
      <div className="prose">
        <h2>What we keep</h2>
        <ul>
          <li>Who you are: your name, your e-mail address, and your institution if you have one with us.</li>
          <li>
            How you learn: which modules you opened and when, how far you came, your answers to their questions, and
            your scores.
          </li>
          <li>When you were here: the times at which you signed in and visited.</li>
          <li>
            For your safety: the address and the browser of each session, until it ends. Your password is stored only in
            a form from which nobody can read it.
          </li>
        </ul>
        <h2>Why</h2>
        <p>
          To open the content that your access covers, to bring you back to where you were, and to show you and the
          people who run {brand.name} what was learned. There is no advertising, and nothing is sold or given to
          advertisers.
        </p>
        <h2>Cookies</h2>
        <p>
          Two, both our own and both needed: one keeps you signed in, the other protects the forms that you send before
          you sign in. Modules may remember their own settings in your browser; they come from a separate address that
          cannot read your session.
        </p>
        <h2>Who sees it</h2>
        <p>
          You, and the administrators of this site. Other learners do not. Nothing passes to other sites, also not to
          others that run on the same software.
        </p>
        <h2>How long</h2>
        <p>
          As long as you have an account. When it is deleted, your name, your address and your password go with it; what
          remains are records of learning that no longer name anybody.
        </p>
        <h2>Your rights</h2>
        <p>
          Ask us at <Mail brand={brand} /> what we hold about you, to correct it, or to delete it.
        </p>
      </div>
    </article>
  )
}
