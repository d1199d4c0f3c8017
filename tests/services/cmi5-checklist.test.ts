/** Clauses of cmi5 that no other test covers. Each test names its clause by number. */
import { expect, test } from 'vitest'
import { abandonLaunch, endLaunch, getLaunch, launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { findOwnModulesProgress, listOwnAttempts } from '~/services/progress/progress.server.ts'
import { parseDuration } from '~/services/xapi/xapi.server.ts'
import {
  aModule,
  aModuleVersion,
  launchAndFetch,
  type ModuleSpec,
  masteryKey,
  progressKey,
  send,
  statementOf,
  storyOf,
  visit,
} from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, ctx as system } from '../support/test.ts'

async function aLearner(options: Parameters<typeof aUser>[1] = {}): Promise<Ctx & { viewer: Viewer }> {
  const viewer = await aUser(db, options)
  return { ...(await aContext(db, { viewer })), viewer }
}

async function aLaunch(spec: ModuleSpec = {}, person: Parameters<typeof aUser>[1] = {}) {
  const module = await aModule(system, spec)
  const learner = await aLearner(person)
  return { module, learner, ...(await launchAndFetch(learner, { moduleVersionUid: module.versionUid })) }
}

const verbsOf = async (registrationUid: string) => (await storyOf(db, registrationUid)).map(({ verb }) => verb)

test('cmi5 13.1.4: the activity type of the structure is in the definition of the launched activity', async () => {
  const module = await aModule(system)
  const activityType = 'https://example.org/types/simulation'
  await db
    .updateTable('cmi5_units')
    .set({ activity_type: activityType })
    .where('id', '=', module.units[0]?.id ?? 0)
    .execute()
  const { session } = await launchAndFetch(await aLearner(), { moduleVersionUid: module.versionUid })
  const [launched] = await storyOf(db, session.registrationUid)
  expect(launched?.body.object.definition).toMatchObject({ type: activityType, name: { en: 'Unit 1' } })
})

test('cmi5 8.1.3: our statements, launch data and addresses never contain the person’s name', async () => {
  const { learner, session, uid } = await aLaunch({}, { firstName: 'Guadalupe', lastName: 'Castellanos' })
  await send(learner, session, [statementOf(session, 'initialized'), statementOf(session, 'completed')])
  await endLaunch(learner, { auLaunchSessionUid: uid })
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: (await anyVersion(session)).uid })
  const { launchUrl } = await getLaunch(learner, { auLaunchSessionUid })
  const said = JSON.stringify([await storyOf(db, session.registrationUid), session.launchData, launchUrl])
  for (const personal of [learner.viewer.email, learner.viewer.firstName, learner.viewer.lastName, 'mailto']) {
    expect(said).not.toContain(personal)
  }
})

function anyVersion(session: { registrationId: number }) {
  return db
    .selectFrom('registrations as r')
    .innerJoin('module_versions as v', 'v.id', 'r.module_version_id')
    .select('v.uid')
    .where('r.id', '=', session.registrationId)
    .executeTakeFirstOrThrow()
}

test('cmi5 8.1.5, 9.4: our ids are the same for all learners, registrations and versions, and differ from the publisher’s', async () => {
  const spec = { blocks: [{ id: 'block' }], units: [{ id: 'a', block: 'block' }] }
  const module = await aModule(system, spec)
  const launch = { moduleVersionUid: module.versionUid }
  const objectsOf = async (registrationUid: string) =>
    (await storyOf(db, registrationUid))
      .filter(({ verb }) => verb === 'launched' || verb === 'satisfied')
      .map(({ object }) => object)
  const [first, second] = [await aLearner(), await aLearner()]
  const one = await objectsOf((await visit(first, launch, 'completed')).session.registrationUid)
  const other = await objectsOf((await visit(second, launch, 'completed')).session.registrationUid)
  const again = await objectsOf((await visit(first, { ...launch, retake: true }, 'completed')).session.registrationUid)
  await aModuleVersion(system, module, spec)
  const newer = await objectsOf((await visit(await aLearner(), launch, 'completed')).session.registrationUid)
  expect(one).toHaveLength(3)
  expect(new Set(one).size).toBe(3)
  expect([other, again, newer]).toEqual([one, one, one])
  for (const id of one) expect(id).not.toContain('publisher.example')
})

test('cmi5 9.3.1: launched is stored before the unit can send anything, once for each session', async () => {
  const { learner, session } = await aLaunch()
  expect(await verbsOf(session.registrationUid)).toEqual(['launched'])
  await send(learner, session, [statementOf(session, 'initialized'), statementOf(session, 'terminated')])
  expect((await verbsOf(session.registrationUid)).filter((verb) => verb === 'launched')).toHaveLength(1)
})

test('cmi5 8.2.1: a generic Basic parser can read the token', async () => {
  const { token } = await aLaunch()
  const [name, secret, ...more] = Buffer.from(token, 'base64').toString().split(':')
  expect(name).not.toBe('')
  expect(secret?.length).toBeGreaterThan(20)
  expect(more).toEqual([])
  expect(Buffer.from(Buffer.from(token, 'base64').toString()).toString('base64')).toBe(token)
})

