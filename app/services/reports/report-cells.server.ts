/** What the queries of reports are made of. Every row has the cells of a line in the file, in the order of the heads. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import type { ReportAggregate } from '~/forms/reports.ts'
import type { ReportInterval, ReportPeriod } from '~/lib/report-periods.ts'
import { turns } from '~/lib/turns.ts'
import type { Database } from '~db/client.server.ts'
import { plannedEachTime } from '~db/prepared.server.ts'
import type { Ctx } from '../context.ts'
import { Unavailable } from '../errors.ts'

export type ReportCells = Record<string, string | number | null>
/** The rows that a report reads. Null for all of them. */
export type NarrowedRows = {
  moduleId: number | null
  /** The IRI of a question of the module. */
  question: string | null
  isCorrect: boolean | null
  /** A search term, as the report has it. */
  term: string | null
  /** Searches that found nothing. */
  isWithoutResults: boolean
  /** The title of a film of the home page, which has no uid. */
  homeFilm: string | null
  /** Plays that reached the end of the film. */
  isToTheEnd: boolean
}

export type ReportInput = {
  period: ReportPeriod
  interval: ReportInterval | null
  aggregate: ReportAggregate
  /** SQL condition on `users`, about whom the figures are; null for everybody. */
  people: RawBuilder<SqlBool> | null
  rows: NarrowedRows
  /** The message or film that the report is about; null for all of them. */
  uid: string | null
}

/** How the screen shows a column. What is `hidden` there stands only in the file. A `time` is by the clock of the site. */
export type CellKind = 'text' | 'number' | 'day' | 'time' | 'duration' | 'hidden'

/** A figure for all lines together, made of what they have in this column. A duration is in seconds. */
export type Total = {
  label: string
  of: (...columns: RawBuilder<unknown>[]) => RawBuilder<unknown>
  isDuration: boolean
  /** What it is made of, if not of the column: an average over all lines is no average of averages. */
  parts?: RawBuilder<unknown>[]
  /** What it means. It then stands before the other figures. */
  note?: string
}

export type Cell = {
  head: string
  sql: RawBuilder<unknown>
  /** Text, unless it says otherwise. */
  kind?: CellKind
  total?: Total
  /** The head on the screen, where it differs. */
  label?: string
  /**
   * Lines are put in order by these, one after the other, instead of the text of the cell, so that an index can have that
   * order. They are null only where the cell says nothing.
   */
  by?: RawBuilder<unknown>[]
  /** What the cell leads to on the screen, as `user:uid`; null where there is no page. */
  link?: RawBuilder<unknown>
  /** Instead of `sql`: how it is found for each line that is shown, from some columns of the line. */
  find?: { from: RawBuilder<unknown>[]; sql: (...from: RawBuilder<unknown>[]) => RawBuilder<unknown> }
}

/** What a report reads: its cells, where they come from (with conditions and groups), and the order of its lines. */
export type ReportLines = {
  /** Rows that `from` reads as `facts`. A page and its totals are made of them in one query, which finds them once. */
  facts?: RawBuilder<unknown>
  cells: Cell[]
  from: RawBuilder<unknown>
  order: RawBuilder<unknown>
  /** The same rows in the same order, where the first of them are found faster than all of them. */
  walk?: { from: RawBuilder<unknown>; order: RawBuilder<unknown> }
  /** The same rows with at least the columns that have totals, where these are found faster. */
  counted?: RawBuilder<unknown>
  /**
   * How everybody is joined, where PostgreSQL chooses the slower way. 'in order' reads two indexes in the order of ids
   * instead of probing a large hash table at random. 'hashed' builds a hash table instead of looking people up one by one.
   */
  joins?: 'in order' | 'hashed'
  /** The same lines, where a page of them and the totals are found faster than all of them. Only these have cells to `find`. */
  onScreen?: ReportLines
}

export type ReportSource = {
  heads: string[]
  /** Makes the lines, after it has looked up what they depend on. */
  open: (db: Database) => Promise<ReportLines>
}

