import { useRevalidator } from '@remix-run/react'
import { useEffect, useMemo, useRef } from 'react'
import { notify } from '~/browser/notices.ts'
import { videoEvents } from '~/forms/video-events.ts'
import { addPart, joinPlayed, maxParts, type Played, percentPlayed, writePlayed } from '~/lib/played.ts'
import {
  createEventGate,
  createHeartbeat,
  createProgressGate,
  type FilmPosition,
  fractionAt,
  isPlayed,
  percentOf,
} from './film-clock.ts'
import { keepPlayed, takePlayed } from './kept-played.ts'
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
  /** What was played before. */
  played?: Played
  /** In seconds, until the player knows it. */
  duration?: number | null
}

/** Lets a transcript control its film. */
export type FilmHandle = { seek: (seconds: number) => void /** Plays or pauses. */; toggle: () => void }

/**
 * The events of a player, with times in seconds. A player reports nothing before it knows the length of the film. Once
 * it does, it reports that the film plays.
 */
export type FilmHandlers = {
  onPlay: (position: number, duration: number) => void
  onPause: (position: number, duration: number) => void
  onEnded: (position: number, duration: number) => void
  onTime: (position: number, duration: number) => void
  /** The player is about to be, or was, at another place without having played up to it. */
  onSeek: () => void
}

/**
 * Sends the events of a film and, with `progressAddress`, how far it was watched: while it plays, and whenever the page
 * is left. Pass the handlers to a FilmPlayer. Do not call this for previews, which send nothing.
 */
