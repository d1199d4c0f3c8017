/**
 * Web sessions: a row per signed-in browser, found by the hash of the random id in its cookie. There is none before
 * sign-in, each sign-in makes a new id, and a session is valid on only one site.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { isUid } from '~/lib/uid.ts'
import type { Database } from '~db/client.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import {
  type Ctx,
  type GroupName,
  isAdmin,
  requireAdmin,
  requireViewer,
  type Site,
  type SiteKey,
  type SystemCtx,
  type Viewer,
} from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { hasAnsweredAll } from '../questionnaire/questionnaire.server.ts'
import { siteColumns, siteOf } from '../sites/sites.server.ts'

export type Visitor = {
  site: Site
  viewer: Viewer | null
  sessionUid: string | null
  seenAt: Date | null
  /** The learner whom this session's owner views the site as. */
  viewed: { viewer: Viewer; expiresAt: Date } | null
  /** True if required profile questions are unanswered. Admins are never asked. */
  isQuestionnaireDue: boolean
}

const dayMs = 86_400_000

export function hashSessionId(id: string): Buffer {
  return createHash('sha256').update(id).digest()
}

/**
 * Reads site, session, user, groups, valid plan and the state of the questionnaire in one query, because every request
 * needs them. The visitor has no viewer if the session is unknown, expired or of the other site, or if the account is
 * inactive or erased.
 */
export async function findVisitor(
  db: Database,
  siteKey: SiteKey,
  sessionId: string | null,
  now: Date,
): Promise<Visitor> {
  const row = await db
    .selectFrom('sites')
    .leftJoin('sessions', (join) =>
      join.on('sessions.id_hash', '=', hashSessionId(sessionId ?? '')).on('sessions.expires_at', '>', now),
    )
    .leftJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'sessions.user_id')
        .onRef('users.site_id', '=', 'sites.id')
        .on('users.is_active', '=', true)
        .on('users.erased_at', 'is', null),
    )
    .leftJoin('session_views', (join) =>
      join
        .onRef('session_views.session_uid', '=', 'sessions.uid')
        .onRef('session_views.created_by', '=', 'users.id')
        .onRef('session_views.site_id', '=', 'sites.id')
        .on('session_views.expires_at', '>', now),
    )
    .leftJoin('subscriptions', 'subscriptions.user_id', 'users.id')
    .select(siteColumns)
    .select([
      'session_views.user_id as viewedId',
      'session_views.expires_at as viewedUntil',
      'sessions.uid as sessionUid',
      'sessions.last_seen_at as seenAt',
      'users.id as userId',
      'users.uid as userUid',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      ...accessAt(now),
      sql<GroupName[]>`array(select name from user_groups where user_id = users.id order by name)`.as('groups'),
      hasAnsweredAll({ id: 'users.id', siteId: 'users.site_id' }).as('hasAnsweredAll'),
    ])
    .where('sites.key', '=', siteKey)
    .executeTakeFirstOrThrow()
  const site = siteOf(row)
  if (row.userId === null || row.groups.includes('pending_users')) {
    return { site, viewer: null, viewed: null, sessionUid: null, seenAt: null, isQuestionnaireDue: false }
  }
  const viewer: Viewer = {
    id: row.userId,
    uid: row.userUid ?? '',
    siteId: site.id,
    email: row.email ?? '',
    firstName: row.firstName ?? '',
    lastName: row.lastName ?? '',
    groups: row.groups,
    planId: row.planId,
    accessEndedAt: row.accessEndedAt,
  }
  const isQuestionnaireDue = !row.hasAnsweredAll && !isAdmin(viewer)
  const { viewedId, viewedUntil } = row
  const viewed =
    viewedId !== null && viewedUntil !== null && isAdmin(viewer)
      ? await findViewed({ db, now, site }, { userId: viewedId, expiresAt: viewedUntil })
      : null
  return { site, viewer, viewed, sessionUid: row.sessionUid, seenAt: row.seenAt, isQuestionnaireDue }
}

/** Whether an admin may see the site as this person. Whoever has become an admin or an author since is viewed no more. */
export function mayBeViewed({ groups }: Pick<Viewer, 'groups'>): boolean {
  const isOther = groups.some((name) => name === 'admins' || name === 'authors' || name === 'pending_users')
  return groups.includes('learners') && !isOther
}

async function findViewed(
  ctx: Pick<Ctx, 'db' | 'now' | 'site'>,
  { userId, expiresAt }: { userId: number; expiresAt: Date },
): Promise<Visitor['viewed']> {
  const viewer = await findViewer(ctx, { userId })
  return viewer && mayBeViewed(viewer) ? { viewer, expiresAt } : null
}

