/** cmi5 6.3: a job voids statements that a key sends with cmi5 verbs about our attempts (docs/decisions/015). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  rebuildProgress,
  type UnitSession,
  voidForeignStatements,
  voidingOfForeign,
} from '~/services/cmi5/cmi5.server.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'
import { recordStatements } from '~/services/xapi/xapi.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aModule, category, launchAndFetch, send as sendAsUnit, statementOf } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { aKey, aStore } from '../support/xapi.ts'

const { db, ctx, send, auth } = await aStore()

async function aLaunch() {
  const module = await aModule(ctx, { units: [{ moveOn: 'Completed' }] })
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await sendAsUnit(learner, session, statementOf(session, 'initialized'))
  const percent = async () =>
    (await findOwnModulesProgress(learner, { moduleUids: [module.uid] })).get(module.uid)?.percent
  return { learner, session, percent }
}

const voidedKey = 'http://adlnet.gov/expapi/verbs/voided'
const sessionKey = 'https://w3id.org/xapi/cmi5/context/extensions/sessionid'

async function post(body: unknown, key = auth): Promise<void> {
  expect((await send('POST', '/xapi/statements', { auth: key, body })).status).toBe(200)
}

async function isShown(id: string, key = auth): Promise<boolean> {
  return (await send('GET', '/xapi/statements', { auth: key, params: { statementId: id } })).status === 200
}

type Job = Parameters<typeof voidForeignStatements>[1]

const takeVoidings = () => takeJobs(db, 'void-foreign-statements')

async function runJobs(): Promise<number> {
  const jobs = await takeVoidings()
  for (const job of jobs) await voidForeignStatements(ctx, job)
  return jobs.length
}

async function voidsOf(id: string) {
  const rows = await db.selectFrom('xapi_statements').select('body').where('ref_target', '=', id).execute()
  return rows.map(({ body }) => JSON.parse(body))
}

test('a key’s cmi5 statement about an attempt is voided by the LMS and never counted', async () => {
  const { learner, session, percent } = await aLaunch()
  const completed = statementOf(session, 'completed')
  await post(completed)
  expect(await isShown(completed.id)).toBe(true)
  expect(await percent()).toBe(0)
  expect(await runJobs()).toBe(1)
  expect(await isShown(completed.id)).toBe(false)
  const [voiding, ...more] = await voidsOf(completed.id)
  expect(more).toEqual([])
  const lms = { name: 'lms', homePage: session.actor.account.homePage }
  expect(voiding).toMatchObject({
    actor: { account: lms },
    authority: { account: lms },
    verb: { id: voidedKey },
    object: { objectType: 'StatementRef', id: completed.id },
    timestamp: expect.stringMatching(/Z$/),
  })
  const voided = await send('GET', '/xapi/statements', { auth, params: { voidedStatementId: completed.id } })
  expect(voided.json).toMatchObject({ id: completed.id })
  const found = await send('GET', '/xapi/statements', { auth, params: { registration: session.registrationUid } })
  expect((found.json as { statements: { id: string }[] }).statements.map(({ id }) => id)).toContain(voiding.id)
  await rebuildProgress(ctx, { registrationUid: session.registrationUid })
  expect(await percent()).toBe(0)
  // The unit may still send it, because nothing was recorded before.
  await sendAsUnit(learner, session, statementOf(session, 'completed'))
  expect(await percent()).toBe(100)
})

/** Each case: the statement, the session it is about, and whether it is voided. */
const cases: [string, (session: UnitSession) => object, boolean][] = [
  ['a verb of units', (session) => statementOf(session, 'passed'), true],
  ['a verb of the LMS', (session) => defined(session, 'https://w3id.org/xapi/adl/verbs/satisfied'), true],
  ['a verb that cmi5 does not know', (session) => defined(session, 'https://verbs.example/did'), true],
  ['by somebody else', (session) => ({ ...statementOf(session, 'completed'), actor: somebody }), true],
  ['in a session that nobody opened', (session) => within(session, { [sessionKey]: randomUUID() }), true],
  ['without a session', (session) => within(session, {}), true],
  ['of our session in another registration', (session) => registered(session, randomUUID()), true],
  ['of our session without a registration', (session) => registered(session, undefined), true],
  ['of a registration and a session elsewhere', () => elsewhere(), false],
  ['with a session id that is not text', () => elsewhere({ [sessionKey]: 7 }), false],
  ['without the category', (session) => statementOf(session, 'experienced'), false],
  ['with the other category alone', (session) => ofCategories(session, [category('moveon')]), false],
  ['with the category among groupings', (session) => ofCategories(session, [], [category('cmi5')]), false],
]
const somebody = { mbox: 'mailto:somebody@example.org' }
const allowed = (session: UnitSession) => statementOf(session, 'experienced')
const ofCategories = (session: UnitSession, list: object[], grouping: object[] = []) => {
  const statement = allowed(session)
  const contextActivities = { ...(list.length > 0 && { category: list }), grouping }
  return { ...statement, context: { ...statement.context, contextActivities } }
}
const defined = (session: UnitSession, verb: string) => ({
  ...ofCategories(session, [category('cmi5')]),
  verb: { id: verb },
})
const within = (session: UnitSession, extensions: object) => {
  const statement = statementOf(session, 'completed')
  return { ...statement, context: { ...statement.context, extensions } }
}
const registered = (session: UnitSession, registration: string | undefined, more: object = {}) => {
  const statement = statementOf(session, 'completed')
  const { registration: _own, ...context } = statement.context
  return { ...statement, context: { ...context, ...(registration && { registration }), ...more } }
}
const elsewhere = (extensions: object = { [sessionKey]: randomUUID() }) => ({
  id: randomUUID(),
  actor: somebody,
  verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
  object: { id: 'https://activities.example/x' },
  context: { registration: randomUUID(), contextActivities: { category: category('cmi5') }, extensions },
})

