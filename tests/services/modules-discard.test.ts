/** Discarding a version whose package cannot be used makes the one before it the latest again. */
import { expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { Conflict, Forbidden, NotFound } from '~/services/errors.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { discardVersion } from '~/services/modules/discard-version.server.ts'
import { getModule, publishModule } from '~/services/modules/modules.server.ts'
import { listVersionsOfModules } from '~/services/modules/parts.server.ts'
import { getModuleToEdit, saveModule, updateModule } from '~/services/modules/save-module.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { aZip } from '../support/attachments.ts'
import { aContext, aUser } from '../support/context.ts'
import { aMember, moduleValues, parseLatest, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db } from '../support/test.ts'

aStorage()
const author = await aMember(db, ['authors'])

/** v1 is published, and the package of v2 has errors. */
async function aBrokenModule(): Promise<{ moduleUid: string; moduleVersionUid: string; live: string | null }> {
  const { uid: moduleUid } = await createModule(author, await moduleValues(author))
  await parseLatest(author, moduleUid)
  const { publishedVersionUid: live } = await publishModule(author, { moduleUid })
  const { currentVersionUid } = await updateModule(author, { moduleUid, cmi5Zip: (await aZip(author)).name })
  await breakPackage(currentVersionUid ?? '')
  return { moduleUid, moduleVersionUid: currentVersionUid ?? '', live }
}

async function breakPackage(versionUid: string): Promise<void> {
  await db
    .updateTable('cmi5_packages')
    .set({ status: 'error', last_msg: 'There is no cmi5.xml.' })
    .where('module_version_id', 'in', (eb) =>
      eb.selectFrom('module_versions').select('id').where('uid', '=', versionUid),
    )
    .execute()
}

const versionsOf = async (moduleUid: string) =>
  ((await listVersionsOfModules(author, [moduleUid])).get(moduleUid) ?? []).map(({ version }) => version)

test('the version is gone, the one before is the latest, learners notice nothing, and the form knows its file', async () => {
  const { live, ...input } = await aBrokenModule()
  const before = await getModuleToEdit(author, input)
  expect(await discardVersion(author, input)).toMatchObject({ version: 2 })
  expect(await versionsOf(input.moduleUid)).toEqual([1])
  expect(await getModule(author, input)).toMatchObject({ publishedVersionUid: live, currentVersionUid: live })
  const after = await getModuleToEdit(author, input)
  expect(after.revision).toBe(before.revision + 1)
  expect(after.state.cmi5Zip).not.toBe(before.state.cmi5Zip)
  const actions = (await listAuditEntries(author, { entity: 'module', entityUid: input.moduleUid })).map(
    ({ action }) => action,
  )
  expect(actions).toContain('module.version_discarded')
  // An open form keeps what was typed; only a newly chosen zip would cause a question.
  const values = { ...before.state, coverImg: before.state.coverImg ?? '', description: 'Typed meanwhile' }
  const saved = await saveModule(author, { ...values, ...input, revision: before.revision })
  expect(saved.keptOfOthers).toEqual(['cmi5Zip'])
  const zip = (await aZip(author)).name
  const refused = await refusalOf(saveModule(author, { ...values, ...input, cmi5Zip: zip, revision: before.revision }))
  expect(refused).toBeInstanceOf(ChangedMeanwhile)
})

test('is refused to learners, and not found on the other site or signed out', async () => {
  const { live: _, ...input } = await aBrokenModule()
  const learner = await aContext(db, { viewer: await aUser(db) })
  expect(await refusalOf(discardVersion(learner, input))).toBeInstanceOf(Forbidden)
  expect(await refusalOf(discardVersion(await aMember(db, ['admins'], { site: 'ns' }), input))).toBeInstanceOf(NotFound)
  expect((await refusalOf(discardVersion(await aContext(db), input)))?.message).toBe('Login required.')
  expect(await versionsOf(input.moduleUid)).toEqual([2, 1])
})

test('only the latest version can be discarded, only with errors, and never the only one', async () => {
  const { live, ...input } = await aBrokenModule()
  expect(await refusalOf(discardVersion(author, { ...input, moduleVersionUid: live ?? '' }))).toBeInstanceOf(Conflict)
  expect(await refusalOf(discardVersion(author, { ...input, moduleVersionUid: 'x' }))).toBeInstanceOf(NotFound)
  const other = await aBrokenModule()
  const strayed = { moduleUid: input.moduleUid, moduleVersionUid: other.moduleVersionUid }
  expect(await refusalOf(discardVersion(author, strayed))).toBeInstanceOf(NotFound)
  const { uid: moduleUid, currentVersionUid } = await createModule(author, await moduleValues(author))
  await breakPackage(currentVersionUid ?? '')
  const refused = await refusalOf(discardVersion(author, { moduleUid, moduleVersionUid: currentVersionUid ?? '' }))
  expect(refused).toMatchObject({ code: 'module.only_version' })
  expect(await versionsOf(moduleUid)).toEqual([1])
})

test('ten discards at once discard one version', async () => {
  const { live: _, ...input } = await aBrokenModule()
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => discardVersion(author, input)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const one of all) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(NotFound)
  expect(await versionsOf(input.moduleUid)).toEqual([1])
})
