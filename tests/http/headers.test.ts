import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { setStorage } from '~/services/storage/storage.server.ts'
import { createDatabase } from '~db/client.server.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'
import { importAndRead } from '../support/imports.ts'

let server: TestServer
let learner: Browser
let author: Browser
/** The address of a unit's first page, on the content host. */
let unit: URL

beforeAll(async () => {
  server = await startServer({}, async (url, dataDir) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'learner@titrate.example' })
    await aUser(db, { email: 'instructor@titrate.example', groups: ['learners', 'instructors'] })
    await aUser(db, { email: 'author@titrate.example', groups: ['learners', 'authors'] })
    setStorage(diskStorage(path.resolve(dataDir, 'files')))
    await importAndRead(await aContext(db, { isOperator: true }), { publish: true, chapterName: 'Screening' })
    await close()
  })
  learner = aBrowser(server)
  author = aBrowser(server)
  await learner.signIn('learner@titrate.example')
  await author.signIn('author@titrate.example')
  unit = await launch(learner)
})

async function launch(browser: Browser): Promise<URL> {
  const { text } = await browser.send({ path: '/modules/' })
  const moduleVersionUid = /name="moduleVersionUid" value="([^"]*)"/.exec(text)?.[1] ?? ''
  const started = await browser.post('/launch/', { csrf: tokenIn(text), moduleVersionUid })
  const viewer = String(started.headers.location).split('?')[0]?.replace(/\/$/, '')
  const { text: viewing } = await browser.send({ path: `${viewer}.data` })
  return new URL(/"launchUrl","([^"]+)"/.exec(viewing)?.[1] ?? 'nothing:')
}

/** What may be framed: an origin per module, and the shared one, apart from the app's cookies, for browsers that cannot resolve those. */
function contentSources(): string {
  const port = server.host('content').split(':')[1]
  return `http://*.content.localhost:${port} http://127.0.0.1:${port}`
}

function directives(policy: unknown): Record<string, string> {
  return Object.fromEntries(
    String(policy)
      .split(';')
      .map((directive) => directive.trim().split(/ (.*)/s, 2) as [string, string]),
  )
}

describe('every answer', () => {
  test.each([
    '/login/',
    '/terms',
    '/nowhere/',
    '/%ff',
    '/home/',
    '/home.data',
    '/brand/ns.svg',
    '/assets/nothing.js',
    '/healthz',
    '/readyz',
    '/graphql/',
    '/graphql/csrf/',
    '/xapi/about',
    '/xapi/statements',
    '/launch/fetch/x',
    '/module-exit/x/',
    '/covers/x/y/z.svg',
    '/dashboard/',
  ])('%s names build and request, disables sniffing, and does not name its server', async (path) => {
    const { headers } = await learner.send({ path })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'permissions-policy': expect.stringMatching(/(^|, )geolocation=\(\)(,|$)/),
      'cross-origin-resource-policy': path === '/healthz' ? 'cross-origin' : 'same-origin',
    })
    expect(headers['x-request-id']).toMatch(/^[\w-]{12}$/)
    expect(headers['x-build-number']).toMatch(/^\w+$/)
    expect(headers['x-powered-by'] ?? headers.server).toBeUndefined()
  })

  test('health contains no names, addresses or versions', async () => {
    expect((await server.send({ path: '/healthz' })).text).toBe('{"status":"ok"}')
    const ready = JSON.parse((await server.send({ path: '/readyz' })).text)
    expect(ready).toEqual({ status: 'ready', database: 'ok', storage: 'ok', contentOrigin: 'ok' })
  })
})

