/** "Move learners to this version": a job moves the learners in the middle of another version, one batch at a time. */
import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { cancelBulkOperation, findBulkOperation, getBulkOperation } from '~/services/bulk/bulk.server.ts'
import { listBulkFailures } from '~/services/bulk/work-through-items.server.ts'
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

/** Simulates a killed process: once `isOver` says so, no more queries run. */
function afterThat(isOver: () => boolean): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      if (isOver()) throw new Error('killed')
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

beforeAll(async () => {
  author = await aPerson(db, { groups: ['authors'] })
})

/**
 * Three learners in the middle of the first version, one who completed it and one who only opened it; then a second
 * version.
 */
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

async function queued(operationUid: string) {
  const { rows } = await sql<{ payload: { operationUid: string } }>`
    select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'move-learners' and j.payload ->> 'operationUid' = ${operationUid}`.execute(db)
  return rows.map(({ payload }) => payload)
}

async function versionsOf(person: Ctx, moduleUid: string) {
  const attempts = await listOwnAttempts(person, { moduleUid })
  return attempts.map(({ version, isOpen, percent }) => [version, isOpen, percent])
}

test('learners in the middle of another version move to this one, one batch at a time; the others stay', async () => {
  const { module, middle, done, waiting, input } = await aCrowd()
  expect(await countLearnersToMove(author, input)).toMatchObject({ version: 2, learners: 3 })
  expect(await countPeopleInModule(author, input)).toMatchObject({ inProgress: 3, inOtherVersions: 3 })
  const { operationUid, ...found } = await queueMoveOfLearners(author, input)
  expect(found).toMatchObject({ learners: 3 })
  let [payload] = await queued(operationUid)
  let moved = 0
  for (let turn = 0; payload && turn < 5; turn++) {
    const result = await moveLearners(system, { ...payload, most: 2 })
    moved += result.moved
    expect(await getBulkOperation(author, { operationUid })).toMatchObject({ total: 3, done: moved, failed: 0 })
    payload = result.isDone ? undefined : (await queued(operationUid)).at(-1)
  }
  expect(moved).toBe(3)
  expect(await getBulkOperation(author, { operationUid })).toMatchObject({ status: 'done' })
  for (const person of middle) {
    expect(await versionsOf(person, module.uid)).toEqual([
      [2, true, 33],
      [1, false, 50],
    ])
  }
  expect([await versionsOf(done, module.uid), await versionsOf(waiting, module.uid)]).toEqual([
    [[1, true, 100]],
    [[1, true, 0]],
  ])
  expect(await countLearnersToMove(author, input)).toMatchObject({ learners: 0 })
  await expect(queueMoveOfLearners(author, input)).rejects.toThrow(Conflict)
  expect(await countPeopleInModule(author, input)).toEqual({ inProgress: 3, openNow: 0, inOtherVersions: 0 })
  const [entry] = await listAuditEntries(author, { entity: 'module', entityUid: module.uid })
  expect(entry).toMatchObject({ action: 'module.learners_moved', after: { version: 2, learners: 3 } })
})

test('requested ten times, run twice at once and killed in between, the job moves and counts each attempt once', async () => {
  const { module, middle, input } = await aCrowd()
  const asked = await Promise.all(Array.from({ length: 10 }, () => queueMoveOfLearners(author, input)))
  expect(new Set(asked.map(({ operationUid }) => operationUid)).size).toBe(1)
  const [{ operationUid } = { operationUid: '' }] = asked
  expect(await queued(operationUid)).toHaveLength(1)
  const entries = await listAuditEntries(author, { entity: 'module', entityUid: module.uid })
  expect(entries.filter(({ action }) => action === 'module.learners_moved')).toHaveLength(1)
  await moveLearners(system, { operationUid, most: 1 })
  await Promise.all([moveLearners(system, { operationUid }), moveLearners(system, { operationUid })])
  for (const person of middle) {
    const [moved, before, ...others] = await listOwnAttempts(person, { moduleUid: module.uid })
    expect(others).toEqual([])
    expect(moved, 'nothing was launched in it').toMatchObject({ startedAt: null, lastVisitedAt: null })
    expect(before).toMatchObject({ startedAt: expect.any(Date), lastVisitedAt: expect.any(Date) })
  }
  const operation = await getBulkOperation(author, { operationUid })
  expect(operation).toMatchObject({ status: 'done', total: 3, done: 3, failed: 0 })
})

