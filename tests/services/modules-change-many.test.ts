/** One change of many selected modules: prepared, confirmed, and then made by jobs, each module by itself. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { mostAtOnce } from '~/forms/module-tables.ts'
import { listModulesNotices } from '~/pages/bulk-operation.server.ts'
import { getModulesChangeView } from '~/pages/modules-change.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import {
  awaitBulkOperation,
  cancelBulkOperation,
  dismissBulkOperation,
  getBulkOperation,
  startBulkOperation,
} from '~/services/bulk/bulk.server.ts'
import { deleteOldBulkOperations } from '~/services/bulk/clean-up-operations.server.ts'
import { listBulkFailures } from '~/services/bulk/work-through-items.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import {
  changeModules,
  checkModulesChange,
  getModulesOperation,
  listChangedModules,
  listModulesToChange,
  listRecentModulesChanges,
  listUnchangedModules,
  prepareModulesChange,
  restoreDeletedModules,
  startModulesChange,
} from '~/services/modules/change-many.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import {
  deleteModule,
  getModule,
  listModulesByUid,
  restoreModule,
  statusOfModule,
} from '~/services/modules/modules.server.ts'
import { takeJobs } from '../support/jobs.ts'
import { aMember, moduleValues, parseLatest, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db, expectGuarded, ctx as system } from '../support/test.ts'

aStorage()
const author = await aMember(db, ['authors'])

async function aReadyModule(ctx = author): Promise<string> {
  const { uid } = await createModule(ctx, await moduleValues(ctx))
  await parseLatest(ctx, uid)
  return uid
}

const statusesOf = async (uids: string[]) => {
  const modules = await listModulesByUid(author, uids)
  return uids.map((uid) => {
    const module = modules.get(uid)
    return module ? statusOfModule(module) : 'gone'
  })
}

/** Runs the queued jobs of the site, batch after batch, as workers do. */
async function runJobs(most?: number) {
  for (let turn = 0; turn < 20; turn++) {
    const jobs = await takeJobs(db, 'change-modules')
    if (jobs.length === 0) return
    await Promise.all(jobs.map(({ operationUid }) => changeModules(system, { operationUid, most })))
  }
  throw new Error('The jobs queue each other without end')
}

/** Prepares, confirms and waits. */
async function changeAll(change: string, moduleUids: string[], ctx: Ctx = author, most?: number) {
  const { operationUid } = await prepareModulesChange(ctx, { change, moduleUids })
  await startModulesChange(ctx, { operationUid })
  await runJobs(most)
  return {
    operationUid,
    ...(await getBulkOperation(ctx, { operationUid })),
    failures: await listBulkFailures(ctx, { operationUid }),
  }
}

test('publishes, unpublishes, removes and restores all that can be, and says why the others were not', async () => {
  const [one, two] = [await aReadyModule(), await aReadyModule()]
  const soon = await createModule(author, await moduleValues(author, { comingSoon: true, cmi5Zip: undefined }))
  const unknown = randomUUID()
  const published = await changeAll('publish', [one, soon.uid, unknown, two], author, 1)
  expect(published).toMatchObject({ kind: 'publish-modules', status: 'done', total: 4, done: 4, failed: 2 })
  expect(published.failures).toEqual([
    { itemUid: soon.uid, label: soon.name, reason: `Module marked as "Coming Soon" can't be published` },
    { itemUid: unknown, label: 'A module', reason: 'This module is no longer there.' },
  ])
  expect((await listChangedModules(author, published)).map(({ uid }) => uid)).toEqual([one, two])
  expect(await statusesOf([one, soon.uid, two])).toEqual(['published', 'draft', 'published'])
  await changeAll('unpublish', [one, two])
  expect(await statusesOf([one, two])).toEqual(['draft', 'draft'])
  const removed = await changeAll('delete', [one.toUpperCase(), one, two])
  expect(removed).toMatchObject({ total: 2, done: 2, failed: 0 })
  expect(await statusesOf([one, two])).toEqual(['gone', 'gone'])
  const restored = await restoreDeletedModules(author, removed)
  const jobs = runJobs()
  await awaitBulkOperation(author, restored)
  expect(await getModulesOperation(author, restored)).toMatchObject({ change: 'restore', status: 'done', failed: 0 })
  await jobs
  expect(await statusesOf([one, two])).toEqual(['draft', 'draft'])
  expect((await listRecentModulesChanges(author))[0]).toMatchObject({ uid: restored.operationUid })
  const again = Array.from({ length: 10 }, () => refusalOf(restoreDeletedModules(author, removed)))
  for (const refused of await Promise.all(again)) {
    expect(refused?.message).toBe('These 2 modules are already restored.')
  }
  expect((await listRecentModulesChanges(author))[0]).toMatchObject({ uid: restored.operationUid })
  const entries = await listAuditEntries(author, { entity: 'module', entityUid: one })
  const actions = entries.map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['module.published', 'module.deleted', 'module.restored']))
})

