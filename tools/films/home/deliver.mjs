/** Chance divides the volunteers, three questions are asked in turn, and two curves diverge. */
import {
  between,
  circle,
  clamp,
  during,
  fixed,
  frame,
  group,
  path,
  randomFrom,
  shown,
  spot,
  strip,
  words,
} from './kit.mjs'

export const seconds = 20
/** The picture that shows before the film plays: only the two curves. */
export const still = { time: 17, box: '64 76 848 477' }

const steps = [
  ['Clinical Trial Design', 0.2, 5],
  ['Phase 1', 5, 7.6],
  ['Phase 2', 7.6, 10.4],
  ['Phase 3', 10.4, 18.4],
]

/** Volunteers come in one line, and chance alone sends each into one of two groups. */
function design(time, ink) {
  const random = randomFrom(7)
  let drawn = group(
    during(time, 0.4, 0.9),
    path('M96 262H360C440 262 430 176 520 176H560M360 262C440 262 430 348 520 348H560', ink.rule, 3) +
      circle(372, 262, 26, `fill="${ink.raised}" stroke="${ink.line}" stroke-width="3"`) +
      words(372, 271, '?', { anchor: 'middle', size: 28, weight: 600, fill: ink.line }) +
      `<rect x="572" y="126" width="296" height="100" rx="10" fill="${ink.raised}" stroke="${ink.line}" stroke-width="2.5"/>` +
      `<rect x="572" y="298" width="296" height="100" rx="10" fill="none" stroke="${ink.line}" stroke-width="2.5"/>` +
      words(572, 112, 'new treatment', { size: 24, weight: 600, fill: ink.line }) +
      words(572, 284, 'best of today', { size: 24, weight: 600, fill: ink.line }) +
      words(96, 222, 'volunteers', { size: 24, weight: 600, fill: ink.line }) +
      words(372, 326, 'by chance', { anchor: 'middle', size: 22, fill: ink.soft }),
  )
  const places = [0, 0]
  for (let i = 0; i < 24; i++) {
    const side = places[0] >= 12 ? 1 : places[1] >= 12 ? 0 : random() < 0.5 ? 0 : 1
    const place = places[side]++
    const start = 0.9 + i * 0.105
    const walk = clamp((time - start) / 1.2)
    if (walk <= 0) continue
    const end = [600 + (place % 6) * 48, (side ? 298 : 126) + 32 + Math.floor(place / 6) * 36]
    const [px, py] =
      walk < 0.5
        ? [between(80, 372, walk * 2), 262]
        : [between(372, end[0], (walk - 0.5) * 2), between(262, end[1], during(walk, 0.5, 1))]
    // A volunteer's group is unknown until chance has decided.
    const look = walk < 0.5 ? ink.soft : side ? ink.ground : ink.line
    drawn += circle(px, py, 10, `fill="${look}" stroke="${walk < 0.5 ? ink.soft : ink.line}" stroke-width="3"`)
  }
  return drawn
}

const questions = [
  { from: 5, to: 7.6, count: 20, people: '20 healthy volunteers', question: 'Is it safe?', columns: 5, gap: 46, r: 13 },
  { from: 7.6, to: 10.4, count: 200, people: '200 patients', question: 'Does it work?', columns: 20, gap: 21, r: 6.5 },
  {
    from: 10.4,
    to: 12.6,
    count: 2000,
    people: '2,000 patients',
    question: 'Is it better?',
    columns: 50,
    gap: 7.4,
    r: 2.5,
  },
]

function phase(time, ink, { from, to, count, people, question, columns, gap, r }) {
  const rows = Math.ceil(count / columns)
  const left = 672 - ((columns - 1) * gap) / 2
  const top = 266 - ((rows - 1) * gap) / 2
  const seen = Math.floor(during(time, from + 0.2, from + 1.3) * count)
  let d = ''
  for (let i = 0; i < seen; i++)
    d += `M${fixed(left + (i % columns) * gap)} ${fixed(top + Math.floor(i / columns) * gap)}h.01`
  return group(
    shown(time, from, to),
    words(80, 256, question, { size: 48, weight: 500, voice: true, fill: ink.line }) +
      words(80, 302, people, { size: 26, fill: ink.soft }) +
      (d ? path(d, ink.line, r * 2) : ''),
  )
}

/** Survival as steps, for both groups; the same people as before. */
function survival(rate, seed) {
  const random = randomFrom(seed)
  const found = [[0, 1]]
  for (let month = 0; month < 36; month += 0.9 + random() * 1.1) found.push([month, Math.exp(-rate * month)])
  return found
}
const treated = survival(0.0165, 5)
const control = survival(0.037, 11)

function curves(time, ink) {
  const left = 130
  const right = 850
  const base = 404
  const x = (month) => between(left, right, month / 36)
  const y = (share) => base - share * 272
  const until = clamp((time - 13.2) / 3) * 36
  const steps = (points) => {
    let d = `M${x(0)} ${y(1)}`
    let last = 1
    for (const [month, share] of points) {
      if (month > until) break
      d += `H${fixed(x(month))}V${fixed(y(share))}`
      last = share
    }
    return [`${d}H${fixed(x(until))}`, last]
  }
  const [above, high] = steps(treated)
  const [below, low] = steps(control)
  let marks = ''
  for (let month = 0; month <= 36; month += 3) marks += `M${fixed(x(month))} ${base}v${month % 12 === 0 ? 12 : 6}`
  const years = [0, 1, 2, 3]
    .map((year) =>
      words(x(year * 12), base + 34, ['start', '1 year', '2 years', '3 years'][year], {
        anchor: 'middle',
        size: 18,
        fill: ink.soft,
      }),
    )
    .join('')
  const named = during(time, 15.9, 16.4)
  const gap = group(
    named,
    path(`M${fixed(x(36))} ${fixed(y(high) + 16)}V${fixed(y(low) - 12)}`, ink.soft, 2, 'stroke-dasharray="2 7"'),
  )
  return (
    path(`M${left} 124V${base}H${right}${marks}`, ink.rule, 2) +
    years +
    words(left + 16, base - 18, 'patients without relapse', { size: 20, fill: ink.soft }) +
    path(below, ink.soft, 3, 'stroke-dasharray="1 6"') +
    path(above, ink.line, 4) +
    gap +
    (until > 0 ? spot(x(until), y(high), 12, ink) : '') +
    group(
      named,
      words(x(24), y(0.84), 'new treatment', { anchor: 'middle', size: 24, weight: 600, fill: ink.line }) +
        words(x(20), y(0.3), 'best of today', { anchor: 'middle', size: 24, fill: ink.soft }),
    )
  )
}

export function draw(time, { ink }) {
  const end = during(time, 18.4, 18.9)
  return frame(
    ink,
    strip(time, ink, steps) +
      group(1 - during(time, 4.6, 5), time < 5 ? design(time, ink) : '') +
      questions.map((one) => phase(time, ink, one)).join('') +
      group(
        Math.min(during(time, 12.6, 13), 1 - during(time, 18, 18.4)),
        time > 12.5 && time < 18.5 ? curves(time, ink) : '',
      ) +
      group(
        end,
        spot(480, between(60, 208, end), 22, ink) +
          words(480, 312, 'One medicine', { anchor: 'middle', size: 54, weight: 500, voice: true, fill: ink.line }) +
          words(480, 360, 'of thousands of candidates', { anchor: 'middle', size: 26, fill: ink.soft }),
      ),
  )
}
