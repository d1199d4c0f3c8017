/**
 * Drawing functions for the films: parts that appear at a moment and stay. A scene is a list of parts. Each part is a
 * function of the seconds since it appeared and of the palette's ink, and returns SVG on 640 x 360. Captions cover the
 * lowest 70 px.
 */
export const width = 640
export const height = 360

export const inks = {
  titrate: {
    paper: '#f6f9f8',
    ink: '#10292c',
    grey: '#718889',
    line: '#d3dfde',
    accent: '#0b6b69',
    soft: '#dbeeec',
    second: '#835504',
    spark: '#d93a49',
  },
  ns: {
    paper: '#f7f8fb',
    ink: '#131d36',
    grey: '#76809a',
    line: '#d6dbe7',
    accent: '#1f3f80',
    soft: '#e0e8f6',
    second: '#78356a',
    spark: '#da5f05',
  },
}

const left = 78
const right = 604
const top = 62
const floor = 262
const x = (u) => left + u * (right - left)
const y = (v) => floor - v * (floor - top)
const fixed = (value) => Number(value.toFixed(1))

/** 0 at the start, 1 after `seconds`, with a smooth start and end. */
function grown(since, seconds = 1) {
  const part = Math.max(0, Math.min(1, since / seconds))
  return part * part * (3 - 2 * part)
}

const part = (at, draw) => ({ at, draw })
const fade = (since, drawn) => {
  const opacity = grown(since, 0.6)
  return opacity <= 0 ? '' : `<g opacity="${fixed(opacity)}">${drawn}</g>`
}
const words = (px, py, text, { anchor = 'start', size = 17, weight = 400, fill } = {}) =>
  `<text x="${fixed(px)}" y="${fixed(py)}" text-anchor="${anchor}" font-size="${size}" font-weight="${weight}" fill="${fill}">${text}</text>`
const stroke = (d, color, more = 'stroke-width="2"') =>
  `<path d="${d}" stroke="${color}" fill="none" stroke-linecap="round" stroke-linejoin="round" ${more}/>`
const drop = (px, py, ink, r = 9) =>
  `<circle cx="${fixed(px)}" cy="${fixed(py)}" r="${r}" fill="${ink.spark}" stroke="${ink.paper}" stroke-width="2.5"/>`

/** Two axes with their labels, and marks along the lower one. */
export function axes(at, { across, up, marks = [] }) {
  return part(at, (since, ink) => {
    const drawn = grown(since, 1.2)
    const frame = stroke(
      `M${left} ${floor}V${fixed(floor - drawn * (floor - top + 8))}M${left} ${floor}H${fixed(left + drawn * (right - left))}`,
      ink.grey,
    )
    const named = marks
      .map((label, i) =>
        words(x((i + 0.5) / marks.length), floor + 20, label, { anchor: 'middle', size: 14, fill: ink.grey }),
      )
      .join('')
    return (
      frame +
      fade(
        since - 0.6,
        words(left + 8, top + 2, up, { size: 15, fill: ink.grey }) +
          words(right, floor + (marks.length ? 38 : 22), across, { anchor: 'end', size: 15, fill: ink.grey }) +
          named,
      )
    )
  })
}

/** A curve v(u) over 0 to 1, drawn from left to right. `label` is placed at `labelAt`. */
export function curve(
  at,
  shape,
  { color = 'accent', dash = false, label = '', labelAt = [0.7, 0.9], seconds = 1.6 } = {},
) {
  return part(at, (since, ink) => {
    const until = grown(since, seconds)
    if (until <= 0) return ''
    const steps = Math.max(2, Math.ceil(until * 110))
    const points = Array.from({ length: steps + 1 }, (_, i) => {
      const u = (until * i) / steps
      return `${fixed(x(u))} ${fixed(y(shape(u)))}`
    })
    const line = stroke(
      `M${points.join('L')}`,
      ink[color],
      `stroke-width="4.5"${dash ? ' stroke-dasharray="3 10"' : ''}`,
    )
    return (
      line +
      (label
        ? fade(since - seconds * 0.6, words(x(labelAt[0]), y(labelAt[1]), label, { weight: 600, fill: ink[color] }))
        : '')
    )
  })
}

