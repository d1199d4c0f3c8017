import type { ReactNode } from 'react'

const person = (x: number, y: number, size: number, isFilled: boolean) => (
  <g key={x} transform={`translate(${x} ${y}) scale(${size})`}>
    <circle cy="-5.2" r="4.2" fill={isFilled ? 'currentColor' : undefined} fillOpacity=".3" />
    <path d="M-8.5 11.8C-7.9 5.2-4.9 2.2 0 2.2s7.9 3 8.5 9.6" />
  </g>
)

/** One drawing per step, in order, each 48 by 48 units. */
const shapes: ReactNode[] = [
  <>
    <path d="M15 10.5H11v30h26v-30h-4" />
    <path d="M17.5 7.5h13v6h-13z" className="f" />
    <path d="M15.5 28h4.5l3-7 4.5 12 2.5-5h3" />
  </>,
  <>
    <circle cx="24" cy="24" r="14" />
    <path d="M24 5v8M24 35v8M5 24h8M35 24h8" />
    <path d="m24 18 5.2 3v6L24 30l-5.2-3v-6z" className="f" />
  </>,
  <>
    <rect x="7" y="11" width="34" height="26" rx="3" />
    {[15, 24, 33].flatMap((x) => [19, 29].map((y) => <circle key={`${x}${y}`} cx={x} cy={y} r="2.5" />))}
    <circle cx="24" cy="29" r="2.5" className="f" />
  </>,
  <>
    <path d="m22 12 9.5 5.5v11L22 34l-9.5-5.5v-11z" />
    <path d="M16.5 20v6M22 29.5l5.2-3M31.5 17.5l5-3M22 34v6M12.5 17.5 8 15" />
    <circle cx="39" cy="13" r="3" className="f" />
  </>,
  <>
    <path d="M39.5 29.5c0-3-3.5-7-8-8.5-2-5-8.5-7-14.5-4.5C10.5 19 7 25 7 33.5h29c2.5 0 3.5-1.8 3.5-4z" />
    <circle cx="29" cy="17.5" r="4.5" className="f" />
    <path d="M34.5 27.5v.2M7 33.5c-2 0-3.5-1.5-3.5-3.5M17 33.5v4M29 33.5v4" />
  </>,
  <>
    <path d="M19 7.5h10M21 7.5v11L10.5 37a3 3 0 0 0 2.6 4.5h21.8a3 3 0 0 0 2.6-4.5L27 18.5v-11" />
    <path d="M15 30.5c3-1.5 6 1.5 9 0s6-1.5 9 0" />
    <circle cx="24" cy="36" r="1.8" className="f" />
  </>,
  <>
    <circle cx="10.5" cy="24" r="4" className="f" />
    <path d="M14.5 24H20c4 0 3.5-11 8-11h3.5M20 24c4 0 3.5 11 8 11h3.5" />
    <rect x="31.5" y="8.5" width="9" height="9" rx="2" />
    <rect x="31.5" y="30.5" width="9" height="9" rx="2" />
  </>,
  person(24, 22, 1.25, true),
  [person(16, 21.7, 1, false), person(32, 21.7, 1, true)],
  [person(11, 21.6, 0.78, false), person(37, 21.6, 0.78, false), person(24, 20, 1.05, true)],
]

export function StepIcon({ step }: { step: number }) {
  return (
    <svg
      viewBox="0 0 48 48"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[step]}
    </svg>
  )
}
