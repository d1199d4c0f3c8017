import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { identifierOf, iriKey, termsOf } from '~/services/xapi/identity.ts'
import { type Lookup, lookupSql } from '~/services/xapi/leads.server.ts'
import { type StatementFilter, type StatementScope, selectStatements } from '~/services/xapi/queries.server.ts'
import type { Actor, Statement } from '~/services/xapi/types.ts'
import { combinedFilters, type Facts, type Filter, factsOf, singleFilters } from '../../bench/lrs-filters.ts'
import { aWriter, instructorOf, type Made } from '../../bench/lrs-statements.ts'
import { aStore } from '../support/xapi.ts'

const { db, ctx, send, auth } = await aStore()

type Stored = Statement & { id: string; stored: string; authority: Actor }
/** In the order of storing. */
let stored: Stored[] = []
let facts: Facts
/** What a unit of the first attempt may see. */
let own: StatementScope
const voided = new Set<string>()

beforeAll(async () => {
  const made: Made[] = aWriter(3, { actors: 50, films: 8, quizzes: 5, units: 21, groups: 3 }).take(1800)
  const about = (id: string, name: string) => ({
    id: randomUUID(),
    actor: instructorOf(0),
    verb: { id: `http://adlnet.gov/expapi/verbs/${name}` },
    object: { objectType: 'StatementRef', id },
  })
  const voids = made.filter((_, index) => index % 60 === 7).map(({ id }) => about(id, 'voided'))
  for (const { object } of voids) voided.add(object.id)
  const comments = made.filter((_, index) => index % 90 === 5).map(({ id }) => about(id, 'commented'))
  const further = comments.slice(0, 8).map(({ id }) => about(id, 'experienced'))
  // A statement of an attempt that refers to another attempt.
  const [{ actor, context }, other] = [made[0], made.find((one) => one.context !== made[0]?.context)] as [Made, Made]
  own = { actor: actor as Actor, registration: (context as { registration: string }).registration }
  const referring = { ...about(other.id, 'experienced'), actor, context: { registration: own.registration } }
  const all = [...made.slice(0, 900), referring, ...comments, ...voids, ...made.slice(900), ...further]
  for (let from = 0; from < all.length; from += 200) {
    const answer = await send('POST', '/xapi/statements', { auth, body: all.slice(from, from + 200) })
    expect(answer.status).toBe(200)
  }
  const rows = await db.selectFrom('xapi_statements').select('body').orderBy('seq').execute()
  stored = rows.map(({ body }) => JSON.parse(body) as Stored)
  const [first, last] = [stored[0]?.stored, stored.at(-1)?.stored].map((text) => new Date(text ?? ''))
  facts = factsOf(made, { first: first as Date, last: last as Date })
}, 60_000)

test('2.1.3 every filter and combination finds what reading everything finds, in order and page by page', async () => {
  const filters = [...singleFilters(facts), ...combinedFilters(facts, 200, 5)]
  let found = 0
  for (const filter of filters) {
    const ids = await readAll(filter)
    expect(ids, JSON.stringify(filter)).toEqual(expected(filter))
    found += ids.length
  }
  expect(found).toBeGreaterThan(5000)
}, 120_000)

test('cmi5 8.1.3 a unit finds the same within its own attempt', async () => {
  const filters = [...singleFilters(facts), ...combinedFilters(facts, 100, 6), { verb: otherVerb() }]
  let found = 0
  for (const filter of filters) {
    const limit = Number(filter.limit) || 200
    const rows = await selectStatements(ctx, filterOf(filter), { limit, scope: own })
    const ids = rows.map(({ body }) => (JSON.parse(body) as Stored).id)
    expect(ids, JSON.stringify(filter)).toEqual(expected(filter, own).slice(0, limit + 1))
    found += ids.length
  }
  expect(found).toBeGreaterThan(50)
})

/** The verb of the statement that the attempt refers to. */
function otherVerb(): string {
  const referring = stored.find((one) => one.context?.registration === own.registration && termsOf(one).refTarget)
  return stored.find(({ id }) => id === (referring && termsOf(referring).refTarget))?.verb.id ?? ''
}

function filterOf(filter: Filter): StatementFilter {
  return {
    agent: filter.agent && JSON.parse(filter.agent),
    verb: filter.verb,
    activity: filter.activity,
    registration: filter.registration,
    relatedAgents: filter.related_agents === 'true',
    relatedActivities: filter.related_activities === 'true',
    since: filter.since ? micros(filter.since) : undefined,
    until: filter.until ? micros(filter.until) : undefined,
    isAscending: filter.ascending === 'true',
  }
}

