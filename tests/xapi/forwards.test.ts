/** Statements are forwarded to another record store, a second instance of the product (docs/decisions/014). */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompactSign } from 'jose'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import {
  backfillForwards,
  forwardStatements,
  getForwarding,
  queueForwarding,
  recordStatements,
  type Statement,
  voidedVerb,
} from '~/services/xapi/xapi.server.ts'
import { aModule, launchAndFetch, send, statementOf, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aFaultyProxy, forward, forwardTo, type OtherStore, startOtherStore, waitingIn } from '../support/forwarding.ts'
import { isLong } from '../support/long.ts'
import { db } from '../support/test.ts'
import { ownStorage } from '../support/uploads.ts'
import { anAttachment, sha2 } from '../support/xapi-parts.ts'

let ctx: Ctx
let ns: Ctx
let other: OtherStore

ownStorage()
beforeAll(async () => {
  ctx = await aContext(db, { isOperator: true })
  ns = await aContext(db, { site: 'ns', isOperator: true })
  other = await startOtherStore()
})
afterEach(async () => {
  for (const site of ['institutional', 'ns'] as const) forwardTo(null, site)
  await db.deleteFrom('xapi_forwards').execute()
  await db.deleteFrom('xapi_forward_sites').execute()
})

const authority = { mbox: 'mailto:program@example.org' }
const aStatement = (more: object = {}) => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:a@example.org' },
  verb: { id: 'https://verbs.example/did' },
  object: { id: 'https://activities.example/x' },
  ...more,
})
const inAttempt = (registration: string, more: object = {}) => aStatement({ context: { registration }, ...more })
const record = (statements: unknown, site = ctx) => recordStatements(site, { statements, authority, version: '2.0.0' })

async function storedHere(): Promise<Statement[]> {
  const rows = await db.selectFrom('xapi_statements').select('body').orderBy('seq').execute()
  return rows.map(({ body }) => JSON.parse(body) as Statement)
}

const withoutStore = ({ stored: _stored, authority: _authority, ...rest }: Statement) => rest
const idsOf = (statements: Statement[]) => statements.map(({ id }) => id)

test('without a configured record store nothing is kept for one', async () => {
  await record([aStatement(), aStatement()])
  expect(await waitingIn(ctx)).toBe(0)
  expect(await forward(ctx)).toBe(0)
})

test('statements of units, the LMS and programs arrive whole, except for authority and stored time', async () => {
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const module = await aModule(ctx)
  await visit(learner, { moduleVersionUid: module.versionUid }, ['passed', { score: { scaled: 0.8 } }], 'completed')
  await record([
    aStatement({ timestamp: '2026-01-31T12:00:00+02:00', result: { duration: 'PT1.50S', score: { raw: 1e3 } } }),
    aStatement({ version: '1.0.3', verb: { id: 'https://verbs.example/lu', display: { 'fr-CA': 'a lu “ça” 🙂' } } }),
  ])
  const here = (await storedHere()).slice(-8)
  expect(await waitingIn(ctx)).toBe(here.length)
  expect(await forward(ctx)).toBe(here.length)
  for (const one of here) {
    const there = await other.statement(one.id as string)
    expect(withoutStore(there as Statement)).toEqual(withoutStore(one))
    expect(there?.authority).toMatchObject({ name: 'The first side' })
  }
  for (const { headers, body } of proxy.received) {
    const sent = JSON.parse(body) as Statement[]
    const wanted = headers['x-experience-api-version'] === '2.0.0' ? '2.0.0' : '1.0'
    expect(sent.every(({ version }) => version?.startsWith(wanted))).toBe(true)
    const attempts = sent.flatMap(({ context }) => context?.registration ?? [])
    expect(new Set(attempts).size).toBe(attempts.length)
    expect(body).not.toMatch(/"stored"|"authority"/)
  }
  expect(new Set(proxy.received.map(({ headers }) => headers['x-experience-api-version'])).size).toBe(2)
  expect(await waitingIn(ctx)).toBe(0)
  expect(await forward(ctx)).toBe(0)
})

