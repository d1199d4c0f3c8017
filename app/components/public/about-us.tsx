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
          Authors draft, two readers check the facts, and somebody who is new to the topic says where it loses them. A
          module that changes gets a new version; who is in the middle of the old one finishes that.
        </p>
        <h2>Talk to us</h2>
        <p>
          Found a mistake, or missing a topic? Write to <Mail brand={brand} />, or look into the{' '}
          <Link to="/faq/">answers to common questions</Link>.
        </p>
      </div>
    </article>
  )
}
