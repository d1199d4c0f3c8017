/** A hit becomes stronger, stays long enough, and keeps its distance from harm. */
import {
  between,
  circle,
  clamp,
  during,
  fixed,
  frame,
  group,
  path,
  shown,
  spot,
  strip,
  through,
  words,
} from './kit.mjs'

export const seconds = 18
/** The picture that shows before the film plays: only the curve. */
export const still = { time: 11.2, box: '262 92 676 380.25' }

const steps = [
  ['Optimization', 0.2, 6.4],
  ['Animal Studies', 6.4, 12],
  ['Preclinical Studies', 12, 16.8],
]

const hexagon = (x, y, r) =>
  Array.from({ length: 6 }, (_, i) => [x + r * Math.sin((i * Math.PI) / 3), y - r * Math.cos((i * Math.PI) / 3)])
const closed = (points) => `${through(points)}Z`

/** The molecule is changed three times; each time its curve moves to the left. */
function optimize(time, ink) {
  const core = hexagon(200, 250, 46)
  const second = hexagon(200 + 46 * Math.sqrt(3), 250, 46)
  const change = [during(time, 1.8, 2.3), during(time, 3, 3.5), during(time, 4.2, 4.7)]
  let molecule =
    path(closed(core) + closed(second), ink.line, 4) +
    path(
      through(hexagon(200, 250, 36).slice(0, 2)) +
        through(hexagon(200, 250, 36).slice(2, 4)) +
        through(hexagon(200, 250, 36).slice(4, 6)),
      ink.line,
      3,
    )
  const ends = [
    [core[4], -40, 22, 'F', 0],
    [second[1], 40, -22, 'OH', 1],
    [core[0], 0, -48, 'CN', 2],
  ]
  for (const [[x, y], dx, dy, name, i] of ends) {
    const here = change[i]
    molecule += group(
      1 - here,
      path(`M${fixed(x)} ${fixed(y)}l${dx * 0.72} ${dy * 0.72}`, ink.soft, 3) +
        words(x + dx * 1.2, y + dy * 1.2 + 8, 'H', { anchor: 'middle', size: 24, fill: ink.soft }),
    )
    molecule += group(
      here,
      path(`M${fixed(x)} ${fixed(y)}l${dx * 0.72} ${dy * 0.72}`, ink.line, 4) +
        circle(
          x + dx * 1.3,
          y + dy * 1.3,
          24 + 6 * (here - here * here) * 4,
          `fill="${ink.raised}" stroke="${ink.line}" stroke-width="2.5"`,
        ) +
        words(x + dx * 1.3, y + dy * 1.3 + 8, name, { anchor: 'middle', size: 22, weight: 600, fill: ink.line }),
    )
  }
  const left = 480
  const right = 900
  const base = 390
  const x = (log) => between(left + 20, right - 20, log / 4)
  const y = (percent) => base - percent * 2.1
  let marks = ''
  for (const [i, name] of ['1 nM', '10 nM', '100 nM', '1 µM', '10 µM'].entries()) {
    marks +=
      path(`M${fixed(x(i))} ${base}v8`, ink.rule, 2) +
      words(x(i), base + 32, name, { anchor: 'middle', size: 18, fill: ink.soft })
  }
  const curve = (middle) =>
    through(
      Array.from({ length: 81 }, (_, i) => (i / 80) * 4.2 - 0.1).map((log) => [
        x(log),
        y(100 / (1 + 10 ** ((middle - log) * 1.6))),
      ]),
    )
  const middle = 3.1 - 0.72 * (change[0] + change[1] + change[2])
  let past = ''
  for (let i = 0; i < 3; i++) past += group(change[i] * 0.5, path(curve(3.1 - 0.72 * i), ink.soft, 2))
  return (
    group(during(time, 0.4, 0.9), molecule) +
    group(
      during(time, 0.8, 1.3),
      path(`M${left} 150V${base}H${right}`, ink.rule, 2) +
        marks +
        words(left + 14, 156, 'effect', { size: 20, fill: ink.soft }) +
        past +
        path(curve(middle), ink.line, 4) +
        spot(x(middle), y(50), 12, ink),
    ) +
    group(
      during(time, 4.9, 5.3),
      words(200, 398, '150 times stronger', { anchor: 'middle', size: 28, weight: 600, fill: ink.line }),
    )
  )
}

const mouse =
  'M39.5 29.5c0-3-3.5-7-8-8.5-2-5-8.5-7-14.5-4.5C10.5 19 7 25 7 33.5h29c2.5 0 3.5-1.8 3.5-4zM34.5 27.5v.2M7 33.5c-2 0-3.5-1.5-3.5-3.5M17 33.5v4M29 33.5v4'

