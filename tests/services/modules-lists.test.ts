/** Who sees which modules: the same answer in lists, lookups, counts, searches and cards. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { caseKey, searchKey } from '~/lib/text.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfModules, listModuleCards } from '~/services/modules/cards.server.ts'
import { countModules, findModuleByName, getModule, listModules } from '~/services/modules/modules.server.ts'
import {
  listModulesOfChapters,
  listModuleVersions,
  listUnitsOfVersions,
  listVersionsOfModules,
} from '~/services/modules/parts.server.ts'
import { listModuleStatistics } from '~/services/modules/statistics.server.ts'
import { getSection, listChaptersOfSections, listSections } from '~/services/sections/sections.server.ts'
import { countTags, listTags } from '~/services/tags/tags.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { db } from '../support/test.ts'

type Site = 'institutional' | 'ns'
type Options = {
  name?: string
  site?: Site
  plans?: string[]
  published?: boolean
  comingSoon?: boolean
  deleted?: boolean
  inSelfStudy?: boolean
  chapter?: string
  tag?: string
  versions?: number
}
type Made = { id: number; uid: string; name: string; versionUids: string[] }

let seen: { listed: Made[]; hidden: Made[]; soon: Made; soonAgain: Made }

beforeAll(async () => {
  const chapter = 'Screening'
  seen = {
    listed: [
      await aModule({ name: 'Assays', chapter, tag: 'Assay' }),
      await aModule({ name: 'Élan', plans: ['Full Access', 'Free Access'] }),
      await aModule({ name: 'Zebrafish', versions: 2 }),
    ],
    soon: await aModule({ name: 'Future', comingSoon: true, published: false, chapter }),
    soonAgain: await aModule({
      name: 'Published before',
      comingSoon: true,
      inSelfStudy: false,
      plans: ['Free Access'],
    }),
    hidden: [
      await aModule({ name: 'Hidden draft', published: false, chapter, tag: 'Secret' }),
      await aModule({ name: 'Hidden deleted', deleted: true, chapter }),
      await aModule({ name: 'Hidden plan', plans: ['Free Access'], chapter }),
      await aModule({ name: 'Hidden without plan', plans: [], chapter }),
      await aModule({ name: 'Hidden other site', site: 'ns' }),
    ],
  }
})

async function siteIdOf(key: Site): Promise<number> {
  return (await db.selectFrom('sites').select('id').where('key', '=', key).executeTakeFirstOrThrow()).id
}

async function aModule(options: Options = {}): Promise<Made> {
  const siteId = await siteIdOf(options.site ?? 'institutional')
  const name = options.name ?? `Module ${randomUUID()}`
  const module = await db
    .insertInto('modules')
    .values({
      site_id: siteId,
      name,
      name_key: caseKey(name),
      search_key: searchKey(name),
      coming_soon: options.comingSoon ?? false,
      in_self_study: options.inSelfStudy ?? true,
      deleted_at: options.deleted ? new Date() : null,
    })
    .returning(['id', 'uid', 'name'])
    .executeTakeFirstOrThrow()
  const versions = []
  for (let version = 1; version <= (options.versions ?? 1); version++) versions.push(await aVersion(module.id, version))
  await db
    .updateTable('modules')
    .set({
      published_version_id: (options.published ?? true) ? versions[0]?.id : null,
      latest_version_id: versions.at(-1)?.id,
    })
    .where('id', '=', module.id)
    .execute()
  for (const plan of options.plans ?? ['Full Access']) {
    const planId = await planOf(db, siteId, plan)
    await db
      .insertInto('module_access_plans')
      .values({ site_id: siteId, module_id: module.id, access_plan_id: planId })
      .execute()
  }
  if (options.chapter) await putInChapter(siteId, module.id, options.chapter)
  if (options.tag) await putTag(siteId, module.id, options.tag)
  return { ...module, versionUids: versions.map((version) => version.uid) }
}

async function aVersion(moduleId: number, version: number): Promise<{ id: number; uid: string }> {
  const made = await db
    .insertInto('module_versions')
    .values({ module_id: moduleId, version, published_at: new Date() })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
  const { id } = await db
    .insertInto('cmi5_packages')
    .values({ module_version_id: made.id, status: 'parsed' })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (let position = 0; position < version; position++) {
    await db
      .insertInto('cmi5_units')
      .values({
        package_id: id,
        publisher_id: `urn:${position}`,
        iri: `urn:own:${position}`,
        title: JSON.stringify({ en: `Unit ${position}` }),
        description: '{}',
        position,
        url: 'index.html',
        launch_method: 'AnyWindow',
        move_on: 'Passed',
        mastery_score: 0,
      })
      .execute()
  }
  return made
}

async function putInChapter(siteId: number, moduleId: number, name: string): Promise<void> {
  const chapter = await db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', siteId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('module_chapters')
    .values({ site_id: siteId, module_id: moduleId, chapter_id: chapter.id, position: moduleId })
    .execute()
}

async function putTag(siteId: number, moduleId: number, text: string): Promise<void> {
  const tag = await db
    .insertInto('tags')
    .values({ site_id: siteId, text, text_key: caseKey(text) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('module_tags').values({ site_id: siteId, module_id: moduleId, tag_id: tag.id }).execute()
}

const learner = async (plan: string | null = 'Full Access') => aContext(db, { viewer: await aUser(db, { plan }) })
const author = async () => aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
const namesIn = async (ctx: Ctx) => (await listModules(ctx)).items.map((module) => module.name)

describe('a learner', () => {
  test('A-149 is listed the published modules of her plan and the Coming Soon ones, by name', async () => {
    const ctx = await learner()
    expect(await namesIn(ctx)).toEqual(['Assays', 'Élan', 'Future', 'Zebrafish'])
    expect(await countModules(ctx)).toBe(4)
    expect((await listModuleCards(ctx)).map((card) => card.name).sort()).toEqual([
      'Assays',
      'Future',
      'Zebrafish',
      'Élan',
    ])
  })

  test('finds only listed modules by search, ignoring marks and case', async () => {
    const ctx = await learner()
    const found = async (search: string) => (await listModules(ctx, { search })).items.map((module) => module.name)
    expect(await found('ELAN')).toEqual(['Élan'])
    expect(await found('hidden')).toEqual([])
    expect(await found('%')).toEqual([])
    expect(await countModules(ctx, { search: 'hidden' })).toBe(0)
  })

  test('cannot look up, name or read parts of unlisted modules', async () => {
    const ctx = await learner()
    for (const module of seen.hidden) {
      await expect(getModule(ctx, { moduleUid: module.uid })).rejects.toThrow('Not found.')
      expect(await findModuleByName(ctx, { name: module.name })).toBeNull()
    }
    const uids = seen.hidden.map((module) => module.uid)
    const versionUids = seen.hidden.flatMap((module) => module.versionUids)
    const parts = await Promise.all([
      listVersionsOfModules(ctx, uids),
      listModuleVersions(ctx, versionUids),
      listUnitsOfVersions(ctx, versionUids),
      listPartsOf(ctx, 'modules', uids, ['plans', 'tags', 'chapter', 'cover']),
      listCardsOfModules(ctx, uids),
    ])
    for (const part of parts) expect(part.size).toBe(0)
    await expect(getModule(ctx, { moduleUid: 'nonsense' })).rejects.toThrow('Not found.')
  })

  test('A-149 sees a Coming Soon module, but cannot open it at any address', async () => {
    const ctx = await learner()
    expect(await getModule(ctx, { moduleUid: seen.soon.uid })).toMatchObject({ comingSoon: true, isOpenable: false })
    expect(await findModuleByName(ctx, { name: 'Future' })).toBeNull()
    const card = (await listModuleCards(ctx)).find((one) => one.uid === seen.soon.uid)
    expect(card).toMatchObject({ isOpenable: false, comingSoon: true, publishedVersionUid: null, unitCount: 0 })
  })

  test('sees nothing of the content of a module that was published and is Coming Soon again', async () => {
    const ctx = await learner('Free Access')
    const { uid, versionUids } = seen.soonAgain
    expect(await getModule(ctx, { moduleUid: uid })).toMatchObject({ comingSoon: true, isOpenable: false })
    expect((await listVersionsOfModules(ctx, [uid])).size).toBe(0)
    expect((await listModuleVersions(ctx, versionUids)).size).toBe(0)
    expect((await listUnitsOfVersions(ctx, versionUids)).size).toBe(0)
    expect((await listUnitsOfVersions(await author(), versionUids)).size).toBe(1)
  })

  test('gets the published version only, without authors, packages and statistics', async () => {
    const ctx = await learner()
    const [, , zebrafish] = seen.listed
    const [first = '', second = ''] = zebrafish?.versionUids ?? []
    const uid = zebrafish?.uid ?? ''
    expect(await getModule(ctx, { moduleUid: uid })).toMatchObject({
      publishedVersionUid: first,
      currentVersionUid: first,
    })
    const versions = (await listVersionsOfModules(ctx, [uid])).get(uid)
    expect(versions).toMatchObject([{ uid: first, status: 'published', author: null, package: null }])
    expect((await listModuleVersions(ctx, [first, second])).size).toBe(1)
    expect((await listUnitsOfVersions(ctx, [first, second])).get(second)).toBeUndefined()
    expect(await listModuleStatistics(ctx, [uid])).toBeNull()
  })

  test('sees nothing without a plan that is valid today', async () => {
    const ctx = await learner(null)
    expect(await namesIn(ctx)).toEqual([])
    expect(await countModules(ctx)).toBe(0)
    expect(await listModuleCards(ctx)).toEqual([])
    await expect(getModule(ctx, { moduleUid: seen.listed[0]?.uid ?? '' })).rejects.toThrow('Not found.')
  })
})

test('a visitor, and the admin of another site, see nothing', async () => {
  const stranger = await aUser(db, { site: 'ns', groups: ['admins'], plan: 'Full Access' })
  for (const viewer of [null, stranger]) {
    const ctx = await aContext(db, { viewer })
    if (viewer) expect(await namesIn(ctx)).toEqual([])
    else await expect(namesIn(ctx)).rejects.toThrow('Login required.')
    expect(await listModuleStatistics(ctx, [seen.listed[0]?.uid ?? ''])).toBeNull()
  }
})

describe('staff', () => {
  test('A-052 see everything on their site that is not deleted', async () => {
    const ctx = await author()
    const names = await namesIn(ctx)
    expect(names).toEqual([
      'Assays',
      'Élan',
      'Future',
      'Hidden draft',
      'Hidden plan',
      'Hidden without plan',
      'Published before',
      'Zebrafish',
    ])
    expect(await countModules(ctx)).toBe(names.length)
  })

  test('get the latest version, and open only published modules by name', async () => {
    const ctx = await author()
    const zebrafish = seen.listed[2]
    const module = await getModule(ctx, { moduleUid: zebrafish?.uid ?? '' })
    expect(module.currentVersionUid).toBe(zebrafish?.versionUids[1])
    const versions = (await listVersionsOfModules(ctx, [module.uid])).get(module.uid)
    expect(versions?.map((version) => [version.version, version.status])).toEqual([
      [2, 'draft'],
      [1, 'published'],
    ])
    expect(versions?.[0]?.package).toMatchObject({ status: 'parsed', zipFile: null })
    expect(await findModuleByName(ctx, { name: 'Hidden draft' })).toBeNull()
    expect((await findModuleByName(ctx, { name: 'Hidden plan' }))?.name).toBe('Hidden plan')
  })

  test('C-144 A-118 get five numbers for each module of a page in one query', async () => {
    const module = await aModule({ name: 'Measured', plans: ['Free Access'] })
    const ctx = await author()
    const before = (await listModuleStatistics(ctx, [module.uid]))?.get(module.uid)
    for (const [score, done] of [
      [80, true],
      [null, false],
    ] as const) {
      const user = await aUser(db, { plan: 'Free Access' })
      await db
        .insertInto('module_progress')
        .values({
          user_id: user.id,
          module_id: module.id,
          site_id: user.siteId,
          highest_score: score,
          completed_at: done ? new Date() : null,
        })
        .execute()
    }
    await aUser(db, { plan: null })
    const counter = { queries: 0 }
    const all = await queryCounter.run(counter, () =>
      listModuleStatistics(ctx, [module.uid, ...seen.listed.map((one) => one.uid)]),
    )
    expect(counter.queries).toBe(1)
    expect(all?.get(module.uid)).toEqual({
      totalUsers: (before?.totalUsers ?? 0) + 3,
      usersWithAccess: (before?.usersWithAccess ?? 0) + 2,
      numStarts: 2,
      numCompletions: 1,
      avgScore: 80,
    })
    expect(all?.get(seen.listed[0]?.uid ?? '')).toMatchObject({ numStarts: 0, numCompletions: 0, avgScore: null })
    await db.updateTable('modules').set({ deleted_at: new Date() }).where('id', '=', module.id).execute()
  })
})

describe('a link by name', () => {
  test('A-057 C-010 finds the exact name, or else one ignoring case, and of several the one published last', async () => {
    const plans = ['Free Access']
    const lower = await aModule({ name: 'pilot study', plans })
    const first = await aModule({ name: 'Pilot Study', plans })
    const second = await aModule({ name: 'Pilot Study', plans })
    const reader = await aContext(db, { viewer: await aUser(db, { plan: 'Free Access' }) })
    expect((await findModuleByName(reader, { name: 'pilot study' }))?.uid).toBe(lower.uid)
    expect((await findModuleByName(reader, { name: ' Pilot Study ' }))?.uid).toBe(second.uid)
    expect((await findModuleByName(reader, { name: 'PILOT STUDY' }))?.uid).toBe(second.uid)
    await db
      .updateTable('module_versions')
      .set({ published_at: new Date(Date.now() + 1000) })
      .where('module_id', '=', first.id)
      .execute()
    expect((await findModuleByName(reader, { name: 'PILOT STUDY' }))?.uid).toBe(first.uid)
    expect(await findModuleByName(reader, { name: '' })).toBeNull()
    expect(await findModuleByName(reader, { name: 'a\u0000b' })).toBeNull()
  })
})

describe('paging', () => {
  test('reads all modules once, also if rows come and go meanwhile', async () => {
    const ctx = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
    for (const name of ['b', 'B', 'a', 'ä', 'b', 'c', 'C']) await aModule({ site: 'ns', name: `Page ${name}` })
    const walked: string[] = []
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<typeof listModules>> = await listModules(ctx, { first: 2, after, search: 'page' })
      walked.push(...page.items.map((module) => module.name))
      if (walked.length === 2) await aModule({ site: 'ns', name: 'Page 0' })
      after = page.hasNextPage ? page.endCursor : null
    } while (after)
    expect(walked).toEqual(['a', 'ä', 'b', 'b', 'B', 'c', 'C'].map((name) => `Page ${name}`))
  })

  test('refuses sizes outside 1 to 100 and cursors of other lists', async () => {
    const ctx = await learner()
    for (const first of [0, -1, 101, 1.5])
      await expect(listModules(ctx, { first })).rejects.toMatchObject({ code: 'page.first' })
    for (const after of ['x', 'W10', Buffer.from('["a","b"]').toString('base64url')]) {
      await expect(listModules(ctx, { after })).rejects.toMatchObject({ code: 'page.after' })
    }
  })
})

describe('the outline', () => {
  test('A-051 has three phases with their chapters, and a chapter lists the modules that each viewer may see', async () => {
    const ctx = await learner()
    const sections = await listSections(ctx)
    expect(sections.map((section) => section.frontendId)).toEqual(['discover', 'develop', 'deliver'])
    const chapters = await listChaptersOfSections(
      ctx,
      sections.map((section) => section.uid),
    )
    expect(chapters.get(sections[0]?.uid ?? '')?.map((chapter) => chapter.name)).toEqual([
      'Clinical Need Assessment',
      'Target ID & Validation',
      'Screening',
    ])
    const screening = chapters.get(sections[0]?.uid ?? '')?.[2]?.uid ?? ''
    const modulesFor = async (ctx: Ctx) =>
      (await listModulesOfChapters(ctx, [screening])).get(screening)?.map((module) => module.name)
    expect(await modulesFor(ctx)).toEqual(['Assays', 'Future'])
    expect(await modulesFor(await author())).toEqual([
      'Assays',
      'Future',
      'Hidden draft',
      'Hidden plan',
      'Hidden without plan',
    ])
    const other = await aContext(db, { site: 'ns' })
    await expect(getSection(other, { sectionUid: sections[0]?.uid ?? '' })).rejects.toThrow('Not found.')
    expect((await listChaptersOfSections(other, [sections[0]?.uid ?? ''])).get(sections[0]?.uid ?? '')).toEqual([])
  })

  test('cards come in its order, with phase, chapter and number of units; modules without a chapter come last', async () => {
    const cards = await listModuleCards(await learner())
    expect(cards.map((card) => [card.name, card.section?.frontendId ?? null, card.unitCount])).toEqual([
      ['Assays', 'discover', 1],
      ['Future', 'discover', 0],
      ['Élan', null, 1],
      ['Zebrafish', null, 1],
    ])
    const staffCards = await listModuleCards(await author())
    expect(staffCards.find((card) => card.name === 'Zebrafish')).toMatchObject({ unitCount: 2, isOpenable: true })
    expect(staffCards.find((card) => card.name === 'Hidden draft')).toMatchObject({ isOpenable: false })
  })

  test('a module without "Add to Modules page" has no card there, but can be opened from elsewhere', async () => {
    const module = await aModule({ name: 'Only in courses', plans: ['Free Access'], inSelfStudy: false })
    const ctx = await learner('Free Access')
    expect((await listModuleCards(ctx)).map((card) => card.uid)).not.toContain(module.uid)
    expect((await listCardsOfModules(ctx, [module.uid])).get(module.uid)).toMatchObject({ isOpenable: true })
  })
})

test('units have the rules that staff changed for the module', async () => {
  const module = seen.listed[0]
  const ctx = await learner()
  const versionUid = module?.versionUids[0] ?? ''
  const read = async () => (await listUnitsOfVersions(ctx, [versionUid])).get(versionUid)
  expect(await read()).toMatchObject([{ index: 0, title: { en: 'Unit 0' }, moveOn: 'Passed', masteryScore: 0 }])
  await db
    .insertInto('unit_overrides')
    .values({ module_id: module?.id ?? 0, publisher_id: 'urn:0', mastery_score: 0.75 })
    .execute()
  expect(await read()).toMatchObject([{ moveOn: 'Passed', masteryScore: 0.75 }])
})

test('tags are listed by text, page by page, for one site', async () => {
  const ctx = await author()
  await expect(listTags({ ...ctx, viewer: null })).rejects.toThrow('Login required.')
  await expect(listSections({ ...ctx, viewer: null })).rejects.toThrow('Login required.')
  const first = await listTags(ctx, { first: 1 })
  expect(first).toMatchObject({ items: [{ text: 'Assay' }], hasNextPage: true })
  expect(await listTags(ctx, { after: first.endCursor })).toMatchObject({
    items: [{ text: 'Secret' }],
    hasNextPage: false,
  })
  expect(await countTags(ctx)).toBe(2)
  // Learners see those of content that they see: "Secret" is only on a draft.
  const seen = await learner()
  expect((await listTags(seen)).items).toMatchObject([{ text: 'Assay' }])
  expect(await countTags(seen)).toBe(1)
  expect(await countTags(await aContext(db, { site: 'ns' }))).toBe(0)
})
