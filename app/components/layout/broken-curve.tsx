const measured = [30, 90, 150, 205, 255, 300, 340]

/** A curve whose end was never measured: the drawing of error pages. */
export function BrokenCurve() {
  return (
    <svg className="pic" viewBox="0 0 700 190" fill="none" strokeLinecap="round" aria-hidden="true" focusable="false">
      <path d="M2 150H330C400 150 418 146 434 120" stroke="var(--accent)" strokeWidth="4" />
      <path
        d="M440 106C456 60 480 40 540 40H698"
        stroke="var(--line-strong)"
        strokeWidth="2.5"
        strokeDasharray="2 10"
      />
      {measured.map((x) => (
        <circle key={x} cx={x} cy="150" r="6" fill="var(--paper)" stroke="var(--accent)" strokeWidth="2.5" />
      ))}
      <circle cx="376" cy="147" r="6" fill="var(--paper)" stroke="var(--accent)" strokeWidth="2.5" />
      <circle
        cx="452"
        cy="82"
        r="13"
        fill="var(--paper)"
        stroke="var(--indicator)"
        strokeWidth="3"
        strokeDasharray="4 6"
      />
      <path d={graduation(2, 700, 20, 186)} stroke="var(--line-strong)" strokeWidth="1.5" />
    </svg>
  )
}

/** Returns the path of marks along a line. Every fifth mark is twice as long. */
export function graduation(from: number, to: number, step: number, y: number, length = 7): string {
  let path = ''
  for (let x = from, mark = 0; x <= to; x += step, mark++)
    path += `M${x} ${y}v${mark % 5 === 0 ? -2 * length : -length}`
  return path
}
