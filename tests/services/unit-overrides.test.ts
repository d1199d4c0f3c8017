/** Rules that authors set for units in place of the package's rules, and publishing an earlier version again. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { unitOverrideValues } from '~/forms/unit-override.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { getModule, publishVersion, statusOfModule, unpublishModule } from '~/services/modules/modules.server.ts'
import { getUnitRule, getUnitRules, setUnitOverride } from '~/services/modules/overrides.server.ts'
import { listUnitsOfVersions } from '~/services/modules/parts.server.ts'
import { findOwnModulesProgress, listOwnAttempts } from '~/services/progress/progress.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { aPerson } from '../support/attempts.ts'
import { aModule, aModuleVersion, launchAndFetch, send, statementOf, storyOf, visit } from '../support/cmi5.ts'
import { aContext } from '../support/context.ts'
import { moduleValues, openForm as openModuleForm, parseLatest } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db } from '../support/test.ts'

let system: Ctx
let author: Ctx
aStorage()

beforeAll(async () => {
  system = await aContext(db)
  author = await aPerson(db, { groups: ['authors'] })
})

const nothing = { masteryScore: '', moveOn: '', launchParameters: '' }
type Values = Record<keyof typeof nothing, string>

/** The form of one unit: its values when it was opened, and its post. */
async function openForm(ctx: Ctx, input: { moduleUid: string; unitUid: string }) {
  const { override, revision } = await getUnitRule(ctx, input)
  const form: Values = unitOverrideValues(override)
  return {
    save: (changes: Partial<Values>) => setUnitOverride(ctx, { ...input, ...form, ...changes, revision }),
    saveAt: (revision: number, changes: Partial<Values>) =>
      setUnitOverride(ctx, { ...input, ...form, ...changes, revision }),
  }
}

/** A person who opens the form and saves it at once. */
async function setRules(input: Values & { moduleUid: string; unitUid: string }) {
  const { moduleUid, unitUid, ...values } = input
  return (await openForm(author, { moduleUid, unitUid })).save(values)
}

test('cmi5 10.2.3, 10.2.5: an author’s rules apply to later launches; open sessions keep their rules', async () => {
  const module = await aModule(system, { units: [{ masteryScore: 0.8, moveOn: 'Passed', launchParameters: 'a' }, {}] })
  const input = { moduleUid: module.uid, unitUid: module.units[0]?.uid ?? '' }
  const launch = { moduleVersionUid: module.versionUid, unitIndex: 0 }
  const [before, after] = [await aPerson(db), await aPerson(db)]
  const open = await launchAndFetch(before, launch)
  await send(before, open.session, statementOf(open.session, 'initialized'))
  expect(
    await setRules({
      ...input,
      masteryScore: '0.25',
      moveOn: 'CompletedOrPassed',
      launchParameters: ' b\n',
    }),
  ).toEqual({ isChanged: true, keptOfOthers: [] })
  const { session } = await launchAndFetch(after, launch)
  expect(session.launchData).toMatchObject({
    masteryScore: 0.25,
    moveOn: 'CompletedOrPassed',
    launchParameters: ' b\n',
  })
  const [launched] = await storyOf(db, session.registrationUid)
  expect(launched?.body.context.extensions).toMatchObject({
    'https://w3id.org/xapi/cmi5/context/extensions/masteryscore': 0.25,
    'https://w3id.org/xapi/cmi5/context/extensions/moveon': 'CompletedOrPassed',
    'https://w3id.org/xapi/cmi5/context/extensions/launchparameters': ' b\n',
  })
  await send(after, session, [
    statementOf(session, 'initialized'),
    statementOf(session, 'passed', { score: { scaled: 0.3 } }),
  ])
  const low = statementOf(open.session, 'passed', { score: { scaled: 0.3 } })
  await expect(send(before, open.session, low)).rejects.toThrow('9.3.4')
})

