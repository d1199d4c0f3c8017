import type { Brand } from '~/config/brands.ts'
import { Mail } from './terms.tsx'

type Props = {
  brand: Brand
  kinds: { title: string; what: string; howLong: string }[]
  /** Statements are forwarded to another record store. */
  isForwarded: boolean
}

export function PrivacyPolicy({ brand, kinds, isForwarded }: Props) {
  return (
    <article className="wrap">
      <header className="pagehead">
        <h1>Privacy Policy</h1>
        <p className="lead muted">What {brand.name} keeps about you, why, and for how long.</p>
      </header>
      <div className="prose">
        <h2>What we keep, and for how long</h2>
        {kinds.map(({ title, what, howLong }) => (
          <section key={title}>
            <h3>{title}</h3>
            <p>{what}</p>
            <p>
              <strong>How long:</strong> {howLong}
            </p>
          </section>
        ))}
        <h2>Why</h2>
        <p>
          We use this data to open the content that your access includes, to bring you back to where you were, and to
          show you and the people who run {brand.name} what you have learned. There is no advertising. We do not sell
          data or give it to advertisers.
        </p>
        <h2>Cookies</h2>
        <p>
          We set a few cookies, and all are necessary. One keeps you logged in. One protects the forms that you send
          before you log in. One marks a browser in which you have logged in before, without your name or address, so
          that other people’s wrong passwords do not make you wait. Two hold something until the next page: a message
          such as “Saved”, and what you pressed when your session had ended. Modules may store their own settings in
          your browser. They come from a separate address that cannot read your session.
        </p>
        <h2>Who sees it</h2>
        <p>
          You, and the administrators of this site. Authors see how learners do in modules: names, progress, scores and
          answers. Reports show administrators what people search for, watch and open. Other learners see none of it.
          Your institution learns what the administrators report to it, such as what you have completed and your scores.
        </p>
        <p>Nothing is shared with other sites, not even with those that run on the same software.</p>
        {isForwarded && (
          <p>
            What you learn (answers, scores and progress, with a number instead of your name) is also sent to a record
            store outside this site that the administrators have chosen.
          </p>
        )}
        <p>
          Programs can read what you learn only with a key that the administrators have issued, or with an access token
          that you have created yourself. Some videos are played by Vimeo. If you start one, Vimeo learns your internet
          address.
        </p>
        <h2>When your account is deleted</h2>
        <p>
          The account is closed and hidden at once, and you are logged out everywhere. For thirty days it can be
          restored if it was deleted by mistake. After that, your name, your email address, your password and everything
          above that is kept until then are deleted. What remains no longer names you, and only counts in the figures of
          the site.
        </p>
        <h2>Your rights</h2>
        <p>
          You can download everything that we keep about you from My Account. Write to <Mail brand={brand} /> to have it
          corrected or deleted.
        </p>
      </div>
    </article>
  )
}
