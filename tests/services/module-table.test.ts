/** The console's table of modules: pages, search by name or tag, every order, and the batches of a hundred. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { caseKey, searchKey } from '~/lib/text.ts'
import { listModuleTableBatch, listModuleTablePage } from '~/pages/module-table.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden } from '~/services/errors.ts'
import { moduleSorts } from '~/services/modules/table.server.ts'
import { type Database, queryCounter } from '~db/client.server.ts'
import { aContext, aUser, openTestDatabase, planOf } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'

let db: Database
let close: () => Promise<void>
let author: Ctx

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
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
afterAll(() => close())

async function aModule(db: Database, siteId: number, name: string, tag?: string): Promise<void> {
  const { id } = await db
    .insertInto('modules')
    .values({ site_id: siteId, name, name_key: caseKey(name), search_key: searchKey(`${name} hidden words`) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const plan = await planOf(db, siteId, 'Full Access')
  await db.insertInto('module_access_plans').values({ site_id: siteId, module_id: id, access_plan_id: plan }).execute()
  if (!tag) return
  const { id: tagId } = await db
    .insertInto('tags')
    .values({ site_id: siteId, text: tag, text_key: caseKey(tag) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('module_tags').values({ site_id: siteId, module_id: id, tag_id: tagId }).execute()
}

const namesOf = ({ rows }: { rows: { name: string }[] }) => rows.map(({ name }) => name)

test('pages go by name without case, and beyond the last there is nothing', async () => {
  const first = await listModuleTablePage(author, {})
  expect(first.total).toBe(122)
  expect(first.rows).toHaveLength(10)
  expect(namesOf(first).slice(0, 2)).toEqual(['apple 100%', 'Sample 000'])
  const last = await listModuleTablePage(author, { page: 7, size: 20 })
  expect(namesOf(last)).toEqual(['Sample 119', 'Zebra_fish'])
  expect(await listModuleTablePage(author, { page: 9, size: 20 })).toEqual({ rows: [], total: 122 })
  expect(namesOf(await listModuleTablePage(author, { isDescending: true }))[0]).toBe('Zebra_fish')
})

test('a search finds names and tags without case, as text and not as a pattern', async () => {
  expect(namesOf(await listModuleTablePage(author, { search: 'REGUL' }))).toEqual(['apple 100%'])
  expect(namesOf(await listModuleTablePage(author, { search: '0%' }))).toEqual(['apple 100%'])
  expect(namesOf(await listModuleTablePage(author, { search: '_' }))).toEqual(['Zebra_fish'])
  expect((await listModuleTablePage(author, { search: 'sample 00' })).total).toBe(10)
  for (const search of ['hidden words', '\\', "'; drop table modules --", 'a\u0000b', '\ud800']) {
    expect(await listModuleTablePage(author, { search })).toEqual({ rows: [], total: 0 })
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

test('a module without a version is a draft with empty figures', async () => {
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
  expect(row?.updatedOn).toMatch(/^\d\d\/\d\d\/\d{4}$/)
})

test('batches walk through all modules once, and a page takes few queries whatever its size', async () => {
  const first = await listModuleTableBatch(author, { after: null })
  const second = await listModuleTableBatch(author, { after: first.next })
  expect([first.rows.length, second.rows.length, second.next]).toEqual([100, 22, null])
  expect(new Set([...first.rows, ...second.rows].map(({ uid }) => uid)).size).toBe(122)
  const counter = { queries: 0 }
  await queryCounter.run(counter, () => listModuleTablePage(author, { size: 20 }))
  expect(counter.queries).toBeGreaterThan(0)
  expect(counter.queries).toBeLessThanOrEqual(8)
})

test('learners and strangers get no page of it', async () => {
  const learner = await aContext(db, { viewer: await aUser(db) })
  await expect(listModuleTablePage(learner, {})).rejects.toThrow(Forbidden)
  await expect(listModuleTablePage(await aContext(db), {})).rejects.toThrow(Forbidden)
  const ns = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['authors'] }) })
  expect(namesOf(await listModuleTablePage(ns, {}))).toEqual(['Sample of another site'])
})
