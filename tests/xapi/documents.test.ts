import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { getDocument, putDocument, writeLockedDocument } from '~/services/xapi/xapi.server.ts'
import { aStore, type Sent } from '../support/xapi.ts'

const { db, ctx, send, auth, origin } = await aStore()

const agent = JSON.stringify({ mbox: 'mailto:a@example.org' })
const activityId = 'https://activities.example/x'
let counter = 0

type Kind = { path: string; key: 'stateId' | 'profileId'; owner: () => Record<string, string> }
const kinds: Record<string, Kind> = {
  state: {
    path: '/xapi/activities/state',
    key: 'stateId',
    owner: () => ({ activityId: `${activityId}${++counter}`, agent }),
  },
  'agent profile': {
    path: '/xapi/agents/profile',
    key: 'profileId',
    owner: () => ({ agent: JSON.stringify({ mbox: `mailto:p${++counter}@example.org` }) }),
  },
  'activity profile': {
    path: '/xapi/activities/profile',
    key: 'profileId',
    owner: () => ({ activityId: `${activityId}${++counter}` }),
  },
}

function client(kind: string) {
  const { path, key, owner } = kinds[kind] as Kind
  const params = owner()
  const call = (method: string, id?: string, options: Sent = {}) =>
    send(method, path, { auth, ...options, params: { ...params, ...(id && { [key]: id }), ...options.params } })
  // A key creates a profile only with a precondition.
  const create = (id: string, options: Sent = {}) =>
    call('PUT', id, { ...options, headers: { 'if-none-match': '*', ...options.headers } })
  return { call, create, params }
}

const names = Object.keys(kinds)

test.each(names)('2.2 %s: bytes and type are returned as they were sent, with ETag and Last-Modified', async (kind) => {
  const { call, create } = client(kind)
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  expect((await create('a', { body: '<p>é</p>', headers })).status).toBe(204)
  const answer = await call('GET', 'a')
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
    200,
    '<p>é</p>',
    headers['content-type'],
  ])
  expect(answer.headers.etag).toMatch(/^"[0-9a-f]{40}"$/)
  expect(answer.headers['last-modified']).toBeDefined()
  expect(answer.headers['content-security-policy']).toContain('sandbox')
  const head = await call('HEAD', 'a')
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', answer.headers.etag])
  expect((await call('GET', 'b')).status).toBe(404)
})

