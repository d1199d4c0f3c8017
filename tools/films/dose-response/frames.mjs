/** The film as drawings: each frame is computed from the time alone. Times are in seconds. */
export const width = 854
export const height = 480
export const fps = 20
export const seconds = 36
export const poster = 21

const ink = '#10292c'
const grey = '#718889'
const accent = '#0b6b69'
const soft = '#dbeeec'
const spark = '#d93a49'

const left = 96
const right = 800
// Captions cover the lowest part, so nothing is drawn there.
const floor = 348
const x = (logNm) => left + 36 + logNm * 150
const y = (percent) => floor - percent * 2.4
const effect = (logNm, { ec50 = 2, top = 100 } = {}) => top / (1 + 10 ** (ec50 - logNm))
const lowest = -0.22
const highest = 4.4

/** 0 before `from`, 1 after `to`, with a smooth start and end. */
function during(time, from, to) {
  const part = Math.max(0, Math.min(1, (time - from) / (to - from)))
  return part * part * (3 - 2 * part)
}

/** Fades in within half a second and fades out again. */
const shown = (time, from, to) => Math.min(during(time, from, from + 0.5), 1 - during(time, to - 0.5, to))

const fixed = (value) => Number(value.toFixed(2))
const text = (at, words, { anchor = 'start', size = 20, weight = 400, fill = ink } = {}) =>
  `<text x="${fixed(at[0])}" y="${fixed(at[1])}" text-anchor="${anchor}" font-size="${size}" font-weight="${weight}" fill="${fill}">${words}</text>`
const group = (opacity, drawn) => (opacity <= 0 ? '' : `<g opacity="${fixed(opacity)}">${drawn}</g>`)
const line = (d, stroke, more = '') => `<path d="${d}" stroke="${stroke}" fill="none" ${more}/>`
const drop = (cx, cy, r = 10) =>
  `<circle cx="${fixed(cx)}" cy="${fixed(cy)}" r="${fixed(r)}" fill="${spark}" stroke="#fff" stroke-width="2.5"/>`

function axes(time) {
  const drawn = during(time, 0.3, 1.8)
  let marks = ''
  for (const [i, label] of ['1 nM', '10 nM', '100 nM', '1 µM', '10 µM'].entries()) {
    marks +=
      line(`M${x(i)} ${floor}v9`, grey, 'stroke-width="2"') +
      text([x(i), floor + 32], label, { anchor: 'middle', size: 18 })
  }
  for (const percent of [0, 50, 100]) {
    marks += line(`M${left} ${y(percent)}h-9`, grey, 'stroke-width="2"')
    marks += text([left - 16, y(percent) + 6], `${percent} %`, { anchor: 'end', size: 18 })
  }
  return (
    line(
      `M${left} ${floor}V${fixed(floor - drawn * 284)}M${left} ${floor}H${fixed(left + drawn * (right - left))}`,
      grey,
      'stroke-width="2"',
    ) +
    group(during(time, 1.5, 2.3), marks + text([left + 12, 80], 'effect', { size: 18 })) +
    group(
      during(time, 1.5, 2.3),
      text([right, floor + 62], 'concentration, each mark ten times the one before', { anchor: 'end', size: 18 }),
    )
  )
}

const scatter = [1.2, -1.5, 2.2, -2.4, 1.6, 2.6, -2.2, 1.4, -1]

function points(time) {
  return scatter
    .map((error, i) => {
      const logNm = i * 0.5
      const value = effect(logNm) + error
      const bar = 4 + Math.abs(error)
      const cx = fixed(x(logNm))
      const stem = line(`M${cx} ${fixed(y(value - bar))}V${fixed(y(value + bar))}`, grey, 'stroke-width="2"')
      return group(
        during(time, 3 + i * 0.28, 3.4 + i * 0.28),
        `${stem}<circle cx="${cx}" cy="${fixed(y(value))}" r="5.5" fill="${ink}"/>`,
      )
    })
    .join('')
}

