/**
 * The launches and statements of one attempt, for staff. Throws NotFound for attempts of other sites, deleted modules
 * and erased people.
 */
import { sql } from 'kysely'
import { openCursor, sealCursor } from '~/lib/cursor.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import {
  type LanguageMap,
  listStatementsOfRegistration,
  type RecordedStatement,
  storedAt,
} from '../xapi/xapi.server.ts'
import { idleSince } from './unit-sessions.server.ts'
import { contextExtensions, type LaunchMode, verbs } from './vocabulary.ts'

export type AttemptSession = {
  uid: string
  unit: { uid: string; index: number; title: LanguageMap }
  mode: LaunchMode
  /** The name of the staff member who opened it; null if the learner did. */
  launchedBy: string | null
  state: 'open' | 'terminated' | 'abandoned'
  abandonedBy: AbandonedBy | null
  launchedAt: Date
  initializedAt: Date | null
  terminatedAt: Date | null
  abandonedAt: Date | null
  lastSeenAt: Date
  /**
   * The time from `initialized` to the end, or to the last activity of an open session. An abandoned session has the
   * duration in its `abandoned` statement (cmi5 9.3.6). Null if it was never initialized.
   */
  seconds: number | null
}

/**
 * What ended an abandoned session: a staff member (by name), the next launch of the attempt, the end of the attempt (a
 * retake or a move), or inactivity. Null if the learner ended it, because the audit log does not record that.
 */
type AbandonedBy = { what: 'staff'; who: string } | { what: 'launch' | 'attempt' | 'time'; who: null }

const mostSessions = 100
const mostStatements = 100

