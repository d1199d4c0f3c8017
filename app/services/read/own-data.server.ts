/**
 * Everything stored about the viewer, for the viewer. It is returned in parts, so that the download starts at once. It
 * contains nothing that proves an identity: no password, session id or token.
 */
import { type RawBuilder, sql } from 'kysely'
import { describeAgent } from '~/lib/agent.ts'
import { actorOf } from '../cmi5/cmi5.server.ts'
import { type Ctx, refuseWhileViewing, requireViewer } from '../context.ts'
import { listProfileQuestions, listUserAnswers } from '../questionnaire/questionnaire.server.ts'
import { listOwnSessions } from '../sessions/sessions.server.ts'
import { getUser } from '../users/users.server.ts'
import { identifierOf } from '../xapi/xapi.server.ts'

/** `items` are JSON texts. At most one page of them is in memory. */
type OwnDataPart = { name: string; value: unknown } | { name: string; items: AsyncGenerator<string> }

export async function* readOwnData(ctx: Ctx): AsyncGenerator<OwnDataPart> {
  requireViewer(ctx)
  refuseWhileViewing(ctx)
  yield { name: 'exportedAt', value: ctx.now }
  yield { name: 'site', value: ctx.site.baseUrl }
  for (const [name, read] of parts) yield { name, value: await read(ctx) }
  yield { name: 'statements', items: readStatements(ctx) }
  yield { name: 'states', items: readStates(ctx) }
}

const parts: [string, (ctx: Ctx) => Promise<unknown>][] = [
  ['profile', readProfile],
  ['answers', readAnswers],
  ['modules', readModules],
  ['courses', readCourses],
  ['lectures', (ctx) => readWatched(ctx, 'lecture')],
  ['videos', (ctx) => readWatched(ctx, 'video')],
  ['attempts', readAttempts],
  ['quizAndSurveyAnswers', readQuestionAnswers],
  ['films', readPlays],
  ['assignments', readAssignments],
  ['favorites', readFavorites],
  ['messages', readMessages],
  ['mails', readMails],
  ['sessions', readSessions],
  ['visits', readVisits],
  ['signIns', (ctx) => readRows(ctx, sql`select at from logins where user_id = ${viewerId(ctx)} order by id desc`)],
  ['accessTokens', readTokens],
  ['addressChanges', readAddressChanges],
  ['searches', readSearches],
  ['pageViews', readEvents],
  ['drafts', readDrafts],
]

/** The most items of each kind, newest first, so that the file can still be opened. */
const maxItems = 10_000

function viewerId(ctx: Ctx): number {
  return requireViewer(ctx).id
}

