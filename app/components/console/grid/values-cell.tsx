import { Popover } from '../popover.tsx'

type Props = {
  values: string[]
  /** Names the values for screen readers: "all tags of Formulation". */
  allLabel: string
  /** The class of each value. */
  className?: string
}

/** The first of a cell's values. If there are more, or it is too long for the cell, a press shows all of them whole. */
export function ValuesCell({ values, allLabel, className }: Props) {
  const [first, ...more] = values
  if (first === undefined) return <>–</>
  const face = <span className={className}>{first}</span>
  if (more.length === 0 && !isLong(first)) return <span className="values">{face}</span>
  return (
    <Popover
      isLazy
      className="values values--more"
      panelClassName="popover--values"
      face={
        <>
          {face}
          {more.length > 0 && <span className="values-count">+{more.length}</span>}
          <span className="sr-only">, {allLabel}</span>
        </>
      }
    >
      <ul>
        {values.map((value) => (
          <li key={value} className={className}>
            {value}
          </li>
        ))}
      </ul>
    </Popover>
  )
}

/**
 * Guesses from the text, because the server renders the cell and does not know its width. A line of the narrowest such
 * column (about 80 px) holds 12 characters, so a word of 13 is cut. Three lines hold about 30, since they end between
 * words.
 */
function isLong(text: string): boolean {
  return text.length > 30 || /\S{13}/.test(text)
}
