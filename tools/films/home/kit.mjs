/**
 * Drawing functions that the four films of the home page share: two palettes, time, words, and the strip of steps at
 * the top. Times are in seconds.
 */
export const width = 960
export const height = 540
export const fps = 20
/** Captions cover the part below this line, so nothing is drawn there. */
export const floor = 440

/** The grounds are the deep tones of app/styles/tokens.css; `spark` is the indicator color on them. */
export const palettes = {
  titrate: {
    brand: 'Titrate',
    spark: '#ff6b73',
    welcome: { ground: '#0a3034', raised: '#12464a', rule: '#3b7073', line: '#f1f8f7', soft: '#a9c9c7' },
    discover: { ground: '#0b4547', raised: '#115a5b', rule: '#3f8281', line: '#eef8f7', soft: '#a8d3d0' },
    develop: { ground: '#60400a', raised: '#785417', rule: '#a5864a', line: '#fcf6e9', soft: '#e2c896' },
    deliver: { ground: '#641626', raised: '#7e2536', rule: '#b0606e', line: '#fdf1f3', soft: '#ecb9c1' },
  },
  ns: {
    brand: 'Titrate NS',
    spark: '#ff9d45',
    welcome: { ground: '#111d40', raised: '#1e2e5f', rule: '#4a5b90', line: '#f3f5fb', soft: '#b3bedb' },
    discover: { ground: '#152a5a', raised: '#1f3a75', rule: '#4f6ba8', line: '#eff4fd', soft: '#b2c6ea' },
    develop: { ground: '#471c3e', raised: '#5e2953', rule: '#905881', line: '#fbf1f8', soft: '#dcb0d1' },
    deliver: { ground: '#642604', raised: '#80390f', rule: '#b5744a', line: '#fef3ea', soft: '#f2c3a2' },
  },
}

export const fixed = (value) => Number(value.toFixed(2))
export const clamp = (value, from = 0, to = 1) => Math.max(from, Math.min(to, value))
/** 0 before `from`, 1 after `to`, with a smooth start and end. */
export function during(time, from, to) {
  const part = clamp((time - from) / (to - from))
  return part * part * (3 - 2 * part)
}
/** Fades in within 0.4 s and fades out again. */
export const shown = (time, from, to) => Math.min(during(time, from, from + 0.4), 1 - during(time, to - 0.4, to))
export const between = (from, to, part) => from + (to - from) * part

/** mulberry32, so that every run draws the same film. */
export function randomFrom(start) {
  let seed = start
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export const group = (opacity, drawn, more = '') =>
  opacity <= 0.005 ? '' : `<g opacity="${fixed(opacity)}" ${more}>${drawn}</g>`
export const path = (d, stroke, size = 3, more = '') =>
  `<path d="${d}" stroke="${stroke}" stroke-width="${size}" stroke-linecap="round" stroke-linejoin="round" fill="none" ${more}/>`
export const circle = (x, y, r, more) =>
  `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(Math.max(0, r))}" ${more}/>`
export const through = (points) => `M${points.map(([x, y]) => `${fixed(x)} ${fixed(y)}`).join('L')}`

/** Words use Atkinson; with `voice` they use STIX. */
export function words(x, y, text, { anchor = 'start', size = 24, weight = 400, fill, voice = false } = {}) {
  const family = voice ? 'STIX' : 'Atkinson'
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}" font-family="${family}" font-size="${size}" font-weight="${weight}" fill="${fill}">${text}</text>`
}

/** Marks the point that matters; one per scene. */
export const spot = (x, y, r, ink) =>
  circle(x, y, r, `fill="${ink.spark}" stroke="${ink.line}" stroke-width="${fixed(Math.min(3, r / 3))}"`)

/** A drop that hangs from its point or falls to it. */
export const fallingDrop = (x, y, r, fill) =>
  `<path d="M${fixed(x)} ${fixed(y - r * 1.9)}C${fixed(x + r * 0.5)} ${fixed(y - r)} ${fixed(x + r)} ${fixed(y - r * 0.5)} ${fixed(x + r)} ${fixed(y)}A${r} ${r} 0 0 1 ${fixed(x - r)} ${fixed(y)}C${fixed(x - r)} ${fixed(y - r * 0.5)} ${fixed(x - r * 0.5)} ${fixed(y - r)} ${fixed(x)} ${fixed(y - r * 1.9)}Z" fill="${fill}"/>`

/**
 * The steps of the phase as a graduated strip. The line fills while a step is shown, and finished steps stay lit.
 * `steps` are [name, from, to].
 */
export function strip(time, ink, steps) {
  const left = 48
  const room = (width - 2 * left) / steps.length
  return steps
    .map(([name, from, to], i) => {
      const x = left + i * room
      const end = x + room - 14
      const done = clamp((time - from) / (to - from))
      const isNow = time >= from
      let marks = ''
      for (let k = 0; k <= 10; k++) marks += `M${fixed(x + ((end - x) * k) / 10)} 36v${k % 5 === 0 ? 10 : 6}`
      return (
        path(marks, ink.rule, 1.5) +
        path(`M${fixed(x)} 36H${fixed(end)}`, ink.rule, 2) +
        (done > 0 ? path(`M${fixed(x)} 36H${fixed(between(x, end, done))}`, ink.line, 4) : '') +
        words(x, 72, name, { size: 20, weight: isNow ? 600 : 400, fill: isNow ? ink.line : ink.soft })
      )
    })
    .join('')
}

export const frame = (ink, drawn) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${ink.ground}"/>${drawn}</svg>`
