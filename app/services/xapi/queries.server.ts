import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { identifierOf, iriKey, ubiquitousActivities } from './identity.ts'
import { type Condition, isDirect, lookupSql, type Term } from './leads.server.ts'
import { findTerm, findTerms } from './terms.server.ts'
import type { Actor } from './types.ts'

/** A parsed query. `since` and `until` are microseconds of `stored`. */
export type StatementFilter = {
  agent?: Actor
  verb?: string
  activity?: string
  /** Any of these, such as those of a module. */
  activities?: string[]
  registration?: string
  relatedAgents?: boolean
  relatedActivities?: boolean
  since?: number
  until?: number
  isAscending?: boolean
}

/** What the client may see: a unit sees only its own learner in its own registration (cmi5 8.1.3). */
export type StatementScope = { actor: Actor; registration: string }

type StatementRow = { seq: number; body: string }

/** Selects a page in the order of `seq`, plus one row if there is a next page. */
export async function selectStatements(
  ctx: Ctx,
  filter: StatementFilter,
  page: { limit: number; after?: number; scope?: StatementScope },
): Promise<StatementRow[]> {
  const conditions = await conditionsOf(ctx, filter)
  const actorId = page.scope ? await findTerm(ctx, 'agents', identifierOf(page.scope.actor)) : null
  if (!conditions || (page.scope && actorId === null)) return []
  const scope = page.scope && actorId !== null ? { actorId, registration: page.scope.registration } : null
  const wanted = page.limit + 1
  const size = pageSizes.find((one) => one >= wanted) ?? wanted
  const isAscending = filter.isAscending ?? false
  const range = rangeOf(filter, page.after)
  const rows: StatementRow[] = []
  let depth = isDirect(conditions) ? size + margin : Math.max(size + margin, firstDepth)
  let depths = [depth]
  while (range.low + 1 < range.high) {
    const lookup = { siteId: ctx.site.id, conditions, scope, range, isAscending, depths, limit: size }
    const found = (await lookupSql(lookup).execute(ctx.db)).rows
    const before = rows.length
    for (const { seq, body } of found) if (seq !== null && body !== null) rows.push({ seq, body })
    const [{ reached, conditions: followed }] = found as [(typeof found)[number]]
    if (rows.length >= wanted) break
    depth = Math.min(depth * growthFor(wanted - rows.length, rows.length - before), deepest)
    depths = depthsFrom(followed, depths, depth, isAscending ? range.low : range.high)
    // `reached` itself is still to be looked at, unless nothing is left.
    if (isAscending) range.low = reached === range.high ? reached : reached - 1
    else range.high = reached === range.low ? reached : reached + 1
  }
  return rows.slice(0, wanted)
}

/**
 * The most statements in one answer; `limit=0` means this number (xAPI 1.0.3 communication 2.1.3). More would delay other
 * requests.
 */
export const maxPage = 200
/** Literal limits, so that PostgreSQL plans few texts; with a limit as a parameter it would plan each call. */
const pageSizes = [26, 101, maxPage + 1]
/**
 * A lead that was cut off says nothing about its last statement, which may refer to up to sixteen others and so be in
 * several rows.
 */
const margin = 18
/** Where several conditions must meet, more rows are read than wanted: up to four times as many in each further round. */
const firstDepth = 250
const deepest = 200_000

/** Returns how many times as many rows to read next, if the next ones match as often as the last ones. */
function growthFor(missing: number, justFound: number): number {
  return [1, 2].find((growth) => growth * justFound * 0.8 >= missing) ?? 4
}

/** The condition that came farthest with each row leads on; the others follow with fewer rows, in case that changes. */
function depthsFrom(followed: number[], depths: number[], depth: number, start: number): number[] {
  const rates = followed.map((reached, index) => Math.abs(reached - start) / (depths[index] ?? depths[0] ?? 1))
  const best = rates.indexOf(Math.max(...rates))
  return rates.map((_, index) => (index === best ? depth : Math.max(firstDepth, Math.ceil(depth / 8))))
}

function rangeOf({ since, until, isAscending }: StatementFilter, after?: number): { low: number; high: number } {
  const low = since ?? -1
  const high = until === undefined ? Number.MAX_SAFE_INTEGER : until + 1
  if (after === undefined) return { low, high }
  return isAscending ? { low: Math.max(low, after), high } : { low, high: Math.min(high, after) }
}