/** The level in blood after a dose. The medicine works between the two lines. */
function animals(time, ink) {
  const left = 300
  const right = 900
  const base = 404
  const x = (hour) => between(left, right, hour / 24)
  // One compartment, absorption 0.9 per hour, elimination 0.13 per hour.
  const at = (hour) => (Math.exp(-0.13 * hour) - Math.exp(-0.9 * hour)) * 1.17
  const y = (value) => base - value * 300
  const drawn = clamp((time - 8) / 2.6) * 24
  const points = Array.from({ length: 121 }, (_, i) => (i / 120) * drawn).map((hour) => [x(hour), y(at(hour))])
  let marks = ''
  for (let hour = 0; hour <= 24; hour += 2) marks += `M${fixed(x(hour))} ${base}v${hour % 6 === 0 ? 12 : 6}`
  const hours = [0, 6, 12, 18, 24]
    .map((hour) => words(x(hour), base + 34, `${hour} h`, { anchor: 'middle', size: 18, fill: ink.soft }))
    .join('')
  const low = y(0.2)
  const high = y(0.82)
  const last = points.at(-1)
  const dose = during(time, 7, 7.6)
  return (
    `<g transform="translate(60 ${fixed(190)}) scale(4)" fill="none" stroke="${ink.line}" stroke-width="0.8" stroke-linecap="round" stroke-linejoin="round"><path d="${mouse}" fill="${ink.raised}"/><circle cx="29" cy="17.5" r="4.5" fill="${ink.ground}"/></g>` +
    group(
      1 - during(time, 7.6, 7.9),
      circle(between(120, 196, dose), between(140, 286, dose), 9, `fill="${ink.spark}"`),
    ) +
    group(
      during(time, 8.4, 9),
      `<rect x="${left}" y="${fixed(high)}" width="${right - left}" height="${fixed(low - high)}" fill="${ink.raised}"/>` +
        path(`M${left} ${fixed(high)}H${right}`, ink.rule, 2, 'stroke-dasharray="3 8"') +
        path(`M${left} ${fixed(low)}H${right}`, ink.rule, 2, 'stroke-dasharray="3 8"') +
        words(right - 14, high + 30, 'it works here', { anchor: 'end', size: 22, fill: ink.line }),
    ) +
    path(`M${left} 130V${base}H${right}${marks}`, ink.rule, 2) +
    hours +
    words(left + 14, 140, 'level in blood', { size: 20, fill: ink.soft }) +
    (drawn > 0 ? path(through(points), ink.line, 4) : '') +
    (last && drawn > 0 ? spot(last[0], last[1], 11, ink) : '') +
    group(
      during(time, 10.5, 10.9),
      words(154, 402, 'one dose, 14 hours', { anchor: 'middle', size: 26, weight: 600, fill: ink.line }),
    )
  )
}

/** Doses on one long line: where the medicine begins to work, where it begins to harm, and the first dose far below. */
function margin(time, ink) {
  const y = 280
  const left = 96
  const x = (log) => left + log * 192
  const drawn = during(time, 12.5, 13.3)
  let marks = ''
  for (let i = 0; i <= 40; i++) marks += `M${fixed(x(i / 10))} ${y}v${i % 10 === 0 ? 18 : 9}`
  const doses = ['0.1', '1', '10', '100', '1,000 mg']
    .map((name, i) => words(x(i), y + 50, name, { anchor: 'middle', size: 20, fill: ink.soft }))
    .join('')
  const works = during(time, 13.2, 13.8)
  const harms = during(time, 13.9, 14.5)
  const wide = during(time, 14.6, 15.2)
  const start = during(time, 15.4, 16)
  const bar = (from, to, fill, part) =>
    `<rect x="${fixed(x(from))}" y="${y - 44}" width="${fixed((x(to) - x(from)) * part)}" height="30" rx="6" fill="${fill}"/>`
  return (
    path(`M${left} ${y}H${fixed(between(left, x(4), drawn))}`, ink.rule, 2) +
    group(drawn, path(marks, ink.rule, 2) + doses) +
    (works > 0 ? bar(1, 4, ink.rule, works) : '') +
    group(works, words(x(1), y - 60, 'works from 1 mg', { size: 26, weight: 600, fill: ink.line })) +
    (harms > 0 ? bar(2.7, 4, ink.line, harms) : '') +
    group(harms, words(x(4), y - 60, 'harms from 50 mg', { anchor: 'end', size: 26, weight: 600, fill: ink.line })) +
    group(
      wide,
      path(`M${fixed(x(1))} ${y - 124}V${y - 136}H${fixed(between(x(1), x(2.7), wide))}V${y - 124}`, ink.soft, 2.5) +
        words(x(1.85), y - 150, 'safety margin: 50 times', { anchor: 'middle', size: 26, fill: ink.line }),
    ) +
    group(start, spot(x(0), between(150, y, start), 13, ink)) +
    group(
      during(time, 15.8, 16.2),
      words(x(0) - 14, y + 104, 'The first dose for a person: a tenth of what works', {
        size: 26,
        weight: 600,
        fill: ink.line,
      }),
    )
  )
}

export function draw(time, { ink }) {
  return frame(
    ink,
    strip(time, ink, steps) +
      group(1 - during(time, 6, 6.4), time < 6.5 ? optimize(time, ink) : '') +
      group(shown(time, 6.4, 12.1), time > 6.3 && time < 12.2 ? animals(time, ink) : '') +
      group(during(time, 12.1, 12.5), time > 12 ? margin(time, ink) : ''),
  )
}