test.each(cases)('a statement %s', async (_name, make, isVoided) => {
  const { session } = await aLaunch()
  const statement = make(session) as { id: string }
  await post([statement])
  expect(await runJobs()).toBe(isVoided ? 1 : 0)
  expect(await isShown(statement.id)).toBe(!isVoided)
  expect(await voidsOf(statement.id)).toHaveLength(isVoided ? 1 : 0)
})

test('of a batch, only statements that break the rules are voided, by one job', async () => {
  const { session } = await aLaunch()
  const [bad, good, worse] = [statementOf(session, 'completed'), allowed(session), statementOf(session, 'terminated')]
  await post([bad, good, elsewhere(), worse])
  const jobs = await takeVoidings()
  expect(jobs).toEqual([{ site: 'institutional', statementIds: [bad.id, worse.id] }])
  await voidForeignStatements(ctx, jobs[0] as Job)
  expect(await Promise.all([bad, good, worse].map(({ id }) => isShown(id)))).toEqual([false, true, false])
})

test('a statement that is refused, or stored already, queues no job', async () => {
  const { session } = await aLaunch()
  const statement = statementOf(session, 'completed')
  const wrong = await send('POST', '/xapi/statements', { auth, body: [statement, { ...statement, id: 'x' }] })
  expect(wrong.status).toBe(400)
  expect(await takeVoidings()).toEqual([])
  await post(statement)
  await post(statement)
  expect(await takeVoidings()).toHaveLength(1)
})

test('statements of units and of the LMS are left alone, whatever actor they name', async () => {
  const { learner, session } = await aLaunch()
  const completed = statementOf(session, 'completed')
  await sendAsUnit(learner, session, completed)
  expect(await takeVoidings()).toEqual([])
  const rows = await db
    .selectFrom('xapi_statements')
    .select('statement_id as id')
    .where('registration', '=', session.registrationUid)
    .execute()
  const statementIds = rows.map(({ id }) => id as string)
  expect(statementIds.length).toBeGreaterThan(3)
  await voidForeignStatements(ctx, { statementIds })
  for (const id of statementIds) expect(await voidsOf(id)).toEqual([])
})

test('a key of the other site cannot make statements about our attempts, and a job voids only on its own site', async () => {
  const ns = await aContext(db, { site: 'ns' })
  const key = await aKey(ns)
  const { session } = await aLaunch()
  const statement = statementOf(session, 'completed')
  await post(statement, key)
  expect(await takeVoidings()).toEqual([])
  await post(statement)
  const [job] = await takeVoidings()
  await voidForeignStatements(ns, job as Job)
  expect([await isShown(statement.id), await isShown(statement.id, key)]).toEqual([true, true])
  await voidForeignStatements(ctx, job as Job)
  expect([await isShown(statement.id), await isShown(statement.id, key)]).toEqual([false, true])
})

test('ten jobs at once, and one later, void a statement once', async () => {
  const { session } = await aLaunch()
  const statements = [statementOf(session, 'completed'), statementOf(session, 'terminated')]
  await post(statements)
  const [job = { statementIds: [] }] = await takeVoidings()
  const backwards = { ...job, statementIds: [...job.statementIds].reverse() }
  await Promise.all(Array.from({ length: 10 }, (_, i) => voidForeignStatements(ctx, i % 2 ? job : backwards)))
  await voidForeignStatements(ctx, job)
  for (const { id } of statements) expect(await voidsOf(id)).toHaveLength(1)
})

test('a statement that its sender has voided, and a voiding statement, are not voided again', async () => {
  const { session } = await aLaunch()
  const statement = statementOf(session, 'completed')
  const voiding = {
    ...defined(session, voidedKey),
    object: { objectType: 'StatementRef', id: statement.id },
  }
  await post([statement, voiding])
  await runJobs()
  expect(await voidsOf(statement.id)).toHaveLength(1)
  expect(await voidsOf(voiding.id)).toEqual([])
})

test('a key’s statement costs no extra query if nothing needs to be voided, and one if something may', async () => {
  const { session } = await aLaunch()
  const queriesFor = async (statement: object, onStored?: typeof voidingOfForeign) => {
    const counter = { queries: 0 }
    const input = { statements: statement, authority: somebody, version: '1.0.3' as const }
    await queryCounter.run(counter, () => recordStatements(ctx, { ...input, ...(onStored && { onStored }) }))
    return counter.queries
  }
  const extraFor = async (make: () => object) => {
    // Its terms are cached after the first time.
    await queriesFor(make())
    return (await queriesFor(make(), voidingOfForeign)) - (await queriesFor(make()))
  }
  expect(await extraFor(() => allowed(session))).toBe(0)
  expect(await extraFor(() => ofCategories(session, [category('moveon')]))).toBe(0)
  expect(await extraFor(() => registered(session, undefined, { extensions: {} }))).toBe(0)
  expect(await extraFor(() => elsewhere())).toBe(1)
  expect(await takeVoidings()).toEqual([])
})
