/** CSV files of spreadsheets, and of people who mean no good. */
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { csvOptions } from '~/lib/csv.ts'
import { checkCsv, readCsv } from '~/lib/csv-import.server.ts'
import type { CsvColumn, CsvReading } from '~/lib/csv-import.ts'
import { rounds } from '../support/long.ts'

const columns: CsvColumn[] = [
  { key: 'name', names: ['Name', 'Term'], isRequired: true },
  { key: 'note', names: ['Note'] },
]
const utf8 = (text: string) => new TextEncoder().encode(text)
const read = (content: string | Uint8Array, options: Partial<Parameters<typeof readCsv>[1]> = {}) =>
  readCsv(typeof content === 'string' ? utf8(content) : content, { columns, ...options })

async function readingOf(...args: Parameters<typeof read>): Promise<CsvReading> {
  const { reading, problem } = await read(...args)
  expect(problem).toBeNull()
  return reading as CsvReading
}

async function problemOf(...args: Parameters<typeof read>): Promise<string | null> {
  return (await read(...args)).problem
}

const names = (reading: CsvReading) => reading.records.map(({ cells }) => cells.name)

test('comma, semicolon and tab, with every kind of line end, even mixed', async () => {
  for (const delimiter of [',', ';', '\t'] as const) {
    const text = `Name${delimiter}Note\r\nOne${delimiter}"a${delimiter}b"\nTwo${delimiter}c\rThree${delimiter}\n\n`
    const reading = await readingOf(text)
    expect(reading).toMatchObject({ delimiter, faults: [], headings: ['Name', 'Note'] })
    expect(reading.records).toEqual([
      { line: 2, cells: { name: 'One', note: `a${delimiter}b` }, formulas: [] },
      { line: 3, cells: { name: 'Two', note: 'c' }, formulas: [] },
      { line: 4, cells: { name: 'Three', note: '' }, formulas: [] },
    ])
  }
})

test('a delimiter inside a quoted heading does not count', async () => {
  expect(await readingOf('"Name";"Note, long, longer"\na;b')).toMatchObject({ delimiter: ';' })
})

test('UTF-8 with and without a mark, UTF-16 and Windows-1252 read the same', async () => {
  const text = 'Name,Note\nMüller – “é”,x'
  const latin = Uint8Array.from(text, (character) => {
    const special: Record<string, number> = { '–': 0x96, '“': 0x93, '”': 0x94 }
    return special[character] ?? character.charCodeAt(0)
  })
  const wide = new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))
  for (const [content, encoding] of [
    [utf8(text), 'UTF-8'],
    [utf8(`\ufeff${text}`), 'UTF-8'],
    [latin, 'Windows-1252'],
    [wide, 'UTF-16'],
    [Uint8Array.from(Buffer.from(wide).swap16()), 'UTF-16'],
  ] as const) {
    const reading = await readingOf(content)
    expect([names(reading), reading.encoding, reading.headings]).toEqual([['Müller – “é”'], encoding, ['Name', 'Note']])
  }
})

test('headings are found in any order and spelling, by another name, or as somebody says', async () => {
  expect(names(await readingOf('note, N-AME \nx,One'))).toEqual(['One'])
  expect(await readingOf('TERM,Extra\nOne,2')).toMatchObject({ headingOf: { name: 'TERM' }, ignored: ['Extra'] })
  expect(names(await readingOf('Word,Note\nOne,2', { mapping: { name: 'Word' } }))).toEqual(['One'])
  expect(await problemOf('Word,Note\nOne,2')).toBe(
    'This file lacks the column “Name”. Its headings are: “Word”, “Note”.',
  )
  expect(await problemOf('Name,note,NAME\na,b,c')).toBe('The heading “Name” is there twice.')
})