async function readRows(ctx: Ctx, query: RawBuilder<unknown>): Promise<unknown[]> {
  const { rows } = await sql`${query} limit ${maxItems}`.execute(ctx.db)
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

const pageBytes = 2_000_000
const pageRows = 500

/**
 * Reads the statements about the viewer as they are stored, newest first. Pages are limited in bytes, because one
 * statement may have 10 MB.
 */
async function* readStatements(ctx: Ctx): AsyncGenerator<string> {
  let before: number | null = null
  for (let left = maxItems; left > 0; ) {
    const { rows }: { rows: { seq: number; body: string }[] } = await sql<{ seq: number; body: string }>`
      with latest as (
        select s.seq, octet_length(s.body) as bytes
        from registrations r join xapi_statements s on s.site_id = ${ctx.site.id} and s.registration = r.uid
        where r.user_id = ${viewerId(ctx)} and (${before}::bigint is null or s.seq < ${before}::bigint)
        order by s.seq desc limit ${Math.min(left, pageRows)}),
      sized as (select seq, sum(bytes) over (order by seq desc) - bytes as before from latest)
      select s.seq, s.body from sized join xapi_statements s on s.seq = sized.seq
      where s.site_id = ${ctx.site.id} and sized.before < ${pageBytes} order by s.seq desc`.execute(ctx.db)
    for (const { body } of rows) yield body
    before = rows.at(-1)?.seq ?? null
    if (before === null) return
    left -= rows.length
  }
}

type StoredState = {
  id: number
  name: string
  activity: string | null
  contentType: string
  updatedAt: Date
  content: Buffer
}

/** Reads what units store between visits: bookmarks, drafts, preferences. One document may also have 10 MB. */
async function* readStates(ctx: Ctx): AsyncGenerator<string> {
  const agent = identifierOf(await actorOf(ctx.db, requireViewer(ctx).uid))
  let after = 0
  for (let left = maxItems; left > 0; ) {
    const { rows }: { rows: StoredState[] } = await sql<StoredState>`
      with next as (
        select d.id, octet_length(d.content) as bytes from xapi_documents d join xapi_agents a on a.id = d.agent_id
        where d.site_id = ${ctx.site.id} and a.identifier = ${agent} and not d.is_locked and d.id > ${after}
        order by d.id limit ${Math.min(left, pageRows)}),
      sized as (select id, sum(bytes) over (order by id) - bytes as before from next)
      select d.id, d.document_id as name, activity.iri as activity, d.content_type as "contentType", d.updated_at as "updatedAt",
        d.content
      from sized join xapi_documents d on d.id = sized.id left join xapi_activities activity on activity.id = d.activity_id
      where sized.before < ${pageBytes} order by d.id`.execute(ctx.db)
    for (const row of rows) yield stateText(row)
    const last = rows.at(-1)
    if (!last) return
    after = last.id
    left -= rows.length
  }
}

function stateText({ id: _, content, ...about }: StoredState): string {
  const isText = /^(text\/|application\/json)/i.test(about.contentType)
  return JSON.stringify({
    ...about,
    ...(isText ? { content: content.toString('utf8') } : { base64: content.toString('base64') }),
  })
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
    select ${kind}::text as kind, item.uid, item.name, a.assigned_at as "assignedAt", a.due_on::text as "dueOn", a.note
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

function readAddressChanges(ctx: Ctx) {
  return readRows(
    ctx,
    sql`
      select email_before as "before", email as "after", created_at as "askedAt", confirmed_at as "confirmedAt",
        ended_at as "endedAt", outcome
      from address_changes where user_id = ${viewerId(ctx)} order by id desc`,
  )
}

function readSearches(ctx: Ctx) {
  return readRows(
    ctx,
    sql`select at, query, type from search_queries where user_id = ${viewerId(ctx)} order by at desc, id desc`,
  )
}

function readEvents(ctx: Ctx) {
  return readRows(
    ctx,
    sql`select at, name, properties, screen from events where user_id = ${viewerId(ctx)} order by at desc, id desc`,
  )
}

function readDrafts(ctx: Ctx) {
  return readRows(
    ctx,
    sql`
      select form_key as form, typed_at as "typedAt", fields from form_drafts
      where user_id = ${viewerId(ctx)} and fields is not null order by typed_at desc, id desc`,
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
    .limit(maxItems)
    .execute()
}

function readCourses(ctx: Ctx) {
  return ctx.db
    .selectFrom('course_progress as p')
    .innerJoin('courses', 'courses.id', 'p.course_id')
    .select(['courses.uid', 'courses.name', 'p.started_at as startedAt', 'p.completed_at as completedAt'])
    .where('p.user_id', '=', requireViewer(ctx).id)
    .orderBy('p.started_at')
    .limit(maxItems)
    .execute()
}

async function readWatched(ctx: Ctx, kind: 'lecture' | 'video') {
  const [progress, table, key] = [`${kind}_progress`, `${kind}s`, `${kind}_id`].map((name) => sql.ref(name))
  const { rows } = await sql`
    select watched.uid, watched.name, p.percent as "progressPercent", p.completed_at as "completedAt",
      p.position_seconds as "positionSeconds", (
        select coalesce(jsonb_agg(jsonb_build_array(lower(part) / 10.0, upper(part) / 10.0) order by part), '[]')
        from unnest(p.played) part) as "playedSeconds"
    from ${progress} p join ${table} watched on watched.id = p.${key}
    where p.user_id = ${requireViewer(ctx).id}
    order by watched.name, watched.id limit ${maxItems}`.execute(ctx.db)
  return rows
}

function readQuestionAnswers(ctx: Ctx) {
  return ctx.db
    .selectFrom('question_answers')
    .select(['kind', 'question', 'response', 'is_correct as isCorrect', 'answered_at as answeredAt'])
    .where('user_id', '=', requireViewer(ctx).id)
    .orderBy('seq')
    .limit(maxItems)
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
    order by f.created_at, f.id limit ${maxItems}`.execute(ctx.db)
  return rows
}

/** Reads which messages were sent and opened. Their texts belong to the sender and are not included. */
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
    .limit(maxItems)
    .execute()
}

/** Reads which mails were sent. The answers of mail servers to them belong to whoever runs the installation. */
function readMails(ctx: Ctx) {
  return readRows(
    ctx,
    sql`
      select kind, subject, address, state, created_at as "createdAt", ended_at as "endedAt"
      from mails where user_id = ${viewerId(ctx)} order by id desc`,
  )
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
    .limit(maxItems)
    .execute()
}
