import { Link } from '@remix-run/react'
import { graduation } from '../layout/broken-curve.tsx'

/** Leads to the lectures. The page shows it only if they are switched on. */
export function Further() {
  return (
    <section className="band band--sunken" aria-labelledby="further-title">
      <div className="wrap further">
        <div className="stack">
          <h2 id="further-title">Further Expand Your Knowledge</h2>
          <p className="lead">
            Full lectures by the people who design trials, review files and run the studies. Each comes with guiding
            questions, so you know what to listen for.
          </p>
          <p>
            <Link className="btn btn--primary" to="/lectures/">
              Go to Lectures
            </Link>
          </p>
        </div>
        <LecturePicture />
      </div>
    </section>
  )
}

/** A person at a board explains a curve with one marked point. */
function LecturePicture() {
  return (
    <svg
      className="pic"
      viewBox="0 0 520 300"
      fill="none"
      strokeWidth="2.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="520" height="300" fill="var(--deep)" />
      <path d={graduation(10, 510, 20, 300, 8)} stroke="var(--deep-line)" strokeWidth="1.5" />
      <path d="M82 164h30c26 0 22-58 44-58M120 164h40c26 0 24-52 46-52" stroke="var(--deep-line)" strokeWidth="2" />
      <g stroke="var(--on-deep)">
        <rect x="62" y="56" width="196" height="130" rx="6" />
        <path d="M82 164h52c30 0 26-82 56-82h48M102 226 124 186M218 226l-22-40" />
        <circle cx="300" cy="150" r="19" />
        <path d="M262 226c2-30 17-44 38-44s36 14 38 44M338 226h110M276 190 176 124" />
      </g>
      <circle cx="163" cy="122" r="7" fill="var(--indicator)" />
      <g stroke="var(--on-deep-muted)">
        {[372, 412, 452].map((x) => (
          <g key={x}>
            <circle cx={x} cy="196" r="9" />
            <path d={`M${x - 17} 226c1-11 7-16 17-16s16 5 17 16`} />
          </g>
        ))}
      </g>
    </svg>
  )
}
