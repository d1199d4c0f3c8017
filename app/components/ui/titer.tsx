import type { CSSProperties } from 'react'

/** Shows progress as a graduated line with a drop at its level. Always put the number beside it. */
export function Titer({ percent, label }: { percent: number; label: string }) {
  return (
    <span
      className={percent >= 100 ? 'titer titer--done' : 'titer'}
      style={{ '--p': percent } as CSSProperties}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i />
    </span>
  )
}

/** Shows progress as a circle. It has graduations if it is large, as on My Learning, but not in the bar. */
export function Dial({ percent, size, label }: { percent: number; size: number; label: string }) {
  const width = size < 40 ? 4 : 11
  const center = size / 2
  const radius = center - width / 2
  const round = 2 * Math.PI * radius
  const angle = (percent / 100) * 2 * Math.PI
  const isLarge = size >= 40
  return (
    <span
      className="dial"
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <svg width={size} height={size} viewBox={`0 0 ${size} ${size}`} fill="none" aria-hidden="true">
        <circle className="track" cx={center} cy={center} r={radius} strokeWidth={width} />
        <circle
          className="level"
          cx={center}
          cy={center}
          r={radius}
          strokeWidth={width}
          strokeDasharray={`${((percent / 100) * round).toFixed(1)} ${round.toFixed(1)}`}
        />
        {isLarge && (
          <circle
            className="graduation"
            cx={center}
            cy={center}
            r={radius - 14}
            strokeWidth="5"
            strokeDasharray={`1 ${(((radius - 14) * 2 * Math.PI) / 40 - 1).toFixed(3)}`}
          />
        )}
        {percent > 0 && (
          <circle
            className="drop"
            cx={(center + radius * Math.cos(angle)).toFixed(1)}
            cy={(center + radius * Math.sin(angle)).toFixed(1)}
            r={isLarge ? 8.5 : 3.4}
          />
        )}
      </svg>
    </span>
  )
}
