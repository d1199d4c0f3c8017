import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { finishPackage } from '~/services/modules/finish-package.server.ts'
import { getModule, publishModule, unpublishModule } from '~/services/modules/modules.server.ts'
import { listModuleVersions, listUnitsOfVersions } from '~/services/modules/parts.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { type ImportOptions, importAndRead, importPackage } from '../support/imports.ts'
import { aStorage, auXml, courseXml, packageZip } from '../support/packages.ts'
import { db } from '../support/test.ts'

const files = aStorage()

const bad = packageZip(courseXml(auXml({ url: 'missing.html' })))

async function staff(site: 'institutional' | 'ns' = 'institutional') {
  return aContext(db, { site, viewer: await aUser(db, { site, groups: ['authors'], plan: null }) })
}

async function queuedJobs(packageUid: string): Promise<number> {
  const rows = await db
    .selectFrom('graphile_worker._private_jobs' as never)
    .select('payload' as never)
    .execute()
  return rows.filter((row) => JSON.stringify(row).includes(packageUid)).length
}

describe('importing', () => {
  test('creates a draft module with one version and queues the reading of its package', async () => {
    const ctx = await staff()
    const { module, imported } = await importPackage(ctx, { name: 'Screening basics', description: 'How to screen' })
    expect(imported).toMatchObject({ outcome: 'created', version: 1, name: 'Screening basics' })
    expect(module).toMatchObject({ name: 'Screening basics', description: 'How to screen', publishedVersionUid: null })
    expect(await queuedJobs(imported.packageUid)).toBe(1)
    const version = (await listModuleVersions(ctx, [module.currentVersionUid ?? ''])).get(
      module.currentVersionUid ?? '',
    )
    expect(version).toMatchObject({
      version: 1,
      status: 'draft',
      author: { firstName: 'Ada', lastName: 'Okafor' },
      package: {
        status: 'uploaded',
        lastMsg: null,
        zipFile: { originalFileName: 'module.zip', size: packageZip().length },
      },
    })
  })

  test('cmi5 13.1.4: a package with a unit for another program is accepted and published, and its author learns which unit it is', async () => {
    const ctx = await staff()
    const bytes = packageZip(courseXml(auXml({ url: 'steam://run/1' }) + auXml({ id: 'urn:2' })))
    const { module, imported } = await importPackage(ctx, { bytes, publish: true })
    expect(await finishPackage(await aContext(db), imported)).toMatchObject({
      status: 'parsed',
      lastMsg: expect.stringContaining('“steam://run/1” of the unit opens in another program.'),
    })
    const versionUid = module.currentVersionUid ?? ''
    expect((await getModule(ctx, { moduleUid: module.uid })).publishedVersionUid).toBe(versionUid)
    const [version] = (await listModuleVersions(ctx, [versionUid])).values()
    expect(version?.package).toMatchObject({ status: 'parsed', lastMsg: expect.stringContaining('cannot be opened') })
    const units = (await listUnitsOfVersions(ctx, [versionUid])).get(versionUid)
    expect(units?.map(({ isElsewhere }) => isElsewhere)).toEqual([true, false])
  })

  test('the job reads the package, and publishes it if the import asked for that', async () => {
    const ctx = await staff()
    const { module, imported } = await importPackage(ctx, { publish: true })
    expect(module.publishedVersionUid).toBeNull()
    expect(await finishPackage(await aContext(db), imported)).toMatchObject({ status: 'parsed', lastMsg: null })
    const after = await getModule(ctx, { moduleUid: module.uid })
    expect(after.publishedVersionUid).toBe(module.currentVersionUid)
    const units = (await listUnitsOfVersions(ctx, [after.publishedVersionUid ?? ''])).get(
      after.publishedVersionUid ?? '',
    )
    expect(units).toMatchObject([{ index: 0, title: { en: 'Unit' }, moveOn: 'NotApplicable', masteryScore: null }])
  })

  test('a refused package is never published, and says why', async () => {
    const ctx = await staff()
    const { module, imported } = await importPackage(ctx, { bytes: bad, publish: true })
    const state = await finishPackage(await aContext(db), imported)
    expect(state).toMatchObject({
      status: 'error',
      lastMsg: expect.stringContaining('“missing.html”, which is not in the zip'),
    })
    expect((await getModule(ctx, { moduleUid: module.uid })).publishedVersionUid).toBeNull()
  })

  test('a second zip with the same name opens version 2, and learners keep version 1 until it is published', async () => {
    const ctx = await staff()
    const name = `Twice ${randomUUID()}`
    const first = await importAndRead(ctx, { name, publish: true })
    const second = await importAndRead(ctx, { name })
    expect(second.imported).toMatchObject({ outcome: 'new_version', version: 2, moduleUid: first.imported.moduleUid })
    const before = await getModule(ctx, { moduleUid: first.imported.moduleUid })
    expect(before.publishedVersionUid).not.toBe(before.currentVersionUid)
    const after = await publishModule(ctx, { moduleUid: first.imported.moduleUid })
    expect(after.publishedVersionUid).toBe(before.currentVersionUid)
  })

  test('the zip after a refused one replaces it in the same version', async () => {
    const ctx = await staff()
    const name = `Repaired ${randomUUID()}`
    const first = await importAndRead(ctx, { name, bytes: bad })
    const second = await importAndRead(ctx, { name, publish: true })
    expect(first.package.status).toBe('error')
    expect(second.imported).toMatchObject({ outcome: 'replaced', version: 1, packageUid: first.imported.packageUid })
    expect(second.package).toMatchObject({ status: 'parsed', lastMsg: null })
    expect((await getModule(ctx, { moduleUid: second.imported.moduleUid })).publishedVersionUid).not.toBeNull()
  })

  test('units keep their IRI in the next version, and it differs from the publisher’s', async () => {
    const ctx = await staff()
    const name = `Stable ${randomUUID()}`
    for (const _ of [1, 2]) await importAndRead(ctx, { name })
    const rows = await db
      .selectFrom('cmi5_units')
      .innerJoin('cmi5_packages', 'cmi5_packages.id', 'cmi5_units.package_id')
      .innerJoin('module_versions', 'module_versions.id', 'cmi5_packages.module_version_id')
      .innerJoin('modules', 'modules.id', 'module_versions.module_id')
      .select(['cmi5_units.iri', 'cmi5_units.publisher_id', 'modules.uid'])
      .where('modules.name', '=', name)
      .execute()
    expect(rows).toHaveLength(2)
    expect(new Set(rows.map((row) => row.iri)).size).toBe(1)
    expect(rows[0]?.iri).toMatch(new RegExp(`^http://localhost:3000/xapi/activities/${rows[0]?.uid}/[0-9a-f]{64}$`))
  })

  test('a bare cmi5.xml is accepted like a zip', async () => {
    const xml = Buffer.from(courseXml(auXml({ url: 'https://example.org/unit' })))
    const result = await importAndRead(await staff(), { bytes: xml, fileName: 'cmi5.xml' })
    expect(result.package).toMatchObject({ status: 'parsed', lastMsg: null })
  })

  test('A-196 more than 50 MB are refused during the upload, and nothing is stored', async () => {
    const ctx = await staff()
    const megabyte = Buffer.alloc(1024 * 1024)
    let sent = 0
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent++
          yield megabyte
        }
      })(),
    )
    const name = `Too big ${randomUUID()}`
    await expect(importPackage(ctx, { name, file: endless })).rejects.toThrow('File too large')
    expect(sent).toBeLessThan(70)
    expect(await db.selectFrom('modules').select('id').where('name', '=', name).execute()).toEqual([])
  })

  test('an unknown plan, chapter or name creates nothing', async () => {
    const ctx = await staff()
    await expect(importPackage(ctx, { planName: 'Gold' })).rejects.toThrow(
      /There is no access plan "Gold". There are: "Free Access", "Full Access"/,
    )
    await expect(importPackage(ctx, { chapterName: 'Phase 9' })).rejects.toThrow('There is no chapter "Phase 9".')
    await expect(importPackage(ctx, { name: '  ' })).rejects.toThrow('1 to 200 characters')
  })

  test('learners and visitors may not import, and the other site’s module with the same name is another module', async () => {
    const learner = await aContext(db, { viewer: await aUser(db) })
    await expect(importPackage(learner, {})).rejects.toThrow('You do not have permission to perform this action.')
    await expect(importPackage(await aContext(db), {})).rejects.toThrow('Login required.')
    const name = `Both sites ${randomUUID()}`
    const { imported } = await importPackage(await staff(), { name })
    const abroad = await importPackage(await staff('ns'), { name })
    expect(abroad.imported).toMatchObject({ outcome: 'created', version: 1 })
    expect(abroad.imported.moduleUid).not.toBe(imported.moduleUid)
    const guest = await aContext(db, { site: 'ns', viewer: await aUser(db, { groups: ['admins'] }) })
    await expect(importPackage(guest, {})).rejects.toThrow('You do not have permission')
  })

  test('ten imports with one name at once create one module with ten versions', async () => {
    const ctx = await staff()
    const name = `Rush ${randomUUID()}`
    const all = await Promise.all(Array.from({ length: 10 }, () => importPackage(ctx, { name })))
    expect(new Set(all.map((one) => one.module.uid)).size).toBe(1)
    expect(all.map((one) => one.imported.version).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe('publishing', () => {
  async function aParsedModule(values: ImportOptions = {}) {
    const { imported } = await importAndRead(await staff(), values)
    return imported.moduleUid
  }

  test('gives learners the latest version, and unpublishing hides it', async () => {
    const moduleUid = await aParsedModule()
    const ctx = await staff()
    const learner = await aContext(db, { viewer: await aUser(db) })
    await expect(getModule(learner, { moduleUid })).rejects.toThrow('Not found.')
    const published = await publishModule(ctx, { moduleUid })
    expect(published).toMatchObject({ isOpenable: true, publishedVersionUid: published.currentVersionUid })
    expect(await getModule(learner, { moduleUid })).toMatchObject({ uid: moduleUid, isOpenable: true })
    expect(await unpublishModule(ctx, { moduleUid })).toMatchObject({ publishedVersionUid: null, isOpenable: false })
    await expect(getModule(learner, { moduleUid })).rejects.toThrow('Not found.')
  })

  test('is refused for Coming Soon modules, and for packages that are not parsed', async () => {
    const ctx = await staff()
    const moduleUid = await aParsedModule()
    await db.updateTable('modules').set({ coming_soon: true }).where('uid', '=', moduleUid).execute()
    const { name } = await getModule(ctx, { moduleUid })
    await expect(publishModule(ctx, { moduleUid })).rejects.toMatchObject({
      code: 'module.coming_soon',
      message: `Module marked as "Coming Soon" can't be published`,
    })
    await expect(importPackage(ctx, { name, publish: true })).rejects.toMatchObject({
      code: 'module.coming_soon',
    })
    const waiting = await importPackage(ctx, {})
    await expect(publishModule(ctx, { moduleUid: waiting.module.uid })).rejects.toMatchObject({
      code: 'module.not_parsed',
    })
    const refused = await importAndRead(ctx, { bytes: bad })
    await expect(publishModule(ctx, { moduleUid: refused.imported.moduleUid })).rejects.toMatchObject({
      code: 'module.not_parsed',
    })
  })

  test('is for staff of the site: forbidden for viewers who see the module, not found for others', async () => {
    const moduleUid = await aParsedModule({ publish: true })
    const draftUid = await aParsedModule()
    const learner = await aContext(db, { viewer: await aUser(db) })
    for (const change of [publishModule, unpublishModule]) {
      await expect(change(learner, { moduleUid })).rejects.toThrow('You do not have permission')
      await expect(change(learner, { moduleUid: draftUid })).rejects.toThrow('Not found.')
      await expect(change(await staff('ns'), { moduleUid })).rejects.toThrow('Not found.')
      await expect(change(await aContext(db), { moduleUid })).rejects.toThrow('Login required.')
      await expect(change(await staff(), { moduleUid: 'nonsense' })).rejects.toThrow('Not found.')
    }
  })

  test('ten times at once ends in the same state, and the publishing date stays', async () => {
    const moduleUid = await aParsedModule()
    const ctx = await staff()
    const all = await Promise.all(Array.from({ length: 10 }, () => publishModule(ctx, { moduleUid })))
    expect(new Set(all.map((module) => module.publishedVersionUid)).size).toBe(1)
    const uid = all[0]?.publishedVersionUid ?? ''
    const before = (await listModuleVersions(ctx, [uid])).get(uid)?.publishedAt
    await publishModule({ ...ctx, now: new Date(ctx.now.getTime() + 60_000) }, { moduleUid })
    expect((await listModuleVersions(ctx, [uid])).get(uid)?.publishedAt).toEqual(before)
    await Promise.all(Array.from({ length: 10 }, () => unpublishModule(ctx, { moduleUid })))
    expect((await getModule(ctx, { moduleUid })).publishedVersionUid).toBeNull()
  })

  test('a package that is still being read when its module is unpublished stays unpublished', async () => {
    const ctx = await staff()
    const { module, imported } = await importPackage(ctx, { publish: true })
    await unpublishModule(ctx, { moduleUid: module.uid })
    await finishPackage(ctx, imported)
    expect((await getModule(ctx, { moduleUid: module.uid })).publishedVersionUid).toBeNull()
  })

  test('an older package that is read late does not replace a newer published one', async () => {
    const ctx = await staff()
    const name = `Late ${randomUUID()}`
    const older = await importPackage(ctx, { name, publish: true })
    const newer = await importPackage(ctx, { name, publish: true })
    await finishPackage(ctx, newer.imported)
    await finishPackage(ctx, older.imported)
    const module = await getModule(ctx, { moduleUid: newer.module.uid })
    expect(module.publishedVersionUid).toBe(module.currentVersionUid)
  })
})

test('a package whose upload has vanished is refused instead of being retried forever', async () => {
  const ctx = await staff()
  const { imported } = await importPackage(ctx, {})
  const row = await db
    .selectFrom('cmi5_packages')
    .innerJoin('stored_files', 'stored_files.id', 'cmi5_packages.zip_file_id')
    .select('storage_key')
    .where('cmi5_packages.uid', '=', imported.packageUid)
    .executeTakeFirstOrThrow()
  await files.delete(row.storage_key)
  expect(await finishPackage(ctx, imported)).toMatchObject({
    status: 'error',
    lastMsg: expect.stringContaining('upload it again'),
  })
})
