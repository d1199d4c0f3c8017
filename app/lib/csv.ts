/** How our CSV files are written, in the browser and on the server alike. */

export type CsvRow = (string | number | null)[]

/**
 * For csv-stringify. Cells that a spreadsheet would take for a formula get an apostrophe before them, and the
 * mark at the start lets Excel read UTF-8; only the first part of a file has it.
 */
export function csvOptions({ isFirst = true }: { isFirst?: boolean } = {}) {
  // By itself it quotes only the whole delimiter, and half of one would begin a row.
  return { bom: isFirst, escape_formulas: true, quoted_match: /[\r\n]/, record_delimiter: 'windows' as const }
}

// What Windows, macOS or Linux refuse in a file's name, and what turns the direction of writing to hide its ending.
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
const illegal = /[\\/:*?"<>|\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** File systems take 255 bytes; the ending and a browser's " (1)" need some of them. */
const longestName = 200

/** `ModuleStatistics_Dose_response.csv`: what is illegal in file names becomes "_". */
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
