import { graduation } from './broken-curve.tsx'

const shifts = [-180, -120, -60, 60, 120, 180, 240]
const points = [
  [20, 780],
  [80, 780],
  [140, 780],
  [195, 780],
  [245, 780],
  [290, 780],
  [330, 780],
  [362, 775],
  [392, 756],
  [411, 720],
  [468, 490],
  [485, 464],
  [510, 446],
  [545, 440],
  [590, 440],
  [645, 440],
  [710, 440],
  [780, 440],
] as const

/** The titration curve on a dark background, among fainter copies, with a drop at its endpoint. */
export function CurveArt() {
  return (
    <svg
      className="art"
      viewBox="0 0 800 900"
      preserveAspectRatio="xMidYMax slice"
      fill="none"
      aria-hidden="true"
      focusable="false"
    >
      {shifts.map((shift) => (
        <path key={shift} d={curve(330 + shift)} stroke="var(--deep-line)" strokeWidth="1.5" />
      ))}
      <path d={curve(330)} stroke="var(--on-deep)" strokeWidth="3" />
      {points.map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r="5" fill="var(--deep)" stroke="var(--on-deep)" strokeWidth="2.5" />
      ))}
      <circle cx="440" cy="610" r="15" fill="var(--indicator)" stroke="var(--on-deep)" strokeWidth="3" />
      <path d={graduation(-190, 990, 20, 858)} stroke="var(--deep-line)" strokeWidth="1.5" />
    </svg>
  )
}

const beats = [-120, -60, 60, 120]
const samples = [
  [20, 680],
  [90, 680],
  [160, 680],
  [225, 680],
  [280, 679],
  [326, 666],
  [358, 630],
  [513, 680],
  [550, 756],
  [597, 738],
  [650, 698],
  [720, 681],
  [780, 680],
] as const

/**
 * The impulse of a nerve cell, among fainter copies: at rest, over the threshold, and back. The drop is at its peak.
 */
export function ImpulseArt() {
  return (
    <svg
      className="art"
      viewBox="0 0 800 900"
      preserveAspectRatio="xMidYMax slice"
      fill="none"
      aria-hidden="true"
      focusable="false"
    >
      {beats.map((shift) => (
        <path key={shift} d={impulse(shift)} stroke="var(--deep-line)" strokeWidth="1.5" />
      ))}
      <path d="M-1200 600H2200" stroke="var(--deep-line)" strokeWidth="1.5" strokeDasharray="2 10" />
      <path d={impulse(0)} stroke="var(--on-deep)" strokeWidth="3" strokeLinejoin="round" />
      {samples.map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r="5" fill="var(--deep)" stroke="var(--on-deep)" strokeWidth="2.5" />
      ))}
      <circle cx="446" cy="430" r="15" fill="var(--indicator)" stroke="var(--on-deep)" strokeWidth="3" />
      <path d={graduation(-190, 990, 20, 858)} stroke="var(--deep-line)" strokeWidth="1.5" />
    </svg>
  )
}

function impulse(x: number): string {
  return `M-1200 680H${x + 260}C${x + 330} 680 ${x + 350} 650 ${x + 372} 600C${x + 400} 530 ${x + 420} 430 ${x + 446} 430S${x + 492} 560 ${x + 513} 680C${x + 525} 745 ${x + 535} 756 ${x + 550} 756C${x + 600} 756 ${x + 620} 680 ${x + 740} 680H2200`
}

function curve(x: number): string {
  return `M-1200 780H${x}C${x + 70} 780 ${x + 90} 730 ${x + 110} 610S${x + 150} 440 ${x + 230} 440H2200`
}
