import { Link } from '@remix-run/react'
import type { CSSProperties, ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'

/** A column that rows can be put in order by: where its head leads, and how they are in order by it now. */
export type ColumnSort = { to: string; direction?: 'ascending' | 'descending' }

type Props = {
  label: string
  heads: string[]
  /** For each column, where rows can be put in order by columns. */
  sorts?: ColumnSort[]
  /** The columns with numbers, which stand at the end of their cells. */
  numbers?: boolean[]
  /** `anchor` is the id of the row in the page, for links to it. */
  rows: { id: string; anchor?: string; isCurrent?: boolean; cells: ReactNode[]; actions?: ReactNode }[]
  /** Adds a last column for the actions of each row. */
  hasActions?: boolean
}

/** A short table whose first cell names the row. On phones each row is a block of labels and values. */
export function RecordTable({ label, heads, sorts, numbers, rows, hasActions = false }: Props) {
  const classOf = (index: number) => (index === 0 ? 'lead-cell' : numbers?.[index] ? 'n' : undefined)
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
              {heads.map((head, index) => (
                <th
                  key={head}
                  scope="col"
                  aria-sort={sorts?.[index]?.direction}
                  className={numbers?.[index] ? 'n' : undefined}
                >
                  <Head head={head} sort={sorts?.[index]} />
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
            {rows.map(({ id, anchor, isCurrent, cells, actions }) => (
              <tr key={id} id={anchor} className={isCurrent ? 'is-current' : undefined}>
                {cells.map((cell, index) => (
                  <td key={heads[index]} data-label={heads[index]} className={classOf(index)}>
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

function Head({ head, sort }: { head: string; sort?: ColumnSort }) {
  if (!sort) return head
  return (
    <Link to={sort.to} preventScrollReset>
      {head}
      {sort.direction && (
        <Icon name="chevron" className={sort.direction === 'descending' ? 'i--sort' : 'i--sort i--up'} />
      )}
    </Link>
  )
}

/** Keeps "PM" on the line of its time. */
export function withWholeTimes(text: string): string {
  return text.replace(/ (?=[AP]M\b)/g, '\u00a0')
}
