import type { CSSProperties, ReactNode } from 'react'

type Props = {
  label: string
  heads: string[]
  rows: { id: string; isCurrent?: boolean; cells: ReactNode[]; actions?: ReactNode }[]
  /** Adds a last column for the actions of each row. */
  hasActions?: boolean
}

/** A short table whose first cell names the row. On phones each row is a block of labels and values. */
export function RecordTable({ label, heads, rows, hasActions = false }: Props) {
  return (
    <div className="tablebox">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach everything that scrolls */}
      <section className="scroller" tabIndex={0} aria-label={`${label}, table`}>
        <table
          className="datagrid datagrid--records"
          style={{ '--least': `${heads.length * 112 + (hasActions ? 104 : 0)}px` } as CSSProperties}
        >
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
              {hasActions && (
                <th scope="col" className="acts n">
                  Actions
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, isCurrent, cells, actions }) => (
              <tr key={id} className={isCurrent ? 'is-current' : undefined}>
                {cells.map((cell, index) => (
                  <td key={heads[index]} data-label={heads[index]} className={index === 0 ? 'lead-cell' : undefined}>
                    <div className="cell num">{typeof cell === 'string' ? withWholeTimes(cell) : cell}</div>
                  </td>
                ))}
                {hasActions && (
                  <td className="acts">
                    <div className="rowacts">{actions}</div>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

/** Keeps "PM" on the line of its time. */
function withWholeTimes(text: string): string {
  return text.replace(/ (?=[AP]M\b)/g, '\u00a0')
}
