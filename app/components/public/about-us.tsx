import { Link } from '@remix-run/react'
import type { Brand } from '~/config/brands.ts'
import type { AboutText } from '~/config/static-texts.ts'
import { Mail } from './terms.tsx'

export function AboutUs({ brand, text }: { brand: Brand; text: AboutText }) {
  return (
    <article className="wrap">
      <header className="pagehead">
        <h1>About {brand.name}</h1>
        <p className="lead muted">{text.lead}</p>
      </header>
      <div className="prose">
        {text.paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        <h2>How the content is made</h2>
        <p>
          Authors write each module about one topic and draw its figures for it. When a module changes, it gets a new
          version. Learners who have started the old version finish it.
        </p>
        <h2>Talk to us</h2>
        <p>
          Found a mistake, or missing a topic? Write to <Mail brand={brand} />, or read the{' '}
          <Link to="/faq/">answers to common questions</Link>.
        </p>
      </div>
    </article>
  )
}