test('modules that already have the status are not touched, and the result names them', async () => {
  const [draft, live] = [await aReadyModule(), await aReadyModule()]
  await changeAll('publish', [live])
  const traces = async (uid: string) => ({
    updatedAt: (await getModule(author, { moduleUid: uid })).updatedAt,
    entries: (await listAuditEntries(author, { entity: 'module', entityUid: uid })).length,
  })
  for (const [change, same, other] of [
    ['unpublish', draft, live],
    ['publish', live, draft],
  ] as const) {
    if (change === 'publish') await changeAll('publish', [live])
    const before = await traces(same)
    const later = { ...author, now: new Date(author.now.getTime() + 60_000) }
    const prepared = await prepareModulesChange(later, { change, moduleUids: [same, other] })
    expect(await checkModulesChange(later, prepared), change).toEqual({
      obstacles: new Map([
        [same, { isAlready: true, reason: change === 'publish' ? 'Already published' : 'Already unpublished' }],
      ]),
      refusal: null,
    })
    const result = await changeAll(change, [same, other], later)
    expect(result, change).toMatchObject({ done: 2, failed: 0, unchanged: 1, failures: [] })
    expect((await listUnchangedModules(later, result)).map(({ uid }) => uid)).toEqual([same])
    expect(await traces(same), change).toEqual(before)
    expect((await listChangedModules(later, result)).map(({ uid }) => uid)).toEqual([other])
  }
})

test('before it is confirmed, it says which modules will not change, and why', async () => {
  const [ready, live] = [await aReadyModule(), await aReadyModule()]
  await changeAll('publish', [live])
  const soon = await createModule(author, await moduleValues(author, { comingSoon: true, cmi5Zip: undefined }))
  const unread = await createModule(author, await moduleValues(author))
  const unknown = randomUUID()
  const input = { change: 'publish', moduleUids: [ready, live, soon.uid, unread.uid, unknown] }
  const view = await getModulesChangeView(author, await prepareModulesChange(author, input))
  expect(view.refusal).toBeNull()
  const reasons = new Map(view.asked.map(({ uid, obstacle }) => [uid, obstacle?.reason ?? null]))
  expect(reasons).toEqual(
    new Map([
      [soon.uid, `Module marked as "Coming Soon" can't be published`],
      [unread.uid, "Can't publish the module - the zip file hasn't been processed"],
      [unknown, 'This module is no longer there.'],
      [live, 'Already published'],
      [ready, null],
    ]),
  )
  expect(
    view.asked.slice(-2).map(({ uid }) => uid),
    'those that cannot change come first',
  ).toEqual([live, ready])
  const result = await changeAll('publish', input.moduleUids)
  expect(result, 'as it said').toMatchObject({ done: 5, failed: 3, unchanged: 1 })
  expect(result.failures.map(({ reason }) => reason).sort()).toEqual(
    [soon.uid, unread.uid, unknown].map((uid) => reasons.get(uid)).sort(),
  )
})