test('refused statements and requests that fail halfway are not forwarded', async () => {
  forwardTo(other)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const module = await aModule(ctx)
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await forward(ctx)
  const before = (await other.statements()).length
  await expect(record([aStatement(), { ...aStatement(), verb: {} }])).rejects.toThrow()
  const known = aStatement()
  await record(known)
  await expect(record([aStatement(), { ...known, object: { id: 'https://another.example' } }])).rejects.toThrow()
  // Breaks a rule of cmi5: nothing comes before initialized.
  await expect(send(learner, session, statementOf(session, 'completed'))).rejects.toThrow()
  expect(await waitingIn(ctx)).toBe(1)
  expect(await forward(ctx)).toBe(1)
  expect((await other.statements()).length).toBe(before + 1)
})

test('statements of an attempt arrive in their order, whoever writes at the same time', async () => {
  forwardTo(other)
  const learners = await Promise.all(Array.from({ length: 4 }, async () => aContext(db, { viewer: await aUser(db) })))
  const module = await aModule(ctx)
  const sessions = await Promise.all(
    learners.map(async (learner) => ({
      learner,
      ...(await launchAndFetch(learner, { moduleVersionUid: module.versionUid })),
    })),
  )
  const shared = randomUUID()
  const times = isLong ? 15 : 5
  let isWriting = true
  const forwarding = (async () => {
    let sent = 0
    while (isWriting) sent += await forward(ctx)
    return sent
  })()
  await Promise.all([
    ...sessions.map(async ({ learner, session }) => {
      await send(learner, session, statementOf(session, 'initialized'))
      for (let n = 0; n < times; n++) await send(learner, session, statementOf(session, 'progressed', { progress: n }))
      await send(learner, session, [statementOf(session, 'completed'), statementOf(session, 'terminated')])
    }),
    // Programs do not lock an attempt, so the first reserved statement may arrive last.
    ...Array.from({ length: 8 }, async () => {
      for (let n = 0; n < times; n++) await record([inAttempt(shared), aStatement(), inAttempt(shared)])
    }),
  ])
  isWriting = false
  await forwarding
  await forward(ctx)
  expect(await waitingIn(ctx)).toBe(0)
  const attempts = [shared, ...sessions.map(({ session }) => session.registrationUid)]
  for (const registration of attempts) {
    const here = (await storedHere()).filter(({ context }) => context?.registration === registration)
    expect(here.length).toBeGreaterThan(times + 3)
    expect(idsOf(await other.statements({ registration }))).toEqual(idsOf(here))
  }
})

test('a statement that a slow writer stores late is sent before the later ones of its attempt', async () => {
  forwardTo(other)
  const registration = randomUUID()
  const [early, late] = [inAttempt(registration), inAttempt(registration)]
  let reserved = () => {}
  let go = () => {}
  const isReserved = new Promise<void>((resolve) => {
    reserved = resolve
  })
  const mayGo = new Promise<void>((resolve) => {
    go = resolve
  })
  await record(late) // so that all terms are known and the slow writer needs nothing but its transaction
  await forward(ctx)
  const slow = db.transaction().execute(async (trx) => {
    await recordStatements({ ...ctx, db: trx }, { statements: early, authority, version: '2.0.0' })
    reserved()
    await mayGo
  })
  await isReserved
  const after = inAttempt(registration)
  await record(after)
  expect(await forward(ctx)).toBe(0)
  go()
  await slow
  await forward(ctx)
  expect(idsOf(await other.statements({ registration }))).toEqual([late.id, early.id, after.id])
})

