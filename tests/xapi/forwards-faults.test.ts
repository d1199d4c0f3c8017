/** Faults on the way to another record store, which lose nothing (docs/decisions/014). */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import type { Ctx } from '~/services/context.ts'
import { storage } from '~/services/storage/storage.server.ts'
import {
  createClient,
  findForwardingProblem,
  forwardStatements,
  getForwarding,
  recordStatements,
  retryForwards,
  type Statement,
} from '~/services/xapi/xapi.server.ts'
import { lockClasses } from '~db/advisory-locks.ts'
import { aContext } from '../support/context.ts'
import {
  aFaultyProxy,
  aStatement,
  forward,
  forwardTo,
  type OtherStore,
  type Received,
  startOtherStore,
  waitingIn,
} from '../support/forwarding.ts'
import { isLong } from '../support/long.ts'
import { db } from '../support/test.ts'
import { ownStorage } from '../support/uploads.ts'
import { anAttachment, sha2 } from '../support/xapi-parts.ts'

let ctx: Ctx
let other: OtherStore
const warnings: object[] = []

ownStorage()
beforeAll(async () => {
  ctx = {
    ...(await aContext(db, { isOperator: true })),
    log: { info() {}, error() {}, warn: (fields) => void warnings.push(fields) },
  }
  other = await startOtherStore()
})
afterEach(async () => {
  env().LRS_FORWARD_TIMEOUT = 30
  forwardTo(null)
  await db.deleteFrom('xapi_forwards').execute()
  await db.deleteFrom('xapi_forward_sites').execute()
  warnings.length = 0
})

const authority = { mbox: 'mailto:program@example.org' }
const record = (statements: unknown) => recordStatements(ctx, { statements, authority, version: '2.0.0' })
const many = (count: number, registration?: string) => Array.from({ length: count }, () => aStatement(registration))

async function useFaultyProxy() {
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  return proxy
}

const sentIn = ({ body }: Received) => (JSON.parse(body) as Statement[]).map(({ id }) => id as string)
const idsOf = (statements: { id?: string }[]) => statements.map(({ id }) => id as string)
const howManyThere = async (statements: { id: string }[]) =>
  (await Promise.all(statements.map(({ id }) => other.statement(id)))).filter((one) => one !== null).length

test('after a day offline, everything is sent at once, in order and once, and meanwhile there are few requests', async () => {
  const proxy = await useFaultyProxy()
  const registrations = Array.from({ length: 10 }, () => randomUUID())
  const written: { id: string; context?: { registration: string } }[] = []
  const ways = ['cut', { status: 503 }, { status: 500 }, { status: 502 }] as const
  const hours = 24
  for (let minute = 0; minute < hours * 60; minute += 5) {
    proxy.decide = () => ways[minute % ways.length] ?? 'cut'
    const news = minute % 60 === 0 ? registrations.map((one) => aStatement(one)).concat(aStatement()) : []
    if (news.length > 0) await record(news)
    written.push(...news)
    expect(await forward(ctx, { later: minute * 60 })).toBe(0)
  }
  expect(proxy.received.length).toBeLessThan((hours * 60) / 5)
  expect(await waitingIn(ctx)).toBe(written.length)
  const problem = await findForwardingProblem({ ...ctx, now: new Date(Date.now() + hours * 3_600_000) })
  expect(problem).toMatch(/^Statements of institutional have been waiting for the other record store since /)

  proxy.received.length = 0
  proxy.decide = () => 'pass'
  expect(await forward(ctx, { later: (hours + 1) * 3600 })).toBe(written.length)
  expect(await waitingIn(ctx)).toBe(0)
  expect(await findForwardingProblem(ctx)).toBeNull()
  expect(proxy.received.flatMap(sentIn).sort()).toEqual(idsOf(written).sort())
  expect(proxy.received.map((one) => sentIn(one).length).slice(0, 2)).toEqual([1, 9 + hours]) // one asks whether it is there
  for (const registration of registrations) {
    const ours = written.filter(({ context }) => context?.registration === registration)
    expect(ours).toHaveLength(hours)
    expect(idsOf(await other.statements({ registration }))).toEqual(idsOf(ours))
  }
})