export function useFilmTracking(film: TrackedFilm, options: TrackingOptions): FilmHandlers {
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
    tracker.takeKept()
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

type TrackingOptions = {
  csrf: string | null
  progressAddress: string | null
  /** The viewer's address, for what is played while signed out. */
  owner?: string
  onPercent?: (percent: number) => void
  /** The viewer is signed out, and has played up to here. */
  onSignedOut?: (positionSeconds: number) => void
}

type Latest = TrackingOptions & { film: TrackedFilm }

function createTracker(latest: () => Latest) {
  const now = () => performance.now()
  const maySend = createEventGate(now)
  const gate = createProgressGate(now)
  let heartbeat = createHeartbeat()
  let current = { position: 0, duration: 0 }
  /** Where the part that is playing was seen last. Null while nothing plays, and after a jump. */
  let playedTo: number | null = null
  let played = latest().film.played ?? []
  let unsent: Played = []
  const inFlight = new Set<Played>()
  let highest = latest().film.percent
  let isPlaying = false
  let isAtEnd = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let isGone = false
  let isRefused = false

  const sendFilmEvent = (name: string, isLeaving = false) => {
    const { film, csrf } = latest()
    const fraction = isAtEnd ? 1 : fractionAt(current.position, current.duration)
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
    const sending = unsent.slice(0, maxParts)
    unsent = unsent.slice(maxParts)
    inFlight.add(sending)
    const fields = {
      csrf: csrf ?? '',
      played: writePlayed(sending),
      duration: Number.isFinite(length()) ? String(length()) : '',
      position: String(position.positionSeconds),
    }
    return sendProgress(progressAddress, new URLSearchParams(fields), isLeaving).then((outcome) => {
      inFlight.delete(sending)
      // A beacon gets no answer. Sending the same parts again changes nothing.
      if (outcome !== 'arrived' || isLeaving) unsent = joinPlayed(unsent, sending)
      if (outcome === 'arrived') return
      gate.restore(position)
      if (outcome !== 'failed') {
        // Trying again would not help, and saying it once is enough.
        if (outcome === 'signed out') latest().onSignedOut?.(current.position)
        else if (!isRefused) notify({ kind: 'error', text: outdated })
        isRefused = true
        keep()
        return
      }
      clearTimeout(retry)
      if (!isGone) retry = setTimeout(() => flush(), retryAfter)
    })
  }
  const length = () => current.duration || latest().film.duration || Number.NaN
  const keep = (limit?: { seconds: number }) => {
    const { film, owner = '' } = latest()
    const played = joinPlayed(unsent, ...inFlight)
    keepPlayed({ uid: film.uid, owner }, { played, positionSeconds: current.position }, limit)
  }
  const flush = (isLeaving = false) => report(gate.flush(), isLeaving)
  const showPercent = () => {
    const percent = percentPlayed(played, length())
    if (percent > highest) {
      highest = percent
      latest().onPercent?.(percent)
    }
    return highest
  }
  const move = (position: number, duration: number) => {
    current = { position, duration }
    if (playedTo !== null && isPlayed(playedTo, position)) {
      played = addPart(played, playedTo, position)
      unsent = addPart(unsent, playedTo, position)
    }
    playedTo = position
    return { percent: showPercent(), positionSeconds: Number(position.toFixed(2)) }
  }
  /** At the end of the film. It is completed if it was played as well, and not only jumped to. */
  const end = () => {
    if (isAtEnd) return
    isAtEnd = true
    report(gate.at(move(current.position, current.duration)))
    flush()
    sendFilmEvent(highest >= 100 ? videoEvents.completed : videoEvents.paused)
  }
  const stop = (position: number, duration: number) => {
    const here = move(position, duration)
    isPlaying = false
    playedTo = null
    return here
  }

  const handlers: FilmHandlers = {
    onPlay(position, duration) {
      const isFirst = highest === 0 && percentOf(fractionAt(position, duration)) === 0 && current.position === 0
      isPlaying = true
      isGone = false
      isAtEnd = false
      heartbeat = createHeartbeat()
      playedTo = null
      move(position, duration)
      heartbeat(position)
      sendFilmEvent(isFirst ? videoEvents.started : videoEvents.resumed)
    },
    onPause(position, duration) {
      const here = stop(position, duration)
      if (fractionAt(position, duration) >= 1) return end()
      report(gate.at(here))
      flush()
      sendFilmEvent(videoEvents.paused)
    },
    onEnded(position, duration) {
      stop(position, duration)
      end()
    },
    onTime(position, duration) {
      if (!isPlaying) return
      report(gate.at(move(position, duration)))
      if (heartbeat(position)) sendFilmEvent(videoEvents.playing)
    },
    onSeek() {
      playedTo = null
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
      onSeek: handlers.onSeek,
    },
    flush,
    /** Counts what was played and could not be recorded. */
    takeKept() {
      const { film, owner } = latest()
      const kept = owner ? takePlayed({ uid: film.uid, owner }) : null
      if (!kept) return
      played = joinPlayed(played, kept.played)
      unsent = kept.played
      current = { ...current, position: kept.positionSeconds }
      report({ percent: showPercent(), positionSeconds: kept.positionSeconds })
    },
    /** Sends what is unsent. The promise resolves when it has arrived; nobody waits for it if the window closes. */
    leave(isWindowGoing = false) {
      // A closed window can come back from the browser's cache, but a page that was left cannot.
      isGone = !isWindowGoing
      clearTimeout(retry)
      if (isRefused) keep()
      // A page that is loaded again is made before the beacon of this one arrives.
      else if (isWindowGoing && unsent.length + inFlight.size > 0) keep({ seconds: 10 })
      const sent = flush(isWindowGoing)
      if (isPlaying) sendFilmEvent(videoEvents.paused, true)
      isPlaying = false
      return sent
    },
  }
}

const retryAfter = 10_000

const outdated = 'How far you watch is not recorded, because this page was open for too long. Please reload it.'
type Outcome = 'arrived' | 'failed' | 'signed out' | 'outdated'

/** Returns what became of the progress. A beacon gets no answer, so it counts as arrived. */
async function sendProgress(address: string, body: URLSearchParams, isLeaving: boolean): Promise<Outcome> {
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