test('attachments are sent with their statement, in either version', async () => {
  forwardTo(other)
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255, ...Buffer.from('--limit\r\n')])
  const ids: string[] = []
  for (const version of ['1.0.3', '2.0.0'] as const) {
    const attachment = anAttachment(bytes, { contentType: 'application/octet-stream' })
    const outside = anAttachment('elsewhere', { fileUrl: 'https://files.example/elsewhere' })
    const [id = ''] = await recordStatements(ctx, {
      statements: { ...aStatement(), attachments: [attachment, outside] },
      attachments: [{ sha2: sha2(bytes), contentType: 'application/octet-stream', bytes }],
      authority,
      version,
    })
    ids.push(id)
  }
  const [plain = ''] = await record(aStatement())
  expect(await forward(ctx)).toBe(3)
  const credentials = Buffer.from(`${other.key}:${other.secret}`).toString('base64')
  for (const id of ids) {
    const answer = await fetch(`${other.url}statements?statementId=${id}&attachments=true`, {
      headers: { authorization: `Basic ${credentials}`, 'x-experience-api-version': '2.0.0' },
    })
    expect(Buffer.from(await answer.arrayBuffer()).includes(bytes)).toBe(true)
  }
  expect(await other.statement(plain)).not.toBeNull()
})

test.each(['1.0.3', '2.0.0'] as const)('a signed statement of %s arrives signed', async (version) => {
  forwardTo(other)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const statement = aStatement({ result: { score: { scaled: 0.9 }, duration: 'PT60S' } })
  const jws = await new CompactSign(Buffer.from(JSON.stringify(statement)))
    .setProtectedHeader({ alg: 'RS256' })
    .sign(privateKey)
  const contentType = 'application/octet-stream'
  const usageType = 'http://adlnet.gov/expapi/attachments/signature'
  await recordStatements(ctx, {
    statements: { ...statement, attachments: [anAttachment(jws, { contentType, usageType })] },
    attachments: [{ sha2: sha2(jws), contentType, bytes: Buffer.from(jws) }],
    authority,
    version,
  })
  expect(await forward(ctx)).toBe(1)
  // The other store has checked the signature and accepted it with the attachment.
  const there = await other.statement(statement.id)
  expect(there?.attachments).toMatchObject([{ usageType, sha2: sha2(jws) }])
})

test('a voiding statement arrives after the statement that it voids, and voids it there', async () => {
  forwardTo(other)
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  const target = aStatement()
  const voiding = { ...aStatement(), verb: { id: voidedVerb }, object: { objectType: 'StatementRef', id: target.id } }
  await record([target, voiding])
  // The first one is refused, so its void waits, and unrelated statements do not.
  const bystander = aStatement()
  await record(bystander)
  proxy.decide = ({ body }) => (body.includes(`"id":"${target.id}","actor"`) ? { status: 400 } : 'pass')
  expect(await forward(ctx)).toBe(1)
  expect(await other.statement(bystander.id)).not.toBeNull()
  expect(proxy.received.some(({ body }) => body.includes(voiding.id))).toBe(false)
  proxy.decide = () => 'pass'
  expect(await forward(ctx, { later: 120 })).toBe(2)
  expect(await other.statement(target.id)).toBeNull()
  expect(await other.statement(voiding.id)).not.toBeNull()
  expect(await waitingIn(ctx)).toBe(0)
})

test('a void that came before its statement does not wait for it', async () => {
  forwardTo(other)
  const registration = randomUUID()
  const target = inAttempt(registration)
  const voiding = inAttempt(registration, {
    verb: { id: voidedVerb },
    object: { objectType: 'StatementRef', id: target.id },
  })
  await record(voiding)
  await record(target)
  expect(await forward(ctx)).toBe(2)
  expect(await other.statement(target.id)).toBeNull()
})

test('statements of the other site stay here, and go to its own store if it has one', async () => {
  forwardTo(other)
  const [ours = '', theirs = ''] = [...(await record(aStatement())), ...(await record(aStatement(), ns))]
  expect([await waitingIn(ctx), await waitingIn(ns)]).toEqual([1, 0])
  expect([await forward(ctx), await forward(ctx, { site: 'ns' })]).toEqual([1, 0])
  expect([await other.statement(ours), await other.statement(theirs)]).toEqual([expect.anything(), null])
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy, 'ns')
  const [second = ''] = await record(aStatement(), ns)
  expect([await waitingIn(ctx), await waitingIn(ns)]).toEqual([0, 1])
  expect([await forward(ctx), await forward(ctx, { site: 'ns' })]).toEqual([0, 1])
  expect(proxy.received.flatMap(({ body }) => JSON.parse(body).map(({ id }: Statement) => id))).toEqual([second])
})

