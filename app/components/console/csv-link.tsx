import { useState } from 'react'
import { type CsvRow, csvOptions } from '~/lib/csv.ts'
import { Icon } from '../ui/icon.tsx'

type Props = {
  /** The server's file of the same rows. It is used without JavaScript, and when the browser does not have all rows. */
  href: string
  fileName: string
  label: string
  /** Null while the browser does not have all rows. */
  rows: (() => CsvRow[]) | null
}

/** Downloads a table as CSV. The browser makes the file from its own rows if it has all of them. */
export function CsvLink({ href, fileName, label, rows }: Props) {
  const [isBusy, setBusy] = useState(false)
  const save = async (content: CsvRow[]) => {
    setBusy(true)
    try {
      const { stringify } = await import('csv-stringify/browser/esm/sync')
      download(fileName, stringify(content, csvOptions()))
    } catch {
      window.location.assign(href)
    } finally {
      setBusy(false)
    }
  }
  return (
    <a
      className="btn btn--secondary"
      href={href}
      download={fileName}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (!rows) return
        event.preventDefault()
        if (!isBusy) save(rows())
      }}
    >
      <Icon name="download" />
      {label}
    </a>
  )
}

function download(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // The browser reads the blob after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
