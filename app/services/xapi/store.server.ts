import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { Conflict } from '../errors.ts'
import { contentHash, identifierOf, type StatementTerms, termsOf } from './identity.ts'
import { resolveTerms, type Terms } from './terms.server.ts'
import { type Actor, type Statement, type StoredStatement, voidedVerb, type XapiVersion } from './types.ts'
import { dateOfMicros, formatMicros, parseTimestamp } from './values.ts'

/** A statement with everything that can be worked out before its transaction begins. */
export type PreparedStatement = {
  id: string
  hash: Buffer
  statement: Statement
  version: string
  authority: Actor
  verbId: number
  actorId: number
  authorityId: number
  objectActivityId: number | null
  refTarget: string | null
  isVoid: boolean
  related: { kind: 'agent' | 'related_agent' | 'related_activity'; refId: number }[]
  launchSessionId: number | null
}

export type PrepareOptions = { authority: Actor; version: XapiVersion; launchSessionId?: number | null }

/**
 * Ids, hashes and the numbers of agents, verbs and activities; new ones are made here, sorted, outside any transaction.
 */
export async function prepareStatements(
  ctx: Pick<Ctx, 'db' | 'site'>,
  statements: Statement[],
  options: PrepareOptions,
): Promise<PreparedStatement[]> {
  const authority = identifierOf(options.authority)
  const all = statements.map(termsOf)
  const terms = await resolveTerms(ctx, {
    agents: [authority, ...all.flatMap((one) => [one.actor, ...one.agents, ...one.relatedAgents])],
    verbs: all.map((one) => one.verb),
    activities: all.flatMap((one) => [...(one.objectActivity ? [one.objectActivity] : []), ...one.relatedActivities]),
  })
  return statements.map((statement, index) => ({
    id: statement.id ?? randomUUID(),
    hash: contentHash(statement),
    statement,
    version: statement.version ?? (options.version === '2.0.0' ? '2.0.0' : '1.0.0'),
    authority: options.authority,
    authorityId: terms.agents.get(authority),
    launchSessionId: options.launchSessionId ?? null,
    ...numbersOf(all[index] as StatementTerms, terms),
  }))
}

function numbersOf(names: StatementTerms, terms: Terms) {
  const related = [
    ...[...names.agents].map((key) => ({ kind: 'agent' as const, refId: terms.agents.get(key) })),
    ...[...names.relatedAgents].map((key) => ({ kind: 'related_agent' as const, refId: terms.agents.get(key) })),
    ...[...names.relatedActivities].map((key) => ({
      kind: 'related_activity' as const,
      refId: terms.activities.get(key),
    })),
  ]
  return {
    verbId: terms.verbs.get(names.verb),
    actorId: terms.agents.get(names.actor),
    objectActivityId: names.objectActivity ? terms.activities.get(names.objectActivity) : null,
    refTarget: names.refTarget,
    isVoid: names.verb === voidedVerb,
    related,
  }
}

export type KnownStatement = { id: string; hash: Buffer }

