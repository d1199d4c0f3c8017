/** Eight drawings for covers, each made from random numbers and three colors, on 640 x 360. */
export type Ink = { ground: string; line: string; spark: string }
type Motif = (random: () => number, ink: Ink) => string

const short = (value: number) => Number(value.toFixed(1))
const whole = (value: number) => Math.floor(value)
const drop = (x: number, y: number, radius: number, ink: Ink) =>
  `<circle cx="${short(x)}" cy="${short(y)}" r="${radius}" fill="${ink.spark}" stroke="${ink.ground}" stroke-width="4"/>`

/** A family of titration curves. One is highlighted, with its endpoint. */
function curves(random: () => number, ink: Ink): string {
  let drawn = ''
  const count = 6 + whole(random() * 3)
  const chosen = 2 + whole(random() * 3)
  const base = 150 + random() * 120
  for (let i = 0; i < count; i++) {
    const x = base + i * 46 - 60
    const top = 52 + i * 7
    const bottom = 318 - i * 9
    const slope = 46 + random() * 26
    const [opacity, width] = i === chosen ? [1, 4] : [0.32, 1.75]
    drawn += `<path d="M-10 ${bottom} H${short(x - slope * 2)} C${short(x)} ${bottom} ${short(x)} ${top} ${short(x + slope * 2)} ${top} H660" stroke="${ink.line}" stroke-opacity="${opacity}" stroke-width="${width}" fill="none"/>`
    if (i === chosen) drawn += drop(x, (top + bottom) / 2, 10, ink)
  }
  return drawn
}

/** A well plate: a dose gradient and one hit. */
function plate(random: () => number, ink: Ink): string {
  let drawn = ''
  const center = { x: random() * 12, y: random() * 7 }
  const hit = { x: 2 + whole(random() * 8), y: 1 + whole(random() * 4) }
  for (let y = 0; y < 6; y++) {
    for (let x = 0; x < 11; x++) {
      const distance = Math.hypot(x - center.x, (y - center.y) * 1.2) / 9
      const at = `cx="${30 + x * 58}" cy="${35 + y * 58}" r="21"`
      if (x === hit.x && y === hit.y) {
        drawn += `<circle ${at} fill="${ink.spark}"/>`
        continue
      }
      const dose = short(Math.max(0.05, 0.62 - distance * 0.6) * 100) / 100
      drawn += `<circle ${at} fill="${ink.line}" fill-opacity="${dose}"/>`
      drawn += `<circle ${at} fill="none" stroke="${ink.line}" stroke-opacity=".28" stroke-width="1.5"/>`
    }
  }
  return drawn
}

/** Diffusion: rings leaving one point. */
function rings(random: () => number, ink: Ink): string {
  let drawn = ''
  const x = short(120 + random() * 400)
  const y = short(90 + random() * 180)
  for (let i = 1; i < 13; i++) {
    const dash = short(12 + random() * 60 + i * 26)
    const gap = short(8 + random() * 26)
    const offset = short(random() * 200)
    drawn += `<circle cx="${x}" cy="${y}" r="${i * 34}" fill="none" stroke="${ink.line}" stroke-opacity="${short((0.75 - i * 0.045) * 10) / 10}" stroke-width="${short(6.5 - i * 0.42)}" stroke-dasharray="${dash} ${gap}" stroke-dashoffset="${offset}"/>`
  }
  return `${drawn}<circle cx="${x}" cy="${y}" r="13" fill="${ink.spark}"/>`
}

/** A molecule: bonds on a lattice of hexagons. */
function lattice(random: () => number, ink: Ink): string {
  const radius = 46
  let cells = ''
  let bonds = ''
  const corners: [number, number][] = []
  for (let row = -1; row < 6; row++) {
    for (let column = -1; column < 9; column++) {
      const x = column * radius * Math.sqrt(3) + (row % 2 ? (radius * Math.sqrt(3)) / 2 : 0) + 14
      const y = row * radius * 1.5 + 6
      const isOn = random() < 0.26
      const points = Array.from({ length: 6 }, (_, i): [number, number] => [
        short(x + radius * Math.sin((i * Math.PI) / 3)),
        short(y - radius * Math.cos((i * Math.PI) / 3)),
      ])
      const path = (some: [number, number][]) => some.map((point) => point.join(' ')).join('L')
      cells += `<path d="M${path(points)}Z" fill="${ink.line}" fill-opacity="${isOn ? 0.13 : 0}" stroke="${ink.line}" stroke-opacity=".2" stroke-width="1.5"/>`
      if (!isOn) continue
      bonds += `<path d="M${path(points.slice(0, 3 + whole(random() * 4)))}" fill="none" stroke="${ink.line}" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>`
      if (points[0]) corners.push(points[0])
    }
  }
  const inside = corners.filter(([x, y]) => x > 60 && x < 580 && y > 50 && y < 310)
  const [x, y] = inside[whole(random() * inside.length)] ?? [320, 150]
  return cells + bonds + drop(x, y, 11, ink)
}

