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
          <li>Who you are: your name, your email address, and your institution if you have one with us.</li>
          <li>
            How you learn: which modules you opened and when, how far you got, your answers to their questions, and your
            scores.
          </li>
          <li>When you were here: the times at which you signed in and visited.</li>
          <li>
            For your security: the address and the browser of each session, until it ends. Your password is stored only
            in a form that nobody can read.
          </li>
        </ul>
        <h2>Why</h2>
        <p>
          We use this data to open the content that your access includes, to bring you back to where you were, and to
          show you and the people who run {brand.name} what you have learned. There is no advertising. We do not sell
          data or give it to advertisers.
        </p>
        <h2>Cookies</h2>
        <p>
          We set two cookies, and both are necessary. One keeps you signed in. The other protects the forms that you
          send before you sign in. Modules may store their own settings in your browser. They come from a separate
          address that cannot read your session.
        </p>
        <h2>Who sees it</h2>
        <p>
          You and the administrators of this site. Other learners do not see it. We pass nothing on to other sites, not
          even to those that run on the same software.
        </p>
        <h2>How long</h2>
        <p>
          As long as you have an account. When it is deleted, your name, your address and your password are deleted with
          it. The records of learning that remain no longer name anybody.
        </p>
        <h2>Your rights</h2>
        <p>
          Write to <Mail brand={brand} /> to ask what we keep about you, or to have it corrected or deleted.
        </p>
      </div>
    </article>
  )
}
