import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { launchUnit, type UnitSession } from '~/services/cmi5/cmi5.server.ts'
import { fetchSecretOf } from '~/services/cmi5/secrets.server.ts'
import type { Ctx } from '~/services/context.ts'
import { aModule, launchAndFetch, statementOf } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { type Answered, aKey, aStore, type Sent } from '../support/xapi.ts'

const { db, ctx, send, origin, auth } = await aStore()

const aStatement = () => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:a@example.org' },
  verb: { id: 'https://verbs.example/did' },
  object: { id: 'https://activities.example/x' },
})

test('2.8 about is open to everybody, without a version', async () => {
  const answer = await send('GET', '/xapi/about', { version: null })
  expect(answer.json).toEqual({ version: ['2.0.0', '1.0.3', '1.0.2', '1.0.1', '1.0.0'] })
})

test.each([
  [null, 400, '2.0.0'],
  ['0.95', 400, '2.0.0'],
  ['1.0', 200, '1.0.3'],
  ['1.0.1', 200, '1.0.3'],
  ['2.0.0', 200, '2.0.0'],
])('3.3 the version %s is answered with %i in its form', async (version, status, answered) => {
  const answer = await send('GET', '/xapi/statements', { auth, version, params: { limit: '1' } })
  expect([answer.status, answer.headers['x-experience-api-version']]).toEqual([status, answered])
})

test.each([
  ['no Authorization', null],
  ['an unknown key', `Basic ${Buffer.from('key_x:y').toString('base64')}`],
  ['a made-up token', `Basic ${Buffer.from('unit:made-up').toString('base64')}`],
  ['another scheme', 'Bearer x'],
  ['nonsense', 'Basic %%%'],
])(
  'cmi5 8.1.2: %s is 401, which names Basic to programs, without a password prompt in a page',
  async (_name, given) => {
    const answer = await send('GET', '/xapi/statements', { auth: given })
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="xAPI", charset="UTF-8"'])
    for (const headers of [
      { origin: 'http://content.example' },
      { referer: 'http://content.example/unit' },
      { 'sec-fetch-mode': 'cors' },
    ] as Record<string, string>[]) {
      const inPage = await send('GET', '/xapi/statements', { auth: given, headers })
      expect([inPage.status, inPage.headers['www-authenticate']]).toEqual([401, undefined])
    }
  },
)

