/** Bulk operations: progress, cancel, what failed, and who may see it. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import {
  cancelBulkOperation,
  dismissBulkOperation,
  endBulkOperation,
  findBulkOperation,
  findBulkWork,
  getBulkOperation,
  getBulkStarter,
  mostPrepared,
  prepareBulkOperation,
  startBulkOperation,
  startPreparedOperation,
} from '~/services/bulk/bulk.server.ts'
import { deleteOldBulkOperations, failStuckBulkOperations } from '~/services/bulk/clean-up-operations.server.ts'
import {
  BulkStopped,
  listBulkFailures,
  listBulkItems,
  listChangedItems,
  listUnchangedItems,
  recordBulkItem,
  workThroughItems,
} from '~/services/bulk/work-through-items.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, NotFound } from '~/services/errors.ts'
import { queue } from '~/services/queue/queue.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aPerson, type Person } from '../support/attempts.ts'
import { openTestDatabase } from '../support/context.ts'
import { databaseUrl, db, expectGuarded, ctx as worker } from '../support/test.ts'

const author = await aPerson(db, { groups: ['authors'] })
const admin = await aPerson(db, { groups: ['admins'] })
const start = (total = 3) => startBulkOperation(author, { kind: 'move-learners', subjectUid: randomUUID(), total })
const item = (operationUid: string, after: string | null, problem: string | null = null) => ({
  operationUid,
  after,
  itemUid: randomUUID(),
  label: 'Ada Okafor',
  outcome: problem === null ? ('changed' as const) : { problem },
})

test('progress is counted once per thing, in order, with what failed and why', async () => {
  const { uid } = await start(1)
  const [one, two] = [item(uid, null), item(uid, null, 'No')]
  await recordBulkItem(worker, one)
  await expect(recordBulkItem(worker, one), 'the same again').rejects.toThrow(BulkStopped)
  await expect(recordBulkItem(worker, two), 'not behind the last').rejects.toThrow(BulkStopped)
  expect(await findBulkWork(worker, { operationUid: uid })).toMatchObject({ cursor: one.itemUid })
  await recordBulkItem(worker, { ...two, after: one.itemUid })
  expect(await getBulkOperation(author, { operationUid: uid })).toMatchObject({
    status: 'running',
    total: 2,
    done: 2,
    failed: 1,
  })
  const failures = [{ itemUid: two.itemUid, label: 'Ada Okafor', reason: 'No' }]
  expect(await listBulkFailures(author, { operationUid: uid })).toEqual(failures)
  await endBulkOperation(worker, { operationUid: uid, status: 'done' })
  await expect(recordBulkItem(worker, item(uid, two.itemUid))).rejects.toThrow(BulkStopped)
})

test('what needed no change is counted as unchanged, and neither as failed nor as changed', async () => {
  const items = [randomUUID(), randomUUID(), randomUUID()].map((uid) => ({ uid, label: 'Assay' }))
  const uids = items.map(({ uid }) => uid)
  const operation = await prepareBulkOperation(author, { kind: 'publish-modules', items })
  const input = { operationUid: operation.uid }
  await startPreparedOperation(author, input)
  const outcomes = ['unchanged', { problem: 'No' }, 'changed'] as const
  for (const [index, outcome] of outcomes.entries()) {
    const after = uids[index - 1] ?? null
    await recordBulkItem(worker, { ...input, after, itemUid: uids[index] ?? '', label: 'Assay', outcome })
  }
  expect(await getBulkOperation(author, input)).toMatchObject({ done: 3, failed: 1, unchanged: 1 })
  expect((await listUnchangedItems(author, input)).map(({ uid }) => uid)).toEqual(uids.slice(0, 1))
  expect((await listBulkFailures(author, input)).map(({ itemUid }) => itemUid)).toEqual(uids.slice(1, 2))
  expect((await listChangedItems(author, input)).map(({ uid }) => uid)).toEqual(uids.slice(2))
})

test('what fails unexpectedly twice is recorded as failed, and the others have their turn', async () => {
  const items = ['Once', 'Always', 'Never'].map((label) => ({ uid: randomUUID(), label }))
  const input = { operationUid: (await start()).uid }
  const attempts: string[] = []
  const changed = await workThroughItems(worker, { ...input, after: null, items }, ({ label }, record) =>
    inTransaction(worker, async (ctx) => {
      attempts.push(label)
      await record(ctx)
      const isFirst = attempts.filter((attempt) => attempt === label).length === 1
      if (label === 'Always' || (label === 'Once' && isFirst)) throw new TypeError('x is undefined')
    }),
  )
  expect([changed, attempts]).toEqual([2, ['Once', 'Once', 'Always', 'Always', 'Never']])
  expect(await getBulkOperation(author, input)).toMatchObject({ done: 3, failed: 1 })
  expect(await listBulkFailures(author, input)).toMatchObject([
    { label: 'Always', reason: 'Something went wrong on our side. Please try again.' },
  ])
})

test('without the database, or if an attempt was committed all the same, the job fails and continues later', async () => {
  const items = [{ uid: randomUUID(), label: 'Assay' }]
  const input = { operationUid: (await start()).uid, after: null, items }
  const away = await openTestDatabase(databaseUrl)
  await away.close()
  const withoutDatabase = { ...worker, db: away.db }
  const work = (ctx: Ctx) =>
    workThroughItems(ctx, input, async (_item, record) => {
      await inTransaction(ctx, (ctx) => record(ctx))
      throw new Error('Connection terminated unexpectedly')
    })
  await expect(work(withoutDatabase)).rejects.toThrow('pool')
  expect(await getBulkOperation(author, input)).toMatchObject({ done: 0, failed: 0 })
  await expect(work(worker)).rejects.toThrow('Connection terminated')
  expect(await getBulkOperation(author, input)).toMatchObject({ done: 1, failed: 0 })
})

test('of ten jobs that record the same thing at once, one gets ahead', async () => {
  const { uid } = await start()
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => recordBulkItem(worker, item(uid, null))))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await getBulkOperation(author, { operationUid: uid })).toMatchObject({ done: 1 })
})

test('begun ten times at once, it is one; somebody else is told that it runs', async () => {
  const input = { kind: 'move-learners', subjectUid: randomUUID(), total: 3 } as const
  const begun = await Promise.all(Array.from({ length: 10 }, () => startBulkOperation(author, input)))
  expect(new Set(begun.map(({ uid }) => uid)).size).toBe(1)
  const other = await aPerson(db, { groups: ['authors'] })
  await expect(startBulkOperation(other, input)).rejects.toThrow(Conflict)
  await endBulkOperation(worker, { operationUid: begun[0]?.uid ?? '', status: 'done' })
  expect((await startBulkOperation(other, input)).uid).not.toBe(begun[0]?.uid)
  await expectGuarded(
    startBulkOperation,
    { ...input, subjectUid: randomUUID() },
    { by: ['authors', 'admins'], elsewhere: null },
  )
})

test('of what somebody prepares and never confirms, the newest twenty are kept, also if ten are prepared at once', async () => {
  const [person, other] = [await aPerson(db, { groups: ['authors'] }), await aPerson(db, { groups: ['authors'] })]
  const prepare = (ctx: Person) =>
    prepareBulkOperation(ctx, { kind: 'publish-modules', items: [{ uid: randomUUID(), label: 'Assay' }] })
  const theirs = await prepare(other)
  const canceled = await prepare(other)
  expect(await listBulkItems(other, { operationUid: canceled.uid })).toHaveLength(1)
  await cancelBulkOperation(other, { operationUid: canceled.uid })
  expect(await listBulkItems(other, { operationUid: canceled.uid })).toEqual([])
  const first = await prepare(person)
  await startPreparedOperation(person, { operationUid: first.uid })
  const dropped = await prepare(person)
  const kept: { uid: string }[] = []
  for (let count = 0; count < mostPrepared - 10; count++) kept.push(await prepare(person))
  kept.push(...(await Promise.all(Array.from({ length: 10 }, () => prepare(person)))))
  for (const { uid } of kept) {
    expect(await getBulkOperation(person, { operationUid: uid })).toMatchObject({ status: 'prepared', total: 1 })
  }
  await expect(getBulkOperation(person, { operationUid: dropped.uid })).rejects.toThrow(NotFound)
  expect(await getBulkOperation(person, { operationUid: first.uid })).toMatchObject({ status: 'running' })
  expect(await getBulkOperation(other, { operationUid: theirs.uid })).toMatchObject({ status: 'prepared' })
})

test('who prepared it is told to the same people as the rest of it', async () => {
  const person = await aPerson(db, { groups: ['authors'], firstName: 'Preparing', lastName: 'Person' })
  const items = [{ uid: randomUUID(), label: 'Assay' }]
  const input = { operationUid: (await prepareBulkOperation(person, { kind: 'publish-modules', items })).uid }
  expect(await getBulkStarter(person, input)).toEqual({ name: 'Preparing Person', isViewer: true })
  expect(await getBulkStarter(admin, input)).toEqual({ name: 'Preparing Person', isViewer: false })
  await expect(getBulkStarter(author, input)).rejects.toThrow(NotFound)
  await expectGuarded(getBulkStarter, input, { by: ['authors', 'admins'] })
  await expectGuarded(
    prepareBulkOperation,
    { kind: 'publish-modules', items },
    { by: ['authors', 'admins'], elsewhere: null },
  )
})

test('canceling ends it once, and is for whoever began it and for admins', async () => {
  const { uid, subjectUid } = await start()
  const input = { operationUid: uid }
  await expectGuarded(cancelBulkOperation, input, { by: ['authors', 'admins'] })
  const other = await aPerson(db, { groups: ['authors'] })
  for (const refused of [
    getBulkOperation,
    listBulkFailures,
    listChangedItems,
    listUnchangedItems,
    cancelBulkOperation,
  ]) {
    await expect(refused(other, input)).rejects.toThrow(NotFound)
    await expect(refused(author, { operationUid: 'x' })).rejects.toThrow(NotFound)
  }
  expect(await findBulkOperation(other, { kind: 'move-learners', subjectUid })).toBeNull()
  await Promise.all(Array.from({ length: 10 }, () => cancelBulkOperation(admin, input)))
  expect(await cancelBulkOperation(author, input)).toMatchObject({ status: 'canceled' })
  await endBulkOperation(worker, { ...input, status: 'done' })
  expect(await findBulkOperation(author, { kind: 'move-learners', subjectUid })).toMatchObject({ status: 'canceled' })
  expect(await listAuditEntries(admin, { entity: 'bulk_operation', entityUid: uid })).toHaveLength(1)
})

test('only the person who started it dismisses its result, once it has ended', async () => {
  const { uid } = await start()
  const input = { operationUid: uid }
  const dismissals = () =>
    db.selectFrom('bulk_operations').select('dismissed_at').where('uid', '=', uid).executeTakeFirstOrThrow()
  await dismissBulkOperation(author, input)
  expect(await getBulkOperation(author, input), 'it still runs').toMatchObject({ isDismissed: false })
  await endBulkOperation(worker, { ...input, status: 'done' })
  await expectGuarded(dismissBulkOperation, input, { by: ['authors', 'admins'] })
  await expect(dismissBulkOperation(await aPerson(db, { groups: ['authors'] }), input)).rejects.toThrow(NotFound)
  await expect(dismissBulkOperation(admin, input)).rejects.toThrow(Forbidden)
  expect(await getBulkOperation(author, input)).toMatchObject({ isDismissed: false })
  await Promise.all(Array.from({ length: 10 }, () => dismissBulkOperation(author, input)))
  expect(await getBulkOperation(author, input)).toMatchObject({ isDismissed: true })
  const first = await dismissals()
  await dismissBulkOperation({ ...author, now: new Date(author.now.getTime() + 60_000) }, input)
  expect(await dismissals()).toEqual(first)
})

test('after an hour without progress, it fails if no job is left for it, and can be begun again', async () => {
  const later = { ...worker, now: new Date(worker.now.getTime() + 2 * 3_600_000) }
  const statusOf = async ({ uid }: { uid: string }) => (await getBulkOperation(author, { operationUid: uid })).status
  const withJob = async (set: RawBuilder<unknown>) => {
    const operation = await start()
    await queue(worker, 'move-learners', { operationUid: operation.uid })
    await sql`
      update graphile_worker._private_jobs set ${set} where payload ->> 'operationUid' = ${operation.uid}`.execute(db)
    return operation
  }
  const [abandoned, recent] = [await start(), await start()]
  // The worker was killed in the last attempt, and its jobs have been released.
  const killed = await withJob(sql`attempts = max_attempts`)
  const waiting = await withJob(sql`attempts = max_attempts - 1, run_at = now() + interval '3 hours'`)
  const runningLast = await withJob(sql`attempts = max_attempts, locked_at = now(), locked_by = 'w'`)
  await recordBulkItem({ ...later, site: worker.site }, item(recent.uid, null))
  const operations = [abandoned, killed, waiting, runningLast, recent]
  await failStuckBulkOperations(worker)
  expect(await Promise.all(operations.map(statusOf))).toEqual(operations.map(() => 'running'))
  await Promise.all([failStuckBulkOperations(later), failStuckBulkOperations(later)])
  expect(await Promise.all(operations.map(statusOf))).toEqual(['failed', 'failed', 'running', 'running', 'running'])
  const { subjectUid } = killed
  const again = await startBulkOperation(author, { kind: 'move-learners', subjectUid, total: 1 })
  expect(again).toMatchObject({ isNew: true, status: 'running' })
})

test('it is forgotten a month after its end, with the names of what failed', async () => {
  const [ended, running] = [await start(), await start()]
  await recordBulkItem(worker, item(ended.uid, null, 'No'))
  await endBulkOperation(worker, { operationUid: ended.uid, status: 'done' })
  const later = { ...worker, now: new Date(worker.now.getTime() + 31 * 86_400_000) }
  await deleteOldBulkOperations(later)
  await expect(getBulkOperation(author, { operationUid: ended.uid })).rejects.toThrow(NotFound)
  expect(await getBulkOperation(author, { operationUid: running.uid })).toMatchObject({ status: 'running' })
})
