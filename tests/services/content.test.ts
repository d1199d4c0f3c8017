/** The content host: who gets a package's files, and how. */
import { randomUUID } from 'node:crypto'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ContentOptions, serveContentFile } from '~/edge/content.server.ts'
import { contentKeyPrefix, contentPath } from '~/services/packages/content-path.ts'
import { aStorage } from '../support/packages.ts'

const storage = aStorage()
const key = 'a key of this installation'
const contentKey = randomUUID()
const userUid = randomUUID()
const now = new Date('2026-11-21T12:00:00Z')
const week = 7 * 24 * 60 * 60 * 1000
const options: ContentOptions = {
  storage,
  key,
  now,
  moduleUid: null,
  appOrigins: ['https://learn.example.org', 'https://ns.example.org'],
  isSandboxed: false,
}

const film = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256))
const contents: Record<string, Buffer> = {
  'index.html': Buffer.from('<!doctype html><title>Unit</title>'),
  'media/film.mp4': film,
  'a b.html': Buffer.from('blank'),
  'ünï.js': Buffer.from('code'),
  '%2e.txt': Buffer.from('percent'),
  'run.exe': Buffer.from('MZ'),
  'empty.css': Buffer.alloc(0),
}

let server: Server
let current = options

beforeAll(async () => {
  for (const [name, bytes] of Object.entries(contents)) {
    await storage.write(`${contentKeyPrefix(contentKey)}${name}`, Readable.from([bytes]), { maxBytes: 10_000 })
  }
  server = createServer((req, res) => void serveContentFile(req, res, current))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const base = () => contentPath(key, { contentKey, userUid, now, moduleUid: null })

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (res) => {
      const parts: Buffer[] = []
      res.on('data', (part: Buffer) => parts.push(part))
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(parts) }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function withOptions<T>(changes: Partial<ContentOptions>, work: () => Promise<T>): Promise<T> {
  current = { ...options, ...changes }
  try {
    return await work()
  } finally {
    current = options
  }
}

test('a file has its type, can be framed by the app, is cached permanently, and sets no cookie', async () => {
  const { status, headers, body } = await get(`${base()}index.html?endpoint=x`, { cookie: 'titrate_session=secret' })
  expect(status).toBe(200)
  expect(body).toEqual(contents['index.html'])
  expect(headers).toMatchObject({
    'content-type': 'text/html',
    'content-length': String(contents['index.html']?.length),
    'content-security-policy': "frame-ancestors 'self' https://learn.example.org https://ns.example.org",
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=1209600, immutable',
  })
  expect(headers['set-cookie']).toBeUndefined()
})

test.each([
  ['media/film.mp4', 'video/mp4'],
  ['%C3%BCn%C3%AF.js', 'text/javascript; charset=utf-8'],
  ['u%CC%88ni%CC%88.js', 'text/javascript; charset=utf-8'],
  ['a%20b.html', 'text/html'],
  ['%252e.txt', 'text/plain; charset=utf-8'],
  ['run.exe', 'application/octet-stream'],
  ['empty.css', 'text/css; charset=utf-8'],
])('%s is served as %s', async (path, type) => {
  const answer = await get(base() + path)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, type])
  expect(answer.body).toEqual(contents[decodeURIComponent(path).normalize('NFC')])
})

test.each([
  ['bytes=0-99', 'bytes 0-99/1000', 0, 100],
  ['bytes=900-', 'bytes 900-999/1000', 900, 1000],
  ['bytes=-10', 'bytes 990-999/1000', 990, 1000],
  ['bytes=990-5000', 'bytes 990-999/1000', 990, 1000],
  ['bytes=-5000', 'bytes 0-999/1000', 0, 1000],
])('a range %s gets part of the file', async (range, contentRange, start, end) => {
  const { status, headers, body } = await get(`${base()}media/film.mp4`, { range })
  expect(status).toBe(206)
  expect(headers).toMatchObject({ 'content-range': contentRange, 'content-length': String(end - start) })
  expect(body).toEqual(film.subarray(start, end))
})

test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('a range %s beyond the file is 416', async (range) => {
  const { status, headers } = await get(`${base()}media/film.mp4`, { range })
  expect([status, headers['content-range']]).toEqual([416, 'bytes */1000'])
})

test.each(['bytes=0-1,5-6', 'pages=1-2', 'bytes=5-1', 'bytes=-', 'bytes=a-b'])(
  'an unsupported range %s gets the whole file',
  async (range) => {
    expect(await get(`${base()}media/film.mp4`, { range })).toMatchObject({ status: 200, body: film })
  },
)

