import { Link } from '@remix-run/react'
import { formatDuration } from '~/lib/duration.ts'
import { SaveButton } from '../favorites/save-button.tsx'
import { CoverImage } from '../modules/cover-image.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import type { FilmView } from './view.ts'
import { filmAddress, watchLabel } from './view.ts'

type Props = { film: FilmView; isFirst?: boolean; query?: string; kind?: string }

/**
 * A lecture or video in a list of cards. `query` hands the list's filter to the film's page. Mixed lists name its kind.
 */
export function FilmCard({ film, isFirst = false, query = '', kind }: Props) {
  const phase = film.phase ? { 'data-phase': film.phase } : {}
  const to = `${filmAddress(film)}${query}`
  return (
    <li className={film.isComingSoon ? 'card card--soon' : 'card'} {...phase}>
      <div className="cover">
        <CoverImage module={film} isFirst={isFirst} />
        {film.isComingSoon && <span className="flag flag--soon">Coming Soon</span>}
        {film.percent === 100 && (
          <span className="flag flag--done">
            <Icon name="check" />
            Watched
          </span>
        )}
        {film.duration !== null && !film.isComingSoon && (
          <span className="length num">{formatDuration(film.duration)}</span>
        )}
      </div>
      <div className="body">
        {(kind || film.eyebrow) && <span className="eyebrow">{[kind, film.eyebrow].filter(Boolean).join(' · ')}</span>}
        <h2>{film.isOpenable ? <Link to={to}>{film.name}</Link> : film.name}</h2>
        <p>{film.description}</p>
        {film.presenter && <p className="presenter">{film.presenter}</p>}
      </div>
      <div className="foot">
        <CardFoot film={film} to={to} />
        <SaveButton kind={film.kind} uid={film.uid} name={film.name} isSaved={film.isSaved} />
      </div>
    </li>
  )
}

function CardFoot({ film, to }: { film: FilmView; to: string }) {
  if (film.isComingSoon) return <span className="note">Not open yet</span>
  if (!film.isOpenable) return <span className="note">Draft, not published</span>
  const label = watchLabel(film)
  return (
    <>
      <Link className="btn btn--quiet" to={to} aria-label={`${label} ${film.name}`}>
        <Icon name="play" />
        {label}
      </Link>
      {label === 'Resume' && (
        <>
          <Titer percent={film.percent ?? 0} label={`${film.name}, watched`} />
          <span className="num">{film.percent}%</span>
        </>
      )}
    </>
  )
}
