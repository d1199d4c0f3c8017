/**
 * What is kept about the viewer, for the viewer: one part after the other, so that none waits for all. Nothing in it proves who somebody is: no
 * password, no session id, no token.
 */
import { type RawBuilder, sql } from 'kysely'
import { describeAgent } from '~/lib/agent.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { listProfileQuestions, listUserAnswers } from '../questionnaire/questionnaire.server.ts'
import { listOwnSessions } from '../sessions/sessions.server.ts'
import { getUser } from '../users/users.server.ts'

export type OwnDataPart = { name: string; value: unknown }

export async function* readOwnData(ctx: Ctx): AsyncGenerator<OwnDataPart> {
  requireViewer(ctx)
  yield { name: 'exportedAt', value: ctx.now }
  yield { name: 'site', value: ctx.site.baseUrl }
  for (const [name, read] of parts) yield { name, value: await read(ctx) }
}

const parts: [string, (ctx: Ctx) => Promise<unknown>][] = [
  ['profile', readProfile],
  ['answers', readAnswers],
  ['modules', readModules],
  ['courses', readCourses],
  ['lectures', (ctx) => readWatched(ctx, 'lecture')],
  ['videos', (ctx) => readWatched(ctx, 'video')],
  ['attempts', readAttempts],
  ['statements', readStatements],
  ['quizAndSurveyAnswers', readQuestionAnswers],
  ['films', readPlays],
  ['assignments', readAssignments],
  ['favorites', readFavorites],
  ['messages', readMessages],
  ['sessions', readSessions],
  ['visits', readVisits],
  ['signIns', (ctx) => readRows(ctx, sql`select at from logins where user_id = ${viewerId(ctx)} order by id desc`)],
  ['accessTokens', readTokens],
  ['searches', readSearches],
  ['pageViews', readEvents],
]

/** Of each kind the newest so many: a file that can be opened. */
const most = 10_000

function viewerId(ctx: Ctx): number {
  return requireViewer(ctx).id
}

async function readRows(ctx: Ctx, query: RawBuilder<unknown>): Promise<unknown[]> {
  const { rows } = await sql`${query} limit ${most}`.execute(ctx.db)
  return rows
}

function readAttempts(ctx: Ctx) {
  return readRows(
    ctx,
    sql`
      select m.name as module, r.number, r.progress_percent as "progressPercent", r.created_at as "startedAt",
        r.satisfied_at as "satisfiedAt", r.closed_at as "closedAt"
      from registrations r join modules m on m.id = r.module_id
      where r.user_id = ${viewerId(ctx)} and not r.is_preview order by r.id desc`,
  )
}

/** What content said of the viewer, as it was stored. */
async function readStatements(ctx: Ctx) {
  const rows = await readRows(
    ctx,
    sql`
      select s.body from registrations r join xapi_statements s on s.registration = r.uid
      where r.user_id = ${viewerId(ctx)} order by s.seq desc`,
  )
  return (rows as { body: string }[]).map(({ body }) => JSON.parse(body) as unknown)
}

function readPlays(ctx: Ctx) {
  return readRows(
    ctx,
    sql`
      select title, subject as kind, started_at as "startedAt", last_at as "lastAt", seconds, max_percent as "maxPercent",
        completed_at as "completedAt"
      from video_plays where user_id = ${viewerId(ctx)} order by id desc`,
  )
}

function readAssignments(ctx: Ctx) {
  const of = (kind: 'module' | 'course') => sql`
    select ${kind}::text as kind, item.uid, item.name, a.assigned_at as "assignedAt"
    from ${sql.table(`${kind}_assignments`)} a join ${sql.table(`${kind}s`)} item on item.id = ${sql.ref(`a.${kind}_id`)}
    where a.user_id = ${viewerId(ctx)}`
  return readRows(ctx, sql`${of('module')} union all ${of('course')} order by "assignedAt" desc`)
}

function readTokens(ctx: Ctx) {
  return readRows(
    ctx,
    sql`
      select name, scope, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt",
        revoked_at as "revokedAt"
      from access_tokens where user_id = ${viewerId(ctx)} order by id desc`,
  )
}

function readSearches(ctx: Ctx) {
  return readRows(
    ctx,
    sql`select at, query, type from search_queries where user_id = ${viewerId(ctx)} order by id desc`,
  )
}

function readEvents(ctx: Ctx) {
  return readRows(
    ctx,
    sql`select at, name, properties, screen from events where user_id = ${viewerId(ctx)} order by at desc, id desc`,
  )
}

