import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { SiteKey } from '~/services/context.ts'
import {
  countGlossaryTerms,
  createGlossaryTerms,
  getGlossaryPage,
  getGlossarySettings,
  getGlossaryTerm,
  listGlossaryTerms,
} from '~/services/glossary/glossary.server.ts'
import { seedGlossary } from '../../seed/glossary.ts'
import { aContext } from '../support/context.ts'
import { db } from '../support/test.ts'

beforeAll(async () => {
  await seedGlossary(await aContext(db, { isOperator: true }))
})

/** An empty glossary for a test: the other site's, cleared. */
async function emptySite() {
  const ctx = await aContext(db, { site: 'ns', isOperator: true })
  await db.deleteFrom('glossary_terms').where('site_id', '=', ctx.site.id).execute()
  return ctx
}

const term = (name: string, definition = `What ${name} means.`) => ({ name, definition })

async function setFlag(site: SiteKey, isOn: boolean) {
  const { site: row } = await aContext(db, { site })
  await db
    .updateTable('feature_flags')
    .set({ is_on: isOn })
    .where('site_id', '=', row.id)
    .where('name', '=', 'GLOSSARY')
    .execute()
}

test('there are sixty terms, by name, with a headline for each site', async () => {
  const ctx = await aContext(db, { isOperator: true })
  expect(await countGlossaryTerms(ctx)).toBe(60)
  const page = await getGlossaryPage(ctx, {})
  expect(page.terms).toHaveLength(60)
  expect(page.terms.slice(0, 2).map(({ name }) => name)).toEqual(['Accelerated approval', 'ADME'])
  expect(page.headline).not.toBe('')
  expect((await getGlossarySettings(await aContext(db, { site: 'ns' }))).headline).not.toBe(page.headline)
  expect(page.letters.reduce((sum, { total }) => sum + total, 0)).toBe(60)
})

test('the list is read in batches by key', async () => {
  const ctx = await aContext(db, { isOperator: true })
  const first = await listGlossaryTerms(ctx, { first: 25 })
  const rest = await listGlossaryTerms(ctx, { first: 100, after: first.endCursor })
  expect([first.hasNextPage, rest.hasNextPage]).toEqual([true, false])
  const names = [...first.items, ...rest.items].map(({ name }) => name)
  expect(new Set(names).size).toBe(60)
})

test('a term is found by its address, and an unknown address shows the list without a selection', async () => {
  const ctx = await aContext(db, { isOperator: true })
  const page = await getGlossaryPage(ctx, { slug: 'il-1beta' })
  expect(page.selected?.name).toBe('IL-1β')
  expect((await getGlossaryPage(ctx, { slug: 'IL-1BETA' })).selected?.name).toBe('IL-1β')
  for (const slug of ['nothing', '', 'a\u0000b', "'; drop table", '%', 'x'.repeat(5000)]) {
    const other = await getGlossaryPage(ctx, { slug })
    expect(other.selected).toBeNull()
    expect(other.terms).toHaveLength(60)
  }
})

test('in a long list, the page of a term is its page in the list', async () => {
  const ctx = await emptySite()
  const names = Array.from({ length: 230 }, (_, n) => `Term ${String(n).padStart(3, '0')}`)
  expect(await createGlossaryTerms(ctx, { terms: names.map((name) => term(name)) })).toBe(230)
  const page = await getGlossaryPage(ctx, { slug: 'term-150' })
  expect(page.page).toBe(2)
  expect(page.terms.map(({ slug }) => slug)).toContain('term-150')
  expect((await getGlossaryPage(ctx, { page: 3 })).terms).toHaveLength(30)
  expect((await getGlossaryPage(ctx, { page: 9 })).terms).toEqual([])
})

test('letters filter, and names that begin with no letter of the alphabet are under #', async () => {
  const ctx = await emptySite()
  await createGlossaryTerms(ctx, { terms: ['5-HT', 'Éclat', 'Endpoint', 'βeta-blocker'].map((n) => term(n)) })
  const all = await getGlossaryPage(ctx, {})
  expect(all.letters).toEqual([
    { letter: '#', total: 2 },
    { letter: 'E', total: 2 },
  ])
  expect((await getGlossaryPage(ctx, { letter: 'e' })).terms.map(({ name }) => name)).toEqual(['Éclat', 'Endpoint'])
  // A letter that no name begins with filters nothing.
  expect((await getGlossaryPage(ctx, { letter: "Z'" })).total).toBe(4)
})