test('a store that is down is asked once, one that hangs twice, and then neither for a while', async () => {
  env().LRS_FORWARD_TIMEOUT = 1
  await record(many(1))
  const proxy = await useFaultyProxy()
  await record(many(120))
  proxy.decide = () => 'hang'
  const beganAt = Date.now()
  expect(await forward(ctx)).toBe(0)
  expect(Date.now() - beganAt).toBeLessThan(10_000)
  expect(proxy.received).toHaveLength(3) // the batch, and two alone
  expect(await forward(ctx)).toBe(0)
  expect(await forward(ctx, { later: 3 })).toBe(0)
  expect(proxy.received).toHaveLength(3)
  expect((await getForwarding(ctx)).error).toBe('It did not respond in time')
  await proxy.close()
  expect(await forward(ctx, { later: 10 })).toBe(0)
  expect((await getForwarding(ctx)).error).toBe('It cannot be reached (ECONNREFUSED)')
  expect((await getForwarding(ctx)).errors).toEqual([])
  forwardTo(other)
  expect(await forward(ctx, { later: 60 })).toBe(120)
})

test('429 and 503 say when to come back', async () => {
  const proxy = await useFaultyProxy()
  await record(many(3))
  proxy.decide = () => ({ status: 429, headers: { 'retry-after': '120' } })
  expect(await forward(ctx)).toBe(0)
  expect(await forward(ctx, { later: 110 })).toBe(0)
  expect(proxy.received).toHaveLength(1)
  proxy.decide = () => ({ status: 503, headers: { 'retry-after': new Date(Date.now() + 600_000).toUTCString() } })
  expect(await forward(ctx, { later: 125 })).toBe(0)
  expect(await forward(ctx, { later: 700 })).toBe(0)
  expect(proxy.received).toHaveLength(2)
  // Whatever it says, it is asked again after an hour.
  proxy.decide = () => ({ status: 429, headers: { 'retry-after': '99999999' } })
  expect(await forward(ctx, { later: 800 })).toBe(0)
  proxy.decide = () => 'pass'
  expect(await forward(ctx, { later: 800 + 3601 })).toBe(3)
})

test('a wrong key stops everything, is logged, and loses nothing', async () => {
  forwardTo({ ...other, secret: 'wrong' })
  const statements = many(60)
  await record(statements)
  expect(await forward(ctx)).toBe(0)
  expect(warnings).toEqual([expect.objectContaining({ site: 'institutional', problem: 'HTTP 401', failures: 1 })])
  const { error, waiting, errors } = await getForwarding(ctx)
  expect([error, waiting, errors]).toEqual([expect.stringMatching(/^HTTP 401: .*not valid/), 60, []])
  forwardTo(other)
  expect(await forward(ctx)).toBe(0) // it still waits
  expect(await retryForwards(ctx)).toEqual({ waiting: 60 })
  expect(await forward(ctx)).toBe(60)
  expect(await howManyThere(statements)).toBe(60)
})

test('a key that may not write stops everything', async () => {
  const { key, secret } = await createClient(await aContext(other.db, { isOperator: true }), {
    name: 'x',
    scopes: ['statements/read'],
  })
  forwardTo({ ...other, key, secret })
  await record(many(60))
  expect(await forward(ctx)).toBe(0)
  expect(warnings).toEqual([expect.objectContaining({ problem: 'HTTP 403', failures: 1 })])
  expect(await getForwarding(ctx)).toMatchObject({ waiting: 60, errors: [] })
  forwardTo(other)
  expect(await forward(ctx, { later: 60 })).toBe(60)
})

