import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { actsAsStaff, type Ctx, requireViewer } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { type Agent, storedAt } from '../xapi/xapi.server.ts'
import { type Entry, writeEntries } from './ledger.server.ts'
import { abandonedStatement } from './lms-statements.ts'
import { actorOf, prepareTerms } from './lms-terms.server.ts'
import {
  lastStatements,
  lockOpenSessions,
  lockRegistration,
  type OpenSession,
  type Registration,
} from './records.server.ts'
import { findPackage, type Package } from './structure.server.ts'
import { idleSince, isAllowed } from './unit-sessions.server.ts'

const idleBatch = 200

/**
 * Makes an `abandoned` statement for each open session (cmi5 9.3.6). Its duration runs from the launch to the session's
 * last statement.
 */
export async function abandonedEntries(
  ctx: Ctx,
  input: { registration: Registration; sessions: OpenSession[]; actor: Agent; pkg: Package },
): Promise<Entry[]> {
  const { registration, sessions, actor } = input
  if (sessions.length === 0) return []
  const last = await lastStatements(
    ctx,
    sessions.map(({ id }) => id),
  )
  return sessions.map((session) => {
    const seq = last.get(session.id)
    const seconds = seq ? Math.max(0, (storedAt(seq).getTime() - session.launchedAt.getTime()) / 1000) : 0
    const unit = input.pkg.units.find(({ id }) => id === session.unitId)
    const occasion = { actor, registrationUid: registration.uid, sessionUid: session.uid, at: ctx.now }
    const rounded = Math.round(seconds * 100) / 100
    const wasInitialized = session.initializedAt !== null
    const fact = { verb: 'abandoned' as const, mode: session.mode, seconds: rounded, wasInitialized }
    return {
      statement: abandonedStatement(occasion, { iri: session.unitIri, publisherId: session.publisherId }, rounded),
      sessionUid: session.uid,
      launchSessionId: session.id,
      // The launch may be later than this end by the difference of two servers' clocks.
      launchedAt: session.launchedAt,
      unit: unit ? { id: unit.id, launchedAs: unit, fact } : null,
      satisfies: null,
    }
  })
}

/** Marks sessions as abandoned. A session accepts nothing more after its `abandoned` statement (cmi5 9.3.6). */
export async function markAbandoned(ctx: Ctx, sessions: OpenSession[]): Promise<void> {
  if (sessions.length === 0) return
  await ctx.db
    .updateTable('launch_sessions')
    .set({ abandoned_at: ctx.now })
    .where(
      'id',
      'in',
      sessions.map(({ id }) => id),
    )
    .execute()
}

