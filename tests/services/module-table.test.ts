/** The console's table of modules: pages, search by name or tag, every order, and the batches of a hundred. */
import { beforeAll, expect, test } from 'vitest'
import { moduleSorts, mostAtOnce, noSection } from '~/forms/module-tables.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import { modulesForCourses } from '~/pages/course-builder.server.ts'
import {
  findModuleFilterOptions,
  listModuleFilterOptions,
  listModuleTableBatch,
  listModuleTableChanges,
  listModuleTablePage,
} from '~/pages/module-table.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden } from '~/services/errors.ts'
import { describeModuleList, listModuleFilterChoices, listModuleUidsFound } from '~/services/modules/table.server.ts'
import { type Database, queryCounter } from '~db/client.server.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { db } from '../support/test.ts'

let author: Ctx

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  await db.transaction().execute(async (trx) => {
    for (let index = 0; index < 120; index += 1) {
      await aModule(trx, author.site.id, `Sample ${String(index).padStart(3, '0')}`)
    }
  })
  await aModule(db, author.site.id, 'apple 100%', 'Regulatory')
  await aModule(db, author.site.id, 'Zebra_fish', 'Safety')
  const ns = await aContext(db, { site: 'ns' })
  await aModule(db, ns.site.id, 'Sample of another site', 'Regulatory')
})

async function aModule(db: Database, siteId: number, name: string, tag?: string): Promise<number> {
  const { id } = await db
    .insertInto('modules')
    .values({ site_id: siteId, name, name_key: caseKey(name), search_key: searchKey(name) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const plan = await planOf(db, siteId, 'Full Access')
  await db.insertInto('module_access_plans').values({ site_id: siteId, module_id: id, access_plan_id: plan }).execute()
  if (!tag) return id
  const { id: tagId } = await db
    .insertInto('tags')
    .values({ site_id: siteId, text: tag, text_key: caseKey(tag) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('module_tags').values({ site_id: siteId, module_id: id, tag_id: tagId }).execute()
  return id
}

/** Creates versions 1 to `latest`, of which `published` is published. */
async function withVersions(id: number, authorId: number, latest: number, published: number | null): Promise<void> {
  const versions = await db
    .insertInto('module_versions')
    .values(Array.from({ length: latest }, (_, index) => ({ module_id: id, version: index + 1, author_id: authorId })))
    .returning(['id', 'version'])
    .execute()
  const idOf = (version: number | null) => versions.find((one) => one.version === version)?.id ?? null
  await db
    .updateTable('modules')
    .set({ latest_version_id: idOf(latest), published_version_id: idOf(published) })
    .where('id', '=', id)
    .execute()
}

const namesOf = ({ rows }: { rows: { name: string }[] }) => rows.map(({ name }) => name)

test('A-062 pages are by name, ignoring case, and empty beyond the last one', async () => {
  const first = await listModuleTablePage(author, {})
  expect(first.total).toBe(122)
  expect(first.rows).toHaveLength(10)
  expect(namesOf(first).slice(0, 2)).toEqual(['apple 100%', 'Sample 000'])
  const last = await listModuleTablePage(author, { page: 7, size: 20 })
  expect(namesOf(last)).toEqual(['Sample 119', 'Zebra_fish'])
  expect(await listModuleTablePage(author, { page: 9, size: 20 })).toMatchObject({ rows: [], total: 122 })
  expect(namesOf(await listModuleTablePage(author, { isDescending: true }))[0]).toBe('Zebra_fish')
})

test('A-031 all results of a course’s picker are those that the course does not have, however many it has', async () => {
  const { rows } = await listModuleTablePage(author, { search: 'Sample', size: 100 })
  const picker = await modulesForCourses(
    author,
    rows.map(({ uid }) => uid),
  )
  const rest = await picker.findAll({ search: 'Sample', filters: {}, most: 100 })
  expect(rest.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `Sample ${100 + index}`))
})

test('A-058 a search finds names and tags, ignoring case, as text and not as a pattern', async () => {
  expect(namesOf(await listModuleTablePage(author, { search: 'REGUL' }))).toEqual(['apple 100%'])
  expect(namesOf(await listModuleTablePage(author, { search: '0%' }))).toEqual(['apple 100%'])
  expect(namesOf(await listModuleTablePage(author, { search: '_' }))).toEqual(['Zebra_fish'])
  expect((await listModuleTablePage(author, { search: 'sample 00' })).total).toBe(10)
  for (const search of ['\\', "'; drop table modules --", 'a\u0000b', '\ud800']) {
    expect(await listModuleTablePage(author, { search })).toMatchObject({ rows: [], total: 0 })
  }
})

test('every column sorts both ways and loses no row', async () => {
  for (const sort of moduleSorts) {
    for (const isDescending of [false, true]) {
      const { rows } = await listModuleTablePage(author, { sort, isDescending, size: 100 })
      expect(new Set(rows.map(({ uid }) => uid)).size, sort).toBe(100)
    }
  }
})

test('A-063 a module without a version is a draft with empty figures', async () => {
  const [row] = (await listModuleTablePage(author, { search: 'zebra' })).rows
  expect(row).toMatchObject({
    status: 'draft',
    tags: ['Safety'],
    plans: ['Full Access'],
    author: null,
    version: null,
    completions: 0,
    averageScore: null,
    previewUid: null,
  })
  expect(row?.updatedOn).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/)
})

test('batches read all modules once, and a page takes few queries whatever its size', async () => {
  const first = await listModuleTableBatch(author, { after: null })
  const second = await listModuleTableBatch(author, { after: first.next })
  expect([first.rows.length, second.rows.length, second.next]).toEqual([100, 22, null])
  expect(new Set([...first.rows, ...second.rows].map(({ uid }) => uid)).size).toBe(122)
  const counter = { queries: 0 }
  await queryCounter.run(counter, async () => {
    await listModuleTablePage(author, { size: 20, search: 'a', sort: '-score' })
    await listModuleFilterOptions(author)
  })
  expect(counter.queries).toBeGreaterThan(0)
  expect(counter.queries).toBeLessThanOrEqual(5)
})

test('learners and visitors get no page of it', async () => {
  const learner = await aContext(db, { viewer: await aUser(db) })
  await expect(listModuleTablePage(learner, {})).rejects.toThrow(Forbidden)
  await expect(listModuleTablePage(await aContext(db), {})).rejects.toThrow(Forbidden)
  const ns = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['authors'] }) })
  expect(namesOf(await listModuleTablePage(ns, {}))).toEqual(['Sample of another site'])
})