test('the search finds parts of names, ignoring marks and case, and words of definitions', async () => {
  const ctx = await emptySite()
  await createGlossaryTerms(ctx, {
    terms: [term('Éclat', 'A burst.'), term('Half-life', 'Time for 50% of it.'), term('Other', 'As Villaseñor says.')],
  })
  const names = async (search: string) => (await getGlossaryPage(ctx, { search })).terms.map(({ name }) => name)
  expect(await names('ECLA')).toEqual(['Éclat'])
  expect(await names('50%')).toEqual(['Half-life'])
  expect(await names('%')).toEqual(['Half-life'])
  expect(await names('villasenor')).toEqual(['Other'])
  expect(await names('VILLASEÑOR')).toEqual(['Other'])
  expect(await names('says villa'), 'the beginnings of words in another order').toEqual(['Other'])
  expect(await names('time half'), 'of the name and of the definition').toEqual(['Half-life'])
  for (const search of ['_', '\\', "'", 'x'.repeat(500), 'no such']) expect(await names(search)).toEqual([])
  expect(await names('\u0000')).toHaveLength(3)
})

test('a slug is made once: names that differ only in signs get numbers, and a deleted term keeps its slug', async () => {
  const ctx = await emptySite()
  await createGlossaryTerms(ctx, { terms: [term('C-max'), term('C max'), term('漢字')] })
  const slugs = async () => (await listGlossaryTerms(ctx)).items.map(({ slug }) => slug).sort()
  expect(await slugs()).toEqual(['c-max', 'c-max-2', 'term'])
  await db.updateTable('glossary_terms').set({ deleted_at: new Date() }).where('slug', '=', 'c-max').execute()
  await createGlossaryTerms(ctx, { terms: [term('C-max')] })
  expect(await slugs()).toEqual(['c-max-2', 'c-max-3', 'term'])
})

test('creating the same terms ten times at once creates them once', async () => {
  const ctx = await emptySite()
  const terms = [term('Assay'), term('Biomarker'), term('assay')]
  const made = await Promise.all(Array.from({ length: 10 }, () => createGlossaryTerms(ctx, { terms })))
  expect(made.sort((a, b) => b - a).slice(0, 2)).toEqual([2, 0])
  expect(await countGlossaryTerms(ctx)).toBe(2)
  await seedGlossary(ctx)
  await seedGlossary(ctx)
  // Sixty for both sites, and fourteen on the nervous system.
  expect(await countGlossaryTerms(ctx)).toBe(74)
  expect(await countGlossaryTerms(await aContext(db))).toBe(60)
})

test('a list that breaks a rule is refused as a whole', async () => {
  const ctx = await emptySite()
  for (const [wrong, message] of [
    [term(''), 'Term is required'],
    [term('Name', ' '), 'Definition is required'],
    [term('x'.repeat(66)), 'At most 65 characters'],
    [term('Name', 'x'.repeat(251)), 'At most 250 characters'],
    [term('a\u0000b'), 'This text holds characters that cannot be stored'],
  ] as const) {
    await expect(createGlossaryTerms(ctx, { terms: [term('Good'), wrong] })).rejects.toThrow(message)
  }
  expect(await countGlossaryTerms(ctx)).toBe(0)
})

test('a term of the other site is not found', async () => {
  const ctx = await aContext(db, { isOperator: true })
  const [item] = (await listGlossaryTerms(ctx, { first: 1 })).items
  const termUid = item?.uid ?? ''
  expect((await getGlossaryTerm(ctx, { termUid })).name).toBe('Accelerated approval')
  await expect(getGlossaryTerm(await aContext(db, { site: 'ns' }), { termUid })).rejects.toThrow('Not found.')
  await expect(getGlossaryTerm(ctx, { termUid: 'nothing' })).rejects.toThrow('Not found.')
})

test('when switched off, the lists are empty and the page is not found', async () => {
  const ctx = await aContext(db, { isOperator: true })
  const [item] = (await listGlossaryTerms(ctx, { first: 1 })).items
  await setFlag('institutional', false)
  try {
    expect((await listGlossaryTerms(ctx)).items).toEqual([])
    expect(await countGlossaryTerms(ctx)).toBe(0)
    await expect(getGlossaryTerm(ctx, { termUid: item?.uid ?? '' })).rejects.toThrow('Not found.')
    await expect(getGlossaryPage(ctx, {})).rejects.toThrow('Not found.')
    await expect(getGlossaryPage(ctx, { slug: 'adme' })).rejects.toThrow('Not found.')
  } finally {
    await setFlag('institutional', true)
  }
})

test('the database refuses two terms with one name', async () => {
  const ctx = await emptySite()
  await createGlossaryTerms(ctx, { terms: [term('Assay')] })
  const again = sql`insert into glossary_terms (site_id, slug, name, name_key, search_key)
    values (${ctx.site.id}, 'other', 'ASSAY', 'assay', 'assay')`.execute(db)
  await expect(again).rejects.toThrow('glossary_terms_one_name')
})
