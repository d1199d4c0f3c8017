/** The scenes of each film, by its slug. `c` holds the seconds at which its lines begin (seed/film-library.ts). */
import { axes, band, bars, boxes, curve, during, field, intervals, label, mark, rule, spans, wall } from './drawing.mjs'

/** An S-shaped curve between 0 and `top`, at half its height at `half`. */
const rise =
  (half, top = 0.94, steep = 16) =>
  (u) =>
    top / (1 + Math.exp(-steep * (u - half)))
const between = (value, low, high) => Math.max(low, Math.min(high, value))

/** The level with one dose a day, absorbed at once and lost with a half-life of `half` days. */
function daily(days, half) {
  return (u) => {
    const time = u * days
    let level = 0
    for (let day = 0; day <= time; day++) level += 0.3 * 0.5 ** ((time - day) / half)
    return between(level, 0, 1)
  }
}

/** Steps down at the given places, like a survival curve. */
const stairs = (drops) => (u) => 0.94 - drops.reduce((lost, [at, by]) => lost + (u >= at ? by : 0), 0)

const order = (i) => ((i * 7919) % 997) / 997

/** A normal curve of the given middle and standard deviation. */
const bell =
  (middle, scatter, top = 0.86) =>
  (u) =>
    top * Math.exp(-((u - middle) ** 2) / (2 * scatter ** 2))
const bound = (half) => (u) => u / (u + half)

