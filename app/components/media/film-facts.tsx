import { formatDuration } from '~/lib/duration.ts'
import type { FilmView } from './view.ts'

/** The length and the presenter of a film, each only if it is known. */
export function FilmFacts({ film, duration }: { film: Pick<FilmView, 'presenter'>; duration: number | null }) {
  if (duration === null && !film.presenter) return null
  return (
    <dl className="filmfacts">
      {duration !== null && (
        <div>
          <dt className="sr-only">Length</dt>
          <dd className="num muted">Duration: {formatDuration(duration)}</dd>
        </div>
      )}
      {film.presenter && (
        <div>
          <dt>PRESENTER</dt>
          <dd>{film.presenter}</dd>
        </div>
      )}
    </dl>
  )
}
