/**
 * cmi5 6.3: what conflicts with section 9 and was not refused is voided (docs/decisions/015). Units are refused when they send it. Keys are not, as a
 * store takes what xAPI allows, so what they say in the name of cmi5 about our attempts is voided by a job.
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, SiteKey } from '../context.ts'
import { queue } from '../queue/queue.server.ts'
import { siteColumns } from '../sites/sites.server.ts'
import {
  type Agent,
  identifierOf,
  iriKey,
  prepareStatements,
  type Statement,
  storeStatements,
  voidedVerb,
} from '../xapi/xapi.server.ts'
import { lmsAuthority } from './occasion.server.ts'
import { voidingIdOf } from './secrets.server.ts'
import { categories, contextExtensions } from './vocabulary.ts'

/**
 * For what comes by a key: which statements break the rules, and the job that voids them, queued where they are stored. Without the category of cmi5, and a
 * registration or a session to go with it, nothing is asked of the database. Nobody can name an attempt before it is there.
 */
export const voidingOfForeign = {
  find: idsOfForeign,
  join: (ctx: Ctx, statementIds: string[]): Promise<void> =>
    queue(ctx, 'void-foreign-statements', { siteUid: ctx.site.uid, statementIds }),
}

/** The registration and the session that a statement names in the name of cmi5. */
function claimedUids({ context }: Statement): string[] {
  if (!context?.contextActivities?.category?.some((activity) => activity.id === categories.cmi5)) return []
  const session = context.extensions?.[contextExtensions.sessionId]
  return [context.registration, session].filter(isUid).map((uid) => uid.toLowerCase())
}

/**
 * For the job. Each statement is voided once, however often it is asked for: the id of what voids it follows from its own. Returns how many were voided
 * now.
 */
export async function voidForeignStatements(
  ctx: Ctx,
  input: { siteUid: string; statementIds: string[] },
): Promise<number> {
  const site = await ctx.db.selectFrom('sites').select(siteColumns).where('uid', '=', input.siteUid).executeTakeFirst()
  if (!site) return 0
  const here = { ...ctx, site: { ...site, key: site.key as SiteKey } }
  const authority = await lmsAuthority(ctx.db)
  const ids = await idsOfForeign(here, await selectForeign(here, input.statementIds, authority))
  if (ids.length === 0) return 0
  const voids = await Promise.all(ids.map((id) => voidingStatement(here, authority, id)))
  const prepared = await prepareStatements(here, voids, { authority, version: '1.0.3' })
  return inTransaction(here, async (ctx) => (await storeStatements(ctx, prepared)).size)
}

async function voidingStatement(ctx: Ctx, authority: Agent, id: string): Promise<Statement> {
  return {
    id: await voidingIdOf(ctx.db, { siteUid: ctx.site.uid, statementId: id }),
    actor: authority,
    verb: { id: voidedVerb, display: { en: 'voided' } },
    object: { objectType: 'StatementRef', id },
  }
}

/** Those in the name of cmi5 that are said of an attempt of ours, or in a session of ours. */
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

/** Of others than ourselves, and not voided so far. What voids cannot be voided (xAPI 1.0.3 data 2.3.2). */
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
