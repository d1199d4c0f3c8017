import { Link } from '@remix-run/react'
import type { CSSProperties } from 'react'
import { writeTableQuery } from '~/lib/table-query.ts'
import { Icon } from '../ui/icon.tsx'
import { type Column, type DataGridProps, shownColumns } from './data-grid-types.ts'
import { SelectBox } from './select-box.tsx'

/** The page of rows that the server chose; sorting is links. On phones each row is a block of labels and values. */
export function DataTable<Row>(props: DataGridProps<Row>) {
  const { label, rows, rowId, rowName, actions, actionsWidth = 64, selection } = props
  const columns = shownColumns(props.columns)
  const least = columns.reduce((sum, { width }) => sum + width, (selection ? 52 : 0) + (actions ? actionsWidth : 0))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroller" tabIndex={0} aria-label={label}>
      <table className="datagrid" style={{ '--least': `${least}px` } as CSSProperties}>
        <colgroup>
          {selection && <col style={{ width: 52 }} />}
          {columns.map(({ id, width, grow }) => (
            <col key={id} style={grow ? undefined : { width }} />
          ))}
          {actions && <col style={{ width: actionsWidth }} />}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <span className="sr-only">Selected</span>
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} query={props.query} usual={columns[0]?.id ?? ''} />
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
                  <SelectBox id={rowId(row)} name={rowName(row)} row={row} selection={selection} />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.id} data-label={column.header} className={classOf(column)}>
                  <div className="cell">{contentOf(column, row)}</div>
                </td>
              ))}
              {actions && (
                <td className="acts">
                  <div className="rowacts">{actions(row)}</div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export function contentOf<Row>(column: Column<Row>, row: Row) {
  return column.cell ? column.cell(row) : (column.value(row) ?? '–')
}

function classOf<Row>({ isLead, align }: Column<Row>): string | undefined {
  return [isLead && 'lead-cell', align === 'end' && 'n'].filter(Boolean).join(' ') || undefined
}

type HeadProps<Row> = { column: Column<Row>; query: DataGridProps<Row>['query']; usual: string }

function HeadCell<Row>({ column, query, usual }: HeadProps<Row>) {
  const isSorted = query.sort === column.id
  const direction = isSorted ? (query.isDescending ? 'descending' : 'ascending') : undefined
  const to = writeTableQuery(query, { sort: column.id, isDescending: isSorted && !query.isDescending, page: 1 }, usual)
  return (
    <th scope="col" aria-sort={direction} className={classOf({ ...column, isLead: false })}>
      {column.isSortable ? (
        <Link to={to} preventScrollReset>
          {column.header}
          {isSorted && <Icon name="chevron" className={query.isDescending ? 'i--sort' : 'i--sort i--up'} />}
        </Link>
      ) : (
        column.header
      )}
    </th>
  )
}
