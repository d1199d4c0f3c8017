import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import type { Database } from '~db/client.server.ts'
import { stillHasAccess } from '../access/access.server.ts'
import type { Ctx, Site } from '../context.ts'
import { siteColumns, siteOf } from '../sites/sites.server.ts'
import type { Agent } from '../xapi/xapi.server.ts'
import type { LaunchData } from './launch-data.ts'
import { actorOf } from './lms-terms.server.ts'
import { fetchSecretAgain, hashOf, newAuthToken } from './secrets.server.ts'
import type { LaunchMode } from './vocabulary.ts'

/** What a unit's token stands for: one learner, one registration and one unit, until the session ends. */
export type UnitSession = {
  id: number
  uid: string
  site: Site
  registrationId: number
  registrationUid: string
  moduleUid: string
  unitId: number
  unitIri: string
  publisherId: string
  mode: LaunchMode
  launchData: LaunchData
  actor: Agent & { account: { homePage: string; name: string } }
  /**
   * Terminated, abandoned, idle for too long, or the learner's plan is over. Only repeated statements still succeed then
   * (xAPI 2.1.1).
   */
  isEnded: boolean
  lastSeenAt: Date
}

type Base = Pick<Ctx, 'db' | 'now'>

export type FetchAnswer = { token: string } | { errorCode: '1' | '2'; errorText: string }

/**
 * Hands out the token of a session, once (cmi5 8.2). A single update decides the race, so exactly one of several
 * requests gets it (cmi5 8.2.3.1). Needs no viewer: the secret in the address is the permission.
 */
export async function fetchToken(base: Base, input: { secret: string }): Promise<FetchAnswer> {
  const token = newAuthToken()
  const fetchHash = hashOf(input.secret)
  const taken = await base.db
    .updateTable('launch_sessions')
    .set({ fetched_at: base.now, token_hash: hashOf(token), last_seen_at: base.now })
    .where('fetch_hash', '=', fetchHash)
    .where('fetched_at', 'is', null)
    .where('terminated_at', 'is', null)
    .where('abandoned_at', 'is', null)
    .where('last_seen_at', '>', idleSince(base.now))
    .where('registration_id', 'in', (eb) =>
      eb
        .selectFrom('registrations as r')
        .innerJoin('users', 'users.id', 'r.user_id')
        .select('r.id')
        .whereRef('r.id', '=', 'launch_sessions.registration_id')
        .where(isAllowed(base.now, sql.ref('launch_sessions.launched_by'))),
    )
    .returning('id')
    .executeTakeFirst()
  if (taken) return { token }
  const known = await base.db
    .selectFrom('launch_sessions')
    .select('id')
    .where('fetch_hash', '=', fetchHash)
    .executeTakeFirst()
  if (!known) return { errorCode: '2', errorText: 'There is no launch with this address.' }
  return {
    errorCode: '1',
    errorText: 'The token was already handed out, or the session has ended. Launch the unit again.',
  }
}

/**
 * SQL condition on `r` and `users`: the session may continue. A learner needs an open account and a valid plan. Staff may
 * open the attempt of a learner whose plan is over, but not of a closed account.
 */
