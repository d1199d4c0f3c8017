import { Link } from '@remix-run/react'

/** The addresses of the first page and of the next one; null if there is none. */
type Props = { newest: string | null; next: string | null }

/** Links to the other pages of a list that is read from a cursor on, newest first. */
export function CursorLinks({ newest, next }: Props) {
  if (!newest && !next) return null
  return (
    <p className="flex gap-3 mt-4">
      {newest && (
        <Link className="btn btn--secondary" to={newest}>
          Newest
        </Link>
      )}
      {next && (
        <Link className="btn btn--secondary" to={next}>
          Earlier
        </Link>
      )}
    </p>
  )
}
