/**
 * The parts of a film that were played, in tenths of a second: sorted, apart, each `[from, to]`. Film seconds count
 * once, at whatever speed and however often they were played; what was jumped over does not count.
 */
export type Played = readonly (readonly [from: number, to: number])[]

/** A report has at most this many parts. */
export const maxParts = 200

/** The share of a film that counts as all of it: titles and credits are skipped, and players end a little early. */
export const wholeFilm = 0.95

const tenths = (seconds: number) => Math.round(seconds * 10)

/** Adds a part, in seconds. */
export function addPart(played: Played, fromSeconds: number, toSeconds: number): Played {
  return joinPlayed(played, [[tenths(fromSeconds), tenths(toSeconds)]])
}

export function joinPlayed(...lists: Played[]): Played {
  const joined: [number, number][] = []
  for (const [from, to] of lists.flat().sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (to <= from) continue
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

/** Returns a whole percentage, rounded down; 100 for the whole film. */
export function percentPlayed(played: Played, duration: number): number {
  if (!(duration > 0 && duration < Number.POSITIVE_INFINITY)) return 0
  const share = played.reduce((sum, [from, to]) => sum + to - from, 0) / (duration * 10)
  return share >= wholeFilm ? 100 : Math.floor(share * 100 + 1e-9)
}

/** `0-123,150-200`, as a form posts it. */
export function writePlayed(played: Played): string {
  return played.map(([from, to]) => `${from}-${to}`).join()
}

/** Returns null for anything but sorted parts that are apart and inside the film. */
export function readPlayed(text: string, duration: number | null): Played | null {
  if (text === '') return []
  if (text.length > maxParts * 16 || !/^\d{1,6}-\d{1,6}(,\d{1,6}-\d{1,6})*$/.test(text)) return null
  const parts = text.split(',').map((part) => part.split('-').map(Number) as [number, number])
  // A player may go on for a moment after the length that it reported.
  const end = duration === null ? Number.POSITIVE_INFINITY : duration * 10 + 10
  const isRight = parts.every(([from, to], i) => from < to && to <= end && from > (parts[i - 1]?.[1] ?? -1))
  return isRight && parts.length <= maxParts ? parts : null
}
