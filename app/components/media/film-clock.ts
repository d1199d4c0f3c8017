/**
 * Decides when a film sends events and progress, as pure functions that know no player, page or network. Times are in
 * milliseconds, positions in seconds.
 */

/** Returns the fraction played, from 0 to 1. A player may end a few frames before the length that it reported. */
export function fractionAt(position: number, duration: number): number {
  if (!(duration > 0) || !(position > 0)) return 0
  return position >= duration - 0.05 ? 1 : position / duration
}

/** Returns a whole percentage, rounded down. */
export function percentOf(fraction: number): number {
  return Math.floor(fraction * 100 + 1e-9)
}

/**
 * Returns where a film continues, in seconds: at the saved position, or else at the saved percentage. A finished film
 * starts again.
 */
export function startOf(saved: { percent: number; positionSeconds: number }, duration: number): number {
  if (saved.percent >= 100 || !(duration > 0)) return 0
  const position = saved.positionSeconds > 0 ? saved.positionSeconds : (saved.percent / 100) * duration
  return position < duration - 1 ? position : 0
}

const heartbeatEvery = 10
/** A step of five seconds or more, or backwards, is a jump: even sixteen times as fast, four seconds pass at once. */
const jump = 5

export function isPlayed(from: number, to: number): boolean {
  return to > from && to - from < jump
}

/**
 * Makes a function that takes each position and returns true after every ten seconds of playback. Jumps do not count.
 */
export function createHeartbeat(): (position: number) => boolean {
  let last: number | null = null
  let played = 0
  return (position) => {
    const from = last ?? position
    last = position
    if (!isPlayed(from, position)) return false
    played += position - from
    if (played < heartbeatEvery - 0.05) return false
    played = Math.max(0, played - heartbeatEvery)
    return true
  }
}

const leastBetween = 3000
const longestSilence = 30_000

export type FilmPosition = { percent: number; positionSeconds: number }

/**
 * Decides which positions to send while a film plays: at most one every three seconds, a new percentage as soon as that
 * allows, and otherwise one every thirty seconds. `flush` returns the position that is still unsent. `restore` marks
 * a position that did not arrive as unsent, unless a later one is waiting.
 */
export function createProgressGate(now: () => number) {
  let sent: FilmPosition | null = null
  let sentAt = Number.NEGATIVE_INFINITY
  let unsent: FilmPosition | null = null
  const markSent = (position: FilmPosition) => {
    sent = position
    sentAt = now()
    unsent = null
    return position
  }
  return {
    at(position: FilmPosition): FilmPosition | null {
      if (sent && sent.percent === position.percent && sent.positionSeconds === position.positionSeconds) return null
      unsent = position
      const silence = now() - sentAt
      const isDue = silence >= leastBetween && (sent?.percent !== position.percent || silence >= longestSilence)
      return isDue ? markSent(position) : null
    },
    flush(): FilmPosition | null {
      return unsent ? markSent(unsent) : null
    },
    restore(position: FilmPosition): void {
      if (sent !== position) return
      sent = null
      unsent ??= position
    },
  }
}

/** Makes a function that allows an event of one name at most every three seconds. */
export function createEventGate(now: () => number): (name: string) => boolean {
  const sentAt = new Map<string, number>()
  return (name) => {
    const last = sentAt.get(name)
    if (last !== undefined && now() - last < leastBetween) return false
    sentAt.set(name, now())
    return true
  }
}
