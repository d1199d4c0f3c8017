/** `/client-error/` as a browser or anything else may call it: what reaches the log and what does not. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../support/context.ts'
import { aBrowser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer({}, async (url) => (await openTestDatabase(url)).close())
})

const report = { kind: 'error', message: 'TypeError: x is undefined', path: '/modules/', build: 'abc' }

function sendReport(body: unknown, headers: Record<string, string> = {}, path = '/client-error/') {
  return aBrowser(server).send({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function lineOf(body: object): Promise<Record<string, unknown> | undefined> {
  const before = server.logLines().length
  expect((await sendReport(body)).status).toBe(204)
  const find = () =>
    server
      .logLines()
      .slice(before)
      .find(({ msg }) => msg === 'client error')
  await expect.poll(find).toBeDefined()
  return find()
}

// L-248: docs/decisions/010 says why there is a reporter of our own, without traces and replays.
test('a report is one line of the log, with the route and without personal data', async () => {
  const line = await lineOf({
    kind: 'error',
    message: 'Failed at https://a.example/modules/?token=secret for ada@titrate.example\nnext',
    stack: 'Error\n    at f (https://a.example/assets/root-1.js?v=1:2:3)\u0000',
    path: '/modules/0b5a1c9e-6f0b-4a53-9d8e-2f7c1e3f4a5b/',
    build: 'abc',
    request: 'r-1',
    name: 'Ada',
  })
  expect(line).toMatchObject({
    level: 40,
    kind: 'error',
    message: 'Failed at https://a.example/modules/ for :mail\nnext',
    stack: 'Error\n    at f (https://a.example/assets/root-1.js:2:3) ',
    route: '/modules/:id/',
    build: 'abc',
    failed: 'r-1',
  })
  expect(line).not.toHaveProperty('name')
})

test('L-260 A-265 a report of a failed answer has method, route, status and attempt', async () => {
  const line = await lineOf({ kind: 'answer', message: 'GET /modules/Ada.data', path: '/x/', status: 503, attempt: 2 })
  expect(line).toMatchObject({ message: 'GET /modules/:id', route: '/x/', status: 503, attempt: 2 })
  const forged = await lineOf({ kind: 'answer', message: 'ada@titrate.example was here', path: '/x/' })
  expect(forged).toMatchObject({ message: '? was' })
})

test('long texts are cut', async () => {
  const line = await lineOf({
    ...report,
    message: 'm'.repeat(400),
    stack: 's'.repeat(9000),
    path: `/${'p'.repeat(999)}`,
  })
  expect([String(line?.message).length, String(line?.stack).length, line?.route]).toEqual([300, 2000, '/:id'])
})

test.each([
  ['no JSON', '{"kind":'],
  ['nothing', ''],
  ['a list', '[]'],
  ['an unknown kind', { ...report, kind: 'other' }],
  ['no message', { kind: 'error' }],
  ['a message that is not text', { ...report, message: {} }],
  ['a status that is not a number', { ...report, status: '503' }],
])('%s answers 400', async (_name, body) => {
  expect((await sendReport(body)).status).toBe(400)
})

test('a body that is too large is not read; another method and another path are not found', async () => {
  expect((await sendReport({ ...report, stack: 'x'.repeat(20_000) })).status).toBe(413)
  const got = await aBrowser(server).send({ path: '/client-error/' })
  expect([got.status, got.headers.allow]).toEqual([405, 'POST'])
  expect((await sendReport(report, {}, '/client-error/other/')).status).toBe(404)
})

test('another site is refused, and no cookie is required or set', async () => {
  expect((await sendReport(report, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const reply = await sendReport(report)
  expect([reply.status, reply.headers['set-cookie']]).toEqual([204, undefined])
})

describe('a browser that reports too much', () => {
  test('is asked to wait, and its reports are not logged', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 14; i++) {
      const replies = await Promise.all(Array.from({ length: 10 }, () => sendReport(report)))
      statuses.push(...replies.map(({ status }) => status))
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(20)
    expect(statuses.filter((status) => status === 204).length).toBeGreaterThan(90)
    const lines = server.logLines().filter(({ msg }) => msg === 'client error')
    expect(lines.length).toBeLessThanOrEqual(120)
  })
})
