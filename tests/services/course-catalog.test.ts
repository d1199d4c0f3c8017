import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCourseCards } from '~/services/courses/cards.server.ts'
import {
  findCoursesToList,
  listCatalogCourses,
  listCoursesToPick,
  listPublishedCourses,
  setCourseCatalogItems,
} from '~/services/courses/catalog.server.ts'
import { listCatalog } from '~/services/courses/courses.server.ts'
import { Conflict, Invalid } from '~/services/errors.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aCourse as aDraftableCourse } from '../support/search.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let learner: Ctx
let uids: string[]

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  learner = await aContext(db, { viewer: await aUser(db) })
  uids = []
  for (const name of ['Alpha', 'Beta', 'Gamma']) uids.push((await aCourse(db, { name })).uid)
})

beforeEach(async () => {
  await db.deleteFrom('course_catalog_items').execute()
})

const at = (...places: number[]) => places.map((place) => uids[place] ?? '')
const order = async () => (await listCatalogCourses(admin)).map(({ uid }) => uid)

describe('setCourseCatalogItems', () => {
  test('A-227 A-038 stores the courses in their order, for the catalog and for learners', async () => {
    await setCourseCatalogItems(admin, { items: at(2, 0, 1) })
    expect(await order()).toEqual(at(2, 0, 1))
    const { items } = await listCourseCards(learner, { limit: 10 })
    expect(items.map(({ uid }) => uid)).toEqual(at(2, 0, 1))
    await setCourseCatalogItems(admin, { items: at(1, 2) })
    expect(await order()).toEqual(at(1, 2))
    const { items: catalog } = await listCatalog(admin)
    const ranks = catalog.map(({ rank }) => rank)
    expect(ranks).toEqual([...ranks].sort((one, other) => one - other))
  })

  test('A-228 refuses unknown, unpublished and repeated courses, and keeps the list; an empty one is allowed', async () => {
    await setCourseCatalogItems(admin, { items: at(0, 1) })
    const draft = await aDraftableCourse(admin, { name: 'Draft', isPublished: false })
    const unknown = '00000000-0000-4000-8000-000000000000'
    await expect(setCourseCatalogItems(admin, { items: [...at(0), unknown] })).rejects.toThrow(Invalid)
    await expect(setCourseCatalogItems(admin, { items: [draft.uid] })).rejects.toThrow(
      'The course “Draft” is not published.',
    )
    await expect(setCourseCatalogItems(admin, { items: at(0, 0) })).rejects.toThrow(
      'A course can be in the list only once',
    )
    const foreign = await aCourse(db, { name: 'Foreign', site: 'ns', plan: 'Full Access' })
    await expect(setCourseCatalogItems(admin, { items: [foreign.uid] })).rejects.toThrow(Invalid)
    expect(await order()).toEqual(at(0, 1))
    await setCourseCatalogItems(admin, { items: [] })
    expect(await order()).toEqual([])
  })

  test('a list that somebody has changed since the page was opened is refused', async () => {
    await setCourseCatalogItems(admin, { items: at(0, 1) })
    await setCourseCatalogItems(admin, { items: at(1, 0), openedItems: at(0, 1) })
    const late = setCourseCatalogItems(admin, { items: at(0, 1, 2), openedItems: at(0, 1) })
    await expect(late).rejects.toThrow(Conflict)
    expect(await order()).toEqual(at(1, 0))
  })

  test('the same list twice is one change, and ten lists at once leave one of them', async () => {
    await setCourseCatalogItems(admin, { items: at(0, 1) })
    const count = async () =>
      (await listAuditEntries(admin, { entity: 'site', entityUid: admin.site.uid })).filter(
        ({ action }) => action === 'catalog.updated',
      ).length
    const before = await count()
    await setCourseCatalogItems(admin, { items: at(0, 1) })
    expect(await count()).toBe(before)
    const lists = [at(0, 1, 2), at(2, 1, 0), at(1)]
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => setCourseCatalogItems(admin, { items: lists[index % 3] ?? [] })),
    )
    expect(lists).toContainEqual(await order())
  })

  test('A-203 is for admins, each of their own site', async () => {
    await setCourseCatalogItems(admin, { items: at(0) })
    await expectGuarded(setCourseCatalogItems, { items: at(1) }, { by: ['admins'], elsewhere: Invalid })
    expect(await order()).toEqual(at(0))
  })
})

describe('courses to pick', () => {
  test('are found by name and tag, drafts with them, and only published ones are added all at once', async () => {
    await aDraftableCourse(admin, { name: 'Alpha draft', isPublished: false })
    const found = await listCoursesToPick(admin, { search: 'alpha', page: 1, size: 10 })
    expect(found.items.map(({ name, isPublished }) => [name, isPublished])).toEqual([
      ['Alpha', true],
      ['Alpha draft', false],
    ])
    expect(found.total).toBe(2)
    const published = await listPublishedCourses(admin, { search: 'ALPHA', most: 10 })
    expect(published.map(({ name }) => name)).toEqual(['Alpha'])
    expect(await listCoursesToPick(admin, { search: '%', page: 1, size: 10 })).toEqual({ items: [], total: 0 })
    expect((await findCoursesToList(admin, [...at(0), 'nonsense'])).size).toBe(1)
  })

  test('are for admins', async () => {
    await expectGuarded(listCoursesToPick, { search: '', page: 1, size: 10 }, { by: ['admins'], elsewhere: null })
    await expectGuarded(listPublishedCourses, { search: '', most: 10 }, { by: ['admins'], elsewhere: null })
    await expectGuarded(findCoursesToList, at(0), { by: ['admins'], elsewhere: null })
    await expectGuarded((ctx) => listCatalogCourses(ctx), undefined, { by: ['admins'], elsewhere: null })
  })
})
