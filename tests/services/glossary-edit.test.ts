import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importedTermForm, termColumns } from '~/forms/glossary.ts'
import { csvResponse } from '~/http/csv.server.ts'
import { checkCsv, readCsv } from '~/lib/csv-import.server.ts'
import { termParts } from '~/pages/glossary-manager.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, type Invalid, NotFound } from '~/services/errors.ts'
import { getGlossarySettings, listGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { importGlossaryTerms, planTermImport } from '~/services/glossary/import-terms.server.ts'
import { getGlossarySettingsToEdit, updateGlossarySettings } from '~/services/glossary/save-settings.server.ts'
import {
  createGlossaryTerm,
  deleteGlossaryTerm,
  getGlossaryTermToEdit,
  restoreGlossaryTerm,
  updateGlossaryTerm,
} from '~/services/glossary/save-term.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { aContext, aUser } from '../support/context.ts'
import { anExchange } from '../support/exchange.ts'
import { takeJobs } from '../support/jobs.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let other: Ctx

beforeAll(async () => {
  const anAdmin = (firstName: string) => aUser(db, { groups: ['admins'], plan: null, firstName, lastName: 'Moreau' })
  admin = await aContext(db, { viewer: await anAdmin('Ana') })
  other = await aContext(db, { viewer: await anAdmin('Ben') })
})

beforeEach(async () => {
  await db.deleteFrom('glossary_terms').execute()
  await db.deleteFrom('glossary_settings').execute()
})

const definition = 'A test that others can repeat.'

async function aTerm(name: string) {
  return createGlossaryTerm(admin, { name, definition })
}

async function names(): Promise<string[]> {
  return (await listGlossaryTerms(admin)).items.map(({ name }) => name)
}

describe('terms', () => {
  test('C-220 a slug is made from the name, kept when the term is renamed, and never given to another term', async () => {
    const first = await aTerm('Drug Target')
    expect(first.slug).toBe('drug-target')
    const { term } = await updateGlossaryTerm(admin, { termUid: first.uid, name: 'Target', definition })
    expect(term).toMatchObject({ uid: first.uid, slug: 'drug-target', name: 'Target' })
    expect((await aTerm('Drug Target')).slug).toBe('drug-target-2')
    await deleteGlossaryTerm(admin, { termUid: first.uid })
    expect((await aTerm('Drug target!')).slug).toBe('drug-target-3')
  })

  test('C-182 C-183 name and definition are required, and have at most 65 and 250 characters', async () => {
    const refused = async (values: { name: string; definition: string }) =>
      createGlossaryTerm(admin, values).then(
        () => null,
        (error: Invalid) => error.fieldErrors,
      )
    expect(await refused({ name: '  ', definition: '' })).toEqual({
      name: 'Term is required',
      definition: 'Definition is required',
    })
    expect(await refused({ name: 'x'.repeat(66), definition: 'y'.repeat(251) })).toEqual({
      name: 'At most 65 characters',
      definition: 'At most 250 characters',
    })
    expect(await refused({ name: 'x'.repeat(65), definition: 'y'.repeat(250) })).toBeNull()
  })

  test('a name is refused that another term has, in any case, and taken once that term is removed', async () => {
    const { uid } = await aTerm('Assay')
    await expect(aTerm('ASSAY')).rejects.toThrow('The glossary already has the term “Assay”.')
    const { uid: otherUid } = await aTerm('Affinity')
    const rename = updateGlossaryTerm(admin, { termUid: otherUid, name: 'assay', definition })
    await expect(rename).rejects.toMatchObject({ fieldErrors: { name: expect.stringContaining('“Assay”') } })
    await deleteGlossaryTerm(admin, { termUid: uid })
    await updateGlossaryTerm(admin, { termUid: otherUid, name: 'assay', definition })
    await expect(restoreGlossaryTerm(admin, { termUid: uid })).rejects.toThrow(Conflict)
    expect(await names()).toEqual(['assay'])
  })

  test('ten requests at once with the same uid create one term, and with one name also one', async () => {
    const uid = randomUUID()
    const same = await Promise.all(
      Array.from({ length: 10 }, () => createGlossaryTerm(admin, { uid, name: 'Assay', definition })),
    )
    expect(new Set(same.map((term) => term.uid))).toEqual(new Set([uid]))
    const named = await Promise.allSettled(Array.from({ length: 10 }, () => aTerm('Affinity')))
    expect(named.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await names()).toEqual(['Affinity', 'Assay'])
  })

  test('a uid that another site or a removed term has creates nothing', async () => {
    const viewer = await aUser(db, { site: 'ns', groups: ['admins'], plan: null })
    const ns = await aContext(db, { site: 'ns', viewer })
    const { uid: foreign } = await createGlossaryTerm(ns, { name: 'Neuron', definition })
    await expect(createGlossaryTerm(admin, { uid: foreign, name: 'Assay', definition })).rejects.toThrow(NotFound)
    const { uid } = await aTerm('Affinity')
    await deleteGlossaryTerm(admin, { termUid: uid })
    await expect(createGlossaryTerm(admin, { uid, name: 'Affinity', definition })).rejects.toThrow(NotFound)
    expect(await names()).toEqual([])
  })

  test('two people who change different fields are merged; the same field is refused with name and value', async () => {
    const { uid } = await aTerm('Assay')
    await updateGlossaryTerm(other, { termUid: uid, name: 'Assays', definition, revision: 0 })
    const mine = { termUid: uid, name: 'Assay', definition: 'A measurement.', revision: 0 }
    const merged = await updateGlossaryTerm(admin, mine)
    expect(merged).toMatchObject({ term: { name: 'Assays', definition: 'A measurement.' }, keptOfOthers: ['name'] })
    const late = updateGlossaryTerm(other, { ...mine, definition: 'A trial.' })
    const error = await late.catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ChangedMeanwhile)
    expect((error as ChangedMeanwhile).fieldErrors.definition).toBe(
      'Ana Moreau changed this while you were editing. It is now “A measurement.”. Save again to use yours.',
    )
    expect(await getGlossaryTermToEdit(admin, { termUid: uid })).toMatchObject({ revision: 2 })
  })

  test('a save that changes nothing leaves no trace', async () => {
    const { uid, name } = await aTerm('Assay')
    await updateGlossaryTerm(admin, { termUid: uid, name, definition, revision: 0 })
    expect(await getGlossaryTermToEdit(admin, { termUid: uid })).toMatchObject({ revision: 0 })
    const entries = await listAuditEntries(admin, { entity: 'glossary_term', entityUid: uid })
    expect(entries.map(({ action }) => action)).toEqual(['glossary_term.created'])
  })

  test('C-221 a removed term is gone, comes back for thirty days with its slug, and not twice', async () => {
    const { uid, slug } = await aTerm('Assay')
    await deleteGlossaryTerm(admin, { termUid: uid })
    expect(await names()).toEqual([])
    await expect(deleteGlossaryTerm(admin, { termUid: uid })).rejects.toThrow(NotFound)
    await expect(updateGlossaryTerm(admin, { termUid: uid, name: 'A', definition })).rejects.toThrow(NotFound)
    const restored = await Promise.all([1, 2, 3].map(() => restoreGlossaryTerm(admin, { termUid: uid })))
    expect(restored.map((term) => term.slug)).toEqual([slug, slug, slug])
    const entries = await listAuditEntries(admin, { entity: 'glossary_term', entityUid: uid })
    expect(entries.filter(({ action }) => action === 'glossary_term.restored')).toHaveLength(1)
    await deleteGlossaryTerm(admin, { termUid: uid })
    const later = { ...admin, now: new Date(admin.now.getTime() + 31 * 86_400_000) }
    await expect(restoreGlossaryTerm(later, { termUid: uid })).rejects.toThrow(NotFound)
  })

  test('every change asks for search to be updated', async () => {
    const { uid } = await aTerm('Assay')
    const queued = async () => (await takeJobs(db, 'index-content')).flatMap(({ uids }) => uids)
    expect(await queued()).toContain(uid)
    await updateGlossaryTerm(admin, { termUid: uid, name: 'Assays', definition })
    expect(await queued()).toEqual([uid])
    await deleteGlossaryTerm(admin, { termUid: uid })
    expect(await queued()).toEqual([uid])
    await restoreGlossaryTerm(admin, { termUid: uid })
    expect(await queued()).toEqual([uid])
  })

  test('only admins may change terms, and only those of their site', async () => {
    const { uid } = await aTerm('Assay')
    await expectGuarded(createGlossaryTerm, { name: 'Affinity', definition }, { by: ['admins'], elsewhere: null })
    await expectGuarded(updateGlossaryTerm, { termUid: uid, name: 'A', definition }, { by: ['admins'] })
    await expectGuarded(deleteGlossaryTerm, { termUid: uid }, { by: ['admins'] })
    await expectGuarded(restoreGlossaryTerm, { termUid: uid }, { by: ['admins'] })
    await expectGuarded(getGlossaryTermToEdit, { termUid: uid }, { by: ['admins'] })
    expect(await names()).toEqual(['Assay'])
  })

  test('nothing is changed while the glossary is switched off', async () => {
    const { uid } = await aTerm('Assay')
    const setFlag = (isOn: boolean) =>
      db.updateTable('feature_flags').set({ is_on: isOn }).where('name', '=', 'GLOSSARY').execute()
    await setFlag(false)
    await expect(aTerm('Affinity')).rejects.toThrow('The glossary of this site is switched off.')
    await expect(deleteGlossaryTerm(admin, { termUid: uid })).rejects.toThrow(NotFound)
    await expect(updateGlossarySettings(admin, { headline: 'A', description: 'B' })).rejects.toThrow(NotFound)
    await setFlag(true)
    expect(await names()).toEqual(['Assay'])
  })
})

