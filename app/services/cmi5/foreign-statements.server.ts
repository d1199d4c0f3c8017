/**
 * Voids stored statements that conflict with section 9 of cmi5 (cmi5 6.3, docs/decisions/015). A unit's conflicting
 * statement is refused. A conflicting statement sent with a client's key is stored, because a record store accepts
 * everything that xAPI allows, and a job voids it.
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { queue } from '../queue/queue.server.ts'
import {
  type Agent,
  identifierOf,
  iriKey,
  prepareStatements,
  type Statement,
  storeStatements,
  voidedVerb,
} from '../xapi/xapi.server.ts'
import { lmsAuthority } from './lms-terms.server.ts'
import { voidingIdOf } from './secrets.server.ts'
import { categories, contextExtensions } from './vocabulary.ts'

/**
 * For statements sent with a client's key: `find` selects those that break the rules, and `queueJob` queues the job
 * that voids them, in the transaction that stores them. `find` queries the database only for statements in the cmi5
 * category that name a registration or a session.
 */
export const voidingOfForeign = {
  find: idsOfForeign,
  queueJob: (ctx: Ctx, statementIds: string[]): Promise<void> =>
    queue(ctx, 'void-foreign-statements', { statementIds }),
}

/** Returns the registration and the session that a statement in the cmi5 category names. */
function claimedUids({ context }: Statement): string[] {
  if (!context?.contextActivities?.category?.some((activity) => activity.id === categories.cmi5)) return []
  const session = context.extensions?.[contextExtensions.sessionId]
  return [context.registration, session].filter(isUid).map((uid) => uid.toLowerCase())
}

/**
 * Job: voids the statements and returns how many it voided. Running it again voids nothing twice, because the id of a
 * voiding statement is derived from the id of the statement that it voids.
 */
export async function voidForeignStatements(ctx: Ctx, input: { statementIds: string[] }): Promise<number> {
  const authority = await lmsAuthority(ctx.db)
  const ids = await idsOfForeign(ctx, await selectForeign(ctx, input.statementIds, authority))
  if (ids.length === 0) return 0
  const voids = await Promise.all(ids.map((id) => voidingStatement(ctx, authority, id)))
  const prepared = await prepareStatements(ctx, voids, { authority, version: '1.0.3' })
  return inTransaction(ctx, async (ctx) => (await storeStatements(ctx, prepared)).size)
}

async function voidingStatement(ctx: Ctx, authority: Agent, id: string): Promise<Statement> {
  return {
    id: await voidingIdOf(ctx.db, { siteUid: ctx.site.uid, statementId: id }),
    actor: authority,
    verb: { id: voidedVerb, display: { en: 'voided' } },
    object: { objectType: 'StatementRef', id },
  }
}

/** Returns the ids of statements in the cmi5 category that name an attempt or a session of this site. */
async function idsOfForeign(ctx: Ctx, stored: { id: string; statement: Statement }[]): Promise<string[]> {
  const claims = stored
    .map(({ id, statement }) => ({ id, uids: claimedUids(statement) }))
    .filter(({ uids }) => uids.length > 0)
  if (claims.length === 0) return []
  const uids = [...new Set(claims.flatMap((claim) => claim.uids))]
  const { rows } = await sql<{ uid: string }>`
    select uid from registrations where site_id = ${ctx.site.id} and uid = any(${uids}::uuid[])
    union all
    select s.uid from launch_sessions s join registrations r on r.id = s.registration_id
    where r.site_id = ${ctx.site.id} and s.uid = any(${uids}::uuid[])`.execute(ctx.db)
  const own = new Set(rows.map(({ uid }) => uid))
  return claims.filter((claim) => claim.uids.some((uid) => own.has(uid))).map(({ id }) => id)
}

/**
 * Reads the statements that the LMS did not store itself and nobody has voided. Leaves out voiding statements, which
 * cannot be voided (xAPI 1.0.3 data 2.3.2).
 */
async function selectForeign(
  ctx: Ctx,
  statementIds: string[],
  authority: Agent,
): Promise<{ id: string; statement: Statement }[]> {
  const rows = await ctx.db
    .selectFrom('xapi_statement_ids as ids')
    .innerJoin('xapi_statements as s', 's.seq', 'ids.seq')
    .innerJoin('xapi_agents as authority', 'authority.id', 's.authority_id')
    .innerJoin('xapi_verbs as verb', 'verb.id', 's.verb_id')
    .select(['ids.statement_id as id', 's.body'])
    .where('ids.site_id', '=', ctx.site.id)
    .where(sql<boolean>`ids.statement_id = any(${statementIds}::uuid[])`)
    .where('s.voided_by', 'is', null)
    .where('authority.identifier', '<>', identifierOf(authority))
    .where('verb.iri', '<>', iriKey(voidedVerb))
    .orderBy('ids.statement_id')
    .execute()
  return rows.map(({ id, body }) => ({ id, statement: JSON.parse(body) as Statement }))
}