test('OPTIONS answers without authorization and allows the headers of xAPI from any origin', async () => {
  for (const path of ['/xapi/statements', '/launch/fetch/abc']) {
    const answer = await send('OPTIONS', path, {
      version: null,
      headers: { origin: 'http://elsewhere.example', 'access-control-request-headers': 'x-own-header' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-allow-headers']).toMatch(
      /Authorization.*X-Experience-API-Version.*x-own-header/,
    )
  }
  const get = await send('GET', '/xapi/about', { version: null })
  expect(get.headers['access-control-expose-headers']).toMatch(
    /ETag.*Last-Modified.*X-Experience-API-Consistent-Through/,
  )
})

test('cmi5 8.1.1: a double slash before statements works too', async () => {
  for (const path of ['/xapi//statements', '/xapi/statements/']) {
    expect((await send('GET', path, { auth, params: { limit: '1' } })).status).toBe(200)
  }
})

test('2.1.3 every answer about statements has Consistent-Through', async () => {
  const get = await send('GET', '/xapi/statements', { auth, params: { limit: '1' } })
  const post = await send('POST', '/xapi/statements', { auth, body: aStatement() })
  for (const { headers } of [get, post]) {
    expect(Date.parse(String(headers['x-experience-api-consistent-through']))).toBeLessThanOrEqual(Date.now() + 1000)
  }
})

const form = (fields: Record<string, string>): Sent => ({
  version: null,
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

test('1.3 in the alternate request syntax everything is in the form; 2.0 has no such syntax', async () => {
  const statement = aStatement()
  const fields = { Authorization: auth, 'X-Experience-API-Version': '1.0.3', 'Content-Type': 'application/json' }
  const put = await send(
    'POST',
    '/xapi/statements?method=PUT',
    form({
      ...fields,
      statementId: statement.id,
      content: JSON.stringify(statement),
    }),
  )
  expect(put.status).toBe(204)
  const get = await send('POST', '/xapi/statements?method=GET', form({ ...fields, statementId: statement.id }))
  expect(get.json).toMatchObject({ id: statement.id })
  const mixed = await send('POST', `/xapi/statements?method=GET&statementId=${statement.id}`, form(fields))
  expect(mixed.status).toBe(400)
  const later = await send(
    'POST',
    '/xapi/statements?method=GET',
    form({ ...fields, 'X-Experience-API-Version': '2.0.0' }),
  )
  expect(later.status).toBe(400)
  for (const [inForm, inHeader, status] of [
    ['1.0.3', '1.0.0', 200],
    ['0.8', '1.0.3', 400],
    ['1.0.3', '0.8', 400],
    ['1.0.3', '2.0.0', 400],
    ['2.0.0', '1.0.3', 400],
  ] as const) {
    const { body, headers } = form({ ...fields, 'X-Experience-API-Version': inForm, statementId: statement.id })
    const sent = { body, headers: { ...headers, 'X-Experience-API-Version': inHeader } }
    expect((await send('POST', '/xapi/statements?method=GET', sent)).status).toBe(status)
  }
})

test.each<[string, Sent & { method?: string; path?: string }, number]>([
  ['text that is not JSON', { body: '{' }, 400],
  ['another type', { body: 'x', headers: { 'content-type': 'text/plain' } }, 400],
  ['attachments', { body: 'x', headers: { 'content-type': 'multipart/mixed; boundary=x' } }, 400],
  [
    'an attachment without bytes or address',
    {
      body: {
        ...aStatement(),
        attachments: [
          { usageType: 'https://example.org/u', display: {}, contentType: 'a/b', length: 1, sha2: 'a'.repeat(64) },
        ],
      },
    },
    400,
  ],
  ['a parameter that POST does not have', { body: aStatement(), params: { statementId: randomUUID() } }, 400],
  ['an unknown parameter', { method: 'GET', params: { verbs: 'https://verbs.example/did' } }, 400],
  ['a parameter in another case', { method: 'GET', params: { Verb: 'https://verbs.example/did' } }, 400],
  ['statementId with a filter', { method: 'GET', params: { statementId: randomUUID(), limit: '1' } }, 400],
  ['a limit that is not a whole number', { method: 'GET', params: { limit: '-1' } }, 400],
  ['a verb that is not an IRI', { method: 'GET', params: { verb: 'did' } }, 400],
  ['since that is not a time', { method: 'GET', params: { since: 'yesterday' } }, 400],
  ['an unknown format', { method: 'GET', params: { format: 'short' } }, 400],
  ['DELETE', { method: 'DELETE' }, 400],
  ['an unknown address', { method: 'GET', path: '/xapi/nothing' }, 404],
])('refused: %s', async (_name, { method = 'POST', path = '/xapi/statements', ...options }, status) => {
  const answer = await send(method, path, { auth, ...options })
  expect(answer.status).toBe(status)
  expect(answer.json).toMatchObject({ error: expect.stringMatching(/^\S.*\.$/) })
})

test('a body over the limit gets 413', async () => {
  const body = JSON.stringify(aStatement()).padEnd(10 * 1024 * 1024 + 1)
  expect((await send('POST', '/xapi/statements', { auth, body })).status).toBe(413)
})

test('a body that is too long and does not state its length is answered too', async () => {
  const headers = { authorization: auth, 'x-experience-api-version': '1.0.3', 'content-type': 'application/json' }
  const status = await new Promise((resolve, reject) => {
    const req = request(`${origin}/xapi/statements`, { method: 'POST', headers, timeout: 10_000 }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode))
    })
    req.on('error', reject).on('timeout', () => req.destroy(new Error('No answer')))
    for (let megabyte = 0; megabyte < 12; megabyte++) req.write(' '.repeat(1024 * 1024))
    req.end()
  })
  expect(status).toBe(413)
})

type Unit = { learner: Ctx; session: UnitSession; token: string; fetch: string; call: Call }
type Call = (method: string, path: string, options?: Sent) => Promise<Answered>

async function aUnit(): Promise<Unit> {
  const { versionUid } = await aModule(ctx)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { session, token } = await launchAndFetch(learner, { moduleVersionUid: versionUid })
  const call: Call = (method, path, options) => send(method, path, { auth: `Basic ${token}`, ...options })
  return { learner, session, token, call, fetch: `/launch/fetch/${await fetchSecretOf(db, session.uid)}` }
}

const stateOf = (session: UnitSession, stateId?: string) => ({
  activityId: session.unitIri,
  agent: JSON.stringify(session.actor),
  registration: session.registrationUid,
  ...(stateId && { stateId }),
})

test('cmi5 8.2.1, 8.2.3: the fetch address answers POST once with the token, and GET never', async () => {
  const { versionUid } = await aModule(ctx)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: versionUid })
  const path = `/launch/fetch/${await fetchSecretOf(db, auLaunchSessionUid)}`
  const get = await send('GET', path, { version: null })
  expect(get.text).not.toContain('auth-token')
  expect(get.headers['cache-control']).toBe('no-store')
  const first = await send('POST', path, { version: null })
  expect([first.status, first.headers['content-type']]).toEqual([200, 'application/json'])
  expect(first.json).toEqual({ 'auth-token': expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) })
  const second = await send('POST', path, { version: null })
  expect([second.status, second.json]).toEqual([200, { 'error-code': '1', 'error-text': expect.any(String) }])
  const unknown = await send('POST', '/launch/fetch/made-up', { version: null })
  expect([unknown.status, unknown.json]).toEqual([200, { 'error-code': '2', 'error-text': expect.any(String) }])
})

