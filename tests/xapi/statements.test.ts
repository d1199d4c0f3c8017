import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  followLateReferences,
  type PreparedStatement,
  prepareStatements,
  storeStatements,
} from '~/services/xapi/xapi.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aContext } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { aKey, aStore } from '../support/xapi.ts'

const { db, ctx, send, auth } = await aStore()

const verb = (name: string) => `https://verbs.example/${name}`
const activity = (name: string) => `https://activities.example/${name}`
const agent = (name: string) => ({ mbox: `mailto:${name}@example.org` })
let counter = 0

function aStatement(more: object = {}) {
  const n = ++counter
  return {
    id: randomUUID(),
    actor: agent(`a${n}`),
    verb: { id: verb('did') },
    object: { id: activity(`x${n}`) },
    ...more,
  }
}

async function store(statements: object | object[]) {
  const answer = await send('POST', '/xapi/statements', { auth, body: statements })
  expect(answer.text).not.toContain('error')
  expect(answer.status).toBe(200)
}

async function query(params: Record<string, string>): Promise<string[]> {
  const answer = await send('GET', '/xapi/statements', { auth, params })
  expect(answer.text.slice(0, 100)).not.toContain('error')
  return (answer.json as { statements: { id: string }[] }).statements.map(({ id }) => id)
}

