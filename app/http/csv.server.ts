import type { LoaderFunctionArgs } from '@remix-run/node'
import { type CsvRow, csvText } from '~/lib/csv.ts'
import { type CsvColumn, type CsvFault, columnField } from '~/lib/csv-import.ts'
import { type Fields, text } from './respond.server.ts'
import { attachment } from './serve-file.server.ts'

type CsvFile = { fileName: string; parts: AsyncIterator<CsvRow[]> }

/**
 * A CSV file that is written while its rows are read. Each part has some rows, and the first one has the header. The next
 * part is read when the client has taken the last one.
 */
export function csvResponse(
  { context: { exchange } }: Pick<LoaderFunctionArgs, 'context'>,
  { fileName, parts }: CsvFile,
): Response {
  const encoder = new TextEncoder()
  let isFirst = true
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!(await exchange.drained())) {
        await parts.return?.()
        return controller.close()
      }
      // A pull that enqueues nothing would be the last one, since the stream does not pull again.
      for (let part = await parts.next(); !part.done; part = await parts.next()) {
        if (part.value.length === 0) continue
        controller.enqueue(encoder.encode(csvText(part.value, { isFirst })))
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

/** The uploaded file of an import, and the headings that somebody has chosen for its columns. */
export type CsvImport = { name: string; mapping: Record<string, string> }

/** Reads the import from a form with a file field called `field`, or from an address that `faultsOnPage` has made. */
export function importOf(fields: Fields, { field, columns }: { field: string; columns: CsvColumn[] }): CsvImport {
  const chosen = columns.map(({ key }) => [key, text(fields, columnField(key))] as const)
  return { name: text(fields, field), mapping: Object.fromEntries(chosen.filter(([, heading]) => heading !== '')) }
}

/** A file can have thousands of faults. The page gets only the first of them. */
const mostOnPage = 200

/** The first faults of an import, and the address of a file with all of them: `path` answers with `faultsResponse`. */
export function faultsOnPage(
  faults: CsvFault[],
  { path, field, name, mapping }: CsvImport & { path: string; field: string },
): { faults: CsvFault[]; faultCount: number; download: string } {
  const chosen = Object.entries(mapping).map(([key, heading]) => [columnField(key), heading])
  const download = `${path}?${new URLSearchParams([[field, name], ...chosen])}`
  return { faults: faults.slice(0, mostOnPage), faultCount: faults.length, download }
}

export function faultsResponse(
  args: Pick<LoaderFunctionArgs, 'context'>,
  { fileName, faults }: { fileName: string; faults: CsvFault[] },
): Response {
  return csvResponse(args, { fileName, parts: faultParts(faults) })
}

async function* faultParts(faults: CsvFault[]): AsyncGenerator<CsvRow[]> {
  yield [['Line', 'Column', 'Value', 'Reason']]
  yield faults.map(({ line, column, value, reason }) => [line, column ?? '', value, reason])
}

/** A file with the headings that an import expects. It is small enough to be part of the page. */
export function templateFile(name: string, columns: CsvColumn[]): { name: string; address: string } {
  const text = csvText([columns.map(({ names: [heading = ''] }) => heading)])
  return { name, address: `data:text/csv;charset=utf-8;base64,${Buffer.from(text).toString('base64')}` }
}