test('a unit reads its launch data, works and ends; then nothing is answered any more (cmi5 8.2.1, 9.3.8)', async () => {
  const { session, call } = await aUnit()
  const data = await call('GET', '/xapi/activities/state', { params: stateOf(session, 'LMS.LaunchData') })
  expect(data.json).toEqual(session.launchData)
  const post = (statement: object) => call('POST', '/xapi/statements', { body: statement })
  expect((await post(statementOf(session, 'initialized'))).status).toBe(200)
  expect(
    (await call('PUT', '/xapi/activities/state', { params: stateOf(session, 'bookmark'), body: { page: 3 } })).status,
  ).toBe(204)
  expect((await post(statementOf(session, 'initialized'))).status).toBe(403)
  expect((await post({ ...statementOf(session, 'experienced'), verb: 1 })).status).toBe(400)
  const terminated = statementOf(session, 'terminated')
  expect((await post(terminated)).status).toBe(200)
  expect((await post(terminated)).status).toBe(200)
  expect((await post(statementOf(session, 'experienced'))).status).toBe(403)
  expect((await call('GET', '/xapi/activities/state', { params: stateOf(session, 'bookmark') })).status).toBe(403)
  expect((await call('GET', '/xapi/statements')).status).toBe(403)
})

test('cmi5 10.2.1: launch data can be read, but not changed, nor deleted with all state', async () => {
  const { session, call } = await aUnit()
  const params = stateOf(session, 'LMS.LaunchData')
  for (const method of ['PUT', 'POST', 'DELETE']) {
    expect(
      (await call(method, '/xapi/activities/state', { params, ...(method !== 'DELETE' && { body: {} }) })).status,
    ).toBe(403)
  }
  await call('PUT', '/xapi/activities/state', { params: stateOf(session, 'own'), body: {} })
  expect((await call('DELETE', '/xapi/activities/state', { params: stateOf(session) })).status).toBe(204)
  expect((await call('GET', '/xapi/activities/state', { params: stateOf(session) })).json).toEqual(['LMS.LaunchData'])
  const asClient = await send('DELETE', '/xapi/activities/state', { auth, params })
  expect(asClient.status).toBe(403)
})

