/** The figures of the charts above reports. They are counted in the rows that the reports read. */
import { type RawBuilder, sql } from 'kysely'
import type { ReportPath } from '~/forms/report-list.ts'
import { chartIntervals, type IntervalOfPeriod, type ReportInterval } from '~/lib/report-periods.ts'
import type { Ctx } from '../context.ts'
import { countedCompletions, progressRows, secondsToComplete } from './completion-queries.server.ts'
import { playRows } from './film-queries.server.ts'
import { loginRows, sessionRows } from './login-queries.server.ts'
import { answerRows, answerText, searchesForTerms } from './queries.server.ts'
import {
  questionText,
  type ReportCells,
  type ReportInput,
  type ReportLines,
  readForPage,
} from './report-cells.server.ts'

/** Values for each series, in the order of the report's chart. */
export type ReportChart =
  | { kind: 'time'; interval: ReportInterval; firstDays: string[]; series: number[][] }
  | { kind: 'spread'; counts: number[] }
  | { kind: 'shares'; counts: number[] }
  /** `links`: what each name leads to, as a cell does. */
  | { kind: 'ranked'; names: string[]; series: number[][]; links?: (string | null)[] }
  /** The answers to one question, without its words. */
  | { kind: 'answers'; names: string[]; series: number[][] }

/** From which second on a completion belongs to the next column: 15 minutes, half an hour, an hour … 30 days. */
const spreadSteps = [900, 1800, 3600, 7200, 86_400, 7 * 86_400, 30 * 86_400] as const

/**
 * The chart of a report; null for one that has none. `lines` are those of the report, and `first` reads those that it
 * begins with.
 */
export async function readChart(
  ctx: Ctx,
  path: ReportPath,
  { input, lines, first }: { input: ReportInput; lines: ReportLines; first: FirstLines },
): Promise<ReportChart | null> {
  switch (path) {
    case 'logins':
    case 'logins/total':
    case 'logins/avg':
    case 'logins/avg_time_between_logins':
      return inTime(ctx, input, [{ at: sql`at`, rows: (shown) => loginRows(ctx, shown) }])
    case 'sessions':
    case 'sessions/total':
    case 'sessions/averages':
      return inTime(ctx, input, [{ at: sql`started_at`, rows: (shown) => sessionRows(ctx, shown) }])
    case 'modules/started_completed':
      return inTime(
        ctx,
        input,
        [sql`started_at`, sql`completed_at`].map((at) => ({ at, rows: (shown) => progressRows(ctx, shown, at) })),
      )
    case 'modules/time_to_complete':
    case 'modules/time_to_complete/avg':
      return { kind: 'spread', counts: await spread(ctx, input) }
    case 'modules/quiz-answers':
      return mostAnswered(ctx, {
        response: input.rows.question === null ? sql`null::text` : sql`answer.response`,
        more: sql`(count(*) filter (where answer.is_correct))::int`,
        rows: answerRows(ctx, 'quiz', input),
        isOfOne: input.rows.question !== null,
      })
    case 'modules/survey':
      return mostAnswered(ctx, {
        response: sql`answer.response`,
        more: sql`null::int`,
        rows: answerRows(ctx, 'survey', input),
        isOfOne: input.rows.question !== null,
      })
    case 'search_terms/searches':
      return inTime(ctx, input, [{ at: sql`at`, rows: (shown) => searchesForTerms(ctx, shown) }])
    case 'search_terms':
      return firstLines(lines, first, ['Searches', 'Searches without results'])
    case 'videos/plays':
      return inTime(ctx, input, [{ at: sql`play.started_at`, rows: (shown) => playRows(ctx, shown) }])
    case 'videos':
      if (input.uid !== null) return { kind: 'shares', counts: await playsUpTo(ctx, input) }
      return firstLines(lines, first, ['Plays', 'Plays to the end'])
    default:
      return null
  }
}

type Series = { at: RawBuilder<unknown>; rows: (shown: ReportInput) => RawBuilder<unknown> }

async function inTime(ctx: Ctx, input: ReportInput, series: Series[]): Promise<ReportChart> {
  const { interval, intervals } = chartIntervals(input.period, ctx.site.timeZone)
  const counted = await Promise.all(series.map((one) => countIntervals(ctx, input, { ...one, intervals })))
  return { kind: 'time', interval, firstDays: intervals.map(({ firstDay }) => firstDay), series: counted }
}