test.each([
  ['refused', 400],
  ['too large', 413],
  ['forbidden', 403],
  ['broken by it', 500],
])('a statement that is %s (%i) delays only its own attempt, and not forever', async (_name, status) => {
  const proxy = await useFaultyProxy()
  const registration = randomUUID()
  const [bad, next] = [aStatement(registration), aStatement(registration)]
  const others = many(70)
  await record([...others.slice(0, 30), bad, next, ...others.slice(30)])
  proxy.decide = ({ body }) => (body.includes(bad.id) ? { status, body: '{"error":"not this one"}' } : 'pass')
  expect(await forward(ctx)).toBe(70)
  expect(await howManyThere(others)).toBe(70)
  expect(proxy.received.length).toBeLessThan(40)
  const tries = () => proxy.received.filter(({ body }) => body.includes(bad.id)).length
  const { error, errors } = await getForwarding(ctx)
  const expectedError = {
    statement: bad.id,
    attempts: 1,
    error: `HTTP ${status}: {"error":"not this one"}`,
    isSetAside: false,
  }
  expect([error, errors]).toEqual([null, [expect.objectContaining(expectedError)]])
  const before = tries()
  expect(await forward(ctx, { later: 20 })).toBe(0)
  expect(tries()).toBe(before)

  // Retries continue for half an hour. Later statements go through and show that only this one fails.
  const meanwhile: { id: string }[] = []
  const step = isLong ? 2 : 8
  for (let minute = step; minute <= 80; minute += step) {
    const [one] = many(1)
    meanwhile.push(one as { id: string })
    await record(one)
    await forward(ctx, { later: minute * 60 })
  }
  expect(await howManyThere(meanwhile)).toBe(meanwhile.length)
  expect(await other.statement(next.id)).not.toBeNull()
  expect(await getForwarding(ctx)).toMatchObject({ waiting: 0, setAside: 1 })
  expect(await findForwardingProblem({ ...ctx, now: new Date(Date.now() + 80 * 60_000) })).toBeNull()

  const afterHours = tries()
  expect(afterHours - before).toBeLessThan(12)
  await forward(ctx, { later: 8 * 3600 })
  expect(tries()).toBe(afterHours)
  proxy.decide = () => 'pass'
  expect(await forward(ctx, { later: 27 * 3600 })).toBe(1)
  expect(await waitingIn(ctx)).toBe(0)
})

test('the next statement shows whether the store is broken or only fails on one statement', async () => {
  const proxy = await useFaultyProxy()
  const [bad] = many(1)
  await record(bad)
  proxy.decide = ({ body }) => (body.includes(bad?.id ?? '') ? { status: 500 } : 'pass')
  expect(await forward(ctx)).toBe(0)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 1, errors: [] })
  const [good] = many(1)
  await record(good)
  expect(await forward(ctx, { later: 30 })).toBe(1)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 0, errors: [expect.objectContaining({ attempts: 1 })] })
})

test('a lost answer causes a second request, and the other store has one statement', async () => {
  const proxy = await useFaultyProxy()
  const statements = many(8)
  await record(statements)
  let lost = 0
  proxy.decide = ({ method }) => (method === 'POST' && lost++ < 1 ? 'lose the answer' : 'pass')
  expect(await forward(ctx)).toBe(8)
  expect(await howManyThere(statements)).toBe(8)
  expect(await waitingIn(ctx)).toBe(0)
})

test('a conflict with the same statement is a success, and with another statement it is not', async () => {
  const proxy = await useFaultyProxy()
  const [repeated, different] = [aStatement(), aStatement()]
  await record([repeated, different])
  const stored = new Set<string>([different.id])
  forwardTo(null)
  await fetch(`${other.url}statements`, {
    method: 'POST',
    body: JSON.stringify({ ...different, verb: { id: 'https://verbs.example/another' } }),
    headers: {
      authorization: `Basic ${Buffer.from(`${other.key}:${other.secret}`).toString('base64')}`,
      'content-type': 'application/json',
      'x-experience-api-version': '2.0.0',
    },
  })
  forwardTo(proxy)
  let lost = 0
  // Some stores answer every repetition with a conflict.
  proxy.decide = (received) => {
    if (received.method !== 'POST') return 'pass'
    const ids = sentIn(received)
    if (ids.some((id) => stored.has(id))) return { status: 409 }
    for (const id of ids) stored.add(id)
    return lost++ < 1 ? 'lose the answer' : 'pass'
  }
  // The stored one gets no answer, and there is no other to compare with, so there is a short pause.
  expect(await forward(ctx)).toBe(0)
  expect(stored).toContain(repeated.id)
  expect(await forward(ctx, { later: 10 })).toBe(1)
  expect(proxy.received.filter(({ method }) => method === 'GET').length).toBeGreaterThan(1)
  expect((await other.statement(repeated.id))?.id).toBe(repeated.id)
  const { errors } = await getForwarding(ctx)
  expect(errors).toEqual([expect.objectContaining({ statement: different.id, error: 'HTTP 409' })])
})