/** Ends a session on request: the viewer's own or, for staff, anybody's. Returns false if it had already ended. */
export async function endLaunch(ctx: Ctx, input: { auLaunchSessionUid: string }): Promise<boolean> {
  const viewer = requireViewer(ctx, 'write')
  if (!isUid(input.auLaunchSessionUid)) throw new NotFound()
  const session = await ctx.db
    .selectFrom('launch_sessions as s')
    .innerJoin('registrations as r', 'r.id', 's.registration_id')
    .innerJoin('users', 'users.id', 'r.user_id')
    .innerJoin('modules', 'modules.id', 'r.module_id')
    .select(['s.id', 'r.id as registrationId', 'r.uid as registrationUid', 'r.user_id as userId'])
    .where('s.uid', '=', input.auLaunchSessionUid)
    .where('r.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .where('modules.deleted_at', 'is', null)
    .executeTakeFirst()
  const isOwn = session?.userId === viewer.id
  if (!session || !(isOwn || actsAsStaff(ctx))) throw new NotFound()
  const { registrationId, registrationUid: entityUid } = session
  const after = { auLaunchSessionUid: input.auLaunchSessionUid }
  const audit = isOwn ? undefined : { action: 'attempt.session_abandoned', entity: 'attempt', entityUid, after }
  return (await endSessions(ctx, registrationId, (open) => open.id === session.id, audit)) > 0
}

/** Ends a session for a page or a program. Throws Conflict if it had already ended. */
export async function abandonLaunch(ctx: Ctx, input: { auLaunchSessionUid: string }): Promise<void> {
  if (!(await endLaunch(ctx, input))) throw new Conflict('launch.ended', 'This session has already ended.')
}

/**
 * Ends the site's sessions whose page and content have sent no request for LAUNCH_IDLE_HOURS, and those of learners whose
 * account or plan has ended, which have accepted nothing since. Returns how many ended.
 */
export async function endIdleLaunches(ctx: Ctx): Promise<number> {
  const rows = await ctx.db
    .selectFrom('launch_sessions as s')
    .innerJoin('registrations as r', 'r.id', 's.registration_id')
    .innerJoin('users', 'users.id', 'r.user_id')
    .select(['s.id as sessionId', 'r.id as registrationId', isAllowed(ctx.now).as('isAllowed')])
    .where('r.site_id', '=', ctx.site.id)
    .where('s.terminated_at', 'is', null)
    .where('s.abandoned_at', 'is', null)
    .where((eb) => eb.or([eb('s.last_seen_at', '<=', idleSince(ctx.now)), sql<boolean>`not ${isAllowed(ctx.now)}`]))
    .orderBy('s.last_seen_at')
    .limit(idleBatch)
    .execute()
  let ended = 0
  for (const { sessionId, registrationId, isAllowed } of rows) {
    const isOver = (open: OpenSession) => open.id === sessionId && (!isAllowed || isIdle(open, ctx.now))
    ended += await endSessions(ctx, registrationId, isOver)
  }
  return rows.length === idleBatch && ended > 0 ? ended + (await endIdleLaunches(ctx)) : ended
}

/**
 * Job: ends the units that somebody opened until then, including those that staff opened in a learner's attempt. After a
 * password reset by mail, it may not have been the owner who opened them.
 */
export async function endLaunchesOfPerson(ctx: Ctx, input: { userUid: string; until: string }): Promise<number> {
  const rows = await ctx.db
    .selectFrom('launch_sessions as s')
    .innerJoin('registrations as r', 'r.id', 's.registration_id')
    .innerJoin('users', (join) => join.on('users.id', '=', (eb) => eb.fn.coalesce('s.launched_by', 'r.user_id')))
    .select(['s.id as sessionId', 'r.id as registrationId'])
    .where('r.site_id', '=', ctx.site.id)
    .where('users.uid', '=', input.userUid)
    .where('s.terminated_at', 'is', null)
    .where('s.abandoned_at', 'is', null)
    .where('s.launched_at', '<=', new Date(input.until))
    .execute()
  let ended = 0
  for (const { sessionId, registrationId } of rows) {
    ended += await endSessions(ctx, registrationId, (open) => open.id === sessionId)
  }
  return ended
}

function isIdle(session: OpenSession, now: Date): boolean {
  return session.lastSeenAt <= idleSince(now)
}

async function endSessions(
  ctx: Ctx,
  registrationId: number,
  shouldEnd: (session: OpenSession) => boolean,
  audit?: Parameters<typeof recordAudit>[1],
): Promise<number> {
  const about = await ctx.db
    .selectFrom('registrations as r')
    .innerJoin('users', 'users.id', 'r.user_id')
    .innerJoin('modules as m', 'm.id', 'r.module_id')
    .select(['users.uid as userUid', 'm.uid as moduleUid', 'r.module_version_id as versionId'])
    .where('r.id', '=', registrationId)
    .executeTakeFirst()
  const pkg = about && (await findPackage(ctx.db, about.versionId))
  if (!about || !pkg) return 0
  const actor = await actorOf(ctx.db, about.userUid)
  await prepareTerms(ctx, pkg, { moduleUid: about.moduleUid, actor })
  return inTransaction(ctx, async (ctx) => {
    const registration = await lockRegistration(ctx, registrationId)
    const sessions = (await lockOpenSessions(ctx, registrationId)).filter(shouldEnd)
    if (sessions.length === 0) return 0
    const entries = await abandonedEntries(ctx, { registration, sessions, actor, pkg })
    const ledger = { registration, moduleUid: about.moduleUid, actor, unitCount: pkg.units.length, pkg }
    await writeEntries(ctx, { ...ledger, version: '1.0.3' }, entries)
    await markAbandoned(ctx, sessions)
    if (audit) await recordAudit(ctx, audit)
    return sessions.length
  })
}
