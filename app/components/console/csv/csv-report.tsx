import { useState } from 'react'
import type { CsvDelimiter, CsvFault, CsvReading } from '~/lib/csv-import.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'

/** What a dry run found. Nothing has been written yet. */
export type CsvReport = Pick<CsvReading, 'encoding' | 'delimiter' | 'ignored'> & {
  rows: number
  valid: number
  faults: CsvFault[]
  /** The faults as a CSV file (`faultsFile` of http/csv.server.ts). */
  download: { name: string; address: string }
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
  const { encoding, delimiter, ignored, rows, valid, faults, download } = report
  const count = (number: number) => `${number.toLocaleString('en')} ${number === 1 ? noun[0] : noun[1]}`
  return (
    <section className="csvreport" aria-label="What is in the file">
      <div className={faults.length > 0 ? 'notice notice--warning' : 'notice notice--success'} role="status">
        <Icon name={faults.length > 0 ? 'alert' : 'check'} />
        <p>
          <strong>
            {faults.length === 0
              ? `${rows === 1 ? `The ${noun[0]}` : `All ${count(rows)}`} can be imported.`
              : `${valid.toLocaleString('en')} of ${count(rows)} can be imported.`}
          </strong>
          Nothing has been saved yet. The file was read as {encoding}, with {delimiterNames[delimiter]} between its
          columns.
          {ignored.length > 0 && ` Not used: ${ignored.map((heading) => `“${heading}”`).join(', ')}.`}
          {encoding === 'Windows-1252' && ' If letters with accents look wrong, save the file as “CSV UTF-8”.'}
        </p>
      </div>
      {faults.length > 0 && (
        <>
          <div className="headline">
            <h2>{faults.length === 1 ? '1 fault' : `${faults.length.toLocaleString('en')} faults`}</h2>
            <a className="btn btn--secondary" href={download.address} download={download.name}>
              <Icon name="download" />
              Download the faults
            </a>
          </div>
          <FaultTable faults={faults} />
        </>
      )}
    </section>
  )
}

function FaultTable({ faults }: { faults: CsvFault[] }) {
  const [most, setMost] = useState(shownAtFirst)
  const isHydrated = useHydrated()
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
          {faults.slice(0, most).map(({ line, column, value, reason }, index) => (
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
      {faults.length > most && (
        <p className="faults-rest">
          <span className="muted">
            The first {most} of {faults.length.toLocaleString('en')} are shown. The download has all of them.
          </span>
          {isHydrated && (
            <button className="btn btn--quiet" type="button" onClick={() => setMost(most + 200)}>
              Show more
            </button>
          )}
        </p>
      )}
    </>
  )
}
