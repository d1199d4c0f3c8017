import { Link } from '@remix-run/react'
import { CourseCard } from '../courses/course-card.tsx'
import { NothingOpen, useAccessEndedOn } from '../layout/nothing-open.tsx'
import { FilmCard } from '../media/film-card.tsx'
import { LaunchList } from '../modules/launch-form.tsx'
import { ModuleCard } from '../modules/module-card.tsx'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'
import type { ContentItem, ContentKind as Kind } from './view.ts'

type Props = {
  items: ContentItem[]
  counts: Record<Kind, number>
  kind: Kind | null
  page: number
  size: number
}

const names: Record<Kind, { one: string; many: string }> = {
  course: { one: 'Course', many: 'Courses' },
  module: { one: 'Module', many: 'Modules' },
  video: { one: 'Video', many: 'Videos' },
  lecture: { one: 'Lecture', many: 'Lectures' },
}
const kinds = Object.keys(names) as Kind[]

/** Lists courses, modules, videos and lectures together, sorted by name. */
export function AllContent({ items, counts, kind, page, size }: Props) {
  const all = kinds.reduce((sum, one) => sum + counts[one], 0)
  const address = (kind: Kind | null, page: number) => {
    const query = new URLSearchParams({ ...(kind && { type: kind }), ...(page > 1 && { page: String(page) }) })
    return query.size > 0 ? `/all-content/?${query}` : '/all-content/'
  }
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        <h1>All Content</h1>
        {all > 0 && <p className="lead muted">What you can open and what is coming soon, sorted by name.</p>}
      </header>
      {all > 0 && (
        <nav className="tabs mb-6" aria-label="Kinds">
          <Link to={address(null, 1)} aria-current={kind === null ? 'page' : undefined}>
            All <span className="num muted">{all}</span>
          </Link>
          {kinds
            .filter((one) => counts[one] > 0)
            .map((one) => (
              <Link key={one} to={address(one, 1)} aria-current={one === kind ? 'page' : undefined}>
                {names[one].many} <span className="num muted">{counts[one]}</span>
              </Link>
            ))}
        </nav>
      )}
      {items.length === 0 ? (
        <Nothing firstPage={page > 1 ? address(kind, 1) : null} hasOthers={all > 0} />
      ) : (
        <section aria-label="Content">
          <LaunchList>
            <ul className="cards">
              {items.map((item, index) => (
                <Card key={uidOf(item)} item={item} isFirst={index === 0} />
              ))}
            </ul>
          </LaunchList>
        </section>
      )}
      <Pages page={page} size={size} total={kind ? counts[kind] : all} to={(page) => address(kind, page)} />
    </div>
  )
}

function uidOf(item: ContentItem): string {
  return (item.kind === 'course' ? item.course : item.kind === 'module' ? item.module : item.film).uid
}

/** The card that the list of its kind has, with the kind, because here they are mixed. */
function Card({ item, isFirst }: { item: ContentItem; isFirst: boolean }) {
  const { one } = names[item.kind]
  if (item.kind === 'course') return <CourseCard course={item.course} isFirst={isFirst} kind={one} />
  if (item.kind === 'module') return <ModuleCard module={item.module} isFirst={isFirst} kind={one} heading="h2" />
  return <FilmCard film={item.film} isFirst={isFirst} kind={one} />
}

/**
 * `firstPage` is set if this page is beyond the end of the list. `hasOthers` is true if only the chosen kind is empty.
 */
function Nothing({ firstPage, hasOthers }: { firstPage: string | null; hasOthers: boolean }) {
  const accessEndedOn = useAccessEndedOn()
  if (firstPage) return <BeyondTheList icon="stack" to={firstPage} />
  if (accessEndedOn) return <NothingOpen />
  if (hasOthers) {
    return (
      <Empty icon="stack" title="There is no content of this kind for you yet">
        <Link className="btn btn--secondary" to="/all-content/">
          Show all
        </Link>
      </Empty>
    )
  }
  return (
    <Empty icon="stack" title="There is no content for you yet">
      <p>Content appears here when your access includes it.</p>
    </Empty>
  )
}
