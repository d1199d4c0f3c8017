/** What staff read of one attempt: its launches and its statements. Those of other sites, of deleted modules and of erased people are not found. */
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
import { type LaunchMode, verbs } from './vocabulary.ts'

export type AttemptSession = {
  uid: string
  unit: { uid: string; index: number; title: LanguageMap }
  mode: LaunchMode
  /** Whoever of the staff opened it, where it was not the learner. */
  launchedBy: string | null
  state: 'open' | 'terminated' | 'abandoned'
  abandonedBy: AbandonedBy | null
  launchedAt: Date
  initializedAt: Date | null
  terminatedAt: Date | null
  abandonedAt: Date | null
  lastSeenAt: Date
  /**
   * From its `initialized` to its end, or as far as it has come; of an abandoned one what its statement says (cmi5 9.3.6). Null for what
   * was never initialized.
   */
  seconds: number | null
}

/**
 * Who or what ended a session that was abandoned: a person of staff, by name; the next launch of the attempt; the end of the attempt, by a
 * retake or a move; or the time that nothing came. Learners who end their own are not in the log, and so told by none of these.
 */
type AbandonedBy = { what: 'staff'; who: string } | { what: 'launch' | 'attempt' | 'time'; who: null }

const mostSessions = 100
const mostStatements = 100

/** The newest hundred, newest first. */
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
      lastSaid.as('lastSaid'),
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
    // Without any launch the join leaves one row of nothing.
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

/** The last statement of a session, but for the one by which we end it. */
const lastSaid = sql<number | null>`(
  select max(said.seq) from xapi_statements said join xapi_verbs verb on verb.id = said.verb_id
  where said.launch_session_id = s.id and verb.iri <> ${verbs.abandoned})`

/** As `endLaunch` writes it down. */
const abandonedByStaff = sql<string | null>`(
  select entry.actor_name from audit_entries entry
  where entry.entity = 'attempt' and entry.entity_uid = registrations.uid and entry.action = 'attempt.session_abandoned'
    and lower(entry.after ->> 'auLaunchSessionUid') = s.uid::text
  order by entry.id limit 1)`

/** A launch ends what is open in its attempt in its own moment. */
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
  // Idle for too long it counts as ended, though the job that says so may not have come to it yet.
  const isIdle = row.abandonedAt === null || row.lastSeenAt <= idleSince(row.abandonedAt)
  return isIdle ? { what: 'time', who: null } : null
}

type Times = Pick<AttemptSession, 'state' | 'launchedAt' | 'initializedAt' | 'terminatedAt' | 'lastSeenAt'>

/** `last_seen` moves once a minute only; what was said since says more. */
function secondsOf({ lastSaid, ...session }: Times & { lastSaid: number | null }): number | null {
  const { state, launchedAt, initializedAt, terminatedAt, lastSeenAt } = session
  if (!initializedAt) return null
  const said = lastSaid === null ? launchedAt : storedAt(lastSaid)
  const isAbandoned = state === 'abandoned'
  const from = isAbandoned ? launchedAt : initializedAt
  const until = isAbandoned ? said : (terminatedAt ?? (said > lastSeenAt ? said : lastSeenAt))
  return Math.max(0, Math.round((until.getTime() - from.getTime()) / 1000))
}

type StatementsInput = { registrationUid: string; first?: number; before?: string | null; languages?: string[] }
type StatementsPage = { items: RecordedStatement[]; next: string | null }

/** Both for one page: who may read the launches may read the statements. */
export async function getRecordsOfAttempt(
  ctx: Ctx,
  input: StatementsInput,
): Promise<{ sessions: AttemptSession[]; statements: StatementsPage }> {
  const sessions = await listSessionsOfAttempt(ctx, input)
  return { sessions, statements: await statementsPage(ctx, input) }
}

/** Newest first, at most a hundred; `next` of a page is the `before` of the following one. */
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
    throw new Invalid('The cursor "before" is not one of this list.', {}, 'page.before')
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