test('a search ignores marks in names and tags', async () => {
  const { id } = author.site
  const own = await aModule(db, id, 'Crème brûlée', 'Étude')
  expect(namesOf(await listModuleTablePage(author, { search: 'creme BRU' }))).toEqual(['Crème brûlée'])
  expect(namesOf(await listModuleTablePage(author, { search: 'etude' }))).toEqual(['Crème brûlée'])
  expect(namesOf(await listModuleTablePage(author, { search: 'ÉTU' }))).toEqual(['Crème brûlée'])
  await db.deleteFrom('modules').where('id', '=', own).execute()
})

test('filters narrow the table by status, section, group and author', async () => {
  const { id: siteId } = author.site
  const other = await aUser(db, { groups: ['authors'], firstName: 'Wen', lastName: 'Chen' })
  const own = await Promise.all(['Fa', 'Fb', 'Fc', 'Fd'].map((name) => aModule(db, siteId, name)))
  const [live = 0, draft = 0, behind = 0, soon = 0] = own
  await withVersions(live, other.id, 1, 1)
  await withVersions(draft, other.id, 1, null)
  await withVersions(behind, author.viewer?.id ?? 0, 2, 1)
  await db.updateTable('modules').set({ coming_soon: true }).where('id', '=', soon).execute()
  const chapter = await db
    .selectFrom('chapters')
    .innerJoin('sections', 'sections.id', 'chapters.section_id')
    .select(['chapters.id', 'sections.uid'])
    .where('chapters.site_id', '=', siteId)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('module_chapters')
    .values({ site_id: siteId, module_id: live, chapter_id: chapter.id, position: 0 })
    .execute()
  const plan = await db
    .selectFrom('access_plans')
    .select(['id', 'uid'])
    .where('site_id', '=', siteId)
    .where('name', '<>', 'Full Access')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('module_access_plans')
    .values({ site_id: siteId, module_id: draft, access_plan_id: plan.id })
    .execute()
  const found = async (filters: Record<string, string[]>) => {
    const { rows, total } = await listModuleTablePage(author, { filters, size: 20 })
    if (total <= 20) {
      expect(total).toBe(rows.length)
      expect(await listModuleUidsFound(author, { filters })).toEqual(rows.map(({ uid }) => uid))
    }
    return namesOf({ rows })
  }
  expect(await found({ status: ['published'] })).toEqual(['Fa'])
  expect(await found({ status: ['behind'] })).toEqual(['Fc'])
  expect(await found({ status: ['soon'] })).toEqual(['Fd'])
  expect(await found({ status: ['soon', 'published'] })).toEqual(['Fa', 'Fd'])
  expect((await found({ status: ['draft'] })).slice(0, 3)).toEqual(['apple 100%', 'Fb', 'Fc'])
  expect(await found({ section: [chapter.uid] })).toEqual(['Fa'])
  expect(await found({ section: [noSection], status: ['published'] })).toEqual([])
  expect(await found({ section: [noSection, chapter.uid], status: ['published', 'soon'] })).toEqual(['Fa', 'Fd'])
  expect(await found({ group: [plan.uid] })).toEqual(['Fb'])
  expect(await found({ author: [other.uid] })).toEqual(['Fa', 'Fb'])
  expect(await found({ author: [other.uid], status: ['published'] })).toEqual(['Fa'])
  expect(await found({ author: ['nobody', '\u0000'] })).toEqual([])
  expect(await found({ status: ['nonsense'] })).toHaveLength(20)
  const [row] = (await listModuleTablePage(author, { filters: { status: ['behind'] } })).rows
  expect(row).toMatchObject({ status: 'draft', version: 2, olderLive: 1, author: 'Ada O.' })
  expect((await listModuleFilterChoices(author)).authors.map(({ name }) => name)).toEqual(['Ada Okafor', 'Wen Chen'])
  expect(namesOf(await listModuleTablePage(author, { sort: 'author', isDescending: true })).slice(0, 2)).toEqual([
    'Fa',
    'Fb',
  ])
  await db.deleteFrom('modules').where('id', 'in', own).execute()
})