test.each(names)('2.2 %s: POST merges JSON objects at the top level, and nothing else', async (kind) => {
  const { call } = client(kind)
  await call('POST', 'a', { body: { a: 1, b: { c: 1 } } })
  expect((await call('POST', 'a', { body: { b: { d: 2 }, e: 3 } })).status).toBe(204)
  expect((await call('GET', 'a')).json).toEqual({ a: 1, b: { d: 2 }, e: 3 })
  expect((await call('POST', 'a', { body: [1] })).status).toBe(400)
  expect((await call('POST', 'a', { body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(400)
  expect((await call('GET', 'a')).json).toEqual({ a: 1, b: { d: 2 }, e: 3 })
})

test.each(names)('3.1 %s: a failed If-Match or If-None-Match gets 412', async (kind) => {
  const { call } = client(kind)
  expect((await call('PUT', 'a', { body: { n: 1 }, headers: { 'if-match': '"0"' } })).status).toBe(412)
  expect((await call('PUT', 'a', { body: { n: 1 }, headers: { 'if-none-match': '*' } })).status).toBe(204)
  expect((await call('PUT', 'a', { body: { n: 2 }, headers: { 'if-none-match': '*' } })).status).toBe(412)
  const etag = String((await call('GET', 'a')).headers.etag)
  expect((await call('PUT', 'a', { body: { n: 3 }, headers: { 'if-match': etag } })).status).toBe(204)
  expect((await call('PUT', 'a', { body: { n: 4 }, headers: { 'if-match': etag } })).status).toBe(412)
  expect((await call('DELETE', 'a', { headers: { 'if-match': etag } })).status).toBe(412)
  expect((await call('GET', 'a')).json).toEqual({ n: 3 })
})

test.each([
  ['state', '1.0.3', 204],
  ['state', '2.0.0', 409],
  ['agent profile', '1.0.3', 409],
  ['activity profile', '1.0.3', 409],
])('3.1 %s in %s: overwriting without a precondition is %i', async (kind, version, status) => {
  const { call, create } = client(kind)
  await create('a', { body: { n: 1 }, version })
  expect((await call('PUT', 'a', { body: { n: 2 }, version })).status).toBe(status)
})

test('3.1 a key creates a profile only with a precondition, and a state without one', async () => {
  for (const kind of ['agent profile', 'activity profile']) {
    const { call, create } = client(kind)
    const refused = await call('PUT', 'a', { body: {} })
    expect([refused.status, refused.json]).toEqual([
      400,
      expect.objectContaining({ code: 'xapi.precondition_missing' }),
    ])
    expect((await call('GET', 'a')).status).toBe(404)
    expect((await create('a', { body: {} })).status).toBe(204)
    expect((await call('POST', 'b', { body: {} })).status).toBe(204)
  }
  expect((await client('state').call('PUT', 'a', { body: {} })).status).toBe(204)
})

test.each(names)('%s: what several POSTs merge stays within the limit of one request', async (kind) => {
  const { call } = client(kind)
  const limit = env().XAPI_MAX_MB
  env().XAPI_MAX_MB = 1
  try {
    const part = (name: string) => ({ [name]: 'x'.repeat(600_000) })
    expect((await call('POST', 'a', { body: part('one') })).status).toBe(204)
    const refused = await call('POST', 'a', { body: part('two') })
    expect([refused.status, refused.text.includes('1 MB')]).toEqual([413, true])
    expect((await call('GET', 'a')).json).toEqual(part('one'))
    expect((await call('POST', 'a', { body: { one: 'short' } })).status).toBe(204)
  } finally {
    env().XAPI_MAX_MB = limit
  }
})

test.each(names)('%s: one of ten creators with If-None-Match wins', async (kind) => {
  const { call } = client(kind)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => call('PUT', 'a', { body: { n }, headers: { 'if-none-match': '*' } })),
  )
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(9)
})

test.each(names)('2.3 %s: lists ids, also those changed since a time; DELETE removes one', async (kind) => {
  const { call, create } = client(kind)
  await create('a', { body: {} })
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10))
  await pause()
  const since = new Date().toISOString()
  await pause()
  await create('b', { body: {} })
  expect((await call('GET')).json).toEqual(['a', 'b'])
  expect((await call('GET', undefined, { params: { since } })).json).toEqual(['b'])
  expect((await call('DELETE', 'a')).status).toBe(204)
  expect((await call('DELETE', 'a')).status).toBe(204)
  expect((await call('GET')).json).toEqual(['b'])
})

test('2.3 a list of 150,000 ids is answered', async () => {
  const { call, create } = client('agent profile')
  await create('one-of-many', { body: {} })
  await sql`
    insert into xapi_documents (site_id, kind, agent_id, document_id, content, content_type, etag)
    select site_id, kind, agent_id, document_id || n, content, content_type, etag
    from xapi_documents, generate_series(2, 150000) n where document_id = 'one-of-many'`.execute(db)
  const { status, json } = await call('GET')
  expect([status, (json as string[]).length]).toEqual([200, 150_000])
})

test('2.3 a query for changes since a time does not miss documents that were being written then', async () => {
  const { call, params } = client('agent profile')
  const headers = {
    authorization: auth,
    'x-experience-api-version': '1.0.3',
    'content-type': 'application/json',
    'if-none-match': '*',
  }
  const address = `${origin}/xapi/agents/profile?${new URLSearchParams({ ...params, profileId: 'slow' })}`
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100))
  let since = ''
  const status = await new Promise((resolve, reject) => {
    const req = request(address, { method: 'PUT', headers }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode))
    })
    req.on('error', reject)
    req.write('{"n":')
    pause()
      .then(() => {
        since = new Date().toISOString()
      })
      .then(pause)
      .then(() => req.end('1}'))
  })
  expect(status).toBe(204)
  expect((await call('GET', undefined, { params: { since } })).json).toEqual(['slow'])
})