/** A chromatogram with its highest peak labeled. */
function peaks(random: () => number, ink: Ink): string {
  let drawn = ''
  const count = 4 + whole(random() * 3)
  let highest = { x: 0, y: 999 }
  for (let i = 0; i < count; i++) {
    const x = 50 + (i + 0.5) * (560 / count) + random() * 26 - 13
    const y = 312 - (70 + random() * 190)
    const w = 30 + random() * 34
    if (y < highest.y) highest = { x, y }
    drawn += `<path d="M${short(x - w * 2.4)} 312 C${short(x - w * 0.9)} 312 ${short(x - w * 0.75)} ${short(y)} ${short(x)} ${short(y)} S${short(x + w * 0.9)} 312 ${short(x + w * 2.4)} 312Z" fill="${ink.line}" fill-opacity=".16" stroke="${ink.line}" stroke-width="2.5"/>`
  }
  let scale = ''
  for (let x = 20; x < 640; x += 20) scale += `M${x} 312v${x % 100 === 20 ? 14 : 7}`
  return (
    `${drawn}<path d="M-5 312H645${scale}" stroke="${ink.line}" stroke-opacity=".6" stroke-width="1.75"/>` +
    `<path d="M${short(highest.x)} ${short(highest.y - 12)}V20" stroke="${ink.line}" stroke-opacity=".5" stroke-width="1.5" stroke-dasharray="3 5"/>` +
    drop(highest.x, highest.y, 10, ink)
  )
}

/** A gel: lanes and bands. */
function bands(random: () => number, ink: Ink): string {
  let drawn = ''
  const hit = { lane: 2 + whole(random() * 5), band: 1 + whole(random() * 2) }
  for (let lane = 0; lane < 9; lane++) {
    const x = 26 + lane * 67
    drawn += `<path d="M${x} -5V365H${x + 52}V-5Z" fill="${ink.line}" fill-opacity=".06"/>`
    let y = 30 + random() * 40
    for (let band = 0; band < 5 && y < 325; band++) {
      const height = 6 + random() * 14
      const isHit = lane === hit.lane && band === hit.band
      const fill = isHit
        ? `fill="${ink.spark}"`
        : `fill="${ink.line}" fill-opacity="${short((0.2 + random() * 0.7) * 10) / 10}"`
      drawn += `<rect x="${x + 3}" y="${short(y)}" width="46" height="${short(height)}" rx="${short(height / 2)}" ${fill}/>`
      y += height + 18 + random() * 64
    }
  }
  return drawn
}

/** Overlapping cells; the one nearest to the middle is marked. */
function cells(random: () => number, ink: Ink): string {
  const found: { x: number; y: number; r: number }[] = []
  for (let i = 0; i < 60 && found.length < 11; i++) {
    const cell = { x: random() * 640, y: random() * 360, r: 46 + random() * 62 }
    const isFree = found.every((other) => Math.hypot(cell.x - other.x, cell.y - other.y) > (cell.r + other.r) * 0.74)
    if (isFree) found.push(cell)
  }
  const fromMiddle = (cell: { x: number; y: number }) => Math.hypot(cell.x - 320, cell.y - 180)
  const marked = found.reduce((best, cell) => (fromMiddle(cell) < fromMiddle(best) ? cell : best))
  return found
    .map((cell) => {
      const nucleus = cell === marked ? `fill="${ink.spark}"` : `fill="${ink.line}" fill-opacity=".5"`
      return (
        `<circle cx="${short(cell.x)}" cy="${short(cell.y)}" r="${short(cell.r)}" fill="${ink.line}" fill-opacity=".13" stroke="${ink.line}" stroke-opacity=".7" stroke-width="2"/>` +
        `<circle cx="${short(cell.x + cell.r * 0.2)}" cy="${short(cell.y - cell.r * 0.1)}" r="${short(cell.r * 0.26)}" ${nucleus}/>`
      )
    })
    .join('')
}

/** A helix: two strands and the rungs between them. */
function helix(random: () => number, ink: Ink): string {
  let one = ''
  let other = ''
  let rungs = ''
  let mark = ''
  const phase = random() * 6
  const hit = 8 + whole(random() * 10)
  const length = 250 + random() * 90
  const tilt = random() < 0.5 ? -1 : 1
  for (let i = 0; i <= 80; i++) {
    const x = -20 + i * 8.5
    const swing = Math.sin((x / length) * 2 * Math.PI + phase) * 92
    const middle = 180 + tilt * (x - 320) * 0.16
    const command = i === 0 ? 'M' : 'L'
    one += `${command}${short(x)} ${short(middle + swing)}`
    other += `${command}${short(x)} ${short(middle - swing)}`
    if (i % 3 !== 0 || Math.abs(swing) <= 16) continue
    rungs += `<path d="M${short(x)} ${short(middle + swing * 0.86)}V${short(middle - swing * 0.86)}" stroke="${ink.line}" stroke-opacity=".4" stroke-width="3"/>`
    if (i / 3 >= hit && !mark) mark = drop(x, middle - swing, 11, ink)
  }
  return (
    `${rungs}<path d="${one}" fill="none" stroke="${ink.line}" stroke-width="5" stroke-linejoin="round"/>` +
    `<path d="${other}" fill="none" stroke="${ink.line}" stroke-opacity=".6" stroke-width="5" stroke-linejoin="round"/>${mark}`
  )
}

/** In the order of `motifs`. */
export const motifNames = ['curves', 'plate', 'rings', 'lattice', 'peaks', 'bands', 'cells', 'helix']
export const motifs: [Motif, ...Motif[]] = [curves, plate, rings, lattice, peaks, bands, cells, helix]
