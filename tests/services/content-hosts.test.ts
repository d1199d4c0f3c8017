/** Where content is served, for each way to install: one origin per module where that is possible. */
import { afterEach, expect, test } from 'vitest'
import {
  contentModuleOf,
  contentPlaceOf,
  contentProblem,
  contentSources,
  fallbackPlaceOf,
  isContentHost,
  isHostOfFiles,
  isOwnAddress,
} from '~/config/content.server.ts'
import { env, parseEnv } from '~/config/env.server.ts'

const before = { ...env() }
afterEach(() => {
  Object.assign(env(), { CONTENT_ORIGIN: undefined, CONTENT_ISOLATION: 'origin' }, before)
})

const uid = '01234567-89ab-4def-8123-456789abcdef'
const both = (SITE_ORIGIN: string, more: object = {}) =>
  Object.assign(env(), { SITE_ORIGIN, NS_SITE_ORIGIN: SITE_ORIGIN, ...more })

test.each(['http://localhost:3000', 'http://ns.localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
  'on %s each module has an origin below localhost, and browsers that cannot resolve it share one',
  (baseUrl) => {
    both(baseUrl)
    const place = { origin: `http://${uid}.content.localhost:3001`, moduleUid: uid }
    expect(contentPlaceOf({ baseUrl }, uid)).toEqual(place)
    // Cookies know no ports, so the shared origin has another host name than the sites.
    const shared = baseUrl.includes('localhost') ? 'http://127.0.0.1:3001' : 'http://localhost:3001'
    expect(fallbackPlaceOf({ baseUrl })).toEqual({ origin: shared, moduleUid: null })
    expect(contentSources()).toEqual(['http://*.content.localhost:3001', shared])
    expect(contentProblem()).toBeNull()
  },
)

test('without a host name that no site has, there is no shared origin', () => {
  Object.assign(env(), { SITE_ORIGIN: 'http://127.0.0.1:3000', NS_SITE_ORIGIN: 'http://localhost:3000' })
  expect(fallbackPlaceOf({ baseUrl: 'http://localhost:3000' })).toBeNull()
  expect(contentSources()).toEqual(['http://*.content.localhost:3001'])
  env().NS_SITE_ORIGIN = 'http://ns.localhost:3000'
  for (const baseUrl of ['http://127.0.0.1:3000', 'http://ns.localhost:3000'])
    expect(fallbackPlaceOf({ baseUrl })?.origin).toBe('http://localhost:3001')
})

test.each([
  ['http://localhost:3000', undefined, ['127.0.0.1:3001'], ['localhost:3001', 'ns.localhost:3001', '[::1]:3001']],
  ['http://127.0.0.1:3000', undefined, ['localhost:3001'], ['127.0.0.1:3001', '127.0.0.2:3001', '[::1]:3001']],
  ['http://192.168.1.5:3000', undefined, ['192.168.1.5:3001'], ['localhost:3001', '127.0.0.1:3001']],
  ['http://a.lan', 'http://b.lan:8080', ['b.lan:8080', 'b.lan'], ['a.lan:8080', '10.0.0.1:3001', 'x.b.lan:8080']],
  ['http://a.lan', 'http://*.b.lan', [`${uid}.b.lan`], ['b.lan', 'x.b.lan', 'a.lan:3001', 'localhost:3001', '']],
])('with the site at %s and content at %s, only %j have files', (baseUrl, set, having, others) => {
  both(baseUrl, { CONTENT_ORIGIN: set })
  expect([...having, ...others].filter(isHostOfFiles)).toEqual(having)
})

test('with a wildcard each module has an origin, wherever the app is', () => {
  for (const baseUrl of ['https://learn.example.org', 'http://localhost:3000']) {
    both(baseUrl, { CONTENT_ORIGIN: 'https://*.content.example.net' })
    const place = { origin: `https://${uid}.content.example.net`, moduleUid: uid }
    expect([contentPlaceOf({ baseUrl }, uid), fallbackPlaceOf({ baseUrl })]).toEqual([place, null])
    expect(contentSources()).toEqual(['https://*.content.example.net'])
    expect(contentProblem()).toBeNull()
  }
})

test.each([
  ['http://192.168.1.5:3000', undefined, 'http://192.168.1.5:3001'],
  ['http://[fd00::5]:3000', undefined, 'http://[fd00::5]:3001'],
  ['http://learn.lan', 'http://learn.lan:8080', 'http://learn.lan:8080'],
])('on %s with %s modules share an origin on the app’s host name, and the operator is told', (baseUrl, set, origin) => {
  both(baseUrl, { CONTENT_ORIGIN: set })
  expect([contentPlaceOf({ baseUrl }, uid), fallbackPlaceOf({ baseUrl })]).toEqual([{ origin, moduleUid: null }, null])
  expect(contentProblem()).toMatch(/^Content is less isolated: .*overwrite its cookies\.$/)
})

test('one content host is shared but keeps away from cookies; a sandbox shares nothing; https without one opens nothing', () => {
  const baseUrl = 'https://learn.example.org'
  both(baseUrl, { CONTENT_ORIGIN: 'https://content.example.net' })
  expect(contentProblem()).toMatch(/^Content is less isolated: .*Set CONTENT_ORIGIN to a wildcard/)
  expect(contentProblem()).not.toContain('cookies')
  env().CONTENT_ISOLATION = 'sandbox'
  expect(contentProblem()).toBeNull()
  env().CONTENT_ORIGIN = undefined
  expect(contentPlaceOf({ baseUrl }, uid)).toBeNull()
  expect(contentProblem()).toContain('Modules cannot be opened yet')
})

test('a host of content belongs to one module, and every name below it is content', () => {
  both('https://learn.example.org', { CONTENT_ORIGIN: 'https://*.content.example.net' })
  for (const host of [`${uid}.content.example.net`, `${uid}.content.example.net:8443`]) {
    expect([contentModuleOf(host), isContentHost(host)]).toEqual([uid, true])
  }
  const others = [`x.${uid}.content.example.net`, `${uid}x.content.example.net`, 'login.content.example.net']
  for (const host of [...others, 'content.example.net', '.content.example.net']) {
    expect([host, contentModuleOf(host), isContentHost(host)]).toEqual([host, null, true])
  }
  for (const host of [`${uid}.example.net`, `${uid}-content.example.net`, 'learn.example.org', `${uid}.evil.example`]) {
    expect([host, contentModuleOf(host), isContentHost(host)]).toEqual([host, null, false])
  }
})

test('no spelling of this machine is an address for a unit, on our ports', () => {
  const hosts = [
    'localhost',
    'a.localhost',
    'localhost.',
    '127.0.0.1',
    '127.1',
    '127.9.9.9',
    '0.0.0.0',
    '0',
    '2130706433',
  ]
  for (const host of [...hosts, '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0.0.0.0]']) {
    const addresses = ['3000/x', '3001/x', '9/x'].map((rest) => `http://${host}:${rest}`)
    expect([host, addresses.map(isOwnAddress)]).toEqual([host, [true, true, false]])
  }
  for (const host of ['192.0.2.1', '[2001:db8::1]', '[::2]', 'units.example'])
    expect([host, isOwnAddress(`http://${host}:3000/`)]).toEqual([host, false])
})

test('names that show the app, and all below them, are no addresses for a unit', () => {
  const SITE_ORIGIN = 'https://learn.example.org'
  both(SITE_ORIGIN, { ALLOWED_HOSTS: ['intranet.example'], NS_HOST_SUFFIXES: ['ns.example.org'] })
  const named = [
    'intranet.example',
    'a.intranet.example:8443',
    'INTRANET.example.',
    'ns.example.org',
    'a.ns.example.org',
  ]
  for (const host of [
    ...named,
    'learn.example.org',
    'learn.example.org:3000',
    'learn.example.org:3001',
    '127.0.0.1:3000',
  ])
    expect([host, isOwnAddress(`https://${host}/logout/`)]).toEqual([host, true])
  for (const host of ['xintranet.example', 'example', 'intranet.example.net', 'example.org', 'units.example.org'])
    expect([host, isOwnAddress(`https://${host}/`)]).toEqual([host, false])
  both('http://localhost')
  expect(['http://127.0.0.1/', 'http://[::]/', 'https://127.0.0.1/'].map(isOwnAddress)).toEqual([true, true, false])
})

test('content never takes a host of the app', () => {
  const parse = (variables: Record<string, string>) => () => parseEnv({ DATABASE_URL: 'postgres://x/y', ...variables })
  const https = { SITE_ORIGIN: 'https://learn.example.org', NS_SITE_ORIGIN: 'https://ns.example.org' }
  for (const CONTENT_ORIGIN of ['https://learn.example.org', 'https://*.example.org', 'https://*.learn.example.org']) {
    expect(parse({ ...https, CONTENT_ORIGIN })).toThrow(/^SITE_ORIGIN must not be on a host of content, which are /)
  }
  expect(parse({ SITE_ORIGIN: 'http://x.content.localhost:3000' })).toThrow(/^SITE_ORIGIN must not be/)
  expect(parse({ ...https, CONTENT_ORIGIN: 'https://ns.example.org/' })).toThrow(/^NS_SITE_ORIGIN must not be/)
  for (const CONTENT_ORIGIN of ['https://*', 'https://a.*.example.net', '*.example.net', 'https://*.example.net/x']) {
    expect(parse({ ...https, CONTENT_ORIGIN })).toThrow(/^CONTENT_ORIGIN must be an origin such as/)
  }
  const good = 'https://*.Content.example.net/'
  expect(parse({ ...https, CONTENT_ORIGIN: good })()).toMatchObject({ CONTENT_ORIGIN: 'https://*.content.example.net' })
})