test('roll-up uses the rules of the launch', async () => {
  const module = await aModule(system, { units: [{ moveOn: 'CompletedAndPassed' }] })
  const learner = await aPerson(db)
  const launch = { moduleVersionUid: module.versionUid }
  const { session } = await visit(learner, launch, 'completed')
  const verbs = async () => (await storyOf(db, session.registrationUid)).map(({ verb }) => verb)
  expect(await verbs()).not.toContain('satisfied')
  await setRules({
    ...{ moduleUid: module.uid, unitUid: module.units[0]?.uid ?? '' },
    ...nothing,
    moveOn: 'Completed',
  })
  expect(await verbs()).not.toContain('satisfied')
  await launchUnit(learner, launch)
  expect((await verbs()).slice(-2)).toEqual(['launched', 'satisfied'])
  expect((await listOwnAttempts(learner, { moduleUid: module.uid }))[0]).toMatchObject({ isSatisfied: true })
})

test('0 is a mastery score, and an empty field means the package’s rule', async () => {
  const module = await aModule(system, { units: [{ masteryScore: 0.6, moveOn: 'Passed' }] })
  const input = { moduleUid: module.uid, unitUid: module.units[0]?.uid ?? '' }
  await setRules({ ...input, ...nothing, masteryScore: '0' })
  expect(await getUnitRule(author, input)).toMatchObject({
    inPackage: { masteryScore: 0.6, moveOn: 'Passed', launchParameters: null },
    override: { masteryScore: 0, moveOn: null, launchParameters: null },
  })
  const [unit] = (await listUnitsOfVersions(author, [module.versionUid])).get(module.versionUid) ?? []
  expect(unit).toMatchObject({ masteryScore: 0, moveOn: 'Passed' })
  const learner = await aPerson(db)
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  expect(session.launchData.masteryScore).toBe(0)
  expect(await setRules({ ...input, ...nothing })).toMatchObject({ isChanged: true })
  expect(await setRules({ ...input, ...nothing })).toMatchObject({ isChanged: false })
  const rows = await db.selectFrom('unit_overrides').selectAll().where('module_id', '=', module.id).execute()
  expect(rows).toEqual([])
})

test('the rules stay with the unit in later versions', async () => {
  const module = await aModule(system, { units: [{ id: 'a' }, { id: 'b' }] })
  const unitUid = module.units[1]?.uid ?? ''
  await setRules({ moduleUid: module.uid, unitUid, ...nothing, moveOn: 'NotApplicable' })
  await aModuleVersion(system, module, { units: [{ id: 'b' }, { id: 'c' }] })
  const rules = await getUnitRules(author, { moduleUid: module.uid })
  expect(rules).toMatchObject({ version: 2, versions: [{ version: 2, isPublished: true }, { version: 1 }] })
  expect(rules.units.map(({ override }) => override.moveOn)).toEqual(['NotApplicable', null])
  const first = await getUnitRules(author, { moduleUid: module.uid, version: 1 })
  expect(first.units.map(({ override }) => override.moveOn)).toEqual([null, 'NotApplicable'])
  await expect(getUnitRules(author, { moduleUid: module.uid, version: 3 })).rejects.toThrow(NotFound)
})

test.each([
  ['masteryScore', '1.1'],
  ['masteryScore', '-0.1'],
  ['masteryScore', '0.12345'],
  ['masteryScore', '80 %'],
  ['masteryScore', '1e-3'],
  ['masteryScore', 'NaN'],
  ['moveOn', 'passed'],
  ['moveOn', 'Everything'],
  ['launchParameters', 'x'.repeat(10_001)],
  ['launchParameters', 'a\u0000b'],
])('%s: %s is refused with a message beside its field', async (field, value) => {
  const module = await aModule(system)
  const input = { moduleUid: module.uid, unitUid: module.units[0]?.uid ?? '', ...nothing, [field]: value, revision: 0 }
  const error = await setUnitOverride(author, input).catch((error) => error)
  expect(error).toBeInstanceOf(Invalid)
  expect(Object.keys(error.fieldErrors)).toEqual([field])
})

