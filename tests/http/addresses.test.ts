import net from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer
let learner: Browser

beforeAll(async () => {
  server = await startServer({ ALLOWED_HOSTS: 'learn.example.org, Intranet.example' }, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'ada@titrate.example' })
    await aUser(db, { email: 'root@titrate.example', groups: ['admins'] })
    await aUser(db, { email: 'iris@titrate.example', groups: ['authors'] })
    await close()
  })
  learner = aBrowser(server)
  await learner.signIn('ada@titrate.example')
})

/** Sends raw bytes that no client library would send. */
function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(server.port, '127.0.0.1', () => socket.end(bytes))
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    socket.once('close', () => resolve(text)).once('error', reject)
  })
}

describe('addresses that no browser sends', () => {
  const malformed = [
    '/%',
    '/%ff',
    '/modules/%ff/',
    '/modules/%ED%A0%80/',
    '/modules/%00/',
    '/viewer/x%00/check/',
    '/confirm-invitation/AAAA/%ff/',
    '/modules/?phase=%00',
    '/assets/%ff.js',
    '/\\evil.example/x',
    '/terms\\',
    '/terms/../login/',
    '/module-exit/../login/',
    '/module-exit/%2e%2E/login/',
    '/./terms/',
    '/terms/#x',
    '*',
    'http://evil.example/terms/',
    '/home/?_data=root',
    '/home.data?_data=root',
    '/terms/?x=1&%5Fdata=routes%2Fterms',
  ]

  test.each(malformed)('%s is refused, signed in or out, and logs no error', async (path) => {
    const before = server.log().length
    for (const reply of [await server.send({ path }), await learner.send({ path })]) {
      expect(reply.status).toBe(400)
      expect(reply.text).toBe(`This address is malformed. (${reply.headers['x-request-id']})`)
    }
    expect(server.log().slice(before)).not.toContain('"level":50')
  })

  test('a path of thousands of segments is refused before the router sees it, and a deep one is not found', async () => {
    expect((await server.send({ path: `/${'a/'.repeat(6000)}` })).status).toBe(400)
    expect((await server.send({ path: `/${'a/'.repeat(60)}` })).status).toBe(404)
  })

  test('unsupported methods are refused', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'LINK']) {
      expect((await server.send({ method, path: '/terms/' })).status).toBe(405)
    }
    expect(await sendBytes(`CONNECT evil.example:80 HTTP/1.1\r\nHost: ${server.host()}\r\n\r\n`)).toBe('')
  })

  test.each(['x y', 'a/../b', 'user@host', '[::1', 'localhost:99999', 'a:b', '<script>'])(
    'the host %s is refused',
    async (host) => {
      const reply = await sendBytes(`GET /terms/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect(reply).toMatch(/^HTTP\/1.1 400 /)
    },
  )

  test('a request without a host, as some load balancers send for checks, is answered', async () => {
    expect(await sendBytes('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
  })
})

test('invalid parameters of lists are not found, never an internal error', async () => {
  const admin = aBrowser(server)
  await admin.signIn('root@titrate.example')
  const cursor = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url')
  for (const after of ['x', cursor(['a\u0000', 1]), cursor(['a', 1e300]), cursor({})]) {
    expect([after, (await admin.send({ path: `/dashboard/modules-rows/?after=${after}` })).status]).toEqual([
      after,
      404,
    ])
    expect((await learner.send({ path: `/my-learning/in-progress/?after=${after}` })).status).toBe(200)
  }
  for (const page of ['0', '-1', '1e9', 'x', '99999999999999999999']) {
    expect([page, (await learner.send({ path: `/modules/?page=${page}` })).status]).toEqual([page, 200])
  }
  for (const path of [
    '/modules/?launch=x',
    '/modules/x/',
    '/viewer/x/',
    '/module-link/?module=x',
    '/module-link/?module=%ff',
  ]) {
    expect([path, (await learner.send({ path })).status]).toEqual([path, 404])
  }
})

describe('the Host header', () => {
  test.each([
    ['ns.localhost', 'ns'],
    ['NS.LocalHost:1', 'ns'],
    ['ns.localhost.:3000', 'ns'],
    ['a.ns.localhost', 'ns'],
    ['xns.localhost', 'titrate'],
    ['evil.localhost', 'titrate'],
    ['learn.example.org:3000', 'titrate'],
    ['intranet.example', 'titrate'],
    ['192.0.2.7', 'titrate'],
    ['[::1]:3000', 'titrate'],
  ])('L-003 L-004 %s shows %s, and its name does not appear on the page', async (host, brand) => {
    const { status, text, headers } = await server.send({ path: '/login/', host })
    expect([status, /data-brand="(\w+)"/.exec(text)?.[1]]).toEqual([200, brand])
    if (host.includes('evil')) expect(text + JSON.stringify(headers)).not.toContain('evil')
  })

  test.each([
    'evil.example',
    'localhost.evil.example',
    'ns.localhost.evil.example',
    'xlocalhost',
    'learn.example.org.evil.example',
    'x.learn.example.org',
    '127.0.0.1.evil.example',
    '127.1',
  ])('%s is none of ours: nothing but health is served under it', async (host) => {
    for (const path of ['/login/', '/', '/brand/ns.svg', '/graphql/csrf/', '/xapi/about', '/home.data']) {
      const { status, text, cookies } = await learner.send({ path, host })
      expect([path, status, cookies]).toEqual([path, 421, []])
      expect(text).toMatch(
        /^Titrate is not served under this host name; its operator can add the name to ALLOWED_HOSTS\. \(/,
      )
    }
    for (const path of ['/healthz', '/readyz']) expect((await server.send({ path, host })).status).toBe(200)
  })

  test('two of them are refused, since a proxy may have read the other one', async () => {
    const [one, other] = [server.host(), `ns.${server.host()}`]
    const bytes = `GET /terms/ HTTP/1.1\r\nHost: ${one}\r\nhost: ${other}\r\nConnection: close\r\n\r\n`
    expect(await sendBytes(bytes)).toMatch(/^HTTP\/1.1 400 .*There must be one header Host\./s)
  })

  test('forwarded headers are ignored unless one of our proxies sent them', async () => {
    const headers = {
      'x-forwarded-host': 'ns.localhost:99999',
      'x-forwarded-proto': 'https',
      forwarded: 'host=ns.localhost;proto=https',
      'x-original-url': '/terms/',
    }
    const reply = await server.send({ path: '/login/', headers })
    expect([reply.status, /data-brand="(\w+)"/.exec(reply.text)?.[1]]).toEqual([200, 'titrate'])
    expect(reply.cookies.join()).toMatch(/^titrate_form=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
  })
})

describe('redirects stay on this site', () => {
  test.each([
    ['/terms', 308, '/terms/'],
    ['/terms?x=//evil.example', 308, '/terms/?x=//evil.example'],
    ['//login', 302, '/login/'],
    ['///login/?next=/modules/', 302, '/login/?next=/modules/'],
    ['/%5cevil.example/x', 308, '/%5cevil.example/x/'],
    ['/%2f%2fevil', 308, '/%2f%2fevil/'],
    ['/lms/m/module_link/?module=Dose', 302, '/module-link/?module=Dose'],
    ['/module-link/?module=Dose', 302, '/login/?next=%2Fmodule-link%2F%3Fmodule%3DDose'],
    // L-040: an answer of HTTP adds nothing to the history of the browser.
    ['/old/self-guided-learning/', 302, '/modules/'],
    ['/old/directed-learning/', 302, '/home/'],
    ['/old/video-library/', 302, '/videos/'],
    ['/old/course/anything/', 302, '/home/'],
    ['/old/terms/', 302, '/terms/'],
    ['/old/faqs/', 302, '/faq/'],
    ['/old/about-us/', 302, '/about-us/'],
    ['/old/contact-us/', 302, '/contact-us/'],
    ['/old/privacy-policy/', 302, '/privacy-policy/'],
    ['/modules/?page=2', 302, '/login/?next=%2Fmodules%2F%3Fpage%3D2'],
    ['/', 302, '/login/'],
    ['/logout/', 302, '/login/'],
  ])('L-038 L-039 L-042 L-046 L-047 %s answers %i to %s', async (path, status, location) => {
    const reply = await server.send({ path })
    expect([reply.status, reply.headers.location]).toEqual([status, location])
  })

  test.each([
    '//evil.example',
    '//evil.example/x',
    '///evil.example',
    '//evil.example/x/',
    '//login.evil',
    '/;//evil.example/',
    '/old/constructor/',
    '/old/',
    '/old/nothing/',
  ])('%s does not redirect', async (path) => {
    const reply = await server.send({ path })
    expect([reply.status, reply.headers.location]).toEqual([404, undefined])
  })

  test('a post is answered with and without the trailing slash', async () => {
    for (const path of ['/login/', '/login']) {
      expect((await server.send({ method: 'POST', path, body: '' })).status).toBe(400)
    }
  })

  const foreign = [
    'http://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '\n//evil.example',
    '/%09//../..//evil.example',
    '/..//evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    'https:evil.example',
    '///evil.example',
    '/a\u0000b',
    `/${'x'.repeat(3000)}`,
  ]

  test.each(foreign)('C-165 L-052 next=%j is not followed after sign-in, nor for a signed-in person', async (next) => {
    const stays = /^\/(?![/\\])/
    const signedIn = await aBrowser(server).signIn('ada@titrate.example', { next })
    expect(signedIn.status).toBe(302)
    expect(signedIn.headers.location).toMatch(stays)
    const query = encodeURIComponent(next)
    if (query.includes('%00')) return
    const reply = await learner.send({ path: `/login/?next=${query}` })
    expect(reply.headers.location).toMatch(stays)
    expect(reply.headers.location).not.toContain('evil.example')
    const page = await server.send({ path: `/login/?next=${query}` })
    expect(page.text).toMatch(/name="next" value=""/)
  })

  test('C-165 L-051 next is followed if it is on this site', async () => {
    const reply = await aBrowser(server).signIn('ada@titrate.example', { next: '/modules/?page=2#x' })
    expect(reply.headers.location).toBe('/modules/?page=2#x')
  })

  test('A-202 C-165 L-049 without next, signing in leads admins to the console, and authors home', async () => {
    const root = await aBrowser(server).signIn('root@titrate.example')
    const iris = await aBrowser(server).signIn('iris@titrate.example')
    expect([root.headers.location, iris.headers.location]).toEqual(['/dashboard/', '/home/'])
  })
})

test('the log contains no token, address or name from a requested address', async () => {
  const secrets = [
    '/confirm-invitation/ODdlMjI2YjctZGJiNy00NmYzLThhNzc/Vuv7zzwEmroQEkDpiazhNzNP2LuoTt5ARBpa7-Jkh1U/',
    '/launch/fetch/Vuv7zzwEmroQEkDpiazhNzNP2LuoTt5ARBpa7-Jkh1U',
    '/8e794275-aae3-4c09-98b5-0f0dbcaaa0e4/87e226b7-dbb7-46f3-8a77-e4104f5622d3/2968/abcdefGHIJklmnopQRSTuvwx/Q.html',
    '/reset/ada.okafor@titrate.example/',
    '/login/?next=/secret-query/',
    '/Okafor/',
  ]
  for (const path of secrets)
    await server.send({ path, headers: { referer: 'http://x/referred', 'user-agent': 'agent-of-ada' } })
  await aBrowser(server).signIn('ada@titrate.example')
  const lines = server.logLines()
  expect(lines.filter(({ msg }) => msg === 'request').map(({ route }) => route)).toEqual(
    expect.arrayContaining([
      '/confirm-invitation/:id/:id/',
      '/launch/fetch/:id',
      '/reset/:id/',
      '/:id/:id/:id/:id/:id',
    ]),
  )
  expect(server.log()).not.toMatch(
    /Vuv7|ODdl|87e226b7|abcdefGHIJ|okafor|ada@|secret-query|referred|agent-of|127\.0\.0\.1/i,
  )
  expect(Object.keys(lines.findLast(({ msg }) => msg === 'request') ?? {}).sort()).toEqual(
    ['durationMs', 'level', 'method', 'msg', 'queries', 'requestId', 'role', 'route', 'status', 'time'].sort(),
  )
})