test('after a kill in the middle of a batch, the next run continues behind the last recorded attempt', async () => {
  const { module, middle, input } = await aCrowd()
  const { operationUid } = await queueMoveOfLearners(author, input)
  for (const queries of [5, 40, 40]) {
    let left = queries
    const dying = { ...system, db: system.db.withPlugin(afterThat(() => left-- <= 0)) }
    await expect(moveLearners(dying, { operationUid })).rejects.toThrow('killed')
    const { status, done } = await getBulkOperation(author, { operationUid })
    const versions = await Promise.all(middle.map((person) => versionsOf(person, module.uid)))
    expect([status, done]).toEqual(['running', versions.filter((one) => one.length === 2).length])
  }
  await moveLearners(system, { operationUid })
  expect(await getBulkOperation(author, { operationUid })).toMatchObject({ status: 'done', done: 3, failed: 0 })
  for (const person of middle) expect(await versionsOf(person, module.uid)).toHaveLength(2)
})

test('after a cancel between batches, the remaining attempts stay and the moved ones stay moved', async () => {
  const { module, middle, input } = await aCrowd()
  const { operationUid } = await queueMoveOfLearners(author, input)
  await moveLearners(system, { operationUid, most: 1 })
  await cancelBulkOperation(author, { operationUid })
  expect(await moveLearners(system, { operationUid })).toEqual({ moved: 0, isDone: true })
  expect(await getBulkOperation(author, { operationUid })).toMatchObject({ status: 'canceled', done: 1, total: 3 })
  const counts = await Promise.all(middle.map(async (person) => (await versionsOf(person, module.uid)).length))
  expect(counts.sort()).toEqual([1, 1, 2])
  // It can be started again for the remaining learners.
  expect(await queueMoveOfLearners(author, input)).toMatchObject({ learners: 2 })
})

test('an attempt that cannot be moved is listed with its reason, and the others are moved', async () => {
  const { module, middle, input } = await aCrowd()
  const { operationUid } = await queueMoveOfLearners(author, input)
  const [stuck] = middle as [Person]
  const [attempt] = await listOwnAttempts(stuck, { moduleUid: module.uid })
  await db
    .updateTable('cmi5_packages')
    .set({ status: 'error' })
    .where('module_version_id', '=', (eb) =>
      eb.selectFrom('module_versions').select('id').where('uid', '=', input.moduleVersionUid),
    )
    .execute()
  await moveLearners(system, { operationUid })
  const failures = await listBulkFailures(author, { operationUid })
  expect(await getBulkOperation(author, { operationUid })).toMatchObject({ status: 'done', done: 3, failed: 3 })
  expect(failures).toHaveLength(3)
  expect(failures[0]).toMatchObject({ itemUid: attempt?.registrationUid, reason: expect.stringContaining('not ready') })
  expect(failures[0]?.label).not.toBe('')
})

test('it is for staff of the site and ready versions of the module, and stops if the person who asked loses the right', async () => {
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
  const former = await aPerson(db, { groups: ['authors'] })
  const { operationUid } = await queueMoveOfLearners(former, input)
  await expect(queueMoveOfLearners(author, input), 'while somebody else does it').rejects.toThrow(Conflict)
  await db.deleteFrom('user_groups').where('user_id', '=', former.viewer.id).execute()
  expect(await moveLearners(system, { operationUid })).toEqual({ moved: 0, isDone: true })
  const admin = await aPerson(db, { groups: ['admins'] })
  expect(await getBulkOperation(admin, { operationUid })).toMatchObject({ status: 'canceled', done: 0 })
  expect(await listOwnAttempts(middle[0] as Person, { moduleUid: module.uid })).toHaveLength(1)
})

test('a job queued by an older build starts over for the person who asked for it, and for nobody else', async () => {
  const { module, middle, input } = await aCrowd()
  const old = { moduleVersionUid: input.moduleVersionUid, afterUid: null }
  const foreign = await aPerson(db, { site: 'ns', groups: ['admins'] })
  for (const person of [middle[0] as Person, foreign]) {
    await moveLearners(system, { ...old, movedByUid: person.viewer.uid })
    expect(await findBulkOperation(author, { kind: 'move-learners', subjectUid: old.moduleVersionUid })).toBeNull()
  }
  for (let time = 0; time < 2; time++) await moveLearners(system, { ...old, movedByUid: author.viewer.uid })
  const operation = await findBulkOperation(author, { kind: 'move-learners', subjectUid: old.moduleVersionUid })
  expect(operation).toMatchObject({ status: 'running', total: 3 })
  await moveLearners(system, { operationUid: operation?.uid ?? '' })
  for (const person of middle) expect(await versionsOf(person, module.uid)).toHaveLength(2)
})
