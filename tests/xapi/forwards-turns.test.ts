/**
 * The order and duration of turns at another record store; no statement waits behind one that cannot be sent (decision
 * 014).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import { getForwarding, queueForwarding, recordStatements, type Statement } from '~/services/xapi/xapi.server.ts'
import { aContext } from '../support/context.ts'
import {
  aFaultyProxy,
  forward,
  forwardTo,
  type OtherStore,
  type Received,
  startOtherStore,
  waitingIn,
} from '../support/forwarding.ts'
import { db } from '../support/test.ts'

let ctx: Ctx
let ns: Ctx
let other: OtherStore

beforeAll(async () => {
  ctx = await aContext(db, { isOperator: true })
  ns = await aContext(db, { site: 'ns', isOperator: true })
  other = await startOtherStore()
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const site of ['institutional', 'ns'] as const) forwardTo(null, site)
  await db.deleteFrom('xapi_forwards').execute()
  await db.deleteFrom('xapi_forward_sites').execute()
  await sql`
    select graphile_worker.remove_job(key) from graphile_worker.jobs where task_identifier = 'forward-statements'`.execute(
    db,
  )
})

const authority = { mbox: 'mailto:program@example.org' }
const aStatement = (more: object = {}) => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:a@example.org' },
  verb: { id: 'https://verbs.example/did' },
  object: { id: 'https://activities.example/x' },
  ...more,
})
const many = (count: number, more: object = {}) => Array.from({ length: count }, () => aStatement(more))
const record = (statements: unknown, site = ctx) => recordStatements(site, { statements, authority, version: '2.0.0' })
const sentIn = ({ body }: Received) => (JSON.parse(body) as Statement[]).map(({ id }) => id as string)
const idsOf = (statements: { id: string }[]) => statements.map(({ id }) => id)

async function useFaultyProxy() {
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  return proxy
}

const look = async () => {
  // The millisecond in which something was stored must have passed.
  await sleep(3)
  for (const site of [ctx, ns]) await queueForwarding({ ...site, now: new Date() })
}

async function queuedJobs() {
  const { rows } = await sql<{ key: string; queue: string; attempts: number; isDue: boolean }>`
    select key, queue_name as queue, attempts, run_at <= now() as "isDue" from graphile_worker.jobs
    where task_identifier = 'forward-statements' order by key`.execute(db)
  return rows
}

test('many statements that wait for the statement they refer to do not hide the others', async () => {
  const proxy = await useFaultyProxy()
  const target = aStatement({ context: { registration: randomUUID() } })
  await record(target)
  proxy.decide = ({ body }) => (body.includes(`"id":"${target.id}","actor"`) ? { status: 400 } : 'pass')
  expect(await forward(ctx)).toBe(0)
  const aboutIt = { object: { objectType: 'StatementRef', id: target.id } }
  await record(aStatement(aboutIt))
  await look()
  expect(await queuedJobs()).toEqual([])
  const [first] = many(1)
  await record(first)
  await look()
  expect(await queuedJobs()).toHaveLength(1)
  expect(await forward(ctx)).toBe(1)

  for (let n = 0; n < 10; n++) await record(many(100, aboutIt))
  const [second] = many(1)
  await record(second)
  expect(await forward(ctx)).toBe(1)
  expect(proxy.received.flatMap(sentIn)).toEqual([target.id, first?.id, second?.id])
  proxy.decide = () => 'pass'
  expect(await forward(ctx, { later: 3600 })).toBe(1002)
})

test('statements that were set aside are sent after the others, a few at a time', async () => {
  const proxy = await useFaultyProxy()
  const setAside = many(50)
  await record(setAside)
  await sql`
    update xapi_forwards set attempts = 6, next_at = now() - interval '1 minute', set_aside_at = now() - interval '1 day'`.execute(
    db,
  )
  const fresh = many(2)
  await record(fresh)
  const late = many(1)
  proxy.decide = async (received) => {
    const ids = sentIn(received)
    if (setAside[0] && ids.includes(setAside[0].id)) await record(late)
    return setAside.some(({ id }) => ids.includes(id)) ? { status: 400 } : 'pass'
  }
  expect(await forward(ctx)).toBe(3)
  const order = proxy.received.flatMap(sentIn)
  expect(order.slice(0, 2)).toEqual(idsOf(fresh))
  expect(order.indexOf(late[0]?.id ?? '')).toBeLessThan(30)
  // All of them have had their turn for the day.
  expect(order).toHaveLength(53)
  expect(await getForwarding(ctx)).toMatchObject({ waiting: 0, setAside: 50 })
})

test('set-aside statements that break the other store are not mistaken for a store that is down', async () => {
  const proxy = await useFaultyProxy()
  const setAside = many(3)
  await record(setAside)
  await sql`update xapi_forwards set attempts = 6, next_at = now(), set_aside_at = now() - interval '1 day'`.execute(db)
  proxy.decide = ({ body }) => (setAside.some(({ id }) => body.includes(id)) ? { status: 500 } : 'pass')
  expect(await forward(ctx)).toBe(0)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 1 })
  await record(aStatement())
  expect(await forward(ctx, { later: 30 })).toBe(1)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 0, pausedUntil: null, waiting: 0, setAside: 3 })
  proxy.received.length = 0
  await record(aStatement())
  expect(await forward(ctx, { later: 31 })).toBe(1)
  expect(proxy.received).toHaveLength(1)
})

test('a job ends in time and makes progress, however slowly a batch is refused', async () => {
  const proxy = await useFaultyProxy()
  const statements = many(50)
  await record(statements)
  // Simulates answers that each take half a minute.
  const realNow = performance.now.bind(performance)
  let skipped = 0
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + skipped)
  proxy.decide = () => {
    skipped += 29_000
    return { status: 400 }
  }
  for (const refused of [1, 2, 3]) {
    proxy.received.length = 0
    expect(await forward(ctx)).toBe(0)
    expect(proxy.received.map((one) => sentIn(one).length)).toEqual([51 - refused, 1])
    expect((await getForwarding(ctx)).errors).toHaveLength(refused)
    expect(await waitingIn(ctx)).toBe(50)
  }
  // One job has sent enough; the rest goes with the next job.
  const [bad] = statements.slice(-1)
  proxy.received.length = 0
  proxy.decide = ({ body }) => {
    skipped += 8_000
    return body.includes(bad?.id ?? '') ? { status: 400 } : 'pass'
  }
  expect(await forward(ctx)).toBe(24)
  expect(proxy.received.map((one) => sentIn(one).length)).toEqual([47, 24, 23])
  expect((await getForwarding(ctx)).errors).toHaveLength(3)
  expect(await waitingIn(ctx)).toBe(26)
  vi.restoreAllMocks()
  expect(await forward(ctx, { later: 180 })).toBe(25)
})

test('one site does not wait for the record store of the other site', async () => {
  const proxy = await useFaultyProxy()
  forwardTo(proxy, 'ns')
  await record(aStatement())
  await record(aStatement(), ns)
  await look()
  expect(await queuedJobs()).toEqual([
    expect.objectContaining({ key: 'forward-statements:institutional', queue: 'forward-statements:institutional' }),
    expect.objectContaining({ key: 'forward-statements:ns', queue: 'forward-statements:ns' }),
  ])
})

test('a store that refuses a statement counts as up again', async () => {
  const proxy = await useFaultyProxy()
  const [bad] = many(1)
  await record(bad)
  proxy.decide = () => ({ status: 503 })
  for (const later of [0, 60, 180, 400]) expect(await forward(ctx, { later })).toBe(0)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 4 })
  proxy.decide = () => ({ status: 400 })
  expect(await forward(ctx, { later: 1000 })).toBe(0)
  const expectedError = expect.objectContaining({ statement: bad?.id, attempts: 1 })
  expect(await getForwarding(ctx)).toMatchObject({
    failures: 0,
    pausedUntil: null,
    sentAt: null,
    errors: [expectedError],
  })

  // The next failure counts as the first again.
  const next = many(20)
  await record(next)
  proxy.received.length = 0
  proxy.decide = () => ({ status: 503 })
  expect(await forward(ctx, { later: 1001 })).toBe(0)
  expect(sentIn(proxy.received[0] as Received)).toHaveLength(20)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 1 })
  proxy.decide = () => 'pass'
  expect(await forward(ctx, { later: 1010 })).toBe(20)
})

test('a refusal before the store goes down again is an answer too', async () => {
  const proxy = await useFaultyProxy()
  await record(many(3))
  proxy.decide = () => ({ status: 503 })
  for (const later of [0, 60, 180]) expect(await forward(ctx, { later })).toBe(0)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 3 })
  proxy.received.length = 0
  proxy.decide = () => ({ status: proxy.received.length === 1 ? 400 : 503 })
  expect(await forward(ctx, { later: 1000 })).toBe(0)
  expect(await getForwarding(ctx)).toMatchObject({ failures: 1, sentAt: null })
})

test('a worker with a fast clock sends nothing before an older statement that is still being written', async () => {
  await useFaultyProxy()
  const registration = randomUUID()
  const [known, early, late] = many(3, { context: { registration } })
  await record(known) // so that all terms are known and the slow writer needs nothing but its transaction
  await forward(ctx)
  let go = () => {}
  const mayGo = new Promise<void>((resolve) => {
    go = resolve
  })
  onTestFinished(() => go())
  let reserved = () => {}
  const isReserved = new Promise<void>((resolve) => {
    reserved = resolve
  })
  const slow = db.transaction().execute(async (trx) => {
    await recordStatements({ ...ctx, db: trx }, { statements: early, authority, version: '2.0.0' })
    reserved()
    await mayGo
  })
  await isReserved
  await record(late)
  const realNow = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 3_600_000)
  expect(await forward(ctx)).toBe(0)
  go()
  await slow
  expect(await forward(ctx)).toBe(2)
  expect(idsOf((await other.statements({ registration })) as { id: string }[])).toEqual(
    idsOf([known, early, late] as { id: string }[]),
  )
})

test('a failed job runs again within about a minute, not after hours', async () => {
  await useFaultyProxy()
  await record(aStatement())
  await look()
  const change = (set: ReturnType<typeof sql>) =>
    sql`update graphile_worker._private_jobs set ${set} where key = 'forward-statements:institutional'`.execute(db)
  // The state in which graphile-worker leaves it after a failure: a delay of seconds at first and hours in the end.
  await change(sql`attempts = 2, last_error = 'x', run_at = now() + interval '8 seconds'`)
  await look()
  expect(await queuedJobs()).toEqual([expect.objectContaining({ attempts: 2, isDue: false })])
  for (const attempts of [5, 9]) {
    await change(sql`attempts = ${attempts}::int, last_error = 'x', run_at = now() + interval '20 minutes'`)
    await look()
    expect(await queuedJobs()).toEqual([expect.objectContaining({ attempts: 0, isDue: true })])
  }
  // A running job is left alone.
  await change(sql`attempts = 1, locked_by = 'somebody', locked_at = now(), run_at = now() + interval '20 minutes'`)
  await look()
  expect(await queuedJobs()).toEqual([expect.objectContaining({ attempts: 1 })])
  await change(sql`locked_by = null, locked_at = null`)
})
