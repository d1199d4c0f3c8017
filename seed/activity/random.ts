import { hash } from '../../app/lib/cover.ts'

/** Chance that falls the same way at every seed, so that the demo has the same figures everywhere. */
export type Random = {
  /** From 0 up to 1, without 1. */
  next(): number
  /** A whole number; both ends may come. */
  between(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  isLucky(probability: number): boolean
  shuffle<T>(list: readonly T[]): T[]
}

/** Whoever asks under another name gets other numbers, so that a new person changes nothing for the others. */
export function randomOf(name: string): Random {
  let state = hash(name) | 0
  // Mulberry32: small, and even enough for people who do not exist.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    pick: (list) => list[between(0, list.length - 1)] as (typeof list)[number],
    isLucky: (probability) => next() < probability,
    shuffle: (list) => {
      const left = [...list]
      return list.map(() => left.splice(between(0, left.length - 1), 1)[0] as (typeof list)[number])
    },
  }
}
