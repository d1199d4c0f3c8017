import { Link } from '@remix-run/react'
import { CoverImage } from '../modules/cover-image.tsx'
import { LaunchForm } from '../modules/launch-form.tsx'
import { actionOf, type ModuleView } from '../modules/module-view.ts'
import { Titer } from '../ui/titer.tsx'

/** One click to where the learner was. */
export function ContinueBand({ module }: { module: ModuleView }) {
  const action = actionOf(module)
  const phase = module.phase ? { 'data-phase': module.phase } : {}
  return (
    <section className="band" aria-labelledby="continue">
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
