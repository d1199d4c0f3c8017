import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccessToken } from '~/services/accounts/access-tokens.server.ts'
import type { Viewer } from '~/services/context.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { aContext, aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { aBrowser, startServer, type TestServer } from '../support/http.ts'

/** Bearer tokens at /graphql/, used over the network as programs use them. */
let server: TestServer
let db: Database
let learner: Viewer
let readToken: string
let writeToken: string

async function aToken(
  viewer: Viewer,
  scope: 'read' | 'write',
  now = new Date(),
): Promise<{ uid: string; token: string }> {
  const ctx = await aContext(db, { viewer, now })
  const uid = randomUUID()
  const own = { ...ctx, session: { ...ctx.session, uid: randomUUID() } }
  return {
    uid,
    ...(await createAccessToken(own, { uid, name: 'Test', scope, days: '30', currentPassword: testPassword })),
  }
}

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    learner = await aUser(db, { email: 'ada@titrate.example' })
    await close()
  })
  ;({ db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 2 }))
  ;({ token: readToken } = await aToken(learner, 'read'))
  ;({ token: writeToken } = await aToken(learner, 'write'))
})
afterAll(() => db.destroy())

async function ask(token: string, query: string, more: { headers?: Record<string, string>; host?: string } = {}) {
  const reply = await server.send({
    method: 'POST',
    path: '/graphql/',
    ...(more.host && { host: more.host }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify({ query }),
  })
  return { ...reply, body: JSON.parse(reply.text) }
}

test('a token answers as its owner, needs no CSRF token, and sets no cookie', async () => {
  const { status, body, cookies, headers } = await ask(readToken, '{ me { uid email } }')
  expect([status, body]).toEqual([200, { data: { me: { uid: learner.uid, email: learner.email } } }])
  expect([cookies, headers['x-csrftoken']]).toEqual([[], undefined])
})

test('a request with a token ignores cookies, both of another person and of its owner', async () => {
  const other = aBrowser(server)
  await aUser(db, { email: 'eve@titrate.example' })
  await other.signIn('eve@titrate.example', { password: testPassword })
  const cookie = [...other.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const { body } = await ask(readToken, '{ me { email } }', { headers: { cookie } })
  expect(body.data.me.email).toBe(learner.email)
  expect((await ask('ttr_wrong', '{ me { email } }', { headers: { cookie } })).status).toBe(401)
})

test('pages of other origins may send a token, but their visitors’ cookies do not count', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  expect((await ask(readToken, '{ me { uid } }', { headers })).status).toBe(200)
  const withoutToken = await server.send({
    method: 'POST',
    path: '/graphql/',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"query":"{ me { uid } }"}',
  })
  expect(withoutToken.status).toBe(403)
})

test('a read token refuses every mutation and the launch, however they are written', async () => {
  for (const query of [
    'mutation { saveUserAnswers(data: []) { allQuestionsAnswered } }',
    'mutation { a: saveUserAnswers(data: []) { allQuestionsAnswered } }',
    'mutation { ...M } fragment M on Mutation { saveUserAnswers(data: []) { allQuestionsAnswered } }',
    '{ moduleLaunchInfo(moduleVersionUid: "x") { launchUrl } }',
    '{ me { uid } ... on Query { x: moduleLaunchInfo(moduleVersionUid: "x") { launchUrl } } }',
  ]) {
    const { status, body } = await ask(readToken, query)
    expect([status, body.errors?.[0]?.extensions.code], query).toEqual([403, 'FORBIDDEN'])
    expect(body.errors[0].message).toMatch(/^This token may only read/)
  }
  const written = await ask(
    writeToken,
    `mutation { updateUser(data: { id: "${learner.uid}", lastName: "Byron" }) { user { lastName } } }`,
  )
  expect(written.body).toEqual({ data: { updateUser: { user: { lastName: 'Byron' } } } })
})

test('no token can sign in or out, or change passwords and addresses', async () => {
  for (const query of [
    `mutation { login(username: "${learner.email}", password: "${testPassword}") { user { uid } } }`,
    'mutation { logout { status } }',
    `mutation { changePassword(currentPassword: "${testPassword}", password: "Patient7Burette", password2: "Patient7Burette") { status } }`,
    `mutation { requestPasswordReset(email: "${learner.email}") { status } }`,
  ]) {
    const { status, body, cookies } = await ask(writeToken, query)
    expect([status, body.errors?.[0]?.extensions.code, cookies], query).toEqual([403, 'FORBIDDEN', []])
  }
  const admin = await aUser(db, { groups: ['admins'] })
  const { token: adminToken } = await aToken(admin, 'write')
  const globalId = (uid: string) => Buffer.from(`User:${uid}`).toString('base64url')
  for (const [token, id] of [
    [writeToken, learner.uid],
    [writeToken, globalId(learner.uid.toUpperCase())],
    [adminToken, admin.uid.toUpperCase()],
    [adminToken, globalId(admin.uid.toUpperCase())],
    [adminToken, globalId(learner.uid)],
  ] as const) {
    const data = `{ id: "${id}", email: "x@x.example", currentPassword: "${testPassword}" }`
    const { body } = await ask(token, `mutation { updateUser(data: ${data}) { user { uid } } }`)
    expect(body.errors?.[0].extensions.code, id).toBe('FORBIDDEN')
  }
  expect((await ask(readToken, '{ me { email } }')).body.data.me.email).toBe(learner.email)
  expect((await ask(adminToken, '{ me { email } }')).body.data.me.email).toBe(admin.email)
})

