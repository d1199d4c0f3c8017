import { Link } from '@remix-run/react'
import type { CourseView, ModuleView } from '~/lib/learner-views.ts'
import { useShell } from '../layout/shell.ts'
import { CoverImage } from '../modules/cover-image.tsx'
import { LaunchList } from '../modules/launch-form.tsx'
import { isCompleted } from '../modules/module-view.ts'
import { Empty } from '../ui/empty.tsx'
import { NoPage, PageLink } from '../ui/pages.tsx'
import { Titer } from '../ui/titer.tsx'
import { CourseRow, LearnRow, ModuleRow } from './learn-row.tsx'

type ModuleItem = ModuleView & { startedOn: string; visitedOn: string; completedOn: string | null }
type CourseItem = CourseView & { startedOn: string | null; completedOn: string | null }
type FilmItem = { kind: 'lecture' | 'video'; uid: string; name: string; percent: number }

type Props = {
  modules: ModuleItem[]
  courses: CourseItem[]
  films: FilmItem[]
  after: string | null
  next: string | null
  empty: { title: string; text: string }
}

/** What is in progress, or completed, by kind; modules in pages. */
export function LearningRows({ modules, courses, films, after, next, empty }: Props) {
  const hasFilms = useShell().flags.includes('LECTURES')
  if (modules.length + courses.length + films.length === 0) {
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
    <>
      {courses.length > 0 && (
        <section aria-label="Courses" className="mb-10">
          <h2 className="mb-4">Courses</h2>
          <LaunchList>
            <ul className="learnlist">
              {courses.map((course) => (
                <CourseRow key={course.uid} course={course} detail={describeCourse(course)} />
              ))}
            </ul>
          </LaunchList>
        </section>
      )}
      {modules.length > 0 && (
        <section aria-label="Modules" className="mb-10">
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
              <span>{modules.length} on this page</span>
              <ul>
                <li>{after ? <PageLink to="?" label="First page" icon="left" /> : <NoPage icon="left" />}</li>
                <li>
                  {next ? <PageLink to={`?after=${next}`} label="Next page" icon="right" /> : <NoPage icon="right" />}
                </li>
              </ul>
            </nav>
          )}
        </section>
      )}
      {films.length > 0 && (
        <section aria-label="Films">
          <h2 className="mb-4">{hasFilms ? 'Videos and lectures' : 'Videos'}</h2>
          <ul className="learnlist">
            {films.map((film) => (
              <FilmRow key={film.uid} film={film} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function FilmRow({ film }: { film: FilmItem }) {
  const to = `/${film.kind}s/${film.uid}/`
  const action = film.percent === 100 ? 'Watch again' : 'Resume'
  return (
    <LearnRow
      picture={<CoverImage module={{ name: film.name, phase: null, cover: null }} />}
      name={film.name}
      to={to}
      detail={film.kind === 'lecture' ? 'Lecture' : 'Video'}
      progress={
        <>
          <p className="num small mb-1">{film.percent === 100 ? 'Watched' : `${film.percent}%`}</p>
          {film.percent < 100 && <Titer percent={film.percent} label={`${film.name}, watched`} />}
        </>
      }
      action={
        <Link className="btn btn--secondary" to={to} aria-label={`${action} ${film.name}`}>
          {action}
        </Link>
      }
    />
  )
}

function describe(module: ModuleItem): string {
  const when = module.completedOn ? `completed ${module.completedOn}` : `last visit ${module.visitedOn}`
  return module.step ? `${module.step}, ${when}` : `${when.charAt(0).toUpperCase()}${when.slice(1)}`
}

function describeCourse(course: CourseItem): string {
  const modules = course.moduleCount === 1 ? 'One module' : `${course.moduleCount} modules`
  if (course.completedOn) return `${modules}, completed ${course.completedOn}`
  return course.startedOn ? `${modules}, started ${course.startedOn}` : modules
}
