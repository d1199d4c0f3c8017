/** What a read CSV file looks like to the page that shows it. The reading is in csv-import.server.ts. */

/** `names`: how the heading may be written, the first as we write it. Capitals, spaces and punctuation do not matter. */
export type CsvColumn = { key: string; names: string[]; isRequired?: boolean }

export type CsvLimits = { bytes: number; rows: number; columns: number; cell: number }

export type CsvEncoding = 'UTF-8' | 'UTF-16' | 'Windows-1252'
export type CsvDelimiter = ',' | ';' | '\t'

/** `line`: where the row begins in the file, counted from 1, with the headings. */
export type CsvRecord = { line: number; cells: Record<string, string> }

/** `column`: the heading as the file has it; null where the row as a whole is wrong. */
export type CsvFault = { line: number; column: string | null; value: string; reason: string }

/** What the first line of the file says. */
export type CsvHeadings = {
  /** The headings as the file has them. */
  headings: string[]
  /** Which heading each known column was found under. */
  headingOf: Record<string, string>
}

export type CsvReading = CsvHeadings & {
  encoding: CsvEncoding
  delimiter: CsvDelimiter
  /** Headings that no column is called by. Their cells are left out. */
  ignored: string[]
  records: CsvRecord[]
  faults: CsvFault[]
}

/**
 * `problem`: why nothing of the file can be used, in a sentence. `found` is there if only the columns are not clear, so
 * that somebody can choose them.
 */
export type CsvResult =
  | { reading: CsvReading; problem: null }
  | { reading: null; problem: string; found: CsvHeadings | null }

/** The form's field in which somebody chooses the heading of a column. */
export function columnField(key: string): string {
  return `column-${key}`
}

/** Headings are compared by their letters and digits: "E-mail " is "email". */
export function headingKey(heading: string): string {
  return heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
