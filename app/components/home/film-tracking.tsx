import { type RefObject, useEffect } from 'react'
import type { Film } from '~/config/home.ts'
import { useFilmTracking } from '../media/use-film-tracking.ts'

type Props = { film: Film; video: RefObject<HTMLVideoElement>; csrf: string | null }

/** Sends the events of a film. A film that the server put into the page may have started before this arrives. */
export function FilmTracking({ film, video, csrf }: Props) {
  const tracking = useFilmTracking(
    { uid: film.key, title: film.title, asset: film.source, player: 'native', percent: 0 },
    { csrf, progressAddress: null },
  )
  useEffect(() => {
    const player = video.current
    if (!player) return
    const at = (report: (position: number, duration: number) => void) => () =>
      report(player.currentTime, player.duration)
    const listeners = {
      play: at(tracking.onPlay),
      loadedmetadata: () => {
        if (!player.paused) at(tracking.onPlay)()
      },
      pause: at(tracking.onPause),
      timeupdate: at(tracking.onTime),
      seeking: tracking.onSeek,
      ended: at(tracking.onEnded),
    }
    for (const [event, listener] of Object.entries(listeners)) player.addEventListener(event, listener)
    if (!player.paused || player.played.length > 0) {
      tracking.onPlay(0, player.duration)
      if (player.paused) listeners.pause()
    }
    return () => {
      for (const [event, listener] of Object.entries(listeners)) player.removeEventListener(event, listener)
    }
  }, [video, tracking])
  return null
}