/** Marks the point that matters, with words beside it. */
export function mark(at, u, v, label = '', { anchor = 'start' } = {}) {
  return part(at, (since, ink) => {
    const fall = grown(since, 0.7)
    if (fall <= 0) return ''
    const py = y(v) - (1 - fall) * 60
    return (
      drop(x(u), py, ink) +
      fade(
        since - 0.6,
        words(x(u) + (anchor === 'start' ? 15 : -15), py - 12, label, { anchor, weight: 600, fill: ink.ink }),
      )
    )
  })
}

/** A line across the field: vertical at a value of u, or horizontal at a value of v. */
export function rule(at, { u, v, label = '', color = 'grey' }) {
  return part(at, (since, ink) => {
    const drawn = grown(since, 0.9)
    if (drawn <= 0) return ''
    const d =
      u === undefined
        ? `M${left} ${fixed(y(v))}H${fixed(left + drawn * (right - left))}`
        : `M${fixed(x(u))} ${floor}V${fixed(floor - drawn * (floor - top))}`
    const place = u === undefined ? [right, y(v) - 8, 'end'] : [x(u) + 8, top + 14, 'start']
    return (
      stroke(d, ink[color], 'stroke-width="2" stroke-dasharray="6 6"') +
      fade(since - 0.5, words(place[0], place[1], label, { anchor: place[2], size: 15, weight: 600, fill: ink[color] }))
    )
  })
}

/** A band between two values of u, below everything else. */
export function band(at, from, to, label = '') {
  return part(at, (since, ink) => {
    const box = `<rect x="${fixed(x(from))}" y="${top}" width="${fixed(x(to) - x(from))}" height="${floor - top}" fill="${ink.soft}"/>`
    return fade(
      since,
      box +
        words((x(from) + x(to)) / 2, floor - 12, label, { anchor: 'middle', size: 15, weight: 600, fill: ink.accent }),
    )
  })
}

/** Bars side by side. `at` is one moment for all, or one for each. A second list of bars may use the same places. */
export function bars(
  at,
  values,
  { of = values.length, color = 'accent', shift = 0, share = 0.56, labels = [], figures = false } = {},
) {
  return part(0, (time, ink) =>
    values
      .map((value, i) => {
        if (value === null) return ''
        const since = time - (Array.isArray(at) ? at[i] : at + i * 0.25)
        const high = grown(since, 0.9) * value
        if (high <= 0) return ''
        const wide = ((right - left) / of) * share
        const px = x((i + 0.5 + shift) / of) - wide / 2
        const bar = `<rect x="${fixed(px)}" y="${fixed(y(high))}" width="${fixed(wide)}" height="${fixed(floor - y(high))}" rx="3" fill="${ink[color]}"/>`
        const label = labels[i]
          ? words(px + wide / 2, floor + 20, labels[i], { anchor: 'middle', size: 15, fill: ink.ink })
          : ''
        const figure = figures
          ? words(px + wide / 2, y(high) - 10, String(Math.round(high * 100)), {
              anchor: 'middle',
              size: 20,
              weight: 600,
              fill: ink.ink,
            })
          : ''
        return bar + label + figure
      })
      .join(''),
  )
}

/** Rows with one interval each, around a line of no difference. */
export function intervals(at, rows, { none = 0.5 } = {}) {
  return part(0, (time, ink) =>
    rows
      .map(([label, low, middle, high, isMarked], i) => {
        const since = time - (Array.isArray(at) ? at[i] : at + i * 0.4)
        if (since <= 0) return ''
        const py = top + 26 + (i * (floor - top - 36)) / Math.max(1, rows.length - 1)
        const color = high < none ? ink.accent : ink.grey
        const line = stroke(
          `M${fixed(x(low))} ${fixed(py)}H${fixed(x(low + (high - low) * grown(since, 0.8)))}`,
          color,
          'stroke-width="4"',
        )
        const dot = isMarked
          ? drop(x(middle), py, ink)
          : `<circle cx="${fixed(x(middle))}" cy="${fixed(py)}" r="7" fill="${color}"/>`
        return fade(since, line + dot + words(left + 8, py - 10, label, { size: 15, fill: ink.ink }))
      })
      .join(''),
  )
}

