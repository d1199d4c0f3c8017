import { Link } from '@remix-run/react'

const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

type Props = {
  letters: { letter: string; total: number }[]
  /** A letter, `all`, or null during a search. */
  current: string | null
  /** Returns the address of the terms with a letter, or of all terms. */
  to: (letter: string | null) => string
}

/** Links to the letters that have terms. */
export function Letters({ letters, current, to }: Props) {
  const present = new Set(letters.map(({ letter }) => letter))
  const shown = present.has('#') ? ['#', ...alphabet] : alphabet
  return (
    <nav aria-label="Letters">
      <ul className="letters">
        <li>
          <Link to={to(null)} aria-current={current === 'all' ? 'page' : undefined}>
            All
          </Link>
        </li>
        {shown.map((letter) => (
          <li key={letter}>
            {present.has(letter) ? (
              <Link
                to={to(letter)}
                aria-current={current === letter ? 'page' : undefined}
                aria-label={letter === '#' ? 'Other characters' : undefined}
              >
                {letter}
              </Link>
            ) : (
              <span aria-hidden="true">{letter}</span>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Puts terms that follow each other and have the same letter into groups. */
export function groupsOfLetters<Term extends { letter: string }>(terms: Term[]): { letter: string; terms: Term[] }[] {
  const groups: { letter: string; terms: Term[] }[] = []
  for (const term of terms) {
    const last = groups.at(-1)
    if (last?.letter === term.letter) last.terms.push(term)
    else groups.push({ letter: term.letter, terms: [term] })
  }
  return groups
}