test('what would change no module is refused, and can still be started once it would', async () => {
  const [one, two] = [await aReadyModule(), await aReadyModule()]
  const refusalFor = async (change: string, moduleUids: string[]) => {
    const prepared = await prepareModulesChange(author, { change, moduleUids })
    const refused = await refusalOf(startModulesChange(author, prepared))
    expect(refused).toMatchObject({ code: 'module.nothing_to_change' })
    expect((await getModulesChangeView(author, prepared)).refusal).toBe(refused?.message)
    expect(await getModulesOperation(author, prepared)).toMatchObject({ status: 'prepared', done: 0 })
    expect(await takeJobs(db, 'change-modules')).toEqual([])
    return refused?.message
  }
  expect(await refusalFor('unpublish', [one])).toBe('This module is already unpublished.')
  expect(await refusalFor('unpublish', [one, two])).toBe('These 2 modules are already unpublished.')
  expect(await refusalFor('publish', [randomUUID(), randomUUID()])).toBe('None of these 2 modules can be published.')
  expect(await refusalFor('unpublish', [one, randomUUID()])).toBe('None of these 2 modules would change.')
  expect(await refusalFor('delete', [randomUUID()])).toBe('This module cannot be removed.')
  const later = await prepareModulesChange(author, { change: 'unpublish', moduleUids: [one] })
  await changeAll('publish', [one])
  await startModulesChange(author, later)
  await runJobs()
  expect(await statusesOf([one])).toEqual(['draft'])
})

test('a package that is published as soon as it is parsed can be unpublished', async () => {
  const { uid } = await createModule(author, await moduleValues(author, { status: 'published' }))
  const result = await changeAll('unpublish', [uid])
  expect(result).toMatchObject({ done: 1, failed: 0, unchanged: 0 })
  await parseLatest(author, uid)
  expect(await statusesOf([uid])).toEqual(['draft'])
})

test('nothing happens until it is confirmed, and what nobody confirms goes after a day', async () => {
  const uid = await aReadyModule()
  const prepared = await prepareModulesChange(author, { change: 'publish', moduleUids: [uid] })
  const { name } = await getModule(author, { moduleUid: uid })
  expect(await listModulesToChange(author, prepared)).toEqual([{ uid, label: name }])
  await runJobs()
  expect(await changeModules(system, prepared)).toEqual({ changed: 0, isDone: true })
  expect(await statusesOf([uid])).toEqual(['draft'])
  const later = (hours: number) => ({ ...system, now: new Date(system.now.getTime() + hours * 3_600_000) })
  await deleteOldBulkOperations(later(23))
  expect(await getModulesOperation(author, prepared)).toMatchObject({ status: 'prepared', change: 'publish' })
  await deleteOldBulkOperations(later(25))
  await expect(startModulesChange(author, prepared)).rejects.toThrow(NotFound)
})

test('canceled before it is confirmed, it can no longer be confirmed', async () => {
  const uid = await aReadyModule()
  const prepared = await prepareModulesChange(author, { change: 'delete', moduleUids: [uid] })
  const admin = await aMember(db, ['admins'])
  expect(await cancelBulkOperation(admin, prepared)).toMatchObject({ status: 'canceled', done: 0 })
  await startModulesChange(author, prepared)
  await runJobs()
  expect(await getModulesOperation(author, prepared)).toMatchObject({ status: 'canceled', done: 0 })
  expect(await statusesOf([uid])).toEqual(['draft'])
  expect(await listAuditEntries(admin, { entity: 'bulk_operation', entityUid: prepared.operationUid })).toHaveLength(1)
})