test('2.1.2 POST stores a batch and answers with the ids in order; PUT stores one and answers 204', async () => {
  const [a, b] = [aStatement(), aStatement()]
  const { id: _id, ...nameless } = aStatement()
  const answer = await send('POST', '/xapi/statements', { auth, body: [a, b, nameless] })
  expect(answer.json).toEqual([a.id, b.id, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  const c = aStatement()
  const put = await send('PUT', '/xapi/statements', { auth, params: { statementId: c.id }, body: c })
  expect([put.status, put.text]).toEqual([204, ''])
  expect((await send('GET', '/xapi/statements', { auth, params: { statementId: c.id } })).status).toBe(200)
  const other = await send('PUT', '/xapi/statements', { auth, params: { statementId: randomUUID() }, body: c })
  expect(other.status).toBe(400)
})

test('data 2.4 a stored statement has id, timestamp, stored, authority and version, whoever claims to be the authority', async () => {
  const statement = aStatement({ authority: agent('somebody-else') })
  await store(statement)
  const answer = await send('GET', '/xapi/statements', { auth, params: { statementId: statement.id } })
  expect(answer.json).toMatchObject({
    id: statement.id,
    version: '1.0.0',
    timestamp: expect.stringMatching(/Z$/),
    stored: expect.stringMatching(/\.\d{6}Z$/),
    authority: { objectType: 'Agent', name: 'A program' },
  })
  expect(answer.headers['last-modified']).toBeDefined()
})

test('2.1.1 sending a statement again succeeds; other content under its id gets 409 and changes nothing', async () => {
  const statement = aStatement({ timestamp: '2026-01-31T12:00:00Z', result: { duration: 'PT60S' } })
  await store(statement)
  await store({ ...statement, verb: { ...statement.verb, display: { en: 'did' } }, result: { duration: 'PT60.001S' } })
  await store({ ...statement, timestamp: '2026-01-31T13:00:00.000+01:00' })
  // 2.3.1: a duration is compared as text, not by its meaning.
  const longer = { ...statement, result: { duration: 'PT1M' } }
  expect((await send('POST', '/xapi/statements', { auth, body: longer })).status).toBe(409)
  const other = { ...statement, verb: { id: verb('undid') } }
  const fresh = aStatement()
  expect((await send('POST', '/xapi/statements', { auth, body: [fresh, other] })).status).toBe(409)
  const answer = await send('GET', '/xapi/statements', { auth, params: { statementId: statement.id } })
  expect(answer.json).toMatchObject({ verb: { id: verb('did') } })
  expect((await send('GET', '/xapi/statements', { auth, params: { statementId: fresh.id } })).status).toBe(404)
})

test('ten identical batches at once are stored once', async () => {
  const batch = Array.from({ length: 20 }, () => aStatement())
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      send('POST', '/xapi/statements', { auth, body: index % 2 ? batch : [...batch].reverse() }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const { count } = await db
    .selectFrom('xapi_statements')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(
      'statement_id',
      'in',
      batch.map(({ id }) => id),
    )
    .executeTakeFirstOrThrow()
  expect(count).toBe(20)
})

test('a batch with one id twice is refused as a whole', async () => {
  const statement = aStatement()
  expect((await send('POST', '/xapi/statements', { auth, body: [statement, statement] })).status).toBe(400)
})

test('2.1.3 filters: agent, verb, activity, registration, since, until, limit, ascending', async () => {
  const registration = randomUUID()
  const [who, did, what] = [agent('filter'), { id: verb('filtered') }, { id: activity('filtered') }]
  const all = [
    aStatement({ actor: who, verb: did, object: what, context: { registration } }),
    aStatement({ actor: who, verb: did }),
    aStatement({ actor: who, object: what }),
    aStatement({ object: { objectType: 'Agent', ...who } }),
    aStatement({ actor: { objectType: 'Group', member: [who] } }),
  ]
  for (const one of all) await store(one)
  const ids = all.map(({ id }) => id)
  const byAgent = { agent: JSON.stringify(who) }
  expect(await query(byAgent)).toEqual([...ids].reverse())
  expect(await query({ ...byAgent, ascending: 'true' })).toEqual(ids)
  expect(await query({ ...byAgent, limit: '2' })).toEqual([ids[4], ids[3]])
  expect(await query({ verb: did.id, ascending: 'true' })).toEqual(ids.slice(0, 2))
  expect(await query({ activity: what.id, ascending: 'true' })).toEqual([ids[0], ids[2]])
  expect(await query({ registration })).toEqual([ids[0]])
  expect(await query({ ...byAgent, verb: did.id, activity: what.id })).toEqual([ids[0]])
  const second = await send('GET', '/xapi/statements', { auth, params: { statementId: ids[1] as string } })
  const { stored } = second.json as { stored: string }
  expect(await query({ ...byAgent, since: stored, ascending: 'true' })).toEqual(ids.slice(2))
  expect(await query({ ...byAgent, until: stored, ascending: 'true' })).toEqual(ids.slice(0, 2))
  expect(await query({ agent: JSON.stringify(agent('nobody-ever')) })).toEqual([])
})

test('2.1.3 related_agents and related_activities search context and sub-statements', async () => {
  const [teacher, course] = [agent('teacher'), activity('related-course')]
  const inContext = aStatement({
    context: { instructor: teacher, contextActivities: { grouping: { id: course } } },
  })
  const inside = aStatement({
    object: { objectType: 'SubStatement', actor: teacher, verb: { id: verb('planned') }, object: { id: course } },
  })
  await store([inContext, inside])
  const byAgent = { agent: JSON.stringify(teacher), ascending: 'true' }
  expect(await query(byAgent)).toEqual([])
  expect(await query({ ...byAgent, related_agents: 'true' })).toEqual([inContext.id, inside.id])
  expect(await query({ activity: course })).toEqual([])
  expect(await query({ activity: course, related_activities: 'true', ascending: 'true' })).toEqual([
    inContext.id,
    inside.id,
  ])
})

test('a category that is on every statement of a unit is found without an index row', async () => {
  const cmi5 = 'https://w3id.org/xapi/cmi5/context/categories/cmi5'
  const statement = aStatement({ context: { contextActivities: { category: [{ id: cmi5 }] } } })
  const naming = aStatement({
    result: { response: cmi5, extensions: { 'https://extensions.example/category': cmi5 } },
    context: { extensions: { [cmi5]: [cmi5] } },
  })
  await store([statement, naming])
  expect(await query({ activity: cmi5, related_activities: 'true' })).toEqual([statement.id])
})

test('2.1.3 more leads to the end and to each statement once, while others are stored', async () => {
  const who = agent('walker')
  await store(Array.from({ length: 25 }, () => aStatement({ actor: who })))
  const seen: string[] = []
  let answer = await send('GET', '/xapi/statements', { auth, params: { agent: JSON.stringify(who), limit: '10' } })
  for (;;) {
    const page = answer.json as { statements: { id: string }[]; more: string }
    seen.push(...page.statements.map(({ id }) => id))
    if (page.more === '') break
    await store(aStatement({ actor: who }))
    answer = await send('GET', page.more, { auth })
  }
  expect(seen).toHaveLength(25)
  expect(new Set(seen).size).toBe(25)
  const forged = `/xapi/statements/more/${Buffer.from('{"after":1,"query":{}}').toString('base64url')}.AAAA`
  expect((await send('GET', forged, { auth })).status).toBe(404)
})

test.each([1, 25, 26, 100, 101, 260])(
  '2.1.3 more with a limit of %i returns each statement once, in order, both ways',
  async (limit) => {
    const who = agent(`limited-${limit}`)
    const ids: string[] = []
    const note = (statement: { id: string }) => ids.push(statement.id)
    const first = Array.from({ length: 200 }, () => aStatement({ actor: who }))
    await store(first)
    first.forEach(note)
    // Statements found by what they refer to, among those that match themselves.
    const about = first.slice(0, 60).map(({ id }) => aStatement({ object: { objectType: 'StatementRef', id } }))
    await store(about)
    about.forEach(note)
    for (const ascending of ['false', 'true']) {
      const walked: string[] = []
      const params = { agent: JSON.stringify(who), limit: String(limit), ascending }
      let answer = await send('GET', '/xapi/statements', { auth, params })
      for (;;) {
        const { statements, more } = answer.json as { statements: { id: string }[]; more: string }
        walked.push(...statements.map(({ id }) => id))
        if (!more) break
        expect(statements).toHaveLength(Math.min(limit, 200))
        answer = await send('GET', more, { auth })
      }
      expect(walked).toEqual(ascending === 'true' ? ids : ids.toReversed())
    }
  },
)

test('2.1.3 format ids contains only ids of agents, verbs and activities', async () => {
  const statement = aStatement({
    actor: { ...agent('named'), name: 'Somebody' },
    verb: { id: verb('named'), display: { en: 'named' } },
    object: { id: activity('named'), definition: { name: { en: 'A name' } } },
  })
  await store(statement)
  const { json } = await send('GET', '/xapi/statements', {
    auth,
    params: { statementId: statement.id, format: 'ids' },
  })
  expect(json).toMatchObject({ actor: agent('named'), verb: { id: verb('named') }, object: { id: activity('named') } })
  expect(JSON.stringify(json)).not.toMatch(/Somebody|A name/)
})

test('2.1.3 format canonical returns our merged definition in the requested language; activities returns it whole', async () => {
  const object = { id: activity('canonical') }
  const name = { en: 'A lesson', fr: 'Une leçon' }
  const statement = aStatement({ object: { ...object, definition: { name } } })
  await store(statement)
  await store(aStatement({ object: { ...object, definition: { description: { de: 'Eine Lektion' } } } }))
  const canonical = await send('GET', '/xapi/statements', {
    auth,
    params: { statementId: statement.id, format: 'canonical' },
    headers: { 'accept-language': 'fr-CA, en;q=0.5' },
  })
  expect((canonical.json as { object: object }).object).toMatchObject({
    definition: { name: { fr: 'Une leçon' }, description: { de: 'Eine Lektion' } },
  })
  const whole = await send('GET', '/xapi/activities', { auth, params: { activityId: object.id } })
  expect(whole.json).toEqual({
    objectType: 'Activity',
    ...object,
    definition: { name, description: { de: 'Eine Lektion' } },
  })
})

test('a list of 150,000 activities is stored and returned in each format', async () => {
  const { actor, verb: did } = aStatement()
  const other = Array(150_000).fill({ id: 'a:b' })
  const inner = { objectType: 'SubStatement', actor, verb: did, object: { id: 'a:b' } }
  const statement = aStatement({ object: { ...inner, context: { contextActivities: { other } } } })
  await store(statement)
  for (const format of ['exact', 'ids', 'canonical']) {
    const { status } = await send('GET', '/xapi/statements', { auth, params: { statementId: statement.id, format } })
    expect([format, status]).toEqual([format, 200])
  }
})

test('2.1.1 a repeated statement does not change its activity', async () => {
  const id = activity('renamed')
  const named = (en: string) => aStatement({ object: { id, definition: { name: { en } } } })
  const [first, second] = [named('X'), named('Y')]
  const definition = async () =>
    ((await send('GET', '/xapi/activities', { auth, params: { activityId: id } })).json as { definition: object })
      .definition
  await store(first)
  await store(second)
  await store(first)
  expect(await definition()).toEqual({ name: { en: 'Y' } })
  const third = named('Z')
  await store([first, third])
  expect(await definition()).toEqual({ name: { en: 'Z' } })
  const put = await send('PUT', '/xapi/statements', { auth, params: { statementId: second.id }, body: second })
  expect(put.status).toBe(204)
  expect(await definition()).toEqual({ name: { en: 'Z' } })
})

test('data 2.4.4.1 an interaction of another type keeps nothing of the earlier type', async () => {
  const id = activity('interaction')
  const said = (definition: object) => store(aStatement({ object: { id, definition } }))
  const read = async () =>
    ((await send('GET', '/xapi/activities', { auth, params: { activityId: id } })).json as { definition: object })
      .definition
  const name = { en: 'How was it?' }
  const choices = [{ id: 'a' }, { id: 'b' }]
  const scale = [{ id: 'good' }, { id: 'bad' }]
  await said({ name, interactionType: 'choice', choices, correctResponsesPattern: ['a'] })
  await said({ description: { en: 'More' } })
  expect(await read()).toMatchObject({ interactionType: 'choice', choices, correctResponsesPattern: ['a'] })
  await said({ interactionType: 'likert', scale })
  expect(await read()).toEqual({ name, description: { en: 'More' }, interactionType: 'likert', scale })
  await said(await read())
  await said({ interactionType: 'choice', choices })
  await said({ interactionType: 'sequencing' })
  expect(await read()).toEqual({ name, description: { en: 'More' }, interactionType: 'sequencing', choices })
})

test('data 2.3.2 a voided statement is found by voidedStatementId only, and the voiding one cannot be voided', async () => {
  const ref = (id: string) => ({ objectType: 'StatementRef', id })
  const voided = { id: 'http://adlnet.gov/expapi/verbs/voided' }
  const target = aStatement({ verb: { id: verb('regretted') } })
  const voiding = aStatement({ verb: voided, object: ref(target.id) })
  await store(target)
  await store(voiding)
  const read = (params: Record<string, string>) => send('GET', '/xapi/statements', { auth, params })
  expect((await read({ statementId: target.id })).status).toBe(404)
  expect((await read({ voidedStatementId: target.id })).status).toBe(200)
  expect((await read({ voidedStatementId: voiding.id })).status).toBe(404)
  expect(await query({ verb: verb('regretted') })).toEqual([voiding.id])
  await store(aStatement({ verb: voided, object: ref(voiding.id) }))
  expect((await read({ statementId: voiding.id })).status).toBe(200)
  const late = aStatement()
  await store(aStatement({ verb: voided, object: ref(late.id) }))
  await store(late)
  expect((await read({ statementId: late.id })).status).toBe(404)
})

test('2.1.3 a statement that refers to a matching one matches too, through references', async () => {
  const ref = (id: string) => ({ objectType: 'StatementRef', id })
  const first = aStatement({ verb: { id: verb('referred') } })
  const second = aStatement({ object: ref(first.id) })
  const third = aStatement({ object: ref(second.id) })
  await store([first, second, third])
  expect(await query({ verb: verb('referred'), ascending: 'true' })).toEqual([first.id, second.id, third.id])
})

describe('2.1.3 references', () => {
  const ref = (id: string) => ({ objectType: 'StatementRef', id })
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
    [2, 0, 3, 1],
  ]
  const aChain = () => {
    const [name, registration] = [randomUUID(), randomUUID()]
    const first = aStatement({
      actor: agent(`a-${name}`),
      verb: { id: verb(name) },
      object: { id: activity(name) },
      context: {
        registration,
        instructor: agent(`i-${name}`),
        contextActivities: { parent: [{ id: activity(`p-${name}`) }] },
      },
    })
    const second = aStatement({ object: ref(first.id) })
    const third = aStatement({ object: ref(second.id) })
    const fourth = aStatement({ object: ref(third.id) })
    return { name, registration, chain: [first, second, third, fourth] }
  }
  const sorted = async (params: Record<string, string>) => (await query(params)).sort()

  test.each(orders)('are followed in any order of arrival (%i, %i, %i, %i)', async (...order) => {
    const { name, registration, chain } = aChain()
    for (const index of order) await store(chain[index] as object)
    const all = chain.map(({ id }) => id).sort()
    const by = JSON.stringify(agent(`a-${name}`))
    expect(await sorted({ verb: verb(name) })).toEqual(all)
    expect(await sorted({ registration })).toEqual(all)
    expect(await sorted({ agent: by, verb: verb(name), activity: activity(name) })).toEqual(all)
    expect(await sorted({ agent: JSON.stringify(agent(`i-${name}`)), related_agents: 'true' })).toEqual(all)
    expect(await sorted({ activity: activity(`p-${name}`), related_activities: 'true', agent: by })).toEqual(all)
    expect(await query({ activity: activity(`p-${name}`), agent: by })).toEqual([])
    expect(await query({ agent: by, verb: verb('did') })).toEqual([])
  })

  test('appear once each in a list, however many matching statements they refer to', async () => {
    const registration = randomUUID()
    const within = { context: { registration } }
    const first = aStatement(within)
    const second = aStatement({ ...within, object: ref(first.id) })
    const further = Array.from({ length: 20 }, () => aStatement({ object: ref(second.id) }))
    await store([first, second, ...further])
    const met: string[] = []
    let answer = await send('GET', '/xapi/statements', { auth, params: { registration, limit: '3' } })
    for (;;) {
      const { statements, more } = answer.json as { statements: { id: string }[]; more: string }
      met.push(...statements.map(({ id }) => id))
      if (more === '') break
      answer = await send('GET', more, { auth })
    }
    expect(met).toEqual([first, second, ...further].map(({ id }) => id).reverse())
  })

  test('end if two statements refer to each other, or one to itself', async () => {
    const [a, b, self] = [randomUUID(), randomUUID(), randomUUID()]
    await store([
      aStatement({ id: a, object: ref(b), verb: { id: verb(a) } }),
      aStatement({ id: b, object: ref(a) }),
      aStatement({ id: self, object: ref(self), verb: { id: verb(self) } }),
    ])
    expect((await query({ verb: verb(a) })).sort()).toEqual([a, b].sort())
    expect(await query({ verb: verb(self) })).toEqual([self])
  })

  test('continue to a statement that comes while the one after next is being stored', async () => {
    const [far, near, name] = [randomUUID(), randomUUID(), randomUUID()]
    await store(aStatement({ id: near, object: ref(far) }))
    await takeJobs(db, 'follow-references')
    const last = aStatement({ id: far, verb: { id: verb(name) } })
    const [late] = await prepareStatements(ctx, [last], { authority: agent('late'), version: '1.0.3' })
    const about = aStatement({ object: ref(near) })
    await inTransaction(ctx, async (inside) => {
      await storeStatements(inside, [late as PreparedStatement])
      await store(about)
    })
    expect((await query({ verb: verb(name) })).sort()).toEqual([near, far].sort())
    for (const job of await takeJobs(db, 'follow-references')) await followLateReferences(ctx, job)
    expect((await query({ verb: verb(name) })).sort()).toEqual([near, far, about.id].sort())
  })

  test('are followed sixteen times, so that a chain of a whole batch does not take quadratic time', async () => {
    const name = randomUUID()
    const chain = [aStatement({ verb: { id: verb(name) } })]
    for (let count = 0; count < 400; count++) chain.push(aStatement({ object: ref(chain.at(-1)?.id as string) }))
    await store(chain)
    expect(await query({ verb: verb(name), ascending: 'true' })).toEqual(chain.slice(0, 17).map(({ id }) => id))
    await store(aStatement({ object: ref(chain[3]?.id as string) }))
    expect(await query({ verb: verb(name) })).toHaveLength(18)
  })

  test('to statements that another transaction is storing at that moment are followed a minute later', async () => {
    const target = aStatement({ verb: { id: verb('overtaken') } })
    const voiding = aStatement({ verb: { id: 'http://adlnet.gov/expapi/verbs/voided' }, object: ref(target.id) })
    const [late] = await prepareStatements(ctx, [target], { authority: agent('late'), version: '1.0.3' })
    await inTransaction(ctx, async (inside) => {
      await storeStatements(inside, [late as PreparedStatement])
      await store(voiding)
    })
    const read = (params: Record<string, string>) => send('GET', '/xapi/statements', { auth, params })
    expect((await read({ statementId: target.id })).status).toBe(200)
    const seqs = (await takeJobs(db, 'follow-references')).at(-1)?.seqs ?? []
    expect(seqs).toHaveLength(1)
    for (const _ of [1, 2]) await followLateReferences(ctx, { seqs })
    expect((await read({ statementId: target.id })).status).toBe(404)
    expect((await read({ voidedStatementId: target.id })).status).toBe(200)
    expect(await query({ verb: verb('overtaken') })).toEqual([voiding.id])
  })

  test('void their targets a minute later at the latest, also where both arrive at the same moment', async () => {
    const targets = Array.from({ length: 150 }, () => aStatement())
    const voidingOf = ({ id }: { id: string }) =>
      aStatement({ verb: { id: 'http://adlnet.gov/expapi/verbs/voided' }, object: ref(id) })
    await takeJobs(db, 'follow-references')
    await Promise.all(targets.flatMap((target) => [store(target), store(voidingOf(target))]))
    for (const job of await takeJobs(db, 'follow-references')) await followLateReferences(ctx, job)
    const open = await db
      .selectFrom('xapi_statements')
      .select('seq')
      .where(
        'statement_id',
        'in',
        targets.map(({ id }) => id),
      )
      .where('voided_by', 'is', null)
      .execute()
    expect(open).toEqual([])
  })
})

test.each([
  '9999-12-31T23:59:59.9999999Z',
  '9999-12-31T23:59:58.999999Z',
  '0001-01-02T00:00:00.9999999Z',
  '2255-06-05T23:47:34.740993Z',
])('a time at the end of the calendar is stored as it was sent: %s', async (timestamp) => {
  const statement = aStatement({ timestamp })
  await store(statement)
  const answer = await send('GET', '/xapi/statements', { auth, params: { statementId: statement.id } })
  expect(answer.json).toMatchObject({ timestamp })
})

test('keys see only their own site', async () => {
  const other = await aKey(await aContext(db, { site: 'ns' }))
  const statement = aStatement()
  await store(statement)
  const answer = await send('GET', '/xapi/statements', { auth: other, params: { statementId: statement.id } })
  expect(answer.status).toBe(404)
})

test.each([
  ['all/read', 200, 403],
  ['statements/write', 403, 200],
  ['statements/read', 200, 403],
  ['state', 403, 403],
])('a key with the scope %s reads %i and writes %i', async (scope, reads, writes) => {
  const key = await aKey(ctx, [scope])
  expect((await send('GET', '/xapi/statements', { auth: key, params: { limit: '1' } })).status).toBe(reads)
  expect((await send('POST', '/xapi/statements', { auth: key, body: aStatement() })).status).toBe(writes)
})

test('text that PostgreSQL cannot store is refused in a name, and kept in a response', async () => {
  const bad = aStatement({ actor: { account: { homePage: 'https://example.org', name: 'a\u0000b' } } })
  expect((await send('POST', '/xapi/statements', { auth, body: bad })).status).toBe(400)
  const fine = aStatement({ result: { response: 'a\u0000b\ud800' } })
  await store(fine)
  const answer = await send('GET', '/xapi/statements', { auth, params: { statementId: fine.id } })
  expect((answer.json as { result: { response: string } }).result.response).toBe('a\u0000b\ud800')
})

test('long IRIs, deep nesting and large numbers of statements do not break the store', async () => {
  await store(aStatement({ verb: { id: `${verb('long')}/${'x'.repeat(5000)}` } }))
  const levels = 100_000
  const deep = `${'['.repeat(levels)}1${']'.repeat(levels)}`
  const nested = JSON.stringify(aStatement({ result: { extensions: { 'https://example.org/deep': 'DEEP' } } }))
  const body = nested.replace('"DEEP"', deep)
  expect((await send('POST', '/xapi/statements', { auth, body })).status).toBe(400)
  await store(Array.from({ length: 1000 }, () => aStatement({ actor: agent('many') })))
})