test('overriding is for staff of the site, for units of the module; ten at once are one logged change', async () => {
  const [module, other] = [await aModule(system), await aModule(system)]
  const unit = { moduleUid: module.uid, unitUid: module.units[0]?.uid ?? '' }
  const input = { ...unit, ...nothing, masteryScore: '0.5', revision: 0 }
  for (const person of [await aPerson(db), await aPerson(db, { groups: ['instructors'] })]) {
    await expect(setUnitOverride(person, input)).rejects.toThrow(Forbidden)
    await expect(getUnitRules(person, input)).rejects.toThrow(Forbidden)
  }
  await expect(setUnitOverride(system, input)).rejects.toThrow('Login required.')
  const foreign = await aPerson(db, { site: 'ns', groups: ['admins'] })
  await expect(setUnitOverride(foreign, input)).rejects.toThrow(NotFound)
  await expect(getUnitRules(foreign, input)).rejects.toThrow(NotFound)
  for (const wrong of [{ unitUid: other.units[0]?.uid ?? '' }, { unitUid: 'x' }, { moduleUid: 'x' }]) {
    await expect(setUnitOverride(author, { ...input, ...wrong })).rejects.toThrow(NotFound)
  }
  const results = await Promise.all(Array.from({ length: 10 }, () => setUnitOverride(author, input)))
  expect(results.filter(({ isChanged }) => isChanged)).toHaveLength(1)
  const entries = await listAuditEntries(author, { entity: 'module', entityUid: module.uid })
  expect(entries).toMatchObject([
    { action: 'module.unit_overridden', before: { masteryScore: null }, after: { masteryScore: 0.5 } },
  ])
})