test('is for staff and for whoever chose the modules, who must still be staff when the job runs', async () => {
  const uid = await aReadyModule()
  const input = { change: 'publish', moduleUids: [uid] }
  const staff = { by: ['authors' as const, 'admins' as const] }
  await expectGuarded(prepareModulesChange, input, { ...staff, elsewhere: null })
  const prepared = await prepareModulesChange(author, input)
  for (const guarded of [
    startModulesChange,
    restoreDeletedModules,
    getModulesOperation,
    listModulesToChange,
    checkModulesChange,
  ]) {
    await expectGuarded(guarded as typeof startModulesChange, prepared, staff)
    await expect(guarded(await aMember(db, ['authors']), prepared)).rejects.toThrow(NotFound)
    await expect(guarded(author, { operationUid: 'x' })).rejects.toThrow(NotFound)
  }
  const strayed = { ...(await aMember(db, ['admins'], { site: 'ns' })), site: author.site }
  expect(await refusalOf(prepareModulesChange(strayed, input))).toBeInstanceOf(Forbidden)
  const former = await aMember(db, ['authors'])
  const theirs = await prepareModulesChange(former, input)
  await startModulesChange(former, theirs)
  await db
    .deleteFrom('user_groups')
    .where('user_id', '=', former.viewer?.id ?? 0)
    .execute()
  await runJobs()
  const admin = await aMember(db, ['admins'])
  expect(await getModulesOperation(admin, theirs)).toMatchObject({ status: 'canceled', done: 0 })
  expect(await statusesOf([uid])).toEqual(['draft'])
})

test('only the person who prepared a change confirms it, because it is recorded under that name', async () => {
  const uid = await aReadyModule()
  const admin = await aMember(db, ['admins'])
  const person = await aMember(db, ['authors'], { firstName: 'Preparing' })
  const prepared = await prepareModulesChange(person, { change: 'delete', moduleUids: [uid] })
  const refused = await refusalOf(startModulesChange(admin, prepared))
  expect(refused).toBeInstanceOf(Forbidden)
  expect(refused?.message).toBe('Only the person who prepared this can confirm it.')
  // So an admin gets no button for it, but the name of the person who does.
  expect((await getModulesChangeView(admin, prepared)).otherStarter).toContain('Preparing')
  expect((await getModulesChangeView(person, prepared)).otherStarter).toBeNull()
  await runJobs()
  expect(await getModulesOperation(admin, prepared)).toMatchObject({ status: 'prepared', done: 0 })
  expect(await statusesOf([uid])).toEqual(['draft'])
  await startModulesChange(person, prepared)
  await runJobs()
  const entries = await listAuditEntries(admin, { entity: 'module', entityUid: uid })
  expect(entries.find(({ action }) => action === 'module.deleted')?.actorName).toContain('Preparing')
})

test('modules of the other site are as if they were not there', async () => {
  const uid = await aReadyModule()
  const foreign = await aMember(db, ['admins'], { site: 'ns' })
  for (const change of ['publish', 'delete']) {
    const own = await aReadyModule(foreign)
    const { operationUid } = await prepareModulesChange(foreign, { change, moduleUids: [uid, own] })
    await startModulesChange(foreign, { operationUid })
    await changeModules({ ...system, site: foreign.site }, { operationUid })
    expect(await listBulkFailures(foreign, { operationUid })).toEqual([
      { itemUid: uid, label: 'A module', reason: 'This module is no longer there.' },
    ])
  }
  await takeJobs(db, 'change-modules')
  expect((await getModule(author, { moduleUid: uid })).uid).toBe(uid)
})

test('confirmed ten times and run ten times at once, each module is changed and counted once', async () => {
  const uids = [await aReadyModule(), await aReadyModule(), await aReadyModule()]
  const prepared = await prepareModulesChange(author, { change: 'delete', moduleUids: uids })
  const tenTimes = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 10 }, work))
  await tenTimes(() => startModulesChange(author, prepared))
  expect(await takeJobs(db, 'change-modules')).toHaveLength(1)
  expect(await refusalOf(restoreDeletedModules(author, prepared))).toMatchObject({ code: 'module.still_deleting' })
  await tenTimes(() => changeModules(system, prepared))
  expect(await getModulesOperation(author, prepared)).toMatchObject({ status: 'done', done: 3, failed: 0 })
  expect(await statusesOf(uids)).toEqual(['gone', 'gone', 'gone'])
  await startModulesChange(author, prepared)
  expect(await takeJobs(db, 'change-modules'), 'a second click after its end').toEqual([])
  const restored = await tenTimes(() => restoreDeletedModules(author, prepared))
  expect(new Set(restored.map(({ operationUid }) => operationUid)).size).toBe(1)
  await runJobs()
  expect(await statusesOf(uids)).toEqual(['draft', 'draft', 'draft'])
})