test('two workers at once send nothing twice, and a repeated statement here is not repeated there', async () => {
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  const statements = Array.from({ length: 120 }, () => aStatement())
  await record(statements)
  await record(statements)
  proxy.decide = async (): Promise<'pass'> => {
    await sleep(20)
    return 'pass'
  }
  await sleep(3)
  const runs = await Promise.all(Array.from({ length: 6 }, () => forwardStatements({ ...ctx, now: new Date() })))
  expect(runs.map(({ sent }) => sent).sort()).toEqual([0, 0, 0, 0, 0, 120])
  const ids = proxy.received.flatMap(({ body }) => JSON.parse(body).map(({ id }: Statement) => id))
  expect(ids).toHaveLength(120)
  expect(new Set(ids).size).toBe(120)
  expect(proxy.mostAtOnce()).toBe(1)
})

test('a site has a queued job, and only one, while it has something to send', async () => {
  const jobs = async () => {
    const { rows } = await sql<{ key: string }>`
      select key from graphile_worker.jobs where task_identifier = 'forward-statements' order by key`.execute(db)
    return rows.map(({ key }) => key)
  }
  const look = async (later = 0) => {
    const now = new Date(Date.now() + later * 1000)
    for (const site of [ctx, ns]) await queueForwarding({ ...site, now })
  }
  await record(aStatement(), ns)
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  forwardTo(proxy, 'ns')
  await look()
  expect(await jobs()).toEqual([])
  await record(aStatement(), ns)
  await sleep(3)
  await Promise.all([look(), look(), look()])
  await look()
  expect(await jobs()).toEqual(['forward-statements:ns'])
  await sql`select graphile_worker.remove_job('forward-statements:ns')`.execute(db)
  proxy.decide = () => ({ status: 503 })
  await forward(ctx, { site: 'ns' })
  await look()
  expect(await jobs()).toEqual([])
  await look(30)
  expect(await jobs()).toEqual(['forward-statements:ns'])
  await sql`select graphile_worker.remove_job('forward-statements:ns')`.execute(db)
})

test('a backfill sends older statements once and in order, and new ones wait for theirs', async () => {
  await sql`truncate xapi_statements, xapi_statement_ids, xapi_statement_related`.execute(db)
  const registration = randomUUID()
  for (let n = 0; n < 24; n++) await record(Array.from({ length: 100 }, () => aStatement()))
  const old = [inAttempt(registration), inAttempt(registration)]
  for (const one of old) await record(one)
  await record(aStatement(), ns)
  forwardTo(other)
  const fresh = inAttempt(registration)
  await record(fresh)
  const loose = aStatement()
  await record(loose)
  expect((await backfillForwards(ctx)).toQueue).toBe(2404)
  expect((await backfillForwards(ctx)).toQueue).toBe(2404) // asked twice it happens once
  const before = (await other.statements()).length
  await forward(ctx)
  expect((await getForwarding(ctx)).toQueue).toBe(0)
  expect(await waitingIn(ctx)).toBe(0)
  expect((await other.statements()).length - before).toBe(2404)
  expect(idsOf(await other.statements({ registration }))).toEqual([...old, fresh].map(({ id }) => id))
  expect(await waitingIn(ns)).toBe(0)
})

test('an interrupted backfill continues, and a repeated one sends nothing new', async () => {
  await sql`truncate xapi_statements, xapi_statement_ids, xapi_statement_related`.execute(db)
  const all = Array.from({ length: 1200 }, () => aStatement())
  for (let n = 0; n < all.length; n += 400) await record(all.slice(n, n + 400))
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  await backfillForwards(ctx)
  let requests = 0
  proxy.decide = () => (++requests > 10 ? { status: 503 } : 'pass')
  expect(await forward(ctx)).toBe(500)
  proxy.decide = () => 'pass'
  expect(await forward(ctx, { later: 60 })).toBe(700)
  expect(await waitingIn(ctx)).toBe(0)
  const before = (await other.statements()).length
  await backfillForwards(ctx)
  expect(await forward(ctx)).toBe(1200)
  expect((await other.statements()).length).toBe(before)
})
