import { createHash, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { type Answered, aStore, type Sent } from '../support/xapi.ts'

/** Rules of communication over HTTP. Sections are those of 1.0.3, unless 2.0 is named. */
const { send, auth, origin } = await aStore()

const versions = ['1.0.3', '2.0.0']
const agent = { mbox: 'mailto:a@example.org' }
const activityId = 'https://activities.example/x'
const aStatement = (more: object = {}) => ({
  id: randomUUID(),
  actor: agent,
  verb: { id: 'https://verbs.example/did' },
  object: { id: activityId },
  ...more,
})
const call = (method: string, resource: string, options: Sent = {}) =>
  send(method, `/xapi/${resource}`, { auth, ...options })
const onePerson = { agent: JSON.stringify(agent) }
const resources: [string, Record<string, string>][] = [
  ['statements', {}],
  ['activities', { activityId }],
  ['agents', onePerson],
  ['activities/state', { activityId, ...onePerson }],
  ['activities/profile', { activityId }],
  ['agents/profile', onePerson],
  ['about', {}],
]

test.each(resources)('1.1 %s answers HEAD like GET, without the body', async (resource, params) => {
  const get = await call('GET', resource, { params })
  const head = await call('HEAD', resource, { params })
  expect([get.status, head.status, head.bytes.length]).toEqual([200, 200, 0])
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
  expect(head.headers['content-type']).toBe(get.headers['content-type'])
})

test.each(resources)('3.2 %s refuses an unknown parameter, and one in another case', async (resource, params) => {
  for (const version of versions) {
    expect((await call('GET', resource, { version, params: { ...params, foo: 'bar' } })).status).toBe(400)
    const loud = Object.fromEntries(Object.entries(params).map(([name, value]) => [name.toUpperCase(), value]))
    if (Object.keys(params).length > 0)
      expect((await call('GET', resource, { version, params: loud })).status).toBe(400)
  }
})

test.each([
  'statementId',
  'voidedStatementId',
  'verb',
  'activity',
  'registration',
  'since',
  'until',
  'limit',
  'format',
  'attachments',
  'ascending',
  'related_agents',
  'related_activities',
  'agent',
])('2.2 the parameter %s must have the format of its type', async (name) => {
  expect((await call('GET', 'statements', { params: { [name]: 'not.of.this/type' } })).status).toBe(400)
})

test('2.1.3 statementId and voidedStatementId allow only format and attachments beside them', async () => {
  const { id } = aStatement()
  const others = {
    ...onePerson,
    verb: 'x:y',
    since: '2026-01-31T12:00:00Z',
    limit: '1',
    ascending: 'true',
    voidedStatementId: id,
  }
  for (const [name, value] of Object.entries(others)) {
    expect((await call('GET', 'statements', { params: { statementId: id, [name]: value } })).status).toBe(400)
  }
  for (const params of [{ format: 'ids' }, { attachments: 'true' }] as Record<string, string>[]) {
    expect((await call('GET', 'statements', { params: { statementId: id, ...params } })).status).toBe(404)
    expect((await call('GET', 'statements', { params: { voidedStatementId: id, ...params } })).status).toBe(404)
  }
})

const through = ({ headers }: Answered) => String(headers['x-experience-api-consistent-through'])
test.each<[string, string, Sent, number]>([
  ['GET', 'a list', {}, 200],
  ['GET', 'an unknown parameter', { params: { LIMIT: '1' } }, 400],
  ['GET', 'nothing', { params: { statementId: randomUUID() } }, 404],
  ['GET', 'nobody', { auth: null }, 401],
  ['GET', 'no version', { version: null }, 400],
  ['POST', 'a statement', { body: aStatement() }, 200],
  ['POST', 'nonsense', { body: '{' }, 400],
  ['DELETE', 'what is not possible', {}, 400],
])('2.1.3 Consistent-Through is sent on %s of %s', async (method, _name, sent, status) => {
  const answer = await call(method, 'statements', sent)
  expect(answer.status).toBe(status)
  expect(through(answer)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(Date.now() - Date.parse(through(answer))).toBeLessThan(120_000)
})

test('2.1.3 statements stored before Consistent-Through can be read; Last-Modified is stored', async () => {
  const statement = aStatement()
  await call('POST', 'statements', { body: statement })
  const answer = await call('GET', 'statements', { params: { statementId: statement.id } })
  const { stored, timestamp } = answer.json as { stored: string; timestamp: string }
  expect(Date.parse(through(answer))).toBeGreaterThanOrEqual(Date.parse(stored))
  expect(timestamp).toBe(stored)
  expect(Date.parse(String(answer.headers['last-modified']))).toBe(Math.floor(Date.parse(stored) / 1000) * 1000)
})

test('2.1.3 agent is an Agent or an identified Group; in 2.4 a Person is for an Agent, and so are documents in 2.6', async () => {
  const identified = { agent: JSON.stringify({ objectType: 'Group', mbox: 'mailto:g@example.org' }) }
  const anonymous = { agent: JSON.stringify({ objectType: 'Group', member: [agent] }) }
  const status = async (resource: string, params: Record<string, string>, version = '1.0.3') =>
    (await call('GET', resource, { params, version })).status
  expect(await status('statements', identified)).toBe(200)
  expect(await status('statements', anonymous)).toBe(400)
  for (const version of versions) expect(await status('agents', identified, version)).toBe(400)
  for (const version of versions) expect(await status('agents/profile', identified, version)).toBe(400)
})

test('2.0 4.1.6.1 related_agents searches contextAgents and contextGroups, and agent alone does not', async () => {
  const [mentor, team, member] = ['mentor', 'team', 'member'].map((name) => ({
    mbox: `mailto:${name}-${randomUUID()}@example.org`,
  }))
  const context = {
    contextAgents: [{ objectType: 'contextAgent', agent: mentor }],
    contextGroups: [{ objectType: 'contextGroup', group: { objectType: 'Group', ...team, member: [member] } }],
  }
  const statement = aStatement({ context })
  expect((await call('POST', 'statements', { version: '2.0.0', body: statement })).status).toBe(200)
  for (const who of [mentor, team, member]) {
    const params = { agent: JSON.stringify(who) }
    const found = async (more: Record<string, string>) =>
      (
        (await call('GET', 'statements', { version: '2.0.0', params: { ...params, ...more } })).json as {
          statements: { id: string; version: string }[]
        }
      ).statements
    expect((await found({ related_agents: 'true' })).map(({ id, version }) => [id, version])).toEqual([
      [statement.id, '2.0.0'],
    ])
    expect(await found({})).toEqual([])
  }
})

test('2.0 4.1.6.1 Last-Modified of a list is the time of its newest statement, on each page', async () => {
  const registration = randomUUID()
  const batch = Array.from({ length: 3 }, () => aStatement({ context: { registration } }))
  for (const one of batch) await call('POST', 'statements', { body: one })
  let answer = await call('GET', 'statements', {
    version: '2.0.0',
    params: { registration, limit: '2', ascending: 'true' },
  })
  for (let page = 0; page < 2; page++) {
    const { statements, more } = answer.json as { statements: { stored: string }[]; more: string }
    const newest = Math.max(...statements.map(({ stored }) => Date.parse(stored)))
    expect(answer.headers['last-modified']).toBe(new Date(newest).toUTCString())
    if (more) answer = await send('GET', more, { auth, version: '2.0.0' })
  }
  const none = await call('GET', 'statements', { params: { registration: randomUUID() } })
  expect(none.headers['last-modified']).toBeUndefined()
})

test('2.0 4.2.7 times are returned in UTC, also those of sub-statements, and compared as instants', async () => {
  const verb = { id: 'https://verbs.example/plans' }
  const object = {
    objectType: 'SubStatement',
    actor: agent,
    verb,
    object: { id: activityId },
    timestamp: '2096-02-01T00:00:00+02:00',
  }
  const statement = aStatement({ timestamp: '2026-01-31T13:00:00.250+01:00', object })
  for (const version of versions)
    expect((await call('POST', 'statements', { version, body: statement })).status).toBe(200)
  const answer = await call('GET', 'statements', { params: { statementId: statement.id } })
  expect(answer.json).toMatchObject({
    timestamp: '2026-01-31T12:00:00.250Z',
    object: { timestamp: '2096-01-31T22:00:00Z' },
  })
})

test('2.3.1 a statement that was read back is the same statement, with everything that was added', async () => {
  const statement = aStatement()
  await call('POST', 'statements', { body: statement })
  const { json } = await call('GET', 'statements', { params: { statementId: statement.id } })
  expect((await call('POST', 'statements', { body: json })).status).toBe(200)
  const other = { ...(json as object), result: { success: true } }
  expect((await call('POST', 'statements', { body: other })).status).toBe(409)
})

test('2.0 4.2.1 a repeated property is refused, in statements and parameters', async () => {
  const text = JSON.stringify(aStatement())
  for (const version of versions) {
    const twice = text.replace('"actor"', '"verb":{"id":"x:y"},"actor"')
    expect((await call('POST', 'statements', { version, body: twice })).status).toBe(400)
    const params = { agent: '{"mbox":"mailto:b@example.org","mbox":"mailto:a@example.org"}' }
    expect((await call('GET', 'agents', { version, params })).status).toBe(400)
  }
})

test('2.0 4.1.6.2 since beside an id is refused; 1.0.3 allows it but still requires a time', async () => {
  const params = { activityId, ...onePerson, stateId: randomUUID() }
  await call('POST', 'activities/state', { params, body: { n: 1 } })
  const status = async (since: string, version: string) =>
    (await call('GET', 'activities/state', { version, params: { ...params, since } })).status
  expect(await status('2026-01-31T12:00:00Z', '1.0.3')).toBe(200)
  expect(await status('yesterday', '1.0.3')).toBe(400)
  expect(await status('2026-01-31T12:00:00Z', '2.0.0')).toBe(400)
})

test.each(resources.slice(1, 6))('3.1 %s returns an ETag', async (resource, params) => {
  const answer = await call('GET', resource, { params })
  expect(answer.headers.etag).toBe(`"${createHash('sha1').update(answer.bytes).digest('hex')}"`)
})

test('2.8 about answers for any version, and in its form', async () => {
  for (const [version, answered] of [
    ['0.9', '2.0.0'],
    ['1.0.1', '1.0.3'],
    ['3.0', '2.0.0'],
  ]) {
    const answer = await call('GET', 'about', { version, auth: null })
    expect([answer.status, answer.headers['x-experience-api-version']]).toEqual([200, answered])
  }
})

test.each([
  ['POST', 'agents'],
  ['PUT', 'activities'],
  ['DELETE', 'about'],
  ['PATCH', 'activities/state'],
  ['POST', 'statements/more/x'],
])('3.2 %s of %s is a bad request', async (method, resource) => {
  const answer = await call(method, resource, { params: { activityId, ...onePerson, stateId: 'x' } })
  expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ error: expect.stringMatching(/\.$/) })])
})

