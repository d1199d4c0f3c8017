/** The format of our CSV files, in the browser and on the server. */

export type CsvRow = (string | number | null)[]

/** What spreadsheets may strip from the start of a cell: spaces and line ends of every kind, controls, marks that nobody sees. */
const blank = String.raw`\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`
const blanks = `[${blank}]*`

/** What formulas begin with, also in characters of another width. */
const [signs, minuses] = ['=+@＝＋＠﹦﹢﹫', String.raw`\-－﹣−`]

/**
 * The start of what a spreadsheet would run as a formula or would take for another cell
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const start = String.raw`(?:[\t\r]|${blanks}[${signs}${minuses}])`

/** A cell that an apostrophe has to turn into text. Those with apostrophes get one more, since an import takes one away. */
const guarded = new RegExp(`^'*${start}`, 'u')

/** What `guardFormula` returned. */
const guard = new RegExp(`^'+${start}`, 'u')

/**
 * Spreadsheets in many languages separate cells by semicolons, and ignore a quote in the middle of a cell. To them, one of our
 * cells ends at a semicolon, a tab or a line end, and a quote after that opens the next cell. A minus before a blank is let
 * through, because it begins an item of a list.
 */
const separator = /[;\t\r\n]/
const within = String.raw`(?:[${signs}]|[${minuses}](?!\s))`
/**
 * All blanks, quotes and separators in front. A match can begin only at the first of them, so the time grows with the length
 * and not with its square.
 */
const run = `(?<![;"${blank}])([;"${blank}]+)`
const guardedWithin = new RegExp(`${run}('*${within})`, 'gu')
const guardWithin = new RegExp(`${run}'('*${within})`, 'gu')

function guardFormula(cell: string): string {
  const begun = guarded.test(cell) ? `'${cell}` : cell
  if (!separator.test(begun)) return begun
  return begun.replace(guardedWithin, (all, run: string, rest: string) =>
    separator.test(run) ? `${run}'${rest}` : all,
  )
}

/**
 * Takes away the apostrophes that our files put before what would be a formula. Those in the middle of a cell are only taken
 * from a file that is ours, because others write “; '-1' means missing” and mean it.
 */
export function withoutFormulaGuard(cell: string, { isOurs }: { isOurs: boolean }): string {
  const begun = !isOurs
    ? cell
    : cell.replace(guardWithin, (all, run: string, rest: string) => (separator.test(run) ? run + rest : all))
  return guard.test(begun) ? begun.slice(1) : begun
}

const leadingBlanks = new RegExp(`^${blanks}`, 'u')
const beginsFormula = new RegExp(`^[${signs}${minuses}]`, 'u')

/** Whether a spreadsheet would run the cell as a formula. Numbers are none. */
export function isFormula(cell: string): boolean {
  const text = cell.replace(leadingBlanks, '').trimEnd()
  return beginsFormula.test(text) && !/^[+-]?[\d.,]+$/.test(text)
}

/**
 * Options for csv-stringify. Cells that a spreadsheet would read as a formula get an apostrophe in front: by our rule,
 * because that of csv-stringify only looks at the first character. The mark at the start lets Excel read UTF-8; only the
 * first part of a file has it. A raw file is for programs: it has neither.
 */
export function csvOptions({ isFirst = true, isRaw = false }: { isFirst?: boolean; isRaw?: boolean } = {}) {
  // csv-stringify quotes only the whole delimiter, but half of one would start a new row.
  return {
    bom: isFirst && !isRaw,
    cast: { string: isRaw ? (cell: string) => cell : guardFormula },
    quoted_match: /[\r\n]/,
    record_delimiter: 'windows' as const,
  }
}

const special = /[",\r\n]/

/**
 * The text that csv-stringify makes of rows with `csvOptions`, in a tenth of its time: a report may have a million rows.
 * A test compares the two.
 */
export function csvText(rows: CsvRow[], { isFirst = true, isRaw = false } = {}): string {
  let text = isFirst && !isRaw ? '\ufeff' : ''
  for (const row of rows) {
    for (let index = 0; index < row.length; index++) {
      if (index > 0) text += ','
      text += cellText(row[index] ?? null, isRaw)
    }
    text += '\r\n'
  }
  return text
}

function cellText(cell: CsvRow[number], isRaw: boolean): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = isRaw ? cell : guardFormula(cell)
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// What Windows, macOS or Linux refuse in a file's name, and what turns the direction of writing to hide its ending.
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
const illegal = /[\\/:*?"<>|\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** File systems allow 255 bytes; the extension and a browser's " (1)" need some of them. */
const longestName = 200

/** `ModuleStatistics_Dose_response.csv`: characters that are illegal in file names become "_". */
export function csvFileName(kind: string, name: string): string {
  const clean = `${kind}_${name.replace(illegal, '_')}`
  let short = ''
  let bytes = 0
  for (const character of clean) {
    bytes += new TextEncoder().encode(character).length
    if (bytes > longestName) break
    short += character
  }
  return `${short.replace(/[. ]+$/, '')}.csv`
}
