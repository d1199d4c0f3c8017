import { Link } from '@remix-run/react'
import { LaunchList } from '../modules/launch-form.tsx'
import { isCompleted, type ModuleView } from '../modules/module-view.ts'
import { Empty } from '../ui/empty.tsx'
import { NoPage, PageLink } from '../ui/pages.tsx'
import { ModuleRow } from './learn-row.tsx'

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
            <ModuleRow
              key={module.uid}
              module={module}
              detail={describe(module)}
              isPrimary={index === 0 && !isCompleted(module)}
            />
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

function describe(module: Row): string {
  const when = module.completedOn ? `completed ${module.completedOn}` : `last visit ${module.visitedOn}`
  return module.step ? `${module.step}, ${when}` : `${when.charAt(0).toUpperCase()}${when.slice(1)}`
}
