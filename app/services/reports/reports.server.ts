/**
 * Reports for admins: what people did on the site in a period, as lines of a file or of a page. What each figure means is in
 * docs/words.md. Reports only read.
 */
import { type SqlBool, sql } from 'kysely'
import { brands } from '~/config/brands.ts'
import { findReport, isWithoutPeriod, type ReportDefinition, type ReportPath } from '~/forms/report-list.ts'
import { type ReportChoice, type ReportQuestion, readReportQuestion, reportTitle } from '~/forms/reports.ts'
import { type CsvRow, csvFileName } from '~/lib/csv.ts'
import { periodBefore, type ReportPeriod, reportPeriod, reportPeriodLabels } from '~/lib/report-periods.ts'
import { dayOf, startOfDay } from '~/lib/zoned-time.ts'
import type { Database } from '~db/client.server.ts'
import { getAnnouncementToEdit } from '../announcements/read-announcement.server.ts'
import { narrowPeople } from '../audiences/narrow-people.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { listUserReportFields } from '../users/report-fields.server.ts'
import { type ReportChart, readChart } from './charts.server.ts'
import { messagesQuery } from './message-queries.server.ts'
import { nameFilms } from './name-films.server.ts'
import { narrowRows } from './narrow-rows.server.ts'
import { usersQuery } from './people-queries.server.ts'
import { reportQueries } from './queries.server.ts'
import {
  allLines,
  type Cell,
  type CellKind,
  linesWithTotals,
  type ReportCells,
  type ReportInput,
  type ReportLines,
  type ReportSource,
  readForPage,
  readInTurn,
  readPageInTurn,
  someLines,
  totalsOfLines,
} from './report-cells.server.ts'
import { estimateLines, type ReportLength } from './report-length.server.ts'
import { readInSnapshot } from './snapshot.server.ts'

export type OpenReport = {
  /** The file's name: the site, the report, the period and its days. */
  fileName: string
  /**
   * The heads first, then the lines in batches, all from one snapshot. `signal` of the input ends the reading. Each batch is
   * emptied when the next one is asked for, as those of `readInSnapshot`.
   */
  parts: AsyncGenerator<CsvRow[]>
  /** How long it will be, found out without reading it. */
  estimate: () => Promise<ReportLength>
}

type Asked = { path: string; question: ReportQuestion }

/**
 * Opens a report, for admins. Throws NotFound for an unknown path, and Invalid with a sentence for what the question lacks
 * or for what nobody knows. Nothing of the report is read before `parts` is.
 */
export async function openReport(ctx: Ctx, input: Asked & { signal?: AbortSignal }): Promise<OpenReport> {
  requireAdmin(ctx)
  const { report, choice, period, source, words } = await prepareReport(ctx, input)
  return {
    fileName: fileNameOf(ctx, titleOf(report, choice, words), period),
    parts: readParts(ctx, source, input.signal),
    estimate: async () => estimateLines(ctx, await source.open(ctx.db)),
  }
}

/** Lines on a page of the screen, and how many can be paged through. The file has all. */
export const linesOfReport = { page: 50, most: 10_000 } as const

export type ReportPage = {
  report: ReportDefinition & { path: ReportPath }
  choice: ReportChoice
  period: ReportPeriod
  /** The name of the one film that it is about. */
  film: string | null
  /** What it is narrowed to: the film, the people and the rows. */
  words: string[]
  /** The columns that the screen shows. `column` is their place in the file, by which lines can be put in order. */
  columns: { column: number; head: string; kind: CellKind }[]
  /** The number of the page, at most the last that can be shown. */
  page: number
  /** The cells of each line, in the order of `columns`. `link` is what a cell leads to, as `user:uid`. */
  lines: { value: CsvRow[number]; link: string | null }[][]
  count: number
  totals: ReportTotal[]
  /** The same figures of the period before, if they were asked for and there is one. */
  before: { period: ReportPeriod; count: number; totals: ReportTotal[] } | null
  /** Stands only above the first page of lines. */
  chart: ReportChart | null
}
/**
 * Equal to what the lines of the file add up to. Null if there is nothing to make a mean of. `note` says what an average is
 * over, and makes it the first figure.
 */
