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

/** The titration curve on deep ground, among its neighbours, with the one drop at its endpoint. */
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
  [20, 640],
  [90, 640],
  [160, 640],
  [230, 640],
  [290, 638],
  [335, 616],
  [487, 460],
  [513, 640],
  [545, 716],
  [600, 690],
  [665, 652],
  [735, 640],
] as const

/** The impulse of a nerve cell among its neighbours: at rest, over the threshold, and back; the drop at its peak. */
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
      <path d="M-1200 560H2200" stroke="var(--deep-line)" strokeWidth="1.5" strokeDasharray="2 10" />
      <path d={impulse(0)} stroke="var(--on-deep)" strokeWidth="3" strokeLinejoin="round" />
      {samples.map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r="5" fill="var(--deep)" stroke="var(--on-deep)" strokeWidth="2.5" />
      ))}
      <circle cx="446" cy="340" r="15" fill="var(--indicator)" stroke="var(--on-deep)" strokeWidth="3" />
      <path d={graduation(-190, 990, 20, 858)} stroke="var(--deep-line)" strokeWidth="1.5" />
    </svg>
  )
}

function impulse(x: number): string {
  return `M-1200 640H${x + 260}C${x + 330} 640 ${x + 350} 600 ${x + 372} 560C${x + 400} 505 ${x + 420} 340 ${x + 446} 340S${x + 492} 520 ${x + 513} 640C${x + 525} 705 ${x + 535} 716 ${x + 550} 716C${x + 600} 716 ${x + 620} 640 ${x + 740} 640H2200`
}

function curve(x: number): string {
  return `M-1200 780H${x}C${x + 70} 780 ${x + 90} 730 ${x + 110} 610S${x + 150} 440 ${x + 230} 440H2200`
}
