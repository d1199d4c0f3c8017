import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { isRetryable } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { Conflict } from '../errors.ts'
import {
  bytesOf,
  noAttachments,
  type ReceivedAttachments,
  type StatementBytes,
  storeAttachments,
} from './attachments.server.ts'
import { isForwarded, queueForwards } from './forwards.server.ts'
import { contentHash, identifierOf, type StatementTerms, termsOf } from './identity.ts'
import { followReferences, referringBefore } from './references.server.ts'
import { resolveTerms, type Terms } from './terms.server.ts'
import { type Actor, type Statement, type StoredStatement, voidedVerb, type XapiVersion } from './types.ts'
import { dateOfMicros, formatMicros, parseTimestamp, toUtc } from './values.ts'

/** A statement with everything that can be computed before its transaction begins. */
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
  related: { kind: 'agent' | 'related_agent' | 'related_activity'; refId: number }[]
  launchSessionId: number | null
  attachments: StatementBytes[]
}

type PrepareOptions = {
  authority: Actor
  version: XapiVersion
  launchSessionId?: number | null
  attachments?: ReceivedAttachments
}

/**
 * Computes ids and hashes, and resolves agents, verbs and activities to their database ids. Creates new ones sorted and
 * outside any transaction.
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
    attachments: bytesOf(statement, options.attachments ?? noAttachments),
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
    related,
  }
}

type KnownStatement = { id: string; hash: Buffer }

/** Returns the content hashes of the ids that are already stored. */
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
 * Requires the same content for a known id. Storing the same content again succeeds and stores nothing; other content
 * is a Conflict (xAPI 1.0.3 communication 2.1.1).
 */
export function requireSameContent(statement: KnownStatement, known: Buffer): void {
  if (known.equals(statement.hash)) return
  throw new Conflict('xapi.statement_differs', `A different statement with the id ${statement.id} is already stored.`)
}

/**
 * Stores statements in the given order, inside the caller's transaction. Takes one round trip, and more for statements
 * that are already known, refer to others, have attachments or are forwarded.
 *
 * `stored` is reserved here, after the caller has taken its locks, so that its order is the order of commits under
 * those locks. Returns `seq` by id, without statements that were stored before.
 */
export async function storeStatements(ctx: Ctx, prepared: PreparedStatement[]): Promise<Map<string, number>> {
  if (prepared.length === 0) return new Map()
  const seqs = await insertStatements(ctx, prepared)
  const fresh = prepared.filter((one) => seqs.has(one.id))
  if (fresh.length < prepared.length) await requireKnown(ctx, prepared, seqs)
  const referring = fresh.filter((one) => one.refTarget !== null).map((one) => seqs.get(one.id) as number)
  if (referring.length > 0) await followReferences(ctx, referring)
  const kept = fresh.map(({ id, attachments }) => ({ seq: seqs.get(id) as number, attachments }))
  await storeAttachments(ctx, kept)
  await queueForwards(ctx, fresh, seqs)
  return seqs
}

/**
 * Stores statements with one SQL statement, without a transaction, which costs half the round trips. Returns null, and
 * has stored nothing, if that is not possible, such as for statements that refer to others or are stored already.
 */
export async function storeAtOnce(ctx: Ctx, prepared: PreparedStatement[]): Promise<Map<string, number> | null> {
  const isPlain = (one: PreparedStatement) => one.refTarget === null && one.attachments.length === 0
  if (prepared.length === 0 || !prepared.every(isPlain) || isForwarded(ctx)) return null
  try {
    return await insertStatements(ctx, prepared, { requireNew: true })
  } catch (error) {
    if (isStored(error) || isRetryable(error)) return null
    throw error
  }
}

/** A unique violation: one of the statements is stored already. */
function isStored(error: unknown): boolean {
  return (error as { code?: string }).code === '23505'
}

async function requireKnown(ctx: Ctx, prepared: PreparedStatement[], seqs: Map<string, number>): Promise<void> {
  const others = prepared.filter((one) => !seqs.has(one.id))
  const known = await findKnownStatements(
    ctx,
    others.map((one) => one.id),
  )
  for (const one of others) requireSameContent(one, known.get(one.id) ?? Buffer.alloc(0))
}

/**
 * Inserts ids, bodies and search terms with one SQL statement. Leaves out statements that are stored already; with
 * `requireNew` it fails because of them. Bodies are joined into one text, because an array would be escaped twice. The
 * separator is safe: JSON contains no unescaped control characters.
 */
