/** The scenes of each film, by its slug. `c` holds the seconds at which its lines begin (seed/film-library.ts). */
import { axes, band, bars, boxes, curve, field, intervals, label, mark, rule, spans } from './drawing.mjs'

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

export const scenes = {
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
