/** A titration: a long patient line, and the one drop that changes everything. */
import {
  between,
  circle,
  clamp,
  during,
  fallingDrop,
  fixed,
  frame,
  group,
  path,
  shown,
  spot,
  through,
  words,
} from './kit.mjs'

export const seconds = 17
/** The picture that shows before the film plays. */
export const still = { time: 11.6 }

const left = 372
const right = 900
const bottom = 400
const top = 120
// The volumes and times at which drops fall: slowly at first, then one by one.
const falls = Array.from({ length: 14 }, (_, i) => ({ at: 1.6 + i * 0.5, part: (i + 1) / 14 }))
const turn = falls[9]
const x = (part) => between(left, right, part)
const level = (part) => bottom - (bottom - top) / (1 + Math.exp(-(part - turn.part) * 34))

function graph(time, ink) {
  const drawn = during(time, 0.4, 1.4)
  let marks = ''
  for (let i = 0; i <= 28; i++)
    marks += `M${fixed(between(left, right, i / 28))} ${bottom + 22}v${i % 7 === 0 ? 14 : 8}`
  const axis = group(
    drawn,
    path(`M${left} ${bottom + 22}H${fixed(between(left, right, drawn))}`, ink.rule, 2) + path(marks, ink.rule, 1.5),
  )
  const reached = clamp((time - falls[0].at - 0.45) / (falls.length * 0.5))
  const last = reached * falls.length
  const points = Array.from({ length: 121 }, (_, i) => (i / 120) * (last / falls.length)).map((part) => [
    x(part),
    level(part),
  ])
  const curve = reached > 0 ? path(through(points), ink.line, 4) : ''
  const dots = falls
    .filter(({ at }) => time > at + 0.5)
    .map((fall) => {
      const grown = during(time, fall.at + 0.45, fall.at + 0.7)
      return fall === turn
        ? spot(x(fall.part), level(fall.part), between(0, 15, grown), ink)
        : circle(
            x(fall.part),
            level(fall.part),
            6 * grown,
            `fill="${ink.ground}" stroke="${ink.line}" stroke-width="3"`,
          )
    })
  return axis + curve + dots.join('')
}

function apparatus(time, ink) {
  const filled = falls.filter(({ at }) => time > at).length
  const now = falls.findLast(({ at }) => time > at)
  const surface = 84 + filled * 5.5
  let marks = ''
  for (let i = 0; i < 12; i++) marks += `M152 ${84 + i * 11}h${i % 5 === 0 ? 18 : 10}`
  const burette =
    `<rect x="152" y="${fixed(surface)}" width="46" height="${fixed(218 - surface)}" fill="${ink.soft}" fill-opacity=".4"/>` +
    path('M152 56V218H168L171 236H179L182 218H198V56', ink.line, 3) +
    path(`M152 ${fixed(surface)}H198`, ink.line, 2) +
    path(marks, ink.line, 1.5, 'opacity=".6"') +
    path('M160 236H190', ink.line, 5) +
    path('M175 238V252', ink.line, 4)
  const part = now ? (time - now.at) / 0.42 : 2
  const drop = part < 1 ? fallingDrop(175, between(262, 376, part * part), 7, now === turn ? ink.spark : ink.line) : ''
  const color = during(time, turn.at + 0.42, turn.at + 1.1)
  const flask = 'M160 286V326L112 410A14 14 0 0 0 124 430H226A14 14 0 0 0 238 410L190 326V286'
  const liquid = 'M140 372C156 364 160 380 175 373S196 366 210 372L232 410A12 12 0 0 1 222 424H128A12 12 0 0 1 118 410Z'
  const ring =
    part >= 1 && part < 1.8
      ? path(
          `M${fixed(175 - 22 * (part - 0.8))} 374H${fixed(175 + 22 * (part - 0.8))}`,
          ink.line,
          2,
          `opacity="${fixed(1.8 - part)}"`,
        )
      : ''
  return (
    burette +
    drop +
    `<path d="${liquid}" fill="${ink.soft}" fill-opacity=".3"/>` +
    group(color, `<path d="${liquid}" fill="${ink.spark}" fill-opacity=".85"/>`) +
    ring +
    path(`${flask}M152 286H198`, ink.line, 3)
  )
}

const phases = [
  ['Discover', 0.1],
  ['Develop', 0.48],
  ['Deliver', 0.9],
]

export function draw(time, { brand, ink }) {
  const stations = phases
    .map(([name, part], i) => {
      const opacity = Math.min(during(time, 10 + i * 0.5, 10.5 + i * 0.5), 1 - during(time, 13, 13.5))
      const y = level(part)
      return group(
        opacity,
        words(x(part), y - 32, name, { anchor: 'middle', size: 30, weight: 500, voice: true, fill: ink.line }),
      )
    })
    .join('')
  const told = group(
    shown(time, 0.6, 6.3),
    words(left, 96, 'Drop by drop,', { size: 40, weight: 500, voice: true, fill: ink.line }) +
      words(left, 148, 'almost nothing changes.', { size: 40, weight: 500, voice: true, fill: ink.soft }),
  )
  const turned = group(
    shown(time, 6.6, 9.9),
    words(left, 96, 'Then one drop', { size: 40, weight: 500, voice: true, fill: ink.line }) +
      words(left, 148, 'changes everything.', { size: 40, weight: 500, voice: true, fill: ink.line }),
  )
  const ending = during(time, 13.4, 14.2)
  const mark =
    '<path d="M2.6 2.6Q12 6.4 21.4 2.6V7.3H14.5L13.4 14.2H10.6L9.5 7.3H2.6Z" fill="' +
    ink.line +
    '"/><path d="M12 15.4C13.5 17.2 15.1 18.7 15.1 20.3A3.1 3.1 0 0 1 8.9 20.3C8.9 18.7 10.5 17.2 12 15.4Z" fill="' +
    ink.spark +
    '"/>'
  const end = group(
    ending,
    `<g transform="translate(444 124) scale(3)">${mark}</g>` +
      words(480, 276, brand, { anchor: 'middle', size: 64, weight: 600, voice: true, fill: ink.line }) +
      words(480, 332, 'From a question to a medicine in use', { anchor: 'middle', size: 28, fill: ink.soft }),
  )
  return frame(
    ink,
    group(1 - during(time, 12.9, 13.5), graph(time, ink) + apparatus(time, ink)) + told + turned + stations + end,
  )
}
