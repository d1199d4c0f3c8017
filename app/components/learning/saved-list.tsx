import { Link } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { CourseCard } from '../courses/course-card.tsx'
import type { CourseView } from '../courses/view.ts'
import { useAccessEndedOn } from '../layout/nothing-open.tsx'
import { FilmCard } from '../media/film-card.tsx'
import type { FilmView } from '../media/view.ts'
import { LaunchList } from '../modules/launch-form.tsx'
import { ModuleCard } from '../modules/module-card.tsx'
import type { ModuleView } from '../modules/view.ts'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
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

/** Lists saved things of one kind. A removed card disappears immediately. */
export function SavedList({ counts, type, modules, courses, films, page, size }: Props) {
  const filled = kinds.filter((kind) => counts[kind] > 0)
  const { list, status } = useRemoval([...courses, ...modules, ...films].map(({ uid }) => uid))
  const accessEndedOn = useAccessEndedOn()
  if (filled.length === 0 && accessEndedOn) {
    return (
      <Empty icon="save" title="Your saved items are kept">
        <p>They appear here again when your access is renewed.</p>
      </Empty>
    )
  }
  if (filled.length === 0) {
    return (
      <Empty icon="save" title="You have no saved items yet">
        <p>Press the bookmark on anything that you want to come back to. You will find it here.</p>
        <Link className="btn btn--primary" to="/all-content/">
          Browse all content
        </Link>
      </Empty>
    )
  }
  return (
    <>
      <p role="status" className="sr-only">
        {status}
      </p>
      {(filled.length > 1 || counts[type] === 0) && (
        <nav className="tabs mb-6" aria-label="Kinds">
          {filled.map((kind) => (
            <Link key={kind} to={`?type=${kind}`} aria-current={kind === type ? 'page' : undefined}>
              {names[kind]} <span className="num muted">{counts[kind]}</span>
            </Link>
          ))}
        </nav>
      )}
      <section aria-labelledby="saved-kind">
        <h2 id="saved-kind" className="sr-only" tabIndex={-1}>
          {names[type]}
        </h2>
        <LaunchList>
          <ul className="cards" ref={list}>
            {courses.map((course, index) => (
              <CourseCard key={course.uid} course={course} isFirst={index === 0} />
            ))}
            {modules.map((module, index) => (
              <ModuleCard key={module.uid} module={module} isFirst={index === 0} />
            ))}
            {films.map((film, index) => (
              <FilmCard key={film.uid} film={film} isFirst={index === 0} />
            ))}
          </ul>
        </LaunchList>
        {counts[type] === 0 && (
          <Empty icon="save" title={`You have no saved ${names[type].toLowerCase()}`}>
            <p>Press a bookmark to save one. Your other saved items are in the tabs above.</p>
            <Link className="btn btn--secondary" to={`/${type}s/`}>
              Go to {names[type]}
            </Link>
          </Empty>
        )}
        {counts[type] > 0 && modules.length + courses.length + films.length === 0 && (
          <BeyondTheList icon="save" to={`?type=${type}`} />
        )}
        <Pages page={page} size={size} total={counts[type]} to={(page) => `?type=${type}&page=${page}`} />
      </section>
    </>
  )
}

/**
 * When a card is removed, its button disappears. This hook moves the focus to the next card's button, or to the
 * heading.
 */
function useRemoval(uids: string[]) {
  const list = useRef<HTMLUListElement>(null)
  const before = useRef(uids)
  const [status, setStatus] = useState('')
  const now = uids.join(' ')
  useEffect(() => {
    const last = before.current
    before.current = now === '' ? [] : now.split(' ')
    const gone = last.findIndex((uid) => !before.current.includes(uid))
    const isOneLess = last.length > before.current.length && gone >= 0
    if (!isOneLess || document.activeElement !== document.body) return
    setStatus('Removed from Saved.')
    const buttons = list.current?.querySelectorAll<HTMLElement>('button.save') ?? []
    const next = buttons[Math.min(gone, buttons.length - 1)] ?? document.getElementById('saved-kind')
    next?.focus()
  }, [now])
  return { list, status }
}
