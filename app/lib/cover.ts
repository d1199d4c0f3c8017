/**
 * Draws pictures for content without a cover: a scientific figure in the colors of a phase. Every choice comes from the
 * hash of a name, so a module keeps its picture forever and two modules rarely share one. Exactly one element of the
 * picture has the indicator color.
 */
import { type Ink, motifs } from './cover-motifs.ts'

export const coverPalettes = {
  titrate: {
    discover: { soft: '#dbeeec', base: '#0b6b69', deep: '#0b4547' },
    develop: { soft: '#f7ecd6', base: '#835504', deep: '#60400a' },
    deliver: { soft: '#f9e5e8', base: '#a8243a', deep: '#641626' },
    spark: { onSoft: '#d93a49', onDeep: '#ff8a8f' },
  },
  ns: {
    discover: { soft: '#e0e8f6', base: '#1f3f80', deep: '#152a5a' },
    develop: { soft: '#f4e6f0', base: '#78356a', deep: '#471c3e' },
    deliver: { soft: '#fce8d9', base: '#ab440a', deep: '#642604' },
    spark: { onSoft: '#da5f05', onDeep: '#ff9d45' },
  },
} as const

export type CoverPalette = keyof typeof coverPalettes
export type CoverPhase = 'discover' | 'develop' | 'deliver'

export function isCoverPalette(value: string | undefined): value is CoverPalette {
  return value === 'titrate' || value === 'ns'
}

export function isCoverPhase(value: string | undefined): value is CoverPhase {
  return value === 'discover' || value === 'develop' || value === 'deliver'
}

/**
 * The address of the picture for a name. The address contains everything that the picture is drawn from, so it may be
 * cached forever.
 */
export function coverAddress(name: string, phase: CoverPhase, palette: CoverPalette): string {
  return `/covers/${palette}/${phase}/${hash(name).toString(16)}.svg`
}

/** 640 x 360, drawn from a seed. */
export function drawCover(seed: number, phase: CoverPhase, palette: CoverPalette): string {
  const random = randomFrom(seed)
  const { spark, [phase]: tone } = coverPalettes[palette]
  const isDark = random() < 0.42
  const ink: Ink = isDark
    ? { ground: tone.deep, line: tone.soft, spark: spark.onDeep }
    : { ground: tone.soft, line: tone.base, spark: spark.onSoft }
  const draw = motifs[seed % motifs.length] ?? motifs[0]
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" width="640" height="360" preserveAspectRatio="xMidYMid slice">' +
    `<rect width="640" height="360" fill="${ink.ground}"/>${draw(random, ink)}</svg>`
  )
}

/** FNV-1a with a final mix, 32 bits. */
export function hash(text: string): number {
  let value = 2166136261
  for (const character of text) {
    value ^= character.codePointAt(0) ?? 0
    value = Math.imul(value, 16777619)
  }
  value ^= value >>> 16
  value = Math.imul(value, 2246822507)
  value ^= value >>> 13
  value = Math.imul(value, 3266489909)
  return (value ^ (value >>> 16)) >>> 0
}

/** mulberry32: the same seed gives the same numbers everywhere. */
function randomFrom(start: number): () => number {
  let seed = start
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