/**
 * A field of circles. `state(i, time)` gives the state of each: 'rest', 'lit', 'dim', 'spark', 'gone', or 0 to 1 for a
 * depth.
 */
export function field(columns, rows, state) {
  return part(0, (time, ink) => {
    const [wide, high] = [(right - left + 30) / columns, (floor - top + 20) / rows]
    const r = Math.min(wide, high) * 0.36
    return Array.from({ length: columns * rows }, (_, i) => {
      const at = `cx="${fixed(left - 15 + ((i % columns) + 0.5) * wide)}" cy="${fixed(top + (Math.floor(i / columns) + 0.5) * high)}" r="${fixed(r)}"`
      const now = state(i, time)
      if (typeof now === 'number')
        return `<circle ${at} fill="${ink.accent}" fill-opacity="${fixed(now)}" stroke="${ink.grey}" stroke-opacity=".4"/>`
      if (now === 'gone') return ''
      if (now === 'spark') return `<circle ${at} fill="${ink.spark}"/>`
      if (now === 'lit') return `<circle ${at} fill="${ink.accent}"/>`
      if (now === 'second') return `<circle ${at} fill="${ink.second}"/>`
      if (now === 'dim') return `<circle ${at} fill="none" stroke="${ink.line}" stroke-width="1.5"/>`
      return `<circle ${at} fill="${ink.soft}" stroke="${ink.grey}" stroke-opacity=".4"/>`
    }).join('')
  })
}

/** Spans on a time line, each in its own row. */
export function spans(rows) {
  return part(0, (time, ink) =>
    rows
      .map(([at, label, from, to, color = 'accent'], i) => {
        const since = time - at
        if (since <= 0) return ''
        const high = Math.min(38, (floor - top - 8) / rows.length)
        const py = top + 8 + i * high
        const px = x(from)
        const wide = (x(to) - px) * grown(since, 1)
        const box = `<rect x="${fixed(px)}" y="${fixed(py)}" width="${fixed(wide)}" height="${fixed(high - 8)}" rx="4" fill="${ink[color]}"/>`
        const isInside = (to - from) * (right - left) > label.length * 9
        const text = words(isInside ? px + 10 : x(to) + 8, py + (high - 8) / 2 + 5.5, label, {
          size: 15,
          weight: 600,
          fill: isInside ? '#fff' : ink.ink,
        })
        return box + fade(since - 0.5, text)
      })
      .join(''),
  )
}

/** Boxes with words, and arrows between them: [at, label, u, v]. The drop is in the last box that has appeared. */
export function boxes(list, arrows = []) {
  const size = { wide: 138, high: 46 }
  return part(0, (time, ink) => {
    const lines = arrows
      .map(([at, from, to]) => {
        const grownTo = grown(time - at, 0.8)
        if (grownTo <= 0) return ''
        const [a, b] = [list[from], list[to]]
        const start = [x(a[2]) + size.wide / 2, y(a[3])]
        const end = [x(b[2]) - size.wide / 2 - 6, y(b[3])]
        const tip = [start[0] + (end[0] - start[0]) * grownTo, start[1] + (end[1] - start[1]) * grownTo]
        return stroke(
          `M${fixed(start[0])} ${fixed(start[1])}L${fixed(tip[0])} ${fixed(tip[1])}`,
          ink.grey,
          'stroke-width="2.5"',
        )
      })
      .join('')
    const drawn = list
      .map(([at, label, u, v, isMarked]) => {
        const since = time - at
        if (since <= 0) return ''
        const [px, py] = [x(u), y(v)]
        const box = `<rect x="${fixed(px - size.wide / 2)}" y="${fixed(py - size.high / 2)}" width="${size.wide}" height="${size.high}" rx="8" fill="#fff" stroke="${ink.accent}" stroke-width="2"/>`
        return fade(
          since,
          box +
            words(px, py + 6, label, { anchor: 'middle', size: 16, weight: 600, fill: ink.ink }) +
            (isMarked ? drop(px, py + size.high / 2, ink) : ''),
        )
      })
      .join('')
    return lines + drawn
  })
}

