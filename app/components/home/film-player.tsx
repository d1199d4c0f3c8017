import { forwardRef, type SyntheticEvent } from 'react'
import type { Film } from '~/config/home.ts'
import { useShell } from '../layout/shell.ts'
import { useFilmTracking } from '../media/use-film-tracking.ts'

type Props = { film: Film; hasControls?: boolean; onEnded?: () => void; onError?: () => void }

/** One for each film: what was told of the last one is not told of the next. */
export const FilmPlayer = forwardRef<HTMLVideoElement, Props>(function FilmPlayer(props, ref) {
  return <TrackedPlayer key={props.film.key} {...props} ref={ref} />
})

/** The films have no sound: their captions tell what is seen, and are on from the start. */
const TrackedPlayer = forwardRef<HTMLVideoElement, Props>(function TrackedPlayer(
  { film, hasControls = true, onEnded, onError },
  ref,
) {
  const { csrf } = useShell()
  const told = useFilmTracking(
    { uid: film.key, title: film.title, asset: film.source, player: 'native', percent: 0 },
    { csrf, progressAddress: null },
  )
  const at =
    (tell: (position: number, duration: number) => void) =>
    ({ currentTarget }: SyntheticEvent<HTMLVideoElement>) =>
      tell(currentTarget.currentTime, currentTarget.duration)
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
      onPlay={at(told.onPlay)}
      onLoadedMetadata={(event) => {
        if (!event.currentTarget.paused) at(told.onPlay)(event)
      }}
      onPause={at(told.onPause)}
      onTimeUpdate={at(told.onTime)}
      onEnded={(event) => {
        at(told.onEnded)(event)
        onEnded?.()
      }}
      onError={onError}
    >
      <track kind="captions" src={film.captions} srcLang="en" label="English" default />
    </video>
  )
})