export function isAllowed(now: Date, launchedBy = sql.ref('s.launched_by')): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${stillHasAccess(now)} or (users.is_active and users.erased_at is null and ${launchedBy} is not null))`
}

export function idleSince(now: Date): Date {
  return new Date(now.getTime() - env().LAUNCH_IDLE_HOURS * 3_600_000)
}

/**
 * Finds the session of a unit's token. Returns null for an unknown token, and if the learner no longer has an account
 * (cmi5 8.1.2).
 */
export async function findUnitSession(base: Base, input: { token: string }): Promise<UnitSession | null> {
  const row = await base.db
    .selectFrom('launch_sessions as s')
    .innerJoin('registrations as r', 'r.id', 's.registration_id')
    .innerJoin('users', 'users.id', 'r.user_id')
    .innerJoin('modules as m', 'm.id', 'r.module_id')
    .innerJoin('cmi5_units as u', 'u.id', 's.unit_id')
    .innerJoin('sites', 'sites.id', 'r.site_id')
    .select(siteColumns)
    .select([
      's.id as sessionId',
      's.uid as sessionUid',
      's.mode',
      's.launch_data as launchData',
      's.terminated_at as terminatedAt',
      's.abandoned_at as abandonedAt',
      's.last_seen_at as lastSeenAt',
      'r.id as registrationId',
      'r.uid as registrationUid',
      'm.uid as moduleUid',
      'u.id as unitId',
      'u.iri as unitIri',
      'u.publisher_id as publisherId',
      'users.uid as userUid',
      isAllowed(base.now).as('isAllowed'),
    ])
    .where('s.token_hash', '=', hashOf(input.token))
    .where('users.is_active', '=', true)
    .where('users.erased_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { registrationId, registrationUid, moduleUid, unitId, unitIri, publisherId, lastSeenAt } = row
  return {
    ...{ registrationId, registrationUid, moduleUid, unitId, unitIri, publisherId, lastSeenAt },
    id: row.sessionId,
    uid: row.sessionUid,
    site: siteOf(row),
    mode: row.mode as LaunchMode,
    launchData: row.launchData as unknown as LaunchData,
    actor: await actorOf(base.db, row.userUid),
    isEnded:
      row.terminatedAt !== null || row.abandonedAt !== null || lastSeenAt <= idleSince(base.now) || !row.isAllowed,
  }
}

/**
 * Returns the fetch address of a session. It is computed again each time, because the database stores only its hash.
 */
export async function fetchAddressOf(
  db: Database,
  origin: string,
  session: { uid: string; fetchHash: Buffer },
): Promise<string> {
  return `${origin}/launch/fetch/${await fetchSecretAgain(db, session)}`
}

/**
 * Records activity, at most once a minute, after the response. Does not revive a session that has ended, even by
 * idleness.
 */
export async function touchUnitSession(
  base: Base,
  session: Pick<UnitSession, 'id' | 'lastSeenAt' | 'isEnded'>,
): Promise<void> {
  if (session.isEnded || base.now.getTime() - session.lastSeenAt.getTime() < 60_000) return
  await base.db.updateTable('launch_sessions').set({ last_seen_at: base.now }).where('id', '=', session.id).execute()
}

/**
 * Records activity when a file of a package is requested. The address of a file names the learner and not the session,
 * so this keeps all of the learner's open sessions in the package alive.
 */
export async function touchLaunchesOfPackage(
  base: Base,
  input: { contentKey: string; userUid: string },
): Promise<void> {
  await base.db
    .updateTable('launch_sessions as s')
    .from('registrations as r')
    .innerJoin('cmi5_packages as p', 'p.module_version_id', 'r.module_version_id')
    .innerJoin('users', 'users.id', 'r.user_id')
    .set({ last_seen_at: base.now })
    .whereRef('r.id', '=', 's.registration_id')
    .where('p.content_key', '=', input.contentKey)
    .where('users.uid', '=', input.userUid)
    .where('s.terminated_at', 'is', null)
    .where('s.abandoned_at', 'is', null)
    .where('s.last_seen_at', '>', idleSince(base.now))
    .where('s.last_seen_at', '<=', new Date(base.now.getTime() - 60_000))
    .execute()
}

/**
 * Records that the unit has read its learner's preferences. With CMI5_STRICT_PREFERENCES it must do so before
 * `initialized` (cmi5 11.0).
 */
export async function recordPreferencesRead(base: Base, session: Pick<UnitSession, 'id'>): Promise<void> {
  if (!env().CMI5_STRICT_PREFERENCES) return
  await base.db
    .updateTable('launch_sessions')
    .set({ prefs_read_at: base.now })
    .where('id', '=', session.id)
    .where('prefs_read_at', 'is', null)
    .execute()
}
