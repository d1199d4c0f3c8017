import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { identifierOf, iriKey, ubiquitousActivities } from './identity.ts'
import { findTerm } from './terms.server.ts'
import type { Actor } from './types.ts'

/** What a reader asks for, parsed. `since` and `until` are microseconds of `stored`. */
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

/** What a reader may see at all: a unit only its own learner in its own registration (cmi5 8.1.3). */
export type StatementScope = { actor: Actor; registration: string }

export type StatementRow = { seq: number; body: string }

type Numbers = {
  agent: number | null
  verb: number | null
  activity: number | null
  scopeActor: number | null
  ubiquitous: string | null
}

/** One page by `seq`, and one row more where there is a next page. */
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
  const most = mostOfPart(filter, limit)
  const found = (from: RawBuilder<unknown>, alias: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`(
      select distinct ${alias}.seq from ${from}
      where ${bounds(alias)} and ${alias}.voided_by is null and ${where}
      order by ${alias}.seq ${order} limit ${most})`
  const matches = matchingParts(filter, numbers, itself).map(({ joins, where }) =>
    found(sql`xapi_statements s ${joins}`, sql`s`, where),
  )
  // A statement about a matching one matches too, through references, voided or not (1.0.3 communication 2.1.3).
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
 * How many rows a part looks for, as a literal: for a limit that it does not know PostgreSQL's plan without values reads and sorts all
 * that matches, so it plans each call anew, which is four fifths of its work. An activity together with something else is planned anew,
 * since it may be in a handful of statements or in half of them, and only the values tell which index is the short way.
 */
function mostOfPart({ activity, agent, verb, registration }: StatementFilter, limit: number): RawBuilder<unknown> {
  if (activity && (agent || verb || registration)) return sql`${limit}`
  return sql.lit(partSizes.find((size) => size >= limit) ?? limit)
}

/** Null when something asked for was never named by any statement. */
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

/** What must match: a row with the numbers of a statement, and how what is related to it is joined. */
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

/** One part per index that can answer; each walks its index in order and stops at the limit. */
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
 * As JSON.stringify wrote it into the body, where an activity is named by `id` and an IRI that is only mentioned is not. What
 * else has such an `id`, in an extension for example, is found too: telling them apart would be to parse each body.
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

/** One statement by its id, voided or not as asked. */
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
 * Everything stored before this moment is readable now: the start of the oldest transaction that still writes, those of
 * the database's own upkeep left out, else the present (xAPI 1.0.3 communication 2.1.3, X-Experience-API-Consistent-Through).
 */
export async function consistentThrough(ctx: Pick<Ctx, 'db'>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select ${throughNow} as at`.execute(ctx.db)
  return rows[0]?.at ?? new Date()
}

/** To be read before what it is said of. */
export const throughNow = sql<Date>`(
  select coalesce(min(xact_start), clock_timestamp()) from pg_stat_activity
  where backend_xid is not null and datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend')`
