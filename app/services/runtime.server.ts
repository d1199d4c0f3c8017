/**
 * The database of this process and the contexts that use it. This is the only place where transports get a Ctx; they
 * import neither the pool nor the query builder.
 */

import type { SiteKey } from '~/config/brands.ts'
import { env } from '~/config/env.server.ts'
import { logger } from '~/config/log.server.ts'
import { viewingRefusal } from '~/lib/viewing.ts'
import { queryCounter } from '~db/client.server.ts'
import { closeDatabase, database, readOnlyDatabase } from '~db/instance.server.ts'
import { isMigrated } from '~db/migrate.ts'
import { isPoolStuck } from '~db/stuck-pool.server.ts'
import { type AccessScope, findTokenHolder, touchAccessToken } from './accounts/access-tokens.server.ts'
import { type Ctx, type Log, type SessionPort, type SystemCtx, siteContext, type Viewer } from './context.ts'
import { Forbidden } from './errors.ts'
import { findVisitor, touchSession } from './sessions/sessions.server.ts'
import { stopViewing } from './sessions/view-as.server.ts'
import { getSite } from './sites/sites.server.ts'

export { onCommit } from '~db/transaction.server.ts'

export { closeDatabase }

type RequestFacts = { siteKey: SiteKey; sessionId: string | null; now: Date; log: Log; address: string | null }

type RequestContext = {
  ctx: Ctx
  /** The context of the session's owner. It is the same, unless an admin views the site as somebody else. */
  ownCtx: Ctx
  /** When the session was last used; null without a session. */
  seenAt: Date | null
  isQuestionnaireDue: boolean
  /** Records this use of the session. Call it after the response. */
  touch: () => Promise<void>
}

/**
 * Opens the context of a web request. Takes one query for site, session, viewer and plan, and one more while an admin
 * views the site as somebody else.
 */
export async function openRequestContext(
  facts: RequestFacts,
  sessionPort: (uid: string | null) => SessionPort,
): Promise<RequestContext> {
  const { db } = database()
  const { site, viewer, viewed, sessionUid, seenAt, isQuestionnaireDue } = await findVisitor(
    db,
    facts.siteKey,
    facts.sessionId,
    facts.now,
  )
  const ownCtx: Ctx = {
    db,
    site,
    viewer,
    isOperator: false,
    scopes: null,
    session: sessionPort(sessionUid),
    now: facts.now,
    log: facts.log,
    address: facts.address,
  }
  const touch = async () => {
    if (viewer && sessionUid) await touchSession(db, { sessionUid, viewer, now: facts.now })
  }
  if (!viewer || !viewed) return { ctx: ownCtx, ownCtx, seenAt, isQuestionnaireDue, touch }
  const ctx = viewingContext(ownCtx, { admin: viewer, ...viewed })
  // The questionnaire could not be answered, and would be in the way.
  return { ctx, ownCtx, seenAt, isQuestionnaireDue: false, touch }
}

/**
 * The context in which an admin sees the site as somebody else. The guards refuse what is written. What has no guard, or
 * is forgotten, the database refuses: its connections are read-only.
 */
export function viewingContext(
  ownCtx: Ctx,
  { admin, viewer, expiresAt }: { admin: Viewer; viewer: Viewer; expiresAt: Date },
): Ctx {
  const refuse = () => new Forbidden(viewingRefusal(), 'viewing')
  return {
    ...ownCtx,
    db: readOnlyDatabase(refuse),
    viewer,
    scopes: ['read'],
    viewAs: { admin, expiresAt },
    session: {
      ...ownCtx.session,
      begin: () => Promise.reject(refuse()),
      end: async () => {
        await stopViewing(ownCtx)
        await ownCtx.session.end(ownCtx)
      },
    },
  }
}

export type TokenContext = { ctx: Ctx; scope: AccessScope; lastUsedAt: Date | null; touch: () => Promise<void> }

/** Opens the context of a program with a bearer token, which has no session. Returns null if the token is not valid. */
export async function openTokenContext(
  siteKey: SiteKey,
  token: string,
  facts: { now: Date; log: Log; address: string | null },
): Promise<TokenContext | null> {
  const nobody = await openSiteContext(siteKey, facts)
  const holder = await findTokenHolder(nobody, { token })
  if (!holder) return null
  const { viewer, tokenUid, scope, lastUsedAt } = holder
  const touch = () => touchAccessToken(database().db, { tokenUid, now: facts.now })
  const scopes = scope === 'write' ? ['read', 'write'] : ['read']
  return { ctx: { ...nobody, viewer, scopes }, scope, lastUsedAt, touch }
}

/** Opens the context of work for the whole installation, which has no site. */
export function openSystemContext(): SystemCtx {
  return { db: database().db, now: new Date(), log: logger() }
}

/**
 * Opens the context of a site without a viewer, for requests that no cookie may authenticate and for checks of a site.
 */
export async function openSiteContext(
  siteKey: SiteKey,
  facts?: { now: Date; log: Log; address: string | null },
): Promise<Ctx> {
  const { db } = database()
  const ctx = siteContext({
    db,
    site: await getSite(db, siteKey),
    log: facts?.log ?? logger(),
    ...(facts && { now: facts.now }),
  })
  return { ...ctx, address: facts?.address ?? null }
}

/** Runs work and counts its queries in `counter`. */
export function countQueries(counter: { queries: number }, work: () => void): void {
  queryCounter.run(counter, work)
}

export async function databaseState(): Promise<'ok' | 'migrations are missing' | 'unreachable'> {
  try {
    return (await isMigrated(database().db)) ? 'ok' : 'migrations are missing'
  } catch {
    return 'unreachable'
  }
}

/** True if this process cannot use its connections any more although the database answers: it has to be restarted. */
export function isDatabaseStuck(): Promise<boolean> {
  return isPoolStuck(database(), env().DATABASE_URL)
}

export { queuePool } from '~db/instance.server.ts'