/** Lists the newest 100 sessions, newest first. */
export async function listSessionsOfAttempt(ctx: Ctx, input: { registrationUid: string }): Promise<AttemptSession[]> {
  const rows = await selectRegistration(ctx, input.registrationUid)
    .leftJoin('launch_sessions as s', 's.registration_id', 'registrations.id')
    .leftJoin('cmi5_units as u', 'u.id', 's.unit_id')
    .leftJoin('users as launcher', 'launcher.id', 's.launched_by')
    .select([
      's.uid',
      's.mode',
      's.launched_at as launchedAt',
      's.initialized_at as initializedAt',
      's.terminated_at as terminatedAt',
      's.abandoned_at as abandonedAt',
      's.last_seen_at as lastSeenAt',
      'u.uid as unitUid',
      'u.position',
      'u.title',
      'launcher.id as launcherId',
      'launcher.first_name as launcherFirstName',
      'launcher.last_name as launcherLastName',
      lastStatementSeq.as('lastStatementSeq'),
      abandonedByStaff.as('abandonedByStaff'),
      isFollowed.as('isFollowed'),
      sql<boolean>`coalesce(registrations.closed_at = s.abandoned_at, false)`.as('isEndOfAttempt'),
    ])
    .orderBy('s.launched_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(mostSessions)
    .execute()
  if (rows.length === 0) throw new NotFound()
  return rows.flatMap(({ uid, launchedAt, lastSeenAt, unitUid, ...row }) => {
    // An attempt without launches joins to a single row of nulls.
    if (uid === null || launchedAt === null || lastSeenAt === null || unitUid === null) return []
    const isIdle = lastSeenAt <= idleSince(ctx.now)
    const state = row.terminatedAt ? 'terminated' : row.abandonedAt || isIdle ? 'abandoned' : 'open'
    return {
      uid,
      unit: { uid: unitUid, index: row.position ?? 0, title: row.title as LanguageMap },
      mode: row.mode as LaunchMode,
      launchedBy: launcherOf(row),
      state,
      abandonedBy: state === 'abandoned' ? abandonedBy({ ...row, lastSeenAt }) : null,
      launchedAt,
      initializedAt: row.initializedAt,
      terminatedAt: row.terminatedAt,
      abandonedAt: row.abandonedAt,
      lastSeenAt,
      seconds: secondsOf({ ...row, state, launchedAt, lastSeenAt }),
    }
  })
}

function launcherOf(row: {
  launcherId: number | null
  launcherFirstName: string | null
  launcherLastName: string | null
}): string | null {
  if (row.launcherId === null) return null
  return `${row.launcherFirstName ?? ''} ${row.launcherLastName ?? ''}`.trim() || 'Staff'
}

/** The sequence number of the session's last statement, not counting our own `abandoned`. */
const lastStatementSeq = sql<number | null>`(
  select max(last.seq) from xapi_statements last join xapi_verbs verb on verb.id = last.verb_id
  where last.launch_session_id = s.id and verb.iri <> ${verbs.abandoned})`

/** Reads the audit entry that `endLaunch` writes. */
const abandonedByStaff = sql<string | null>`(
  select entry.actor_name from audit_entries entry
  where entry.entity = 'attempt' and entry.entity_uid = registrations.uid and entry.action = 'attempt.session_abandoned'
    and lower(entry.after ->> 'auLaunchSessionUid') = s.uid::text
  order by entry.id limit 1)`

/** A launch abandons the attempt's open sessions at its own launch time. */
const isFollowed = sql<boolean>`exists (
  select from launch_sessions later
  where later.registration_id = s.registration_id and later.launched_at = s.abandoned_at and later.id <> s.id)`

function abandonedBy(row: {
  abandonedByStaff: string | null
  isFollowed: boolean
  isEndOfAttempt: boolean
  abandonedAt: Date | null
  lastSeenAt: Date
}): AbandonedBy | null {
  if (row.abandonedByStaff !== null) return { what: 'staff', who: row.abandonedByStaff }
  if (row.isFollowed) return { what: 'launch', who: null }
  if (row.isEndOfAttempt) return { what: 'attempt', who: null }
  // An idle session counts as ended even before the job has marked it as abandoned.
  const isIdle = row.abandonedAt === null || row.lastSeenAt <= idleSince(row.abandonedAt)
  return isIdle ? { what: 'time', who: null } : null
}

type Times = Pick<AttemptSession, 'state' | 'launchedAt' | 'initializedAt' | 'terminatedAt' | 'lastSeenAt'>

/**
 * Returns the duration of a session in seconds. Uses the last statement if it is newer, because `last_seen_at` is
 * updated only once a minute.
 */
function secondsOf({ lastStatementSeq, ...session }: Times & { lastStatementSeq: number | null }): number | null {
  const { state, launchedAt, initializedAt, terminatedAt, lastSeenAt } = session
  if (!initializedAt) return null
  const lastStatementAt = lastStatementSeq === null ? launchedAt : storedAt(lastStatementSeq)
  const isAbandoned = state === 'abandoned'
  const from = isAbandoned ? launchedAt : initializedAt
  const lastActiveAt = lastStatementAt > lastSeenAt ? lastStatementAt : lastSeenAt
  const until = isAbandoned ? lastStatementAt : (terminatedAt ?? lastActiveAt)
  return Math.max(0, Math.round((until.getTime() - from.getTime()) / 1000))
}

type StatementsInput = { registrationUid: string; first?: number; before?: string | null; languages?: string[] }
type StatementsPage<T = RecordedStatement> = { items: T[]; next: string | null }

/** `isUnbegun`: it is over, its unit never reported that it started, and no staff member ended it. */
type SessionOfAttempt = AttemptSession & { isUnbegun: boolean }
/** `isOfUnbegunLaunch`: it was made in such a session, so it says nothing about the learner's work. */
type StatementOfAttempt = RecordedStatement & { isOfUnbegunLaunch: boolean }

/** Returns launches and statements together. The check that `listSessionsOfAttempt` makes covers both. */
export async function getRecordsOfAttempt(
  ctx: Ctx,
  input: StatementsInput,
): Promise<{ sessions: SessionOfAttempt[]; statements: StatementsPage<StatementOfAttempt> }> {
  const sessions = (await listSessionsOfAttempt(ctx, input)).map((one) => ({ ...one, isUnbegun: isUnbegun(one) }))
  const { items, next } = await statementsPage(ctx, input)
  const unbegun = new Set(sessions.filter(({ isUnbegun }) => isUnbegun).map(({ uid }) => uid))
  const sessionOf = ({ statement }: RecordedStatement) =>
    String(statement.context?.extensions?.[contextExtensions.sessionId])
  return {
    sessions,
    statements: { items: items.map((one) => ({ ...one, isOfUnbegunLaunch: unbegun.has(sessionOf(one)) })), next },
  }
}

function isUnbegun({ state, initializedAt, abandonedBy }: AttemptSession): boolean {
  return state !== 'open' && initializedAt === null && abandonedBy?.what !== 'staff'
}

/** Lists statements, newest first, at most 100 per page. Pass `next` as `before` to get the following page. */
export async function listStatementsOfAttempt(ctx: Ctx, input: StatementsInput): Promise<StatementsPage> {
  const registration = await selectRegistration(ctx, input.registrationUid)
    .select('registrations.uid')
    .executeTakeFirst()
  if (!registration) throw new NotFound()
  return statementsPage(ctx, input)
}

async function statementsPage(ctx: Ctx, input: StatementsInput): Promise<StatementsPage> {
  const list = `statements:${input.registrationUid.toLowerCase()}`
  const [before] = input.before ? (openCursor(list, input.before) ?? [null]) : []
  if (before !== undefined && !(typeof before === 'number' && Number.isSafeInteger(before) && before >= 0)) {
    throw new Invalid('The cursor "before" does not belong to this list.', {}, 'page.before')
  }
  const first = Math.min(Math.max(input.first ?? mostStatements, 1), mostStatements)
  const { items, next } = await listStatementsOfRegistration(ctx, {
    registration: input.registrationUid,
    languages: input.languages,
    first,
    before,
  })
  return { items, next: next === null ? null : sealCursor(list, [next]) }
}

function selectRegistration(ctx: Ctx, registrationUid: string) {
  requireStaff(ctx)
  if (!isUid(registrationUid)) throw new NotFound()
  return ctx.db
    .selectFrom('registrations')
    .innerJoin('modules', 'modules.id', 'registrations.module_id')
    .innerJoin('users', 'users.id', 'registrations.user_id')
    .where('registrations.uid', '=', registrationUid)
    .where('registrations.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .where(isListed(ctx, 'modules'))
}
