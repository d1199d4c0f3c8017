import { graduation } from '../layout/broken-curve.tsx'

const shifts = [-150, -100, -50, 50, 100, 150]
const points = [
  [-640, 450],
  [-520, 450],
  [-400, 450],
  [-300, 450],
  [-210, 450],
  [-130, 450],
  [-60, 450],
  [0, 450],
  [50, 450],
  [95, 450],
  [154, 446],
  [180, 432],
  [205, 398],
  [222, 341],
  [258, 79],
  [275, 22],
  [300, -12],
  [326, -26],
  [356, -30],
  [395, -30],
  [450, -30],
  [520, -30],
  [600, -30],
] as const

/**
 * The curve beside the greeting, across the page. The play button lies over its middle, as the drop of the titration.
 */
export function HeroCurve() {
  return (
    <svg className="curve" viewBox="0 0 480 420" fill="none" aria-hidden="true" focusable="false">
      {shifts.map((shift) => (
        <path
          key={shift}
          d={curve(120 + shift)}
          stroke="var(--deep-line)"
          strokeWidth="1.5"
          strokeOpacity={1 - Math.abs(shift) / 230}
        />
      ))}
      <path d={curve(120)} stroke="var(--on-deep)" strokeWidth="3" />
      {points.map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r="5" fill="var(--deep)" stroke="var(--on-deep)" strokeWidth="2.5" />
      ))}
      <path d={graduation(-1600, 1960, 40, 506, 8)} stroke="var(--deep-line)" strokeWidth="1.5" />
    </svg>
  )
}

function curve(x: number): string {
  return `M-2400 450H${x}C${x + 85} 450 ${x + 102} 390 ${x + 120} 210S${x + 155} -30 ${x + 240} -30H2600`
}
