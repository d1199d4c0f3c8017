import { Link } from '@remix-run/react'
import { type SearchType, searchAddress } from '~/lib/search-query.ts'
import { tagAddress } from '~/lib/tag-address.ts'
import { NothingOpen, useAccessEndedOn } from '../layout/nothing-open.tsx'
import { useShell } from '../layout/shell.ts'
import { CourseResumeButton, LaunchButton, LaunchList } from '../modules/launch-form.tsx'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Pages } from '../ui/pages.tsx'
import { Titer } from '../ui/titer.tsx'
import { type HitKind, isShown, kindLabels } from './kinds.ts'
import { SearchBox } from './search-box.tsx'

type Hit = {
  kind: HitKind
  uid: string
  title: string
  address: string
  excerpt: { text: string; isFound: boolean }[]
  isComingSoon: boolean
  isOpenable: boolean
  step: string | null
  phase: string | null
  /**
   * The progress of a module or course that has been started, and the version to launch, which a course finds later.
   */
  begun: { percent: number; versionUid: string | null } | null
}

type Props = {
  /** True if `query` is a tag, and these are the items with that tag. */
  isTag: boolean
  query: string
  type: SearchType
  hits: Hit[]
  total: number
  page: number
  size: number
  isSimilar: boolean
  elsewhere: number
  isTooFast: boolean
}

export function SearchPage(props: Props) {
  const { isTag, query, type, hits, total, page, size, isSimilar, elsewhere, isTooFast } = props
  const addressOf = isTag ? tagAddress : searchAddress
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        <h1>{isTag ? `Tag: ${query}` : 'Search'}</h1>
        <SearchBox className="topsearch--page" label="Search for" type={type} />
      </header>
      {query && <Types addressOf={(type) => addressOf(query, type)} type={type} isTag={isTag} />}
      {elsewhere > 0 && <Elsewhere query={query} type={type} elsewhere={elsewhere} />}
      {query && hits.length > 0 && (
        <p className="muted mb-4" role="status">
          {isSimilar
            ? `${elsewhere > 0 ? '' : `Nothing contains “${query}”. `}These titles have a similar spelling.`
            : `${countOf(total)} ${total === 1 ? 'result' : 'results'}${isTag ? ' with this tag' : ` for “${query}”`}`}
        </p>
      )}
      {hits.length > 0 && (
        <LaunchList>
          <ul className="hits">
            {hits.map((hit) => (
              <HitRow key={`${hit.kind} ${hit.uid}`} hit={hit} />
            ))}
          </ul>
        </LaunchList>
      )}
      <Pages page={page} size={size} total={total} to={(page) => addressOf(query, type, page)} />
      {isTooFast && (
        <Empty icon="clock" title="One moment, please">
          <p>You are searching very fast. Please wait a minute and try again.</p>
        </Empty>
      )}
      {hits.length === 0 && !isTooFast && elsewhere === 0 && (
        <Nothing isTag={isTag} query={query} type={type} page={page} />
      )}
    </div>
  )
}

type TypesProps = { addressOf: (type: SearchType) => string; type: SearchType; isTag: boolean }

function Types({ addressOf, type, isTag }: TypesProps) {
  const { flags } = useShell()
  const kinds = (Object.keys(kindLabels) as HitKind[]).filter(
    (kind) => isShown(kind, flags) && !(isTag && kind === 'glossary'),
  )
  return (
    <nav className="tabs mb-6" aria-label="Types">
      <Link to={addressOf('all')} aria-current={type === 'all' ? 'page' : undefined}>
        All
      </Link>
      {kinds.map((kind) => (
        <Link key={kind} to={addressOf(kind)} aria-current={type === kind ? 'page' : undefined}>
          {kindLabels[kind].many}
        </Link>
      ))}
    </nav>
  )
}

