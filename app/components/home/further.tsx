import { Link } from '@remix-run/react'
import { Picture } from './picture.tsx'

/** Leads to the lectures. The page shows it only if they are switched on. */
export function Further() {
  return (
    <section className="band band--sunken" aria-labelledby="further-title">
      <div className="wrap further">
        <div className="stack">
          <h2 id="further-title">Further Expand Your Knowledge</h2>
          <p className="lead">
            Silent, captioned animations with a transcript. Guiding questions say what to look for.
          </p>
          <p>
            <Link className="btn btn--primary" to="/lectures/">
              Go to Lectures
            </Link>
          </p>
        </div>
        <Picture name="lecture" width={520} height={300} />
      </div>
    </section>
  )
}