export const scenes = {
  'how-many-patients': (c) => {
    const means = (from, to, n, scatter) =>
      during(from, to, [
        axes(from - 2, { across: 'mean change', up: 'trials' }),
        curve(from, bell(0.58, scatter), { color: 'grey', seconds: 1.2 }),
        curve(from, bell(0.5, scatter), { seconds: 1.2 }),
        label(from, 0.98, 0.9, n, { anchor: 'end', size: 20 }),
      ])
    return [
      during(c[0], c[5], [
        axes(c[0], { across: 'change in blood pressure', up: 'people' }),
        curve(c[1], bell(0.58, 0.16), { color: 'grey', label: 'placebo', labelAt: [0.76, 0.66] }),
        curve(c[2], bell(0.5, 0.16), { label: 'medicine', labelAt: [0.16, 0.66] }),
        mark(c[3], 0.54, 0.83, 'which group?'),
        label(c[4], 0.5, 0.3, '← 10 →', { anchor: 'middle', color: 'accent' }),
        label(c[4], 0.5, 0.18, 'standard deviation', { anchor: 'middle', color: 'accent', size: 15 }),
      ]),
      means(c[5], c[6], 'one person', 0.16),
      means(c[6], c[7], 'mean of 4', 0.08),
      means(c[7], c[8], 'mean of 25', 0.032),
      means(c[8], c[9], 'mean of 100', 0.016),
      during(c[9], c[13], [
        band(c[12], 0.02, 0.485, ''),
        axes(c[9] - 2, { across: 'difference found', up: 'trials' }),
        curve(c[9] - 2, bell(0.62, 0.075), { color: 'grey', label: 'without effect', labelAt: [0.72, 0.7] }),
        curve(c[9] - 2, bell(0.42, 0.075), { label: 'with effect', labelAt: [0.13, 0.7] }),
        rule(c[9], { u: 0.485, label: '' }),
        mark(c[10], 0.475, 0.1, ''),
        label(c[11], 0.5, 0.97, 'missed', { color: 'second' }),
        label(c[12], 0.06, 0.4, 'power: found', { color: 'accent' }),
      ]),
      during(c[13], c[14], [
        boxes([
          [c[13] + 0.4, 'scatter', 0.2, 0.75],
          [c[13] + 1, 'difference', 0.62, 0.75],
          [c[13] + 1.6, 'risk', 0.2, 0.3],
          [c[13] + 3.5, 'number', 0.62, 0.3, true],
        ]),
      ]),
      during(c[14], c[19], [
        axes(c[14], { across: 'difference to be seen', up: 'people in each group', marks: ['10', '5', '2.5'] }),
        label(c[14] + 2, 0.04, 0.84, '16 × (scatter / difference)²', { color: 'accent', size: 19 }),
        bars([c[16], c[15], c[17]], [16 / 290, 64 / 290, 256 / 290]),
        label(c[16] + 0.7, 0.167, 0.1, '16', { anchor: 'middle', size: 20 }),
        label(c[15] + 0.7, 0.5, 0.27, '64', { anchor: 'middle', size: 20 }),
        label(c[17] + 0.7, 0.833, 0.93, '256', { anchor: 'middle', size: 20 }),
        mark(c[18], 0.167, 0.3, ''),
        label(c[18] + 0.6, 0.167, 0.42, 'cheap, and blind', { anchor: 'middle' }),
      ]),
      during(c[19], c[22], [
        field(12, 6, (i, time) => {
          if (i === 71) return 'gone'
          if (time < c[19] + 0.5 + i * 0.04) return 'dim'
          return time > c[20] + i * 0.03 && i < 67 ? 'second' : 'rest'
        }),
      ]),
      during(c[22], c[23], [
        axes(c[22], { across: 'change', up: 'trials' }),
        curve(c[22] + 0.6, bell(0.5, 0.006), { color: 'grey', label: 'placebo', labelAt: [0.53, 0.8] }),
        curve(c[22] + 0.6, bell(0.47, 0.006), { label: 'medicine', labelAt: [0.27, 0.8] }),
      ]),
      during(c[23], Number.POSITIVE_INFINITY, [
        boxes(
          [
            [c[23] + 0.4, 'difference', 0.13, 0.6],
            [c[24], 'number', 0.5, 0.6],
            [c[24] + 3, 'first patient', 0.87, 0.6, true],
          ],
          [
            [c[24] - 0.6, 0, 1],
            [c[24] + 2.4, 1, 2],
          ],
        ),
      ]),
    ]
  },
  'six-volunteers': (c) => [
    during(c[0], c[3], [
      field(8, 1, (i, time) => {
        if (i === 2 || i === 6) return 'dim'
        const turn = [0, 1, 3, 4, 5, 7].indexOf(i)
        return time > c[1] + 3 + turn * 0.5 ? 'lit' : 'rest'
      }),
      label(c[1], 0.29, 0.12, 'placebo', { anchor: 'middle', color: 'grey', size: 15 }),
      label(c[1], 0.82, 0.12, 'placebo', { anchor: 'middle', color: 'grey', size: 15 }),
    ]),
    during(c[3], c[5], [
      axes(c[3], { across: '', up: 'mg for each kilogram' }),
      bars([c[4], c[3] + 1], [0.8, 0.012], { labels: ['monkeys', 'first dose'] }),
      label(c[4] + 0.8, 0.25, 0.84, '50', { anchor: 'middle', size: 20 }),
      label(c[3] + 1.6, 0.75, 0.07, '0.1', { anchor: 'middle', size: 20 }),
      label(c[4] + 3, 0.98, 0.5, '1 in 500', { anchor: 'end', color: 'accent', size: 20 }),
    ]),
    during(c[5], c[8], [
      axes(c[5] - 2, { across: 'minutes', up: '', marks: ['0–15', '15–30', '30–45', '45–60', '60–75', '75–90'] }),
      spans([0, 1, 2, 3, 4, 5].map((n) => [c[5] + n * 0.4, `${n + 1}`, n * 0.11, n * 0.11 + 0.06])),
      rule(c[6], { u: 0.64, label: 'first symptoms' }),
      mark(c[6] + 1, 0.64, 0.08, 'all six dosed', { anchor: 'start' }),
    ]),
    during(c[8], c[11], [
      boxes(
        [
          [c[8] + 0.4, 'antibody', 0.13, 0.5],
          [c[9], 'monkey cell', 0.5, 0.2],
          [c[9] + 1, 'human cell', 0.5, 0.8],
          [c[10], 'nothing', 0.87, 0.2],
          [c[9] + 3, 'storm', 0.87, 0.8, true],
        ],
        [
          [c[9] - 0.4, 0, 1],
          [c[9] + 0.6, 0, 2],
          [c[10] - 0.5, 1, 3],
          [c[9] + 2.4, 2, 4],
        ],
      ),
    ]),
    during(c[11], c[18], [
      axes(c[11], { across: 'dose (each step ten times more)', up: 'occupied receptors' }),
      curve(c[12], rise(0.45, 0.96, 12), { seconds: 4 }),
      mark(c[13], 0.67, 0.9, ''),
      label(c[13] + 0.6, 0.69, 0.74, 'dose of 2006'),
      label(c[14], 0.98, 1.02, 'plateau', { anchor: 'end', color: 'grey' }),
      band(c[15], 0.16, 0.3, ''),
      mark(c[15], 0.26, 0.09, ''),
      label(c[16], 0.17, 0.3, 'MABEL', { color: 'accent' }),
      rule(c[17], { u: 0.53, label: '' }),
      label(c[17] + 0.8, 0.54, 0.1, 'from harm', { color: 'grey' }),
      label(c[17] + 2.5, 0.17, 0.5, 'lower: counts', { color: 'accent', size: 15 }),
    ]),
    during(c[18], c[22], [
      axes(c[18], { across: 'days', up: '' }),
      spans([
        [c[18] + 0.8, 'sentinel', 0.04, 0.22],
        [c[19], 'placebo', 0.04, 0.22, 'grey'],
        [c[20], 'wait', 0.22, 0.56, 'second'],
        [c[19] + 3.5, 'the others', 0.56, 0.78],
        [c[21], 'look', 0.78, 0.86, 'grey'],
        [c[21] + 2, 'next', 0.86, 1],
      ]),
    ]),
    during(c[22], c[25], [
      axes(c[22], { across: 'groups, one after another', up: 'repeated dose' }),
      bars(c[22] + 1, [0.06, 0.1, 0.22, 0.42, 0.92], { color: 'accent' }),
      rule(c[23], { v: 0.14, label: '' }),
      label(c[23] + 0.6, 0.02, 0.34, 'enough to block the target', { color: 'grey', size: 15 }),
      mark(c[24], 0.9, 0.96, 'why so high?', { anchor: 'end' }),
    ]),
    during(c[25], Number.POSITIVE_INFINITY, [
      boxes(
        [
          [c[25] + 0.4, 'reasons', 0.13, 0.55],
          [c[25] + 1.4, 'forecast', 0.5, 0.55, true],
          [c[25] + 3, 'first person', 0.87, 0.55],
        ],
        [
          [c[25] + 0.9, 0, 1],
          [c[25] + 2.4, 1, 2],
        ],
      ),
    ]),
  ],
  'what-reaches-the-brain': (c) => [
    during(c[0], c[6], [
      wall(c[0], [
        [c[2], 0, 'through', 'small'],
        [c[3], 1, 'carrier', 'carried'],
        [c[4], 2, 'pump', 'pumped out'],
        [c[5], 3, 'pump', 'loperamide'],
      ]),
      label(c[1] + 1, 0.9, 0.94, 'sealed', { anchor: 'middle', size: 15, color: 'grey' }),
    ]),
    during(c[6], c[9], [
      axes(c[6], { across: '', up: 'whole brain, nM' }),
      bars([c[7], c[7] + 1], [0.8, 0.06], { labels: ['A', 'B'] }),
      label(c[7] + 0.8, 0.25, 0.84, '800', { anchor: 'middle', size: 20 }),
      label(c[7] + 1.8, 0.75, 0.11, '60', { anchor: 'middle', size: 20 }),
      label(c[8], 0.52, 0.5, 'held by fat', { anchor: 'middle', color: 'second' }),
    ]),
    during(c[9], c[11], [
      axes(c[9] - 1, { across: '', up: 'free in the brain, nM' }),
      bars([c[9] + 1, c[9] + 3], [4 / 14, 12 / 14], { labels: ['A', 'B'] }),
      label(c[9] + 1.8, 0.09, 0.2, '4', { anchor: 'end', size: 20 }),
      label(c[9] + 3.8, 0.59, 0.8, '12', { anchor: 'end', size: 20 }),
      rule(c[10], { v: 5 / 14, label: '' }),
      label(c[10] + 0.6, 0.42, 0.4, 'needed: 5', { color: 'grey', size: 15 }),
      mark(c[10] + 2, 0.75, 12 / 14, ''),
    ]),
    during(c[11], c[15], [
      axes(c[11], { across: '', up: 'Kp,uu: free in brain / free in plasma' }),
      rule(c[12] - 0.6, { v: 0.8, label: '1' }),
      bars([c[12], c[12] + 0.6, c[13]], [0.74, 0.48, 0.06], { labels: ['not hindered', 'B', 'pumped'] }),
      label(c[13] + 0.8, 0.833, 0.14, 'pump?', { anchor: 'middle', color: 'second' }),
      mark(c[14], 0.5, 0.48, ''),
    ]),
    during(c[15], c[21], [
      axes(c[15], { across: 'plasma', up: 'occupied receptors' }),
      curve(c[15] + 1, bound(0.09), { seconds: 3 }),
      mark(c[16], 0.09, 0.5, ''),
      label(c[16] + 0.6, 0.12, 0.42, 'EC50: half', {}),
      label(c[17], 0.3, 0.55, '3 ×: 75 %', { color: 'accent' }),
      label(c[17] + 1.6, 0.98, 1, '9 ×: 90 %', { anchor: 'end', color: 'accent' }),
      rule(c[18], { v: 0.65, label: '65 %' }),
      rule(c[18] + 1.5, { v: 0.78, label: '78 %' }),
      mark(c[20], 0.92, 0.911, ''),
      label(c[20] + 0.6, 0.98, 0.4, 'aprepitant: above 90 %', { anchor: 'end', color: 'second' }),
    ]),
    during(c[21], c[24], [
      wall(c[21] - 1, [
        [c[21], 0, 'stop', 'antibody'],
        [c[22], 2, 'carrier', 'borrowed'],
        [c[23], 4, 'around', 'injected'],
      ]),
    ]),
    during(c[24], Number.POSITIVE_INFINITY, [
      boxes(
        [
          [c[24] + 0.4, 'what is free', 0.13, 0.55],
          [c[24] + 1.6, 'at the target', 0.5, 0.55, true],
          [c[24] + 3.4, 'the trial', 0.87, 0.55],
        ],
        [
          [c[24] + 1, 0, 1],
          [c[24] + 2.8, 1, 2],
        ],
      ),
    ]),
  ],
  'when-placebo-works-too': (c) => [
    during(c[0], c[4], [
      axes(c[0], { across: '', up: 'score', marks: ['1', '2', '3', '4', '5', '6', '7', '8'] }),
      curve(c[1], (u) => 0.36 + 0.56 * Math.exp(-2.6 * u) - 0.03 * u, { label: 'medicine', labelAt: [0.3, 0.36] }),
      curve(c[2], (u) => 0.46 + 0.46 * Math.exp(-2.4 * u) - 0.01 * u, {
        color: 'grey',
        label: 'placebo',
        labelAt: [0.44, 0.76],
      }),
      mark(c[3], 0.97, 0.43, ''),
      label(c[3] + 0.6, 0.97, 0.26, 'two points', { anchor: 'end' }),
    ]),
    during(c[4], c[5], [
      axes(c[4], { across: 'months', up: 'how bad it is' }),
      curve(c[4] + 0.8, (u) => 0.46 + 0.2 * Math.sin(u * 15) + 0.14 * Math.sin(u * 6.1 + 1), { seconds: 4 }),
      rule(c[4] + 1, { v: 0.46, label: '' }),
      mark(c[4] + 3, 0.115, 0.795, 'comes to the trial'),
    ]),
    during(c[5], c[7], [
      axes(c[5], {
        across: 'points',
        up: 'people',
        marks: ['16', '17', '18', '19', '20', '21', '22', '23', '24', '25'],
      }),
      bars(c[5] + 0.6, [0.3, 0.26, 0.16, 0.08, 0.92, 0.74, 0.5, 0.42, 0.34, 0.26], {}),
      rule(c[5] + 2, { u: 0.4, label: '' }),
      label(c[5] + 2.4, 0.38, 0.94, 'the door', { anchor: 'end', color: 'grey' }),
      mark(c[6], 0.45, 0.98, 'too many', { anchor: 'start' }),
    ]),
    during(c[7], c[10], [
      axes(c[7] - 2, { across: '', up: 'improvement' }),
      bars([c[7] - 1, c[7] - 0.6, c[7] + 0.6, c[8], c[9] + 2], [0.5, 0.26, 0.4, 0.34, 0.2], {
        labels: ['time', 'door', 'care', 'hope', 'medicine'],
      }),
      label(c[9], 0.4, 0.78, 'in both groups', { anchor: 'middle', color: 'grey' }),
      mark(c[9] + 3.4, 0.9, 0.26, ''),
    ]),
    during(c[10], c[16], [
      field(15, 5, (i, time) => {
        if (i === 74) return 'gone'
        if (time < c[10] + 1 + i * 0.05) return 'dim'
        if (time < c[11]) return 'rest'
        if (i < 38) return i === 37 && time > c[12] + 1 ? 'dim' : time > c[11] + 2 + i * 0.05 ? 'lit' : 'rest'
        if (time < c[11] + 4) return 'rest'
        if (time > c[13] + (i - 38) * 0.06 && i < 60) return 'dim'
        if (time > c[13] + 3 && i < 71) return 0.5
        return 'second'
      }),
    ]),
    during(c[16], c[19], [
      boxes([
        [c[16] + 0.4, 'fewer sites', 0.2, 0.75],
        [c[17], 'hidden line', 0.62, 0.75],
        [c[17] + 3, 'blind raters', 0.2, 0.3],
        [c[18], 'no promises', 0.62, 0.3, true],
      ]),
    ]),
    during(c[19], c[23], [
      axes(c[19], { across: 'weeks', up: 'score', marks: ['1', '2', '3', '4', '5', '6', '7', '8'] }),
      curve(c[19] + 0.6, (u) => (u < 0.4 ? 0.9 - 0.6 * u : 0.66 - 0.5 * (u - 0.4)), { color: 'grey', seconds: 3 }),
      mark(c[19] + 3, 0.4, 0.66, 'leaves'),
      rule(c[20], { v: 0.66, label: 'carried forward', color: 'second' }),
      label(c[21], 0.04, 0.4, 'every visit there was', { color: 'accent' }),
      label(c[22], 0.98, 0.24, 'or worse?', { anchor: 'end', color: 'second' }),
    ]),
    during(c[23], Number.POSITIVE_INFINITY, [
      boxes(
        [
          [c[23] + 0.4, 'question', 0.13, 0.55],
          [c[24], 'design', 0.5, 0.55],
          [c[24] + 3, 'answer', 0.87, 0.55, true],
        ],
        [
          [c[24] - 0.6, 0, 1],
          [c[24] + 2.4, 1, 2],
        ],
      ),
    ]),
  ],
  'what-patients-lack': (c) => [
    axes(c[0], { across: '', up: 'burden' }),
    bars(c[0] + 1.4, [0.55, 0.7, 0.94, 0.48], { color: 'soft', labels: ['Asthma', 'Migraine', 'ALS', 'Gout'] }),
    bars(c[2], [0.44, 0.45, 0.1, 0.36], { color: 'accent' }),
    label(c[1], 0.98, 1.02, 'pale: what it costs', { anchor: 'end', color: 'grey', size: 15 }),
    label(c[2], 0.98, 0.92, 'dark: what care takes away', { anchor: 'end', color: 'accent', size: 15 }),
    mark(c[3], 0.625, 0.52, 'the gap'),
  ],
  'evidence-from-human-genetics': (c) => [
    axes(c[0], { across: 'odds of the disease', up: '' }),
    intervals(
      [c[0] + 1, c[0] + 1.5, c[0] + 2, c[0] + 2.5],
      [
        ['no change', 0.44, 0.51, 0.58, false],
        ['weaker', 0.28, 0.36, 0.44, false],
        ['switched off, A', 0.08, 0.17, 0.28, false],
        ['switched off, B', 0.1, 0.2, 0.32, false],
      ],
    ),
    rule(c[1], { u: 0.5, label: 'no difference' }),
    label(c[2], 0.7, 0.2, 'off: rarer', { color: 'accent' }),
    label(c[3], 0.7, 0.62, 'weaker: between', { color: 'accent' }),
    mark(c[4], 0.185, 0.06),
  ],
  'screens-that-can-be-believed': (c) => [
    field(16, 8, (i, time) => {
      const column = i % 16
      if (time < c[1]) return 'rest'
      if (column < 1) return 'dim'
      if (column > 14) return 'lit'
      if (time < c[2]) return 'rest'
      const isHit = i === 69
      const isChance = [23, 42, 93, 108].includes(i)
      const shown = between((time - c[2]) * 0.6 - (column / 16) * 1.2, 0, 1)
      if (isHit && time > c[4] + 0.6) return 'spark'
      if ((isHit || isChance) && time > c[3] && !(isChance && time > c[4] + 0.6)) return 'second'
      return shown * (isHit || (isChance && time < c[4]) ? 0.8 : 0.06 + order(i) * 0.22)
    }),
  ],
  'from-hit-to-candidate': (c) => [
    axes(c[0], { across: 'rounds of synthesis', up: 'better' }),
    rule(c[0] + 1.6, { v: 0.55, label: '' }),
    label(c[0] + 2, 0.36, 0.58, 'good enough', { color: 'grey', size: 15 }),
    curve(c[1], (u) => 0.14 + 0.72 * u ** 0.8 + 0.03 * Math.sin(u * 26), { label: 'potency', labelAt: [0.62, 0.86] }),
    curve(c[2], (u) => (u < 0.55 ? 0.62 - 0.75 * u : 0.2075 + (u - 0.55) * 1.1), {
      color: 'second',
      label: 'solubility',
      labelAt: [0.3, 0.16],
    }),
    mark(c[3], 0.95, 0.625, ''),
    label(c[3] + 0.6, 0.99, 0.36, 'candidate', { anchor: 'end' }),
  ],
  'what-animals-can-tell': (c) => [
    axes(c[0], { across: '', up: 'of 20 models' }),
    bars([c[1], c[2], c[3]], [0.9, 0.5, 0.1], {
      labels: ['same target', 'same mechanism', 'same course'],
      color: 'accent',
    }),
    label(c[1] + 0.8, 0.167, 0.93, '18', { anchor: 'middle', size: 20 }),
    label(c[2] + 0.8, 0.5, 0.53, '10', { anchor: 'middle', size: 20 }),
    label(c[3] + 0.8, 0.833, 0.13, '2', { anchor: 'middle', size: 20 }),
    mark(c[4], 0.55, 0.72, 'ask only what it shares'),
  ],
  'setting-the-first-dose': (c) => [
    band(c[3], 0.4, 0.74, ''),
    axes(c[0], { across: 'exposure', up: 'response' }),
    curve(c[1], rise(0.4), { label: 'effect', labelAt: [0.5, 0.97] }),
    label(c[3], 0.57, 0.42, 'margin', { anchor: 'middle', color: 'accent' }),
    curve(c[2], rise(0.76, 0.86), { color: 'second', label: 'harm', labelAt: [0.83, 0.4] }),
    mark(c[4], 0.14, 0.02, 'first dose'),
  ],
  'a-trial-that-answers': (c) => [
    boxes(
      [
        [c[0], 'Question', 0.13, 0.5],
        [c[1], 'New', 0.5, 0.78],
        [c[1] + 0.4, 'Standard', 0.5, 0.22],
        [c[4], 'Endpoint', 0.87, 0.5, true],
      ],
      [
        [c[1] - 0.4, 0, 1],
        [c[1], 0, 2],
        [c[2], 1, 3],
        [c[2], 2, 3],
      ],
    ),
    label(c[2], 0.5, 0.49, 'followed alike', { anchor: 'middle', color: 'accent' }),
    label(c[3], 0.5, -0.02, 'blinded', { anchor: 'middle', color: 'grey' }),
  ],
  'after-the-approval': (c) => [
    axes(c[0], { across: 'years', up: 'people', marks: ['-4', '-2', 'approval', '2', '4', '6'] }),
    bars([c[1], c[1] + 0.3, c[2], c[2] + 0.3, c[2] + 0.6, c[2] + 0.9], [0.03, 0.05, 0.2, 0.48, 0.72, 0.92], {}),
    rule(c[3], { v: 0.6, label: '' }),
    label(c[3], 0.02, 0.64, 'a harm of 1 in 10,000 shows', { color: 'grey', size: 15 }),
    mark(c[3] + 0.8, 0.75, 0.72, ''),
  ],
  'why-half-lives-matter': (c) => [
    axes(c[0], { across: 'half-lives', up: '', marks: ['0', '1', '2', '3', '4', '5'] }),
    curve(c[0] + 1.2, (u) => 0.9 * 0.5 ** (u * 6 - 0.5 < 0 ? 0 : u * 6 - 0.5), {}),
    mark(c[1], 0.25, 0.45, 'half'),
    label(c[2], 0.3, 0.13, 'a quarter', { anchor: 'middle', color: 'accent' }),
    label(c[2] + 1, 0.48, 0.04, 'an eighth', { anchor: 'middle', color: 'accent' }),
    curve(c[3], (u) => Math.min(1, 1.8 * 0.5 ** (u * 6 - 0.5 < 0 ? 0 : u * 6 - 0.5)), {
      color: 'second',
      dash: true,
      label: 'twice the dose',
      labelAt: [0.36, 0.9],
    }),
  ],
  'reaching-steady-state': (c) => [
    axes(c[0], { across: 'days', up: 'level' }),
    curve(c[0] + 0.6, daily(10, 2), { seconds: 9 }),
    label(c[1], 0.13, 0.68, 'adding up', { color: 'accent' }),
    rule(c[3], { v: 0.96, label: '' }),
    label(c[3], 0.98, 0.5, 'as much out as in', { anchor: 'end', color: 'grey' }),
    mark(c[3] + 0.6, 0.805, 0.98, ''),
  ],
  'how-an-antibody-finds-its-target': (c) => [
    axes(c[0], { across: 'antibody', up: 'bound' }),
    curve(c[1], (u) => (1.1 * u) / (u + 0.3), {}),
    rule(c[2], { v: 0.55, label: '' }),
    mark(c[2], 0.3, 0.55, 'KD'),
    curve(c[3], (u) => (1.02 * u) / (u + 0.08), {
      color: 'second',
      dash: true,
      label: 'stronger',
      labelAt: [0.16, 0.82],
    }),
  ],
  'phases-of-a-programme': (c) => [
    axes(c[0], { across: '', up: '', marks: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'] }),
    spans([
      [c[1], 'Discovery', 0, 0.3],
      [c[2], 'Preclinical', 0.28, 0.46],
      [c[3], 'Phase 1', 0.45, 0.54],
      [c[3] + 0.8, 'Phase 2', 0.53, 0.7],
      [c[3] + 1.6, 'Phase 3', 0.68, 0.96],
      [c[4], 'Manufacturing', 0.3, 1, 'second'],
    ]),
  ],
  'attrition-in-numbers': (c) => [
    field(20, 8, (i, time) => {
      const rank = order(i)
      const gone = (at, limit) => rank > limit && time > at + rank * 1.6
      if (i === 88) return time > c[4] ? 'spark' : 'lit'
      if (gone(c[1], 0.32) || gone(c[2], 0.07) || gone(c[3], -1)) return 'dim'
      return time > c[2] && rank < 0.07 ? 'lit' : 0.5
    }),
  ],
  'an-expert-on-biomarkers': (c) => [
    band(c[3], 0.24, 0.68, 'time saved'),
    axes(c[0], { across: 'weeks', up: '', marks: ['0', '2', '4', '6', '8', '10'] }),
    curve(c[1], (u) => 0.9 - rise(0.18, 0.66, 26)(u), { label: 'marker', labelAt: [0.02, 0.3] }),
    curve(c[2], (u) => 0.9 - rise(0.68, 0.6, 18)(u), { color: 'second', label: 'symptoms', labelAt: [0.7, 0.82] }),
    mark(c[3], 0.24, 0.37, ''),
  ],
  'an-expert-on-stopping': (c) => [
    axes(c[0], { across: '', up: 'cost of a no' }),
    bars([c[1], c[2], c[3]], [0.03, 0.2, 0.94], { labels: ['discovery', 'before people', 'Phase 3'] }),
    label(c[1] + 0.6, 0.167, 0.07, '1', { anchor: 'middle', size: 20 }),
    label(c[2] + 0.6, 0.5, 0.24, '10', { anchor: 'middle', size: 20 }),
    label(c[3] + 0.6, 0.833, 0.98, '100', { anchor: 'middle', size: 20 }),
    mark(c[3] + 1.4, 0.167, 0.3, 'ask here'),
  ],
  'an-expert-on-consent': (c) => [
    boxes(
      [
        [c[1], 'Tell', 0.13, 0.84],
        [c[2], 'Ask back', 0.5, 0.84],
        [c[3], 'Wait', 0.5, 0.3],
        [c[3] + 1.8, 'Yes or no', 0.87, 0.3, true],
      ],
      [
        [c[2] - 0.3, 0, 1],
        [c[3] + 1.4, 2, 3],
      ],
    ),
    label(c[3] - 0.2, 0.5, 0.54, '…', { anchor: 'middle', color: 'grey', size: 24 }),
    label(c[0] + 0.6, 0, 0.28, 'a conversation', { color: 'accent', size: 20 }),
  ],
  'case-a-dose-too-low': (c) => [
    axes(c[0], { across: 'dose', up: 'occupied receptors' }),
    curve(c[0] + 1.2, rise(0.58), {}),
    bars([c[1], c[1] + 0.5, 99, 99, 99, 99, 99, 99], [null, 0.05, 0.13, null, null, null, null, null], {
      shift: 0.4,
      share: 0.3,
      color: 'second',
    }),
    bars([99, 99, c[1] + 0.5, 99, 99, 99, 99, 99], [null, null, 0.16, null, null, null, null, null], {
      shift: 0.6,
      share: 0.3,
      color: 'second',
    }),
    label(c[1], 0.14, 0.24, 'tested', { color: 'second' }),
    rule(c[2], { v: 0.5, label: '' }),
    label(c[2], 0.02, 0.53, 'needed for an effect', { color: 'grey', size: 15 }),
    mark(c[3], 0.74, 0.875, 'never tried', { anchor: 'end' }),
  ],
  'case-an-interim-look': (c) => [
    axes(c[0], { across: 'months', up: 'without an event', marks: ['3', '6', '9', '12', '15', '18'] }),
    curve(
      c[1],
      stairs([
        [0.08, 0.05],
        [0.17, 0.07],
        [0.26, 0.06],
        [0.36, 0.08],
        [0.47, 0.08],
        [0.58, 0.07],
        [0.7, 0.08],
        [0.83, 0.07],
        [0.94, 0.04],
      ]),
      { color: 'grey', label: 'standard', labelAt: [0.8, 0.2] },
    ),
    curve(
      c[2],
      stairs([
        [0.08, 0.05],
        [0.18, 0.07],
        [0.27, 0.05],
        [0.42, 0.04],
        [0.6, 0.05],
        [0.8, 0.04],
      ]),
      { label: 'new', labelAt: [0.88, 0.75] },
    ),
    rule(c[3], { u: 0.42, label: 'interim look' }),
    mark(c[3] + 0.8, 0.42, 0.7, ''),
  ],
  'case-a-signal-that-held': (c) => [
    axes(c[0], { across: '', up: 'reports', marks: ['Kenya', 'Norway', 'Peru', 'Korea'] }),
    bars([c[0] + 1.5, c[2], c[2] + 0.4, c[2] + 0.8], [0.3, 0.22, 0.34, 0.26], {
      shift: -0.17,
      share: 0.28,
      color: 'line',
    }),
    bars([c[1], c[2] + 0.4, c[2] + 0.8, c[2] + 1.2], [0.33, 0.74, 0.9, 0.8], { shift: 0.17, share: 0.28 }),
    label(c[0] + 1, 0.98, 1.08, 'pale: expected', { anchor: 'end', color: 'grey', size: 15 }),
    label(c[1], 0.3, 1.08, 'dark: received', { color: 'accent', size: 15 }),
    mark(c[3], 0.665, 0.94, ''),
  ],
  'case-a-formulation-saved': (c) => [
    axes(c[0], { across: '', up: 'mg absorbed of 100' }),
    bars([c[1], c[2], c[3]], [0.08, 0.21, 0.64], { labels: ['crystals', 'salt', 'spray-dried'], figures: true }),
    rule(c[0] + 1.4, { v: 0.5, label: '' }),
    label(c[0] + 1.8, 0.02, 0.53, 'needed for an effect', { color: 'grey', size: 15 }),
    mark(c[3] + 1.4, 0.955, 0.64, ''),
  ],
}
