/** The console's tables of lectures and videos: search by name or tag, filters, every order, pages, and what has changed. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { filmSorts } from '~/forms/film-tables.ts'
import type { Ctx } from '~/services/context.ts'
import {
  describeFilmList,
  type FilmPageInput,
  listFilmEntries,
  listFilmFilterPlans,
  listFilmPage,
  listFilmsChangedSince,
} from '~/services/films/table.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import { deleteLecture, restoreLecture, updateLecture } from '~/services/lectures/save-lecture.server.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import { deleteVideo, restoreVideo, updateVideo } from '~/services/videos/save-video.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aCover } from '../support/attachments.ts'
import { aContext } from '../support/context.ts'
import { aMember, planUid } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db, expectGuarded } from '../support/test.ts'

aStorage()

let ada: Ctx
let nsAuthor: Ctx
let fullAccess: string
let freeAccess: string

beforeAll(async () => {
  ada = await aMember(db, ['authors'])
  nsAuthor = await aMember(db, ['authors'], { site: 'ns' })
  const system = await aContext(db)
  fullAccess = await planUid(system)
  freeAccess = await planUid(system, 'Free Access')
})

const forStaff: Parameters<typeof expectGuarded>[2] = { by: ['authors', 'admins'], elsewhere: null }
const at = (minute: number): Ctx => ({ ...ada, now: new Date(Date.UTC(2026, 0, 1, 12, minute)) })

describe.each(['lecture', 'video'] as const)('%s', (kind) => {
  const uids = { apple: '', brulee: '', mango: '', zebra: '' }
  const [apple, brulee, mango, zebra] = ['apple 100%', 'Crème brûlée', 'Mango', 'Zebra_fish']

  const create = async (ctx: Ctx, name: string, more: object) => {
    const values = {
      name,
      questionsMarkdown: 'Why?',
      category: 'expert',
      description: 'What it is about',
      coverImg: (await aCover(ctx)).name,
      coverImgDesc: 'A plate',
      accessPlanUids: [fullAccess],
      videoUrl: '/films/a.mp4',
      ...more,
    }
    return (await (kind === 'lecture' ? createLecture : createVideo)(ctx, values as never)).uid
  }
  const update = (ctx: Ctx, uid: string, changes: object) =>
    kind === 'lecture'
      ? updateLecture(ctx, { lectureUid: uid, ...changes })
      : updateVideo(ctx, { videoUid: uid, ...changes })

  beforeAll(async () => {
    uids.apple = await create(ada, apple, { tags: ['Regulatory'], presenter: 'Zoë' })
    uids.brulee = await create(ada, brulee, {
      tags: ['Étude', 'Assays'],
      accessPlanUids: [fullAccess, freeAccess],
      phases: ['Discover', 'Develop'],
      status: 'published',
    })
    uids.mango = await create(ada, mango, { phases: ['Deliver'], category: 'animation', comingSoon: true })
    uids.zebra = await create(ada, zebra, {
      tags: ['Safety'],
      accessPlanUids: [freeAccess],
      presenter: 'ada',
      status: 'published',
    })
    for (const [uid, minute] of [
      [uids.apple, 4],
      [uids.brulee, 1],
      [uids.mango, 3],
      [uids.zebra, 2],
    ] as const) {
      await update(at(minute), uid, { coverImgDesc: 'Changed' })
    }
    await create(nsAuthor, 'Mango of another site', { tags: ['Regulatory'], accessPlanUids: [await planUid(nsAuthor)] })
  })

  const find = async (input: Omit<FilmPageInput, 'kind'> = {}, ctx = ada) => {
    const { items, total } = await listFilmPage(ctx, { kind, size: 100, ...input })
    expect(total).toBe(items.length)
    return items.map(({ name }) => name)
  }

  test('A-076 an entry has what a row shows', async () => {
    const [entry, ...others] = await listFilmEntries(ada, { kind, uids: [uids.brulee, randomUUID()] })
    expect(entry).toEqual({
      uid: uids.brulee,
      name: brulee,
      status: 'published',
      isComingSoon: false,
      category: kind === 'video' ? 'expert' : null,
      presenter: '',
      phases: ['Discover', 'Develop'],
      tags: ['Assays', 'Étude'],
      plans: [
        { uid: freeAccess, name: 'Free Access' },
        { uid: fullAccess, name: 'Full Access' },
      ],
      updatedAt: at(1).now,
    })
    expect(others).toEqual([])
    const order = [uids.zebra, uids.apple]
    expect((await listFilmEntries(ada, { kind, uids: order })).map(({ uid }) => uid)).toEqual(order)
  })

  test('A-075 a search finds names and tags but no presenters, ignoring case and marks, as text and not as a pattern', async () => {
    expect(await find({ search: 'MANGO' })).toEqual([mango])
    const uid = await create(ada, 'Анна Каренина', { tags: ['Élan'] })
    expect(await find({ search: 'карен ан' })).toEqual(['Анна Каренина'])
    expect(await find({ search: 'élan анна' })).toEqual(['Анна Каренина'])
    await db
      .deleteFrom(kind === 'lecture' ? 'lectures' : 'videos')
      .where('uid', '=', uid)
      .execute()
    expect(await find({ search: 'regulatORY' })).toEqual([apple])
    expect(await find({ search: 'creme BRU' })).toEqual([brulee])
    expect(await find({ search: 'etude' })).toEqual([brulee])
    expect(await find({ search: '0%' })).toEqual([apple])
    expect(await find({ search: '_' })).toEqual([zebra])
    for (const search of [
      'zoë',
      'fish ada',
      '\\',
      '%%',
      "'; drop table lectures --",
      'a\u0000b',
      '\ud800',
      'x'.repeat(10_000),
    ]) {
      expect(await find({ search }), search.slice(0, 20)).toEqual([])
    }
  })

  test('filters narrow the table by status, phase and group', async () => {
    const by = (filters: Record<string, string[]>, search = '') => find({ filters, search })
    expect(await by({ status: ['published'] })).toEqual([brulee, zebra])
    expect(await by({ status: ['draft'] })).toEqual([apple, mango])
    expect(await by({ status: ['soon'] })).toEqual(kind === 'lecture' ? [mango] : [apple, brulee, mango, zebra])
    expect(await by({ phase: ['Develop', 'Deliver'] })).toEqual([brulee, mango])
    expect(await by({ phase: ['Deliver'], status: ['published'] })).toEqual([])
    expect(await by({ category: ['animation'] })).toEqual(kind === 'video' ? [mango] : [apple, brulee, mango, zebra])
    expect(await by({ group: [freeAccess] })).toEqual([brulee, zebra])
    expect(await by({ group: [freeAccess] }, 'safety')).toEqual([zebra])
    expect(await by({ status: ['nonsense'], phase: ['x'] })).toHaveLength(4)
    expect(await by({ group: ["' or true --"] })).toEqual([])
    expect(await by({ group: [await planUid(nsAuthor)] })).toEqual([])
  })

  test('A-078 A-217 every column sorts both ways, and by name if nothing else is asked', async () => {
    const up = {
      name: [apple, brulee, mango, zebra],
      status: [apple, mango, brulee, zebra],
      phases: [apple, zebra, mango, brulee],
      presenter: [brulee, mango, zebra, apple],
      updated: [brulee, zebra, mango, apple],
    }
    const down = {
      ...Object.fromEntries(filmSorts.map((sort) => [sort, [...up[sort]].reverse()])),
      // Equal values stay in the order of their names.
      status: [brulee, zebra, apple, mango],
      phases: [brulee, mango, apple, zebra],
      presenter: [apple, zebra, brulee, mango],
    } as typeof up
    for (const sort of filmSorts) {
      expect(await find({ sort }), sort).toEqual(up[sort])
      expect(await find({ sort, isDescending: true }), sort).toEqual(down[sort])
    }
    expect(await find({ sort: 'nonsense' })).toEqual(up.name)
  })

  test('pages have the size that was asked for, and the last one may be short or empty', async () => {
    const page = async (page: number, size: number) => {
      const { items, total } = await listFilmPage(ada, { kind, page, size })
      expect(total).toBe(4)
      return items.map(({ name }) => name)
    }
    expect(await page(1, 3)).toEqual([apple, brulee, mango])
    expect(await page(2, 3)).toEqual([zebra])
    expect(await page(9, 3)).toEqual([])
  })

  test('is for staff of the site, in a number of queries that does not depend on the rows', async () => {
    await expectGuarded(listFilmPage, { kind }, forStaff)
    await expectGuarded(listFilmEntries, { kind, uids: [uids.apple] }, forStaff)
    await expectGuarded(describeFilmList, { kind }, forStaff)
    await expectGuarded(listFilmsChangedSince, { kind, state: 'x' }, forStaff)
    await expectGuarded(listFilmFilterPlans, {}, forStaff)
    expect(await find({}, nsAuthor)).toEqual(['Mango of another site'])
    expect((await listFilmFilterPlans(ada, { search: 'full' })).map(({ uid }) => uid)).toContain(fullAccess)
    const count = async (size: number) => {
      const counter = { queries: 0 }
      await queryCounter.run(counter, () => listFilmPage(ada, { kind, size, search: 'a' }))
      return counter.queries
    }
    expect(await count(1)).toBe(await count(20))
  })

  test('A-231 the state of the list changes with every row that changes, and single rows can be read again', async () => {
    const { listed, state } = await describeFilmList(ada, { kind })
    expect(listed).toBe(4)
    const later = { ...ada, now: new Date() }
    await update(later, uids.mango, { name: mango, description: 'Changed now' })
    const changes = await listFilmsChangedSince(ada, { kind, state })
    expect(changes?.items.map(({ name }) => name)).toContain(mango)
    expect((await describeFilmList(ada, { kind })).state).not.toBe(state)
    if (kind === 'lecture') await deleteLecture(later, { lectureUid: uids.mango })
    else await deleteVideo(later, { videoUid: uids.mango })
    expect((await listFilmsChangedSince(ada, { kind, state }))?.goneUids).toEqual([uids.mango])
    expect(await find()).toEqual([apple, brulee, zebra])
    if (kind === 'lecture') await restoreLecture(later, { lectureUid: uids.mango })
    else await restoreVideo(later, { videoUid: uids.mango })
    expect(await listFilmsChangedSince(ada, { kind, state: 'nonsense' })).toBeNull()
  })
})

test('A-217 lectures are listed for staff while the feature is off', async () => {
  await db.updateTable('feature_flags').set({ is_on: false }).where('name', '=', 'LECTURES').execute()
  expect((await listFilmPage(ada, { kind: 'lecture' })).total).toBe(4)
  expect((await describeFilmList(ada, { kind: 'lecture' })).listed).toBe(4)
  await db.updateTable('feature_flags').set({ is_on: true }).where('name', '=', 'LECTURES').execute()
})