test.each(['nothing', 'statements/x', 'constructor', 'agents/profile/x', 'OAuth/token', ''])(
  '3.2 /xapi/%s is not found',
  async (resource) => {
    expect((await call('GET', resource)).status).toBe(404)
  },
)

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json, text/html;q=0.9', 'application/json'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
  ['text/plain', 'text/plain; charset=utf-8'],
  ['text/*;q=0.5, application/json;q=0.4', 'text/html; charset=utf-8'],
  ['image/png', 'application/json'],
])('3.2 an error has the type that Accept prefers: %s', async (accept, type) => {
  const answer = await call('GET', 'statements', { params: { '<b>': '1' }, ...(accept && { headers: { accept } }) })
  expect([answer.status, answer.headers['content-type']]).toEqual([400, type])
  expect(answer.text).toContain(type.startsWith('text/html') ? '&#60;b&#62;' : '<b>')
})

test('3.2 the maximum size of a request is a setting, for statements and documents', async () => {
  const before = env().XAPI_MAX_MB
  env().XAPI_MAX_MB = 1
  try {
    const big = aStatement({ result: { response: 'x'.repeat(1024 * 1024) } })
    expect((await call('POST', 'statements', { body: big })).status).toBe(413)
    const params = { activityId, profileId: 'big' }
    const headers = { 'content-type': 'text/plain' }
    expect(
      (await call('PUT', 'activities/profile', { params, headers, body: 'x'.repeat(1024 * 1024 + 1) })).status,
    ).toBe(413)
    env().XAPI_MAX_MB = 2
    expect((await call('POST', 'statements', { body: big })).status).toBe(200)
  } finally {
    env().XAPI_MAX_MB = before
  }
})

