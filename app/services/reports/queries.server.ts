/** The queries of the reports. Every row has the cells of a line in the file, in the order of the heads. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { brands } from '~/config/brands.ts'
import type { ReportAggregate, ReportPath } from '~/forms/reports.ts'
import { groupChoices } from '~/forms/user-tables.ts'
import { type IntervalOfPeriod, intervalsOf, type ReportInterval, type ReportPeriod } from '~/lib/report-periods.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import type { Database } from '~db/client.server.ts'
import type { Ctx } from '../context.ts'
import { invitationJoin, isOfSite, statusConditions } from '../users/table-entries.server.ts'

export type ReportCells = Record<string, string | number | null>
export type ReportInput = {
  period: ReportPeriod
  interval: ReportInterval | null
  aggregate: ReportAggregate
}
export type ReportSource = {
  heads: string[]
  query: (db: Database) => Promise<RawBuilder<ReportCells>>
}

type Cell = { head: string; sql: RawBuilder<unknown> }

/** A name may be missing in an account that was erased; what it did stays. */
const personCells: Cell[] = [
  {
    head: 'Name',
    sql: sql`case when users.erased_at is not null then 'Deleted user'
      else coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), '') end`,
  },
  { head: 'Email', sql: sql`case when users.erased_at is null then users.email end` },
]

/** What the lines are about: a person, or the people of an institution, position or group. `users` is joined. */
function keyOf(
  ctx: Ctx,
  aggregate: ReportAggregate,
): { cells: Cell[]; group: RawBuilder<unknown>; order: RawBuilder<unknown> } {
  if (aggregate === 'user') {
    return {
      cells: personCells,
      group: sql`users.id`,
      order: sql`users.erased_at is not null, users.name_key, users.id`,
    }
  }
  const text = {
    institution: {
      head: 'Institution',
      sql: sql`coalesce((select name::text from universities where id = users.university_id), 'No institution')`,
    },
    position: {
      head: 'Position',
      sql: sql`coalesce((select nullif(position, '') from user_facets where user_id = users.id), 'No position')`,
    },
    group: { head: 'Group', sql: groupName(ctx) },
  }[aggregate]
  // The first cell of the line: its text, so that equal names are one line.
  return { cells: [text], group: sql`1`, order: sql`1` }
}

/** The site's own group, that of its default institution, and all others (C-136). */
function groupName(ctx: Ctx): RawBuilder<unknown> {
  return sql`case coalesce((select group_key from user_facets where user_id = users.id), 'external')
    when 'site' then ${brands[ctx.site.key].name}::text
    when 'university' then coalesce((
      select universities.name::text from sites join universities on universities.id = sites.default_university_id
      where sites.id = ${ctx.site.id}), 'University')
    else 'External' end`
}

