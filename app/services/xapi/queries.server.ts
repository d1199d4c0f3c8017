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

/** What a reader may see at all: a unit only its own learner in its own registration (cmi5 8.1.3, C112). */
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
  const matches = matchingParts(filter, numbers).map(
    ({ joins, where }) => sql`(
      select s.seq from xapi_statements s ${joins}
      where ${bounds(sql`s`)} and s.voided_by is null and ${where}
      order by s.seq ${order} limit ${limit})`,
  )
  // A statement about a matching one matches too, through any number of references, voided or not (1.0.3 comm. 2.1.4).
  const isFiltered = filter.agent || filter.verb || filter.activity || filter.registration
  const referring = isFiltered
    ? matchingParts(filter, numbers).map(
        ({ joins, where }) => sql`(
      select r.seq from refs
      join xapi_statements r on r.seq = refs.seq
      join xapi_statement_ids ids on ids.site_id = ${ctx.site.id} and ids.statement_id = refs.target
      join xapi_statements s on s.seq = ids.seq ${joins}
      where ${bounds(sql`r`)} and r.voided_by is null and ${where}
      order by r.seq ${order} limit ${limit})`,
      )
    : []
  const { rows } = await sql<StatementRow>`
    with recursive refs(seq, target) as (
      select seq, ref_target from xapi_statements
      where ref_target is not null and site_id = ${ctx.site.id}
      union
      select refs.seq, next.ref_target from refs
      join xapi_statement_ids ids on ids.site_id = ${ctx.site.id} and ids.statement_id = refs.target
      join xapi_statements next on next.seq = ids.seq
      where next.ref_target is not null)
    select seq, body from xapi_statements
    where seq in (${sql.join([...matches, ...referring], sql` union `)})
    order by seq ${order} limit ${limit}`.execute(ctx.db)
  return rows
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

/** One part per index that can answer; each walks its index in order and stops at the limit. */
function matchingParts(filter: StatementFilter, numbers: Numbers): Part[] {
  const nothing: Part = { joins: sql``, where: sql`true` }
  const fixed = [sql`true`]
  if (numbers.verb !== null) fixed.push(sql`s.verb_id = ${numbers.verb}`)
  if (filter.registration) fixed.push(sql`s.registration = ${filter.registration}`)
  if (numbers.ubiquitous) fixed.push(sql`position(${JSON.stringify(numbers.ubiquitous)} in s.body) > 0`)
  const agents = numbers.agent === null ? [nothing] : agentParts(numbers.agent, filter.relatedAgents ?? false)
  const activities =
    numbers.activity === null ? [nothing] : activityParts(numbers.activity, filter.relatedActivities ?? false)
  return agents.flatMap((agent) =>
    activities.map((activity) => ({
      joins: sql`${agent.joins} ${activity.joins}`,
      where: sql.join([...fixed, agent.where, activity.where], sql` and `),
    })),
  )
}

function agentParts(agent: number, withRelated: boolean): Part[] {
  const by = (kind: string): Part => ({
    joins: sql`join xapi_statement_related ra on ra.seq = s.seq and ra.kind = ${kind} and ra.ref_id = ${agent}`,
    where: sql`true`,
  })
  const direct: Part[] = [{ joins: sql``, where: sql`s.actor_id = ${agent}` }, by('agent')]
  if (!withRelated) return direct
  return [...direct, by('related_agent'), { joins: sql``, where: sql`s.authority_id = ${agent}` }]
}

function activityParts(activity: number, withRelated: boolean): Part[] {
  const direct: Part = { joins: sql``, where: sql`s.object_activity_id = ${activity}` }
  if (!withRelated) return [direct]
  const related: Part = {
    joins: sql`join xapi_statement_related rb on rb.seq = s.seq and rb.kind = 'related_activity' and rb.ref_id = ${activity}`,
    where: sql`true`,
  }
  return [direct, related]
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
 * Everything stored before this moment is readable now: the start of the oldest transaction that still writes, else the
 * present (xAPI 1.0.3 communication 2.1.3, X-Experience-API-Consistent-Through).
 */
export async function consistentThrough(ctx: Pick<Ctx, 'db'>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select coalesce(min(xact_start), clock_timestamp()) as at from pg_stat_activity
    where backend_xid is not null and datname = current_database() and pid <> pg_backend_pid()`.execute(ctx.db)
  return rows[0]?.at ?? new Date()
}
