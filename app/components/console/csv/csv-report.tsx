import { useState } from 'react'
import type { CsvDelimiter, CsvFault, CsvReading } from '~/lib/csv-import.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'

/** What a dry run found. Nothing has been written yet. */
export type CsvReport = Pick<CsvReading, 'encoding' | 'delimiter' | 'ignored'> & {
  rows: number
  valid: number
  /** The first of them (`faultsOnPage` of http/csv.server.ts). */
  faults: CsvFault[]
  faultCount: number
  /** The address of a CSV file with all faults. */
  download: string
}

const delimiterNames: Record<CsvDelimiter, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }
const shownAtFirst = 50

type Props = {
  report: CsvReport
  /** "term", "terms". */
  noun: [one: string, many: string]
}

/** Says how a CSV file was read, and lists each fault with its line, column, value and reason. */
export function CsvReportPart({ report, noun }: Props) {
  const { encoding, delimiter, ignored, rows, valid, faults, faultCount, download } = report
  const count = (number: number) => `${number.toLocaleString('en')} ${number === 1 ? noun[0] : noun[1]}`
  return (
    <section className="csvreport" aria-label="What is in the file">
      <div className={faultCount > 0 ? 'notice notice--warning' : 'notice notice--success'} role="status">
        <Icon name={faultCount > 0 ? 'alert' : 'check'} />
        <p>
          <strong>
            {faultCount === 0
              ? `${rows === 1 ? `The ${noun[0]}` : `All ${count(rows)}`} can be imported.`
              : `${valid.toLocaleString('en')} of ${count(rows)} can be imported.`}
          </strong>
          {faultCount > 0 &&
            'Please correct the faults in the file and check it again; it is imported only as a whole. '}
          Nothing has been saved yet. The file was read as {encoding}, with {delimiterNames[delimiter]} between its
          columns.
          {ignored.length > 0 && ` Not used: ${ignored.map((heading) => `“${heading}”`).join(', ')}.`}
          {encoding === 'Windows-1252' && ' If letters with accents look wrong, save the file as “CSV UTF-8”.'}
        </p>
      </div>
      {faultCount > 0 && (
        <>
          <div className="headline">
            <h2>{faultCount === 1 ? '1 fault' : `${faultCount.toLocaleString('en')} faults`}</h2>
            <a className="btn btn--secondary" href={download} download>
              <Icon name="download" />
              Download the faults
            </a>
          </div>
          <FaultTable faults={faults} total={faultCount} />
        </>
      )}
    </section>
  )
}

function FaultTable({ faults, total }: { faults: CsvFault[]; total: number }) {
  const [most, setMost] = useState(shownAtFirst)
  const isHydrated = useHydrated()
  const shown = faults.slice(0, most)
  return (
    <>
      <table className="faults">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Column</th>
            <th scope="col">Value</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ line, column, value, reason }, index) => (
            <tr key={index}>
              <th scope="row" data-label="Line">
                {line}
              </th>
              <td data-label="Column">{column ?? 'Whole row'}</td>
              <td data-label="Value">{value === '' ? <span className="muted">(empty)</span> : value}</td>
              <td data-label="Reason">{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > shown.length && (
        <p className="faults-rest">
          <span className="muted">
            The first {shown.length} of {total.toLocaleString('en')} are shown. The download has all of them.
          </span>
          {isHydrated && faults.length > shown.length && (
            <button className="btn btn--quiet" type="button" onClick={() => setMost(faults.length)}>
              Show more
            </button>
          )}
        </p>
      )}
    </>
  )
}
