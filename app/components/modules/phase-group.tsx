import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'

export type PhaseCount = { frontendId: string | null; name: string | null; total: number; completedCount: number }

/** The modules of one phase under its heading, with their number. */
export function PhaseGroup({ phase, children, more }: { phase: PhaseCount; children: ReactNode; more?: string }) {
  const id = phase.frontendId ?? 'other'
  const color = phase.frontendId ? { 'data-phase': phase.frontendId } : {}
  return (
    <section className="phasegroup" aria-labelledby={`phase-${id}`} {...color}>
      <header>
        <span className="dot" aria-hidden="true" />
        <h2 id={`phase-${id}`}>{phase.name ?? 'More modules'}</h2>
        <p className="muted small">
          {phase.total} {phase.total === 1 ? 'module' : 'modules'}, {phase.completedCount} completed
        </p>
        {more && (
          <Link className="small ml-auto inline-flex min-h-11 items-center" to={more}>
            All {phase.total} in {phase.name}
          </Link>
        )}
      </header>
      {children}
    </section>
  )
}
