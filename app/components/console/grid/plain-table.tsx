import { Link } from '@remix-run/react'
import { type CSSProperties, useId, useState } from 'react'
import type { TableQuery } from '~/lib/table-query.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { RowBox } from './grid-selection.tsx'
import type { Column, TableProps } from './types.ts'

/**
 * One page of rows as an HTML table. The server sends it, and phones keep it and show each row as labels and values.
 * There, More in a row's last cell shows its minor columns (console-grid-phone.css). Without JavaScript they are always
 * shown, so the server sends no button.
 */
export function PlainTable<Row>(props: TableProps<Row>) {
  const { table, label, rows, columns, query, rowId, rowName, actions, actionCount = 0, selection } = props
  const minor = columns.filter((column) => isMinorIn(query, column))
  const tableId = useId()
  const hasMore = useHydrated() && minor.length > 0
  const idOf = (row: Row, column: Column<Row>) => `${tableId}${rowId(row)}-${column.id}`
  const least = columns.reduce((sum, { width }) => sum + width, (selection ? boxWidth : 0) + (actions ? 48 : 0))
  const style = { '--least': `${least}px`, '--actions': actionCount } as CSSProperties
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach everything that scrolls
    <section className="scroller" tabIndex={0} aria-label={label}>
      <table className="datagrid" style={style}>
        <colgroup>
          {selection && <col style={{ width: boxWidth }} />}
          {columns.map((column) => (
            <col key={column.id} style={{ width: colWidth(column, least) }} />
          ))}
          {actions && <col className="actscol" />}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="sel">
                <span className="sr-only">Selected</span>
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} {...props} />
            ))}
            {actions && (
              <th scope="col" className="acts">
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowId(row)}>
              {selection && (
                <td className="sel">
                  <RowBox table={table} id={rowId(row)} name={rowName(row)} row={row} selection={selection} />
                </td>
              )}
              {columns.map((column) => (
                <td
                  key={column.id}
                  id={hasMore && minor.includes(column) ? idOf(row, column) : undefined}
                  data-label={column.header}
                  className={classOf(column, query)}
                >
                  <div className="cell">{contentOf(column, row)}</div>
                </td>
              ))}
              {hasMore && (
                <td className="more">
                  <MoreButton name={rowName(row)} cellIds={minor.map((column) => idOf(row, column))} />
                </td>
              )}
              {actions && <td className="acts">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Shows and hides a row's minor cells: the style sheet reads its state. */
function MoreButton({ name, cellIds }: { name: string; cellIds: string[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <button
      type="button"
      aria-label={`More about ${name}`}
      aria-expanded={isOpen}
      aria-controls={cellIds.join(' ')}
      onClick={() => setOpen(!isOpen)}
    >
      More
      <Icon name="chevron" />
    </button>
  )
}

export const boxWidth = 40

/** The lead column gets the width that is left. Columns with `grow` get wider with the table. */
function colWidth<Row>({ width, grow, isLead }: Column<Row>, least: number): string | number | undefined {
  if (isLead) return undefined
  return grow ? `${(100 * width) / least}%` : width
}

export function contentOf<Row>(column: Column<Row>, row: Row) {
  return column.cell ? column.cell(row) : (column.value(row) ?? '–')
}

function classOf<Row>(column: Column<Row>, query: TableQuery): string | undefined {
  const { isLead, align } = column
  const names = [isLead && 'lead-cell', isMinorIn(query, column) && 'minor', align === 'end' && 'n']
  return names.filter(Boolean).join(' ') || undefined
}

/** On phones, the column that the rows are sorted by is always shown. */
function isMinorIn<Row>({ sort }: TableQuery, { id, isMinor }: Column<Row>): boolean {
  return isMinor === true && id !== sort
}

type HeadProps<Row> = Pick<TableProps<Row>, 'table' | 'query' | 'sortAddress'> & { column: Column<Row> }

function HeadCell<Row>({ column, table, query, sortAddress }: HeadProps<Row>) {
  const isSorted = query.sort === column.id
  const direction = isSorted ? (query.isDescending ? 'descending' : 'ascending') : undefined
  return (
    <th scope="col" aria-sort={direction} className={column.align === 'end' ? 'n' : undefined}>
      {table.sorts.includes(column.id) ? (
        <Link to={sortAddress(column)} preventScrollReset>
          {column.header}
          {isSorted && <Icon name="chevron" className={query.isDescending ? 'i--sort' : 'i--sort i--up'} />}
        </Link>
      ) : (
        column.header
      )}
    </th>
  )
}
