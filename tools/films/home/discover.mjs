/** A need, a point where the disease can be reached, and the one well in a hundred thousand that answers. */
import { between, circle, clamp, during, fixed, frame, group, path, randomFrom, shown, strip, words } from './kit.mjs'

export const seconds = 18
/** The picture that shows before the film plays: only the plate, with its hit marked. */
export const still = { time: 17.9, box: '46 98 552 310.5' }

const steps = [
  ['Clinical Need Assessment', 0.2, 5],
  ['Target ID &amp; Validation', 5, 10.6],
  ['Screening', 10.6, 16.6],
]

const person = (x, y, more) =>
  circle(x, y - 26, 13, more) +
  `<path d="M${x - 24} ${y + 26}C${x - 23} ${y} ${x - 14} ${y - 8} ${x} ${y - 8}S${x + 23} ${y} ${x + 24} ${y + 26}Z" ${more} stroke-linejoin="round"/>`

/** Twenty people: with today's medicine fourteen get better and six do not. */
function need(time, ink) {
  let drawn = ''
  const left = [4, 7, 10, 13, 16, 19]
  for (let i = 0; i < 20; i++) {
    const x = 130 + (i % 10) * 78
    const y = 200 + Math.floor(i / 10) * 112
    const come = during(time, 0.4 + i * 0.05, 0.8 + i * 0.05)
    const isLeft = left.includes(i)
    const helped = isLeft ? 0 : during(time, 1.9 + i * 0.04, 2.4 + i * 0.04)
    const marked = isLeft ? during(time, 3, 3.4) : 0
    drawn += group(
      come,
      person(x, y, `fill="none" stroke="${ink.line}" stroke-width="2.5"`) +
        group(helped * 0.55, person(x, y, `fill="${ink.line}"`)) +
        group(marked, path(`M${x - 24} ${y + 42}h48`, ink.spark, 5)),
    )
  }
  const first = group(
    shown(time, 1.9, 3.1),
    words(96, 402, '14 of 20 get better today', { size: 30, weight: 600, fill: ink.line }),
  )
  const second = group(
    shown(time, 3.1, 5.4),
    words(96, 402, '6 of 20 are still waiting', { size: 30, weight: 600, fill: ink.line }),
  )
  return drawn + first + second
}

const chain = [
  [150, 'gene'],
  [370, 'protein'],
  [590, 'signal'],
  [810, 'disease'],
]

/** A pathway from gene to disease. Where the target is blocked, the later steps go quiet. */
function target(time, ink) {
  const y = 262
  const blocked = during(time, 8, 8.8)
  let drawn = ''
  for (const [i, [x]] of chain.entries()) {
    if (i === 3) continue
    const quiet = i >= 1 ? 1 - blocked * 0.72 : 1
    drawn += group(
      during(time, 5.5 + i * 0.4, 6 + i * 0.4) * quiet,
      path(`M${x + 52} ${y}H${x + 158}M${x + 146} ${y - 10}L${x + 160} ${y}L${x + 146} ${y + 10}`, ink.line, 3),
    )
    if (i === 0 || blocked < 1) {
      const run = (time * 0.9 + i * 0.3) % 1
      drawn += group(
        during(time, 6.8, 7.2) * (i === 0 ? 1 : 1 - blocked),
        circle(x + 56 + run * 92, y, 6, `fill="${ink.line}"`),
      )
    }
  }
  for (const [i, [x, name]] of chain.entries()) {
    const quiet = i >= 2 ? 1 - blocked * 0.66 : 1
    const shape =
      i === 0
        ? path(
            `M${x - 34} ${y - 26}C${x - 10} ${y - 26} ${x + 10} ${y + 26} ${x + 34} ${y + 26}M${x - 34} ${y + 26}C${x - 10} ${y + 26} ${x + 10} ${y - 26} ${x + 34} ${y - 26}M${x - 24} ${y - 20}V${y + 20}M${x + 24} ${y - 20}V${y + 20}`,
            ink.line,
            3,
          )
        : i === 1
          ? `<path d="M${x - 40} ${y - 6}C${x - 42} ${y - 40} ${x - 6} ${y - 46} ${x} ${y - 22}C${x + 8} ${y - 50} ${x + 46} ${y - 34} ${x + 38} ${y - 4}C${x + 52} ${y + 26} ${x + 14} ${y + 44} ${x} ${y + 26}C${x - 20} ${y + 48} ${x - 52} ${y + 26} ${x - 40} ${y - 6}Z" fill="${ink.raised}" stroke="${ink.line}" stroke-width="3"/>`
          : i === 2
            ? path(`M${x - 42} ${y}h18l10 -30l18 58l12 -28h26`, ink.line, 3)
            : person(x, y + 6, `fill="none" stroke="${ink.line}" stroke-width="3"`)
    drawn += group(
      during(time, 5.3 + i * 0.4, 5.8 + i * 0.4) * quiet,
      shape + words(x, y + 82, name, { anchor: 'middle', size: 24, fill: ink.line }),
    )
  }
  // The molecule comes from above and binds to the protein.
  const fall = during(time, 7.2, 8.1)
  const cy = between(60, y - 30, fall)
  const hexagon = Array.from({ length: 6 }, (_, i) => [
    370 + 20 * Math.sin((i * Math.PI) / 3),
    cy - 20 * Math.cos((i * Math.PI) / 3),
  ])
  const d = `M${hexagon.map(([px, py]) => `${fixed(px)} ${fixed(py)}`).join('L')}Z`
  drawn += group(
    during(time, 7.1, 7.4),
    `<path d="${d}" fill="${ink.spark}" stroke="${ink.line}" stroke-width="3" stroke-linejoin="round"/>`,
  )
  drawn += group(
    during(time, 8.3, 8.8),
    words(370, 168, 'the target', { anchor: 'middle', size: 26, weight: 600, fill: ink.line }),
  )
  return drawn
}

