import { forwardRef } from 'react'
import type { Film } from '~/config/home.ts'

type Props = { film: Film; hasControls?: boolean; onEnded?: () => void; onError?: () => void }

/** The films have no sound: their captions tell what is seen, and are on from the start. */
export const FilmPlayer = forwardRef<HTMLVideoElement, Props>(function FilmPlayer(
  { film, hasControls = true, onEnded, onError },
  ref,
) {
  return (
    <video
      key={film.source}
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
      onEnded={onEnded}
      onError={onError}
    >
      <track kind="captions" src={film.captions} srcLang="en" label="English" default />
    </video>
  )
})