export type ReportTotal = { label: string; value: number | null; isDuration: boolean; note?: string }

/**
 * Reads a page of a report and its totals, for admins. Refuses what `openReport` refuses. An order by an unknown column is
 * that of the file.
 */
export async function getReportPage(
  ctx: Ctx,
  input: Asked & { page?: number; sort?: { column: number; isDescending: boolean } | null },
): Promise<ReportPage> {
  requireAdmin(ctx)
  return readPageInTurn(ctx, () => readPage(ctx, input))
}

async function readPage(ctx: Ctx, input: Parameters<typeof getReportPage>[1]): Promise<ReportPage> {
  const { report, choice, period, film, words, source, about } = await prepareReport(ctx, input)
  const opened = await source.open(ctx.db)
  const lines = linesOnScreen(opened, input.sort ?? null)
  const most = linesOfReport.most / linesOfReport.page
  const page = Math.min(Math.max(input.page ?? 1, 1), most)
  const part = {
    limit: linesOfReport.page,
    offset: (page - 1) * linesOfReport.page,
    sort: sortOf(lines.cells, input.sort ?? null),
  }
  // Lines and totals of the same facts are read together, and others side by side.
  const both = lines.facts ? readForPage(ctx, linesWithTotals(lines, part), lines) : null
  const reading = both ? both.then(([row]) => row?.found ?? []) : readForPage(ctx, someLines(lines, part), lines)
  const adding = both ? both.then(([row]) => figuresIn(lines, row?.totals)) : readTotals(ctx, lines)
  /** The page often has them already. */
  const first = async (limit: number) => {
    if (part.sort === null && part.offset === 0) return (await reading).slice(0, limit)
    return await readForPage(ctx, someLines(lines, { limit, offset: 0, sort: null }), lines)
  }
  const [found, { count, totals }, before, chart] = await Promise.all([
    reading,
    adding,
    choice.isCompared ? readBefore(ctx, report, about) : null,
    page === 1 ? readChart(ctx, report.path, { input: about, lines, first }) : null,
  ])
  const columns = lines.cells.flatMap(({ head, label = head, kind = 'text' }, column) =>
    kind === 'hidden' ? [] : [{ column, head: label, kind }],
  )
  return {
    ...{ report, choice, period, film, words, columns, count, totals, before, chart, page },
    lines: found.map((row) =>
      columns.map(({ column }) => {
        const link = row[`l${column + 1}`]
        return { value: row[`c${column + 1}`] ?? null, link: typeof link === 'string' ? link : null }
      }),
    ),
  }
}

/**
 * Checks a question without reading the report, for admins: what it is stored as, and what it is called. Refuses what
 * `openReport` refuses.
 */
export async function getReportChoice(
  ctx: Ctx,
  asked: Asked,
): Promise<{
  report: ReportDefinition & { path: ReportPath }
  choice: ReportChoice
  title: string
  /** The names of the film and of the people that it is about. */
  words: string[]
  /** The same without the name of one person, and the title with these: for what is kept after that person is erased. */
  lastingWords: string[]
  lastingTitle: string
  period: ReportPeriod
  fileName: string
}> {
  requireAdmin(ctx)
  const { report, choice, period, words, lastingWords } = await prepareReport(ctx, asked)
  const title = titleOf(report, choice, words)
  const lastingTitle = titleOf(report, choice, lastingWords)
  return { report, choice, title, words, lastingWords, lastingTitle, period, fileName: fileNameOf(ctx, title, period) }
}

/** The figures of a report without its lines. */
export type ReportFigures = Pick<ReportPage, 'period' | 'count' | 'totals'>

