import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { CourseView } from '../courses/view.ts'
import { useAccessEndedOn } from '../layout/nothing-open.tsx'
import { useShell } from '../layout/shell.ts'
import { CoverImage } from '../modules/cover-image.tsx'
import { LaunchList } from '../modules/launch-form.tsx'
import type { ModuleView } from '../modules/view.ts'
import { isCompleted } from '../modules/view.ts'
import { BackLink } from '../ui/back-link.tsx'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { NoPage, PageLink, Pages } from '../ui/pages.tsx'
import { Titer } from '../ui/titer.tsx'
import { CourseRow, LearnRow, ModuleRow, NoLongerOpen } from './learn-row.tsx'

type ModuleItem = ModuleView & { isListed: boolean; startedOn: string; visitedOn: string; completedOn: string | null }
type CourseItem = CourseView & { isListed: boolean; startedOn: string | null; completedOn: string | null }
type FilmItem = { kind: 'lecture' | 'video'; uid: string; name: string; percent: number; isPlayable: boolean }

type Kind = 'courses' | 'films' | 'retakes'
type Part<T> = { items: T[]; total: number }

type Props = {
  /** The name of this list, for the link back to it. */
  title: string
  /** The kind that is shown alone, in pages. Null shows modules in pages and the first items of the other kinds. */
  kind: Kind | null
  page: number
  size: number
  modules: ModuleItem[]
  /** Completed modules with an open attempt. */
  retakes: ModuleItem[]
  courses: Part<CourseItem>
  films: Part<FilmItem>
  after: string | null
  next: string | null
  nextRetakes: string | null
  empty: { title: string; text: string }
  /** Stands below a list that is not empty. */
  foot?: ReactNode
}

/** Lists what is in progress or completed, by kind. */
export function LearningRows(props: Props) {
  const { title, kind, page, size, modules, retakes, courses, films, after, next, nextRetakes, empty, foot } = props
  const filmsName = useShell().flags.includes('LECTURES') ? 'Videos and lectures' : 'Videos'
  const accessEndedOn = useAccessEndedOn()
  if (modules.length + retakes.length + courses.items.length + films.items.length === 0) {
    if (after || page > 1) return <BeyondTheList icon="trophy" to={kind ? `?kind=${kind}` : '?'} />
    return (
      <Empty icon="trophy" title={accessEndedOn ? 'There is nothing here' : empty.title}>
        {accessEndedOn ? (
          <p>You can start again when your access is renewed.</p>
        ) : (
          <>
            <p>{empty.text}</p>
            <Link className="btn btn--primary" to="/modules/">
              Go to Modules
            </Link>
          </>
        )}
      </Empty>
    )
  }
  const rest = { isWhole: kind !== null, page, size }
  return (
    <>
      {kind && <BackLink to="?">{title}</BackLink>}
      {courses.items.length > 0 && (
        <section aria-label="Courses" className="mb-10">
          <h2 className="mb-4">Courses</h2>
          <LaunchList>
            <ul className="learnlist">
              {courses.items.map((course) => (
                <CourseRow
                  key={course.uid}
                  course={course}
                  detail={describeCourse(course)}
                  isClosed={!course.isListed}
                />
              ))}
            </ul>
          </LaunchList>
          <TheRest kind="courses" name="courses" part={courses} {...rest} />
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
                  isClosed={!module.isListed}
                />
              ))}
            </ul>
          </LaunchList>
          <CursorPages count={modules.length} first="?" after={after} next={next && `?after=${next}`} />
        </section>
      )}
      {retakes.length > 0 && (
        <section aria-label="Retakes" className="mb-10">
          <h2 className="mb-4">Retakes</h2>
          <p className="small muted mb-4">You have completed these before. That result stays, whatever you do now.</p>
          <LaunchList>
            <ul className="learnlist">
              {retakes.map((module) => (
                <ModuleRow
                  key={module.uid}
                  module={module}
                  detail={describe({ ...module, completedOn: null })}
                  isClosed={!module.isListed}
                />
              ))}
            </ul>
          </LaunchList>
          <CursorPages
            count={retakes.length}
            first="?kind=retakes"
            after={kind && after}
            next={nextRetakes && `?kind=retakes&after=${nextRetakes}`}
          />
        </section>
      )}
      {films.items.length > 0 && (
        <section aria-label="Films">
          <h2 className="mb-4">{filmsName}</h2>
          <ul className="learnlist">
            {films.items.map((film) => (
              <FilmRow key={film.uid} film={film} />
            ))}
          </ul>
          <TheRest kind="films" name={filmsName.toLowerCase()} part={films} {...rest} />
        </section>
      )}
      {foot}
    </>
  )
}

type CursorProps = { count: number; first: string; after: string | null; next: string | null }

/** The pager of a list whose pages have no numbers. */
function CursorPages({ count, first, after, next }: CursorProps) {
  if (!after && !next) return null
  return (
    <nav className="pages mt-4" aria-label="Pages">
      <span>{count} on this page</span>
      <ul>
        <li>{after ? <PageLink to={first} label="First page" icon="left" /> : <NoPage icon="left" />}</li>
        <li>{next ? <PageLink to={next} label="Next page" icon="right" /> : <NoPage icon="right" />}</li>
      </ul>
    </nav>
  )
}

type RestProps = { kind: Kind; name: string; part: Part<unknown>; isWhole: boolean; page: number; size: number }

/** A link to the whole list below its first items, or the pager below a page of the whole list. */
function TheRest({ kind, name, part, isWhole, page, size }: RestProps) {
  const { items, total } = part
  if (isWhole) return <Pages page={page} size={size} total={total} to={(to) => `?kind=${kind}&page=${to}`} />
  if (total <= items.length) return null
  return (
    <p className="mt-4">
      <Link className="btn btn--secondary" to={`?kind=${kind}`}>
        {`Show all ${total} ${name}`}
      </Link>
    </p>
  )
}

function FilmRow({ film }: { film: FilmItem }) {
  const to = `/${film.kind}s/${film.uid}/`
  const action = film.percent === 100 ? 'Watch again' : 'Resume'
  return (
    <LearnRow
      picture={<CoverImage module={{ name: film.name, phase: null, cover: null }} />}
      name={film.name}
      to={film.isPlayable ? to : null}
      detail={film.kind === 'lecture' ? 'Lecture' : 'Video'}
      progress={
        <>
          <p className="num small mb-1">{film.percent === 100 ? 'Watched' : `${film.percent}%`}</p>
          {film.percent < 100 && <Titer percent={film.percent} label={`${film.name}, watched`} />}
        </>
      }
      action={
        film.isPlayable ? (
          <Link className="btn btn--secondary" to={to} aria-label={`${action} ${film.name}`}>
            {action}
          </Link>
        ) : (
          <NoLongerOpen />
        )
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
