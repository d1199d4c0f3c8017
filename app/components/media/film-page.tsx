import { Form, Link } from '@remix-run/react'
import { type ReactNode, useRef, useState } from 'react'
import { cueIndexAt } from '~/lib/cue-at.ts'
import { readFilmAddress } from '~/lib/film-address.ts'
import type { TextPart } from '~/lib/glossary-words.ts'
import { loginAddress } from '~/lib/next-address.ts'
import type { Played } from '~/lib/played.ts'
import { SaveButton } from '../favorites/save-button.tsx'
import { TextWithTerms } from '../glossary/text-with-terms.tsx'
import { useShell } from '../layout/shell.ts'
import { Tags } from '../search/tags.tsx'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { FilmFacts } from './film-facts.tsx'
import { FilmPlayer, type FilmTrack } from './film-player.tsx'
import { placeBeforeReload } from './kept-played.ts'
import { Transcript, type TranscriptView } from './transcript.tsx'
import { type FilmHandle, useFilmTracking } from './use-film-tracking.ts'
import type { FilmView } from './view.ts'
import { filmAddress } from './view.ts'

type Neighbour = { uid: string; name: string } | null

type FilmPageProps = {
  film: FilmView
  description: TextPart[]
  tags: string[]
  src: string
  poster: string
  tracks: FilmTrack[]
  transcript: TranscriptView
  positionSeconds: number
  /** What the viewer played of it. */
  played: Played
  previous: Neighbour
  next: Neighbour
  /** The list that the film was opened from, with its filter. */
  list: { address: string; label: string; query: string }
  /** Content beside the film, above the transcript. */
  children?: ReactNode
}

/** The page of a lecture or video. */
export function FilmPage(props: FilmPageProps) {
  const { film, list, children } = props
  const exit = `${list.address}${list.query && `?${list.query}`}`
  const player = useRef<FilmHandle | null>(null)
  const watching = useWatching(props)
  const phase = film.phase ? { 'data-phase': film.phase } : {}
  return (
    <div className="wrap" {...phase}>
      <p className="crumbs pt-3">
        <Link to={exit}>
          <Icon name="back" />
          {list.label}
        </Link>
      </p>
      <div className="filmpage">
        <div>
          <FilmPlayer
            src={props.src}
            title={film.name}
            poster={props.poster}
            tracks={props.tracks}
            saved={{ percent: film.percent ?? 0, positionSeconds: watching.positionSeconds }}
            handle={player}
            {...watching.handlers}
          />
          {watching.leftAt !== null && <SignedOut film={film} query={list.query} seconds={watching.leftAt} />}
          {film.eyebrow && <p className="eyebrow mt-6">{film.eyebrow}</p>}
          <h1 className={film.eyebrow ? 'mt-1' : 'mt-6'}>{film.name}</h1>
          <FilmFacts film={film} duration={film.duration ?? watching.duration} />
          <p className="lead mt-4">
            <TextWithTerms parts={props.description} />
          </p>
          <Tags tags={props.tags} />
          <Watched percent={watching.percent} />
          {watching.percent < 100 && (
            <noscript>
              <WatchedForm film={film} query={list.query} />
            </noscript>
          )}
          <nav className="filmnav" aria-label={film.kind === 'lecture' ? 'Lectures' : 'Videos'}>
            <Step film={film} to={props.previous} query={list.query} label="Previous" />
            <Step film={film} to={props.next} query={list.query} label="Next" />
            <SaveButton kind={film.kind} uid={film.uid} name={film.name} isSaved={film.isSaved} isLarge />
            <Link className="btn btn--quiet ml-auto" to={exit}>
              Exit
            </Link>
          </nav>
        </div>
        <div className="side">
          {children}
          <Transcript
            {...props.transcript}
            current={watching.line}
            onJump={(seconds) => player.current?.seek(seconds)}
          />
        </div>
      </div>
    </div>
  )
}

/**
 * Tracks the film while it plays: the line of the transcript, the percentage watched, and the length once the player
 * knows it.
 */
function useWatching({ film, src, transcript: { lines }, played, ...saved }: FilmPageProps) {
  const { csrf, viewer, viewing } = useShell()
  const owner = viewing ? undefined : viewer?.email
  // Read before it is taken and sent.
  const [positionSeconds] = useState(
    () => (owner ? placeBeforeReload({ uid: film.uid, owner }) : null) ?? saved.positionSeconds,
  )
  const [leftAt, setLeftAt] = useState<number | null>(null)
  const [line, setLine] = useState(-1)
  const [percent, setPercent] = useState(film.percent ?? 0)
  const [duration, setDuration] = useState<number | null>(null)
  const address = readFilmAddress(src)
  const tracked = useFilmTracking(
    {
      uid: film.uid,
      title: film.name,
      asset: address?.asset ?? '',
      player: address?.player ?? 'native',
      percent: film.percent ?? 0,
      played,
      duration: film.duration,
    },
    {
      csrf,
      // What an admin watches who views as somebody is neither sent nor kept as that person's.
      progressAddress: viewing ? null : `${filmAddress(film)}progress/`,
      owner,
      onPercent: setPercent,
      onSignedOut: setLeftAt,
    },
  )
  const onTime = (position: number, length: number) => {
    setLine(cueIndexAt(lines, position))
    if (length > 0) setDuration(length)
    tracked.onTime(position, length)
  }
  return { line, percent, duration, leftAt, positionSeconds, handlers: { ...tracked, onTime } }
}

/** The link loads a whole page, because the router still believes that the viewer is signed in. */
function SignedOut({ film, query, seconds }: { film: FilmView; query: string; seconds: number }) {
  const search = new URLSearchParams(query)
  search.set('at', String(Math.floor(seconds)))
  return (
    <p className="notice notice--error mt-4" role="alert">
      <Icon name="alert" />
      <span>
        You are logged out.{' '}
        <a href={loginAddress({ pathname: filmAddress(film), search: `?${search}` }, { isEnded: true })}>Log in</a> to
        keep your progress.
      </span>
    </p>
  )
}

function Watched({ percent }: { percent: number }) {
  return (
    <div className="watched">
      <span className="num">
        {percent >= 100 && <Icon name="check" className="text-success" />}
        {percent >= 100 ? 'Watched to the end' : `${percent}% watched`}
      </span>
      <Titer percent={percent} label="Watched" />
    </div>
  )
}

/** Lets people mark the film as watched, because without JavaScript the page cannot know how far they watched it. */
function WatchedForm({ film, query }: { film: FilmView; query: string }) {
  const { csrf } = useShell()
  return (
    <Form method="post" action={`${filmAddress(film)}${query && `?${query}`}`} className="mt-4">
      <CsrfField token={csrf} />
      <button className="btn btn--secondary" type="submit" name="intent" value="watched">
        I have watched this
      </button>
    </Form>
  )
}

/** A link to the previous or next film, disabled at the ends of the list. */
function Step({
  film,
  to,
  query,
  label,
}: {
  film: FilmView
  to: Neighbour
  query: string
  label: 'Previous' | 'Next'
}) {
  const words = (
    <>
      {label === 'Previous' && <Icon name="left" />}
      {label}
      {label === 'Next' && <Icon name="right" />}
    </>
  )
  const what = `${label} ${film.kind}`
  if (!to) {
    return (
      <button className="btn btn--secondary" type="button" disabled aria-label={what}>
        {words}
      </button>
    )
  }
  return (
    <Link
      className="btn btn--secondary"
      to={`${filmAddress({ kind: film.kind, uid: to.uid })}${query && `?${query}`}`}
      aria-label={`${what}: ${to.name}`}
    >
      {words}
    </Link>
  )
}