test('two people who change the same modules in opposite order do not stop each other', async () => {
  const uids = [await aReadyModule(), await aReadyModule(), await aReadyModule()]
  const both = [uids, [...uids].reverse()].map(async (moduleUids) => {
    const person = await aMember(db, ['authors'])
    const prepared = await prepareModulesChange(person, { change: 'publish', moduleUids })
    await startModulesChange(person, prepared)
    return getModulesOperation(person, prepared)
  })
  const operations = await Promise.all(both)
  await runJobs()
  const admin = await aMember(db, ['admins'])
  const results = await Promise.all(operations.map(({ uid }) => getBulkOperation(admin, { operationUid: uid })))
  for (const result of results) expect(result).toMatchObject({ status: 'done', done: 3, failed: 0 })
  // Each module was published by one of them, and was already published for the other.
  expect(results.reduce((sum, { unchanged }) => sum + unchanged, 0)).toBe(3)
  expect(await statusesOf(uids)).toEqual(['published', 'published', 'published'])
})

test('canceled between batches, the rest stays as it is, and Undo brings back what was removed', async () => {
  const uids = [await aReadyModule(), await aReadyModule(), await aReadyModule()]
  const prepared = await prepareModulesChange(author, { change: 'delete', moduleUids: uids })
  expect(await refusalOf(restoreDeletedModules(author, prepared))).toBeInstanceOf(Conflict)
  await startModulesChange(author, prepared)
  await takeJobs(db, 'change-modules')
  expect(await changeModules(system, { ...prepared, most: 2 })).toEqual({ changed: 2, isDone: false })
  await cancelBulkOperation(author, prepared)
  await runJobs()
  expect(await getModulesOperation(author, prepared)).toMatchObject({ status: 'canceled', done: 2, total: 3 })
  expect(await statusesOf(uids)).toEqual(['gone', 'gone', 'draft'])
  const restored = await restoreDeletedModules(author, prepared)
  await runJobs()
  expect(await getModulesOperation(author, restored)).toMatchObject({ status: 'done', total: 2, failed: 0 })
  expect(await statusesOf(uids)).toEqual(['draft', 'draft', 'draft'])
})

test('the table tells of failures and offers Undo for a day, also after other changes, until Dismiss', async () => {
  const person = await aMember(db, ['authors'])
  const uids = [await aReadyModule(), await aReadyModule(), await aReadyModule()]
  const [one, two, three] = uids as [string, string, string]
  const after = (hours: number, ctx = person) => ({ ...ctx, now: new Date(person.now.getTime() + hours * 3_600_000) })
  const noticesOf = async (ctx: Ctx) =>
    (await listModulesNotices(ctx)).map(({ operation, canUndo }) => [operation.uid, canUndo])
  expect(await noticesOf(person)).toEqual([])
  const removed = await changeAll('delete', [one], person)
  expect(await noticesOf(after(23))).toEqual([[removed.operationUid, true]])
  expect(await noticesOf(after(25))).toEqual([])
  expect((await noticesOf(author)).flat(), 'somebody else').not.toContain(removed.operationUid)
  await changeAll('publish', [two], after(1))
  const partly = await changeAll('unpublish', [two, randomUUID()], after(2))
  const later = await changeAll('delete', [three], after(3))
  const expected = [later, partly, removed].map(({ operationUid, kind }) => [operationUid, kind === 'delete-modules'])
  expect(await noticesOf(after(4)), 'the newest first').toEqual(expected)
  const restoring = await restoreDeletedModules(after(4), removed)
  expect(await noticesOf(after(4))).toEqual([[restoring.operationUid, false], ...expected.slice(0, 2)])
  await runJobs()
  expect(await noticesOf(after(4)), 'the first removal is undone').toEqual(expected.slice(0, 2))
  await dismissBulkOperation(person, later)
  expect(await noticesOf(after(4))).toEqual([[partly.operationUid, false]])
  const more = [await changeAll('delete', [one], after(5)), await changeAll('delete', [two], after(6))]
  await changeAll('delete', [await aReadyModule()], after(7))
  const shown = await noticesOf(after(8))
  expect(shown, 'at most three').toHaveLength(3)
  expect(shown.slice(1).map(([uid]) => uid)).toEqual(more.map(({ operationUid }) => operationUid).reverse())
})