test('2.2 Last-Modified of a document never goes back, whatever the order of requests and the clock', async () => {
  const key = { kind: 'activity_profile', activityIri: `${activityId}${++counter}`, documentId: 'a' } as const
  const content = (n: number) => ({ content: Buffer.from(String(n)), contentType: 'text/plain' })
  const updatedAt = async () => (await getDocument(ctx, key)).updatedAt.getTime()
  await putDocument(ctx, key, content(1))
  const first = await updatedAt()
  await putDocument({ ...ctx, now: new Date(first - 60_000) }, key, content(2))
  expect(await updatedAt()).toBeGreaterThanOrEqual(first)
  const later = new Date(Date.now() + 60_000)
  const set = () => db.updateTable('xapi_documents').set({ updated_at: later }).where('document_id', '=', 'a')
  for (const write of [putDocument, writeLockedDocument]) {
    await set().where('content_type', '=', 'text/plain').execute()
    await write(ctx, key, content(3))
    expect(await updatedAt()).toBe(later.getTime())
  }
})

test.each(names)('3.1 %s: DELETE of a missing document gets 412 with If-Match, and 204 without', async (kind) => {
  const { call } = client(kind)
  const headers = { 'if-match': '"0"' }
  expect((await call('DELETE', 'a')).status).toBe(204)
  expect((await call('DELETE', 'a', { headers })).status).toBe(412)
  await call('PUT', 'b', { body: {} })
  expect((await call('DELETE', 'a', { headers })).status).toBe(412)
  expect((await call('DELETE', 'a', { headers: { 'if-none-match': '*' } })).status).toBe(204)
})

test('2.3 state with a registration is separate from state without one; DELETE without stateId removes all of it', async () => {
  const { call } = client('state')
  const registration = { registration: randomUUID() }
  await call('PUT', 'a', { body: { n: 1 } })
  await call('PUT', 'a', { body: { n: 2 }, params: registration })
  await call('PUT', 'b', { body: { n: 3 }, params: registration })
  expect((await call('GET', 'a', { params: registration })).json).toEqual({ n: 2 })
  expect((await call('DELETE', undefined, { params: registration })).status).toBe(204)
  expect((await call('GET', undefined, { params: registration })).json).toEqual([])
  expect((await call('GET', 'a')).json).toEqual({ n: 1 })
})

test.each([
  ['no activityId', '/xapi/activities/state', { agent, stateId: 'a' }],
  ['no agent', '/xapi/activities/state', { activityId, stateId: 'a' }],
  ['an agent that is not JSON', '/xapi/agents/profile', { agent: 'a', profileId: 'a' }],
  ['an agent without identifier', '/xapi/agents/profile', { agent: '{}', profileId: 'a' }],
  [
    'a registration that is not a UUID',
    '/xapi/activities/state',
    { activityId, agent, stateId: 'a', registration: 'x' },
  ],
  ['an unknown parameter', '/xapi/activities/profile', { activityId, profileId: 'a', more: '1' }],
  ['an id that is too long', '/xapi/activities/profile', { activityId, profileId: 'é'.repeat(501) }],
])('%s is 400', async (_name, path, params) => {
  expect((await send('PUT', path, { auth, params, body: {} })).status).toBe(400)
})

test('2.5 agents answers with a Person', async () => {
  const answer = await send('GET', '/xapi/agents', {
    auth,
    params: { agent: JSON.stringify({ name: 'A', account: { homePage: 'https://example.org', name: 'x' } }) },
  })
  expect(answer.json).toEqual({
    objectType: 'Person',
    name: ['A'],
    account: [{ homePage: 'https://example.org', name: 'x' }],
  })
})
