import { type RawBuilder, sql } from 'kysely'

/*
 * SQL that finds statements without depending on the planner's luck.
 *
 * A query is a list of conditions, each of which is a list of terms, one of which must hold. Each term has an index that
 * ends with `seq`. A *lead* reads the first rows of such an index in order, and tests the rest of the query on each. A
 * condition has been followed as far as all of its leads have, and the query as far as its best condition. So nothing
 * has to know beforehand which condition is rare.
 *
 * The range of a lead is a comparison of rows, `(verb_id, site_id, seq) > (7, 1, 0)`, and the order is that of the whole
 * row. No two indexes begin with the same column or expression, so only one of them has this order, or a part of it:
 * PostgreSQL cannot walk another one in the hope of meeting enough matches on its way, with statistics, without them, or
 * with a plan that was made for other values. `actor_id + 0` is there to be another beginning than `actor_id`. Tests on
 * a row are scalar subqueries in the select list, which PostgreSQL cannot turn into joins.
 */

type Column = 'verb_id' | 'actor_id' | 'authority_id' | 'object_activity_id' | 'registration'
type Relation = 'agent' | 'related_agent' | 'related_activity'
export type Term =
  | { by: 'column'; column: Column; value: number | string }
  | { by: 'relation'; relation: Relation; value: number }
  /** What the body contains; no index leads to it. */
  | { by: 'text'; text: string }
export type Condition = Term[]

export type Lookup = {
  siteId: number
  conditions: Condition[]
  scope: { actorId: number; registration: string } | null
  /** Both ends are excluded. */
  range: { low: number; high: number }
  isAscending: boolean
  /** How many rows of its index a lead reads, by condition of `leadingConditions`. */
  depths: number[]
  /** How many statements are wanted. */
  limit: number
}

type Sql = RawBuilder<unknown>
/** Leads by condition. Each is a subquery that returns `seq` and `fits`. */
type Search = Lead[][]
type Lead = { rows: Sql; depth: number }
/** What a lead is made of. It tests all conditions but its own. */
type Walk = Lookup & { depth: number; tested: Condition[] }

/** `conditions` says how far each has been followed. */
type Found = { reached: number; conditions: number[]; seq: number | null; body: string | null }

/**
 * Selects the matching statements between the start of the range and `reached`, which has been followed completely; it
 * is the end of the range if nothing is left.
 */
export function lookupSql(lookup: Lookup): RawBuilder<Found> {
  const { isAscending, range, limit } = lookup
  const searches = searchesOf(lookup)
  const names = new Map(searches.flat(2).map((lead, index) => [lead, sql.ref(`lead${index}`)]))
  const nameOf = (lead: Lead) => names.get(lead) as Sql
  const end = isAscending ? range.high : range.low
  const last = isAscending ? sql`max` : sql`min`
  const [nearest, farthest] = isAscending ? [sql`least`, sql`greatest`] : [sql`greatest`, sql`least`]
  const leadReached = (lead: Lead) =>
    sql`(select case when count(*) < ${sql.lit(lead.depth)} then ${end}::bigint else ${last}(seq) end from ${nameOf(lead)})`
  const conditionReached = (leads: Lead[]) => sql`${nearest}(${sql.join(leads.map(leadReached))})`
  const searchReached = (search: Search) => sql`${farthest}(${sql.join(search.map(conditionReached))})`
  const found = [...names.values()].map((name) => sql`select seq from ${name} where fits`)
  const order = orderOf(lookup)
  return sql`
    with ${sql.join([...names].map(([lead, name]) => sql`${name} as materialized (${lead.rows})`))},
    progress as materialized (
      select ${nearest}(${sql.join(searches.map(searchReached))}) as reached,
        json_build_array(${sql.join((searches[0] ?? []).map(conditionReached))}) as conditions),
    page as materialized (
      select found.seq from (${sql.join(found, sql` union `)}) as found
      where found.seq ${isAscending ? sql`<` : sql`>`} (select reached from progress)
      order by found.seq ${order} limit ${sql.lit(limit)})
    select progress.reached, progress.conditions, page.seq, (select s.body from xapi_statements s where s.seq = page.seq) as body
    from progress left join page on true
    order by page.seq ${order}`
}

