import { useRevalidator } from '@remix-run/react'
import { useEffect, useMemo, useRef } from 'react'
import { notify } from '~/browser/notices.ts'
import { videoEvents } from '~/forms/video-events.ts'
import {
  createEventGate,
  createHeartbeat,
  createProgressGate,
  type FilmPosition,
  fractionAt,
  percentOf,
} from './film-clock.ts'
import { sendEvent } from './send-event.ts'

type TrackedFilm = {
  /** The uid of a lecture or video. Films of the home page have a name instead. */
  uid: string
  title: string
  /** The file, or the number at Vimeo. */
  asset: string
  player: 'native' | 'vimeo'
  /** The percentage watched before, as a whole number. */
  percent: number
}

/** Lets a transcript control its film. */
export type FilmHandle = { seek: (seconds: number) => void }

/**
 * The events of a player, with times in seconds. A player reports nothing before it knows the length of the film. Once
 * it does, it reports that the film plays.
 */
export type FilmHandlers = {
  onPlay: (position: number, duration: number) => void
  onPause: (position: number, duration: number) => void
  onEnded: (position: number, duration: number) => void
  onTime: (position: number, duration: number) => void
}

/**
 * Sends the events of a film and, with `progressAddress`, how far it was watched: while it plays, and whenever the page
 * is left. Pass the handlers to a FilmPlayer. Do not call this for previews, which send nothing.
 */
export function useFilmTracking(
  film: TrackedFilm,
  options: { csrf: string | null; progressAddress: string | null; onPercent?: (percent: number) => void },
): FilmHandlers {
  const latest = useRef({ film, ...options })
  latest.current = { film, ...options }
  const tracker = useMemo(() => createTracker(() => latest.current), [])
  const { revalidate } = useRevalidator()
  const reload = useRef(revalidate)
  reload.current = revalidate
  useEffect(() => {
    const onHide = () => document.visibilityState === 'hidden' && tracker.flush(true)
    const onLeave = () => tracker.leave(true)
    const onOnline = () => tracker.flush()
    document.addEventListener('visibilitychange', onHide)
    window.addEventListener('online', onOnline)
    window.addEventListener('pagehide', onLeave)
    return () => {
      document.removeEventListener('visibilitychange', onHide)
      window.removeEventListener('online', onOnline)
      window.removeEventListener('pagehide', onLeave)
      // The next page was loaded before this progress was sent, and may list the film.
      tracker.leave()?.then(() => reload.current())
    }
  }, [tracker])
  return tracker.handlers
}

type Latest = {
  film: TrackedFilm
  csrf: string | null
  progressAddress: string | null
  onPercent?: (percent: number) => void
}

