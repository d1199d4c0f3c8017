import { stringify } from 'csv-stringify/sync'
import { type CsvRow, csvOptions } from '~/lib/csv.ts'
import { type CsvColumn, type CsvFault, columnField } from '~/lib/csv-import.ts'
import { text } from './respond.server.ts'
import { attachment } from './serve-file.server.ts'

/** A CSV file that is written while its rows are read. Each part has some rows, and the first one has the header. */
export function csvResponse(fileName: string, parts: AsyncIterator<CsvRow[]>): Response {
  const encoder = new TextEncoder()
  let isFirst = true
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A pull that enqueues nothing would be the last one, since the stream does not pull again.
      for (let part = await parts.next(); !part.done; part = await parts.next()) {
        if (part.value.length === 0) continue
        controller.enqueue(encoder.encode(stringify(part.value, csvOptions({ isFirst }))))
        isFirst = false
        return
      }
      controller.close()
    },
    async cancel() {
      await parts.return?.()
    },
  })
  return new Response(body, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': attachment(fileName),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

/** A small file that is part of its page: a link to it needs neither scripts nor a second request. */
type InlineFile = { name: string; address: string }

function inlineFile(name: string, rows: CsvRow[]): InlineFile {
  const text = stringify(rows, csvOptions())
  return { name, address: `data:text/csv;charset=utf-8;base64,${Buffer.from(text).toString('base64')}` }
}

/** The faults of a CSV file that somebody wants to import. */
export function faultsFile(name: string, faults: CsvFault[]): InlineFile {
  const rows = faults.map(({ line, column, value, reason }) => [line, column ?? '', value, reason])
  return inlineFile(name, [['Line', 'Column', 'Value', 'Reason'], ...rows])
}

/** The headings that an import expects. */
export function templateFile(name: string, columns: CsvColumn[]): InlineFile {
  return inlineFile(name, [columns.map(({ names: [heading = ''] }) => heading)])
}

/** The headings that somebody has chosen in the form for the columns of a CSV file (`CsvColumns`). */
export function mappingOf(form: FormData, columns: CsvColumn[]): Record<string, string> {
  const chosen = columns.map(({ key }) => [key, text(form, columnField(key))] as const)
  return Object.fromEntries(chosen.filter(([, heading]) => heading !== ''))
}