function curve(until, stroke, shape, more = 'stroke-width="5"') {
  if (until <= 0) return ''
  const end = lowest + (highest - lowest) * until
  const steps = Math.max(2, Math.ceil(until * 90))
  const along = Array.from({ length: steps + 1 }, (_, i) => lowest + ((end - lowest) * i) / steps)
  const d = along.map((logNm) => `${fixed(x(logNm))} ${fixed(y(effect(logNm, shape)))}`).join('L')
  return line(`M${d}`, stroke, `stroke-linecap="round" stroke-linejoin="round" ${more}`)
}

/** One end of the curve: a band across, and its name. */
function level(time, { from, to, percent, name, meaning, at }) {
  const band = `<rect x="${left + 2}" y="${y(percent) - 13}" width="${right - left}" height="26" fill="${soft}"/>`
  const words = text(at, name, { size: 24, weight: 600, fill: accent }) + text([at[0], at[1] + 28], meaning)
  return { under: group(shown(time, from, to), band), over: group(shown(time, from, to), words) }
}

function midpoint(time) {
  const fall = during(time, 17.2, 18)
  const lead = during(time, 18, 19.2)
  if (fall <= 0) return ''
  const cy = y(50) - (1 - fall) * 130
  const dashes = 'stroke-width="2" stroke-dasharray="5 6"'
  const across = lead > 0 ? line(`M${x(2)} ${y(50)}H${fixed(x(2) - lead * (x(2) - left))}`, spark, dashes) : ''
  const down = lead > 0 ? line(`M${x(2)} ${y(50)}V${fixed(y(50) + lead * (floor - y(50)))}`, spark, dashes) : ''
  const words =
    text([x(2) + 26, y(50) + 22], 'EC50 = 100 nM', { size: 24, weight: 600, fill: accent }) +
    text([x(2) + 26, y(50) + 50], 'half of the effect: potency')
  return group(1 - during(time, 27.5, 28), across + down) + drop(x(2), cy) + group(shown(time, 18.6, 22.6), words)
}

function slope(time) {
  const from = x(2 - Math.log10(9))
  const to = x(2 + Math.log10(9))
  const band = `<rect x="${fixed(from)}" y="${y(100)}" width="${fixed(to - from)}" height="${floor - y(100)}" fill="${soft}"/>`
  const words =
    text([to + 16, y(42)], '10 % to 90 %', { size: 24, weight: 600, fill: accent }) +
    text([to + 16, y(42) + 28], 'from 11 to 900 nM:') +
    text([to + 16, y(42) + 54], 'an 81-fold step')
  return { under: group(shown(time, 22.6, 27.6), band), over: group(shown(time, 22.8, 27.6), words) }
}

function others(time) {
  const thin = 'stroke-width="4" stroke-dasharray="12 8"'
  const right = curve(during(time, 28, 29.6), ink, { ec50: 3 }, thin)
  const low = curve(during(time, 31.4, 33), grey, { top: 50 }, thin)
  const rightWords =
    text([x(3.6), y(68)], 'further right:', { weight: 600 }) + text([x(3.6), y(68) + 26], 'less potent')
  const lowWords = text([x(3.6), y(32)], 'lower:', { weight: 600 }) + text([x(3.6), y(32) + 26], 'less efficacious')
  return right + low + group(during(time, 29.4, 30), rightWords) + group(during(time, 32.8, 33.4), lowWords)
}

export function drawFrame(time) {
  const bottom = level(time, {
    from: 8.2,
    to: 12.4,
    percent: 0,
    name: 'Bottom',
    meaning: 'the effect without compound',
    at: [x(2.35), y(22)],
  })
  const top = level(time, {
    from: 12.4,
    to: 17,
    percent: 100,
    name: 'Top',
    meaning: 'the largest effect: efficacy',
    at: [x(-0.1), y(84)],
  })
  const { under, over } = slope(time)
  const title = text([40, 44], 'The dose-response curve', { size: 26, weight: 600 })
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<rect width="${width}" height="${height}" fill="#f6f9f8"/>${title}${bottom.under}${top.under}${under}${axes(time)}` +
    `${curve(during(time, 5.8, 8), accent)}${others(time)}${points(time)}${midpoint(time)}${bottom.over}${top.over}${over}</svg>`
  )
}
