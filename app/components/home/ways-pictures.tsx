import type { ReactNode } from 'react'

/** A path with stations, some of them reached, and a drop at the end. */
export function CoursesPicture() {
  return (
    <Picture>
      <path d="M40 150C120 150 110 70 190 70S270 120 330 60" stroke="var(--accent)" strokeWidth="3" />
      <path d="M330 60 360 34" stroke="var(--accent)" strokeWidth="3" strokeDasharray="2 8" />
      <g fill="var(--accent)">
        <circle cx="40" cy="150" r="13" />
        <circle cx="118" cy="112" r="13" />
      </g>
      <g fill="var(--surface)" stroke="var(--accent)" strokeWidth="3">
        <circle cx="190" cy="70" r="13" />
        <circle cx="268" cy="92" r="13" />
      </g>
      <circle cx="366" cy="30" r="9" fill="var(--indicator)" />
      <path d="m34.5 150.5 4 4 7-8M112.5 112.5l4 4 7-8" stroke="var(--surface)" strokeWidth="2.5" />
      <path
        d="M20 186h360M20 186v-9M80 186v-5M140 186v-5M200 186v-9M260 186v-5M320 186v-5M380 186v-9"
        stroke="var(--accent)"
        strokeOpacity=".35"
        strokeWidth="1.5"
      />
    </Picture>
  )
}

/** A stack of plates. The top one has one marked well. */
export function ModulesPicture() {
  const wells = [0.9, 0.7, 0.5, 0.35, 0.2, 0.7, 0.5, 0, 0.3, 0.2, 0.5, 0.35, 0.25, 0.2, 0.15]
  return (
    <Picture>
      <g stroke="var(--accent)" strokeWidth="2.5">
        <rect x="120" y="58" width="160" height="116" rx="8" fill="var(--surface)" />
        <path
          d="M134 58V48a6 6 0 0 1 6-6h146a8 8 0 0 1 8 8v102a6 6 0 0 1-6 6h-8M150 42V34a6 6 0 0 1 6-6h144a8 8 0 0 1 8 8v100a6 6 0 0 1-6 6h-8"
          strokeOpacity=".45"
        />
      </g>
      <g fill="var(--accent)">
        {wells.map((level, i) => {
          const [x, y] = [148 + (i % 5) * 26, 78 + Math.floor(i / 5) * 22]
          return level > 0 && <circle key={`${x} ${y}`} cx={x} cy={y} r="8" fillOpacity={level} />
        })}
      </g>
      <circle cx="200" cy="100" r="9" fill="var(--indicator)" />
      <path d="M140 152h88M240 152h20" stroke="var(--accent)" strokeOpacity=".5" strokeWidth="4" />
    </Picture>
  )
}

/** A film of a curve, ready to play. */
export function VideosPicture() {
  return (
    <Picture>
      <rect
        x="84"
        y="34"
        width="232"
        height="130"
        rx="8"
        fill="var(--surface)"
        stroke="var(--accent)"
        strokeWidth="2.5"
      />
      <path
        d="M84 128h40c24 0 22-64 46-64s26 44 50 44 22-26 42-26 20 22 34 22h20"
        stroke="var(--accent)"
        strokeOpacity=".4"
        strokeWidth="2.5"
      />
      <circle cx="200" cy="96" r="26" fill="var(--indicator)" />
      <path d="M192 83v26l21-13z" fill="var(--surface)" />
      <path d="M84 182h232" stroke="var(--accent)" strokeOpacity=".3" strokeWidth="4" />
      <path d="M84 182h92" stroke="var(--accent)" strokeWidth="4" />
    </Picture>
  )
}

function Picture({ children }: { children: ReactNode }) {
  return (
    <svg
      className="pic"
      viewBox="0 0 400 210"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  )
}