describe('pages', () => {
  test.each(['/terms/', '/nowhere/', '/home/', '/home.data', '/dashboard/modules/'])(
    '%s has the same policy',
    async (path) => {
      const { headers } = await author.send({ path })
      const policy = directives(headers['content-security-policy'])
      expect(policy).toMatchObject({
        'default-src': "'self'",
        'script-src': expect.stringMatching(/^'self' 'nonce-[\w+/=]{24}'$/),
        'script-src-attr': "'none'",
        'object-src': "'none'",
        'base-uri': "'none'",
        'font-src': "'self'",
        'img-src': "'self' data: blob: https: http:",
        'frame-ancestors': "'self'",
        'frame-src': `'self' ${contentSources()} https://player.vimeo.com https:`,
        'connect-src': `'self' ${contentSources()}`,
      })
      expect(headers['cross-origin-opener-policy']).toBe('same-origin-allow-popups')
      expect(headers['cache-control']).toBe('private, no-store')
      expect(headers['strict-transport-security']).toBeUndefined()
    },
  )

  test('the nonce differs each time, and every inline script has it', async () => {
    const nonces = new Set<string>()
    for (const path of ['/login/', '/login/', '/nowhere/', '/module-exit/x/']) {
      const { headers, text } = await server.send({ path })
      const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? ''
      nonces.add(nonce)
      for (const [tag] of text.matchAll(/<script\b[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`)
    }
    expect(nonces.size).toBe(4)
  })

  test('the exit page may be framed by content, and reads no cookie', async () => {
    const { headers, text, cookies, status } = await learner.send({
      path: '/module-exit/x/',
      headers: { cookie: 'titrate_session=x' },
    })
    expect([status, cookies]).toEqual([200, []])
    expect(directives(headers['content-security-policy'])['frame-ancestors']).toBe(`'self' ${contentSources()}`)
    expect(headers['cross-origin-opener-policy']).toBe('unsafe-none')
    // L-030: no other origin gets the message.
    expect(text).toContain("postMessage('Exited', location.origin)")
  })

  test('L-043 an unknown address is the 404 page, also signed out', async () => {
    for (const browser of [server, learner]) {
      expect((await browser.send({ method: 'POST', path: '/nowhere/', body: '' })).status).toBe(404)
      const { status, text } = await browser.send({ path: '/nowhere/' })
      expect(status).toBe(404)
      expect(text).toContain('Page Not Found.')
    }
  })
})

describe('guards', () => {
  const learnerPages = [
    '/home',
    '/modules',
    '/my-learning/in-progress',
    '/my-learning/completed',
    '/viewer/x',
    '/launch',
  ]
  const consolePages = ['/dashboard', '/dashboard/modules', '/dashboard/users', '/dashboard/a/b/c']

  test.each([...learnerPages, ...consolePages])(
    'A-206 %s sends signed-out visitors to sign-in, as a document and as data',
    async (path) => {
      const next = `/login/?next=${encodeURIComponent(`${path}/`)}`
      expect((await server.send({ path: `${path}/` })).headers.location).toBe(next)
      const asData = await server.send({ path: `${path}.data` })
      expect([asData.status, asData.headers.location, asData.headers['cache-control']]).toEqual([
        202,
        next,
        'private, no-store',
      ])
      expect(asData.text).not.toMatch(/"viewer",\{|csrf/)
    },
  )

  test.each(consolePages)(
    'L-219 %s answers a learner with the Access Error page and nothing of the console',
    async (path) => {
      const page = await learner.send({ path: `${path}/` })
      expect(page.status).toBe(403)
      expect(page.text).toContain('You are not currently logged in under an admin account')
      expect(page.text).not.toContain('Completions')
      expect((await learner.send({ path: `${path}.data` })).status).toBe(403)
    },
  )

  test('a refused Undo shows a message on the page that it redirects to', async () => {
    const gone = '/dashboard/modules/00000000-0000-4000-8000-000000000000/restore/'
    const csrf = await author.token('/dashboard/modules/')
    const refused = await author.post(gone, { csrf })
    expect([refused.status, refused.headers.location]).toEqual([302, '/dashboard/modules/'])
    expect((await author.send({ path: '/dashboard/modules/' })).text).toContain('Not found.')
    await author.post(gone, { csrf: 'stale' })
    expect((await author.send({ path: '/dashboard/modules/' })).text).toContain('This page was open for too long.')
  })

  test('L-257 a Save button without JavaScript says on its page that nothing was saved', async () => {
    const uid = '00000000-0000-4000-8000-000000000000'
    const from = '/modules/?page=1'
    for (const [csrf, sentence] of [
      ['stale', 'This page was open for too long.'],
      [await learner.token('/modules/'), 'Not found.'],
    ] as const) {
      const refused = await learner.post('/favourites/', { csrf, from, add: `module:${uid}` })
      expect([refused.status, refused.headers.location]).toEqual([302, from])
      expect((await learner.send({ path: from })).text).toContain(sentence)
    }
    const elsewhere = await learner.post('/favourites/', {
      csrf: 'stale',
      from: '//evil.example',
      add: `module:${uid}`,
    })
    expect(elsewhere.headers.location).toBe('/my-learning/saved/')
  })

  test('a loader that is requested alone is guarded too', async () => {
    for (const route of ['routes/dashboard.modules', 'routes/dashboard']) {
      const path = `/dashboard/modules.data?_routes=${encodeURIComponent(route)}`
      expect([route, (await learner.send({ path })).status]).toEqual([route, 403])
      expect([route, (await server.send({ path })).status]).toEqual([route, 202])
      expect([route, (await author.send({ path })).status]).toEqual([route, 200])
    }
  })

  test('sections for admins are closed to authors', async () => {
    const { status, text } = await author.send({ path: '/dashboard/users/' })
    expect(status).toBe(403)
    expect(text).toContain('Sorry, you do not have access to this page.')
  })

  test('C-016 a section whose feature is off counts as unknown', async () => {
    const { db, pool } = createDatabase({ connectionString: server.databaseUrl, poolSize: 1 })
    const turn = (isOn: boolean) =>
      db.updateTable('feature_flags').set({ is_on: isOn }).where('name', '=', 'ANNOUNCEMENTS').execute()
    const messages = async () => {
      const { status, headers } = await author.send({ path: '/dashboard/messages/' })
      return [status, headers.location]
    }
    try {
      expect(await messages()).toEqual([403, undefined])
      await turn(false)
      expect(await messages()).toEqual([302, '/dashboard/modules/'])
    } finally {
      await turn(true)
      await pool.end()
    }
  })

  test('a launch belongs to its learner', async () => {
    const other = aBrowser(server)
    await other.signIn('instructor@titrate.example')
    const uid = (await learner.send({ path: '/modules/' })).text
    const version = /name="moduleVersionUid" value="([^"]*)"/.exec(uid)?.[1] ?? ''
    const started = await learner.post('/launch/', { csrf: tokenIn(uid), moduleVersionUid: version })
    const viewer = String(started.headers.location).split('?')[0] ?? ''
    expect((await learner.send({ path: viewer })).status).toBe(200)
    expect((await other.send({ path: viewer })).status).toBe(404)
    const refused = await other.post(viewer, { csrf: await other.token('/home/') })
    expect([refused.status, refused.headers.location]).toEqual([404, undefined])
  })

  test.each(['//evil.example/', 'http://evil.example/', '/\\evil.example', '/\t/evil.example'])(
    'from=%j does not lead to another site',
    async (from) => {
      const { text } = await learner.send({ path: '/modules/' })
      const moduleVersionUid = /name="moduleVersionUid" value="([^"]*)"/.exec(text)?.[1] ?? ''
      const started = await learner.post('/launch/', { csrf: tokenIn(text), moduleVersionUid, from })
      expect(started.headers.location).toMatch(/^\/viewer\/[0-9a-f-]{36}\/\??$/)
      const viewer = `${String(started.headers.location).split('?')[0]}?from=${encodeURIComponent(from)}`
      expect((await learner.send({ path: viewer })).text).not.toContain('evil.example')
    },
  )
})

describe('the content host', () => {
  const get = (path: string, more: { method?: string; headers?: Record<string, string>; host?: string } = {}) =>
    server.send({ path, to: 'content', host: unit.host, ...more })

  test('serves package files to anybody with the address, and sets no cookie', async () => {
    const reply = await get(unit.pathname, { headers: { cookie: 'titrate_session=x' } })
    expect([reply.status, reply.cookies]).toEqual([200, []])
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'permissions-policy': expect.stringContaining('geolocation=()'),
      'content-security-policy': `frame-ancestors 'self' http://${server.host()} http://ns.${server.host()}`,
      'cache-control': 'private, max-age=1209600, immutable',
      'accept-ranges': 'bytes',
    })
    expect((await get(unit.pathname, { headers: { 'if-none-match': String(reply.headers.etag) } })).status).toBe(304)
    const part = await get(unit.pathname, { headers: { range: 'bytes=0-8' } })
    expect([part.status, part.text.length]).toEqual([206, 9])
  })

  test('the app hosts answer 404 for package files, with and without a session', async () => {
    for (const host of [server.host(), server.host('content'), `ns.${server.host()}`]) {
      expect((await learner.send({ path: unit.pathname, host })).status).toBe(404)
      expect((await server.send({ path: unit.pathname, host })).status).toBe(404)
    }
  })

  test('F1 the host of a module serves no other module, and neither does a shared host', async () => {
    const [moduleUid = '', ...rest] = unit.host.split('.')
    expect(rest.join('.')).toBe(`content.${server.host('content')}`)
    const others = ['00000000-0000-4000-8000-000000000000', 'x', `x.${moduleUid}`].map((label) =>
      [label, ...rest].join('.'),
    )
    for (const host of [...others, rest.join('.'), server.host('content'), `ns.${server.host('content')}`]) {
      expect([host, (await get(unit.pathname, { host })).status]).toEqual([host, 404])
    }
    expect((await get(unit.pathname)).status).toBe(200)
  })

  test('F1 a host of content has no pages on the app’s port either', async () => {
    const name = unit.host.split(':')[0]
    for (const host of [`${name}:${server.port}`, `content.localhost:${server.port}`, `a.${name}`]) {
      for (const path of ['/', '/login/', '/home/', '/graphql/csrf/', '/dashboard/', '/module-exit/x/', '/readyz']) {
        const reply = await learner.send({ path, host })
        expect([path, host, reply.status, reply.cookies]).toEqual([path, host, 404, []])
      }
    }
  })

  test('has no pages, whatever the host is called', async () => {
    for (const path of [
      '/',
      '/login/',
      '/home/',
      '/graphql/',
      '/graphql/csrf/',
      '/readyz',
      '/brand/ns.svg',
      '/dashboard/',
      '/module-exit/x/',
    ]) {
      for (const host of [unit.host, server.host(), 'evil.example']) {
        const reply = await get(path, { host })
        expect([path, host, reply.status, reply.cookies]).toEqual([path, host, 404, []])
      }
    }
    const healthy = await get('/healthz')
    expect(healthy.text).toBe('{"status":"ok"}')
    // Without it browsers hide the answer from the viewer, which would take the host for one that it cannot reach.
    expect(healthy.headers['cross-origin-resource-policy']).toBe('cross-origin')
    expect((await get('/xapi/about')).status).toBe(200)
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s of a file is refused', async (method) => {
    expect((await get(unit.pathname, { method })).status).toBe(405)
  })

  test('an address with any changed part is not found', async () => {
    const [, key = '', user = '', week = '', signature = '', ...rest] = unit.pathname.split('/')
    const file = rest.join('/')
    const somebody = '00000000-0000-4000-8000-000000000000'
    const changed = [
      [somebody, user, week, signature, file],
      [key, somebody, week, signature, file],
      [key, user, String(Number(week) + 1), signature, file],
      [key, user, String(Number(week) - 1), signature, file],
      [key, user, `0${week}`, signature, file],
      [key, user, week, `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`, file],
      [key, user, week, signature.slice(0, -1), file],
      [key.toUpperCase(), user, week, signature, file],
      [key, user, week, signature, ''],
      [key, user, week, signature, 'cmi5.xml/..%2f..%2fx'],
      [key, user, week, signature, `..%5c${file}`],
      [key, user, week, signature, `/${file}`],
      [key, user, week, signature, `${file};x`],
      [key, user, week, signature, `${file}%0a`],
    ]
    for (const parts of changed)
      expect([parts.at(-1), (await get(`/${parts.join('/')}`)).status]).toEqual([parts.at(-1), 404])
    for (const path of ['%2e%2e/%2e%2e/x', '../x', `${file}%00`, './x', `..\\${file}`, `${file}%ff`]) {
      expect([path, (await get(`/${key}/${user}/${week}/${signature}/${path}`)).status]).toEqual([path, 400])
    }
  })

  test('the address stays the same all week for one learner and differs between learners', async () => {
    expect((await launch(learner)).pathname).toBe(unit.pathname)
    const other = aBrowser(server)
    await other.signIn('instructor@titrate.example')
    const theirs = await launch(other)
    expect(theirs.pathname).not.toBe(unit.pathname)
    expect(theirs.pathname.split('/')[1]).toBe(unit.pathname.split('/')[1])
  })

  test('the fetch address gives its token once, to a post', async () => {
    const url = new URL((await launch(learner)).searchParams.get('fetch') ?? '')
    expect((await get(url.pathname)).status).toBe(405)
    const [first, second] = [await get(url.pathname, { method: 'POST' }), await get(url.pathname, { method: 'POST' })]
    expect(JSON.parse(first.text)).toEqual({ 'auth-token': expect.any(String) })
    expect(JSON.parse(second.text)).toMatchObject({ 'error-code': '1' })
  })
})

describe('F4 a session cookie that comes twice', () => {
  const from = '/my-learning/in-progress/'
  const twice = (browser: Browser, name = 'titrate_session') => ({
    cookie: `${name}=x; ${name}=${browser.jar.get(name)}`,
  })

  test('is removed for every path, with an explanation instead of a redirect loop, and log-in works again', async () => {
    const victim = aBrowser(server)
    await victim.signIn('instructor@titrate.example')
    const refused = await server.send({ path: `${from}?page=1`, headers: twice(victim) })
    expect(refused.status).toBe(302)
    expect(refused.headers.location).toBe(`/login/?next=${encodeURIComponent(`${from}?page=1`)}&cookie`)
    const removed = refused.cookies.filter((cookie) => /^titrate_session=; Max-Age=0; Path=/.test(cookie))
    const paths = removed.map((cookie) => /Path=([^;]*)/.exec(cookie)?.[1])
    expect(paths).toEqual(
      expect.arrayContaining(['/', '/my-learning', '/my-learning/', '/my-learning/in-progress', from]),
    )
    victim.jar.clear()
    const login = await victim.send({ path: String(refused.headers.location) })
    expect(login.text).toContain('Your browser had two log-in cookies for this site')
    expect((await victim.signIn('instructor@titrate.example', { next: from })).headers.location).toBe(from)
    expect((await victim.send({ path: from })).status).toBe(200)
  })

  test('is explained on public pages, too', async () => {
    const { status, text, cookies } = await server.send({ path: '/terms/', headers: twice(learner) })
    expect([status, text.includes('had two log-in cookies')]).toEqual([200, true])
    expect(cookies.join()).toContain('titrate_session=; Max-Age=0; Path=/terms')
  })

  test('can also be set for a domain', async () => {
    const host = `x.ns.${server.host()}`
    const { cookies } = await server.send({ path: '/', host, headers: twice(learner) })
    for (const domain of ['x.ns.localhost', 'ns.localhost'])
      expect(cookies).toContain(`titrate_session=; Max-Age=0; Path=/; Domain=${domain}`)
  })

  test('neither does the cookie of forms stop a log-in', async () => {
    const visitor = aBrowser(server)
    const form = await visitor.send({ path: '/login/', headers: { cookie: 'titrate_form=x; titrate_form=y' } })
    expect(form.cookies).toContain('titrate_form=; Max-Age=0; Path=/login')
    expect(visitor.jar.get('titrate_form')).toMatch(/./)
    const fields = {
      csrf: tokenIn(form.text),
      username: 'learner@titrate.example',
      password: 'Correct7Horse',
      terms: 'on',
    }
    expect((await visitor.post('/login/', fields)).status).toBe(302)
  })
})