test('a token that is unknown, expired, revoked, of the other site or of a closed account gets 401 with a message', async () => {
  const over = await aToken(learner, 'read', new Date(Date.now() - 31 * 86_400_000))
  const revoked = await aToken(learner, 'read')
  await db.updateTable('access_tokens').set({ revoked_at: new Date() }).where('uid', '=', revoked.uid).execute()
  const gone = await aUser(db, { email: 'gone@titrate.example' })
  const closed = await aToken(gone, 'write')
  await db.updateTable('users').set({ is_active: false }).where('id', '=', gone.id).execute()
  const refused = [
    await ask(over.token, '{ me { uid } }'),
    await ask(revoked.token, '{ me { uid } }'),
    await ask(closed.token, '{ me { uid } }'),
    await ask(readToken, '{ me { uid } }', { host: `ns.${server.host()}` }),
    await ask('', '{ me { uid } }'),
    await ask('x'.repeat(5000), '{ me { uid } }'),
  ]
  for (const { status, body, headers, cookies } of refused) {
    expect([status, headers['www-authenticate'], cookies]).toEqual([401, 'Bearer error="invalid_token"', []])
    expect(body.errors[0]).toMatchObject({
      message: 'This access token is unknown, expired or revoked.',
      extensions: { code: 'LOGIN_REQUIRED' },
    })
  }
  const lines = () => server.logLines().filter(({ event }) => event === 'security.request_refused')
  await expect.poll(() => lines().filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(refused.length)
})

test('the limits of operations also apply to tokens, and a token opens no page', async () => {
  const aliases = Array.from({ length: 11 }, (_, index) => `a${index}: featureFlags`).join(' ')
  const { status, body } = await ask(readToken, `{ ${aliases} }`)
  expect([status, body.errors[0].message]).toEqual([200, 'Too many aliases of Query.featureFlags: at most 10.'])
  expect((await ask(readToken, `{ ${'x'.repeat(1_000_001)} }`)).status).toBe(400)
  const page = await server.send({ path: '/home/', headers: { authorization: `Bearer ${writeToken}` } })
  expect([page.status, page.headers.location]).toEqual([302, '/login/?next=%2Fhome%2F'])
})

test('the last use is written after the answer', async () => {
  const { uid, token } = await aToken(learner, 'read')
  const usedAt = async () =>
    (await db.selectFrom('access_tokens').select('last_used_at').where('uid', '=', uid).executeTakeFirstOrThrow())
      .last_used_at
  await ask(token, '{ me { uid } }')
  await expect.poll(usedAt).toBeInstanceOf(Date)
  const first = await usedAt()
  await ask(token, '{ me { uid } }')
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await usedAt()).toEqual(first)
})

test('a change of the password offers to revoke tokens to people who have some, and keeps the choice when it is refused', async () => {
  const owner = await aUser(db, { email: 'gil@titrate.example' })
  const browser = aBrowser(server)
  await browser.signIn('gil@titrate.example')
  const page = async () => (await browser.send({ path: '/change-password/' })).text
  expect(await page()).not.toContain('Revoke my access tokens')
  const { token } = await aToken(owner, 'read')
  expect(await page()).toContain('Revoke my access tokens')
  const fresh = { password: 'Patient7Burette', password2: 'Patient7Burette', revoke: 'on' }
  const change = async (currentPassword: string) =>
    browser.post('/change-password/', { csrf: await browser.token('/change-password/'), currentPassword, ...fresh })
  const refused = await change('Wrong7Horse')
  expect([refused.status, /name="revoke"[^>]*checked/.test(refused.text)]).toEqual([400, true])
  expect((await ask(token, '{ me { uid } }')).status).toBe(200)
  expect((await change(testPassword)).status).toBe(200)
  expect((await ask(token, '{ me { uid } }')).status).toBe(401)
  expect(await page()).not.toContain('Revoke my access tokens')
})