describe('two authors at once', () => {
  const people = () =>
    Promise.all([
      aPerson(db, { groups: ['authors'], firstName: 'Zoë', lastName: 'Okafor' }),
      aPerson(db, { groups: ['admins'] }),
    ])
  const aUnit = async () => {
    const module = await aModule(system, { units: [{ id: 'a' }, { id: 'b' }] })
    return { module, input: { moduleUid: module.uid, unitUid: module.units[0]?.uid ?? '' } }
  }

  test('rules that only one of them changed are both kept', async () => {
    const [zoe, lin] = await people()
    const { input } = await aUnit()
    const [one, two] = [await openForm(zoe, input), await openForm(lin, input)]
    await one.save({ masteryScore: '0.5' })
    expect(await two.save({ moveOn: 'Passed' })).toEqual({ isChanged: true, keptOfOthers: ['masteryScore'] })
    const { override } = await getUnitRule(author, input)
    expect(override).toEqual({ masteryScore: 0.5, moveOn: 'Passed', launchParameters: null })
  })

  test('the second reads who changed the same rule and how, and nothing is written', async () => {
    const [zoe, lin] = await people()
    const { input } = await aUnit()
    await setRules({ ...input, ...nothing, moveOn: 'Completed' })
    const [one, two] = [await openForm(zoe, input), await openForm(lin, input)]
    await one.save({ masteryScore: '0.5', moveOn: '', launchParameters: 'By Zoë' })
    const refusal = await two.save({ masteryScore: '0.7', moveOn: 'Passed' }).catch((error) => error)
    expect(refusal).toBeInstanceOf(ChangedMeanwhile)
    const start = 'Zoë Okafor changed this while you were editing.'
    expect(refusal.fieldErrors).toEqual({
      masteryScore: `${start} It is now “0.5”. Save again to use yours.`,
      moveOn: `${start} It is as in the package now. Save again to use yours.`,
    })
    expect(refusal.takenOver).toEqual(['launchParameters'])
    const now = { masteryScore: 0.5, moveOn: null, launchParameters: 'By Zoë' }
    expect((await getUnitRule(author, input)).override).toEqual(now)
    // Sent again with the values of the refusal, it is a decision.
    await two.saveAt(refusal.now.revision, { masteryScore: '0.7', moveOn: 'Passed', launchParameters: 'By Zoë' })
    expect((await getUnitRule(author, input)).override).toEqual({ ...now, masteryScore: 0.7, moveOn: 'Passed' })
  })

  test('long values are quoted by their beginning, and moveOn in words', async () => {
    const [zoe, lin] = await people()
    const { input } = await aUnit()
    const [one, two] = [await openForm(zoe, input), await openForm(lin, input)]
    await one.save({ moveOn: 'CompletedOrPassed', launchParameters: 'x'.repeat(10_000) })
    const refusal = await two.save({ moveOn: 'Passed', launchParameters: 'y' }).catch((error) => error)
    expect(refusal.fieldErrors.moveOn).toContain('It is now “Completed or passed”.')
    expect(refusal.fieldErrors.launchParameters).toContain(`It now begins with “${'x'.repeat(250)}…”.`)
  })

  test('a change through another version counts, and one of another unit does not', async () => {
    const [zoe, lin] = await people()
    const { module, input } = await aUnit()
    const next = await aModuleVersion(system, module, { units: [{ id: 'c' }, { id: 'a' }] })
    const two = await openForm(lin, input)
    await setRules({ moduleUid: module.uid, unitUid: module.units[1]?.uid ?? '', ...nothing, masteryScore: '0.1' })
    expect(await two.save({ masteryScore: '0.2' })).toEqual({ isChanged: true, keptOfOthers: [] })
    const late = await openForm(lin, input)
    const inNext = { moduleUid: module.uid, unitUid: next.units[1]?.uid ?? '' }
    await (await openForm(zoe, inNext)).save({ masteryScore: '0.3' })
    await expect(late.save({ masteryScore: '0.4' })).rejects.toThrow(ChangedMeanwhile)
  })

  test('the forms of the module and of its units do not ask about each other’s fields', async () => {
    const [zoe, lin] = await people()
    const uid = (await createModule(zoe, await moduleValues(zoe))).uid
    await parseLatest(zoe, uid)
    const form = await openModuleForm(lin, uid)
    const [unit] = (await getUnitRules(zoe, { moduleUid: uid })).units
    const input = { moduleUid: uid, unitUid: unit?.uid ?? '' }
    await setRules({ ...input, ...nothing, masteryScore: '0.5' })
    const rules = await openForm(zoe, input)
    expect(await form.save({ description: 'By Lin' })).toMatchObject({ keptOfOthers: [] })
    expect(await rules.save({ masteryScore: '0.6' })).toEqual({ isChanged: true, keptOfOthers: [] })
  })

  test('the same change by both is no conflict, and an unknown revision asks about every difference', async () => {
    const [zoe, lin] = await people()
    const { input } = await aUnit()
    const [one, two] = [await openForm(zoe, input), await openForm(lin, input)]
    await one.save({ masteryScore: '0.5' })
    expect(await two.save({ masteryScore: '0.5' })).toMatchObject({ isChanged: false })
    for (const revision of [-1, 99, Number.NaN]) {
      await expect(two.saveAt(revision, { masteryScore: '0.6' })).rejects.toThrow(ChangedMeanwhile)
    }
  })

  test('of ten saves of one form at once one wins, and nobody overwrites silently', async () => {
    const { input } = await aUnit()
    const form = await openForm(author, input)
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => form.save({ masteryScore: `0.${index}` })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ChangedMeanwhile)
    }
  })
})

