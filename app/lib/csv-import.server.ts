/**
 * Reads CSV files that people made with a spreadsheet. It finds out the encoding and the delimiter, keeps to limits, and
 * names each fault by line and column instead of stopping at the first one. It writes nothing.
 */
import { CsvError, type Options, parse } from 'csv-parse/sync'
import type { z } from 'zod'
import { isFormula, withoutFormulaGuard } from './csv.ts'
import {
  type CsvColumn,
  type CsvDelimiter,
  type CsvEncoding,
  type CsvFault,
  type CsvHeadings,
  type CsvLimits,
  type CsvReading,
  type CsvRecord,
  type CsvResult,
  headingKey,
} from './csv-import.ts'

const usualCsvLimits: CsvLimits = { bytes: 1_048_576, rows: 10_000, columns: 50, cell: 10_000 }

/** More than this is not listed, not even in a file, because nobody reads on. */
const mostFaults = 10_000
/** A file with more broken rows than this was not written as CSV. Reading on after each of them takes time. */
const mostBrokenRows = 1000
/** The number of characters of a faulty cell that are shown. */
const longestShown = 100
/** The headings are shown in the form, so they must be short. */
const longestHeading = 200
const nul = String.fromCharCode(0)

/**
 * `mapping` names the heading of a column by its key, for files with other headings. A heading that the file does not
 * have is ignored.
 */
export type CsvOptions = { columns: CsvColumn[]; limits?: Partial<CsvLimits>; mapping?: Record<string, string> }

export async function readCsv(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { columns, limits: given = {}, mapping = {} }: CsvOptions,
): Promise<CsvResult> {
  const limits = { ...usualCsvLimits, ...given }
  const bytes = await readBytes(source, limits.bytes)
  if (bytes === null) return refused(`This file is larger than ${sizeInWords(limits.bytes)}.`)
  const decoded = decode(bytes)
  if ('problem' in decoded) return refused(decoded.problem)
  const { text, encoding } = decoded
  if (text.trim() === '') return refused('This file is empty.')
  try {
    const delimiter = findDelimiter(text)
    return await readText(text, { columns, limits, mapping, encoding, delimiter, isOurs: isMarked(bytes) })
  } catch (error) {
    if (!(error instanceof TooManyBrokenRows)) throw error
    return refused('Too many rows have quotation marks in the wrong place. Please save the file as CSV once more.')
  }
}