describe('the heading', () => {
  test('C-180 C-181 headline and description are required, and have at most 65 and 250 characters', async () => {
    const refused = async (values: { headline: string; description: string }) =>
      updateGlossarySettings(admin, values).then(
        () => null,
        (error: Invalid) => error.fieldErrors,
      )
    expect(await refused({ headline: '', description: ' ' })).toEqual({
      headline: 'Headline is required',
      description: 'Description is required',
    })
    const long = await refused({ headline: 'x'.repeat(66), description: 'y'.repeat(251) })
    expect(long).toEqual({ headline: 'At most 65 characters', description: 'At most 250 characters' })
    expect(await refused({ headline: 'x'.repeat(65), description: 'y'.repeat(250) })).toBeNull()
  })

  test('C-218 is stored for a site that never had one, and merged between two people', async () => {
    const first = await getGlossarySettingsToEdit(admin)
    expect(first).toEqual({ state: { headline: '', description: '' }, revision: 0 })
    await updateGlossarySettings(admin, { headline: 'Words', description: 'What they mean.', revision: 0 })
    const { revision } = await getGlossarySettingsToEdit(other)
    await updateGlossarySettings(other, { headline: 'Our words', description: 'What they mean.', revision })
    await updateGlossarySettings(admin, { headline: 'Words', description: 'Explained.', revision })
    expect(await getGlossarySettings(admin)).toEqual({ headline: 'Our words', description: 'Explained.' })
    const late = updateGlossarySettings(admin, { headline: 'Mine', description: 'What they mean.', revision })
    await expect(late).rejects.toThrow(ChangedMeanwhile)
  })

  test('ten first saves at once make one row', async () => {
    const saves = Array.from({ length: 10 }, (_, index) =>
      updateGlossarySettings(admin, { headline: `Words ${index}`, description: 'What they mean.' }),
    )
    await Promise.all(saves)
    expect((await getGlossarySettingsToEdit(admin)).revision).toBe(10)
  })

  test('only admins may change it, each for their site', async () => {
    const input = { headline: 'Words', description: 'What they mean.' }
    await expectGuarded(updateGlossarySettings, input, { by: ['admins'], elsewhere: null })
  })
})

