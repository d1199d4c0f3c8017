/** The query of each report but those about users and messages; those of answers and searches are here. */
import { type RawBuilder, sql } from 'kysely'
import type { ReportPath } from '~/forms/report-list.ts'
import type { Ctx } from '../context.ts'
import { averageTimeToComplete, moduleName, startedCompleted, timeToComplete } from './completion-queries.server.ts'
import { filmsQuery, playList } from './film-queries.server.ts'
import { personCells } from './lines-of-people.server.ts'
import {
  averageLogins,
  loginList,
  loginTotals,
  sessionAverages,
  sessionList,
  sessionTotals,
  timeBetweenLogins,
} from './login-queries.server.ts'
import { pendingUsers } from './people-queries.server.ts'
import {
  type Cell,
  isAbout,
  isAmongAnswers,
  isIn,
  questionText,
  type ReportInput,
  type ReportQuery,
  source,
  sumCell,
  timeCell,
} from './report-cells.server.ts'

/** What was answered. xAPI writes `[,]` between several answers (1.0.3 data, appendix C). */
export const answerText = (response: RawBuilder<unknown>) => sql`replace(${response}, '[,]', ', ')`

/** Answers. Totals and charts need no person and module. */
export const answerRows = (ctx: Ctx, kind: 'quiz' | 'survey', input: ReportInput, join = sql``) => sql`
  from question_answers answer ${join}
  where answer.site_id = ${ctx.site.id} and answer.kind = ${kind}
    and ${isIn(input.period, sql`answer.answered_at`)} and ${isAbout(input, sql`answer.user_id`)}
    and ${isAmongAnswers(input)}`

const answers =
  (kind: 'quiz' | 'survey', more: Cell[]): ReportQuery =>
  (ctx, input) =>
    source(
      [
        timeCell(ctx, 'Answered', sql`answer.answered_at`),
        ...personCells,
        moduleName,
        { head: 'Question', sql: questionText, link: sql`'question:' || modules.uid || ':' || answer.question_iri` },
        { head: 'Answer', sql: answerText(sql`answer.response`) },
        ...more,
      ],
      answerRows(
        ctx,
        kind,
        input,
        sql`
          left join users on users.id = answer.user_id left join modules on modules.id = answer.module_id`,
      ),
      sql`answer.answered_at, answer.seq`,
      answerRows(ctx, kind, input),
    )

const termOf = (query: RawBuilder<unknown>) => sql`lower(trim(${query}))`

const searchRows = (ctx: Ctx, input: ReportInput) => sql`
  from search_queries search
  where search.site_id = ${ctx.site.id} and ${isIn(input.period, sql`search.at`)}
    and ${isAbout(input, sql`search.user_id`)} and ${input.rows.isWithoutResults ? sql`search.results = 0` : sql`true`}
    and ${input.rows.term === null ? sql`true` : sql`${termOf(sql`search.query`)} = ${input.rows.term}`}`

/** The searches that are counted for a term. What consists of spaces is none. */
export const searchesForTerms = (ctx: Ctx, input: ReportInput) => sql`
  ${searchRows(ctx, input)} and trim(search.query) <> ''`

/** One row per search, with its day, so that the times of sessions do not tell who searched (docs/decisions/046). */
const searchList: ReportQuery = (ctx, input) =>
  source(
    [
      {
        head: 'Day',
        sql: sql`to_char(search.at at time zone ${ctx.site.timeZone}, 'YYYY-MM-DD')`,
        kind: 'day',
        by: [sql`search.at`],
      },
      { head: 'Searched for', sql: sql`search.query` },
      { head: 'Results', sql: sql`search.results`, kind: 'number' },
    ],
    searchesForTerms(ctx, input),
    sql`search.at, search.id`,
  )

const searchTerms: ReportQuery = (ctx, input) => {
  const rows = searchRows(ctx, input)
  const cellsOf = (term: RawBuilder<unknown>, searches: RawBuilder<unknown>, failed: RawBuilder<unknown>): Cell[] => [
    { head: 'Search term', sql: term, link: sql`'term:' || ${term}` },
    sumCell('Searches', searches),
    { head: 'People', sql: sql`count(distinct user_id)::int`, kind: 'number' },
    sumCell('Searches without results', failed),
  ]
  const order = sql`2 desc, 1`
  const all = cellsOf(termOf(sql`query`), sql`count(*)::int`, sql`(count(*) filter (where results = 0))::int`)
  // Texts are counted as they were written, and made terms after that. Their people are counted for the terms that are shown.
  const people = {
    from: [sql`facts.written`],
    sql: (written: RawBuilder<unknown>) =>
      sql`(select count(distinct user_id)::int ${rows} and query = any(${written}))`,
  }
  const shown = cellsOf(sql`facts.term`, sql`facts.searches`, sql`facts.failed`)
  const onScreen = {
    facts: sql`
      select ${termOf(sql`query`)} as term, sum(searches)::int as searches, sum(failed)::int as failed,
        array_agg(query) as written
      from (
        select query, count(*) as searches, count(*) filter (where results = 0) as failed ${rows} group by query) texts
      group by 1`,
    cells: shown.map((cell) => (cell.head === 'People' ? { ...cell, find: people } : cell)),
    from: sql`from facts where facts.term <> ''`,
    order,
  }
  return {
    heads: all.map(({ head }) => head),
    open: async () => ({
      cells: all,
      from: sql`${rows} and trim(query) <> '' group by 1`,
      order,
      // About some people, each line would look all of them up.
      ...(input.people === null && { onScreen }),
    }),
  }
}

export const reportQueries: Record<Exclude<ReportPath, 'users' | 'announcements'>, ReportQuery> = {
  'pending-users': pendingUsers,
  search_terms: searchTerms,
  'search_terms/searches': searchList,
  logins: loginList,
  'logins/total': loginTotals,
  'logins/avg': averageLogins,
  'logins/avg_time_between_logins': timeBetweenLogins,
  sessions: sessionList,
  'sessions/averages': sessionAverages,
  'sessions/total': sessionTotals,
  'modules/started_completed': startedCompleted,
  'modules/time_to_complete': timeToComplete,
  'modules/time_to_complete/avg': averageTimeToComplete,
  'modules/quiz-answers': answers('quiz', [
    {
      head: 'Correct',
      sql: sql`case answer.is_correct when true then 'Yes' when false then 'No' end`,
      total: {
        label: 'Correct',
        of: (isCorrect) => sql`count(*) filter (where ${isCorrect})`,
        parts: [sql`answer.is_correct`],
        isDuration: false,
      },
    },
    { head: 'Score (%)', sql: sql`round((answer.score_scaled * 100)::numeric, 1)`, kind: 'number' },
  ]),
  'modules/survey': answers('survey', []),
  videos: filmsQuery,
  'videos/plays': playList,
}