test('1.4 text that is not UTF-8 is refused, also in a query and in a form', async () => {
  for (const query of ['verb=https://x.example/%ff', 'verb=https://x.example/%zz', 'limit=%']) {
    const answer = await call('GET', `statements?${query}`)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('percent-encoded UTF-8')])
  }
  const form = (body: string | Buffer) =>
    call('POST', 'statements?method=GET', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
  expect((await form('verb=https%3A%2F%2Fx.example%2F%C3%BC')).status).toBe(200)
  expect((await form('verb=https%3A%2F%2Fx.example%2F%FC')).status).toBe(400)
  expect((await form(Buffer.from('verb=https://x.example/ü', 'latin1'))).status).toBe(400)
})

test('2.1.3 limit may be any whole number; a larger number means the maximum', async () => {
  for (const limit of ['1', '0', '000', '9'.repeat(20), '9'.repeat(400)]) {
    expect((await call('GET', 'statements', { params: { limit } })).status).toBe(200)
  }
  for (const limit of ['-1', '1.5', '1e3', '', 'x']) {
    expect((await call('GET', 'statements', { params: { limit } })).status).toBe(400)
  }
})

test('1.4 text that is not UTF-8 is refused', async () => {
  const body = Buffer.from(JSON.stringify(aStatement({ result: { response: 'caf\u00e9' } })), 'latin1')
  expect((await call('POST', 'statements', { body })).status).toBe(400)
  const params = { activityId, profileId: 'latin' }
  expect((await call('PUT', 'activities/profile', { params, body })).status).toBe(400)
})