async function insertStatements(
  ctx: Ctx,
  prepared: PreparedStatement[],
  { requireNew = false } = {},
): Promise<Map<string, number>> {
  const bodies = prepared.map(openBody)
  const related = prepared.flatMap(({ related, verbId, objectActivityId }, index) =>
    related.map((row) => ({ ...row, verbId, objectId: objectActivityId ?? -1, position: index + 1 })),
  )
  const { rows } = await sql<{ id: string; seq: number }>`
    with reserved as materialized (select reserve_stored(${prepared.length}) as first),
    ids as (
      insert into xapi_statement_ids (site_id, statement_id, seq, content_hash)
      select ${ctx.site.id}, id, first + position - 1, hash
      from reserved cross join unnest(${prepared.map((one) => one.id)}::uuid[], ${prepared.map((one) => one.hash)}::bytea[])
        with ordinality as t(id, hash, position)
      order by id
      ${requireNew ? sql`` : sql`on conflict do nothing`}
      returning statement_id as id, seq),
    related as (
      insert into xapi_statement_related (kind, ref_id, verb_id, seq, object_activity_id)
      select t.kind, t.ref_id, t.verb_id, ids.seq, t.object_id
      from reserved cross join unnest(${related.map((row) => row.kind)}::text[], ${related.map((row) => row.refId)}::bigint[],
        ${related.map((row) => row.verbId)}::bigint[], ${related.map((row) => row.objectId)}::bigint[],
        ${related.map((row) => row.position)}::integer[]) as t(kind, ref_id, verb_id, object_id, position)
      join ids on ids.seq = reserved.first + t.position - 1
      returning kind, ref_id, seq),
    bodies as (
      insert into xapi_statements (site_id, seq, statement_id, occurred_at, verb_id, actor_id, object_activity_id,
        authority_id, registration, launch_session_id, ref_target, body, voided_by)
      select ${ctx.site.id}, ids.seq, ids.id, coalesce(t.occurred_at, moment.at), t.verb_id, t.actor_id,
        t.object_activity_id, t.authority_id, t.registration, t.launch_session_id, t.ref_target,
        t.body || case when t.occurred_at is null then moment.text || '","stored":"' else '' end || moment.text || '"}', (
          select voiding.statement_id from xapi_statements voiding
          where voiding.ref_target = ids.id and voiding.site_id + 0 = ${ctx.site.id} and t.verb_id <> voiding.verb_id
            and voiding.verb_id + 0 = (select id from xapi_verbs where iri = ${voidedVerb}) limit 1)
      from reserved cross join unnest(
        string_to_array(${bodies.join('\u001e')}, chr(30)), ${prepared.map(occurredAt)}::timestamptz[],
        ${prepared.map((one) => one.verbId)}::bigint[], ${prepared.map((one) => one.actorId)}::bigint[],
        ${prepared.map((one) => one.objectActivityId)}::bigint[], ${prepared.map((one) => one.authorityId)}::bigint[],
        ${prepared.map((one) => one.statement.context?.registration ?? null)}::uuid[],
        ${prepared.map((one) => one.launchSessionId)}::bigint[], ${prepared.map((one) => one.refTarget)}::uuid[]
      ) with ordinality as t(body, occurred_at, verb_id, actor_id, object_activity_id, authority_id, registration,
        launch_session_id, ref_target, position)
      join ids on ids.seq = reserved.first + t.position - 1
      cross join lateral (select timestamptz 'epoch' + ids.seq * interval '1 microsecond' as at) as instant
      cross join lateral (
        select at, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as text) as moment
      returning seq, statement_id as id, verb_id, actor_id, authority_id, object_activity_id, registration),
    ${referringBefore(ctx, sql`bodies`, sql`related`)}
    select id, seq from ids`.execute(ctx.db)
  return new Map(rows.map((row) => [row.id, row.seq]))
}

/**
 * Returns the text that all clients get (xAPI 1.0.3 data 2.4: id, timestamp, stored, authority and version are always
 * there), up to the value of `stored`, which the database fills in. If the statement has no `timestamp`, the database
 * fills that in with the same value.
 */
function openBody(one: PreparedStatement): string {
  const { id: _id, stored: _stored, authority: _authority, version: _version, timestamp, ...rest } = one.statement
  const text = JSON.stringify({
    id: one.id,
    ...rest,
    ...inUtc(rest),
    ...(timestamp !== undefined && { timestamp: toUtc(timestamp) }),
    authority: one.authority,
    version: one.version,
  } satisfies Omit<StoredStatement, 'timestamp' | 'stored'>)
  return `${text.slice(0, -1)},"${timestamp === undefined ? 'timestamp' : 'stored'}":"`
}

/** Returns null if the statement has no timestamp; then the time of storing counts. */
function occurredAt({ statement: { timestamp } }: PreparedStatement): string | null {
  const micros = timestamp === undefined ? null : parseTimestamp(timestamp)
  return micros === null ? null : formatMicros(micros)
}

function inUtc({ object }: Pick<Statement, 'object'>): Pick<Statement, 'object'> {
  if (object.objectType !== 'SubStatement' || object.timestamp === undefined) return { object }
  return { object: { ...object, timestamp: toUtc(object.timestamp) } }
}

/** Returns the time when a statement was stored. */
export function storedAt(seq: number): Date {
  return dateOfMicros(seq)
}
