import { expect, test } from 'vitest'
import { launchUnit, moveAttempt, waiveUnit } from '~/services/cmi5/cmi5.server.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { listOwnAttempts } from '~/services/progress/progress.server.ts'
import { aPerson, aSiteWithStaff, aStory, times, unitUid, verbsOf } from '../support/attempts.ts'
import { aModule, aModuleVersion, launchAndFetch, send, statementOf, storyOf } from '../support/cmi5.ts'
import { expectGuarded } from '../support/test.ts'

const { db, system, author } = await aSiteWithStaff()

const reasonKey = 'https://w3id.org/xapi/cmi5/result/extensions/reason'

test('moving a begun attempt closes it and opens a new one, in which met units count as Equivalent AU', async () => {
  const { module, learner, launch, registrationUid } = await aStory(system, {
    units: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  })
  const open = await launchAndFetch(learner, { ...launch, unitIndex: 1 })
  const next = await aModuleVersion(system, module, {
    units: [{ id: 'b' }, { id: 'a', moveOn: 'Passed' }, { id: 'new', moveOn: 'NotApplicable' }],
  })
  const moved = await moveAttempt(author, { registrationUid, moduleVersionUid: next.versionUid })
  expect(moved).toEqual({ registrationUid: expect.any(String), version: 2, waivedUnits: 1 })
  expect((await verbsOf(db, registrationUid)).at(-1)).toBe('abandoned')
  await expect(send(learner, open.session, statementOf(open.session, 'initialized'))).rejects.toThrow(Forbidden)
  const [waived] = await storyOf(db, moved.registrationUid)
  expect(waived).toMatchObject({ verb: 'waived', object: next.units[1]?.iri })
  expect(waived?.body.result.extensions[reasonKey]).toBe('Equivalent AU')
  const [attempt, before] = await listOwnAttempts(learner, { moduleUid: module.uid })
  expect(attempt).toMatchObject({ version: 2, isOpen: true, percent: 33 })
  expect(before).toMatchObject({ version: 1, isOpen: false, percent: 33 })
  const resumed = await launchAndFetch(learner, launch)
  expect(resumed.session).toMatchObject({ registrationUid: moved.registrationUid, unitId: next.units[0]?.id })
})

test('a moved attempt stays on its new version, even before anything is begun there', async () => {
  const { module, learner, launch, registrationUid } = await aStory(system)
  const next = await aModuleVersion(system, module, { units: [{ id: 'a' }, { id: 'c' }], isPublished: false })
  const moved = await moveAttempt(author, { registrationUid, moduleVersionUid: next.versionUid })
  const { session } = await launchAndFetch(learner, launch)
  expect(session.registrationUid).toBe(moved.registrationUid)
  const back = await moveAttempt(author, {
    registrationUid: moved.registrationUid,
    moduleVersionUid: module.versionUid,
  })
  expect(back).toMatchObject({ version: 1, waivedUnits: 1 })
})

test('an attempt between two moves stays in the list, even if nobody began it', async () => {
  const { module, learner, registrationUid } = await aStory(system)
  const next = await aModuleVersion(system, module, { units: [{ id: 'a' }, { id: 'c' }] })
  const moved = await moveAttempt(author, { registrationUid, moduleVersionUid: next.versionUid })
  await moveAttempt(author, { registrationUid: moved.registrationUid, moduleVersionUid: module.versionUid })
  expect(await listOwnAttempts(learner, { moduleUid: module.uid })).toMatchObject([
    { number: 3, version: 1, isOpen: true },
    { number: 2, version: 2, isOpen: false, movedToVersion: 1 },
    { number: 1, version: 1, isOpen: false, movedToVersion: 2 },
  ])
})

test('waivers in an attempt that nobody began move with it to the published version', async () => {
  const module = await aModule(system, { units: [{ id: 'a' }, { id: 'b' }] })
  const learner = await aPerson(db)
  const launch = { moduleVersionUid: module.versionUid }
  const { session } = await launchAndFetch(learner, launch)
  const unit = { registrationUid: session.registrationUid, unitUid: unitUid(module, 0) }
  await waiveUnit(author, { ...unit, reason: 'Tested Out' })
  const next = await aModuleVersion(system, module, { units: [{ id: 'a' }, { id: 'b' }] })
  const target = { registrationUid: session.registrationUid, moduleVersionUid: next.versionUid }
  await expect(moveAttempt(author, target)).rejects.toThrow('This attempt was never begun.')
  const opened = await launchAndFetch(learner, launch)
  expect(await verbsOf(db, opened.session.registrationUid)).toEqual(['waived', 'launched'])
  expect(opened.session.unitId).toBe(next.units[1]?.id)
  expect((await listOwnAttempts(learner, { moduleUid: module.uid }))[0]).toMatchObject({ version: 2, percent: 50 })
})

test('moving is for staff of the site, to another version that is ready, and happens once', async () => {
  const { module, learner, registrationUid } = await aStory(system)
  const next = await aModuleVersion(system, module, { units: [{ id: 'a' }] })
  const other = await aStory(system)
  const input = { registrationUid, moduleVersionUid: next.versionUid }
  await expectGuarded(moveAttempt, input, { by: ['authors', 'admins'] })
  await expect(moveAttempt(author, { ...input, moduleVersionUid: other.module.versionUid })).rejects.toThrow(NotFound)
  await expect(moveAttempt(author, { ...input, moduleVersionUid: 'x' })).rejects.toThrow(Invalid)
  await expect(moveAttempt(author, { ...input, moduleVersionUid: module.versionUid })).rejects.toThrow('already in v1')
  const unread = await aModuleVersion(system, module, { units: [], isPublished: false })
  await expect(moveAttempt(author, { ...input, moduleVersionUid: unread.versionUid })).rejects.toThrow('is not ready')
  const results = await times(10, () => moveAttempt(author, input))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Conflict)
  expect(await listOwnAttempts(learner, { moduleUid: module.uid })).toHaveLength(2)
  const preview = await launchAndFetch(author, { moduleVersionUid: module.versionUid, preview: true })
  const { registrationUid: previewUid } = preview.session
  await expect(moveAttempt(author, { ...input, registrationUid: previewUid })).rejects.toThrow('A preview stays')
})

test('launches during a move lose nothing, and the attempt that stays open is in the new version', async () => {
  for (let round = 0; round < 5; round++) {
    const { module, learner, launch, registrationUid } = await aStory(system)
    const next = await aModuleVersion(system, module, { units: [{ id: 'a' }, { id: 'b' }] })
    const results = await Promise.allSettled([
      launchUnit(learner, launch),
      moveAttempt(author, { registrationUid, moduleVersionUid: next.versionUid }),
      launchUnit(learner, launch),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    const attempts = await listOwnAttempts(learner, { moduleUid: module.uid })
    expect(attempts.map(({ version, isOpen, percent }) => [version, isOpen, percent])).toEqual([
      [2, true, 50],
      [1, false, 50],
    ])
  }
})
