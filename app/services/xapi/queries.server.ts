import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { identifierOf, iriKey, ubiquitousActivities } from './identity.ts'
import { findTerm } from './terms.server.ts'
import type { Actor } from './types.ts'

/** A parsed query. `since` and `until` are microseconds of `stored`. */
export type StatementFilter = {
  agent?: Actor
  verb?: string
  activity?: string
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

type Numbers = {
  agent: number | null
  verb: number | null
  activity: number | null
  scopeActor: number | null
  ubiquitous: string | null
}

/** Selects a page in the order of `seq`, plus one row if there is a next page. */
export async function selectStatements(
  ctx: Ctx,
  filter: StatementFilter,
  page: { limit: number; after?: number; scope?: StatementScope },
): Promise<StatementRow[]> {
  const numbers = await numbersOf(ctx, filter, page.scope)
  if (!numbers) return []
  const order = filter.isAscending ? sql`asc` : sql`desc`
  const limit = page.limit + 1
  const bounds = boundsOf(ctx, filter, page, numbers)
  const partLimit = partLimitOf(filter, limit)
  const found = (from: RawBuilder<unknown>, alias: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`(
      select distinct ${alias}.seq from ${from}
      where ${bounds(alias)} and ${alias}.voided_by is null and ${where}
      order by ${alias}.seq ${order} limit ${partLimit})`
  const matches = matchingParts(filter, numbers, itself).map(({ joins, where }) =>
    found(sql`xapi_statements s ${joins}`, sql`s`, where),
  )
  // A statement that refers to a matching one matches too, through any number of references, even if the matching one
  // is voided (1.0.3 communication 2.1.3).
  if (filter.agent || filter.verb || filter.activity || filter.registration) {
    const referring = matchingParts(filter, numbers, target).map(({ joins, where }) =>
      found(sql`xapi_statement_references t ${joins} join xapi_statements r on r.seq = t.seq`, sql`r`, where),
    )
    matches.push(...referring)
  }
  const { rows } = await sql<StatementRow>`
    select seq, body from xapi_statements
    where seq in (select seq from (${sql.join(matches, sql` union `)}) as found order by seq ${order} limit ${limit})
    order by seq ${order}`.execute(ctx.db)
  return rows
}

const partSizes = [26, 101, 501]

/**
 * Returns the limit of one part as a literal. If the limit were a parameter, PostgreSQL's generic plan would read and
 * sort everything that matches, so PostgreSQL would plan each call anew, which is four fifths of its work. A query for
 * an activity and something else keeps the parameter: the activity may be in a handful of statements or in half of
 * them, so only a plan made with the values can choose the right index.
 */
function partLimitOf({ activity, agent, verb, registration }: StatementFilter, limit: number): RawBuilder<unknown> {
  if (activity && (agent || verb || registration)) return sql`${limit}`
  return sql.lit(partSizes.find((size) => size >= limit) ?? limit)
}

/** Returns null if no statement ever named one of the values in the filter, so nothing can match. */
async function numbersOf(ctx: Ctx, filter: StatementFilter, scope?: StatementScope): Promise<Numbers | null> {
  const ubiquitous =
    filter.relatedActivities && filter.activity && ubiquitousActivities.has(filter.activity) ? filter.activity : null
  const wanted = [
    filter.agent ? findTerm(ctx, 'agents', identifierOf(filter.agent)) : undefined,
    filter.verb ? findTerm(ctx, 'verbs', iriKey(filter.verb)) : undefined,
    filter.activity && !ubiquitous ? findTerm(ctx, 'activities', iriKey(filter.activity)) : undefined,
    scope ? findTerm(ctx, 'agents', identifierOf(scope.actor)) : undefined,
  ]
  const found = await Promise.all(wanted)
  if (found.some((id) => id === null)) return null
  const [agent = null, verb = null, activity = null, scopeActor = null] = found
  return { agent, verb, activity, scopeActor, ubiquitous }
}

function boundsOf(
  ctx: Ctx,
  filter: StatementFilter,
  page: { after?: number; scope?: StatementScope },
  numbers: Numbers,
): (alias: RawBuilder<unknown>) => RawBuilder<unknown> {
  return (alias) => {
    const parts = [sql`${alias}.site_id = ${ctx.site.id}`]
    if (filter.since !== undefined) parts.push(sql`${alias}.seq > ${filter.since}`)
    if (filter.until !== undefined) parts.push(sql`${alias}.seq <= ${filter.until}`)
    if (page.after !== undefined) {
      parts.push(filter.isAscending ? sql`${alias}.seq > ${page.after}` : sql`${alias}.seq < ${page.after}`)
    }
    if (page.scope) {
      parts.push(sql`${alias}.actor_id = ${numbers.scopeActor} and ${alias}.registration = ${page.scope.registration}`)
    }
    return sql.join(parts, sql` and `)
  }
}

type Part = { joins: RawBuilder<unknown>; where: RawBuilder<unknown> }

/** The statement that must match: the alias of its row, its body, and the join to its related agents and activities. */
type Subject = {
  row: RawBuilder<unknown>
  body: RawBuilder<unknown>
  related: (alias: RawBuilder<unknown>) => RawBuilder<unknown>
}

const itself: Subject = {
  row: sql`s`,
  body: sql`s.body`,
  related: (alias) => sql`join xapi_statement_related ${alias} on ${alias}.seq = s.seq`,
}
const target: Subject = {
  row: sql`t`,
  body: sql`(select named.body from xapi_statements named where named.seq = t.target_seq)`,
  related: (alias) =>
    sql`join xapi_reference_related ${alias} on ${alias}.seq = t.seq and ${alias}.target_seq = t.target_seq`,
}

/** Returns one part per usable index. Each part reads its index in order and stops at the limit. */
function matchingParts(filter: StatementFilter, numbers: Numbers, subject: Subject): Part[] {
  const { row, body } = subject
  const nothing: Part = { joins: sql``, where: sql`true` }
  const fixed = [sql`true`]
  if (numbers.verb !== null) fixed.push(sql`${row}.verb_id = ${numbers.verb}`)
  if (filter.registration) fixed.push(sql`${row}.registration = ${filter.registration}`)
  if (numbers.ubiquitous) fixed.push(sql`position(${ubiquitousText(numbers.ubiquitous)} in ${body}) > 0`)
  const agents = numbers.agent === null ? [nothing] : agentParts(subject, numbers.agent, filter.relatedAgents ?? false)
  const activities =
    numbers.activity === null ? [nothing] : activityParts(subject, numbers.activity, filter.relatedActivities ?? false)
  return agents.flatMap((agent) =>
    activities.map((activity) => ({
      joins: sql`${agent.joins} ${activity.joins}`,
      where: sql.join([...fixed, agent.where, activity.where], sql` and `),
    })),
  )
}

/**
 * Returns the text by which a body names an activity, as JSON.stringify writes it. It skips IRIs that are only
 * mentioned. It also finds other objects with this `id`, for example in an extension; excluding them would require
 * parsing each body.
 */
function ubiquitousText(iri: string): string {
  return `"id":${JSON.stringify(iri)}`
}

function agentParts({ row, related }: Subject, agent: number, withRelated: boolean): Part[] {
  const by = (kind: string): Part => ({
    joins: sql`${related(sql`ra`)} and ra.kind = ${sql.lit(kind)} and ra.ref_id = ${agent}`,
    where: sql`true`,
  })
  const direct: Part[] = [{ joins: sql``, where: sql`${row}.actor_id = ${agent}` }, by('agent')]
  if (!withRelated) return direct
  return [...direct, by('related_agent'), { joins: sql``, where: sql`${row}.authority_id = ${agent}` }]
}

function activityParts({ row, related }: Subject, activity: number, withRelated: boolean): Part[] {
  const direct: Part = { joins: sql``, where: sql`${row}.object_activity_id = ${activity}` }
  if (!withRelated) return [direct]
  const further: Part = {
    joins: sql`${related(sql`rb`)} and rb.kind = 'related_activity' and rb.ref_id = ${activity}`,
    where: sql`true`,
  }
  return [direct, further]
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
