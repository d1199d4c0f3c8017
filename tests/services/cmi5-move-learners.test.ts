/** "Move learners to this version": who is in the middle of another one, a batch at a time, by a job. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import {
  countLearnersToMove,
  countPeopleInModule,
  launchUnit,
  moveLearners,
  queueMoveOfLearners,
} from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, NotFound } from '~/services/errors.ts'
import { listOwnAttempts } from '~/services/progress/progress.server.ts'
import { aPerson, type Person } from '../support/attempts.ts'
import { aModule, aModuleVersion, visit } from '../support/cmi5.ts'
import { db, expectGuarded, ctx as system } from '../support/test.ts'

let author: Person

beforeAll(async () => {
  author = await aPerson(db, { groups: ['authors'] })
})

/** Three in the middle of the first version, one who is done, one who only opened it; then there is a second version. */
async function aCrowd() {
  const units = [{ id: 'a' }, { id: 'b' }]
  const module = await aModule(system, { units })
  const launch = { moduleVersionUid: module.versionUid }
  const middle = [await aPerson(db), await aPerson(db), await aPerson(db)]
  for (const person of middle) await visit(person, { ...launch, unitIndex: 0 }, 'completed')
  const [done, waiting] = [await aPerson(db), await aPerson(db)]
  for (const unitIndex of [0, 1]) await visit(done, { ...launch, unitIndex }, 'completed')
  await launchUnit(waiting, launch)
  const next = await aModuleVersion(system, module, { units: [...units, { id: 'c' }] })
  return { module, middle, done, waiting, input: { moduleUid: module.uid, moduleVersionUid: next.versionUid } }
}

async function queued(moduleVersionUid: string) {
  const { rows } = await sql<{ payload: Parameters<typeof moveLearners>[1] }>`
    select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'move-learners' and j.payload ->> 'moduleVersionUid' = ${moduleVersionUid}`.execute(db)
  return rows.map(({ payload }) => payload)
}

test('those in the middle of another version go on in this one, a batch at a time; the others stay', async () => {
  const { module, middle, done, waiting, input } = await aCrowd()
  expect(await countLearnersToMove(author, input)).toMatchObject({ version: 2, learners: 3 })
  expect(await countPeopleInModule(author, input)).toMatchObject({ inProgress: 3, inOtherVersions: 3 })
  expect(await queueMoveOfLearners(author, input)).toMatchObject({ learners: 3 })
  let [payload] = await queued(input.moduleVersionUid)
  let moved = 0
  for (let turn = 0; payload && turn < 5; turn++) {
    const result = await moveLearners(system, { ...payload, most: 2 })
    moved += result.moved
    payload = result.isDone ? undefined : (await queued(input.moduleVersionUid)).at(-1)
  }
  expect(moved).toBe(3)
  const versionsOf = async (person: Ctx) =>
    (await listOwnAttempts(person, { moduleUid: module.uid })).map(({ version, isOpen, percent }) => [
      version,
      isOpen,
      percent,
    ])
  for (const person of middle) {
    expect(await versionsOf(person)).toEqual([
      [2, true, 33],
      [1, false, 50],
    ])
  }
  expect([await versionsOf(done), await versionsOf(waiting)]).toEqual([[[1, true, 100]], [[1, true, 0]]])
  expect(await countLearnersToMove(author, input)).toMatchObject({ learners: 0 })
  await expect(queueMoveOfLearners(author, input)).rejects.toThrow(Conflict)
  expect(await countPeopleInModule(author, input)).toEqual({ inProgress: 3, openNow: 0, inOtherVersions: 0 })
  const [entry] = await listAuditEntries(author, { entity: 'module', entityUid: module.uid })
  expect(entry).toMatchObject({ action: 'module.learners_moved', after: { version: 2, learners: 3 } })
})

test('asked for ten times, run twice at once and killed in between, each attempt is moved once', async () => {
  const { module, middle, input } = await aCrowd()
  await Promise.all(Array.from({ length: 10 }, () => queueMoveOfLearners(author, input)))
  const jobs = await queued(input.moduleVersionUid)
  expect(jobs).toHaveLength(1)
  const payload = jobs[0] as Parameters<typeof moveLearners>[1]
  await moveLearners(system, { ...payload, most: 1 })
  await Promise.all([moveLearners(system, payload), moveLearners(system, payload)])
  for (const person of middle) expect(await listOwnAttempts(person, { moduleUid: module.uid })).toHaveLength(2)
})

test('it is for staff of the site and ready versions of the module, and ends with the rights of who asked', async () => {
  const { module, middle, input } = await aCrowd()
  const other = await aModule(system)
  await expectGuarded(queueMoveOfLearners, input, { by: ['authors', 'admins'] })
  await expectGuarded(countLearnersToMove, input, { by: ['authors', 'admins'] })
  const foreign = await aPerson(db, { site: 'ns', groups: ['admins'] })
  for (const [person, wrong] of [
    [foreign, {}],
    [author, { moduleVersionUid: other.versionUid }],
    [author, { moduleVersionUid: 'x' }],
    [author, { moduleUid: other.uid }],
  ] as const) {
    await expect(queueMoveOfLearners(person, { ...input, ...wrong })).rejects.toThrow(NotFound)
  }
  const work = { moduleVersionUid: input.moduleVersionUid, afterUid: null }
  for (const person of [middle[0] as Person, foreign]) {
    expect(await moveLearners(system, { ...work, movedByUid: person.viewer.uid })).toEqual({ moved: 0, isDone: true })
  }
  expect(await listOwnAttempts(middle[0] as Person, { moduleUid: module.uid })).toHaveLength(1)
})