/** Reads the page and, with small limits, two more. */
async function readAll(filter: Filter): Promise<string[]> {
  type Page = { statements: { id: string }[]; more: string }
  const { json } = await send('GET', '/xapi/statements', { auth, params: filter })
  let page = json as Page
  const ids = page.statements.map(({ id }) => id)
  for (let turn = 1; turn < pages && page.more; turn++) {
    page = (await send('GET', page.more, { auth })).json as Page
    ids.push(...page.statements.map(({ id }) => id))
  }
  return ids
}
const pages = 3

function expected(filter: Filter, scope?: StatementScope): string[] {
  const byId = new Map(stored.map((one) => [one.id, one]))
  const hasFilter = ['agent', 'verb', 'activity', 'registration'].some((name) => filter[name])
  const isFound = (one: Stored): boolean => {
    if (matches(one, filter)) return true
    const target = termsOf(one).refTarget
    const next = target === null ? undefined : byId.get(target)
    return hasFilter && next !== undefined && isFound(next)
  }
  const inTime = ({ stored: at }: Stored) =>
    (!filter.since || micros(at) > micros(filter.since)) && (!filter.until || micros(at) <= micros(filter.until))
  const isVisible = ({ actor, context }: Stored) =>
    !scope || (identifierOf(actor) === identifierOf(scope.actor) && context?.registration === scope.registration)
  const all = stored
    .filter((one) => !voided.has(one.id) && inTime(one) && isVisible(one) && isFound(one))
    .map(({ id }) => id)
  if (filter.ascending !== 'true') all.reverse()
  return all.slice(0, pages * (Number(filter.limit) || 200))
}

const micros = (text: string) => Date.parse(text) * 1000 + Number(/\.\d{3}(\d{3})Z$/.exec(text)?.[1] ?? 0)

function matches(one: Stored, filter: Filter): boolean {
  const terms = termsOf(one)
  if (filter.verb && terms.verb !== iriKey(filter.verb)) return false
  if (filter.registration && one.context?.registration !== filter.registration) return false
  if (filter.agent && !agentsOf(one, filter).has(identifierOf(JSON.parse(filter.agent)))) return false
  if (!filter.activity || terms.objectActivity === filter.activity) return true
  if (!filter.related_activities) return false
  return terms.relatedActivities.has(filter.activity) || JSON.stringify(one).includes(`"id":"${filter.activity}"`)
}

function agentsOf(one: Stored, { related_agents }: Filter): Set<string> {
  const { actor, agents, relatedAgents } = termsOf(one)
  if (!related_agents) return new Set([actor, ...agents])
  return new Set([actor, ...agents, ...relatedAgents, identifierOf(one.authority)])
}

test('each part of a query reads a range of one index, without statistics and with them', async () => {
  await expectRanges()
  await sql`analyze xapi_statements, xapi_statement_related, xapi_statement_references`.execute(db)
  await expectRanges()
})

async function expectRanges() {
  const verb = { by: 'column', column: 'verb_id', value: 1 } as const
  const agent = [
    { by: 'column', column: 'actor_id', value: 1 },
    { by: 'relation', relation: 'agent', value: 1 },
    { by: 'relation', relation: 'related_agent', value: 1 },
    { by: 'column', column: 'authority_id', value: 1 },
  ] as const
  const activity = [
    { by: 'column', column: 'object_activity_id', value: 1 },
    { by: 'relation', relation: 'related_activity', value: 1 },
  ] as const
  const registration = { by: 'column', column: 'registration', value: randomUUID() } as const
  const queries = [
    [],
    [[verb]],
    [[registration]],
    [[...agent]],
    [[...activity]],
    [[verb], [...agent]],
    [[verb], [...activity]],
    [[agent[0]], [activity[0]]],
    [[verb], [registration], [...agent], [...activity]],
  ]
  for (const conditions of queries) {
    for (const isAscending of [false, true]) {
      const range = { low: -1, high: Number.MAX_SAFE_INTEGER }
      const lookup: Lookup = { siteId: 1, scope: null, conditions, range, isAscending, depths: [250], limit: 26 }
      // The table of a test is so small that reading all of it may cost less than any index.
      const { rows } = await db.transaction().execute(async (transaction) => {
        await sql`set local enable_seqscan = off`.execute(transaction)
        return sql<{ 'QUERY PLAN': string }>`explain (costs off) ${lookupSql(lookup)}`.execute(transaction)
      })
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).not.toMatch(/Seq Scan on xapi_statement(s|_related)\b|Incremental Sort|Hash Join|Merge Join/)
      // Each range is that of a whole row; only tests of one statement look up a value.
      const keys = [...plan.matchAll(/Index Cond: (.*)/g)].map(([, condition = '']) => condition)
      expect(keys.filter((condition) => !/ROW\(|\bseq = /.test(condition) && conditions.length > 0)).toEqual([])
    }
  }
}
