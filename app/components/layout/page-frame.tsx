import type { ReactNode } from 'react'
import { ClassicBar } from './classic-bar.tsx'
import { Footer } from './footer.tsx'
import { LearnerBar } from './learner-bar.tsx'
import type { Shell } from './shell.ts'

/** The frame of learner pages: bar, page and footer. Visitors who are not signed in get the classic bar. */
export function PageFrame({ shell, children }: { shell: Shell; children: ReactNode }) {
  return (
    <>
      <SkipLink />
      {shell.viewer ? <LearnerBar shell={shell} /> : <ClassicBar shell={shell} />}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer brand={shell.brand} />
    </>
  )
}

export function SkipLink() {
  return (
    <a className="skip" href="#main">
      Skip to content
    </a>
  )
}