/** Returns null if no statement ever named one of the values in the filter, so nothing can match. */
async function conditionsOf(ctx: Ctx, filter: StatementFilter): Promise<Condition[] | null> {
  const isUbiquitous = filter.relatedActivities && filter.activity && ubiquitousActivities.has(filter.activity)
  const [agent, verb, activity, activities] = await Promise.all([
    filter.agent ? findTerm(ctx, 'agents', identifierOf(filter.agent)) : undefined,
    filter.verb ? findTerm(ctx, 'verbs', iriKey(filter.verb)) : undefined,
    filter.activity && !isUbiquitous ? findTerm(ctx, 'activities', iriKey(filter.activity)) : undefined,
    filter.activities ? findTerms(ctx, 'activities', filter.activities.map(iriKey)) : undefined,
  ])
  if (agent === null || verb === null || activity === null || activities?.length === 0) return null
  const conditions: Condition[] = []
  if (verb !== undefined) conditions.push([{ by: 'column', column: 'verb_id', value: verb }])
  if (filter.registration) conditions.push([{ by: 'column', column: 'registration', value: filter.registration }])
  if (agent !== undefined) conditions.push(agentTerms(agent, filter.relatedAgents ?? false))
  if (activity !== undefined) conditions.push(activityTerms(activity, filter.relatedActivities ?? false))
  if (activities) conditions.push(activities.flatMap((id) => activityTerms(id, filter.relatedActivities ?? false)))
  if (isUbiquitous && filter.activity) conditions.push([{ by: 'text', text: ubiquitousText(filter.activity) }])
  return conditions
}

/**
 * Returns the text by which a body names an activity, as JSON.stringify writes it. It skips IRIs that are only
 * mentioned. It also finds other objects with this `id`, for example in an extension; excluding them would require
 * parsing each body.
 */
function ubiquitousText(iri: string): string {
  return `"id":${JSON.stringify(iri)}`
}

function agentTerms(value: number, withRelated: boolean): Term[] {
  const direct: Term[] = [
    { by: 'column', column: 'actor_id', value },
    { by: 'relation', relation: 'agent', value },
  ]
  if (!withRelated) return direct
  const related: Term = { by: 'relation', relation: 'related_agent', value }
  return [...direct, related, { by: 'column', column: 'authority_id', value }]
}

function activityTerms(value: number, withRelated: boolean): Term[] {
  const direct: Term = { by: 'column', column: 'object_activity_id', value }
  return withRelated ? [direct, { by: 'relation', relation: 'related_activity', value }] : [direct]
}

/** Finds a statement by its id, either only voided or only unvoided. */
export async function selectStatement(
  ctx: Ctx,
  input: { id: string; isVoided: boolean; scope?: StatementScope },
): Promise<StatementRow | null> {
  const scopeActor = input.scope ? await findTerm(ctx, 'agents', identifierOf(input.scope.actor)) : null
  if (input.scope && scopeActor === null) return null
  let query = ctx.db
    .selectFrom('xapi_statement_ids as ids')
    .innerJoin('xapi_statements as s', 's.seq', 'ids.seq')
    .select(['s.seq', 's.body'])
    .where('ids.site_id', '=', ctx.site.id)
    .where('ids.statement_id', '=', input.id)
    .where('s.voided_by', input.isVoided ? 'is not' : 'is', null)
  if (input.scope) {
    query = query.where('s.actor_id', '=', scopeActor).where('s.registration', '=', input.scope.registration)
  }
  return (await query.executeTakeFirst()) ?? null
}

/**
 * Returns the time up to which all stored statements can be read: the start of the oldest transaction that still
 * writes, or now if there is none (xAPI 1.0.3 communication 2.1.3, X-Experience-API-Consistent-Through). Ignores the
 * database's own maintenance.
 */
export async function consistentThrough(ctx: Pick<Ctx, 'db'>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select ${consistentThroughSql} as at`.execute(ctx.db)
  return rows[0]?.at ?? new Date()
}

/** SQL for `consistentThrough`. Must be read before the statements that it describes. */
export const consistentThroughSql = sql<Date>`(
  select coalesce(min(xact_start), clock_timestamp()) from pg_stat_activity
  where backend_xid is not null and datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend')`
