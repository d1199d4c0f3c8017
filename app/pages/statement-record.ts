import { formatFileSize } from '~/lib/file-size.ts'

const longestRecord = 20_000

/**
 * Indents a record for reading. A long record is cut instead: nobody reads 10 MB, and indenting it could take gigabytes
 * of memory.
 */
export function recordForReading(json: string): string {
  if (json.length > longestRecord) {
    const start = json.slice(0, longestRecord).replace(/[\ud800-\udbff]$/, '')
    return `${start}\n\n… (cut here: the whole record is ${formatFileSize(Buffer.byteLength(json))})`
  }
  const indented = JSON.stringify(JSON.parse(json), null, 2)
  return indented.length > longestRecord * 5 ? json : indented
}
