/** The console's table of courses: search by name or tag, filters, every order, pages, and what has changed since. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { courseSorts } from '~/forms/course-tables.ts'
import type { Ctx } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { deleteCourse, publishCourse, restoreCourse } from '~/services/courses/publish-course.server.ts'
import { updateCourse } from '~/services/courses/save-course.server.ts'
import {
  type CoursePageInput,
  describeCourseList,
  listCourseEntries,
  listCourseFilterChoices,
  listCoursePage,
  listCoursesChangedSince,
} from '~/services/courses/table.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aMember, planUid } from '../support/module-editing.ts'
import { db, expectGuarded } from '../support/test.ts'

let ada: Ctx
let wen: Ctx
let nsAuthor: Ctx
let fullAccess: string
let freeAccess: string
const uids = { apple: '', brulee: '', mango: '', zebra: '', foreign: '' }

const forStaff: Parameters<typeof expectGuarded>[2] = { by: ['authors', 'admins'], elsewhere: null }

beforeAll(async () => {
  ada = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], firstName: 'Ada', lastName: 'Okafor' }) })
  wen = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], firstName: 'Wen', lastName: 'Chen' }) })
  nsAuthor = await aMember(db, ['authors'], { site: 'ns' })
  fullAccess = await planUid(ada)
  freeAccess = await planUid(ada, 'Free Access')
  const at = (ctx: Ctx, minute: number): Ctx => ({ ...ctx, now: new Date(Date.UTC(2026, 0, 1, 12, minute)) })
  const create = async (ctx: Ctx, name: string, tags: string[], accessPlanUids: string[], publish: boolean) =>
    (await createCourse(ctx, { name, tags, accessPlanUids, publish, sections: [] })).uid
  uids.apple = await create(at(ada, 4), 'apple 100%', ['Regulatory'], [fullAccess], false)
  uids.brulee = await create(at(ada, 1), 'Crème brûlée', ['Étude', 'Assays'], [fullAccess, freeAccess], true)
  uids.mango = await create(at(ada, 2), 'Mango', [], [], true)
  uids.zebra = await create(at(wen, 1), 'Zebra_fish', ['Safety'], [freeAccess], true)
  await updateCourse(at(wen, 3), { courseUid: uids.brulee, sections: [{ name: 'Of v2' }] })
  const foreignPlan = await planUid(nsAuthor)
  uids.foreign = await create(nsAuthor, 'Mango of another site', ['Regulatory', 'Foreign'], [foreignPlan], false)
})

const find = async (input: CoursePageInput = {}, ctx = ada) => {
  const { items, total } = await listCoursePage(ctx, { size: 100, ...input })
  expect(total).toBe(items.length)
  return items.map(({ name }) => name)
}

test('an entry has both versions, the author of the latest one, tags and plans', async () => {
  const [brulee, mango] = await listCourseEntries(ada, [uids.brulee, uids.mango, uids.foreign, randomUUID()])
  expect(brulee).toEqual({
    uid: uids.brulee,
    name: 'Crème brûlée',
    updatedAt: new Date(Date.UTC(2026, 0, 1, 12, 3)),
    version: 2,
    publishedVersion: 1,
    author: { uid: wen.viewer?.uid, firstName: 'Wen', lastName: 'Chen' },
    tags: ['Assays', 'Étude'],
    plans: [
      { uid: freeAccess, name: 'Free Access' },
      { uid: fullAccess, name: 'Full Access' },
    ],
  })
  expect(mango).toMatchObject({ version: 1, publishedVersion: 1, tags: [], plans: [] })
  const order = [uids.zebra, uids.apple, uids.mango]
  expect((await listCourseEntries(ada, order)).map(({ uid }) => uid)).toEqual(order)
  expect(await listCourseEntries(ada, [])).toEqual([])
})

test('A-128 a search finds names and tags, ignoring case and marks, as text and not as a pattern', async () => {
  expect(await find({ search: 'MANGO' })).toEqual(['Mango'])
  expect(await find({ search: 'regulatORY' })).toEqual(['apple 100%'])
  expect(await find({ search: 'creme BRU' })).toEqual(['Crème brûlée'])
  expect(await find({ search: 'etude' })).toEqual(['Crème brûlée'])
  expect(await find({ search: ' a ' })).toEqual(['apple 100%', 'Crème brûlée', 'Mango', 'Zebra_fish'])
  expect(await find({ search: '0%' })).toEqual(['apple 100%'])
  expect(await find({ search: '_' })).toEqual(['Zebra_fish'])
  for (const search of ['\\', '%%', "'; drop table courses --", 'a\u0000b', '\ud800', 'foreign', 'x'.repeat(10_000)]) {
    expect(await find({ search }), search.slice(0, 20)).toEqual([])
  }
  await updateCourse(ada, { courseUid: uids.mango, name: 'Papaya' })
  expect(await find({ search: 'mango' })).toEqual([])
  expect(await find({ search: 'PAPA' })).toEqual(['Papaya'])
  await updateCourse({ ...ada, now: new Date(Date.UTC(2026, 0, 1, 12, 2)) }, { courseUid: uids.mango, name: 'Mango' })
})

test('A-128 filters narrow the table by status, group and author', async () => {
  const by = (filters: Record<string, string[]>, search = '') => find({ filters, search })
  expect(await by({ status: ['draft'] })).toEqual(['apple 100%', 'Crème brûlée'])
  expect(await by({ status: ['published'] })).toEqual(['Mango', 'Zebra_fish'])
  expect(await by({ status: ['behind'] })).toEqual(['Crème brûlée'])
  expect(await by({ status: ['behind', 'published'] })).toEqual(['Crème brûlée', 'Mango', 'Zebra_fish'])
  expect(await by({ status: ['nonsense'] })).toHaveLength(4)
  expect(await by({ group: [fullAccess] })).toEqual(['apple 100%', 'Crème brûlée'])
  expect(await by({ group: [fullAccess, freeAccess] })).toEqual(['apple 100%', 'Crème brûlée', 'Zebra_fish'])
  expect(await by({ author: [ada.viewer?.uid ?? ''] })).toEqual(['apple 100%', 'Mango'])
  expect(await by({ author: [wen.viewer?.uid ?? '', ada.viewer?.uid ?? ''] })).toHaveLength(4)
  expect(await by({ author: [wen.viewer?.uid ?? ''], status: ['behind'], group: [freeAccess] })).toEqual([
    'Crème brûlée',
  ])
  expect(await by({ status: ['published'] }, 'safety')).toEqual(['Zebra_fish'])
  expect(await by({ author: [nsAuthor.viewer?.uid ?? ''] })).toEqual([])
  expect(await by({ group: [await planUid(nsAuthor)] })).toEqual([])
  expect(await by({ author: ['nobody', '\u0000'] })).toEqual([])
  expect(await by({ group: ["' or true --"] })).toEqual([])
})

test('A-022 every column sorts both ways', async () => {
  const [apple, brulee, mango, zebra] = ['apple 100%', 'Crème brûlée', 'Mango', 'Zebra_fish']
  const up = {
    name: [apple, brulee, mango, zebra],
    status: [apple, brulee, mango, zebra],
    author: [apple, mango, brulee, zebra],
    version: [apple, mango, zebra, brulee],
    updated: [zebra, mango, brulee, apple],
  }
  const down = {
    name: [zebra, mango, brulee, apple],
    // Equal rows stay in the order of their names.
    status: [mango, zebra, apple, brulee],
    author: [brulee, zebra, apple, mango],
    version: [brulee, apple, mango, zebra],
    updated: [apple, brulee, mango, zebra],
  }
  for (const sort of courseSorts) {
    expect(await find({ sort }), sort).toEqual(up[sort])
    expect(await find({ sort, isDescending: true }), sort).toEqual(down[sort])
  }
  expect(await find({ sort: 'evil; --' })).toEqual(up.name)
})

test('A-023 pages neither repeat nor lose a row, and are empty beyond the last one', async () => {
  const twins = await Promise.all(Array.from({ length: 25 }, () => aCourse(db, { name: 'Twin of the others' })))
  for (const sort of courseSorts) {
    for (const isDescending of [false, true]) {
      const input = { search: 'twin of', sort, isDescending, size: 10 }
      const pages = await Promise.all([1, 2, 3, 4].map((page) => listCoursePage(ada, { ...input, page })))
      expect(pages.map(({ items, total }) => [items.length, total])).toEqual([
        [10, 25],
        [10, 25],
        [5, 25],
        [0, 25],
      ])
      expect(new Set(pages.flatMap(({ items }) => items.map(({ uid }) => uid))).size, sort).toBe(25)
    }
  }
  const first = await listCoursePage(ada, {})
  expect([first.items.length, first.total]).toEqual([10, 29])
  expect((await listCoursePage(ada, { page: 100_000 })).items).toEqual([])
  const counter = { queries: 0 }
  await queryCounter.run(counter, () =>
    listCoursePage(ada, { size: 20, search: 'twin', filters: { status: ['published'] } }),
  )
  expect(counter.queries).toBeGreaterThan(0)
  expect(counter.queries).toBeLessThanOrEqual(3)
  await db
    .deleteFrom('courses')
    .where(
      'id',
      'in',
      twins.map(({ id }) => id),
    )
    .execute()
})

test('A-203 is for staff, each of their own site', async () => {
  expect(await find({}, nsAuthor)).toEqual(['Mango of another site'])
  expect(await find({ filters: { status: ['draft'] } })).not.toContain('Mango of another site')
  await expectGuarded(listCoursePage, {}, forStaff)
  await expectGuarded(listCourseEntries, [uids.apple], forStaff)
  await expectGuarded(listCourseEntries, [], forStaff)
  await expectGuarded(listCourseFilterChoices, {}, forStaff)
  await expectGuarded((ctx) => describeCourseList(ctx), undefined, forStaff)
  await expectGuarded(listCoursesChangedSince, { state: '1-x' }, forStaff)
})

test('a filter offers the plans and authors of the site, the chosen ones first, and finds the others by name', async () => {
  const names = (choices: { name: string }[]) => choices.map(({ name }) => name)
  const all = await listCourseFilterChoices(ada)
  expect(names(all.authors)).toEqual(['Ada Okafor', 'Wen Chen'])
  expect(names(all.plans)).toEqual(expect.arrayContaining(['Free Access', 'Full Access']))
  expect(names((await listCourseFilterChoices(ada, { search: 'CHEN' })).authors)).toEqual(['Wen Chen'])
  expect(names((await listCourseFilterChoices(ada, { search: 'full acc' })).plans)).toEqual(['Full Access'])
  for (const search of ['%', '\\', '\u0000', "' or true --"]) {
    expect(await listCourseFilterChoices(ada, { search }), search).toEqual({ plans: [], authors: [] })
  }
  const there = await listCourseFilterChoices(nsAuthor)
  expect(there.authors.map(({ uid }) => uid)).toEqual([nsAuthor.viewer?.uid])
  expect(there.plans.map(({ uid }) => uid)).not.toContain(fullAccess)
})

describe('what has changed', () => {
  // Changes of the minute before the state are read again, so everything is made older than that.
  beforeEach(async () => {
    await db
      .updateTable('courses')
      .set({ updated_at: new Date(Date.now() - 600_000) })
      .where('deleted_at', 'is', null)
      .execute()
  })

  const changesSince = async (ctx: Ctx, state: string) => {
    const changes = await listCoursesChangedSince(ctx, { state })
    return changes && { names: changes.items.map(({ name }) => name).sort(), gone: changes.goneUids }
  }

  test('the state of the list changes with each change, and only then', async () => {
    let { state, listed } = await describeCourseList(ada)
    expect(listed).toBe(4)
    expect(await describeCourseList(ada)).toEqual({ state, listed })
    await updateCourse(nsAuthor, { courseUid: uids.foreign, synopsis: 'Elsewhere' })
    await updateCourse(ada, { courseUid: uids.apple })
    expect(await describeCourseList(ada)).toEqual({ state, listed })
    const now = () => ({ ...ada, now: new Date() })
    const changes = [
      () => updateCourse(now(), { courseUid: uids.apple, synopsis: 'Another' }),
      () => updateCourse(now(), { courseUid: uids.apple, tags: ['Dose'] }),
      () => updateCourse(now(), { courseUid: uids.apple, sections: [{ name: 'New' }] }),
      () => publishCourse(now(), { courseUid: uids.apple, publish: true }),
      () => publishCourse(now(), { courseUid: uids.apple, publish: false }),
      () => deleteCourse(now(), { courseUid: uids.apple }),
      () => restoreCourse(now(), { courseUid: uids.apple }),
    ]
    for (const change of changes) {
      await change()
      const after = await describeCourseList(ada)
      expect(after.state, change.toString()).not.toBe(state)
      state = after.state
    }
    await updateCourse(now(), { courseUid: uids.apple, tags: ['Regulatory'] })
  })

  test('tells what changed, what is gone, and what came back', async () => {
    const now = (ctx: Ctx) => ({ ...ctx, now: new Date() })
    const extra = (await createCourse(ada, { name: 'Extra', sections: [] })).uid
    await db
      .updateTable('courses')
      .set({ updated_at: new Date(Date.now() - 300_000) })
      .where('uid', '=', extra)
      .execute()
    const { state } = await describeCourseList(ada)
    // Its own latest change is read again.
    expect(await changesSince(ada, state)).toEqual({ names: ['Extra'], gone: [] })
    await updateCourse(now(ada), { courseUid: uids.mango, synopsis: 'Changed' })
    await deleteCourse(now(ada), { courseUid: extra })
    await updateCourse(now(nsAuthor), { courseUid: uids.foreign, synopsis: 'Changed there' })
    expect(await changesSince(ada, state)).toEqual({ names: ['Mango'], gone: [extra] })
    expect(await changesSince(nsAuthor, state)).toEqual({ names: ['Mango of another site'], gone: [] })
    await restoreCourse(now(wen), { courseUid: extra })
    expect(await changesSince(ada, state)).toEqual({ names: ['Extra', 'Mango'], gone: [] })
    await db.deleteFrom('courses').where('uid', '=', extra).execute()
  })

  test('the whole list is read again if more than a hundred rows changed, or the state makes no sense', async () => {
    const { state } = await describeCourseList(ada)
    for (const wrong of ['', 'x', '0-', '-5-x', '9e99-x', 'NaN-1']) {
      expect(await listCoursesChangedSince(ada, { state: wrong }), wrong).toBeNull()
    }
    const values = Array.from({ length: 101 }, (_, index) => `crowd ${index}`).map((name) => ({
      site_id: ada.site.id,
      name,
      name_key: name,
      search_key: name,
    }))
    await db.insertInto('courses').values(values).execute()
    expect(await listCoursesChangedSince(ada, { state })).toBeNull()
    const crowd = db.deleteFrom('courses').where('name_key', 'like', 'crowd %')
    await crowd.execute()
    expect(await listCoursesChangedSince(ada, { state })).not.toBeNull()
    const deleted = values.map((value) => ({ ...value, deleted_at: new Date() }))
    await db.insertInto('courses').values(deleted).execute()
    expect(await listCoursesChangedSince(ada, { state })).toBeNull()
    await crowd.execute()
  })
})