test('the key goes to no other address, and a page that always answers 200 is not a record store', async () => {
  const strangers: string[] = []
  const stranger = createServer((req, res) => {
    strangers.push(String(req.headers.authorization))
    res.end('<h1>Welcome</h1>')
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`
  const proxy = await useFaultyProxy()
  await record(many(2))
  for (const status of [301, 302, 307, 308]) {
    proxy.decide = () => ({ status, headers: { location: elsewhere } })
    await retryForwards(ctx)
    expect(await forward(ctx)).toBe(0)
    expect((await getForwarding(ctx)).error).toMatch(new RegExp(`^HTTP ${status}: `))
  }
  expect(strangers).toEqual([])
  await retryForwards(ctx)
  forwardTo({ ...other, url: elsewhere })
  expect(await forward(ctx)).toBe(0)
  expect(strangers).toHaveLength(1)
  expect((await getForwarding(ctx)).error).toContain('not the list of ids')
  for (const body of ['[]', '{}', 'null', '["x","y"]', '']) {
    proxy.decide = () => ({ status: 200, body })
    forwardTo(proxy)
    await retryForwards(ctx)
    expect(await forward(ctx)).toBe(0)
  }
  expect(await waitingIn(ctx)).toBe(2)
  stranger.closeAllConnections()
  stranger.close()
})

test('an endless answer is not read to its end', async () => {
  let written = 0
  const endless = createServer((_req, res) => {
    res.writeHead(400)
    const more = () => {
      while (!res.destroyed && written < 1e9 && res.write(Buffer.alloc(65536, 'x'))) written += 65536
    }
    res.on('drain', more)
    more()
  })
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
  forwardTo({ ...other, url: `http://127.0.0.1:${(endless.address() as AddressInfo).port}/` })
  await record(many(1))
  await forward(ctx)
  expect(written).toBeLessThan(50_000_000)
  expect((await getForwarding(ctx)).errors[0]?.error.length).toBeLessThan(600)
  endless.closeAllConnections()
  endless.close()
})

test('a worker that loses its database while sending loses nothing, and its statements are stored once', async () => {
  const proxy = await useFaultyProxy()
  const statements = many(30)
  await record(statements)
  proxy.decide = async (): Promise<'pass'> => {
    await sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and classid = ${lockClasses.forwarding} and database = (
        select oid from pg_database where datname = current_database())`.execute(db)
    await sleep(50)
    return 'pass'
  }
  await expect(forward(ctx)).rejects.toThrow()
  expect(await howManyThere(statements)).toBe(30)
  expect(await waitingIn(ctx)).toBe(30)
  proxy.decide = () => 'pass'
  expect(await forward(ctx)).toBe(30)
  expect(await waitingIn(ctx)).toBe(0)
  expect(await howManyThere(statements)).toBe(30)
})

test('a statement that was deleted here delays nothing', async () => {
  await useFaultyProxy()
  const registration = randomUUID()
  const [gone, next] = [aStatement(registration), aStatement(registration)]
  await record([gone, next])
  await db.deleteFrom('xapi_statements').where('statement_id', '=', gone.id).execute()
  expect(await forward(ctx)).toBe(1)
  expect(await other.statement(next.id)).not.toBeNull()
  expect(await waitingIn(ctx)).toBe(0)
})

test('attachments that were lost here affect only their own statement', async () => {
  await useFaultyProxy()
  const bytes = Buffer.from('lost')
  const registration = randomUUID()
  const statement = { ...aStatement(registration), attachments: [anAttachment(bytes)] }
  const attachments = [{ sha2: sha2(bytes), contentType: 'text/plain', bytes }]
  await recordStatements(ctx, { statements: statement, attachments, authority, version: '2.0.0' })
  const [later, apart] = [aStatement(registration), aStatement()]
  await record([later, apart])
  const { key } = await db.selectFrom('xapi_attachments').select('storage_key as key').executeTakeFirstOrThrow()
  await storage().delete(key)
  expect(await forward(ctx)).toBe(1)
  expect((await getForwarding(ctx)).errors).toEqual([expect.objectContaining({ statement: statement.id })])
  expect([await other.statement(later.id), await other.statement(apart.id)]).toEqual([null, expect.anything()])
})

test('a process that is asked to stop ends at once, and counts no failure', async () => {
  const proxy = await useFaultyProxy()
  await record(many(3))
  const stop = new AbortController()
  proxy.decide = () => {
    stop.abort()
    return 'hang'
  }
  await sleep(3)
  const { sent } = await forwardStatements({ ...ctx, now: new Date() }, { signal: stop.signal })
  expect(sent).toBe(0)
  expect(await getForwarding(ctx)).toMatchObject({ waiting: 3, failures: 0, errors: [] })
  proxy.decide = () => 'pass'
  expect(await forward(ctx)).toBe(3)
})
