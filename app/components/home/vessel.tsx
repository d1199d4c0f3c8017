import type { PhaseKey } from '~/config/home.ts'

/** The horizontal range of each phase: ten equal columns for the steps, and space for the neck. */
const stations: [PhaseKey, number, number][] = [
  ['discover', 0, 336],
  ['develop', 336, 672],
  ['deliver', 672, 1200],
]
const outline =
  'M6 6.5V15.5Q555 61 1104 61C1136 61 1134 89 1158 90V100C1134 101 1136 129 1104 129Q555 129 6 174.5V183.5Z'
const [mouth, neck] = [6, 1104]

/** Returns half the vessel's height at x. */
function reach(x: number): number {
  const rest = 1 - Math.min(1, Math.max(0, (x - mouth) / (neck - mouth)))
  return 34 + 45.5 * rest * rest
}

/**
 * Places the candidates, fewer toward the right: more than half are in the first quarter. A seed gives the same
 * ones each time.
 */
function molecules(count: number, seed: number): [number, number][] {
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
  return Array.from({ length: count }, () => {
    const x = 16 + 1100 * (1 - (1 - random()) ** 0.28) * 1.06
    return [x, 95 + (random() * 2 - 1) * (reach(x) - 8)]
  })
}
const large = molecules(150, 11)
const small = molecules(170, 5)

const dots = (all: [number, number][], from: number, to: number) =>
  all
    .filter(([x]) => x >= from + 3 && x < to - 3 && x < 1128)
    .map(([x, y]) => `M${x.toFixed(0)} ${y.toFixed(0)}h.01`)
    .join('')

const scale = Array.from({ length: 74 }, (_, i) => {
  const x = 56 + i * 14
  return `M${x} ${(95 + reach(x)).toFixed(1)}v${i % 8 === 4 ? -12 : -5}`
}).join('')

/**
 * A burette on its side: wide and crowded at the left, narrow at the right, with one drop. It stretches, but strokes
 * and dots keep their size.
 */
export function Vessel({ current }: { current: PhaseKey }) {
  return (
    <>
      <svg className="vessel" viewBox="0 0 1200 190" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {stations.map(([key, from, to]) => (
          <g key={key} data-phase={key} className={key === current ? 'is-on' : undefined}>
            <clipPath id={`vessel-${key}`}>
              <path d={`M${from} -10H${to}V200H${from}Z`} />
            </clipPath>
            <path className="liquid" d={outline} clipPath={`url(#vessel-${key})`} />
            <path className="mol" d={dots(large, from, to)} />
            <path className="mol mol--s" d={dots(small, from, to)} />
          </g>
        ))}
        <path className="scale" d={scale} />
        <path className="stop" d="M336 49V141M672 56V134" />
        <path className="glass" d={outline} />
      </svg>
      <svg className="enddrop" viewBox="0 0 30 22" aria-hidden="true" focusable="false">
        <path d="M1 11C7.5 7 13 1.5 19.5 1.5a9.5 9.5 0 0 1 0 19C13 20.5 7.5 15 1 11z" />
      </svg>
    </>
  )
}