/** A time as the clocks of the site show it. Its head names the zone. */
function timeOf(ctx: Ctx, at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${at} at time zone ${ctx.site.timeZone}, 'YYYY-MM-DD HH24:MI:SS')`
}

/** Seconds as 27:05:00, for people, and as a number, to calculate with. */
function durationCells(head: string, seconds: RawBuilder<unknown>): Cell[] {
  return [
    {
      head: `${head} (h:mm:ss)`,
      sql: sql`to_char(make_interval(secs => round((${seconds})::numeric)::double precision), 'FMHH24:MI:SS')`,
    },
    { head: `${head} (seconds)`, sql: seconds },
  ]
}

function isIn({ from, to }: ReportPeriod, at: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return from ? sql`(${at} >= ${from} and ${at} < ${to})` : sql`(${at} < ${to})`
}

/** A whole second for each session and completion, so that the totals are the sums of what they are made of. */
const wholeSeconds = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
  sql`round(greatest(extract(epoch from ${to} - ${from}), 0))::bigint`

function select(cells: Cell[], rest: RawBuilder<unknown>): RawBuilder<ReportCells> {
  return sql`select ${sql.join(cells.map((cell, index) => sql`${cell.sql} as ${sql.ref(`c${index + 1}`)}`))} ${rest}`
}

function source(cells: Cell[], rest: RawBuilder<unknown>): ReportSource {
  return { heads: cells.map(({ head }) => head), query: async () => select(cells, rest) }
}

/** Lines that sum up what each person did. `facts` has a row per person, with `user_id`. */
function summedUp(
  ctx: Ctx,
  { aggregate }: ReportInput,
  { facts, cells }: { facts: RawBuilder<unknown>; cells: Cell[] },
): ReportSource {
  const key = keyOf(ctx, aggregate)
  const people: Cell[] = aggregate === 'user' ? [] : [{ head: 'People', sql: sql`count(*)::int` }]
  return source(
    [...key.cells, ...people, ...cells],
    sql`from (${facts}) facts join users on users.id = facts.user_id and users.site_id = ${ctx.site.id}
      group by ${key.group} order by ${key.order}`,
  )
}

type Query = (ctx: Ctx, input: ReportInput) => ReportSource

const loginFacts = (ctx: Ctx, { period }: ReportInput) => sql`
  select user_id, count(*) as logins, extract(epoch from max(at) - min(at)) as span
  from logins where site_id = ${ctx.site.id} and ${isIn(period, sql`at`)} group by user_id`

const sessionFacts = (ctx: Ctx, { period }: ReportInput) => sql`
  select user_id, count(*) as sessions, sum(${wholeSeconds(sql`started_at`, sql`last_seen_at`)}) as seconds
  from visits where site_id = ${ctx.site.id} and ${isIn(period, sql`started_at`)} group by user_id`

const loginCount: Cell = { head: 'Logins', sql: sql`sum(facts.logins)::bigint` }
const sessionCount: Cell = { head: 'Sessions', sql: sql`sum(facts.sessions)::bigint` }
const sessionSeconds = sql`sum(facts.seconds)::bigint`

const loginTotals: Query = (ctx, input) => summedUp(ctx, input, { facts: loginFacts(ctx, input), cells: [loginCount] })

const intervalWords = { daily: ['Days', 'day'], weekly: ['Weeks', 'week'], monthly: ['Months', 'month'] } as const

/** All time begins with the first login of the site. */
const averageLogins: Query = (ctx, input) => {
  const interval = input.interval ?? 'daily'
  const [many, one] = intervalWords[interval]
  const cells = (count: number): Cell[] => [
    loginCount,
    { head: many, sql: sql`${count}::int` },
    { head: `Average logins per ${one}`, sql: sql`round(sum(facts.logins)::numeric / ${Math.max(count, 1)}::int, 2)` },
  ]
  const of = (count: number) => summedUp(ctx, input, { facts: loginFacts(ctx, input), cells: cells(count) })
  return {
    heads: of(0).heads,
    query: async (db) => of((await intervalsSinceFirstLogin(ctx, db, input.period, interval)).length).query(db),
  }
}

async function intervalsSinceFirstLogin(
  ctx: Ctx,
  db: Database,
  period: ReportPeriod,
  interval: ReportInterval,
): Promise<IntervalOfPeriod[]> {
  const { timeZone } = ctx.site
  const { lastDay } = period
  if (period.firstDay !== null) return intervalsOf({ firstDay: period.firstDay, lastDay }, interval, timeZone)
  const { rows } = await sql<{ first: Date | null }>`
    select min(at) as first from logins where site_id = ${ctx.site.id}`.execute(db)
  const first = rows[0]?.first
  return first ? intervalsOf({ firstDay: dayOf(first, timeZone), lastDay }, interval, timeZone) : []
}

const timeBetweenLogins: Query = (ctx, input) => {
  const gaps = sql`sum(facts.logins - 1)`
  return summedUp(ctx, input, {
    facts: sql`select * from (${loginFacts(ctx, input)}) more where logins > 1`,
    cells: [
      loginCount,
      ...durationCells('Average time between logins', sql`round(sum(facts.span)::numeric / ${gaps}, 2)`),
      {
        head: 'Average days between logins',
        sql: sql`round(sum(facts.span)::numeric / ${gaps} / 86400, 2)`,
      },
    ],
  })
}

const sessionTotals: Query = (ctx, input) =>
  summedUp(ctx, input, {
    facts: sessionFacts(ctx, input),
    cells: [sessionCount, ...durationCells('Total time', sessionSeconds)],
  })

const sessionAverages: Query = (ctx, input) =>
  summedUp(ctx, input, {
    facts: sessionFacts(ctx, input),
    cells: [
      sessionCount,
      ...durationCells('Total time', sessionSeconds),
      ...durationCells('Average time', sql`round(sum(facts.seconds) / sum(facts.sessions), 2)`),
    ],
  })

const startedCompleted: Query = (ctx, input) => {
  const started = isIn(input.period, sql`started_at`)
  const completed = sql`coalesce(${isIn(input.period, sql`completed_at`)}, false)`
  return summedUp(ctx, input, {
    facts: sql`
      select user_id, count(*) filter (where ${started}) as started, count(*) filter (where ${completed}) as completed
      from module_progress where site_id = ${ctx.site.id} and (${started} or ${completed}) group by user_id`,
    cells: [
      { head: 'Modules started', sql: sql`sum(facts.started)::bigint` },
      { head: 'Modules completed', sql: sql`sum(facts.completed)::bigint` },
    ],
  })
}

const moduleName: Cell = { head: 'Module', sql: sql`modules.name::text` }

const completions = (ctx: Ctx, { period }: ReportInput) => sql`
  from module_progress progress
    join users on users.id = progress.user_id and users.site_id = ${ctx.site.id}
    join modules on modules.id = progress.module_id
  where progress.site_id = ${ctx.site.id} and ${isIn(period, sql`progress.completed_at`)}`

const secondsToComplete = wholeSeconds(sql`progress.started_at`, sql`progress.completed_at`)

const timeToComplete: Query = (ctx, input) => {
  const key = keyOf(ctx, input.aggregate)
  const { timeZone } = ctx.site
  return source(
    [
      ...key.cells,
      moduleName,
      { head: `Started (${timeZone})`, sql: timeOf(ctx, sql`progress.started_at`) },
      { head: `Completed (${timeZone})`, sql: timeOf(ctx, sql`progress.completed_at`) },
      ...durationCells('Time to complete', secondsToComplete),
    ],
    sql`${completions(ctx, input)}
      order by ${key.order}, modules.name_key, progress.completed_at, progress.user_id, progress.module_id`,
  )
}

const averageTimeToComplete: Query = (ctx, input) => {
  const key = keyOf(ctx, input.aggregate)
  const average: Cell[] = [
    { head: 'Completions', sql: sql`count(*)::int` },
    ...durationCells('Average time to complete', sql`round(avg(${secondsToComplete}), 2)`),
  ]
  // A person completes a module once, so the mean of a person is over all modules.
  if (input.aggregate === 'user') {
    return source(
      [...key.cells, ...average],
      sql`${completions(ctx, input)} group by ${key.group} order by ${key.order}`,
    )
  }
  return source(
    [...key.cells, moduleName, ...average],
    sql`${completions(ctx, input)} group by ${key.group}, modules.id order by ${key.order}, modules.name_key, modules.id`,
  )
}

const answers =
  (kind: 'quiz' | 'survey', more: Cell[]): Query =>
  (ctx, { period }) =>
    source(
      [
        { head: `Answered (${ctx.site.timeZone})`, sql: timeOf(ctx, sql`answer.answered_at`) },
        ...personCells,
        moduleName,
        { head: 'Question', sql: sql`coalesce(nullif(answer.question, ''), answer.question_iri)` },
        { head: 'Answer', sql: sql`answer.response` },
        ...more,
      ],
      sql`from question_answers answer
        left join users on users.id = answer.user_id left join modules on modules.id = answer.module_id
        where answer.site_id = ${ctx.site.id} and answer.kind = ${kind} and ${isIn(period, sql`answer.answered_at`)}
        order by answer.answered_at, answer.seq`,
    )

const searchTerms: Query = (ctx, { period }) =>
  source(
    [
      { head: 'Search term', sql: sql`lower(trim(query))` },
      { head: 'Searches', sql: sql`count(*)::int` },
      { head: 'People', sql: sql`count(distinct user_id)::int` },
      { head: 'Searches without results', sql: sql`(count(*) filter (where results = 0))::int` },
    ],
    sql`from search_queries
      where site_id = ${ctx.site.id} and trim(query) <> '' and ${isIn(period, sql`at`)}
      group by 1 order by 2 desc, 1`,
  )

const videoUse: Query = (ctx, { period }) =>
  source(
    [
      {
        head: 'Video',
        sql: sql`coalesce(
          (select name::text from videos where uid = play.subject_uid and site_id = ${ctx.site.id}),
          (select name::text from lectures where uid = play.subject_uid and site_id = ${ctx.site.id}),
          max(play.title))`,
      },
      {
        head: 'Kind',
        sql: sql`case play.subject when 'video' then 'Video' when 'lecture' then 'Lecture' else 'Home page' end`,
      },
      { head: 'Plays', sql: sql`count(*)::int` },
      { head: 'People', sql: sql`count(distinct play.user_id)::int` },
      { head: 'Plays to the end', sql: sql`count(play.completed_at)::int` },
      ...durationCells('Time watched', sql`sum(round(play.seconds::numeric))::bigint`),
      { head: 'Average share seen (%)', sql: sql`round(avg(play.max_percent), 1)` },
    ],
    sql`from video_plays play
      where play.site_id = ${ctx.site.id} and ${isIn(period, sql`play.started_at`)}
      group by play.subject, play.subject_uid, case when play.subject_uid is null then play.title end
      order by 3 desc, 1, play.subject_uid`,
  )

const institutionName = sql`(select name::text from universities where id = users.university_id)`

const groupLabel = Object.fromEntries(groupChoices.map(({ value, label }) => [value, label]))
const groupLabels = sql`(
  select string_agg(coalesce(${JSON.stringify(groupLabel)}::jsonb ->> name, name), ', ' order by name)
  from user_groups where user_id = users.id and name <> 'pending_users')`

/** The columns of the report about users, by the id of the field (C-208). A question of the profile is one by its uid. */
function userField(ctx: Ctx, id: string): RawBuilder<unknown> {
  const subscription = (column: string) => sql`(select ${sql.ref(column)} from subscriptions where user_id = users.id)`
  const subscriptionDay = (column: string) =>
    sql`(select ${timeOf(ctx, sql.ref(column))} from subscriptions where user_id = users.id)`
  switch (id) {
    case 'first_name':
    case 'last_name':
    case 'email':
      return sql.ref(`users.${id}`)
    case 'institution':
      return institutionName
    case 'groups':
      return groupLabels
    case 'access_plan':
      return sql`(select name::text from access_plans where id = ${subscription('access_plan_id')})`
    case 'subscription_type':
      return subscription('type')
    case 'valid_from':
    case 'valid_to':
      return subscriptionDay(id)
    case 'joined':
      return timeOf(ctx, sql`users.joined_at`)
    case 'last_login':
      return timeOf(ctx, sql`users.last_login_at`)
    case 'completed_modules':
      return sql`(select count(completed_at)::int from module_progress where user_id = users.id)`
    case 'completed_courses':
      return sql`(select count(completed_at)::int from course_progress where user_id = users.id)`
    default:
      return sql`(
        select coalesce(string_agg(
            case when option.allows_custom_answer then coalesce(nullif(trim(answer.custom_answer), ''), option.text)
              else option.text end, ', ' order by option.position, option.id), max(answer.custom_answer))
        from user_answers answer
          join profile_questions question on question.id = answer.question_id
          left join user_answer_options chosen on chosen.answer_id = answer.id
          left join profile_options option on option.id = chosen.option_id
        where answer.user_id = users.id and question.uid = ${id}::uuid)`
  }
}

const timeFields = ['valid_from', 'valid_to', 'joined', 'last_login']

/** Everybody whose account can be or could be used, with the chosen fields. All time includes who never joined. */
export function usersQuery(
  ctx: Ctx,
  { period, fields }: { period: ReportPeriod; fields: { id: string; title: string }[] },
): ReportSource {
  const cells = fields.map(({ id, title }) => ({
    head: timeFields.includes(id) ? `${title} (${ctx.site.timeZone})` : title,
    sql: userField(ctx, id),
  }))
  return source(
    cells,
    sql`from users
      where ${isOfSite(ctx)} and not ${statusConditions(ctx).invited}
        and ${period.from ? isIn(period, sql`users.joined_at`) : sql`true`}
      order by users.name_key, users.id`,
  )
}

const mailStates = { accepted: 'Sent', refused: 'Refused', failing: 'Being sent again', waiting: 'Waiting' }

const pendingUsers: Query = (ctx, { period }) =>
  source(
    [
      { head: 'First name', sql: sql`users.first_name` },
      { head: 'Last name', sql: sql`users.last_name` },
      { head: 'Email', sql: sql`users.email` },
      { head: 'Institution', sql: institutionName },
      { head: 'Groups', sql: groupLabels },
      { head: 'Access plan', sql: userField(ctx, 'access_plan') },
      { head: `Invited (${ctx.site.timeZone})`, sql: timeOf(ctx, sql`coalesce(invitation.at, users.created_at)`) },
      { head: 'Invitation', sql: sql`${JSON.stringify(mailStates)}::jsonb ->> invitation.mail_state` },
    ],
    sql`from users ${invitationJoin}
      where ${isOfSite(ctx)} and ${statusConditions(ctx).invited}
        and ${period.from ? isIn(period, sql`coalesce(invitation.at, users.created_at)`) : sql`true`}
      order by users.name_key, users.id`,
  )

/** Messages that were sent in the period, or one of them, with what people did and what became of the mails (C-236). */
export function messagesQuery(ctx: Ctx, { period, uid }: { period: ReportPeriod; uid: string | null }): ReportSource {
  const count = (head: string, condition: RawBuilder<unknown>): Cell => ({
    head,
    sql: sql`count(*) filter (where ${condition})::int`,
  })
  const withMail = (head: string, state: string) => count(head, sql`mail.state = ${state}`)
  return source(
    [
      { head: 'Name', sql: sql`message.name` },
      { head: 'Subject', sql: sql`message.subject` },
      {
        head: 'Delivery',
        sql: sql`case message.delivery_type when 'email' then 'Email' else 'Learner dashboard' end`,
      },
      { head: 'From', sql: sql`message.from_field` },
      { head: 'Author', sql: sql`message.author_name` },
      { head: `Sent (${ctx.site.timeZone})`, sql: timeOf(ctx, sql`message.sent_at`) },
      { head: 'Recipients', sql: sql`count(r.id)::int` },
      count('Delivered', sql`r.state = 'sent'`),
      count('Left out', sql`r.state = 'skipped' or mail.state = 'skipped'`),
      count('Opened', sql`r.opened_at is not null`),
      count('Unread', sql`r.state = 'sent' and r.opened_at is null`),
      count('Link followed', sql`r.clicked_at is not null`),
      count('Pinned', sql`r.pinned_at is not null`),
      withMail('Mails accepted', 'accepted'),
      withMail('Mails refused', 'refused'),
      withMail('Mails in doubt', 'in_doubt'),
      withMail('Mails that came back', 'bounced'),
      withMail('Complaints', 'complained'),
      count('Mails without tracking', sql`mail.state in ('accepted', 'in_doubt', 'bounced') and not mail.is_tracked`),
      count('Unsubscribed', sql`mail.unsubscribed_at is not null`),
      count('Opened by machines', sql`r.machine_opened_at is not null`),
      count('Link followed by machines', sql`r.machine_clicked_at is not null`),
    ],
    sql`from announcements message
        left join announcement_recipients r on r.announcement_id = message.id
        left join mails mail on mail.recipient_id = r.id
      where message.site_id = ${ctx.site.id} and message.status = 'sent' and message.deleted_at is null
        and ${uid === null ? isIn(period, sql`message.sent_at`) : sql`message.uid = ${uid}::uuid`}
      group by message.id order by message.sent_at, message.id`,
  )
}

export const reportQueries: Record<Exclude<ReportPath, 'users' | 'announcements'>, Query> = {
  'pending-users': pendingUsers,
  search_terms: searchTerms,
  'logins/total': loginTotals,
  'logins/avg': averageLogins,
  'logins/avg_time_between_logins': timeBetweenLogins,
  'sessions/averages': sessionAverages,
  'sessions/total': sessionTotals,
  'modules/started_completed': startedCompleted,
  'modules/time_to_complete': timeToComplete,
  'modules/time_to_complete/avg': averageTimeToComplete,
  'modules/quiz-answers': answers('quiz', [
    { head: 'Correct', sql: sql`case answer.is_correct when true then 'Yes' when false then 'No' end` },
    { head: 'Score (%)', sql: sql`round((answer.score_scaled * 100)::numeric, 1)` },
  ]),
  'modules/survey': answers('survey', []),
  videos: videoUse,
}
