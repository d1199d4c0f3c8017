import { fixField, showIntent } from '~/forms/invited-lists.ts'
import { SubmitButton } from '../submit-button.tsx'
import type { CheckedCell, CheckedRow, ListReport } from './view.ts'

type Props = { report: ListReport; formId: string }

/** A page of the rows of a checked list. What is wrong can be corrected in its cell. */
export function CheckedRows({ report, formId }: Props) {
  const { rows, headings, otherFixes, seen } = report
  return (
    <>
      {otherFixes.map(({ name, value }) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <RowsShown report={report} formId={formId} />
      <div className="overflow-x-auto">
        {/* New fields after each check, which begin with what was checked. */}
        <table className="faults" key={seen}>
          <caption className="sr-only">Rows of the file</caption>
          <thead>
            <tr>
              <th scope="col">Line</th>
              {headings.map(({ key, heading }) => (
                <th key={key} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.line} row={row} headings={headings} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Row({ row: { line, cells, problem }, headings }: { row: CheckedRow; headings: ListReport['headings'] }) {
  if (problem !== null || cells.length === 0) {
    return (
      <tr>
        <th scope="row" data-label="Line">
          {line}
        </th>
        <td colSpan={headings.length} data-label="Whole row">
          <span className="error">{problem} Please correct it in the file.</span>
        </td>
      </tr>
    )
  }
  return (
    <tr>
      <th scope="row" data-label="Line">
        {line}
      </th>
      {cells.map((cell, index) => (
        <td
          key={cell.key}
          data-label={headings[index]?.heading}
          className={cell.key === 'email' ? 'sm:min-w-56' : undefined}
        >
          <Cell line={line} cell={cell} heading={headings[index]?.heading ?? cell.key} />
        </td>
      ))}
    </tr>
  )
}

function Cell({ line, heading, cell: { key, value, reason } }: { line: number; heading: string; cell: CheckedCell }) {
  if (reason === null) return value
  const name = fixField(line, key)
  return (
    <>
      <input
        className="input"
        name={name}
        defaultValue={value}
        aria-label={`${heading} in line ${line}`}
        aria-invalid
        aria-describedby={`${name}-reason`}
        autoComplete="off"
        spellCheck={false}
      />
      <span className="error" id={`${name}-reason`}>
        {reason}
      </span>
    </>
  )
}

/** Which rows are shown, and the way to the others. Each button checks the list, so that no correction is lost. */
function RowsShown({ report: { show, page, pages, faultCount, faultyRows, total }, formId }: Props) {
  const other = show === 'all' ? 'faulty' : 'all'
  const button = (label: string, to: { show: 'faulty' | 'all'; page: number }) => (
    <SubmitButton form={formId} intent={showIntent(to)} className="btn--quiet" busyWord="Loading">
      {label}
    </SubmitButton>
  )
  return (
    <div className="faults-rest">
      <span className="muted">
        {show === 'all'
          ? total === 1
            ? '1 row'
            : `All ${total.toLocaleString('en')} rows`
          : `Rows with faults: ${faultyRows.toLocaleString('en')}`}
        {pages > 1 && `, page ${page} of ${pages.toLocaleString('en')}`}
      </span>
      {page > 1 && button('Previous page', { show, page: page - 1 })}
      {page < pages && button('Next page', { show, page: page + 1 })}
      {faultCount > 0 && button(other === 'all' ? 'Show all rows' : 'Show only faults', { show: other, page: 1 })}
    </div>
  )
}