const profile = (profileId: string) => ({ activityId: `https://activities.example/${randomUUID()}`, profileId })
test('3.2 a document declared as JSON must be JSON; other types are stored as they are', async () => {
  const params = profile('typed')
  for (const method of ['PUT', 'POST']) {
    expect((await call(method, 'activities/profile', { params, body: '{"a":' })).status).toBe(400)
    expect((await call(method, 'activities/profile', { params, body: '' })).status).toBe(400)
  }
  expect((await call('GET', 'activities/profile', { params })).status).toBe(404)
  const bytes = Buffer.from([0, 255, 13, 10])
  const typed = { body: bytes, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  expect((await call('POST', 'activities/profile', { params, ...typed })).status).toBe(204)
  const answer = await call('GET', 'activities/profile', { params })
  expect([answer.headers['content-type'], answer.bytes.equals(bytes)]).toEqual([
    'application/x-www-form-urlencoded',
    true,
  ])
  expect(answer.headers.etag).toBe(`"${createHash('sha1').update(bytes).digest('hex')}"`)
})

test.each([
  ['POST', 'agents/profile'],
  ['POST', 'activities/state'],
  ['DELETE', 'activities/profile'],
])('3.1 %s of %s also respects If-Match and If-None-Match', async (method, resource) => {
  const params: Record<string, string> =
    resource === 'activities/profile'
      ? profile('a')
      : {
          ...onePerson,
          ...(resource === 'agents/profile' ? { profileId: randomUUID() } : { activityId, stateId: randomUUID() }),
        }
  for (const version of versions) {
    await call('POST', resource, { version, params, body: { n: 1 } })
    const before = await call('GET', resource, { version, params })
    const write = (headers: Record<string, string>) =>
      call(method, resource, { version, params, headers, ...(method === 'POST' && { body: { m: 2 } }) })
    expect((await write({ 'if-match': '"1234"' })).status).toBe(412)
    if (method === 'POST') expect((await write({ 'if-none-match': '*' })).status).toBe(412)
    expect((await call('GET', resource, { version, params })).text).toBe(before.text)
    expect((await write({ 'if-match': String(before.headers.etag) })).status).toBe(204)
  }
})

test('2.2 a list of documents has the time of the newest change', async () => {
  const params = profile('first')
  const { profileId: _id, ...owner } = params
  expect((await call('GET', 'activities/profile', { params: owner })).headers['last-modified']).toBeUndefined()
  await call('POST', 'activities/profile', { params, body: { n: 1 } })
  await call('POST', 'activities/profile', { params: { ...params, profileId: 'second' }, body: { n: 1 } })
  const newest = await call('GET', 'activities/profile', { params: { ...params, profileId: 'second' } })
  const list = await call('GET', 'activities/profile', { params: owner })
  expect([list.json, list.headers['last-modified']]).toEqual([['first', 'second'], newest.headers['last-modified']])
})

const form = (fields: Record<string, string>, type?: string): Sent => ({
  version: null,
  auth: null,
  body: new URLSearchParams({ Authorization: auth, 'X-Experience-API-Version': '1.0.3', ...fields }).toString(),
  headers: { 'content-type': type ?? 'application/x-www-form-urlencoded' },
})

test('1.3 the alternate syntax keeps preconditions and document types, and requires content if something is sent', async () => {
  const params = profile('alternate')
  const type = { 'Content-Type': 'text/plain' }
  const post = (method: string, fields: Record<string, string>, as?: string) =>
    call('POST', `activities/profile?method=${method}`, form({ ...params, ...fields }, as))
  expect((await post('PUT', type)).status).toBe(400)
  expect((await post('PUT', { ...type, content: 'Grüße', 'If-None-Match': '*' })).status).toBe(204)
  expect((await post('PUT', { ...type, content: 'other', 'If-None-Match': '*' })).status).toBe(412)
  const answer = await post('GET', {}, 'text/plain')
  expect([answer.headers['content-type'], answer.text]).toEqual(['text/plain', 'Grüße'])
  expect((await post('DELETE', { 'If-Match': String(answer.headers.etag) })).status).toBe(204)
  expect((await post('GET', {})).status).toBe(404)
})

test('1.3 an incomplete alternate request is refused, and 2.0 refuses all of them', async () => {
  const fields = { statementId: randomUUID(), content: JSON.stringify(aStatement({ id: undefined })) }
  const path = 'statements?method=PUT'
  expect((await call('GET', path)).status).toBe(400)
  expect((await call('POST', path, form({ statementId: randomUUID() }))).status).toBe(400)
  expect((await call('POST', path, form(fields, 'multipart/form-data'))).status).toBe(400)
  expect((await call('POST', path, form({ ...fields, 'X-Experience-API-Version': '2.0.0' }))).status).toBe(400)
  expect((await call('POST', path, { ...form(fields), version: '2.0.0' })).status).toBe(400)
  expect((await call('POST', 'statements?method=PATCH', form(fields))).status).toBe(400)
  expect((await call('POST', path, form(fields))).status).toBe(204)
})

test('1.3 anything twice in the form is refused: parameters, headers and the content', async () => {
  const fields = { statementId: randomUUID(), content: JSON.stringify(aStatement({ id: undefined })) }
  for (const [name, value] of [
    ['statementId', fields.statementId],
    ['content', fields.content],
    ['Content', fields.content],
    ['Authorization', auth],
    ['authorization', auth],
    ['X-Experience-API-Version', '1.0.3'],
    ['If-Match', '*'],
  ] as const) {
    const sent = form({ 'If-Match': '"0"', ...fields })
    const body = `${sent.body}&${new URLSearchParams({ [name]: value })}`
    const answer = await call('POST', 'statements?method=PUT', { ...sent, body })
    expect([answer.status, answer.json]).toEqual([
      400,
      expect.objectContaining({ error: expect.stringMatching(/twice\.$/) }),
    ])
  }
})

/** Announces a body and sends none of it. */
function announce(query: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '500000', ...headers }
    const address = `${origin}/xapi/statements?${query}`
    const req = request(address, { method: 'POST', headers: all, timeout: 5000 }, (res) => {
      resolve(res.statusCode)
      req.destroy()
    })
    req.on('error', reject).on('timeout', () => req.destroy(new Error('No answer')))
    req.flushHeaders()
  })
}