/**
 * Finds a viewer for requests that are authenticated by other means than a session. Returns null for an account that
 * may not sign in here.
 */
export async function findViewer(
  ctx: Pick<Ctx, 'db' | 'now' | 'site'>,
  input: { userId: number } | { userUid: string },
): Promise<Viewer | null> {
  const row = await ctx.db
    .selectFrom('users')
    .leftJoin('subscriptions', 'subscriptions.user_id', 'users.id')
    .select([
      'users.id',
      'users.uid',
      'users.site_id as siteId',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      ...accessAt(ctx.now),
      sql<GroupName[]>`array(select name from user_groups where user_id = users.id order by name)`.as('groups'),
    ])
    .where((eb) => ('userId' in input ? eb('users.id', '=', input.userId) : eb('users.uid', '=', input.userUid)))
    .where('users.site_id', '=', ctx.site.id)
    .where('users.is_active', '=', true)
    .where('users.erased_at', 'is', null)
    .executeTakeFirst()
  if (!row || row.groups.includes('pending_users')) return null
  return { ...row, email: row.email ?? '', firstName: row.firstName ?? '', lastName: row.lastName ?? '' }
}

/** The plan while the subscription is valid, and the end of one that has ended. A person has at most one. */
function accessAt(now: Date) {
  const begun = sql`coalesce(subscriptions.valid_from <= ${now}, true)`
  const ended = sql`coalesce(subscriptions.valid_to <= ${now}, false)`
  return [
    sql<number | null>`case when ${begun} and not ${ended} then subscriptions.access_plan_id end`.as('planId'),
    sql<Date | null>`case when ${ended} then subscriptions.valid_to end`.as('accessEndedAt'),
  ] as const
}

/** Starts a session and returns the id for the cookie. The id itself is not stored. */
export async function createSession(
  ctx: Ctx,
  input: { userUid: string; agent: string | null },
): Promise<{ id: string }> {
  const id = randomBytes(32).toString('base64url')
  await ctx.db
    .insertInto('sessions')
    .values({
      id_hash: hashSessionId(id),
      user_id: sql<number>`(select id from users where uid = ${input.userUid})`,
      created_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + Math.min(env().SESSION_DAYS, env().SESSION_MAX_DAYS) * dayMs),
      // A proxy may send anything.
      address: ctx.address !== null && isIP(ctx.address) > 0 ? ctx.address : null,
      agent: input.agent?.slice(0, 300) ?? null,
    })
    .execute()
  return { id }
}

export async function deleteSession(ctx: Ctx, input: { id: string }): Promise<void> {
  await ctx.db.deleteFrom('sessions').where('id_hash', '=', hashSessionId(input.id)).execute()
}

/** Signs a person out everywhere, after a new password or when an account is closed. */
export async function deleteSessionsOf(ctx: Ctx, input: { userUid: string }): Promise<void> {
  await ctx.db
    .deleteFrom('sessions')
    .where('user_id', '=', (eb) => eb.selectFrom('users').select('id').where('uid', '=', input.userUid))
    .execute()
}

export type OwnSession = {
  uid: string
  agent: string | null
  address: string | null
  createdAt: Date
  lastSeenAt: Date
  isCurrent: boolean
}

/** Lists the viewer's sessions: this one first, then by last use; at most 100. */
export async function listOwnSessions(ctx: Ctx): Promise<OwnSession[]> {
  const viewer = requireViewer(ctx)
  const rows = await ctx.db
    .selectFrom('sessions')
    .select(['uid', 'agent', 'address', 'created_at as createdAt', 'last_seen_at as lastSeenAt'])
    .where('user_id', '=', viewer.id)
    .where('expires_at', '>', ctx.now)
    .orderBy('last_seen_at', 'desc')
    .limit(100)
    .execute()
  const sessions = rows.map((row) => ({ ...row, isCurrent: row.uid === ctx.session.uid }))
  return [...sessions.filter(({ isCurrent }) => isCurrent), ...sessions.filter(({ isCurrent }) => !isCurrent)]
}

/** Ends one other session of the viewer. Throws NotFound if it has ended or belongs to somebody else. */
export async function endOwnSession(ctx: Ctx, input: { sessionUid: string }): Promise<void> {
  const viewer = requireViewer(ctx, 'write')
  if (input.sessionUid === ctx.session.uid)
    throw new Conflict('session.current', 'This is the session you are using. Log out to end it.')
  const ended = isUid(input.sessionUid)
    ? await ctx.db
        .deleteFrom('sessions')
        .where('user_id', '=', viewer.id)
        .where('uid', '=', input.sessionUid)
        .executeTakeFirst()
    : null
  if (!ended?.numDeletedRows) throw new NotFound('You are no longer logged in there.')
}

