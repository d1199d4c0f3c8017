import type { CSSProperties, ReactNode } from 'react'

type Props = {
  label: string
  heads: string[]
  rows: { id: string; isCurrent?: boolean; cells: ReactNode[] }[]
}

/** A short table that is only read: the first cell names the row. On phones each row is a block of labels and values. */
export function RecordTable({ label, heads, rows }: Props) {
  return (
    <div className="tablebox">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroller" tabIndex={0} aria-label={`${label}, table`}>
        <table className="datagrid" style={{ '--least': `${heads.length * 112}px` } as CSSProperties}>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, isCurrent, cells }) => (
              <tr key={id} className={isCurrent ? 'is-current' : undefined}>
                {cells.map((cell, index) => (
                  <td key={heads[index]} data-label={heads[index]} className={index === 0 ? 'lead-cell' : undefined}>
                    <div className="cell num">{cell}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}
