import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { BrandLink } from './brand-link.tsx'
import { CurveArt, ImpulseArt } from './curve-art.tsx'
import { SkipLink } from './page-frame.tsx'
import type { Shell } from './shell.ts'

/** The frame of the auth pages: the form on one side, and a description of the site on the other. */
export function AuthFrame({ shell, children }: { shell: Shell; children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <div className="split">
        <div className="form">
          <header>
            <BrandLink brand={shell.brand} />
          </header>
          <main id="main" tabIndex={-1}>
            <div className="inner">{children}</div>
          </main>
          <footer className="legal">
            <Link to="/privacy-policy/">Privacy</Link>
            <Link to="/terms/">Terms</Link>
          </footer>
        </div>
        <section className="site on-deep" aria-label={`About ${shell.brand.name}`}>
          {shell.brand.signIn.figure === 'impulse' ? <ImpulseArt /> : <CurveArt />}
          <div className="say">
            <p>{shell.brand.signIn.header}</p>
            <p>{shell.brand.signIn.description}</p>
          </div>
        </section>
      </div>
    </>
  )
}