/** Ends all other sessions of the viewer and returns how many there were. */
export async function endOtherSessions(ctx: Ctx): Promise<{ count: number }> {
  const viewer = requireViewer(ctx, 'write')
  let query = ctx.db.deleteFrom('sessions').where('user_id', '=', viewer.id)
  if (ctx.session.uid !== null) query = query.where('uid', '!=', ctx.session.uid)
  const { numDeletedRows } = await query.executeTakeFirstOrThrow()
  return { count: Number(numDeletedRows) }
}

/** Lists the sessions of anybody of the site, for admins, by last use; at most 100. */
export async function listSessionsOfUser(
  ctx: Ctx,
  input: { userUid: string },
): Promise<Omit<OwnSession, 'isCurrent'>[]> {
  requireAdmin(ctx)
  if (!isUid(input.userUid)) throw new NotFound()
  return ctx.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.uid',
      'sessions.agent',
      'sessions.address',
      'sessions.created_at as createdAt',
      'sessions.last_seen_at as lastSeenAt',
    ])
    .where('users.uid', '=', input.userUid)
    .where('users.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .where('sessions.expires_at', '>', ctx.now)
    .orderBy('sessions.last_seen_at', 'desc')
    .limit(100)
    .execute()
}

/**
 * Ends one session of anybody of the site, or all of them without `sessionUid`, for admins. Throws NotFound for an
 * unknown person. Returns how many were ended.
 */
export async function endSessionsOfUser(
  ctx: Ctx,
  input: { userUid: string; sessionUid?: string },
): Promise<{ count: number }> {
  requireAdmin(ctx, 'write')
  const { userUid, sessionUid } = input
  if (!isUid(userUid) || (sessionUid !== undefined && !isUid(sessionUid))) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('users')
      .select(['id', 'uid'])
      .where('uid', '=', userUid)
      .where('site_id', '=', ctx.site.id)
      .where('erased_at', 'is', null)
      .executeTakeFirst()
    if (!user) throw new NotFound()
    let query = ctx.db.deleteFrom('sessions').where('user_id', '=', user.id)
    if (sessionUid !== undefined) query = query.where('uid', '=', sessionUid)
    const { numDeletedRows } = await query.executeTakeFirstOrThrow()
    if (numDeletedRows > 0n) await recordAudit(ctx, { action: 'user.signed_out', entity: 'user', entityUid: user.uid })
    return { count: Number(numDeletedRows) }
  })
}

export async function deleteExpiredSessions(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('sessions').where('expires_at', '<=', ctx.now).execute()
}

/**
 * Extends the session, up to SESSION_MAX_DAYS after the sign-in, and records the visit (a new one after a gap of 30 minutes). Called after the response, at most
 * once a minute per session; the conditions in the SQL decide between simultaneous requests.
 */
export async function touchSession(
  db: Database,
  input: { sessionUid: string; viewer: Viewer; now: Date },
): Promise<void> {
  const expiresAt = new Date(input.now.getTime() + env().SESSION_DAYS * dayMs)
  const lastEnd = sql`created_at + make_interval(hours => ${env().SESSION_MAX_DAYS * 24})`
  const touched = await db
    .updateTable('sessions')
    .set({ last_seen_at: input.now, expires_at: sql<Date>`least(${expiresAt}::timestamptz, ${lastEnd})` })
    .where('uid', '=', input.sessionUid)
    .where('last_seen_at', '<=', new Date(input.now.getTime() - 60_000))
    .executeTakeFirst()
  if (touched.numUpdatedRows === 0n) return
  await recordVisit(db, input)
}

/** Extends the visit of a user at this time, or begins one. A seed also records visits that are older than the newest. */
export async function recordVisit(
  db: Database,
  input: { viewer: Pick<Viewer, 'id' | 'siteId'>; now: Date },
): Promise<void> {
  await sql`
    with extended as (
      update visits set last_seen_at = greatest(last_seen_at, ${input.now})
      where id = (
        select id from visits where user_id = ${input.viewer.id}
          and started_at <= ${input.now} and last_seen_at > ${input.now}::timestamptz - interval '30 minutes'
        order by last_seen_at desc limit 1)
      returning id)
    insert into visits (site_id, user_id, started_at, last_seen_at)
    select ${input.viewer.siteId}, ${input.viewer.id}, ${input.now}, ${input.now} where not exists (select from extended)`.execute(
    db,
  )
}
