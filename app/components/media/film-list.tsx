import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { NothingOpen, useAccessEndedOn } from '../layout/nothing-open.tsx'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import type { IconName } from '../ui/icon.tsx'
import { Pages } from '../ui/pages.tsx'
import { FilmCard } from './film-card.tsx'
import type { FilmView } from './view.ts'

type FilmFilter = { label: string; query: string; isCurrent: boolean }

type Props = {
  /** The address of the list, such as /lectures/. */
  address: string
  title: string
  lead: string
  icon: IconName
  films: FilmView[]
  page: number
  size: number
  total: number
  /** Rows of links that narrow the list, each named. */
  filters: { name: string; links: FilmFilter[] }[]
  /** The query of the chosen filters; empty for all. */
  query: string
  empty: { title: string; text: ReactNode }
}

/** Lists lectures or videos, page by page. */
export function FilmList({ address, title, lead, icon, films, page, size, total, filters, query, empty }: Props) {
  const accessEndedOn = useAccessEndedOn()
  const queryWith = (to: number) => {
    const params = new URLSearchParams(query)
    params.set('page', String(to))
    return `?${params}`
  }
  const addressOf = (to: number) => `${address}${queryWith(to)}`
  // With it a film links back to the page of the list that it was opened from.
  const suffix = page > 1 ? queryWith(page) : query && `?${query}`
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        <h1>{title}</h1>
        {(total > 0 || query) && <p className="lead muted">{lead}</p>}
      </header>
      {filters.map(({ name, links }) => (
        <nav key={name} className="tabs" aria-label={name}>
          {links.map((link) => (
            <Link
              key={link.label}
              to={`${address}${link.query && `?${link.query}`}`}
              aria-current={link.isCurrent ? 'page' : undefined}
              preventScrollReset
            >
              {link.label}
            </Link>
          ))}
        </nav>
      ))}
      {films.length > 0 ? (
        <ul className="cards cards--films">
          {films.map((film, index) => (
            <FilmCard key={film.uid} film={film} isFirst={index === 0} query={suffix} />
          ))}
        </ul>
      ) : (
        <div className="mt-8">
          {total > 0 ? (
            <BeyondTheList icon={icon} to={`${address}${query && `?${query}`}`} />
          ) : query ? (
            <Empty icon={icon} title="Nothing matches these filters">
              <Link className="btn btn--secondary" to={address}>
                Show all
              </Link>
            </Empty>
          ) : accessEndedOn ? (
            <NothingOpen />
          ) : (
            <Empty icon={icon} title={empty.title}>
              <p>{empty.text}</p>
              <Link className="btn btn--secondary" to="/modules/">
                Go to Modules
              </Link>
            </Empty>
          )}
        </div>
      )}
      <div className="mt-8">
        <Pages page={page} size={size} total={total} to={addressOf} />
      </div>
    </div>
  )
}