/** The content hashes of those ids that are stored already. */
export async function findKnownStatements(ctx: Pick<Ctx, 'db' | 'site'>, ids: string[]): Promise<Map<string, Buffer>> {
  const rows = await ctx.db
    .selectFrom('xapi_statement_ids')
    .select(['statement_id as id', 'content_hash as hash'])
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`statement_id = any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row.hash]))
}

/**
 * Same id and same content is a success that stores nothing, other content a Conflict (xAPI 1.0.3 communication 2.1.1).
 */
export function requireSameContent(statement: KnownStatement, known: Buffer): void {
  if (known.equals(statement.hash)) return
  throw new Conflict('xapi.statement_differs', `Another statement with the id ${statement.id} is stored already.`)
}

/**
 * Stores statements in the order given, inside the caller's transaction: two round trips. `stored` is reserved here,
 * after whatever locks the caller holds, so that its order is the order of commits under that lock. Returns `seq` by
 * id; an id that was stored before with the same content is not in it.
 */
export async function storeStatements(ctx: Ctx, prepared: PreparedStatement[]): Promise<Map<string, number>> {
  if (prepared.length === 0) return new Map()
  const { rows } = await sql<{ id: string; seq: number }>`
    with reserved as materialized (select reserve_stored(${prepared.length}) as first)
    insert into xapi_statement_ids (site_id, statement_id, seq, content_hash)
    select ${ctx.site.id}, id, first + position - 1, hash
    from reserved, unnest(${prepared.map((one) => one.id)}::uuid[], ${prepared.map((one) => one.hash)}::bytea[])
      with ordinality as t(id, hash, position)
    order by id
    on conflict do nothing
    returning statement_id as id, seq`.execute(ctx.db)
  const seqs = new Map(rows.map((row) => [row.id, row.seq]))
  const fresh = prepared.filter((one) => seqs.has(one.id))
  if (fresh.length < prepared.length) await requireKnown(ctx, prepared, seqs)
  if (fresh.length > 0) await insertBodies(ctx, fresh, seqs)
  if (fresh.some((one) => one.isVoid)) await voidTargets(ctx, fresh)
  return seqs
}

async function requireKnown(ctx: Ctx, prepared: PreparedStatement[], seqs: Map<string, number>): Promise<void> {
  const others = prepared.filter((one) => !seqs.has(one.id))
  const known = await findKnownStatements(
    ctx,
    others.map((one) => one.id),
  )
  for (const one of others) requireSameContent(one, known.get(one.id) ?? Buffer.alloc(0))
}

async function insertBodies(ctx: Ctx, fresh: PreparedStatement[], seqs: Map<string, number>): Promise<void> {
  const rows = fresh.map((one) => finish(one, seqs.get(one.id) as number))
  const related = rows.flatMap(({ seq, one }) => one.related.map((row) => ({ ...row, seq })))
  await sql`
    with related as (
      insert into xapi_statement_related (kind, ref_id, seq)
      select * from unnest(${related.map((row) => row.kind)}::text[], ${related.map((row) => row.refId)}::bigint[],
        ${related.map((row) => row.seq)}::bigint[])
      on conflict do nothing)
    insert into xapi_statements (site_id, seq, statement_id, occurred_at, verb_id, actor_id, object_activity_id,
      authority_id, registration, launch_session_id, ref_target, body, voided_by)
    select ${ctx.site.id}, t.*, (
      select voiding.statement_id from xapi_statements voiding
      where voiding.ref_target = t.id and voiding.site_id = ${ctx.site.id} and t.verb_id <> voiding.verb_id
        and voiding.verb_id = (select id from xapi_verbs where iri = ${voidedVerb}) limit 1)
    from unnest(
      ${rows.map((row) => row.seq)}::bigint[], ${fresh.map((one) => one.id)}::uuid[],
      ${rows.map((row) => row.occurredAt)}::timestamptz[], ${fresh.map((one) => one.verbId)}::bigint[],
      ${fresh.map((one) => one.actorId)}::bigint[], ${fresh.map((one) => one.objectActivityId)}::bigint[],
      ${fresh.map((one) => one.authorityId)}::bigint[],
      ${fresh.map((one) => one.statement.context?.registration ?? null)}::uuid[],
      ${fresh.map((one) => one.launchSessionId)}::bigint[], ${fresh.map((one) => one.refTarget)}::uuid[],
      ${rows.map((row) => row.body)}::text[]
    ) as t(seq, id, occurred_at, verb_id, actor_id, object_activity_id, authority_id, registration, launch_session_id,
      ref_target, body)`.execute(ctx.db)
}

/**
 * The text that every reader gets (xAPI 1.0.3 data 2.4: id, timestamp, stored, authority, version are always there).
 */
function finish(one: PreparedStatement, seq: number) {
  const stored = formatMicros(seq)
  const { id: _id, stored: _stored, authority: _authority, version: _version, timestamp, ...rest } = one.statement
  const final: StoredStatement = {
    id: one.id,
    ...rest,
    timestamp: timestamp ?? stored,
    stored,
    authority: one.authority,
    version: one.version,
  }
  const occurred = timestamp === undefined ? seq : (parseTimestamp(timestamp) ?? seq)
  return { seq, one, occurredAt: formatMicros(occurred), body: JSON.stringify(final) }
}

/** A statement that voids cannot itself be voided (xAPI 1.0.3 data 2.3.2). */
async function voidTargets(ctx: Ctx, fresh: PreparedStatement[]): Promise<void> {
  const voids = fresh.filter((one) => one.isVoid)
  await sql`
    update xapi_statements target set voided_by = v.id
    from unnest(${voids.map((one) => one.id)}::uuid[], ${voids.map((one) => one.refTarget)}::uuid[]) as v(id, target_id)
    join xapi_statement_ids ids on ids.site_id = ${ctx.site.id} and ids.statement_id = v.target_id
    where target.seq = ids.seq and target.voided_by is null and target.verb_id <> ${voids[0]?.verbId ?? 0}`.execute(
    ctx.db,
  )
}

/** When a statement was stored. */
export function storedAt(seq: number): Date {
  return dateOfMicros(seq)
}