test('after an earlier version is published again, new attempts start in it and begun ones stay where they are', async () => {
  const module = await aModule(system, { units: [{ id: 'a' }] })
  const launch = { moduleVersionUid: module.versionUid }
  const [old, recent, waiting] = [await aPerson(db), await aPerson(db), await aPerson(db)]
  const first = await visit(old, launch, ['experienced', { progress: 30 }])
  const next = await aModuleVersion(system, module, { units: [{ id: 'a' }, { id: 'b' }] })
  const second = await visit(recent, launch, 'completed')
  await launchUnit(waiting, launch)
  expect(await publishVersion(author, { moduleUid: module.uid, moduleVersionUid: module.versionUid })).toMatchObject({
    version: 1,
  })
  const versionsOf = async (person: Ctx) =>
    (await listOwnAttempts(person, { moduleUid: module.uid })).map(({ version, isOpen }) => [version, isOpen])
  expect((await launchAndFetch(old, launch)).session.registrationUid).toBe(first.session.registrationUid)
  expect((await launchAndFetch(recent, launch)).session.registrationUid).toBe(second.session.registrationUid)
  await launchUnit(waiting, launch)
  expect([await versionsOf(old), await versionsOf(recent), await versionsOf(waiting)]).toEqual([
    [[1, true]],
    [[2, true]],
    [[1, true]],
  ])
  const percentOf = async (person: Ctx) =>
    (await findOwnModulesProgress(person, { moduleUids: [module.uid] })).get(module.uid)?.percent
  expect([await percentOf(old), await percentOf(recent)]).toEqual([30, 50])
  const shown = await getModule(author, { moduleUid: module.uid })
  expect(shown).toMatchObject({ publishedVersionUid: module.versionUid, currentVersionUid: next.versionUid })
  expect(statusOfModule(shown)).toBe('draft')
  const [entry] = await listAuditEntries(author, { entity: 'module', entityUid: module.uid })
  expect(entry).toMatchObject({ action: 'module.version_published', before: { version: 2 }, after: { version: 1 } })
})

test('publishing a version is for staff of the site and ready versions; ten at once are one log entry', async () => {
  const [module, other] = [await aModule(system), await aModule(system)]
  await aModuleVersion(system, module)
  const input = { moduleUid: module.uid, moduleVersionUid: module.versionUid }
  for (const person of [await aPerson(db), await aPerson(db, { groups: ['instructors'] })]) {
    await expect(publishVersion(person, input)).rejects.toThrow(Forbidden)
  }
  const foreign = await aPerson(db, { site: 'ns', groups: ['admins'] })
  await expect(publishVersion(foreign, input)).rejects.toThrow(NotFound)
  for (const moduleVersionUid of [other.versionUid, randomUUID(), 'x']) {
    await expect(publishVersion(author, { ...input, moduleVersionUid })).rejects.toThrow(NotFound)
  }
  await Promise.all(Array.from({ length: 10 }, () => publishVersion(author, input)))
  expect(await listAuditEntries(author, { entity: 'module', entityUid: module.uid })).toHaveLength(1)
  await unpublishModule(author, { moduleUid: module.uid })
  await publishVersion(author, input)
  const unread = await aModuleVersion(system, module, { isPublished: false })
  await db
    .updateTable('cmi5_packages')
    .set({ status: 'processing' })
    .where('module_version_id', '=', unread.versionId)
    .execute()
  await db
    .updateTable('module_versions')
    .set({ publish_when_parsed: true })
    .where('id', '=', unread.versionId)
    .execute()
  await expect(publishVersion(author, { ...input, moduleVersionUid: unread.versionUid })).rejects.toThrow(Conflict)
  const soon = await aModule(system, { comingSoon: true, isPublished: false })
  await expect(publishVersion(author, { moduleUid: soon.uid, moduleVersionUid: soon.versionUid })).rejects.toThrow(
    'Coming Soon',
  )
})

test('a newer package that is still being read does not undo a rollback', async () => {
  const module = await aModule(system)
  await aModuleVersion(system, module)
  const reading = await aModuleVersion(system, module, { isPublished: false })
  const wishes = () =>
    db.selectFrom('module_versions').select('publish_when_parsed as wish').where('id', '=', reading.versionId)
  await db
    .updateTable('module_versions')
    .set({ publish_when_parsed: true })
    .where('id', '=', reading.versionId)
    .execute()
  await publishVersion(author, { moduleUid: module.uid, moduleVersionUid: module.versionUid })
  expect(await wishes().executeTakeFirstOrThrow()).toEqual({ wish: false })
})