function createTracker(latest: () => Latest) {
  const now = () => performance.now()
  const maySend = createEventGate(now)
  const gate = createProgressGate(now)
  let heartbeat = createHeartbeat()
  let current = { position: 0, duration: 0 }
  let highest = latest().film.percent
  let isPlaying = false
  let isCompleted = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let isGone = false
  let isRefused = false

  const sendFilmEvent = (name: string, isLeaving = false) => {
    const { film, csrf } = latest()
    const fraction = isCompleted ? 1 : fractionAt(current.position, current.duration)
    if (!maySend(name)) return
    sendEvent(
      name,
      {
        video_uid: film.uid,
        video_asset_id: film.asset,
        video_player: film.player,
        video_percent: Number(fraction.toFixed(4)),
        video_position: Number(current.position.toFixed(2)),
        video_title: film.title,
        video_total_length: Number(current.duration.toFixed(2)),
      },
      { csrf, isLeaving },
    )
  }
  const report = (position: FilmPosition | null, isLeaving = false) => {
    const { progressAddress, csrf } = latest()
    if (!position || !progressAddress) return undefined
    return sendProgress(progressAddress, position, csrf, isLeaving).then((outcome) => {
      if (outcome === 'arrived') return
      gate.restore(position)
      if (outcome !== 'failed') {
        // Trying again would not help, and one notice is enough.
        if (!isRefused) notify({ kind: 'error', text: refusedTexts[outcome] })
        isRefused = true
        return
      }
      clearTimeout(retry)
      if (!isGone) retry = setTimeout(() => flush(), retryAfter)
    })
  }
  const flush = (isLeaving = false) => report(gate.flush(), isLeaving)
  const move = (position: number, duration: number) => {
    current = { position, duration }
    const percent = isCompleted ? 100 : percentOf(fractionAt(position, duration))
    if (percent > highest) {
      highest = percent
      latest().onPercent?.(percent)
    }
    return { percent, positionSeconds: Number(position.toFixed(2)) }
  }
  const complete = () => {
    if (isCompleted) return
    isCompleted = true
    report(gate.at(move(current.position, current.duration)))
    flush()
    sendFilmEvent(videoEvents.completed)
  }

  const handlers: FilmHandlers = {
    onPlay(position, duration) {
      const isFirst = highest === 0 && percentOf(fractionAt(position, duration)) === 0 && current.position === 0
      isPlaying = true
      isGone = false
      isCompleted = false
      heartbeat = createHeartbeat()
      move(position, duration)
      heartbeat(position)
      sendFilmEvent(isFirst ? videoEvents.started : videoEvents.resumed)
    },
    onPause(position, duration) {
      isPlaying = false
      const here = move(position, duration)
      if (fractionAt(position, duration) >= 1) return complete()
      report(gate.at(here))
      flush()
      sendFilmEvent(videoEvents.paused)
    },
    onEnded(position, duration) {
      isPlaying = false
      move(position, duration)
      complete()
    },
    onTime(position, duration) {
      if (!isPlaying) return
      report(gate.at(move(position, duration)))
      if (heartbeat(position)) sendFilmEvent(videoEvents.playing)
    },
  }
  const withLength =
    (handler: FilmHandlers['onPlay']): FilmHandlers['onPlay'] =>
    (position, duration) => {
      if (duration > 0) handler(position, duration)
    }
  return {
    handlers: {
      onPlay: withLength(handlers.onPlay),
      onPause: withLength(handlers.onPause),
      onEnded: withLength(handlers.onEnded),
      onTime: withLength(handlers.onTime),
    },
    flush,
    /** Sends what is unsent. The promise resolves when it has arrived; nobody waits for it if the window closes. */
    leave(isWindowGoing = false) {
      // A closed window can come back from the browser's cache, but a page that was left cannot.
      isGone = !isWindowGoing
      clearTimeout(retry)
      const sent = flush(isWindowGoing)
      if (isPlaying) sendFilmEvent(videoEvents.paused, true)
      isPlaying = false
      return sent
    },
  }
}

const retryAfter = 10_000

/** What people read while the film plays on and nothing of it is recorded. */
const refusedTexts = {
  'signed out': 'You have been logged out, so how far you watch is not recorded. Log in again to go on.',
  outdated: 'How far you watch is not recorded, because this page was open for too long. Please reload it.',
}
type Outcome = 'arrived' | 'failed' | keyof typeof refusedTexts

/** Returns what became of the progress. A beacon gets no answer, so it counts as arrived. */
async function sendProgress(
  address: string,
  { percent, positionSeconds }: FilmPosition,
  csrf: string | null,
  isLeaving: boolean,
): Promise<Outcome> {
  const body = new URLSearchParams({ csrf: csrf ?? '', percent: String(percent), position: String(positionSeconds) })
  if (isLeaving && navigator.sendBeacon?.(address, body)) return 'arrived'
  return fetch(address, { method: 'POST', body, keepalive: true }).then(
    ({ ok, redirected, status }) => {
      // The only place to which progress is redirected is the page for signing in.
      if (redirected) return 'signed out'
      if (status === 400 || status === 403) return 'outdated'
      return ok ? 'arrived' : 'failed'
    },
    () => 'failed',
  )
}