async function readProfile(ctx: Ctx) {
  const user = await getUser(ctx, { userUid: requireViewer(ctx).uid })
  const { uid, firstName, lastName, email, universityName, groups, joinedAt, optOutOfEmails } = user
  const { subscriptionType, planName, validFrom, validTo } = user
  const subscription = subscriptionType && { type: subscriptionType, accessPlan: planName, validFrom, validTo }
  return {
    uid,
    firstName,
    lastName,
    email,
    institution: universityName,
    groups,
    joinedAt,
    optOutOfEmails,
    subscription,
  }
}

async function readAnswers(ctx: Ctx) {
  const questions = await listProfileQuestions(ctx)
  const answers = await listUserAnswers(ctx, { userUid: requireViewer(ctx).uid })
  return answers.map(({ questionUid, optionUids, customAnswer }) => {
    const question = questions.find(({ uid }) => uid === questionUid)
    const chosen = question?.options.filter(({ uid }) => optionUids.includes(uid)).map(({ text }) => text)
    return { question: question?.text, chosen, ...(customAnswer && { ownWords: customAnswer }) }
  })
}

function readModules(ctx: Ctx) {
  return ctx.db
    .selectFrom('module_progress as p')
    .innerJoin('modules', 'modules.id', 'p.module_id')
    .select([
      'modules.uid',
      'modules.name',
      'p.started_at as startedAt',
      'p.last_visited_at as lastVisitedAt',
      'p.progress_percent as progressPercent',
      'p.highest_score as highestScore',
      'p.completed_at as completedAt',
    ])
    .where('p.user_id', '=', requireViewer(ctx).id)
    .orderBy('p.started_at')
    .limit(most)
    .execute()
}

function readCourses(ctx: Ctx) {
  return ctx.db
    .selectFrom('course_progress as p')
    .innerJoin('courses', 'courses.id', 'p.course_id')
    .select(['courses.uid', 'courses.name', 'p.started_at as startedAt', 'p.completed_at as completedAt'])
    .where('p.user_id', '=', requireViewer(ctx).id)
    .orderBy('p.started_at')
    .limit(most)
    .execute()
}

async function readWatched(ctx: Ctx, kind: 'lecture' | 'video') {
  const [progress, table, key] = [`${kind}_progress`, `${kind}s`, `${kind}_id`].map((name) => sql.ref(name))
  const { rows } = await sql`
    select watched.uid, watched.name, p.percent as "progressPercent", p.completed_at as "completedAt"
    from ${progress} p join ${table} watched on watched.id = p.${key}
    where p.user_id = ${requireViewer(ctx).id}
    order by watched.name, watched.id limit ${most}`.execute(ctx.db)
  return rows
}

function readQuestionAnswers(ctx: Ctx) {
  return ctx.db
    .selectFrom('question_answers')
    .select(['kind', 'question', 'response', 'is_correct as isCorrect', 'answered_at as answeredAt'])
    .where('user_id', '=', requireViewer(ctx).id)
    .orderBy('seq')
    .limit(most)
    .execute()
}

async function readFavorites(ctx: Ctx) {
  const { rows } = await sql`
    select case when m.id is not null then 'module' when c.id is not null then 'course'
        when l.id is not null then 'lecture' else 'video' end as kind,
      coalesce(m.uid, c.uid, l.uid, v.uid) as uid, coalesce(m.name, c.name, l.name, v.name) as name,
      f.created_at as "savedAt"
    from favorites f
      left join modules m on m.id = f.module_id
      left join courses c on c.id = f.course_id
      left join lectures l on l.id = f.lecture_id
      left join videos v on v.id = f.video_id
    where f.user_id = ${requireViewer(ctx).id}
    order by f.created_at, f.id limit ${most}`.execute(ctx.db)
  return rows
}

/** What was sent, and when it was opened; the texts are the sender's. */
function readMessages(ctx: Ctx) {
  return ctx.db
    .selectFrom('announcement_recipients as r')
    .innerJoin('announcements as a', 'a.id', 'r.announcement_id')
    .select([
      'a.uid',
      'a.subject',
      'r.channel',
      'r.sent_at as sentAt',
      'r.opened_at as openedAt',
      'r.clicked_at as clickedAt',
      'r.pinned_at as pinnedAt',
    ])
    .where('r.user_id', '=', requireViewer(ctx).id)
    .where('r.state', '=', 'sent')
    .orderBy('r.id')
    .limit(most)
    .execute()
}

async function readSessions(ctx: Ctx) {
  return (await listOwnSessions(ctx)).map(({ agent, address, createdAt, lastSeenAt }) => ({
    browser: describeAgent(agent),
    address,
    createdAt,
    lastSeenAt,
  }))
}

function readVisits(ctx: Ctx) {
  return ctx.db
    .selectFrom('visits')
    .select(['started_at as startedAt', 'last_seen_at as lastSeenAt'])
    .where('user_id', '=', requireViewer(ctx).id)
    .orderBy('id')
    .limit(most)
    .execute()
}