test('an old Undo brings back nothing that was removed again after it', async () => {
  const uids = [await aReadyModule(), await aReadyModule(), await aReadyModule()]
  const [byAdmin, byAuthor, untouched] = uids as [string, string, string]
  const removed = await changeAll('delete', uids)
  for (const moduleUid of [byAdmin, byAuthor]) await restoreModule(author, { moduleUid })
  const admin = await aMember(db, ['admins'])
  await deleteModule(admin, { moduleUid: byAdmin })
  await deleteModule({ ...author, now: new Date(system.now.getTime() + 60_000) }, { moduleUid: byAuthor })
  const again = await restoreDeletedModules(author, removed)
  await runJobs()
  expect(await statusesOf(uids)).toEqual(['gone', 'gone', 'draft'])
  const failures = await listBulkFailures(author, again)
  expect(failures.map(({ itemUid }) => itemUid)).toEqual([byAdmin, byAuthor])
  const reason = 'This module was removed again later, or too long ago.'
  expect(failures.map((failure) => failure.reason)).toEqual([reason, reason])
  expect((await listChangedModules(author, again)).map(({ uid }) => uid)).toEqual([untouched])
  expect((await refusalOf(restoreDeletedModules(author, removed)))?.message, 'nothing is left to undo').toBe(
    'None of these 3 modules would change.',
  )
  const theirs = await changeAll('delete', [untouched])
  await restoreDeletedModules(admin, theirs)
  await runJobs()
  expect(await statusesOf([untouched]), 'an admin undoes the deletion of an author').toEqual(['draft'])
})

test('an operation of another kind is not a change of modules, and only a deletion can be undone', async () => {
  const other = await startBulkOperation(author, { kind: 'move-learners', subjectUid: randomUUID(), total: 1 })
  for (const refused of [
    startModulesChange,
    restoreDeletedModules,
    getModulesOperation,
    listChangedModules,
    listUnchangedModules,
  ]) {
    await expect(refused(author, { operationUid: other.uid })).rejects.toThrow(NotFound)
  }
  const published = await changeAll('publish', [await aReadyModule()])
  await expect(restoreDeletedModules(author, published)).rejects.toThrow(NotFound)
})

test('what is no change, no module or too much is refused with a sentence', async () => {
  const refused = async (input: { change: string; moduleUids: string[] }) => {
    const error = await refusalOf(prepareModulesChange(author, input))
    expect(error).toBeInstanceOf(Invalid)
    return error?.message
  }
  expect(await refused({ change: 'explode', moduleUids: [randomUUID()] })).toBe(
    'Please choose what to do with the modules',
  )
  expect(await refused({ change: 'publish', moduleUids: [] })).toBe('Please select one or more modules')
  expect(await refused({ change: 'publish', moduleUids: ["'; --"] })).toBe('There is no such module')
  const uids = Array.from({ length: mostAtOnce + 1 }, () => randomUUID())
  expect(await refused({ change: 'publish', moduleUids: uids })).toBe('Please select at most 500 modules')
  const most = [await aReadyModule(), ...uids.slice(2)]
  expect(await changeAll('publish', most)).toMatchObject({ status: 'done', total: 500, failed: 499 })
})