const preferences = (session: UnitSession) => ({
  agent: JSON.stringify(session.actor),
  profileId: 'cmi5LearnerPreferences',
})

test.each<[string, unknown, number]>([
  ['both preferences', { languagePreference: 'en-US,fr', audioPreference: 'on' }, 204],
  ['no audio', { languagePreference: 'en' }, 403],
  ['audio that is neither on nor off', { languagePreference: 'en', audioPreference: 'loud' }, 403],
  ['a language that is not a tag', { languagePreference: 'no tag', audioPreference: 'on' }, 403],
  ['no language', { languagePreference: '', audioPreference: 'on' }, 403],
  ['no object', '"en"', 403],
  ['no JSON', '{', 403],
])('cmi5 11.0, 11.1, 11.2: learner preferences: %s', async (_name, body, status) => {
  const { session, call } = await aUnit()
  expect((await call('GET', '/xapi/agents/profile', { params: preferences(session) })).status).toBe(404)
  expect((await call('PUT', '/xapi/agents/profile', { params: preferences(session), body })).status).toBe(status)
})

test('cmi5 11.0: learner preferences that are not JSON are refused, and can still be changed by POST', async () => {
  const { session, call } = await aUnit()
  const params = preferences(session)
  const body = { languagePreference: 'en', audioPreference: 'on' }
  for (const type of ['text/plain', 'application/octet-stream']) {
    const sent = { params, body: JSON.stringify(body), headers: { 'content-type': type } }
    expect((await call('PUT', '/xapi/agents/profile', sent)).status).toBe(403)
  }
  expect((await call('PUT', '/xapi/agents/profile', { params, body })).status).toBe(204)
  const { etag } = (await call('GET', '/xapi/agents/profile', { params })).headers
  const changed = { params, body: { ...body, audioPreference: 'off' }, headers: { 'if-match': String(etag) } }
  expect((await call('POST', '/xapi/agents/profile', changed)).status).toBe(204)
})

test('cmi5 11.0: a setting refuses preference changes by units, and affects neither reading, other profiles nor keys', async () => {
  const { session, token, call } = await aUnit()
  const params = preferences(session)
  const body = { languagePreference: 'en', audioPreference: 'off' }
  const document = (method: string, options: Sent = {}) => call(method, '/xapi/agents/profile', { params, ...options })
  expect((await document('PUT', { body })).status).toBe(204)
  const { headers } = await document('GET')
  const condition = { headers: { 'if-match': String(headers.etag) } }
  env().CMI5_FIXED_PREFERENCES = true
  try {
    const other = { languagePreference: 'fr', audioPreference: 'on' }
    for (const [method, options] of [
      ['PUT', { body: other }],
      ['PUT', { body: other, ...condition }],
      ['PUT', { body: 'no JSON' }],
      ['POST', { body: other }],
      ['DELETE', {}],
      ['DELETE', condition],
    ] as [string, Sent][]) {
      const answer = await document(method, options)
      expect([method, answer.status]).toEqual([method, 403])
      expect(answer.text).toContain('Units cannot change learner preferences')
    }
    const alternate = await send(
      'POST',
      '/xapi/agents/profile?method=PUT',
      form({
        ...{ Authorization: `Basic ${token}`, 'X-Experience-API-Version': '1.0.3', ...params },
        content: JSON.stringify(other),
      }),
    )
    expect(alternate.status).toBe(403)
    expect((await document('GET')).json).toEqual(body)
    const own = { ...params, profileId: 'own' }
    expect((await call('PUT', '/xapi/agents/profile', { params: own, body: {} })).status).toBe(204)
    expect((await send('PUT', '/xapi/agents/profile', { auth, params, body: other, ...condition })).status).toBe(204)
    expect((await document('GET')).json).toEqual(other)
  } finally {
    env().CMI5_FIXED_PREFERENCES = false
  }
  expect((await document('POST', { body: { ...body, audioPreference: 'on' } })).status).toBe(204)
})

