/** The types of a CSV file that has been read (csv-import.server.ts), for the page that shows it. */

/** `names`: accepted headings; the first is the usual one. Case, spaces and punctuation do not matter. */
export type CsvColumn = { key: string; names: string[]; isRequired?: boolean }

export type CsvLimits = { bytes: number; rows: number; columns: number; cell: number }

export type CsvEncoding = 'UTF-8' | 'UTF-16' | 'Windows-1252'
export type CsvDelimiter = ',' | ';' | '\t'

/** `line`: where the row begins in the file, counted from 1, with the headings. */
/** `formulas`: the columns whose cells a spreadsheet would run as a formula. Our own files mark such a text with an apostrophe. */
export type CsvRecord = { line: number; cells: Record<string, string>; formulas: string[] }

/** `column`: the heading as the file has it; null where the row as a whole is wrong. */
export type CsvFault = { line: number; column: string | null; value: string; reason: string }

/** The first line of the file. */
export type CsvHeadings = {
  /** The headings as the file has them. */
  headings: string[]
  /** The heading of each column that was found, by the column's key. */
  headingOf: Record<string, string>
}

export type CsvReading = CsvHeadings & {
  encoding: CsvEncoding
  delimiter: CsvDelimiter
  /** Headings that belong to no column. Their cells are left out. */
  ignored: string[]
  records: CsvRecord[]
  faults: CsvFault[]
}

/**
 * `problem`: a sentence that says why the file cannot be used. With `found`, only its columns are not clear, and
 * somebody can choose them.
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
