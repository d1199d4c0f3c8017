/** Deleted modules: gone for everybody, restorable for thirty days, then purged. */
import { describe, expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { Forbidden, NotFound } from '~/services/errors.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import {
  deleteModule,
  findModuleByName,
  getModule,
  listModules,
  purgeDeletedModules,
  restoreModule,
} from '~/services/modules/modules.server.ts'
import { contentKeyPrefix } from '~/services/packages/content-path.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aMember, moduleValues, parseLatest, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db } from '../support/test.ts'

const files = aStorage()

describe('deleting', () => {
  test('A-239 hides the module from everybody, and restoring brings everything back', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid, name } = await createModule(ctx, await moduleValues(ctx, { status: 'published' }))
    await parseLatest(ctx, uid)
    const learner = await aContext(db, { viewer: await aUser(db) })
    const before = await getModule(learner, { moduleUid: uid })
    await deleteModule(ctx, { moduleUid: uid })
    for (const someone of [ctx, learner]) {
      expect(await refusalOf(getModule(someone, { moduleUid: uid }))).toBeInstanceOf(NotFound)
      expect(await findModuleByName(someone, { name })).toBeNull()
    }
    expect((await listModules(ctx, { search: name })).items).toEqual([])
    expect(await refusalOf(deleteModule(ctx, { moduleUid: uid }))).toBeInstanceOf(NotFound)
    await Promise.all(Array.from({ length: 10 }, () => restoreModule(ctx, { moduleUid: uid })))
    expect(await getModule(learner, { moduleUid: uid })).toEqual(before)
    const actions = (await listAuditEntries(ctx, { entity: 'module', entityUid: uid })).map(({ action }) => action)
    expect(actions.filter((action) => /deleted|restored/.test(action))).toEqual(['module.deleted', 'module.restored'])
  })

  test('is refused to learners and across sites, like restoring', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx, { status: 'published' }))
    await parseLatest(ctx, uid)
    const learner = await aContext(db, { viewer: await aUser(db) })
    const foreign = await aMember(db, ['admins'], { site: 'ns' })
    expect(await refusalOf(deleteModule(learner, { moduleUid: uid }))).toBeInstanceOf(Forbidden)
    expect(await refusalOf(deleteModule(foreign, { moduleUid: uid }))).toBeInstanceOf(NotFound)
    await deleteModule(ctx, { moduleUid: uid })
    expect(await refusalOf(restoreModule(learner, { moduleUid: uid }))).toBeInstanceOf(Forbidden)
    expect(await refusalOf(restoreModule(foreign, { moduleUid: uid }))).toBeInstanceOf(NotFound)
    expect(await refusalOf(getModule(ctx, { moduleUid: uid }))).toBeInstanceOf(NotFound)
  })

  test('ten deletions at once delete once, and nine find nothing', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx))
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => deleteModule(ctx, { moduleUid: uid })))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(NotFound)
    const actions = (await listAuditEntries(ctx, { entity: 'module', entityUid: uid })).map(({ action }) => action)
    expect(actions.filter((action) => action === 'module.deleted')).toHaveLength(1)
  })

  test('after thirty days nothing can be restored, even before the purge', async () => {
    const ctx = await aMember(db, ['authors'])
    const [old, young] = [
      await createModule(ctx, await moduleValues(ctx)),
      await createModule(ctx, await moduleValues(ctx)),
    ]
    const daysAgo = (days: number) => new Date(ctx.now.getTime() - days * 86_400_000)
    await deleteModule({ ...ctx, now: daysAgo(30.1) }, { moduleUid: old.uid })
    await deleteModule({ ...ctx, now: daysAgo(29.9) }, { moduleUid: young.uid })
    expect(await refusalOf(restoreModule(ctx, { moduleUid: old.uid }))).toBeInstanceOf(NotFound)
    expect((await restoreModule(ctx, { moduleUid: young.uid })).uid).toBe(young.uid)
  })

  test('after thirty days the module, its versions and its files are deleted, and a younger one is not', async () => {
    const ctx = await aMember(db, ['authors'])
    const old = await createModule(ctx, await moduleValues(ctx))
    const young = await createModule(ctx, await moduleValues(ctx))
    await parseLatest(ctx, old.uid)
    const { contentKey } = await db
      .selectFrom('cmi5_packages')
      .innerJoin('module_versions', 'module_versions.id', 'cmi5_packages.module_version_id')
      .innerJoin('modules', 'modules.id', 'module_versions.module_id')
      .select('content_key as contentKey')
      .where('modules.uid', '=', old.uid)
      .executeTakeFirstOrThrow()
    const page = `${contentKeyPrefix(contentKey)}index.html`
    expect(await files.stat(page)).not.toBeNull()
    await deleteModule({ ...ctx, now: new Date(Date.now() - 31 * 86_400_000) }, { moduleUid: old.uid })
    await deleteModule(ctx, { moduleUid: young.uid })
    // Not even before the purge, which may be deleting the files at this moment.
    expect(await refusalOf(restoreModule(ctx, { moduleUid: old.uid }))).toBeInstanceOf(NotFound)
    await purgeDeletedModules(await aContext(db))
    expect(await files.stat(page)).toBeNull()
    expect(await refusalOf(restoreModule(ctx, { moduleUid: old.uid }))).toBeInstanceOf(NotFound)
    expect((await restoreModule(ctx, { moduleUid: young.uid })).uid).toBe(young.uid)
  })
})

test('purging deletes the progress in a module, and keeps the statements', async () => {
  const system = await aContext(db)
  const module = await aModule(system)
  const learner = await aContext(db, { viewer: await aUser(db) })
  await visit(learner, { moduleVersionUid: module.versionUid }, 'completed')
  const statements = () => db.selectFrom('xapi_statements').select('seq').execute()
  const before = await statements()
  expect(before.length).toBeGreaterThan(0)
  await deleteModule(
    { ...(await aMember(db, ['admins'])), now: new Date(Date.now() - 31 * 86_400_000) },
    { moduleUid: module.uid },
  )
  await purgeDeletedModules(system)
  for (const table of ['registrations', 'module_progress', 'module_versions'] as const) {
    expect(await db.selectFrom(table).select('module_id').where('module_id', '=', module.id).execute()).toEqual([])
  }
  expect(await statements()).toEqual(before)
})
