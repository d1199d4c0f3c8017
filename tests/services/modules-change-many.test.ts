/** One change of many selected modules: each by itself, with a result for each. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mostAtOnce } from '~/forms/module-tables.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid } from '~/services/errors.ts'
import { changeModules } from '~/services/modules/change-many.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { getModule, listModulesByUid, statusOfModule } from '~/services/modules/modules.server.ts'
import type { Database } from '~db/client.server.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { aMember, moduleValues, parseLatest, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'

let db: Database
let close: () => Promise<void>
let author: Ctx
aStorage()

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
  author = await aMember(db, ['authors'])
})
afterAll(() => close())

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
const problemsOf = (results: { problem: string | null }[]) => results.map(({ problem }) => problem)

test('publishes, unpublishes, removes and restores all that can be, and says why the others were not', async () => {
  const [one, two] = [await aReadyModule(), await aReadyModule()]
  const { uid: soon } = await createModule(author, await moduleValues(author, { comingSoon: true, cmi5Zip: undefined }))
  const unknown = randomUUID()
  const published = await changeModules(author, { change: 'publish', moduleUids: [one, soon, unknown, two] })
  expect(published.map(({ uid }) => uid)).toEqual([one, soon, unknown, two])
  expect(problemsOf(published)).toEqual([
    null,
    `Module marked as "Coming Soon" can't be published`,
    'This module is no longer there.',
    null,
  ])
  expect(published.map(({ name }) => name === null)).toEqual([false, false, true, false])
  expect(await statusesOf([one, soon, two])).toEqual(['published', 'draft', 'published'])
  await changeModules(author, { change: 'unpublish', moduleUids: [one, two] })
  expect(await statusesOf([one, two])).toEqual(['draft', 'draft'])
  const removed = await changeModules(author, { change: 'delete', moduleUids: [one.toUpperCase(), one, two] })
  expect(problemsOf(removed)).toEqual([null, null])
  expect(await statusesOf([one, two])).toEqual(['gone', 'gone'])
  const restored = await changeModules(author, { change: 'restore', moduleUids: [one, two] })
  expect(restored.map(({ name }) => typeof name)).toEqual(['string', 'string'])
  expect(await statusesOf([one, two])).toEqual(['draft', 'draft'])
  const actions = (await listAuditEntries(author, { entity: 'module', entityUid: one })).map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['module.published', 'module.deleted', 'module.restored']))
})

test('is refused to learners and strangers, who change nothing', async () => {
  const uid = await aReadyModule()
  const input = { change: 'publish', moduleUids: [uid] }
  const learner = await aContext(db, { viewer: await aUser(db) })
  expect(await refusalOf(changeModules(learner, input))).toBeInstanceOf(Forbidden)
  expect((await refusalOf(changeModules(await aContext(db), input)))?.message).toBe('Login required.')
  const strayed = { ...(await aMember(db, ['admins'], { site: 'ns' })), site: author.site }
  expect(await refusalOf(changeModules(strayed, input))).toBeInstanceOf(Forbidden)
  expect(await statusesOf([uid])).toEqual(['draft'])
})

test('modules of the other site are as if they were not there', async () => {
  const uid = await aReadyModule()
  const foreign = await aMember(db, ['admins'], { site: 'ns' })
  for (const change of ['publish', 'delete', 'restore']) {
    const results = await changeModules(foreign, { change, moduleUids: [uid] })
    expect(results).toEqual([{ uid, name: null, problem: 'This module is no longer there.' }])
  }
  expect((await getModule(author, { moduleUid: uid })).uid).toBe(uid)
})

test('ten at once in any order end in one state, and twice is as once', async () => {
  const uids = [await aReadyModule(), await aReadyModule(), await aReadyModule()]
  const rounds = Array.from({ length: 10 }, (_, index) => (index % 2 ? uids : [...uids].reverse()))
  const all = await Promise.all(rounds.map((moduleUids) => changeModules(author, { change: 'publish', moduleUids })))
  expect(all.flatMap(problemsOf).filter(Boolean)).toEqual([])
  expect(await statusesOf(uids)).toEqual(['published', 'published', 'published'])
  const removals = await Promise.all(
    rounds.map((moduleUids) => changeModules(author, { change: 'delete', moduleUids })),
  )
  expect(removals.flatMap(problemsOf).filter((problem) => problem === null)).toHaveLength(3)
  expect(await statusesOf(uids)).toEqual(['gone', 'gone', 'gone'])
})

test('what is no change, no module or too much is refused with a sentence', async () => {
  const refused = async (input: { change: string; moduleUids: string[] }) => {
    const error = await refusalOf(changeModules(author, input))
    expect(error).toBeInstanceOf(Invalid)
    return error?.message
  }
  expect(await refused({ change: 'explode', moduleUids: [randomUUID()] })).toBe(
    'Please choose what to do with the modules',
  )
  expect(await refused({ change: 'publish', moduleUids: [] })).toBe('Please select one or more modules')
  expect(await refused({ change: 'publish', moduleUids: ["'; --"] })).toBe('There is no such module')
  expect(
    await refused({ change: 'publish', moduleUids: Array.from({ length: mostAtOnce + 1 }, () => randomUUID()) }),
  ).toBe('Please select at most 100 modules')
})