/** Appears if the section that is searched has no results, but other sections do. */
function Elsewhere({ query, type, elsewhere }: Pick<Props, 'query' | 'type' | 'elsewhere'>) {
  const kind = type === 'all' ? 'text' : kindLabels[type].one.toLowerCase()
  return (
    <div className="notice mb-6" role="status">
      <Icon name="info" />
      <div>
        <p>
          <strong>{`No ${kind} contains “${query}”`}</strong>
          {elsewhere === 1 ? 'One result is of another type.' : `${countOf(elsewhere)} results are of other types.`}
        </p>
        <p className="mt-3">
          <Link className="btn btn--primary" to={searchAddress(query, 'all')}>
            Search everything
          </Link>
        </p>
      </div>
    </div>
  )
}

function countOf(total: number): string {
  return total >= 500 ? '500 or more' : String(total)
}

function HitRow({ hit }: { hit: Hit }) {
  const { one, icon } = kindLabels[hit.kind]
  const phase = hit.phase ? { 'data-phase': hit.phase } : {}
  return (
    <li {...phase}>
      <div className="meta">
        <span>
          <Icon name={icon} />
          {one}
        </span>
        {hit.step && <span className="eyebrow">{hit.step}</span>}
        {hit.isComingSoon && <span className="flag flag--soon">Coming Soon</span>}
        {!hit.isComingSoon && !hit.isOpenable && <span className="flag">Draft</span>}
      </div>
      <h2>{hit.isComingSoon ? hit.title : <Link to={hit.address}>{hit.title}</Link>}</h2>
      {hit.excerpt.length > 0 && (
        <p>{hit.excerpt.map(({ text, isFound }, index) => (isFound ? <mark key={index}>{text}</mark> : text))}</p>
      )}
      {hit.begun && <ResumeHit hit={hit} begun={hit.begun} />}
    </li>
  )
}

function ResumeHit({ hit, begun }: { hit: Hit; begun: NonNullable<Hit['begun']> }) {
  return (
    <div className="goon">
      {begun.versionUid ? (
        <LaunchButton
          versionUid={begun.versionUid}
          intent="resume"
          className="btn btn--secondary"
          label={`Resume ${hit.title}`}
        >
          Resume
        </LaunchButton>
      ) : hit.kind === 'module' ? (
        <p className="small muted">The rest opens in another program</p>
      ) : (
        <CourseResumeButton uid={hit.uid} name={hit.title} className="btn btn--secondary" />
      )}
      <Titer percent={begun.percent} label={`${hit.title}, progress`} />
      <span className="num small">{begun.percent}%</span>
    </div>
  )
}

function Nothing({ isTag, query, type, page }: Pick<Props, 'isTag' | 'query' | 'type' | 'page'>) {
  const accessEndedOn = useAccessEndedOn()
  const addressOf = isTag ? tagAddress : searchAddress
  if (query === '') {
    return (
      <Empty icon="search" title="What are you looking for?">
        <p>Search everything you can open, including texts and transcripts.</p>
      </Empty>
    )
  }
  if (page > 1) return <BeyondTheList icon="search" to={addressOf(query, type)} />
  if (isTag && accessEndedOn) return <NothingOpen />
  return (
    <Empty icon="search" title={isTag ? `Nothing here has the tag “${query}”` : `No results found for "${query}"`}>
      <p>
        {isTag
          ? 'You see only what is part of your access.'
          : 'Check the spelling, use fewer words, or type only the first letters.'}
      </p>
      <p className="flex flex-wrap justify-center gap-3">
        {type !== 'all' && (
          <Link className="btn btn--secondary" to={addressOf(query, 'all')}>
            {isTag ? 'Show all types' : 'Search everything'}
          </Link>
        )}
        <Link className="btn btn--secondary" to="/courses/">
          Go to Courses
        </Link>
        <Link className="btn btn--secondary" to="/modules/">
          Go to Modules
        </Link>
      </p>
    </Empty>
  )
}