async function countIntervals(
  ctx: Ctx,
  input: ReportInput,
  { at, rows, intervals }: Series & { intervals: IntervalOfPeriod[] },
): Promise<number[]> {
  // About everybody, each interval is a count in an index. Who else it is about is looked up once.
  if (input.people === null) {
    const counts = intervals.map(({ from, to }) => {
      const period = { ...input.period, from, to }
      return sql`(select count(*)::int ${rows({ ...input, period })})`
    })
    const found = await readForPage(ctx, sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`)
    return found[0]?.counts ?? []
  }
  const from = intervals[0]?.from ?? null
  const starts = intervals.map((one) => one.from)
  const counts = await countBuckets(
    ctx,
    sql`width_bucket(${at}, ${starts}::timestamptz[])`,
    rows({ ...input, period: { ...input.period, from } }),
  )
  return intervals.map((_, index) => counts.get(index + 1) ?? 0)
}

/** Counting what is below each step needs no groups, so several processes can do it. */
async function spread(ctx: Ctx, input: ReportInput): Promise<number[]> {
  const below = spreadSteps.map((step) => sql`(count(*) filter (where ${secondsToComplete} < ${step}))::int`)
  const [found] = await readForPage(
    ctx,
    sql<{ below: number[] }>`
      select array[${sql.join([...below, sql`count(*)::int`])}] as below ${countedCompletions(ctx, input)}`,
  )
  const counts = found?.below ?? []
  return counts.map((count, index) => count - (counts[index - 1] ?? 0))
}

/** How far along a film plays are counted, in percent. */
export const playedShares = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100] as const

/** How many plays of a film reached each share of it. A play to the end reached all of it, wherever its last event was. */
async function playsUpTo(ctx: Ctx, input: ReportInput): Promise<number[]> {
  const reached = sql`case when play.completed_at is null then play.max_percent else 100 end`
  const counts = await countBuckets(
    ctx,
    sql`width_bucket(${reached}, ${[...playedShares]}::integer[])`,
    playRows(ctx, input),
  )
  return playedShares.map((_, index) =>
    [...counts].reduce((sum, [bucket, count]) => (bucket > index ? sum + count : sum), 0),
  )
}

async function countBuckets(
  ctx: Ctx,
  bucket: RawBuilder<unknown>,
  rows: RawBuilder<unknown>,
): Promise<Map<number, number>> {
  const counted = await readForPage(
    ctx,
    sql<{ bucket: number; count: number }>`select ${bucket} as bucket, count(*)::int as count ${rows} group by 1`,
  )
  return new Map(counted.map(({ bucket, count }) => [bucket, count]))
}

/** How many columns a ranking has. */
const most = 10

type Answers = {
  response: RawBuilder<unknown>
  more: RawBuilder<unknown>
  rows: RawBuilder<unknown>
  /** Whether all are answers to one question. */
  isOfOne: boolean
}

/**
 * Modules ask questions of the same words about different things, so each question is one of its module, by its IRI. Where
 * several of those that are shown have the same words, each has the name of its module too. Answers are put in words after
 * they were counted, because there are few different ones.
 */
async function mostAnswered(ctx: Ctx, { response, more, rows, isOfOne }: Answers): Promise<ReportChart> {
  type Answered = {
    question: string
    answer: string | null
    module: string | null
    count: number
    more: number | null
    link: string | null
  }
  const found = await readForPage(
    ctx,
    sql<Answered>`
    with written as (
      select answer.module_id, answer.question_iri, ${response} as response, count(*)::int as count, ${more} as more,
        coalesce(max(answer.seq) filter (where answer.question <> ''), max(answer.seq)) as latest
      ${rows} group by 1, 2, 3),
    answered as (
      select module_id, question_iri, ${answerText(sql`response`)} as answer, sum(count)::int as count,
        sum(more)::int as more, max(latest) as latest
      from written group by 1, 2, 3
      order by count desc, question_iri, answer, module_id limit ${most})
    select ${questionText} as question, answered.answer, answered.count, answered.more, modules.name::text as module,
      'question:' || modules.uid || ':' || answered.question_iri as link
    from answered
      join question_answers answer on answer.seq = answered.latest
      left join modules on modules.id = answered.module_id
    order by answered.count desc, 1, 2, modules.name_key, answered.module_id`,
  )
  const isShared = ({ question, module }: Answered) =>
    found.some((other) => other.question === question && other.module !== module)
  const hasMore = found.some((row) => row.more !== null)
  return {
    kind: isOfOne ? 'answers' : 'ranked',
    names: found.map((row) => {
      if (isOfOne) return row.answer || 'No answer'
      const name = row.module !== null && isShared(row) ? `${row.question} (${row.module})` : row.question
      return row.answer === null ? name : `${name}: ${row.answer}`
    }),
    series: [found.map(({ count }) => count), ...(hasMore ? [found.map((row) => row.more ?? 0)] : [])],
    ...(!isOfOne && { links: found.map(({ link }) => link) }),
  }
}

type FirstLines = (limit: number) => Promise<ReportCells[]>

/** The first lines of a report whose first cell is a name, and which begins with the largest. */
async function firstLines(lines: ReportLines, first: FirstLines, heads: string[]): Promise<ReportChart> {
  const rows = await first(most)
  const places = heads.map((head) => lines.cells.findIndex((cell) => cell.head === head) + 1)
  return {
    kind: 'ranked',
    names: rows.map(({ c1 }) => String(c1 ?? '')),
    series: places.map((place) => rows.map((row) => Number(row[`c${place}`] ?? 0))),
  }
}
