import { beforeAll, describe, expect, test } from 'vitest'
import { aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { aBrowser, startServer, type TestServer, tokenIn } from '../support/http.ts'

let server: TestServer
const ada = 'ada@titrate.example'

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: ada })
    await aUser(db, { email: 'ben@titrate.example' })
    await aUser(db, { email: 'nia@titrate.example', site: 'ns' })
    await close()
  })
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('requests from another site', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a %s is refused on every address', async (method) => {
    for (const path of ['/login/', '/login', '/login.data', '/logout/', '/launch/', '/graphql/', '/nowhere/', '/']) {
      for (const site of ['cross-site', 'same-site', 'same-origin, cross-site']) {
        const reply = await server.send({ method, path, headers: { 'sec-fetch-site': site } })
        expect([path, site, reply.status]).toEqual([path, site, 403])
        expect(reply.text).toContain(String(reply.headers['x-request-id']))
        expect(reply.cookies).toEqual([])
      }
    }
  })

  test('/graphql/ refuses them for every method, also for the token', async () => {
    for (const path of [
      '/graphql/',
      '/graphql',
      '/graphql/csrf/',
      '/GraphQL/csrf/',
      '/graphql/?query=%7Bme%7Buid%7D%7D',
    ]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
        const reply = await server.send({ method, path, headers: { 'sec-fetch-site': 'cross-site' } })
        expect([method, path, reply.status]).toEqual([method, path, 403])
        expect(reply.headers['x-csrftoken']).toBeUndefined()
        expect(reply.headers['access-control-allow-origin']).toBeUndefined()
      }
    }
  })

  test('without Sec-Fetch-Site, the Origin decides by host and port', async () => {
    const post = (origin: string) =>
      server.send({ method: 'POST', path: '/login/', headers: { ...form, origin }, body: 'csrf=x' })
    for (const origin of ['null', 'http://evil.example', 'http://localhost', 'http://localhost:1', 'nonsense']) {
      expect([origin, (await post(origin)).status]).toEqual([origin, 403])
    }
    expect((await post(`http://localhost.evil.example:${server.port}`)).status).toBe(403)
    expect((await post(`http://${server.host('content')}`)).status).toBe(403)
    for (const origin of [
      `http://${server.host()}`,
      `http://LOCALHOST:${server.port}`,
      `http://ns.localhost:${server.port}`,
    ]) {
      expect([origin, (await post(origin)).status]).toEqual([origin, 400])
    }
  })

  test('Sec-Fetch-Site has priority over the Origin', async () => {
    const reply = await server.send({
      method: 'POST',
      path: '/login/',
      headers: { ...form, 'sec-fetch-site': 'cross-site', origin: `http://${server.host()}` },
      body: 'csrf=x',
    })
    expect(reply.status).toBe(403)
  })

  test('links on other sites open pages', async () => {
    expect((await server.send({ path: '/login/', headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200)
  })

  test('a unit on another origin gets its token and stores records, without reading a cookie', async () => {
    const browser = aBrowser(server)
    await browser.signIn(ada)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'http://elsewhere.example' }
    for (const to of ['app', 'content'] as const) {
      const host = server.host(to)
      const fetched = await browser.send({ method: 'POST', path: '/launch/fetch/unknown', to, host, headers: foreign })
      expect(JSON.parse(fetched.text)).toMatchObject({ 'error-code': expect.any(String) })
      const headers = { ...foreign, 'x-experience-api-version': '1.0.3' }
      const asked = await browser.send({ path: '/xapi/statements', to, host, headers })
      expect(asked.status).toBe(401)
      for (const reply of [fetched, asked]) {
        expect(reply.headers['access-control-allow-origin']).toBe('*')
        expect(reply.headers['access-control-allow-credentials']).toBeUndefined()
        expect(reply.cookies).toEqual([])
      }
    }
  })
})

