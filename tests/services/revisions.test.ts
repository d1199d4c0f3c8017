/** Merging the saves of two people who have one form open. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toClientError } from '~/graphql/errors.server.ts'
import { statusOf } from '~/http/respond.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict } from '~/services/errors.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import type { ModuleState } from '~/services/modules/module-state.server.ts'
import { getModule, publishModule, unpublishModule } from '~/services/modules/modules.server.ts'
import { getUnitRules, setUnitOverride } from '~/services/modules/overrides.server.ts'
import { getModuleToEdit, updateModule } from '~/services/modules/save-module.server.ts'
import { ChangedMeanwhile, changedFields, merge } from '~/services/revisions.ts'
import type { Database } from '~db/client.server.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { importAndRead } from '../support/imports.ts'
import { aMember, chapterUid, moduleValues, openForm, parseLatest, planUid } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'

describe('merging', () => {
  const base = { name: 'a', tags: ['x', 'y'], isOpen: true }

  test('keeps what one of them changed, and asks about fields that both changed to different values', () => {
    expect(merge({ base, mine: { ...base, name: 'b' }, now: { ...base, isOpen: false } })).toEqual({
      changes: { name: 'b' },
      contested: [],
      keptOfOthers: ['isOpen'],
    })
    expect(merge({ base, mine: { ...base, name: 'b' }, now: { ...base, name: 'c' } }).contested).toEqual(['name'])
  })

  test('writes nothing that is stored already, such as the same save sent twice', () => {
    expect(merge({ base, mine: { ...base, name: 'b' }, now: { ...base, name: 'b' } })).toEqual({
      changes: {},
      contested: [],
      keptOfOthers: [],
    })
  })

  test('compares lists as sets, and keeps a field that the form does not send', () => {
    expect(merge({ base, mine: { tags: ['y', 'x'] }, now: base })).toEqual({
      changes: {},
      contested: [],
      keptOfOthers: [],
    })
  })

  test('without a base, asks about every difference', () => {
    const merged = merge({ base: null, mine: { ...base, name: 'b', isOpen: false }, now: base })
    expect(merged).toEqual({ changes: { name: 'b', isOpen: false }, contested: ['name', 'isOpen'], keptOfOthers: [] })
  })

  test('no random change is lost without a question', () => {
    const value = fc.integer({ min: 0, max: 3 })
    const state = fc.record({ a: value, b: value, c: value })
    fc.assert(
      fc.property(state, state, state, (base, mine, now) => {
        const { changes, contested, keptOfOthers } = merge({ base, mine, now })
        const after = { ...now, ...changes }
        for (const field of changedFields(base, mine)) expect(after[field]).toBe(mine[field])
        for (const field of changedFields(base, now)) {
          expect(after[field] === now[field] || contested.includes(field)).toBe(true)
        }
        expect(keptOfOthers.some((field) => contested.includes(field))).toBe(false)
      }),
      { seed: 11, numRuns: 500 },
    )
  })
})

test('a refusal is a conflict: 409 for a page, CONFLICT for a program, with its fields', () => {
  const now = { state: { name: 'b' }, revision: 3 }
  const refusal = new ChangedMeanwhile('Somebody else changed it.', { name: 'It is now “b”.' }, { now, takenOver: [] })
  expect(refusal).toBeInstanceOf(Conflict)
  expect(statusOf(refusal)).toBe(409)
  expect(statusOf(new Conflict('module.not_parsed', 'Not yet'))).toBe(422)
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  expect(toClientError(refusal, log)).toMatchObject({
    message: 'Somebody else changed it. What you typed is still here.',
    extensions: { code: 'CONFLICT', fieldErrors: { name: 'It is now “b”.' } },
  })
})

describe('a form that was opened before', () => {
  let db: Database
  let close: () => Promise<void>
  let author: Ctx
  aStorage()

  beforeAll(async () => {
    ;({ db, close } = await openTestDatabase(await freshDatabase()))
    author = await aMember(db, ['authors'])
  })
  afterAll(() => close())

  async function aParsedModule() {
    const module = await createModule(author, await moduleValues(author))
    await parseLatest(author, module.uid)
    return module
  }

  type Write = (uid: string, name: string) => Promise<unknown>
  const update = (changes: () => Promise<object> | object): Write => {
    return async (moduleUid) => updateModule(author, { moduleUid, ...(await changes()) })
  }
  const writes: [string, Write, (keyof ModuleState)[]][] = [
    ['its name', update(() => ({ name: 'New' })), ['name']],
    ['its description', update(() => ({ description: 'New' })), ['description']],
    ['its cover', update(async () => ({ coverImg: (await aCover(author)).name })), ['coverImg']],
    ['the words for its cover', update(() => ({ coverImgDesc: 'New' })), ['coverImgDesc']],
    ['its plans', update(async () => ({ accessPlanUids: [await planUid(author, 'Free Access')] })), ['accessPlanUids']],
    ['its tags', update(() => ({ tags: ['New'] })), ['tags']],
    ['its chapter', update(async () => ({ chapterUid: await chapterUid(author, 3) })), ['chapterUid']],
    ['its place on the modules page', update(() => ({ inSelfStudy: false })), ['inSelfStudy']],
    ['whether it is coming soon', update(() => ({ comingSoon: true })), ['comingSoon']],
    ['whether it shows definitions', update(() => ({ showsTerms: false })), ['showsTerms']],
    ['its package', update(async () => ({ cmi5Zip: (await aZip(author)).name })), ['cmi5Zip']],
    [
      'package, plans and chapter by an import',
      (_uid, name) => importAndRead(author, { name, planName: 'Free Access', chapterName: 'Phase 3' }),
      ['cmi5Zip', 'accessPlanUids', 'chapterUid'],
    ],
    ['that it is published', (moduleUid) => publishModule(author, { moduleUid }), []],
    ['that it is not', (moduleUid) => unpublishModule(author, { moduleUid }), []],
    [
      'the rules of a unit',
      async (moduleUid) => {
        const [unit] = (await getUnitRules(author, { moduleUid })).units
        const { revision } = await getModuleToEdit(author, { moduleUid })
        const rules = { masteryScore: '0.5', moveOn: '', launchParameters: '' }
        await setUnitOverride(author, { moduleUid, unitUid: unit?.uid ?? '', ...rules, revision })
      },
      [],
    ],
  ]

  test.each(writes)('detects a change by somebody else: %s', async (_what, write, fields) => {
    const { uid, name } = await aParsedModule()
    const before = await getModuleToEdit(author, { moduleUid: uid })
    const form = await openForm(author, uid)
    await write(uid, name)
    const written = await getModuleToEdit(author, { moduleUid: uid })
    expect(changedFields(before.state, written.state).sort()).toEqual([...fields].sort())
    if (fields.length > 0) expect(written.revision).toBeGreaterThan(before.revision)
    // Saved unchanged, it reverts nothing.
    const { keptOfOthers } = await form.save({})
    expect([...keptOfOthers].sort()).toEqual([...fields].sort())
    expect((await getModuleToEdit(author, { moduleUid: uid })).state).toEqual(written.state)
    expect((await getModule(author, { moduleUid: uid })).uid).toBe(uid)
  })
})