test('a filter lists two hundred authors at most, the chosen ones among them, and finds the others by name', async () => {
  const { id: siteId } = author.site
  const id = await aModule(db, siteId, 'Written by many')
  const people = await db
    .insertInto('users')
    .values(
      Array.from({ length: 205 }, (_, index) => {
        const name = `Émile ${String(index).padStart(3, '0')}`
        const email = `emile${index}@titrate.example`
        return {
          site_id: siteId,
          email,
          email_key: email,
          first_name: 'Émile',
          last_name: name.slice(6),
          search_key: searchKey(`${name} ${email}`),
        }
      }),
    )
    .returning(['id', 'uid', 'last_name'])
    .execute()
  await db
    .insertInto('module_versions')
    .values(people.map((person, index) => ({ module_id: id, version: index + 1, author_id: person.id })))
    .execute()
  const last = people.find((person) => person.last_name === '204')?.uid ?? ''
  const valuesOf = (options: { value: string }[]) => options.map(({ value }) => value)
  const { author: usual } = await listModuleFilterOptions(author)
  expect(usual).toHaveLength(200)
  expect(valuesOf(usual)).not.toContain(last)
  const { author: chosen } = await listModuleFilterOptions(author, { filters: { author: [last, 'x'] } })
  expect(chosen).toHaveLength(200)
  expect(chosen.at(-1)).toEqual({ value: last, label: 'Émile 204' })
  const find = (search: string, filter = 'author') => findModuleFilterOptions(author, { filter, search })
  expect(valuesOf(await find('EMILE 204'))).toEqual([last])
  expect(await find('full acc', 'group')).toMatchObject([{ label: 'Full Access' }])
  for (const search of ['%', '\\', '\u0000', "' or true --"]) expect(await find(search), search).toEqual([])
  expect(await find('a', 'evil')).toEqual([])
  const learner = await aContext(db, { viewer: await aUser(db) })
  await expect(findModuleFilterOptions(learner, { filter: 'author', search: 'e' })).rejects.toThrow(Forbidden)
  await db.deleteFrom('modules').where('id', '=', id).execute()
  await db
    .deleteFrom('users')
    .where(
      'id',
      'in',
      people.map((person) => person.id),
    )
    .execute()
})

test('all results can be selected, up to the number that one action may change', async () => {
  expect(await listModuleUidsFound(author, { search: 'sample 00' })).toHaveLength(10)
  expect(await listModuleUidsFound(author, {})).toHaveLength(122)
  const many = Array.from({ length: mostAtOnce }, (_, index) => ({
    site_id: author.site.id,
    name: `Crowd ${index}`,
    name_key: `crowd ${index}`,
    search_key: `crowd ${index}`,
  }))
  await db.insertInto('modules').values(many).execute()
  expect(await listModuleUidsFound(author, {})).toHaveLength(mostAtOnce)
  await db.deleteFrom('modules').where('name_key', 'like', 'crowd %').execute()
  const learner = await aContext(db, { viewer: await aUser(db) })
  await expect(listModuleUidsFound(learner, {})).rejects.toThrow(Forbidden)
})