export type ReportQuery = (ctx: Ctx, input: ReportInput) => ReportSource

/** A time as the clocks of the site show it. Its head names the zone. */
export function timeOf(ctx: Ctx, at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${at} at time zone ${ctx.site.timeZone}, 'YYYY-MM-DD HH24:MI:SS')`
}

/** A column of times. The page of a report names the zone above them. */
export function timeColumn(ctx: Ctx, label: string): Pick<Cell, 'head' | 'label' | 'kind'> {
  return { head: `${label} (${ctx.site.timeZone})`, label, kind: 'time' }
}

/** A column of times that are never missing. */
export function timeCell(ctx: Ctx, label: string, at: RawBuilder<unknown>): Cell {
  return { ...timeColumn(ctx, label), sql: timeOf(ctx, at), by: [at] }
}

/** Seconds as 27:05:00, for people, and as a number, to calculate with. */
export function durationCells(head: string, seconds: RawBuilder<unknown>, total?: Total): Cell[] {
  return [
    {
      head: `${head} (h:mm:ss)`,
      sql: sql`to_char(make_interval(secs => round((${seconds})::numeric)::double precision), 'FMHH24:MI:SS')`,
      kind: 'duration',
      label: head,
    },
    { head: `${head} (seconds)`, sql: seconds, kind: 'hidden', total },
  ]
}

/** A number that adds up: its total is the sum of the lines. */
export function sumCell(head: string, number: RawBuilder<unknown>, label = head): Cell {
  return { head, sql: number, kind: 'number', total: sumOf(label) }
}

export function sumOf(label: string, { isDuration = false } = {}): Total {
  return { label, of: (column) => sql`coalesce(sum(${column}), 0)`, isDuration }
}

/** All of one thing divided by all of another. */
export function averageOf(
  label: string,
  note: string,
  [sum, number]: [sum: RawBuilder<unknown>, number: RawBuilder<unknown>],
): Total {
  const of = (sums: RawBuilder<unknown>, numbers: RawBuilder<unknown>) =>
    sql`round(sum(${sums})::numeric / sum(${numbers}), 2)`
  return { label, note, of, parts: [sum, number], isDuration: true }
}

/** The mean of the lines, in seconds; null without lines. */
export function meanOf(label: string): Total {
  return { label, of: (column) => sql`round(avg(${column}), 2)`, isDuration: true }
}

export function isIn({ from, to }: ReportPeriod, at: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return from ? sql`(${at} >= ${from} and ${at} < ${to})` : sql`(${at} < ${to})`
}

/** SQL condition: the figures are about this person. */
export function isAbout({ people }: Pick<ReportInput, 'people'>, userId: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return people ? sql`${userId} in (select users.id from users where ${people})` : sql`true`
}

/** SQL condition: the row is of the module that the report is narrowed to. */
export function isOfModule(
  { rows: { moduleId } }: Pick<ReportInput, 'rows'>,
  id: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  return moduleId === null ? sql`true` : sql`${id} = ${moduleId}`
}

/** SQL condition on `answer`: it is one of those that the report is narrowed to. */
export function isAmongAnswers(input: Pick<ReportInput, 'rows'>): RawBuilder<SqlBool> {
  const { question, isCorrect } = input.rows
  return sql`(${isOfModule(input, sql`answer.module_id`)}
    and ${question === null ? sql`true` : sql`answer.question_iri = ${question}`}
    and ${isCorrect === null ? sql`true` : sql`answer.is_correct = ${isCorrect}`})`
}

/** Of a row of `question_answers answer`. */
export const questionText = sql`coalesce(nullif(answer.question, ''), answer.question_iri)`

/**
 * A whole second for each session and completion, so that the totals are the sums of what they are made of. As fast as it
 * can be, and equal to the database's `whole_seconds`.
 */
export const wholeSeconds = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
  sql`floor(greatest(date_part('epoch', ${to} - ${from}), 0) + 0.5)::bigint`

export function source(
  cells: Cell[],
  from: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  counted?: RawBuilder<unknown>,
): ReportSource {
  return { heads: cells.map(({ head }) => head), open: async () => ({ cells, from, order, counted }) }
}

/** Reads rows of a period. Its plan depends on how long the period is. */
export async function readRows<Row>({ db }: Pick<Ctx, 'db'>, query: RawBuilder<Row>): Promise<Row[]> {
  const { rows } = await sql<Row>`${sql.raw(plannedEachTime)} ${query}`.execute(db)
  return rows
}

/**
 * Reads rows for a page. A worker of PostgreSQL may help with long periods (docs/decisions/045): one for each query, and two
 * on the whole server, so that other requests keep a core. Each process has a hash table of its own, because one that is shared
 * takes memory that containers may not have. Throws Unavailable if too many pages are being read, or if this one takes too
 * long.
 */
export async function readForPage<Row>(
  { db }: Pick<Ctx, 'db'>,
  query: RawBuilder<Row>,
  { joins }: Pick<ReportLines, 'joins'> = {},
): Promise<Row[]> {
  if (db.isTransaction) return readRows({ db }, query)
  const read = () =>
    db
      .transaction()
      .setAccessMode('read only')
      .execute(async (trx) => {
        await sql`select set_config('statement_timeout', ${`${longestPageSeconds}s`}, true), set_config('max_parallel_workers_per_gather', '1', true), set_config('max_parallel_workers', least(2, current_setting('max_parallel_workers')::int)::text, true),
        set_config('parallel_tuple_cost', '0.01', true), set_config('enable_parallel_hash', 'off', true),
        set_config('enable_hashjoin', ${joins === 'in order' ? 'off' : 'on'}, true),
        set_config('enable_nestloop', ${joins === 'hashed' ? 'off' : 'on'}, true)`.execute(trx)
        return readRows({ db: trx }, query)
      })
  return inTurn(read, pageTakesTooLong)
}

/** Reads rows for a part of a page, in turn with other pages. They are few, so no worker helps. */
export async function readInTurn<Row>({ db }: Pick<Ctx, 'db'>, query: RawBuilder<Row>): Promise<Row[]> {
  return db.isTransaction ? readRows({ db }, query) : inTurn(() => readRows({ db }, query), figuresTakeTooLong)
}

function inTurn<T>(read: () => Promise<T>, refusal: string): Promise<T> {
  return queries.run(read).catch((error: unknown) => {
    throw (error as { code?: unknown }).code === queryCanceled ? new Unavailable(refusal, 60, takesTooLong) : error
  })
}

const busy = () => new Unavailable('Many reports are being read right now. Please try again in a minute.', 60, 'busy')

/**
 * Reads a whole page, whose queries take their turns one by one. Throws Unavailable, before anything is read, if many pages
 * are being read or this viewer has asked for many.
 */
export function readPageInTurn<T>({ viewer }: Pick<Ctx, 'viewer'>, read: () => Promise<T>): Promise<T> {
  return pages.run(read, { who: viewer?.uid })
}

/** A page has up to five queries, so `queries` has room for those of all pages that are read, and of several overviews. */
const pages = turns({ running: 4, waiting: 20, ofOne: 8, refusal: busy })

/** Less than half of the connections of a process with three or more, so that reports keep no other page waiting. */
const queries = turns({
  running: () => Math.max(1, Math.floor(env().DATABASE_POOL_SIZE * 0.4)),
  waiting: 40,
  refusal: busy,
})

const longestPageSeconds = 10
const queryCanceled = '57014'
/** The code of the error for what PostgreSQL has given up. */
export const takesTooLong = 'report.too_long'
const figuresTakeTooLong = 'This takes too long at the moment. Please try again later.'
const pageTakesTooLong =
  'This page of the report takes too long at the moment. Choose a shorter period or fewer people, or download the file.'

const columnOf = (index: number) => sql.ref(`c${index + 1}`)

/** Every line, for the file. */
export function allLines(lines: ReportLines): RawBuilder<ReportCells> {
  const { cells, from, order } = lines
  return sql`${withFacts(lines)} select ${selected(cells)} ${from} order by ${order}`
}

type Part = { limit: number; offset: number; sort: { index: number; isDescending: boolean } | null }

/** Some lines for the screen, in the order of the file or by one column. */
export function someLines(lines: ReportLines, part: Part): RawBuilder<ReportCells> {
  return sql`${withFacts(lines)} ${partOfLines(lines, part)}`
}

function partOfLines(lines: ReportLines, { limit, offset, sort }: Part): RawBuilder<ReportCells> {
  const { cells } = lines
  const { from, order } = (sort === null && lines.walk) || lines
  const way = sort?.isDescending ? sql`desc` : sql`asc`
  const by = sort && cells[sort.index]?.by?.map((one) => sql`${one} ${way}`)
  const first = by ?? (sort ? [sql`${columnOf(sort.index)} ${way} nulls last`] : [])
  const links = cells.flatMap(({ link }, index) => (link ? [sql`${link} as ${sql.ref(`l${index + 1}`)}`] : []))
  const part = (columns: RawBuilder<unknown>[]) => sql<ReportCells>`
    select ${sql.join([...columns, ...links])} ${from}
    order by ${sql.join([...first, order])} limit ${limit} offset ${offset}`
  if (!cells.some(({ find }) => find)) return part([selected(cells)])
  const needed = (index: number, place: number) => sql.ref(`n${index + 1}_${place + 1}`)
  const columns = cells.flatMap(({ sql: cell, find }, index) =>
    find
      ? find.from.map((column, place) => sql`${column} as ${needed(index, place)}`)
      : [sql`${cell} as ${columnOf(index)}`],
  )
  const found = cells.flatMap(({ find }, index) =>
    find ? [sql`${find.sql(...find.from.map((_, place) => needed(index, place)))} as ${columnOf(index)}`] : [],
  )
  return sql`select shown.*, ${sql.join(found)} from (${part(columns)}) shown`
}

/** The number of lines (`c0`) and the totals, under the names of their columns. */
export function totalsOfLines(lines: ReportLines): RawBuilder<ReportCells> {
  return sql`${withFacts(lines)} ${figuresOfLines(lines)}`
}

/**
 * The first cell is selected too, because lines may be grouped by it. `counted` has what the totals are made of, and no such
 * groups.
 */
function figuresOfLines({ cells, from, counted }: ReportLines): RawBuilder<ReportCells> {
  const partOf = (index: number, place: number) => sql.ref(`c${index + 1}_${place + 1}`)
  const needed = cells.flatMap(({ sql: cell, total }, index) => {
    const isNeeded = (total && !total.parts) || (index === 0 && !counted)
    const parts = total?.parts?.map((part, place) => sql`${part} as ${partOf(index, place)}`) ?? []
    return [...(isNeeded ? [sql`${cell} as ${columnOf(index)}`] : []), ...parts]
  })
  const totals = cells.flatMap(({ total }, index) => {
    if (!total) return []
    const columns = total.parts?.map((_, place) => partOf(index, place)) ?? [columnOf(index)]
    return [sql`${total.of(...columns)} as ${columnOf(index)}`]
  })
  return sql`
    select ${sql.join([sql`count(*)::int as c0`, ...totals])}
    from (select ${sql.join(needed)} ${counted ?? from}) lines`
}

/** Some lines and the totals of all, from one reading of the facts. */
export function linesWithTotals(
  lines: ReportLines,
  part: Part,
): RawBuilder<{ found: ReportCells[]; totals: ReportCells }> {
  return sql`
    ${withFacts(lines)}
    select
      (select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (${partOfLines(lines, part)}) found) as found,
      (select to_jsonb(totals) from (${figuresOfLines(lines)}) totals) as totals`
}

function withFacts({ facts }: ReportLines): RawBuilder<unknown> {
  return facts ? sql`with facts as materialized (${facts})` : sql``
}

function selected(cells: Cell[]): RawBuilder<unknown> {
  return sql.join(cells.map((cell, index) => sql`${cell.sql} as ${columnOf(index)}`))
}