const random = randomFrom(20)
const wells = Array.from({ length: 96 }, () => random() ** 2.6)
const hit = 2 * 12 + 8

/** A plate of 96 wells is read column by column; the counter shows how many plates have been read. */
function screen(time, ink) {
  let drawn = `<rect x="92" y="112" width="500" height="316" rx="14" fill="${ink.raised}" stroke="${ink.rule}" stroke-width="2"/>`
  const read = (time - 11.4) / 3.2
  for (let i = 0; i < 96; i++) {
    const column = i % 12
    const x = 122 + column * 40
    const y = 136 + Math.floor(i / 12) * 38.5
    const seen = clamp((read - column / 12) * 12)
    drawn += circle(x, y, 14, `fill="${ink.ground}" stroke="${ink.rule}" stroke-width="1.5"`)
    if (seen > 0 && i !== hit)
      drawn += circle(x, y, 13, `fill="${ink.soft}" fill-opacity="${fixed(wells[i] * 0.8 * seen)}"`)
    if (i === hit) {
      const grown = during(time, 14.4, 14.9)
      const pulse = clamp((time - 14.8) / 0.9)
      drawn += circle(x, y, 14 * grown, `fill="${ink.spark}"`)
      if (pulse > 0 && pulse < 1)
        drawn += circle(
          x,
          y,
          14 + pulse * 26,
          `fill="none" stroke="${ink.spark}" stroke-width="3" opacity="${fixed(1 - pulse)}"`,
        )
      if (grown > 0) drawn += group(grown, circle(x, y, 20, `fill="none" stroke="${ink.line}" stroke-width="2.5"`))
    }
  }
  const scan = clamp(read)
  if (scan > 0 && scan < 1) drawn += path(`M${fixed(102 + scan * 480)} 120V420`, ink.line, 2, 'opacity=".7"')
  const count = Math.round(during(time, 11.4, 14.6) * 1000) * 100
  const comma = count.toLocaleString('en')
  return (
    drawn +
    words(640, 214, comma, { size: 52, weight: 500, voice: true, fill: ink.line }) +
    words(640, 250, 'molecules tried', { size: 24, fill: ink.soft }) +
    group(
      during(time, 14.6, 15.1),
      words(640, 340, '1', { size: 52, weight: 500, voice: true, fill: ink.line }) +
        words(640, 376, 'that answers: a hit', { size: 24, fill: ink.soft }),
    )
  )
}

export function draw(time, { ink }) {
  return frame(
    ink,
    strip(time, ink, steps) +
      group(1 - during(time, 4.7, 5.1), need(time, ink)) +
      group(
        Math.min(during(time, 5.1, 5.4), 1 - during(time, 10.3, 10.7)),
        time > 5 && time < 10.8 ? target(time, ink) : '',
      ) +
      group(during(time, 10.7, 11.1), time > 10.6 ? screen(time, ink) : ''),
  )
}