test('modules whose package is still being processed are not selected', async () => {
  const { id: siteId } = author.site
  const statuses = ['uploaded', 'processing', 'parsed', 'error']
  const own: number[] = []
  for (const status of statuses) {
    const id = await aModule(db, siteId, `Package ${status}`)
    own.push(id)
    await withVersions(id, author.viewer?.id ?? 0, 1, null)
    const { latest_version_id } = await db
      .selectFrom('modules')
      .select('latest_version_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('cmi5_packages')
      .values({ module_version_id: latest_version_id ?? 0, status })
      .execute()
  }
  own.push(await aModule(db, siteId, 'Package missing'))
  const { rows } = await listModuleTablePage(author, { search: 'package' })
  expect(namesOf({ rows })).toHaveLength(5)
  const uids = await listModuleUidsFound(author, { search: 'package' })
  expect(rows.filter(({ uid }) => uids.includes(uid)).map(({ name }) => name)).toEqual([
    'Package error',
    'Package missing',
    'Package parsed',
  ])
  await db.deleteFrom('modules').where('id', 'in', own).execute()
})

test('the state of the list changes with each row, and tells which rows to read again', async () => {
  const { state, listed } = await describeModuleList(author)
  expect(listed).toBe(122)
  expect(await describeModuleList(author)).toEqual({ state, listed })
  // The rows were made a moment ago; moves their time past the minute that is read again.
  await db
    .updateTable('modules')
    .set({ updated_at: new Date(Date.now() - 600_000) })
    .execute()
  const before = await describeModuleList(author)
  const [row] = (await listModuleTablePage(author, { search: 'Sample 050' })).rows
  await db
    .updateTable('modules')
    .set({ name: 'Sample 050 changed', updated_at: new Date() })
    .where('uid', '=', row?.uid ?? '')
    .execute()
  const after = await describeModuleList(author)
  expect(after.state).not.toBe(before.state)
  const gone = await db
    .updateTable('modules')
    .set({ deleted_at: new Date() })
    .where('name', '=', 'Sample 051')
    .returning('uid')
    .executeTakeFirstOrThrow()
  const changes = await listModuleTableChanges(author, { state: after.state })
  expect(changes?.rows.map(({ name }) => name)).toEqual(['Sample 050 changed'])
  expect(changes?.gone).toEqual([gone.uid])
  // If everything changed within the minute, the whole list is read again.
  expect(await listModuleTableChanges(author, { state: before.state })).toBe(null)
  for (const state of ['', 'x', '0-', '-5-x', '9e99-x']) {
    expect(await listModuleTableChanges(author, { state }), state).toBe(null)
  }
  const ns = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['authors'] }) })
  expect((await listModuleTableChanges(ns, { state: after.state }))?.gone).toEqual([])
  const deleteMany = (names: string[]) =>
    db
      .insertInto('modules')
      .values(names.map((name) => ({ ...deletedModule, site_id: ns.site.id, name, name_key: name, search_key: name })))
      .execute()
  const deletedModule = { description: '', in_self_study: true, deleted_at: new Date() }
  await deleteMany(Array.from({ length: 100 }, (_, number) => `gone ${number}`))
  expect((await listModuleTableChanges(ns, { state: after.state }))?.gone).toHaveLength(100)
  await deleteMany(['one more'])
  expect(await listModuleTableChanges(ns, { state: after.state })).toBe(null)
  const learner = await aContext(db, { viewer: await aUser(db) })
  await expect(listModuleTableChanges(learner, { state: after.state })).rejects.toThrow(Forbidden)
})

test('rows with equal values are sorted by name and then by age, so pages neither repeat nor lose a row', async () => {
  const { id: siteId } = author.site
  const own = await Promise.all(Array.from({ length: 25 }, () => aModule(db, siteId, 'Twin of the others')))
  for (const sort of moduleSorts) {
    for (const isDescending of [false, true]) {
      const input = { search: 'twin of', sort, isDescending, size: 10 }
      const pages = await Promise.all([1, 2, 3].map((page) => listModuleTablePage(author, { ...input, page })))
      expect(pages.map(({ rows, total }) => [rows.length, total])).toEqual([
        [10, 25],
        [10, 25],
        [5, 25],
      ])
      const uids = pages.flatMap(({ rows }) => rows.map(({ uid }) => uid))
      expect(new Set(uids).size, sort).toBe(25)
      expect(await listModuleUidsFound(author, input)).toEqual(uids)
    }
  }
  await db.deleteFrom('modules').where('id', 'in', own).execute()
})

test('hostile and long searches are text, and pages that do not exist are empty', async () => {
  const id = await aModule(db, author.site.id, `100%_\\ ${'long '.repeat(10).trim()}`)
  const found = async (search: string) => (await listModuleTablePage(author, { search })).total
  for (const search of ['100%_\\', '%_\\', '\\ LONG', 'long '.repeat(10)]) expect(await found(search), search).toBe(1)
  for (const search of ['\\%', '__', '%%', 'x'.repeat(10_000), 'long-'.repeat(40), '*', '(?i)long', '$1']) {
    expect(await found(search), search.slice(0, 20)).toBe(0)
  }
  for (const page of [100_000, Number.MAX_SAFE_INTEGER / 100]) {
    expect((await listModuleTablePage(author, { page })).rows).toEqual([])
  }
  await db.deleteFrom('modules').where('id', '=', id).execute()
})
