import { Link } from '@remix-run/react'
import { SaveButton } from '../favorites/save-button.tsx'
import { NothingOpen, useAccessEndedOn } from '../layout/nothing-open.tsx'
import { CoverImage } from '../modules/cover-image.tsx'
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
          <ul className="cards">
            {items.map((item, index) => (
              <li key={item.uid} className={item.isComingSoon ? 'card card--soon' : 'card'}>
                <div className="cover">
                  <CoverImage module={{ ...item, phase: null }} isFirst={index === 0} />
                  {item.isComingSoon && <span className="flag flag--soon">Coming Soon</span>}
                </div>
                <div className="body">
                  <span className="eyebrow">{names[item.kind].one}</span>
                  <h2>{item.isComingSoon ? item.name : <Link to={`/${item.kind}s/${item.uid}/`}>{item.name}</Link>}</h2>
                  <p>{item.text}</p>
                </div>
                <div className="foot">
                  {item.isComingSoon && <span className="note">Not open yet</span>}
                  <SaveButton kind={item.kind} uid={item.uid} name={item.name} isSaved={item.isSaved} />
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Pages page={page} size={size} total={kind ? counts[kind] : all} to={(page) => address(kind, page)} />
    </div>
  )
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