test('cmi5 10.2.4, 13.1.4: a masteryScore of 0 is sent to the unit and applied; without one, none is sent', async () => {
  const { learner, session } = await aLaunch({ units: [{ masteryScore: 0, moveOn: 'Passed' }] })
  expect(session.launchData.masteryScore).toBe(0)
  const [launched] = await storyOf(db, session.registrationUid)
  expect(launched?.body.context.extensions[masteryKey]).toBe(0)
  await send(learner, session, statementOf(session, 'initialized'))
  const failed = statementOf(session, 'failed', { score: { scaled: 0 } })
  await expect(send(learner, session, failed)).rejects.toThrow('9.3.5')
  await send(learner, session, statementOf(session, 'passed', { score: { scaled: 0 } }))
  const without = await aLaunch()
  expect(without.session.launchData).not.toHaveProperty('masteryScore')
})

test('cmi5 9.5.5.1: the highest reported progress counts, except for progress in a completed statement', async () => {
  const { module, learner, session } = await aLaunch({ units: [{ moveOn: 'CompletedAndPassed' }, {}] })
  const percent = async () =>
    (await findOwnModulesProgress(learner, { moduleUids: [module.uid] })).get(module.uid)?.percent
  await send(learner, session, statementOf(session, 'initialized', { result: { extensions: { [progressKey]: 10 } } }))
  expect(await percent()).toBe(5)
  await send(learner, session, statementOf(session, 'experienced', { progress: 60 }))
  await send(learner, session, statementOf(session, 'experienced', { progress: 20 }))
  expect(await percent()).toBe(30)
  await send(learner, session, statementOf(session, 'completed', { progress: 3 }))
  expect(await percent()).toBe(49)
})

test('cmi5 9.3.6: abandoned lasts from launched to the last statement, and names actor, activity, session and publisher id', async () => {
  const { module, learner, session, uid } = await aLaunch()
  const launched = (await storyOf(db, session.registrationUid))[0]
  await send(learner, session, statementOf(session, 'initialized'))
  const [, last] = await storyOf(db, session.registrationUid)
  // The launch was a minute earlier, and the unit was silent for a while before it is abandoned.
  await db
    .updateTable('launch_sessions')
    .set({ launched_at: new Date((last?.seq ?? 0) / 1000 - 60_000) })
    .where('uid', '=', uid)
    .execute()
  await abandonLaunch({ ...learner, now: new Date(Date.now() + 3_600_000) }, { auLaunchSessionUid: uid })
  const abandoned = (await storyOf(db, session.registrationUid)).at(-1)?.body
  expect(parseDuration(abandoned.result.duration)).toBeCloseTo(60, 0)
  expect(abandoned).toMatchObject({
    actor: launched?.body.actor,
    object: { id: module.units[0]?.iri },
    context: {
      registration: session.registrationUid,
      contextActivities: {
        category: [{ id: 'https://w3id.org/xapi/cmi5/context/categories/cmi5' }],
        grouping: [{ id: module.units[0]?.publisherId }],
      },
      extensions: { 'https://w3id.org/xapi/cmi5/context/extensions/sessionid': uid },
    },
  })
})

test('cmi5 9.3.6: opening any unit of the attempt also ends a silent session, with a duration of zero', async () => {
  const module = await aModule(system, { units: [{}, {}] })
  const learner = await aLearner()
  const launch = { moduleVersionUid: module.versionUid }
  const first = await launchAndFetch(learner, { ...launch, unitIndex: 0 })
  await launchUnit(learner, { ...launch, unitIndex: 1 })
  const story = await storyOf(db, first.session.registrationUid)
  expect(story.map(({ verb }) => verb)).toEqual(['launched', 'abandoned', 'launched'])
  expect(parseDuration(story[1]?.body.result.duration)).toBeLessThan(2)
  expect(story[1]?.object).toBe(module.units[0]?.iri)
})

/** cmi5 13.1.4 through nested blocks with real statements: what each unit does, and what it satisfies. */
const nested: [string, string[], string[][], string[]][] = [
  [
    'all five values, each met in its way',
    ['NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed'],
    [[], ['passed'], ['completed'], ['completed', 'passed'], ['passed']],
    ['inner', 'outer', 'course'],
  ],
  [
    'one in the inner block is half met',
    ['CompletedAndPassed', 'NotApplicable', 'NotApplicable', 'NotApplicable', 'NotApplicable'],
    [['completed'], [], [], [], []],
    [],
  ],
  [
    'the inner block alone',
    ['Completed', 'CompletedOrPassed', 'Passed', 'NotApplicable', 'Completed'],
    [['completed'], ['completed'], ['failed'], [], []],
    ['inner'],
  ],
]

test.each(nested)('cmi5 13.1.4: roll-up through nested blocks: %s', async (_name, moveOns, done, expected) => {
  const blocks = ['inner', 'inner', 'outer', 'outer', undefined]
  const module = await aModule(system, {
    blocks: [{ id: 'outer' }, { id: 'inner', parent: 'outer' }],
    units: moveOns.map((moveOn, index) => ({ moveOn, ...(blocks[index] && { block: blocks[index] }) })),
  })
  const learner = await aLearner()
  const launch = { moduleVersionUid: module.versionUid }
  let registrationUid = ''
  for (const [unitIndex, verbs] of done.entries()) {
    registrationUid = (await visit(learner, { ...launch, unitIndex }, ...verbs)).session.registrationUid
  }
  const satisfied = (await storyOf(db, registrationUid)).filter(({ verb }) => verb === 'satisfied')
  const names = satisfied.map(({ body }) => body.context.contextActivities.grouping[0].id.split('/').at(-1))
  expect(names).toEqual(expected)
  const [attempt] = await listOwnAttempts(learner, { moduleUid: module.uid })
  expect(attempt?.isSatisfied).toBe(expected.includes('course'))
})