function searchesOf(lookup: Lookup): Search[] {
  const { conditions, scope, depths } = lookup
  const depthOf = (index: number) => depths[index] ?? Math.max(...depths)
  const only = { ...lookup, depth: depthOf(0), tested: conditions }
  if (scope) return [[[{ rows: scopeLead(only, scope), depth: only.depth }]]]
  if (conditions.length === 0) return [[[{ rows: statementLead(only, null), depth: only.depth }]]]
  const search = (lead: (walk: Walk, term: Term | null) => Sql): Search =>
    leadingConditions(conditions).map((condition, index) => {
      const depth = depthOf(index)
      const tested = conditions.filter((other) => other !== condition)
      return condition.map((term) => ({ rows: lead({ ...lookup, depth, tested }, term), depth }))
    })
  return [search(statementLead), search(referenceLead)]
}

/** Leaves out texts, and a verb that all leads of another condition include. */
function leadingConditions(conditions: Condition[]): (Term | null)[][] {
  const leading = conditions.filter((condition) => condition.every((term) => term.by !== 'text'))
  if (leading.length === 0) return [[null]]
  if (!leading.some((condition) => condition.every(isWithVerb))) return leading
  return leading.filter((condition) => !condition.some(isVerb))
}

/** Tells whether nearly every row that a lead reads is an answer. */
export function isDirect(conditions: Condition[]): boolean {
  const rest = conditions.filter((condition) => !condition.some(isVerb))
  if (rest.some((condition) => condition.some((term) => term.by === 'text'))) return false
  return conditions.length <= 1 || (rest.length === 1 && rest.every((condition) => condition.every(isWithVerb)))
}

const isVerb = (term: Term) => term.by === 'column' && term.column === 'verb_id'

/** Tells whether there is an index by this term and a verb. */
function isWithVerb(term: Term): boolean {
  if (term.by === 'text') return false
  return term.by === 'relation' || term.column === 'actor_id' || term.column === 'object_activity_id'
}

function verbOf({ conditions }: Lookup): number | string | null {
  const verb = conditions.flat().find(isVerb)
  return verb?.by === 'column' ? verb.value : null
}

/** What a lead says about statements: itself, or one that it refers to. */
type Subject = {
  seq: Sql
  relation: (relation: Relation | Relation[], value: number, alias: Sql) => Sql
}

const itself: Subject = {
  seq: sql`seq`,
  // Rows that an older build wrote have no verb.
  relation: (relation, value, alias) => sql`(
    select true from xapi_statement_related r
    where r.kind = ${sql.lit(relation)} and r.ref_id = ${value} and r.verb_id = any(array[${alias}.verb_id, 0])
      and r.seq = ${alias}.seq limit 1) is true`,
}
const target: Subject = {
  seq: sql`target_seq`,
  relation: (relation, value, alias) => sql`(
    select true from xapi_reference_related r
    where r.kind = ${sql.lit(relation)} and r.ref_id = ${value} and r.seq = ${alias}.seq
      and r.target_seq = ${alias}.target_seq) is true`,
}

/** Returns a test of one row, of a statement or a reference. */
function matches({ tested }: Walk, subject: Subject, alias: Sql): Sql {
  const test = (term: Term): Sql => {
    if (term.by === 'column') return sql`${alias}.${sql.ref(term.column)} is not distinct from ${term.value}`
    if (term.by === 'relation') return subject.relation(term.relation, term.value, alias)
    return sql`(select position(${term.text} in b.body) > 0 from xapi_statements b where b.seq = ${alias}.${subject.seq})`
  }
  const all = tested.map((condition) => sql`(${sql.join(condition.map(test), sql` or `)})`)
  return all.length === 0 ? sql`true` : sql.join(all, sql` and `)
}

/** Returns the test of what the client may see. */
function isVisible({ siteId, scope }: Lookup, alias: Sql): Sql {
  const own = scope
    ? sql`and ${alias}.actor_id = ${scope.actorId} and ${alias}.registration = ${scope.registration}::uuid`
    : sql``
  return sql`${alias}.site_id = ${siteId} and ${alias}.voided_by is null ${own}`
}

