/** When a film tells what, as pure functions of time: nothing here knows a player, a page or a network. All times in milliseconds, places in seconds. */

/** 0 to 1. A player may end some frames before the length that it told. */
export function fractionAt(position: number, duration: number): number {
  if (!(duration > 0) || !(position > 0)) return 0
  return position >= duration - 0.05 ? 1 : position / duration
}

/** Whole percent, rounded down. */
export function percentOf(fraction: number): number {
  return Math.floor(fraction * 100 + 1e-9)
}

/** Where a film goes on: the place that was kept, else the one of the percent; a finished film begins anew. */
export function startOf(saved: { percent: number; positionSeconds: number }, duration: number): number {
  if (saved.percent >= 100 || !(duration > 0)) return 0
  const place = saved.positionSeconds > 0 ? saved.positionSeconds : (saved.percent / 100) * duration
  return place < duration - 1 ? place : 0
}

const heartbeatEvery = 10
const jump = 5

/** Says yes after each ten seconds of playback; steps of five seconds or more, and backwards, are jumps and do not count. */
export function createHeartbeat(): (position: number) => boolean {
  let last: number | null = null
  let played = 0
  return (position) => {
    const step = last === null ? 0 : position - last
    last = position
    if (step <= 0 || step >= jump) return false
    played += step
    if (played < heartbeatEvery - 0.05) return false
    played = Math.max(0, played - heartbeatEvery)
    return true
  }
}

const leastBetween = 3000
const longestSilence = 30_000

export type Place = { percent: number; positionSeconds: number }

/**
 * Which places are told while a film plays: never two within three seconds, a new percent as soon as that allows, and after thirty
 * seconds in any case. `flush` gives what is still untold; what did not arrive is `missed`, and untold again unless a later place is.
 */
export function createProgressGate(now: () => number) {
  let told: Place | null = null
  let toldAt = Number.NEGATIVE_INFINITY
  let untold: Place | null = null
  const tell = (place: Place) => {
    told = place
    toldAt = now()
    untold = null
    return place
  }
  return {
    at(place: Place): Place | null {
      if (told && told.percent === place.percent && told.positionSeconds === place.positionSeconds) return null
      untold = place
      const silence = now() - toldAt
      const isDue = silence >= leastBetween && (told?.percent !== place.percent || silence >= longestSilence)
      return isDue ? tell(place) : null
    },
    flush(): Place | null {
      return untold ? tell(untold) : null
    },
    missed(place: Place): void {
      if (told !== place) return
      told = null
      untold ??= place
    },
  }
}

/** One name of event at most every three seconds. */
export function createEventGate(now: () => number): (name: string) => boolean {
  const sentAt = new Map<string, number>()
  return (name) => {
    const last = sentAt.get(name)
    if (last !== undefined && now() - last < leastBetween) return false
    sentAt.set(name, now())
    return true
  }
}