test('cmi5 11.0: the agent profile of another agent is 403, without agent 400', async () => {
  const { session, call } = await aUnit()
  const other = { ...preferences(session), agent: JSON.stringify({ mbox: 'mailto:other@example.org' }) }
  expect((await call('GET', '/xapi/agents/profile', { params: other })).status).toBe(403)
  expect((await call('GET', '/xapi/agents/profile', { params: { profileId: 'x' } })).status).toBe(400)
})

test('cmi5 8.1.3: a token works only for its own learner and registration', async () => {
  const [own, other] = [await aUnit(), await aUnit()]
  for (const { call, session } of [own, other]) {
    await call('POST', '/xapi/statements', { body: statementOf(session, 'initialized') })
  }
  const mine = await own.call('GET', '/xapi/statements')
  const { statements } = mine.json as { statements: { actor: object }[] }
  expect(statements).toHaveLength(2)
  expect(statements.every(({ actor }) => JSON.stringify(actor) === JSON.stringify(own.session.actor))).toBe(true)
  const read = (params: Record<string, string>) => own.call('GET', '/xapi/statements', { params })
  expect((await read({ agent: JSON.stringify(other.session.actor) })).status).toBe(403)
  expect((await read({ registration: other.session.registrationUid })).status).toBe(403)
  const foreign = await other.call('GET', '/xapi/statements', { params: { limit: '1' } })
  const [{ id }] = (foreign.json as { statements: [{ id: string }] }).statements
  expect((await read({ statementId: id })).status).toBe(404)
  const state = await own.call('GET', '/xapi/activities/state', { params: stateOf(other.session, 'LMS.LaunchData') })
  expect(state.status).toBe(403)
  const mixed = { ...stateOf(own.session, 'x'), registration: other.session.registrationUid }
  expect((await own.call('PUT', '/xapi/activities/state', { params: mixed, body: {} })).status).toBe(403)
  const person = await own.call('GET', '/xapi/agents', { params: { agent: JSON.stringify(other.session.actor) } })
  expect(person.status).toBe(403)
  const profile = { activityId: other.session.unitIri, profileId: 'x' }
  expect((await own.call('PUT', '/xapi/activities/profile', { params: profile, body: {} })).status).toBe(403)
})

test('cmi5 4.2: a key with all/read reads every learner’s records', async () => {
  const { session, call } = await aUnit()
  await call('POST', '/xapi/statements', { body: statementOf(session, 'initialized') })
  const reader = await aKey(ctx, ['all/read'])
  const answer = await send('GET', '/xapi/statements', {
    auth: reader,
    params: { registration: session.registrationUid },
  })
  expect((answer.json as { statements: object[] }).statements).toHaveLength(2)
  const data = await send('GET', '/xapi/activities/state', { auth: reader, params: stateOf(session, 'LMS.LaunchData') })
  expect(data.status).toBe(200)
})

test('cmi5 6.3: a unit cannot void with the alternate syntax either', async () => {
  const { session, token } = await aUnit()
  const voided = { ...statementOf(session, 'voided'), object: { objectType: 'StatementRef', id: randomUUID() } }
  const answer = await send(
    'POST',
    '/xapi/statements?method=PUT',
    form({
      Authorization: `Basic ${token}`,
      'X-Experience-API-Version': '1.0.3',
      statementId: voided.id,
      content: JSON.stringify(voided),
    }),
  )
  expect(answer.status).toBe(403)
})

test('a learner whose account was closed no longer has a token', async () => {
  const { learner, session, call } = await aUnit()
  await db
    .updateTable('users')
    .set({ is_active: false })
    .where('id', '=', learner.viewer?.id ?? 0)
    .execute()
  expect((await call('POST', '/xapi/statements', { body: statementOf(session, 'initialized') })).status).toBe(401)
})
