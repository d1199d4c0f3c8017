import { Link } from '@remix-run/react'
import { NothingOpen, useAccessEndedOn } from '../layout/nothing-open.tsx'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'
import { LaunchList } from './launch-form.tsx'
import { ModuleCard } from './module-card.tsx'
import { type PhaseCount, PhaseGroup } from './phase-group.tsx'
import { StartPanel } from './start-panel.tsx'
import type { ModuleView } from './view.ts'

type Props = {
  phases: PhaseCount[]
  modules: ModuleView[]
  page: number
  size: number
  total: number
  /** The chosen phase; null for all. */
  phase: string | null
  launch: ModuleView | null
}

export function ModuleList({ phases, modules, page, size, total, phase, launch }: Props) {
  const shown = phases.filter(({ frontendId }) => modules.some((module) => module.phase === frontendId))
  const addressOf = (page: number) =>
    `/modules/?${new URLSearchParams({ ...(phase && { phase }), page: String(page) })}`
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        <h1>Modules</h1>
        {total > 0 && (
          <p className="lead muted">
            One topic at a time, in text and illustration. Start anywhere. We keep your place.
          </p>
        )}
      </header>
      {launch && <StartPanel module={launch} />}
      {total > 0 && <PhaseTabs phases={phases} phase={phase} />}
      <LaunchList>
        {shown.map((group) => (
          <PhaseGroup key={group.frontendId} phase={group}>
            <ul className="cards">
              {modules
                .filter((module) => module.phase === group.frontendId)
                .map((module) => (
                  <ModuleCard key={module.uid} module={module} isFirst={module === modules[0]} />
                ))}
            </ul>
          </PhaseGroup>
        ))}
      </LaunchList>
      <Pages page={page} size={size} total={total} to={addressOf} />
      {modules.length === 0 && <NoModules firstPage={page > 1 ? addressOf(1) : null} />}
    </div>
  )
}

function PhaseTabs({ phases, phase }: Pick<Props, 'phases' | 'phase'>) {
  return (
    <nav className="tabs" aria-label="Phases">
      <Link to="/modules/" aria-current={phase ? undefined : 'page'}>
        All
      </Link>
      {phases.map(({ frontendId, name }) =>
        frontendId ? (
          <Link
            key={frontendId}
            to={`/modules/?phase=${frontendId}`}
            aria-current={frontendId === phase ? 'page' : undefined}
          >
            {name}
          </Link>
        ) : null,
      )}
    </nav>
  )
}

/** `firstPage` is set if this page is beyond the end of the list. */
function NoModules({ firstPage }: { firstPage: string | null }) {
  const accessEndedOn = useAccessEndedOn()
  if (firstPage) return <BeyondTheList icon="stack" to={firstPage} />
  if (accessEndedOn) return <NothingOpen />
  return (
    <Empty icon="stack" title="There are no modules for you yet">
      <p>Modules appear here when your access includes them. If you expected to see some, please write to us.</p>
    </Empty>
  )
}
