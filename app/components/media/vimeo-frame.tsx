import { type MutableRefObject, useEffect, useRef } from 'react'
import { startOf } from './film-clock.ts'
import type { FilmHandle, FilmHandlers } from './use-film-tracking.ts'
import { storeVolume } from './volume.ts'

type Props = Partial<FilmHandlers> & {
  /** The address that lib/film-address.ts returns. */
  address: string
  title: string
  saved?: { percent: number; positionSeconds: number }
  volume: number
  handle: MutableRefObject<FilmHandle | null>
}

const origin = 'https://player.vimeo.com'
const listened = ['play', 'pause', 'ended', 'timeupdate', 'seeking', 'seeked', 'volumechange']

type Message = { event?: string; data?: { seconds?: number; duration?: number; volume?: number } }

/** Vimeo's player without tracking, controlled by its documented messages. */
export function VimeoFrame({ address, title, saved, volume, handle, ...handlers }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  const latest = useRef({ saved, volume, ...handlers })
  latest.current = { saved, volume, ...handlers }

  useEffect(() => {
    const ask = (method: string, value?: unknown) =>
      frame.current?.contentWindow?.postMessage(JSON.stringify({ method, value }), origin)
    let position = { seconds: 0, duration: 0 }
    let hasMovedToStart = false
    let isPlaying = false
    /** The position of a play that is not reported yet, because the length is unknown. */
    let unreportedPlay: number | null = null
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return
      const { event, data: info = {} } = messageOf(data)
      if (event === 'ready') {
        for (const name of listened) ask('addEventListener', name)
        ask('setVolume', latest.current.volume)
      }
      if (info.seconds !== undefined) {
        position = { seconds: info.seconds, duration: info.duration ?? position.duration }
      }
      const { onPlay, onPause, onEnded, onTime, onSeek } = latest.current
      if (event === 'play' || event === 'pause' || event === 'ended') isPlaying = event === 'play'
      if (event === 'play') unreportedPlay = position.seconds
      if (unreportedPlay !== null && position.duration > 0) {
        const start = !hasMovedToStart && latest.current.saved ? startOf(latest.current.saved, position.duration) : 0
        hasMovedToStart = true
        if (start > 0) ask('setCurrentTime', start)
        onPlay?.(start || unreportedPlay, position.duration)
        unreportedPlay = null
      }
      if (event === 'pause' || event === 'ended') unreportedPlay = null
      if (event === 'pause') onPause?.(position.seconds, position.duration)
      if (event === 'ended') onEnded?.(position.duration, position.duration)
      if (event === 'seeking' || event === 'seeked') onSeek?.()
      if (event === 'timeupdate') onTime?.(position.seconds, position.duration)
      if (event === 'volumechange' && info.volume !== undefined) storeVolume(info.volume)
    }
    window.addEventListener('message', onMessage)
    handle.current = {
      seek: (seconds) => {
        ask('setCurrentTime', seconds)
        ask('play')
      },
      toggle: () => ask(isPlaying ? 'pause' : 'play'),
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
