import { forwardRef, type SyntheticEvent } from 'react'
import type { Film } from '~/config/home.ts'
import { useShell } from '../layout/shell.ts'
import { useFilmTracking } from '../media/use-film-tracking.ts'

type Props = { film: Film; hasControls?: boolean; onEnded?: () => void; onError?: () => void }

/** Plays a film. The key gives each film its own tracking, so that events of two films do not mix. */
export const FilmPlayer = forwardRef<HTMLVideoElement, Props>(function FilmPlayer(props, ref) {
  return <TrackedPlayer key={props.film.key} {...props} ref={ref} />
})

/**
 * Plays a film with tracking. The films have no sound, so their captions describe the picture and are on from the
 * start.
 */
const TrackedPlayer = forwardRef<HTMLVideoElement, Props>(function TrackedPlayer(
  { film, hasControls = true, onEnded, onError },
  ref,
) {
  const { csrf } = useShell()
  const tracking = useFilmTracking(
    { uid: film.key, title: film.title, asset: film.source, player: 'native', percent: 0 },
    { csrf, progressAddress: null },
  )
  const at =
    (report: (position: number, duration: number) => void) =>
    ({ currentTarget }: SyntheticEvent<HTMLVideoElement>) =>
      report(currentTarget.currentTime, currentTarget.duration)
  return (
    <video
      ref={ref}
      src={film.source}
      poster={film.poster}
      width="960"
      height="540"
      aria-label={film.title}
      controls={hasControls}
      autoPlay
      muted
      playsInline
      onPlay={at(tracking.onPlay)}
      onLoadedMetadata={(event) => {
        if (!event.currentTarget.paused) at(tracking.onPlay)(event)
      }}
      onPause={at(tracking.onPause)}
      onTimeUpdate={at(tracking.onTime)}
      onEnded={(event) => {
        at(tracking.onEnded)(event)
        onEnded?.()
      }}
      onError={onError}
    >
      <track kind="captions" src={film.captions} srcLang="en" label="English" default />
    </video>
  )
})