function orderOf({ isAscending }: Lookup): Sql {
  return isAscending ? sql`asc` : sql`desc`
}

type Key = [column: string, value: Sql][]

/** Returns the range of an index and its order; `key` are its first columns. */
function walk(lookup: Walk, alias: Sql, key: Key): Sql {
  const columns = key.map(([column]) => sql`${alias}.${sql.ref(column)}`)
  return walkOn(lookup, [...columns, sql`${alias}.seq`], valuesOf(key))
}

const valuesOf = (key: Key) => key.map(([, value]) => value)

function walkOn(lookup: Walk, columns: Sql[], values: Sql[]): Sql {
  const { low, high } = lookup.range
  return sql`${between(columns, [...values, sql`${low}::bigint`], [...values, sql`${high}::bigint`])}
    order by ${sql.join(columns.map((column) => sql`${column} ${orderOf(lookup)}`))} limit ${sql.lit(lookup.depth)}`
}

function between(columns: Sql[], low: Sql[], high: Sql[]): Sql {
  const row = sql.join(columns)
  return sql`(${row}) > (${sql.join(low)}) and (${row}) < (${sql.join(high)})`
}

const statementColumns = sql`s.seq, s.site_id, s.voided_by, s.verb_id, s.actor_id, s.authority_id, s.object_activity_id, s.registration`

function statementLead(lookup: Walk, term: Term | null): Sql {
  const { siteId } = lookup
  const verb = verbOf(lookup)
  if (term?.by === 'relation') return relatedLead(lookup, term)
  const s = sql`s`
  const from = (where: Sql) => sql`select ${statementColumns} from xapi_statements s where ${where}`
  const fits = sql`${isVisible(lookup, sql`c`)} and ${matches(lookup, itself, sql`c`)}`
  const lead = (candidates: Sql) => sql`select c.seq, ${fits} as fits from (${candidates}) as c`
  if (term === null || term.by === 'text') return lead(from(walk(lookup, s, [['site_id', sql`${siteId}`]])))
  const { column, value } = term
  const key: Key = [[column, sql`${value}`]]
  if (column === 'verb_id') return lead(from(walk(lookup, s, [...key, ['site_id', sql`${siteId}`]])))
  if (column === 'registration') {
    return lead(from(sql`s.registration is not null and ${walk(lookup, s, [[column, sql`${value}::uuid`]])}`))
  }
  if (column === 'object_activity_id') {
    const ofVerb = from(sql`s.object_activity_id is not null and ${walk(lookup, s, [...key, ['verb_id', sql`v.id`]])}`)
    const verbs = verbsOf(verb, sql`xapi_statements`, sql`n.object_activity_id is not null and`, key)
    return lead(merged(lookup, verbs, ofVerb))
  }
  if (column === 'authority_id') return lead(from(walk(lookup, s, key)))
  if (verb !== null) return lead(from(walk(lookup, s, [...key, ['verb_id', sql`${verb}`]])))
  const object = onlyObjectOf(lookup)
  // The index ends with the object, so PostgreSQL passes over the others without looking at their rows.
  const ofObject = object === null ? sql`` : sql`s.object_activity_id + 0 = ${object} and`
  return lead(from(sql`${ofObject} ${walkOn(lookup, [sql`(s.actor_id + 0)`, sql`s.seq`], valuesOf(key))}`))
}

/** Returns the activity if it must be the object. */
function onlyObjectOf({ conditions }: Lookup): number | string | null {
  for (const [term, ...others] of conditions) {
    if (term?.by === 'column' && term.column === 'object_activity_id' && others.length === 0) return term.value
  }
  return null
}

