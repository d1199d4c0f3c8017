import { type MutableRefObject, useEffect, useRef } from 'react'
import { startOf } from './film-clock.ts'
import type { FilmHandle, FilmHandlers } from './use-film-tracking.ts'
import { storeVolume } from './volume.ts'

type Props = Partial<FilmHandlers> & {
  /** As lib/film-address.ts gives it. */
  address: string
  title: string
  saved?: { percent: number; positionSeconds: number }
  volume: number
  handle: MutableRefObject<FilmHandle | null>
}

const origin = 'https://player.vimeo.com'

type Message = { event?: string; data?: { seconds?: number; duration?: number; volume?: number } }

/** Vimeo's player, told not to track, over the messages that it documents. */
export function VimeoFrame({ address, title, saved, volume, handle, ...handlers }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  const latest = useRef({ saved, volume, ...handlers })
  latest.current = { saved, volume, ...handlers }

  useEffect(() => {
    const ask = (method: string, value?: unknown) =>
      frame.current?.contentWindow?.postMessage(JSON.stringify({ method, value }), origin)
    let place = { seconds: 0, duration: 0 }
    let isPlaced = false
    /** Where it began to play, while that is untold for want of its length. */
    let untold: number | null = null
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return
      const { event, data: told = {} } = messageOf(data)
      if (event === 'ready') {
        for (const name of ['play', 'pause', 'ended', 'timeupdate', 'volumechange']) ask('addEventListener', name)
        ask('setVolume', latest.current.volume)
      }
      if (told.seconds !== undefined) place = { seconds: told.seconds, duration: told.duration ?? place.duration }
      const { onPlay, onPause, onEnded, onTime } = latest.current
      if (event === 'play') untold = place.seconds
      if (untold !== null && place.duration > 0) {
        const start = !isPlaced && latest.current.saved ? startOf(latest.current.saved, place.duration) : 0
        isPlaced = true
        if (start > 0) ask('setCurrentTime', start)
        onPlay?.(start || untold, place.duration)
        untold = null
      }
      if (event === 'pause' || event === 'ended') untold = null
      if (event === 'pause') onPause?.(place.seconds, place.duration)
      if (event === 'ended') onEnded?.(place.duration, place.duration)
      if (event === 'timeupdate') onTime?.(place.seconds, place.duration)
      if (event === 'volumechange' && told.volume !== undefined) storeVolume(told.volume)
    }
    window.addEventListener('message', onMessage)
    handle.current = {
      seek: (seconds) => {
        ask('setCurrentTime', seconds)
        ask('play')
      },
    }
    return () => {
      window.removeEventListener('message', onMessage)
      handle.current = null
    }
  }, [handle])

  const query = `${address.includes('?') ? '&' : '?'}api=1&autoplay=1&dnt=1&playsinline=1`
  return (
    <iframe
      ref={frame}
      src={`${address}${query}`}
      title={title}
      allow="autoplay; fullscreen; picture-in-picture"
      referrerPolicy="strict-origin-when-cross-origin"
    />
  )
}

function messageOf(data: unknown): Message {
  try {
    const value: unknown = typeof data === 'string' ? JSON.parse(data) : data
    return typeof value === 'object' && value !== null ? (value as Message) : {}
  } catch {
    return {}
  }
}
