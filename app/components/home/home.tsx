import { Link } from '@remix-run/react'
import { useShell } from '../layout/shell.ts'
import { CoverImage } from '../modules/cover-image.tsx'
import { LaunchForm, LaunchList } from '../modules/launch-form.tsx'
import { ModuleCard } from '../modules/module-card.tsx'
import { actionOf, type ModuleView } from '../modules/module-view.ts'
import { type PhaseCount, PhaseGroup } from '../modules/phase-group.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { HeroCurve } from './hero-curve.tsx'

type Phase = PhaseCount & { description: string | null }
type Props = { phases: Phase[]; modules: ModuleView[]; last: ModuleView | null }

/** Who you are here, where you were, and what there is. */
export function Home({ phases, modules, last }: Props) {
  const { viewer, brand } = useShell()
  return (
    <>
      <section className="hero on-deep" aria-labelledby="welcome">
        <div className="wrap">
          <div>
            <h1 id="welcome">{viewer?.firstName ? `Welcome, ${viewer.firstName}` : 'Welcome'}</h1>
            <p className="lead">{brand.welcome}: one topic at a time, at your own pace, and your place is kept.</p>
            <p className="mt-8">
              <Link className="btn btn--deep" to="/modules/">
                Go to Modules
                <Icon name="arrow" />
              </Link>
            </p>
          </div>
          <HeroCurve />
        </div>
      </section>
      {last && <ContinueBand module={last} />}
      <div className="wrap py-8">
        <LaunchList>
          {phases.map((phase) => (
            <PhaseGroup
              key={phase.frontendId}
              phase={phase}
              more={phase.frontendId && phase.total > 4 ? `/modules/?phase=${phase.frontendId}` : undefined}
            >
              {phase.description && <p className="lead muted -mt-3 mb-6">{phase.description}</p>}
              <ul className="cards">
                {modules
                  .filter((module) => module.phase === phase.frontendId)
                  .map((module) => (
                    <ModuleCard key={module.uid} module={module} />
                  ))}
              </ul>
            </PhaseGroup>
          ))}
        </LaunchList>
        {phases.length === 0 && (
          <div className="py-8">
            <Empty icon="stack" title="There are no modules for you yet">
              <p>Modules appear here as soon as your access covers one. If you expected some, please write to us.</p>
            </Empty>
          </div>
        )}
      </div>
    </>
  )
}

function ContinueBand({ module }: { module: ModuleView }) {
  const action = actionOf(module)
  const phase = module.phase ? { 'data-phase': module.phase } : {}
  return (
    <section className="band band--surface" aria-labelledby="continue">
      <div className="wrap">
        <h2 id="continue" className="mb-6">
          Continue where you were
        </h2>
        <div className="continue" {...phase}>
          <CoverImage module={module} isFirst />
          <div>
            {module.step && <p className="eyebrow">{module.step}</p>}
            <h3>
              <Link to={`/modules/${module.uid}/`}>{module.name}</Link>
            </h3>
            <p className="muted mt-2">{module.description}</p>
            <div className="my-6 max-w-80">
              <p className="num mb-1">{module.percent ?? 0}%</p>
              <Titer percent={module.percent ?? 0} label={`${module.name}, progress`} />
            </div>
            {module.versionUid && (
              <LaunchForm
                versionUid={module.versionUid}
                intent={action === 'Start' ? 'start' : 'resume'}
                className="btn btn--primary"
                label={`${action} ${module.name}`}
              >
                {action}
              </LaunchForm>
            )}
          </div>
        </div>
      </div>
    </section>
  )
}