describe('the token of forms', () => {
  const typed = { username: 'typed@titrate.example', password: 'Secret1234', terms: 'on', next: '/modules/' }

  test.each(['/login/', '/confirm-invitation/x/y/'])('%s refuses a post without a token', async (path) => {
    const browser = aBrowser(server)
    await browser.token('/login/')
    expect((await browser.post(path, typed)).status).toBe(400)
  })

  test.each(['/logout/', '/launch/', '/viewer/00000000-0000-4000-8000-000000000000/'])(
    '%s refuses a signed-in post without a token, and with that of another session',
    async (path) => {
      const browser = aBrowser(server)
      await browser.signIn(ada)
      const other = aBrowser(server)
      await other.signIn('ben@titrate.example')
      const foreign = await other.token('/home/')
      expect(foreign).not.toBe('')
      for (const csrf of ['', 'x', 'x.y', foreign]) {
        const reply = await browser.post(path, { csrf })
        expect([csrf, reply.status]).toEqual([csrf, 400])
        expect(reply.text).toContain('This page was open for too long.')
      }
      expect((await browser.send({ path: '/home/' })).status).toBe(200)
    },
  )

  test('an outdated token keeps what was typed, except the password, and the answer has a new token', async () => {
    const browser = aBrowser(server)
    await browser.token('/login/')
    const refused = await browser.post('/login/', {
      ...typed,
      csrf: 'stale.token',
      username: ada,
      password: testPassword,
    })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(ada)
    expect(refused.text).not.toContain(testPassword)
    const again = { ...typed, csrf: tokenIn(refused.text), username: ada, password: testPassword }
    expect((await browser.post('/login/', again)).headers.location).toBe('/modules/')
  })

  test('a token from before sign-in does not open pages behind it', async () => {
    const browser = aBrowser(server)
    const before = await browser.token('/login/')
    await browser.signIn(ada)
    expect((await browser.post('/logout/', { csrf: before })).status).toBe(400)
  })

  test('each page has another token, and all tokens of a session are valid', async () => {
    const browser = aBrowser(server)
    await browser.signIn(ada)
    const [first, second] = [await browser.token('/home/'), await browser.token('/home/')]
    expect(first).not.toBe(second)
    expect((await browser.post('/logout/', { csrf: first })).headers.location).toBe('/login/')
  })

  test('GraphQL requires it in a header', async () => {
    const browser = aBrowser(server)
    const body = JSON.stringify({ query: '{ me { uid } }' })
    const ask = (headers: Record<string, string> = {}) =>
      browser.send({
        method: 'POST',
        path: '/graphql/',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
    expect((await ask()).status).toBe(403)
    const token = String((await browser.send({ path: '/graphql/csrf/' })).headers['x-csrftoken'])
    expect((await ask({ 'x-csrftoken': `${token}x` })).status).toBe(403)
    expect((await ask({ 'x-csrftoken': token })).status).toBe(200)
  })

  test('a body that is not a form is refused like one without a token', async () => {
    const browser = aBrowser(server)
    await browser.token('/login/')
    for (const [type, body] of [
      ['application/json', '{}'],
      ['text/plain', 'x'],
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=b', '--b\r\nnonsense'],
    ] as const) {
      const reply = await browser.send({ method: 'POST', path: '/login/', body, headers: { 'content-type': type } })
      expect([type, reply.status]).toEqual([type, 400])
    }
  })
})

describe('sessions', () => {
  const session = 'titrate_session'

  test('pages without a form set no cookie; a form sets its own; signing in sets the session cookie', async () => {
    for (const path of ['/terms/', '/healthz', '/nowhere/', '/module-exit/x/', '/home/', '/graphql/']) {
      expect([path, (await server.send({ path })).cookies]).toEqual([path, []])
    }
    const browser = aBrowser(server)
    await browser.token('/login/')
    expect([...browser.jar.keys()]).toEqual(['titrate_form'])
    const { cookies } = await browser.signIn(ada)
    expect([...browser.jar.keys()]).toEqual([session, 'titrate_browser'])
    expect(cookies.find((cookie) => cookie.startsWith(session))).toMatch(
      /^titrate_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  test('each sign-in makes a new id and ends the one before', async () => {
    const browser = aBrowser(server)
    browser.jar.set(session, 'chosen-by-somebody-else')
    await browser.signIn(ada)
    const first = browser.jar.get(session) ?? ''
    expect(first).not.toBe('chosen-by-somebody-else')
    const token = await browser.token('/home/')
    await browser.post('/login/', { csrf: token, username: ada, password: testPassword, terms: 'on', next: '' })
    const second = browser.jar.get(session) ?? ''
    expect(second).not.toBe(first)
    const statusOf = async (id: string) =>
      (await server.send({ path: '/home/', headers: { cookie: `${session}=${id}` } })).status
    expect([await statusOf(first), await statusOf(second)]).toEqual([302, 200])
  })

  test('signing out ends the session, also for a copy of its cookie', async () => {
    const browser = aBrowser(server)
    await browser.signIn(ada)
    const cookie = `${session}=${browser.jar.get(session)}`
    const reply = await browser.post('/logout/', { csrf: await browser.token('/home/') })
    expect(reply.cookies).toEqual(['titrate_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
    expect((await server.send({ path: '/home/', headers: { cookie } })).headers.location).toContain('/login/')
  })

  test('a session of the other site is signed out here, also in GraphQL', async () => {
    const browser = aBrowser(server, { host: `ns.localhost:${server.port}` })
    await browser.signIn('nia@titrate.example')
    expect((await browser.send({ path: '/home/' })).status).toBe(200)
    expect((await browser.send({ path: '/home/', host: server.host() })).status).toBe(302)
    const token = String((await browser.send({ path: '/graphql/csrf/', host: server.host() })).headers['x-csrftoken'])
    const me = await browser.send({
      method: 'POST',
      path: '/graphql/',
      host: server.host(),
      headers: { 'content-type': 'application/json', 'x-csrftoken': token },
      body: JSON.stringify({ query: '{ me { uid } }' }),
    })
    expect(JSON.parse(me.text).data.me).toBeNull()
  })

  test('the right password on the other site’s host is answered like a wrong one', async () => {
    const answer = async (username: string, password: string) => {
      const browser = aBrowser(server)
      const reply = await browser.post('/login/', {
        csrf: await browser.token('/login/'),
        username,
        password,
        terms: 'on',
      })
      return [reply.status, /The email address or password is incorrect\./.test(reply.text), [...browser.jar.keys()]]
    }
    const wrong = [400, true, ['titrate_form']]
    expect(await answer('nia@titrate.example', testPassword)).toEqual(wrong)
    expect(await answer(ada, 'Wrong12345')).toEqual(wrong)
    expect(await answer('nobody@titrate.example', testPassword)).toEqual(wrong)
  })

  test('if a cookie is sent twice, neither one counts', async () => {
    const browser = aBrowser(server)
    await browser.signIn(ada)
    const own = `${session}=${browser.jar.get(session)}`
    for (const cookie of [`${session}=x; ${own}`, `${own}; ${session}=x`, `${own}; ${session} =x`, `${own};${own}`]) {
      const reply = await server.send({ path: '/home/', headers: { cookie } })
      expect([cookie.length, reply.status]).toEqual([cookie.length, 302])
    }
    expect((await server.send({ path: '/home/', headers: { cookie: `a=1; ${own}; b=2` } })).status).toBe(200)
  })
})