test('where a required column is missing, the headings are told so that somebody can choose', async () => {
  expect(await read('Word,Note\nOne,2')).toMatchObject({
    reading: null,
    found: { headings: ['Word', 'Note'], headingOf: { note: 'Note' } },
  })
  const mapped = await readingOf('Name,Word\nOne,2', { mapping: { name: 'word' } })
  expect(mapped).toMatchObject({ headingOf: { name: 'Word' }, ignored: ['Name'] })
  expect(names(mapped)).toEqual(['2'])
  const swapped = await readingOf('Name,Note\nOne,2', { mapping: { name: 'Note', note: 'Name' } })
  expect(swapped.records[0]?.cells).toEqual({ name: '2', note: 'One' })
  expect(names(await readingOf('Name,Note\nOne,2', { mapping: { name: 'of another file' } }))).toEqual(['One'])
  expect(await read('Word,Note\nOne,2', { mapping: { name: 'Word', note: 'Word' } })).toMatchObject({
    problem: '“Word” is chosen for two columns.',
    found: { headings: ['Word', 'Note'] },
  })
  expect(await read(`Word,${'x'.repeat(201)}\nOne,2`)).toMatchObject({
    problem: expect.stringContaining('is longer than 200 characters'),
    found: null,
  })
})

test('a quoted cell may have several lines, and the lines are counted as an editor counts them', async () => {
  const reading = await readingOf('Name,Note\n\nOne,"a\nb ""c"""\nTwo,x\n')
  expect(reading.records.map(({ line }) => line)).toEqual([3, 5])
  expect(reading.records[0]?.cells.note).toBe('a\nb "c"')
})

test('a faulty row is reported, and the rows around it are read', async () => {
  const reading = await readingOf('Name,Note\nOne,x\nTwo,"a"b\nThree,x,y,z\nFour,x')
  expect(names(reading)).toEqual(['One', 'Four'])
  expect(reading.faults.map(({ line, value }) => [line, value])).toEqual([
    [3, ''],
    [4, 'y'],
  ])
  const unclosed = await readingOf('Name,Note\nOne,x\nTwo,"a\nThree,b\n')
  expect(names(unclosed)).toEqual(['One', 'Three'])
  expect(unclosed.faults).toMatchObject([{ line: 3, reason: expect.stringContaining('never closed') }])
})

test('limits hold for bytes, rows, columns and cells, and a stream is not read on', async () => {
  expect(await problemOf('Name\n'.padEnd(2000, 'a'), { limits: { bytes: 1024 } })).toBe(
    'This file is larger than 1 KB.',
  )
  expect(await problemOf('Name\na\nb\nc', { limits: { rows: 2 } })).toContain('more than 2 rows')
  expect(await problemOf(`Name${','.repeat(1_000_000)}\na`, { limits: { bytes: 5_000_000 } })).toContain(
    'more than 50 columns',
  )
  const wide = await readingOf(`Name\na${',b'.repeat(1_000_00)}\nc`)
  expect([names(wide), wide.faults]).toMatchObject([
    ['c'],
    [{ line: 2, reason: expect.stringContaining('100001 cells') }],
  ])
  const longCell = await readingOf(`Name\n${'é'.repeat(30)}`, { limits: { cell: 20 } })
  expect(longCell.faults).toMatchObject([{ line: 2, column: 'Name' }])
  let parts = 0
  const endless = async function* () {
    for (;;) {
      parts++
      yield utf8('Name\n'.repeat(100))
    }
  }
  expect((await readCsv(endless(), { columns, limits: { bytes: 2000 } })).problem).toContain('larger')
  expect(parts).toBe(5)
})

test('a megabyte of broken quotation marks takes no more time than a sound file', async () => {
  const hostile = `Name\n${' "\n'.repeat(330_000)}`
  const before = process.cpuUsage()
  expect(await problemOf(hostile)).toContain('quotation marks')
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000)
})