export function label(at, u, v, text, { anchor = 'start', color = 'ink', size = 17 } = {}) {
  return part(at, (since, ink) => fade(since, words(x(u), y(v), text, { anchor, size, weight: 600, fill: ink[color] })))
}

/** Parts that are only there between two moments, so that a long film can show one picture after another. */
export function during(from, to, parts) {
  return part(0, (time, ink) => {
    if (time < from || time >= to) return ''
    const opacity = Math.min(grown(time - from, 0.4), grown(to - time, 0.4))
    return `<g opacity="${fixed(opacity)}">${parts.map(({ at, draw }) => draw(time - at, ink)).join('')}</g>`
  })
}

/**
 * The wall of a capillary, blood above and brain below. Each way is [at, cell, kind, label]: 'through', 'carrier',
 * 'pump', 'stop' or 'around'. The drop is what arrives.
 */
export function wall(at, ways) {
  const [high, low] = [138, 196]
  const wide = (right - left) / 5
  const middle = (cell) => left + (cell + 0.5) * wide
  return part(0, (time, ink) => {
    const opened = grown(time - at, 1)
    if (opened <= 0) return ''
    const cells = Array.from({ length: 5 }, (_, i) => {
      const px = left + i * wide + 3
      const seal = i < 4 ? stroke(`M${fixed(px + wide - 3)} ${high - 3}V${low + 3}`, ink.ink, 'stroke-width="4"') : ''
      return `<rect x="${fixed(px)}" y="${high}" width="${fixed(wide - 6)}" height="${low - high}" rx="10" fill="${ink.soft}" stroke="${ink.accent}" stroke-width="2"/>${seal}`
    }).join('')
    const sides =
      words(24, 104, 'blood', { size: 15, weight: 600, fill: ink.grey }) +
      words(24, 250, 'brain', { size: 15, weight: 600, fill: ink.grey })
    const drawn = ways.map(([start, cell, kind, label]) => {
      const since = time - start
      if (since <= 0) return ''
      const px = middle(cell)
      const gone = grown(since, 1.6)
      const named = fade(since, words(px, 84, label, { anchor: 'middle', size: 15, weight: 600, fill: ink.ink }))
      if (kind === 'stop') return `${named}${drop(px, 98 + gone * 22, ink)}`
      if (kind === 'pump') {
        const [down, up] = [Math.min(1, gone * 2), Math.max(0, gone * 2 - 1)]
        const path = stroke(`M${fixed(px - 14)} 98V${fixed(98 + down * 78)}`, ink.second, 'stroke-width="3"')
        const back =
          up > 0
            ? stroke(`M${fixed(px - 14)} 176H${fixed(px + 14)}V${fixed(176 - up * 76)}`, ink.second, 'stroke-width="3"')
            : ''
        return named + path + back + drop(px - 14 + (up > 0 ? 28 : 0), up > 0 ? 176 - up * 76 : 98 + down * 78, ink)
      }
      const side = kind === 'around' ? wide / 2 + 16 : 0
      const path = side
        ? `M${fixed(px)} 98V118H${fixed(px + side)}V${fixed(118 + gone * 124)}`
        : `M${fixed(px)} 98V${fixed(98 + gone * 144)}`
      const box =
        kind === 'carrier'
          ? `<rect x="${fixed(px - 13)}" y="${high + 8}" width="26" height="${low - high - 16}" rx="13" fill="${ink.paper}" stroke="${ink.accent}" stroke-width="2"/>`
          : ''
      return (
        named +
        box +
        stroke(path, ink.accent, 'stroke-width="3"') +
        drop(px + side, side ? 118 + gone * 124 : 98 + gone * 144, ink)
      )
    })
    return `<g opacity="${fixed(opened)}">${cells}${sides}</g>${drawn.join('')}`
  })
}

/** One frame: the title at the top, and the parts that have appeared, in their order. */
export function drawFrame(scene, title, time, ink) {
  const drawn = scene.map(({ at, draw }) => draw(time - at, ink)).join('')
  const heading = words(28, 38, title, { size: 20, weight: 600, fill: ink.ink })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${ink.paper}"/>${heading}${drawn}</svg>`
}
