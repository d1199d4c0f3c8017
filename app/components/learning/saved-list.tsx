import { Link } from '@remix-run/react'
import type { CourseView, FilmView, ModuleView } from '~/lib/learner-views.ts'
import { CourseCard } from '../courses/course-card.tsx'
import { FilmCard } from '../media/film-card.tsx'
import { LaunchList } from '../modules/launch-form.tsx'
import { ModuleCard } from '../modules/module-card.tsx'
import { Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'

type Kind = 'course' | 'module' | 'video' | 'lecture'

type Props = {
  counts: Record<Kind, number>
  type: Kind
  modules: ModuleView[]
  courses: CourseView[]
  films: FilmView[]
  page: number
  size: number
}

const names: Record<Kind, string> = { course: 'Courses', module: 'Modules', video: 'Videos', lecture: 'Lectures' }
const kinds = Object.keys(names) as Kind[]

/** One kind at a time. What is taken off goes at once. */
export function SavedList({ counts, type, modules, courses, films, page, size }: Props) {
  const filled = kinds.filter((kind) => counts[kind] > 0)
  if (filled.length === 0) {
    return (
      <Empty icon="save" title="You have no saved items yet">
        <p>Press the bookmark of whatever you want to come back to, and you find it here.</p>
        <Link className="btn btn--primary" to="/all-content/">
          Look at everything
        </Link>
      </Empty>
    )
  }
  return (
    <>
      {filled.length > 1 && (
        <nav className="tabs mb-6" aria-label="Kinds">
          {filled.map((kind) => (
            <Link key={kind} to={`?type=${kind}`} aria-current={kind === type ? 'page' : undefined}>
              {names[kind]} <span className="num muted">{counts[kind]}</span>
            </Link>
          ))}
        </nav>
      )}
      <section aria-labelledby="saved-kind">
        <h2 id="saved-kind" className="sr-only">
          {names[type]}
        </h2>
        <LaunchList>
          <ul className="cards">
            {courses.map((course) => (
              <CourseCard key={course.uid} course={course} />
            ))}
            {modules.map((module) => (
              <ModuleCard key={module.uid} module={module} />
            ))}
            {films.map((film) => (
              <FilmCard key={film.uid} film={film} />
            ))}
          </ul>
        </LaunchList>
        {modules.length + courses.length + films.length === 0 && (
          <p className="muted">There is nothing on this page.</p>
        )}
        <Pages page={page} size={size} total={counts[type]} to={(page) => `?type=${type}&page=${page}`} />
      </section>
    </>
  )
}