/**
 * Reads the figures above the lines of several reports, for admins, in one query. Refuses what `openReport` refuses. They are
 * those of `getReportPage`.
 */
export async function listReportFigures(ctx: Ctx, asked: Asked[]): Promise<ReportFigures[]> {
  requireAdmin(ctx)
  const parts = await Promise.all(
    asked.map(async (one) => {
      const { period, source } = await prepareReport(ctx, one)
      return { period, lines: linesOnScreen(await source.open(ctx.db), null) }
    }),
  )
  const columns = parts.map(
    ({ lines }, index) =>
      sql`(select to_jsonb(totals) from (${totalsOfLines(lines)}) totals) as ${sql.ref(`t${index}`)}`,
  )
  const [row] = await readInTurn(ctx, sql<Record<string, ReportCells>>`select ${sql.join(columns)}`)
  return parts.map(({ period, lines }, index) => ({ period, ...figuresIn(lines, row?.[`t${index}`]) }))
}

/** Reads the first lines of a report in the order of one column, for admins: what a page of it begins with. */
export async function listFirstLines(
  ctx: Ctx,
  input: Asked & { sort: { column: number; isDescending: boolean }; limit: number },
): Promise<CsvRow[]> {
  requireAdmin(ctx)
  const { source } = await prepareReport(ctx, input)
  const lines = linesOnScreen(await source.open(ctx.db), input.sort)
  const part = { limit: input.limit, offset: 0, sort: sortOf(lines.cells, input.sort) }
  const rows = await readInTurn(ctx, someLines(lines, part))
  return rows.map((row) => lines.cells.map((_, index) => row[`c${index + 1}`] ?? null))
}

async function readBefore(
  ctx: Ctx,
  report: ReportDefinition & { path: ReportPath },
  about: Parameters<typeof sourceOf>[2],
): Promise<ReportPage['before']> {
  const period = periodBefore(about.period, ctx.site.timeZone)
  if (!period || isWithoutPeriod(report, about)) return null
  const source = await sourceOf(ctx, report, { ...about, period })
  return { period, ...(await readTotals(ctx, linesOnScreen(await source.open(ctx.db), null))) }
}

function linesOnScreen(lines: ReportLines, sort: { column: number } | null): ReportLines {
  const { onScreen } = lines
  return onScreen && !(sort && onScreen.cells[sort.column]?.find) ? onScreen : lines
}

/** A duration is put in order by its seconds, which are in the next column. */
function sortOf(cells: Cell[], sort: { column: number; isDescending: boolean } | null) {
  const kind = sort && cells[sort.column] && (cells[sort.column]?.kind ?? 'text')
  if (!sort || !kind || kind === 'hidden') return null
  return { index: kind === 'duration' ? sort.column + 1 : sort.column, isDescending: sort.isDescending }
}

async function readTotals(ctx: Ctx, lines: ReportLines): Promise<{ count: number; totals: ReportTotal[] }> {
  const [row] = await readForPage(ctx, totalsOfLines(lines), lines)
  return figuresIn(lines, row)
}

function figuresIn(lines: ReportLines, row: ReportCells = {}): { count: number; totals: ReportTotal[] } {
  const totals = lines.cells.flatMap(({ total }, index) => {
    if (!total) return []
    const value = row[`c${index + 1}`] ?? null
    const { label, isDuration, note } = total
    return [{ label, value: value === null ? null : Number(value), isDuration, ...(note && { note }) }]
  })
  return { count: Number(row.c0 ?? 0), totals }
}

/** "Login totals, by institution (University of Basel, Learners)" */
function titleOf(report: ReportDefinition, choice: ReportChoice, words: string[]): string {
  const title = reportTitle(report, choice)
  return words.length > 0 ? `${title} (${words.join(', ')})` : title
}