/** Our files begin with the mark of UTF-8. Spreadsheets write it too, so it is a sign and no proof. */
function isMarked(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

function refused(problem: string, found: CsvHeadings | null = null): CsvResult {
  return { reading: null, problem, found }
}

function sizeInWords(bytes: number): string {
  return bytes >= 1_048_576 ? `${Math.round(bytes / 1_048_576)} MB` : `${Math.round(bytes / 1024)} KB`
}

/** Returns null if there are more than `most` bytes, without reading the rest. */
async function readBytes(source: Uint8Array | AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array | null> {
  if (source instanceof Uint8Array) return source.length > most ? null : source
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.length
    if (length > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Excel's "Unicode Text" is UTF-16 with a byte order mark. Text that is not UTF-8 is read as Windows-1252, the encoding
 * of older spreadsheets.
 */
function decode(bytes: Uint8Array): { text: string; encoding: CsvEncoding } | { problem: string } {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    return { problem: 'This is a workbook or a zip file. In your spreadsheet, choose “Save as” and then CSV.' }
  }
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
  if (utf16) return withoutNul(new TextDecoder(utf16).decode(bytes), 'UTF-16')
  try {
    return withoutNul(new TextDecoder('utf-8', { fatal: true }).decode(bytes), 'UTF-8')
  } catch {
    return withoutNul(decodeWindows1252(bytes), 'Windows-1252')
  }
}

/** The characters 0x80 to 0x9f of Windows-1252. Some releases of Node decode them as Latin-1 control characters. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1')
  return text.replace(/[\u0080-\u009f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? character)
}

function withoutNul(
  text: string,
  encoding: CsvEncoding,
): { text: string; encoding: CsvEncoding } | { problem: string } {
  return text.includes(nul)
    ? { problem: 'This is not a text file. In your spreadsheet, choose “Save as” and then CSV.' }
    : { text, encoding }
}

const delimiters: CsvDelimiter[] = [',', ';', '\t']

/** Returns the delimiter that is most frequent in the headings, outside of quotation marks. */
function findDelimiter(text: string): CsvDelimiter {
  const counts = new Map<string, number>(delimiters.map((delimiter) => [delimiter, 0]))
  let isQuoted = false
  let isBegun = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (!isQuoted && isBegun && (character === '\n' || character === '\r')) break
    if (!isQuoted && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1)
    if (character.trim() !== '') isBegun = true
  }
  return delimiters.reduce((best, one) => ((counts.get(one) ?? 0) > (counts.get(best) ?? 0) ? one : best), ',')
}

type TextOptions = Required<Omit<CsvOptions, 'limits'>> & {
  limits: CsvLimits
  encoding: CsvEncoding
  delimiter: CsvDelimiter
  isOurs: boolean
}

async function readText(text: string, options: TextOptions): Promise<CsvResult> {
  const { columns, limits, mapping, encoding, delimiter, isOurs } = options
  const faults: CsvFault[] = []
  const records: CsvRecord[] = []
  let headings: string[] | null = null
  let found = new Map<string, number>()
  let rows = 0
  let emptyRows = 0
  for await (const { line, cells } of rowsOf(text.replace(/^\ufeff/, ''), delimiter, faults)) {
    if (cells.every((cell) => cell.trim() === '')) {
      if (++emptyRows > limits.rows) {
        return refused(`This file has more than ${limits.rows.toLocaleString('en')} empty rows. Please remove them.`)
      }
      continue
    }
    if (headings === null) {
      const before = faults.find((fault) => fault.line < line)
      if (before) return refused(`The headings cannot be read. ${before.reason}`)
      if (cells.length > limits.columns) return refused(tooManyColumns(limits))
      headings = cells.map((cell) => cell.trim())
      const problem = problemOfHeadings(headings)
      if (problem) return refused(problem)
      found = findColumns(headings, columns, mapping)
      const missing = columns.filter(({ key, isRequired }) => isRequired && !found.has(key))
      const ambiguous = headingOfSeveral(headings, mapping)
      if (ambiguous !== null) {
        const headingOf = { ...headingsOf(found, headings), ...mapping }
        return refused(`“${ambiguous}” is chosen for two columns.`, { headings, headingOf })
      }
      if (missing.length > 0) {
        return refused(missingInWords(missing, headings), { headings, headingOf: headingsOf(found, headings) })
      }
      continue
    }
    if (++rows > limits.rows) {
      return refused(`This file has more than ${limits.rows.toLocaleString('en')} rows. Please split it.`)
    }
    const fault = faultOfShape(line, cells, headings)
    if (fault) addFault(faults, fault)
    else records.push(recordOf(line, cells, found, isOurs))
    for (const [index, cell] of cells.slice(0, headings.length).entries()) {
      if ([...cell].length > limits.cell) {
        const reason = `Longer than ${limits.cell.toLocaleString('en')} characters.`
        addFault(faults, { line, column: headings[index] ?? null, value: shown(cell), reason })
      }
    }
  }
  if (headings === null) return refused(`The headings cannot be read. ${faults[0]?.reason ?? ''}`.trim())
  if (records.length === 0 && faults.length === 0) return refused('This file has headings and no rows.')
  const known = new Set(found.values())
  const reading: CsvReading = {
    encoding,
    delimiter,
    headings,
    headingOf: headingsOf(found, headings),
    ignored: headings.filter((heading, index) => heading !== '' && !known.has(index)),
    records,
    faults: inOrder(faults),
  }
  return { reading, problem: null }
}

type Row = { line: number; cells: string[] }

/** After this many rows, other requests get a turn. */
const rowsAtOnce = 1000

class Pause extends Error {}

/**
 * Yields each row with its line. A row with misplaced quotation marks becomes a fault, and reading continues with the
 * line after the row's first line.
 */
async function* rowsOf(text: string, delimiter: CsvDelimiter, faults: CsvFault[]): AsyncGenerator<Row> {
  const bytes = Buffer.from(text)
  let offset = 0
  let line = 1
  let broken = 0
  while (offset < bytes.length && broken <= mostBrokenRows) {
    const { rows, length, fault } = readSome(bytes.subarray(offset), delimiter)
    for (const { cells, end, height } of rows) {
      yield { line, cells }
      line += height
      if (end === length) offset += length
    }
    if (fault) {
      addFault(faults, { line, column: null, value: '', reason: fault })
      offset += lengthOfLine(bytes.subarray(offset))
      line++
      broken++
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (broken > mostBrokenRows) throw new TooManyBrokenRows()
}

class TooManyBrokenRows extends Error {}

/**
 * Reads rows from the beginning of `bytes`, each with its end and its number of lines. Returns their length in bytes and
 * the fault after them.
 */
function readSome(bytes: Buffer, delimiter: CsvDelimiter) {
  const rows: { cells: string[]; end: number; height: number }[] = []
  const endOfRows = () => rows.at(-1)?.end ?? 0
  const options: Options = {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells: string[], { bytes: end }) => {
      const height = bytes.toString('utf8', endOfRows(), end).match(/\r\n|\n|\r/g)?.length ?? 0
      rows.push({ cells, end, height })
      if (rows.length === rowsAtOnce) throw new Pause()
      return null
    },
  }
  let fault: string | null = null
  try {
    parse(bytes, options)
  } catch (error) {
    if (error instanceof CsvError) fault = error.code === 'CSV_QUOTE_NOT_CLOSED' ? unclosedQuote : misplacedQuote
    else if (!(error instanceof Pause)) throw error
  }
  return { rows, length: endOfRows(), fault }
}

const misplacedQuote = 'A quotation mark stands where it may not. Inside a quoted cell, write it twice.'
const unclosedQuote = 'A quotation mark opens here and is never closed.'

/** Returns the length of the first line, with its line break. */
function lengthOfLine(bytes: Buffer): number {
  const end = bytes.findIndex((byte) => byte === 10 || byte === 13)
  if (end < 0) return bytes.length
  return bytes[end] === 13 && bytes[end + 1] === 10 ? end + 2 : end + 1
}

function problemOfHeadings(headings: string[]): string | null {
  const keys = headings.map(headingKey).filter((key) => key !== '')
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  const heading = twice && headings.find((one) => headingKey(one) === twice)
  const long = headings.find((one) => one.length > longestHeading)
  if (long !== undefined) return `The heading “${shown(long)}” is longer than ${longestHeading} characters.`
  return heading ? `The heading “${shown(heading)}” is there twice.` : null
}

/** Finds the columns that somebody has chosen a heading for, then the others by their names. */
function findColumns(headings: string[], columns: CsvColumn[], mapping: Record<string, string>): Map<string, number> {
  const keys = headings.map(headingKey)
  const found = new Map<string, number>()
  const find = (key: string, names: string[]) => {
    if (found.has(key)) return
    const taken = [...found.values()]
    const index = keys.findIndex((one, place) => {
      return one !== '' && !taken.includes(place) && names.some((name) => headingKey(name) === one)
    })
    if (index >= 0) found.set(key, index)
  }
  for (const { key } of columns) find(key, mapping[key] ? [mapping[key]] : [])
  for (const { key, names } of columns) find(key, names)
  return found
}

function headingsOf(found: Map<string, number>, headings: string[]): Record<string, string> {
  return Object.fromEntries([...found].map(([key, index]) => [key, headings[index] ?? '']))
}

/** Finds a heading of the file that is chosen for more than one column. */
function headingOfSeveral(headings: string[], mapping: Record<string, string>): string | null {
  const chosen = Object.values(mapping).map(headingKey)
  return headings.find((one) => one !== '' && chosen.filter((key) => key === headingKey(one)).length > 1) ?? null
}

function missingInWords(missing: CsvColumn[], headings: string[]): string {
  const names = missing.map(({ names: [name = ''] }) => `“${name}”`)
  const list = names.length === 1 ? `the column ${names[0]}` : `the columns ${names.join(', ')}`
  const there = headings.filter((heading) => heading !== '').slice(0, 10)
  return `This file lacks ${list}. Its headings are: ${there.map((one) => `“${shown(one)}”`).join(', ')}.`
}

function tooManyColumns(limits: CsvLimits): string {
  return `This file has more than ${limits.columns} columns.`
}

function faultOfShape(line: number, cells: string[], headings: string[]): CsvFault | null {
  const rest = cells.slice(headings.length).filter((cell) => cell.trim() !== '')
  if (rest.length === 0) return null
  const count = `the row has ${cells.length} cells, but there are ${headings.length} headings`
  const reason = `This value has no heading: ${count}. The other cells are checked when the row fits.`
  return { line, column: null, value: shown(rest[0] ?? ''), reason }
}

function recordOf(line: number, cells: string[], found: Map<string, number>, isOurs: boolean): CsvRecord {
  const pairs = [...found].map(([key, index]) => [key, cells[index] ?? ''] as const)
  return {
    line,
    cells: Object.fromEntries(pairs.map(([key, cell]) => [key, textOfCell(cell, { isOurs })])),
    formulas: pairs.filter(([, cell]) => isFormula(cell)).map(([key]) => key),
  }
}

/** The text that a cell stands for, in a file of ours or of others. */
export function textOfCell(cell: string, { isOurs }: { isOurs: boolean }): string {
  return withoutFormulaGuard(cell, { isOurs }).trim()
}

function addFault(faults: CsvFault[], fault: CsvFault): void {
  if (faults.length < mostFaults) faults.push(fault)
}

function inOrder(faults: CsvFault[]): CsvFault[] {
  return faults.sort((one, other) => one.line - other.line)
}

function shown(value: string): string {
  const characters = [...value]
  return characters.length > longestShown ? `${characters.slice(0, longestShown).join('')}…` : value
}

type CheckedRecord<T> = { line: number; value: T }

/**
 * Checks each row with the service's schema, whose keys are those of the columns. `unique` names columns in which a value
 * may occur only once in the file, compared without case.
 */
export function checkCsv<S extends z.ZodTypeAny>(
  reading: CsvReading,
  schema: S,
  { unique = [] }: { unique?: string[] } = {},
): { rows: number; valid: CheckedRecord<z.output<S>>[]; faults: CsvFault[] } {
  const faults = [...reading.faults]
  const isFaulty = new Set(faults.map(({ line }) => line))
  const valid: CheckedRecord<z.output<S>>[] = []
  const lines = new Map<string, number>()
  for (const { line, cells } of reading.records) {
    const found: CsvFault[] = []
    const add = (key: string, reason: string) => {
      const column = reading.headingOf[key] ?? null
      if (!found.some((one) => one.column === column))
        found.push({ line, column, value: shown(cells[key] ?? ''), reason })
    }
    const result = schema.safeParse(cells)
    if (!result.success) for (const { path, message } of result.error.issues) add(String(path[0] ?? ''), message)
    for (const key of unique) {
      const value = (cells[key] ?? '').normalize('NFKC').toLowerCase()
      if (value === '') continue
      const first = lines.get(`${key} ${value}`)
      if (first === undefined) lines.set(`${key} ${value}`, line)
      else add(key, `The same as in line ${first}.`)
    }
    for (const fault of found) addFault(faults, fault)
    if (result.success && found.length === 0 && !isFaulty.has(line)) valid.push({ line, value: result.data })
  }
  const rows = new Set([...isFaulty, ...reading.records.map(({ line }) => line)]).size
  return { rows, valid, faults: inOrder(faults) }
}