describe('an import', () => {
  const row = (line: number, name: string, text = definition, slug = '') => ({
    line,
    value: { name, definition: text, slug },
  })

  test('adds new terms, changes those of the same name or slug, and is done once', async () => {
    const { slug } = await aTerm('Assay')
    await aTerm('Affinity')
    const rows = [row(2, 'Bioassay', definition, slug), row(3, 'affinity', 'How tightly.'), row(4, 'AUC')]
    expect(await importGlossaryTerms(admin, { rows })).toEqual({ created: 1, changed: 2, unchanged: 0 })
    const { items } = await listGlossaryTerms(admin)
    expect(items.map(({ name, slug, definition }) => [name, slug, definition])).toEqual([
      ['affinity', 'affinity', 'How tightly.'],
      ['AUC', 'auc', definition],
      ['Bioassay', 'assay', definition],
    ])
    const again = await Promise.all([1, 2, 3].map(() => importGlossaryTerms(admin, { rows })))
    expect(again).toEqual([1, 2, 3].map(() => ({ created: 0, changed: 0, unchanged: 3 })))
  })

  test('two terms can exchange their names', async () => {
    const one = await aTerm('Assay')
    const two = await aTerm('Affinity')
    const rows = [row(2, 'Affinity', definition, one.slug), row(3, 'Assay', definition, two.slug)]
    expect(await importGlossaryTerms(admin, { rows })).toMatchObject({ changed: 2 })
    expect(await getGlossaryTermToEdit(admin, { termUid: one.uid })).toMatchObject({ name: 'Affinity', slug: 'assay' })
  })

  test('is refused as a whole if one row names a term twice, or takes the name of another', async () => {
    const { slug } = await aTerm('Assay')
    await aTerm('Affinity')
    const twice = { rows: [row(2, 'New'), row(3, 'Assay', 'One.'), row(4, 'Bioassay', 'Two.', slug)] }
    expect((await planTermImport(admin, twice)).faults).toEqual([
      { line: 4, column: 'Term', value: 'Bioassay', reason: 'The same term as in line 3.' },
    ])
    await expect(importGlossaryTerms(admin, twice)).rejects.toThrow('Line 4 cannot be imported.')
    const taken = { rows: [row(2, 'New'), row(3, 'Affinity', definition, slug)] }
    await expect(importGlossaryTerms(admin, taken)).rejects.toThrow('Another term of the glossary has this name.')
    expect(await names()).toEqual(['Affinity', 'Assay'])
  })

  test('is told of names that differ only in blanks, invisible characters or case', async () => {
    const { slug } = await aTerm('Assay')
    const rows = [row(2, 'Foo Bar'), row(3, 'foo  bar'), row(4, 'Foo\u200b Bar'), row(5, 'FOO BAR', definition, slug)]
    const { created, faults } = await planTermImport(admin, { rows })
    expect([created.map(({ line }) => line), faults.map(({ line }) => line)]).toEqual([[2], [3, 4, 5]])
    await expect(importGlossaryTerms(admin, { rows })).rejects.toThrow('The same term as in line 2.')
  })

  test('of an exported file changes nothing, whatever the texts begin with', async () => {
    const odd = [
      "'-omics",
      "''+1",
      '=SUM(A1)',
      '-omics',
      '+1 frameshift',
      '@home',
      'A "quoted", term',
      "'s term",
      'β blocker; ACE',
    ]
    for (const name of odd) await createGlossaryTerm(admin, { name, definition: `${name}:\nof two lines` })
    const file = await exported()
    const result = await readCsv(Buffer.from(file), { columns: termColumns })
    if (!result.reading) throw new Error(result.problem)
    const { valid, faults } = checkCsv(result.reading, importedTermForm)
    expect(faults).toEqual([])
    expect(await importGlossaryTerms(admin, { rows: valid })).toEqual({
      created: 0,
      changed: 0,
      unchanged: odd.length,
    })
    expect(await exported()).toBe(file)
  })

  test('of thousands of terms is written in a few statements, with an entry for each', async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => row(index + 2, `Term ${index}`))
    expect(await importGlossaryTerms(admin, { rows })).toMatchObject({ created: 1200 })
    const changed = rows.map(({ line, value }) => ({ line, value: { ...value, definition: 'Another.' } }))
    expect(await importGlossaryTerms(admin, { rows: changed })).toMatchObject({ changed: 1200 })
    const { count } = await db
      .selectFrom('audit_entries')
      .innerJoin('glossary_terms', 'glossary_terms.uid', 'audit_entries.entity_uid')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(2400)
  })

  test('is for admins, each of their own site', async () => {
    await aTerm('Assay')
    const input = { rows: [row(2, 'Assay', 'Changed.')] }
    await expectGuarded(planTermImport, input, { by: ['admins'], elsewhere: null })
    await expectGuarded(importGlossaryTerms, input, { by: ['admins'], elsewhere: null })
    expect((await listGlossaryTerms(admin)).items).toMatchObject([{ name: 'Assay', definition }])
  })
})

function exported(): Promise<string> {
  return csvResponse({ context: anExchange({}) }, { fileName: 'Glossary.csv', parts: termParts(admin) }).text()
}
