/** What staff do with learners' attempts: launch for a learner, abandon sessions, waive units and move attempts. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import {
  abandonLaunch,
  checkLaunchSession,
  getLaunch,
  launchInfo,
  launchUnit,
  moveAttempt,
  rebuildProgress,
  waiveUnit,
} from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { setUnitOverride } from '~/services/modules/overrides.server.ts'
import { findOwnModulesProgress, listAttemptsOfLearner, listOwnAttempts } from '~/services/progress/progress.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { aPerson, aSiteWithStaff, aStory, type Person, times, unitUid, verbsOf } from '../support/attempts.ts'
import { aModule, aModuleVersion, launchAndFetch, send, statementOf, storyOf, visit } from '../support/cmi5.ts'

const { db, system, author, foreignAdmin } = await aSiteWithStaff()

const sessionKey = 'https://w3id.org/xapi/cmi5/context/extensions/sessionid'
const reasonKey = 'https://w3id.org/xapi/cmi5/result/extensions/reason'

const aQuestion = {
  id: 'https://questions.example/which-well',
  definition: {
    type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
    interactionType: 'choice',
    correctResponsesPattern: ['a'],
    choices: [{ id: 'a', description: { en: 'Well A1' } }],
  },
}

async function progressOf(learner: Ctx, { uid }: { uid: string }) {
  return (await findOwnModulesProgress(learner, { moduleUids: [uid] })).get(uid)
}

test('staff open a unit in a learner’s attempt: the learner is the actor, and in Normal mode it counts for her', async () => {
  const { module, learner, launch, registrationUid } = await aStory(system)
  const input = { ...launch, registrationUid, unitUid: unitUid(module, 1) }
  const { uid, session } = await launchAndFetch(author, input)
  expect(session).toMatchObject({ registrationUid, actor: { account: { name: learner.viewer.uid } }, mode: 'Normal' })
  const opened = await getLaunch(author, { auLaunchSessionUid: uid })
  const address = new URL(opened.launchUrl ?? '')
  expect(JSON.parse(address.searchParams.get('actor') ?? '').account.name).toBe(learner.viewer.uid)
  expect(address.searchParams.get('registration')).toBe(registrationUid)
  expect(opened.staff).toEqual({ attempt: registrationUid, mode: 'Normal', learnerName: 'Ada Okafor' })
  expect(await checkLaunchSession(author, { auLaunchSessionUid: uid })).toMatchObject({ status: true })
  // The session belongs to the window of the staff member and does not change the learner's place.
  await expect(getLaunch(learner, { auLaunchSessionUid: uid })).rejects.toThrow(NotFound)
  await send(author, session, [statementOf(session, 'initialized'), statementOf(session, 'completed')])
  expect(await progressOf(learner, module)).toMatchObject({ percent: 100 })
  expect(await progressOf(author, module)).toBeUndefined()
  const [entry] = await listAuditEntries(author, { entity: 'attempt', entityUid: registrationUid })
  expect(entry).toMatchObject({ action: 'attempt.launched', after: { mode: 'Normal', auLaunchSessionUid: uid } })
})

test.each(['browse', 'Review'])('cmi5 10.2.2: in %s mode staff view an attempt without changing it', async (mode) => {
  const { module, learner, launch, registrationUid } = await aStory(system)
  const before = await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid: learner.viewer.uid })
  const { session } = await launchAndFetch(author, { ...launch, registrationUid, unitIndex: 1, mode })
  expect(session.launchData.launchMode.toLowerCase()).toBe(mode.toLowerCase())
  await send(author, session, [
    statementOf(session, 'initialized'),
    statementOf(session, 'experienced', { progress: 70 }),
    statementOf(session, 'answered', { object: aQuestion, result: { response: 'a', success: true } }),
  ])
  await expect(send(author, session, statementOf(session, 'passed'))).rejects.toThrow('10.2.2')
  await send(author, session, statementOf(session, 'terminated', { result: { duration: 'PT1H' } }))
  const again = await launchAndFetch(author, { ...launch, registrationUid, unitIndex: 1, mode })
  await send(author, again.session, statementOf(again.session, 'initialized'))
  await abandonLaunch(author, { auLaunchSessionUid: again.uid })
  const marks = async () => {
    const { attempts } = await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid: learner.viewer.uid })
    const answers = await db
      .selectFrom('question_answers as a')
      .innerJoin('registrations as r', 'r.id', 'a.registration_id')
      .select('a.seq')
      .where('r.uid', '=', registrationUid)
      .execute()
    return { unit: attempts[0]?.units[1], answers: answers.length }
  }
  const none = { unit: { state: 'not started', percent: 0, lastVisitedAt: null, seconds: 0 }, answers: 0 }
  expect(await marks()).toMatchObject(none)
  await rebuildProgress(system, { registrationUid })
  expect(await marks()).toMatchObject(none)
  const after = await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid: learner.viewer.uid })
  expect(after.attempts[0]?.percent).toBe(before.attempts[0]?.percent)
  const next = await launchAndFetch(learner, launch)
  expect(next.session.unitId).toBe(module.units[1]?.id)
  expect((await getUser(author, { userUid: author.viewer.uid })).lastViewedModuleUid).toBeNull()
})

test('the last visit of an attempt is that of its units: the latest launch in Normal mode', async () => {
  const { module, learner, launch, registrationUid } = await aStory(system)
  const inMinutes = (ctx: Person, minutes: number) => ({ ...ctx, now: new Date(ctx.now.getTime() + minutes * 60_000) })
  const { session } = await launchAndFetch(inMinutes(learner, 10), { ...launch, unitIndex: 1 })
  await send(inMinutes(learner, 15), session, statementOf(session, 'initialized'))
  await launchAndFetch(inMinutes(author, 20), { ...launch, registrationUid, unitIndex: 0, mode: 'Review' })
  const [attempt] = await listOwnAttempts(learner, { moduleUid: module.uid })
  const [first, second] = attempt?.units.map((unit) => unit.lastVisitedAt?.getTime() ?? 0) ?? []
  expect(second).toBeGreaterThan(first ?? 0)
  // Neither the last sign of life of its session nor the review.
  expect(second).toBeLessThan(inMinutes(learner, 15).now.getTime())
  expect(attempt?.units[1]?.lastVisitedAt).toEqual(attempt?.lastVisitedAt)
  expect((await progressOf(learner, module))?.lastVisitedAt).toEqual(attempt?.lastVisitedAt)
})

test('a learner continues where she stopped, not where staff looked', async () => {
  const module = await aModule(system, { units: [{}, {}, {}] })
  const learner = await aPerson(db)
  const launch = { moduleVersionUid: module.versionUid }
  const { session } = await launchAndFetch(learner, { ...launch, unitIndex: 1 })
  await launchUnit(author, { ...launch, registrationUid: session.registrationUid, unitIndex: 2, mode: 'browse' })
  expect((await launchAndFetch(learner, launch)).session.unitId).toBe(module.units[1]?.id)
})

test('without a given attempt, staff open the learner’s open one, or a new one if she may open the module', async () => {
  const { module, learner, launch, registrationUid } = await aStory(system)
  const userUid = learner.viewer.uid
  const resumed = await launchAndFetch(author, { ...launch, userUid, mode: 'review' })
  expect(resumed.session.registrationUid).toBe(registrationUid)
  const newcomer = await aPerson(db)
  const opened = await launchAndFetch(author, { ...launch, userUid: newcomer.viewer.uid })
  expect(opened.session.actor.account.name).toBe(newcomer.viewer.uid)
  expect(await listOwnAttempts(newcomer, { moduleUid: module.uid })).toHaveLength(1)
  const stranger = await aPerson(db, { plan: null })
  const refused = launchUnit(author, { ...launch, userUid: stranger.viewer.uid })
  await expect(refused).rejects.toThrow('This learner has no access to this module.')
  expect(await listOwnAttempts(stranger, { moduleUid: module.uid })).toEqual([])
})

test('a closed attempt can be viewed but not added to', async () => {
  const { launch, learner, registrationUid } = await aStory(system, { units: [{}] })
  await launchUnit(learner, { ...launch, retake: true })
  await expect(launchUnit(author, { ...launch, registrationUid })).rejects.toThrow('This attempt is over.')
  const { session } = await launchAndFetch(author, { ...launch, registrationUid, mode: 'review' })
  expect(session.registrationUid).toBe(registrationUid)
  await expect(waiveUnit(author, { registrationUid, unitUid: randomUUID(), reason: 'Administrative' })).rejects.toThrow(
    NotFound,
  )
})

test('modes, attempts and learners are for staff of the site, and must belong together', async () => {
  const { module, learner, launch, registrationUid } = await aStory(system)
  const other = await aStory(system)
  const instructor = await aPerson(db, { groups: ['instructors'] })
  const userUid = learner.viewer.uid
  for (const wish of [{ registrationUid }, { userUid }, { mode: 'review' }]) {
    await expect(launchUnit(instructor, { ...launch, ...wish }), JSON.stringify(wish)).rejects.toThrow(Forbidden)
    await expect(launchUnit(foreignAdmin, { ...launch, ...wish }), JSON.stringify(wish)).rejects.toThrow(NotFound)
    await expect(launchUnit(system, { ...launch, ...wish })).rejects.toThrow('Login required.')
  }
  // Her own uid and the usual mode are allowed.
  await launchUnit(learner, { ...launch, userUid, mode: 'normal' })
  await expect(launchUnit(learner, { ...launch, registrationUid })).rejects.toThrow(Forbidden)
  for (const wish of [
    { registrationUid: other.registrationUid },
    { registrationUid, userUid: other.learner.viewer.uid },
    { registrationUid: randomUUID() },
    { registrationUid: 'x' },
    { userUid: randomUUID() },
    { userUid: foreignAdmin.viewer.uid },
    { registrationUid, unitIndex: 7 },
    { registrationUid, unitUid: unitUid(other.module, 0) },
    { registrationUid, unitUid: randomUUID() },
  ]) {
    await expect(launchUnit(author, { ...launch, ...wish }), JSON.stringify(wish)).rejects.toThrow(NotFound)
  }
  await expect(launchUnit(author, { ...launch, registrationUid, mode: 'sideways' })).rejects.toThrow(Invalid)
  await expect(launchUnit(author, { ...launch, preview: true, userUid })).rejects.toThrow(
    'You can preview only for yourself.',
  )
  expect(await launchInfo(author, { ...launch, mode: 'sideways' })).toMatchObject({
    error: 'The mode must be normal, browse or review.',
    launchUrl: null,
  })
  expect(module.uid).not.toBe(other.module.uid)
})

test('an author tries a module in Normal mode, in a preview that counts nowhere', async () => {
  const module = await aModule(system, { isPublished: false, units: [{ moveOn: 'Completed' }] })
  const launch = { moduleVersionUid: module.versionUid, preview: true, mode: 'normal' }
  const { session } = await visit(author, launch, 'completed')
  expect(await verbsOf(db, session.registrationUid)).toContain('satisfied')
  expect(await progressOf(author, module)).toBeUndefined()
})

test('ten staff launches at once leave one open session in the one attempt', async () => {
  const { launch, learner, registrationUid, module } = await aStory(system)
  const results = await times(10, () => launchUnit(author, { ...launch, registrationUid, mode: 'browse' }))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  const verbs = (await verbsOf(db, registrationUid)).slice(4)
  expect(verbs.filter((verb) => verb === 'launched')).toHaveLength(10)
  expect(verbs.filter((verb) => verb === 'abandoned')).toHaveLength(9)
  expect(await listOwnAttempts(learner, { moduleUid: module.uid })).toHaveLength(1)
})

test('cmi5 9.3.6: its learner or staff can abandon a session once', async () => {
  const { launch, learner } = await aStory(system)
  const { uid, session } = await launchAndFetch(learner, launch)
  await send(learner, session, statementOf(session, 'initialized'))
  const results = await times(10, () => abandonLaunch(author, { auLaunchSessionUid: uid }))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Conflict)
  const story = await storyOf(db, session.registrationUid)
  const abandoned = story.filter(({ verb }) => verb === 'abandoned')
  expect(abandoned.map(({ body }) => body.context.extensions[sessionKey])).toEqual([uid])
  await expect(send(learner, session, statementOf(session, 'completed'))).rejects.toThrow(Forbidden)
  const [entry] = await listAuditEntries(author, { entity: 'attempt', entityUid: session.registrationUid })
  expect(entry?.action).toBe('attempt.session_abandoned')
})

test('another learner’s session and a session of the other site are not found', async () => {
  const { launch, learner } = await aStory(system)
  const { auLaunchSessionUid } = await launchUnit(learner, launch)
  const instructor = await aPerson(db, { groups: ['instructors'] })
  for (const person of [instructor, await aPerson(db), foreignAdmin]) {
    await expect(abandonLaunch(person, { auLaunchSessionUid })).rejects.toThrow(NotFound)
  }
  await expect(abandonLaunch(author, { auLaunchSessionUid: 'x' })).rejects.toThrow(NotFound)
  await abandonLaunch(learner, { auLaunchSessionUid })
})

test('cmi5 9.3.7, 9.3.9: a waived unit counts as met, in a separate session, with all its effects', async () => {
  const spec = { blocks: [{ id: 'block' }], units: [{ id: 'a' }, { id: 'b', block: 'block', moveOn: 'Passed' }] }
  const { module, learner, registrationUid } = await aStory(system, spec)
  const input = { registrationUid, unitUid: unitUid(module, 1), reason: 'Tested Out' }
  expect(await waiveUnit(author, input)).toEqual({ percent: 100 })
  const story = (await storyOf(db, registrationUid)).slice(-3)
  expect(story.map(({ verb }) => verb)).toEqual(['waived', 'satisfied', 'satisfied'])
  const [waived, block, course] = story.map(({ body }) => body)
  expect(waived.object.id).toBe(module.units[1]?.iri)
  expect(waived.actor.account.name).toBe(learner.viewer.uid)
  expect(waived.result).toEqual({ success: true, completion: true, extensions: { [reasonKey]: 'Tested Out' } })
  expect(waived.context.registration).toBe(registrationUid)
  expect(waived.context.contextActivities.category.map(({ id }: { id: string }) => id.split('/').at(-1))).toEqual([
    'cmi5',
    'moveon',
  ])
  expect(waived.context.contextActivities.grouping).toEqual([{ id: module.units[1]?.publisherId }])
  const session = waived.context.extensions[sessionKey]
  expect([block, course].map((body) => body.context.extensions[sessionKey])).toEqual([session, session])
  const sessions = await db.selectFrom('launch_sessions').select('uid').where('uid', '=', session).execute()
  expect(sessions).toEqual([])
  expect(await progressOf(learner, module)).toMatchObject({ percent: 100 })
  const [attempt] = await listOwnAttempts(learner, { moduleUid: module.uid })
  expect(attempt).toMatchObject({ isSatisfied: true })
  expect(attempt?.units[1]).toMatchObject({ state: 'waived', waiveReason: 'Tested Out', percent: 100 })
  const [entry] = await listAuditEntries(author, { entity: 'attempt', entityUid: registrationUid })
  expect(entry).toMatchObject({ action: 'attempt.unit_waived', after: { reason: 'Tested Out' } })
})

test('a unit can be waived once, and a completed unit cannot', async () => {
  const { module, registrationUid } = await aStory(system)
  const input = { registrationUid, unitUid: unitUid(module, 1), reason: 'Administrative' }
  const results = await times(10, () => waiveUnit(author, input))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Conflict)
  expect((await verbsOf(db, registrationUid)).filter((verb) => verb === 'waived')).toHaveLength(1)
  await expect(waiveUnit(author, { ...input, unitUid: unitUid(module, 0) })).rejects.toThrow(
    'This unit is done already',
  )
})

test('waiving is for staff of the site, for a known unit of the attempt and a known reason', async () => {
  const { module, learner, registrationUid } = await aStory(system)
  const other = await aStory(system)
  const input = { registrationUid, unitUid: unitUid(module, 1), reason: 'Equivalent Outside Activity' }
  for (const person of [learner, await aPerson(db, { groups: ['instructors'] })]) {
    await expect(waiveUnit(person, input)).rejects.toThrow(Forbidden)
  }
  await expect(waiveUnit(system, input)).rejects.toThrow('Login required.')
  await expect(waiveUnit(foreignAdmin, input)).rejects.toThrow(NotFound)
  for (const wrong of [
    { unitUid: unitUid(other.module, 1) },
    { unitUid: 'x' },
    { registrationUid: randomUUID() },
    { registrationUid: '' },
  ]) {
    await expect(waiveUnit(author, { ...input, ...wrong }), JSON.stringify(wrong)).rejects.toThrow(NotFound)
  }
  for (const reason of ['', 'tested out', 'x'.repeat(5000)]) {
    await expect(waiveUnit(author, { ...input, reason })).rejects.toThrow(Invalid)
  }
  expect(await verbsOf(db, registrationUid)).not.toContain('waived')
})

test('cmi5 9.3.9: a unit that was met, launched with another moveOn and met again satisfies the course', async () => {
  for (const end of ['passed', 'waived']) {
    const { module, learner, launch, registrationUid } = await aStory(system, { units: [{ id: 'a' }, { id: 'b' }] })
    const override = { moduleUid: module.uid, unitUid: unitUid(module, 0), masteryScore: '', launchParameters: '' }
    await setUnitOverride(author, { ...override, moveOn: 'Passed', revision: 0 })
    await visit(learner, { ...launch, unitIndex: 0 })
    await visit(learner, { ...launch, unitIndex: 1 }, 'completed')
    expect(await verbsOf(db, registrationUid)).not.toContain('satisfied')
    if (end === 'passed') await visit(learner, { ...launch, unitIndex: 0 }, 'passed')
    else await waiveUnit(author, { registrationUid, unitUid: unitUid(module, 0), reason: 'Tested Out' })
    expect((await verbsOf(db, registrationUid)).filter((verb) => verb === 'satisfied')).toHaveLength(1)
    const [attempt] = await listOwnAttempts(learner, { moduleUid: module.uid })
    expect(attempt).toMatchObject({ percent: 100, isSatisfied: true })
  }
})

test('after staff launches, waivers and moves, a rebuild computes the same', async () => {
  const { module, learner, launch, registrationUid } = await aStory(system, {
    units: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  })
  await visit(author, { ...launch, registrationUid, unitIndex: 1, mode: 'review' })
  await waiveUnit(author, { registrationUid, unitUid: unitUid(module, 2), reason: 'Equivalent Outside Activity' })
  const next = await aModuleVersion(system, module, { units: [{ id: 'a' }, { id: 'c' }] })
  const moved = await moveAttempt(author, { registrationUid, moduleVersionUid: next.versionUid })
  expect(await progressOf(learner, module)).toMatchObject({ percent: 100 })
  const state = async () => ({
    attempts: await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid: learner.viewer.uid }),
    units: await db
      .selectFrom('registration_units')
      .selectAll()
      .orderBy('registration_id')
      .orderBy('unit_id')
      .execute(),
    progress: await db.selectFrom('module_progress').selectAll().where('module_id', '=', module.id).execute(),
  })
  await setUnitOverride(author, {
    ...{ moduleUid: module.uid, unitUid: next.units[1]?.uid ?? '' },
    ...{ moveOn: 'Passed', masteryScore: '0.9', launchParameters: 'x', revision: 0 },
  })
  const before = await state()
  await rebuildProgress(system, { registrationUid: moved.registrationUid })
  expect(await state()).toEqual(before)
})