test('1.3 the answer does not wait for the form if the method or the version is wrong', async () => {
  expect(await announce('method=PATCH', {})).toBe(400)
  expect(await announce('method=GET', { 'x-experience-api-version': '2.0.0' })).toBe(400)
  expect(await announce('method=GET', { 'x-experience-api-version': '0.9' })).toBe(400)
})

test('1.3 a form with its own key may have 1 MB, and one with an Authorization header as much as any body', async () => {
  const sized = (bytes: number) => {
    const id = randomUUID()
    return form({
      statementId: id,
      content: JSON.stringify(aStatement({ id, result: { response: 'é'.repeat(bytes) } })),
    })
  }
  const put = (sent: Sent) => call('POST', 'statements?method=PUT', sent)
  expect((await put(sized(150_000))).status).toBe(204)
  const large = await put(sized(200_000))
  expect([large.status, large.json]).toEqual([
    413,
    { error: 'Without the Authorization header, a form may have at most 1 MB.', code: 'xapi.too_large' },
  ])
  expect((await put({ ...sized(200_000), auth })).status).toBe(204)
})

test('1.3 a form may have 100 fields', async () => {
  const sent = form({ limit: '1' })
  const padded = (count: number) => ({ ...sent, body: `${sent.body}${'&'.repeat(count)}` })
  expect((await call('POST', 'statements?method=GET', padded(97))).status).toBe(200)
  const answer = await call('POST', 'statements?method=GET', padded(98))
  expect([answer.status, answer.json]).toEqual([
    400,
    { error: 'The form has more than 100 fields.', code: 'xapi.alternate' },
  ])
  expect((await call('POST', 'statements?method=GET', { ...padded(5_000_000), auth })).status).toBe(400)
})
