import { forwardRef, useImperativeHandle, useRef } from 'react'
import { Loaded } from '~/browser/loaded.tsx'
import { loadOptional } from '~/browser/lost-chunks.ts'
import type { Film } from '~/config/home.ts'
import { useShell } from '../layout/shell.ts'

/** Loads the component that sends a film's events. Resolves with undefined if it cannot be fetched. */
export const loadTracking = () =>
  loadOptional(() => import('./film-tracking.tsx')).then((module) => module?.FilmTracking)

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
  const video = useRef<HTMLVideoElement>(null)
  useImperativeHandle(ref, () => video.current as HTMLVideoElement)
  return (
    <>
      <video
        ref={video}
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
      <Loaded load={loadTracking} props={{ film, video, csrf }} onMissing={() => undefined} />
    </>
  )
})