test('what is no CSV file is refused with a sentence', async () => {
  expect(await problemOf('')).toBe('This file is empty.')
  expect(await problemOf('\ufeff\n \n')).toBe('This file is empty.')
  expect(await problemOf('Name,Note\n\n')).toBe('This file has headings and no rows.')
  expect(await problemOf('PK\u0003\u0004xl/workbook.xml')).toContain('workbook')
  expect(await problemOf('Name\na\u0000b')).toContain('not a text file')
  expect(await problemOf('"Name,Note\na,b')).toContain('headings cannot be read')
})

const row = z.object({ name: z.string().min(2, 'Too short').regex(/^[^=]/, 'No formulas'), note: z.string() })

test('each row meets the schema of its service, and each fault has line, column, value and reason', async () => {
  const reading = await readingOf('Term,Note\nAssay,x\n=cmd|’/C calc’!A0,y\na,z\nassay,w')
  const { valid, faults } = checkCsv(reading, row, { unique: ['name'] })
  expect(valid).toEqual([{ line: 2, value: { name: 'Assay', note: 'x' } }])
  expect(faults).toEqual([
    { line: 3, column: 'Term', value: '=cmd|’/C calc’!A0', reason: 'No formulas' },
    { line: 4, column: 'Term', value: 'a', reason: 'Too short' },
    { line: 5, column: 'Term', value: 'assay', reason: 'The same as in line 2.' },
  ])
})

test('what our own files hold comes back as it was, formulas included', async () => {
  const cell = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((text) => text.replaceAll('\0', '').trim())
  const rows = fc.array(
    fc.tuple(
      cell.filter((text) => text !== '' && !/^'/.test(text)),
      cell.filter((text) => !/^'/.test(text)),
    ),
    {
      minLength: 1,
      maxLength: 20,
    },
  )
  await fc.assert(
    fc.asyncProperty(rows, async (values) => {
      const reading = await readingOf(stringify([['Name', 'Note'], ...values], csvOptions()))
      expect(reading.records.map(({ cells }) => [cells.name, cells.note])).toEqual(values)
      expect(reading.faults).toEqual([])
    }),
    { numRuns: rounds(2000) },
  )
})

test('apostrophes in the texts of others stay', async () => {
  const text = "Values; '-1' means missing."
  const cellsOf = async (mark: string) => (await read(`${mark}Name,Role\n${text},x\n`)).reading?.records[0]?.cells
  expect(Object.values((await cellsOf('')) ?? {})).toContain(text)
  expect(Object.values((await cellsOf('\ufeff')) ?? {}), 'ours').toContain("Values; -1' means missing.")
})

test('no bytes whatever break it', async () => {
  const hostile = fc.array(
    fc.constantFrom('"', ',', ';', '\n', '\r', '\r\n', '\t', 'a', '=1', '\ufeff', "'", '\u0000', ' '),
    {
      maxLength: 60,
    },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        hostile.map((parts) => utf8(`Name,Note\n${parts.join('')}`)),
      ),
      async (bytes) => {
        const { reading, problem } = await readCsv(bytes, { columns })
        if (reading === null) expect(problem).toMatch(/\.$/)
        else for (const { line } of reading.records) expect(line).toBeGreaterThan(1)
      },
    ),
    { numRuns: rounds(5000) },
  )
})

test('rows without a use, such as empty ones, are limited too', async () => {
  const limits = { rows: 3 }
  const empty = 'This file has more than 3 empty rows. Please remove them.'
  expect(names(await readingOf('Name\n\na\n\nb\n\nc\n', { limits }))).toEqual(['a', 'b', 'c'])
  expect(await problemOf('Name\n\n\n\n\na\n', { limits })).toBe(empty)
  expect(await problemOf('\n\n\n\nName\na\n', { limits })).toBe(empty)
  expect(await problemOf('Name,Note\n,\n,\n,\n,\n', { limits })).toBe(empty)
  const tooMany = 'This file has more than 3 rows. Please split it.'
  expect(await problemOf(`Name\n${'a,b\n'.repeat(4)}`, { limits })).toBe(tooMany)
  expect(await problemOf(`Name\n${'\n'.repeat(1_000_000)}`)).toContain('more than 10,000 empty rows')
})