/** "Titrate_Login totals, by institution This Month 2026-11-01 to 2026-11-28.csv" */
function fileNameOf({ site }: Ctx, title: string, { name, firstDay, lastDay }: ReportPeriod): string {
  const days = `${firstDay === null ? '' : `${firstDay} `}to ${lastDay}`
  return csvFileName(brands[site.key].name, `${title} ${reportPeriodLabels[name]} ${days}`)
}

async function prepareReport(ctx: Ctx, input: Asked) {
  const report = findReport(input.path)
  if (!report) throw new NotFound()
  const read = readReportQuestion(report, input.question)
  if (!read.ok) throw new Invalid(sentenceOf(Object.values(read.errors)), read.errors)
  // A report as of today is that of no day in particular: it can be saved, and its links stay short.
  const choice = { ...read.choice, on: read.choice.on === dayOf(ctx.now, ctx.site.timeZone) ? null : read.choice.on }
  const period = periodOf(ctx, choice)
  const [{ condition, words }, narrowed] = await Promise.all([
    narrowPeople(ctx, choice.filters),
    narrowRows(ctx, choice.filters),
  ])
  const { rows } = narrowed
  const conditions = [...(condition ? [condition] : []), ...narrowed.people]
  const people = conditions.length > 0 ? sql<SqlBool>`(${sql.join(conditions, sql` and `)})` : null
  const about = { ...choice, period, people, rows }
  const film = report.one === 'film' && choice.uid !== null ? await getFilmName(ctx, choice.uid) : null
  const source = await sourceOf(ctx, report, about)
  const named = (more: string[]) => [...(film ? [film] : []), ...words, ...more]
  return {
    ...{ report, choice, period, about, film, source },
    words: named(narrowed.words),
    lastingWords: named(narrowed.lastingWords),
  }
}

/** Throws NotFound for a film that is not there or not of this site. */
async function getFilmName(ctx: Ctx, uid: string): Promise<string> {
  const name = (await nameFilms(ctx, [uid])).get(uid)
  if (name === undefined) throw new NotFound()
  return name
}

function periodOf({ now, site: { timeZone } }: Ctx, { period, on }: ReportChoice): ReportPeriod {
  const today = dayOf(now, timeZone)
  if (on !== null && on > today) {
    const sentence = `on is a day until today, ${today}.`
    throw new Invalid(sentence, { on: sentence })
  }
  const from = on === null ? now : startOfDay(on, timeZone)
  return reportPeriod(period ?? 'all_time', { now: from, timeZone })
}

async function sourceOf(
  ctx: Ctx,
  { path }: ReportDefinition & { path: ReportPath },
  input: ReportInput & Pick<ReportChoice, 'fields'>,
): Promise<ReportSource> {
  if (path === 'announcements') {
    // Throws NotFound for a message that is not there or not of this site.
    if (input.uid !== null) await getAnnouncementToEdit(ctx, { announcementUid: input.uid })
    return messagesQuery(ctx, input)
  }
  if (path !== 'users') return reportQueries[path](ctx, input)
  const known = new Map((await listUserReportFields(ctx)).map((field) => [field.id, field]))
  const unknown = input.fields.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const message = `There is no field “${unknown.slice(0, 5).join('”, “').slice(0, 200)}”.`
    throw new Invalid(message, { fields: message })
  }
  const fields = input.fields.flatMap((id) => known.get(id) ?? [])
  return usersQuery(ctx, { ...input, fields })
}

async function* readParts(ctx: Ctx, source: ReportSource, signal?: AbortSignal): AsyncGenerator<CsvRow[]> {
  const query = async (db: Database) => allLines(await source.open(db))
  let isFirst = true
  for await (const rows of readInSnapshot<ReportCells>(ctx, query, { signal })) {
    // A file that cannot be read is refused, and has no heads.
    const part = isFirst ? [source.heads] : rows.map((row) => Object.values(row))
    yield part
    part.length = 0
    isFirst = false
  }
}

function sentenceOf(sentences: string[]): string {
  return sentences.map((sentence) => (sentence.endsWith('.') ? sentence : `${sentence}.`)).join(' ')
}
