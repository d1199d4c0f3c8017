import { useRevalidator } from '@remix-run/react'
import { useEffect, useMemo, useRef } from 'react'
import { videoEvents } from '~/forms/video-events.ts'
import {
  createEventGate,
  createHeartbeat,
  createProgressGate,
  fractionAt,
  type Place,
  percentOf,
} from './film-clock.ts'
import { sendEvent } from './send-event.ts'

type TrackedFilm = {
  /** Of a lecture or video; a film of the home page has a name of its own. */
  uid: string
  title: string
  /** The file or the number at Vimeo. */
  asset: string
  player: 'native' | 'vimeo'
  /** Whole percent that was watched before. */
  percent: number
}

/** What a transcript can do to its film. */
export type FilmHandle = { seek: (seconds: number) => void }

/**
 * What a player reports, in seconds. A player whose film has no known length yet reports nothing, and reports that it plays once
 * the length is known.
 */
export type FilmHandlers = {
  onPlay: (position: number, duration: number) => void
  onPause: (position: number, duration: number) => void
  onEnded: (position: number, duration: number) => void
  onTime: (position: number, duration: number) => void
}

/**
 * Tells the film's events and, where `progressAddress` is given, how far it was watched: as it plays, and at every way of leaving it. Hand
 * the handlers to a FilmPlayer. Nothing is told of a preview: do not call it there.
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
      // The page that is there now was loaded before this was told, and may list the film.
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
  const mayTell = createEventGate(now)
  const gate = createProgressGate(now)
  let heartbeat = createHeartbeat()
  let place = { position: 0, duration: 0 }
  let highest = latest().film.percent
  let isPlaying = false
  let isCompleted = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let isGone = false

  const tell = (name: string, isLeaving = false) => {
    const { film, csrf } = latest()
    const fraction = isCompleted ? 1 : fractionAt(place.position, place.duration)
    if (!mayTell(name)) return
    sendEvent(
      name,
      {
        video_uid: film.uid,
        video_asset_id: film.asset,
        video_player: film.player,
        video_percent: Number(fraction.toFixed(4)),
        video_position: Number(place.position.toFixed(2)),
        video_title: film.title,
        video_total_length: Number(place.duration.toFixed(2)),
      },
      { csrf, isLeaving },
    )
  }
  const report = (told: Place | null, isLeaving = false) => {
    const { progressAddress, csrf } = latest()
    if (!told || !progressAddress) return undefined
    return sendProgress(progressAddress, told, csrf, isLeaving).then((isKept) => {
      if (isKept) return
      gate.missed(told)
      clearTimeout(retry)
      if (!isGone) retry = setTimeout(() => flush(), retryAfter)
    })
  }
  const flush = (isLeaving = false) => report(gate.flush(), isLeaving)
  const move = (position: number, duration: number) => {
    place = { position, duration }
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
    report(gate.at(move(place.position, place.duration)))
    flush()
    tell(videoEvents.completed)
  }

  const handlers: FilmHandlers = {
    onPlay(position, duration) {
      const isFirst = highest === 0 && percentOf(fractionAt(position, duration)) === 0 && place.position === 0
      isPlaying = true
      isGone = false
      isCompleted = false
      heartbeat = createHeartbeat()
      move(position, duration)
      heartbeat(position)
      tell(isFirst ? videoEvents.started : videoEvents.resumed)
    },
    onPause(position, duration) {
      isPlaying = false
      const here = move(position, duration)
      if (fractionAt(position, duration) >= 1) return complete()
      report(gate.at(here))
      flush()
      tell(videoEvents.paused)
    },
    onEnded(position, duration) {
      isPlaying = false
      move(position, duration)
      complete()
    },
    onTime(position, duration) {
      if (!isPlaying) return
      report(gate.at(move(position, duration)))
      if (heartbeat(position)) tell(videoEvents.playing)
    },
  }
  const known =
    (tellOf: FilmHandlers['onPlay']): FilmHandlers['onPlay'] =>
    (position, duration) => {
      if (duration > 0) tellOf(position, duration)
    }
  return {
    handlers: {
      onPlay: known(handlers.onPlay),
      onPause: known(handlers.onPause),
      onEnded: known(handlers.onEnded),
      onTime: known(handlers.onTime),
    },
    flush,
    /** What was still to be told is there when the promise ends; nothing waits for it where the window goes too. */
    leave(isWindowGoing = false) {
      // A window may come back from the browser's cache; a page that was left does not.
      isGone = !isWindowGoing
      clearTimeout(retry)
      const sent = flush(isWindowGoing)
      if (isPlaying) tell(videoEvents.paused, true)
      isPlaying = false
      return sent
    },
  }
}

const retryAfter = 10_000

/** Whether it arrived, as far as one can tell: a beacon has no answer. */
async function sendProgress(address: string, place: Place, csrf: string | null, isLeaving: boolean): Promise<boolean> {
  const { percent, positionSeconds } = place
  const body = new URLSearchParams({ csrf: csrf ?? '', percent: String(percent), position: String(positionSeconds) })
  if (isLeaving && navigator.sendBeacon?.(address, body)) return true
  return fetch(address, { method: 'POST', body, keepalive: true }).then(
    ({ ok }) => ok,
    () => false,
  )
}
