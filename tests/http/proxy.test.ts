import { beforeAll, describe, expect, test } from 'vitest'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, startServer, type TestServer } from '../support/http.ts'

/** A proxy on this machine ends TLS: `npm start` behind nginx, with content on its own address. */
const learn = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'learn.example.org' }
let server: TestServer

beforeAll(async () => {
  const settings = {
    TRUST_PROXY: 'loopback',
    SITE_ORIGIN: 'https://learn.example.org',
    NS_SITE_ORIGIN: 'https://ns.example.org',
    NS_HOST_SUFFIXES: 'ns.example.org',
    CONTENT_ORIGIN: 'https://*.content.example.net',
    ASSET_ORIGIN: 'https://assets.example.net',
  }
  server = await startServer(settings, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'ada@titrate.example' })
    await close()
  })
})

describe('on https', () => {
  test('cookies are bound to this host and to TLS', async () => {
    const browser = aBrowser(server, { headers: learn })
    const form = await browser.send({ path: '/login/' })
    expect(form.cookies.join()).toMatch(
      /^__Host-titrate_form=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const { cookies } = await browser.signIn('ada@titrate.example')
    expect(cookies.find((cookie) => cookie.includes('session'))).toMatch(
      /^__Host-titrate_session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect((await browser.send({ path: '/home/' })).status).toBe(200)
  })

  test('L-246 scripts, but no style sheets, come from the host of the assets, which the policy allows', async () => {
    const browser = aBrowser(server, { headers: learn })
    const page = await browser.send({ path: '/login/' })
    const scripts = [...page.text.matchAll(/["'](\S*\/assets\/[\w.-]+\.js)["']/g)].map(([, address = '']) => address)
    expect(scripts.length).toBeGreaterThan(3)
    for (const script of scripts) expect(script).toMatch(/^https:\/\/assets\.example\.net\/assets\//)
    expect(page.headers['content-security-policy']).toMatch(/script-src 'self' https:\/\/assets\.example\.net 'nonce-/)
    const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? []
    expect(sheet).toMatch(/^\/assets\/[\w.-]+\.css$/)
    const script = await server.send({ path: new URL(scripts[0] ?? '').pathname, headers: learn })
    expect([script.status, script.headers['access-control-allow-origin']]).toEqual([200, '*'])
    expect(script.headers['cross-origin-resource-policy']).toBe('cross-origin')
  })

  test('a cookie with the plain name, which anybody could plant, is ignored', async () => {
    const browser = aBrowser(server, { headers: learn })
    await browser.signIn('ada@titrate.example')
    const id = browser.jar.get('__Host-titrate_session') ?? ''
    const home = (cookie: string) => server.send({ path: '/home/', headers: { ...learn, cookie } })
    expect((await home(`titrate_session=${id}`)).status).toBe(302)
    expect((await home(`titrate_session=planted; __Host-titrate_session=${id}`)).status).toBe(200)
  })

  test('a proxy that does not mention TLS does not change that', async () => {
    const { cookies } = await server.send({ path: '/login/', host: 'learn.example.org' })
    expect(cookies.join()).toMatch(/^__Host-titrate_form=[^;]+; .*Secure/)
  })

  test.each([
    ['/terms/', learn],
    ['/nowhere/', learn],
    ['/home.data', learn],
    ['/brand/ns.svg', learn],
    ['/graphql/', learn],
    ['/xapi/about', learn],
    ['/files/x', learn],
    ['/%ff', learn],
    ['/healthz', learn],
    ['/nothing', { ...learn, 'x-forwarded-host': 'content.example.net' }],
    ['/terms/', { ...learn, 'x-forwarded-host': 'evil.example' }],
  ])('%s tells browsers to come back only by https', async (path, headers) => {
    const reply = await server.send({ path, headers })
    expect(reply.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  })

  test('signing out clears what the browser stored for the site, by the page and by GraphQL', async () => {
    const browser = aBrowser(server, { headers: learn })
    await browser.signIn('ada@titrate.example')
    const out = await browser.post('/logout/', { csrf: await browser.token('/home/') })
    expect([out.headers.location, out.headers['clear-site-data']]).toEqual(['/login/', '"storage"'])
    await browser.signIn('ada@titrate.example')
    const token = String((await browser.send({ path: '/graphql/csrf/' })).headers['x-csrftoken'])
    const headers = { 'content-type': 'application/json', 'x-csrftoken': token }
    const body = JSON.stringify({ query: 'mutation { logout { status } }' })
    const answer = await browser.send({ method: 'POST', path: '/graphql/', headers, body })
    expect(answer.headers['clear-site-data']).toBe('"storage"')
    expect((await browser.send({ path: '/login/' })).headers['clear-site-data']).toBeUndefined()
  })

  test('the origin of a site is its own, also behind the proxy', async () => {
    const post = (origin: string) =>
      server.send({ method: 'POST', path: '/login/', headers: { ...learn, origin }, body: '' })
    expect((await post('https://learn.example.org')).status).toBe(400)
    expect((await post('https://learn.example.org:8443')).status).toBe(403)
    expect((await post('https://content.example.net')).status).toBe(403)
    expect((await post(`http://${server.host()}`)).status).toBe(403)
  })
})

describe('the host that the proxy forwards', () => {
  test('chooses the site', async () => {
    for (const [host, brand] of [
      ['ns.example.org', 'ns'],
      ['NS.example.org:443', 'ns'],
      ['learn.example.org', 'titrate'],
      ['localhost:3000', 'titrate'],
    ]) {
      const { text } = await server.send({ path: '/terms/', headers: { ...learn, 'x-forwarded-host': host ?? '' } })
      expect([host, /data-brand="(\w+)"/.exec(text)?.[1]]).toEqual([host, brand])
    }
  })

  test('is refused if it is not a host of a site', async () => {
    for (const host of ['a b', 'x:99999', '<b>', 'a/b']) {
      expect([host, (await server.send({ path: '/terms/', headers: { 'x-forwarded-host': host } })).status]).toEqual([
        host,
        400,
      ])
    }
  })

  test('is refused if nothing is served under it', async () => {
    for (const host of ['xns.example.org', 'example.org', 'x.learn.example.org']) {
      expect([
        host,
        (await server.send({ path: '/terms/', headers: { ...learn, 'x-forwarded-host': host } })).status,
      ]).toEqual([host, 421])
    }
  })

  test.each(['x.content.example.net', 'X.CONTENT.example.net', 'x.content.example.net:443', 'content.example.net.'])(
    '%s is a content host: no page, no cookie, no API',
    async (host) => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': host }
      for (const path of ['/', '/login/', '/home/', '/graphql/csrf/', '/brand/ns.svg', '/readyz', '/dashboard/']) {
        const reply = await server.send({ path, headers })
        expect([path, reply.status, reply.cookies]).toEqual([path, 404, []])
        expect(reply.headers['content-security-policy']).toBe(
          "frame-ancestors 'self' https://learn.example.org https://ns.example.org",
        )
      }
      expect((await server.send({ path: '/xapi/about', headers })).status).toBe(200)
    },
  )
})

test('the policy of pages names the content origin', async () => {
  const policy = String((await server.send({ path: '/terms/', headers: learn })).headers['content-security-policy'])
  expect(policy).toContain("frame-src 'self' https://*.content.example.net")
  expect(policy).toContain("img-src 'self' data: blob: https:;")
})