test('a browser that has the file gets 304, and a range with another file’s tag gets the whole file', async () => {
  const path = `${base()}media/film.mp4`
  const etag = String((await get(path)).headers.etag)
  for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await get(path, { 'if-none-match': condition })
    expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, etag])
  }
  expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  expect((await get(path, { 'if-match': '"other"' })).status).toBe(412)
  expect((await get(path, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206)
  expect((await get(path, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200)
})

test('HEAD has only the headers, and other methods are refused', async () => {
  const head = await get(`${base()}media/film.mp4`, {}, 'HEAD')
  expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '1000', 0])
  const preflight = await get(`${base()}index.html`, { 'access-control-request-method': 'GET' }, 'OPTIONS')
  expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([204, 'GET, HEAD'])
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect((await get(`${base()}index.html`, {}, method)).status).toBe(405)
})

test('an address is valid for its week and the next, and stays the same all week', async () => {
  const monday = new Date(Math.floor(now.getTime() / week) * week)
  const path = contentPath(key, { contentKey, userUid, now: monday, moduleUid: null })
  expect(contentPath(key, { contentKey, userUid, now: new Date(monday.getTime() + week - 1), moduleUid: null })).toBe(
    path,
  )
  const at = (ms: number) =>
    withOptions({ now: new Date(monday.getTime() + ms) }, async () => (await get(`${path}index.html`)).status)
  expect(await at(0)).toBe(200)
  expect(await at(2 * week - 1)).toBe(200)
  expect(await at(2 * week)).toBe(404)
  expect(await at(-1)).toBe(404)
})

test('only addresses that we signed are served', async () => {
  const [, ck = '', user = '', number = '', signature = ''] = base().split('/')
  const other = randomUUID()
  const forged = [
    `/${other}/${user}/${number}/${signature}/index.html`,
    `/${ck}/${other}/${number}/${signature}/index.html`,
    `/${ck}/${user}/${Number(number) - 1}/${signature}/index.html`,
    `/${ck}/${user}/0${number}/${signature}/index.html`,
    `/${ck}/${user}/${number}/${'A'.repeat(24)}/index.html`,
    `/${ck}/${user}/${number}//index.html`,
    `/${ck.toUpperCase()}/${user}/${number}/${signature}/index.html`,
    `${contentPath('another key', { contentKey, userUid, now, moduleUid: null })}index.html`,
    '/',
    '/index.html',
    `/packages/${contentKey}/index.html`,
    base(),
    `${base()}missing.html`,
    `${base()}media`,
    `${base()}media/`,
    `${base()}Index.html`,
  ]
  for (const path of forged) {
    const answer = await get(path)
    expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 404, 'no-store'])
  }
})

test('no spelling of a path leaves the package', async () => {
  const outside = randomUUID()
  await storage.write(`${contentKeyPrefix(outside)}secret.html`, Readable.from(['secret']), { maxBytes: 100 })
  const up = [
    `../${outside}/secret.html`,
    `..%2f${outside}%2fsecret.html`,
    `%2e%2e/${outside}/secret.html`,
    `%2E%2E%2F${outside}/secret.html`,
    `..%5c${outside}%5csecret.html`,
    `media/../../${outside}/secret.html`,
    './index.html',
    'media//film.mp4',
    'index.html%00',
    'index.html%00.png',
    '%c0%ae%c0%ae/index.html',
    '%ff',
    '%',
    `${'x'.repeat(300)}.html`,
    `${'x/'.repeat(3000)}a.html`,
  ]
  for (const path of up) expect([path, await rawStatus(base() + path)]).toEqual([path, 404])
})

/** Sends the path without a client that would normalize it. */
function rawStatus(path: string): Promise<number> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    )
    let text = ''
    socket.on('data', (part) => {
      text += part
    })
    socket.on('end', () => resolve(Number(text.split(' ')[1])))
    socket.on('error', reject)
  })
}

test('a path is good on the host of its module and nowhere else', async () => {
  const [mine, other] = [randomUUID(), randomUUID()]
  const pathOn = (moduleUid: string | null) => `${contentPath(key, { contentKey, userUid, now, moduleUid })}index.html`
  const hosts = [mine, other, null]
  for (const host of hosts) {
    for (const signedFor of hosts) {
      const { status, headers } = await withOptions({ moduleUid: host }, () => get(pathOn(signedFor)))
      expect([host, signedFor, status]).toEqual([host, signedFor, host === signedFor ? 200 : 404])
      expect(headers['origin-agent-cluster']).toBe(host === null ? undefined : '?1')
    }
  }
})

test('without a content origin, each document gets a sandbox', async () => {
  const answer = await withOptions({ isSandboxed: true }, () => get(`${base()}index.html`))
  const policy = String(answer.headers['content-security-policy'])
  expect(policy).toContain('sandbox allow-scripts')
  expect(policy).not.toContain('allow-same-origin')
})

test('a visitor who leaves in the middle of a film causes no error', async () => {
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < 20; i++) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`GET ${base()}media/film.mp4 HTTP/1.1\r\nHost: x\r\n\r\n`)
        socket.destroy()
        resolve()
      })
    })
  }
  expect((await get(`${base()}index.html`)).status).toBe(200)
})
