import { Link } from '@remix-run/react'
import { CoverImage } from '../modules/cover-image.tsx'
import { LaunchButton, type LaunchIntent, LaunchList } from '../modules/launch-form.tsx'
import { actionOf, isCompleted, type ModuleView } from '../modules/module-view.ts'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { NoPage, PageLink } from '../ui/pages.tsx'
import { Titer } from '../ui/titer.tsx'

type Row = ModuleView & { startedOn: string; visitedOn: string; completedOn: string | null }

type Props = {
  heading: string
  modules: Row[]
  total: number
  after: string | null
  next: string | null
  empty: { title: string; text: string }
}

export function ModuleRows({ heading, modules, total, after, next, empty }: Props) {
  if (modules.length === 0) {
    return (
      <Empty icon="trophy" title={after ? 'There is nothing more' : empty.title}>
        <p>{after ? 'You have come to the end of this list.' : empty.text}</p>
        <Link className="btn btn--primary" to={after ? '?' : '/modules/'}>
          {after ? 'To its beginning' : 'Go to Modules'}
        </Link>
      </Empty>
    )
  }
  return (
    <section aria-label={`${heading}: modules`}>
      <h2 className="mb-4">Modules</h2>
      <LaunchList>
        <ul className="learnlist">
          {modules.map((module, index) => (
            <ModuleRow key={module.uid} module={module} isPrimary={index === 0 && !isCompleted(module)} />
          ))}
        </ul>
      </LaunchList>
      {(after || next) && (
        <nav className="pages mt-4" aria-label="Pages">
          <span>{total} in all</span>
          <ul>
            <li>{after ? <PageLink to="?" label="First page" icon="left" /> : <NoPage icon="left" />}</li>
            <li>
              {next ? <PageLink to={`?after=${next}`} label="Next page" icon="right" /> : <NoPage icon="right" />}
            </li>
          </ul>
        </nav>
      )}
    </section>
  )
}

function ModuleRow({ module, isPrimary }: { module: Row; isPrimary: boolean }) {
  const action = actionOf(module)
  const percent = module.retakingPercent ?? module.percent ?? 0
  const phase = module.phase ? { 'data-phase': module.phase } : {}
  return (
    <li {...phase}>
      <CoverImage module={module} />
      <div>
        <h3>
          <Link to={`/modules/${module.uid}/`}>{module.name}</Link>
        </h3>
        <p className="small muted">{describe(module)}</p>
      </div>
      <div className="p">
        <p className="num small mb-1 flex items-center gap-1">
          {isCompleted(module) && module.retakingPercent === null ? (
            <>
              <Icon name="check" className="text-success" />
              {module.highestScore === null ? 'Completed' : `Best score ${module.highestScore}%`}
            </>
          ) : (
            `${module.retakingPercent === null ? '' : 'Retaking '}${percent}%`
          )}
        </p>
        {!(isCompleted(module) && module.retakingPercent === null) && (
          <Titer percent={percent} label={`${module.name}, progress`} />
        )}
      </div>
      <div className="act">
        {module.versionUid && (
          <LaunchButton
            versionUid={module.versionUid}
            intent={action.toLowerCase() as LaunchIntent}
            className={`btn ${isPrimary ? 'btn--primary' : 'btn--secondary'}`}
            label={`${action} ${module.name}`}
          >
            {action}
          </LaunchButton>
        )}
      </div>
    </li>
  )
}

function describe(module: Row): string {
  const when = module.completedOn ? `completed ${module.completedOn}` : `last visit ${module.visitedOn}`
  return module.step ? `${module.step}, ${when}` : `${when.charAt(0).toUpperCase()}${when.slice(1)}`
}