function relatedLead(lookup: Walk, { relation, value }: Extract<Term, { by: 'relation' }>): Sql {
  const verb = verbOf(lookup)
  const key: Key = [
    ['kind', sql.lit(relation)],
    ['ref_id', sql`${value}`],
  ]
  const verbs = verbsOf(verb, sql`xapi_statement_related`, sql``, key)
  const object = relation === 'related_activity' ? null : onlyObjectOf(lookup)
  const ofObject = object === null ? sql`` : sql`r.object_activity_id = any(array[${object}::bigint, 0]) and`
  const ofVerb = sql`
    select r.seq from xapi_statement_related r
    where ${ofObject} ${walk(lookup, sql`r`, [...key, ['verb_id', sql`v.id`]])}`
  const fits = sql`(
    select ${isVisible(lookup, sql`s`)} and ${matches(lookup, itself, sql`s`)} from xapi_statements s
    where s.seq = c.seq)`
  return sql`select c.seq, ${fits} as fits from (${merged(lookup, verbs, ofVerb)}) as c`
}

/** Returns the given verb and 0, or all verbs that the index has after its first columns, each found by one step. */
function verbsOf(verb: number | string | null, table: Sql, isIndexed: Sql, key: Key): Sql {
  if (verb !== null) return sql`select * from (values (${verb}::bigint), (0)) as v(id)`
  const columns = [...key.map(([column]) => column), 'verb_id'].map((column) => sql`n.${sql.ref(column)}`)
  const after = between(
    columns,
    [...valuesOf(key), sql`verbs.id`],
    [...valuesOf(key), sql`${Number.MAX_SAFE_INTEGER}::bigint`],
  )
  return sql`
    with recursive verbs(id) as (
      values (-1::bigint)
      union all
      select (select n.verb_id from ${table} n where ${isIndexed} ${after} order by ${sql.join(columns)} limit 1)
      from verbs where verbs.id is not null)
    select id from verbs where id >= 0`
}

/** Merges the rows of each verb. */
function merged(lookup: Walk, verbs: Sql, ofVerb: Sql): Sql {
  return sql`
    select m.* from (${verbs}) as v cross join lateral (${ofVerb}) as m
    order by m.seq ${orderOf(lookup)} limit ${sql.lit(lookup.depth)}`
}

const referenceColumns = sql`t.seq, t.target_seq, t.verb_id, t.actor_id, t.authority_id, t.object_activity_id, t.registration`

/** A statement that refers to a matching one matches too, even if that one is voided (xAPI 1.0.3 communication 2.1.3). */
function referenceLead(lookup: Walk, term: Term | null): Sql {
  const visible = sql`(select ${isVisible(lookup, sql`s`)} from xapi_statements s where s.seq = c.seq)`
  if (term?.by === 'relation') {
    const key: Key = [
      ['kind', sql.lit(term.relation)],
      ['ref_id', sql`${term.value}`],
    ]
    const fits = sql`(
      select ${matches(lookup, target, sql`t`)} from xapi_statement_references t
      where t.target_seq = c.target_seq and t.seq = c.seq)`
    return sql`
      select c.seq, ${fits} and ${visible} as fits from (
        select r.seq, r.target_seq from xapi_reference_related r where ${walk(lookup, sql`r`, key)}) as c`
  }
  const key: Key =
    term?.by === 'column'
      ? [[term.column, term.column === 'registration' ? sql`${term.value}::uuid` : sql`${term.value}`]]
      : []
  return sql`
    select c.seq, ${matches(lookup, target, sql`c`)} and ${visible} as fits from (
      select ${referenceColumns} from xapi_statement_references t where ${walk(lookup, sql`t`, key)}) as c`
}

/** What a unit may see is one attempt, which is short: it leads, whatever the unit asks for. */
function scopeLead(lookup: Walk, { registration }: { registration: string }): Sql {
  const referring = sql`(
    select true from xapi_statement_references t
    where t.seq = c.seq and ${matches(lookup, target, sql`t`)} limit 1) is true`
  const key: Key = [['registration', sql`${registration}::uuid`]]
  return sql`
    select c.seq, ${isVisible(lookup, sql`c`)} and (${matches(lookup, itself, sql`c`)} or ${referring}) as fits from (
      select ${statementColumns} from xapi_statements s
      where s.registration is not null and ${walk(lookup, sql`s`, key)}) as c`
}
