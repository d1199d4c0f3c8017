import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ScheduledKind } from '~/forms/schedule.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { deleteCourse } from '~/services/courses/publish-course.server.ts'
import { Conflict, Invalid, NotFound } from '~/services/errors.ts'
import {
  cancelScheduledChange,
  listScheduledChanges,
  listWaitingChanges,
  restoreScheduledChange,
  runScheduledChanges,
  scheduleChange,
} from '~/services/schedule/schedule.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

let author: Ctx
const hour = 3_600_000

beforeAll(async () => {
  const viewer = await aUser(db, { groups: ['authors'], plan: null, firstName: 'Ana', lastName: 'Moreau' })
  author = await aContext(db, { viewer })
})

const later = (ms: number) => new Date(author.now.getTime() + ms)
/** The job of the site, at a time in the future. */
const runAt = (ms: number) => runScheduledChanges({ ...ctx, now: later(ms) })

async function aCourse(): Promise<{ kind: 'course'; itemUid: string }> {
  const { uid } = await createCourse(author, { name: `Course ${randomUUID().slice(0, 8)}`, sections: [] })
  return { kind: 'course', itemUid: uid }
}

async function isPublished(kind: ScheduledKind, uid: string): Promise<boolean> {
  if (kind === 'course' || kind === 'module') {
    const row = await db
      .selectFrom(`${kind}s`)
      .select('published_version_id as version')
      .where('uid', '=', uid)
      .executeTakeFirstOrThrow()
    return row.version !== null
  }
  const row = await db.selectFrom(`${kind}s`).select('status').where('uid', '=', uid).executeTakeFirstOrThrow()
  return row.status === 'published'
}

async function resultOf(item: { itemUid: string }) {
  const { items } = await listScheduledChanges(author, { page: 1, size: 100 })
  return items.filter(({ itemUid }) => itemUid === item.itemUid).map(({ result, problem }) => ({ result, problem }))
}

test('each kind of content is published at its time and unpublished later, and not before', async () => {
  const operator = await aContext(db, { isOperator: true })
  const items: { kind: ScheduledKind; itemUid: string }[] = [
    await aCourse(),
    { kind: 'module', itemUid: (await aModule(operator, { isPublished: false })).uid },
    { kind: 'lecture', itemUid: (await aLecture(db, { status: 'draft' })).uid },
    { kind: 'video', itemUid: (await aVideo(db, { status: 'draft' })).uid },
  ]
  for (const item of items) {
    await scheduleChange(author, { ...item, action: 'publish', at: later(hour) })
    await scheduleChange(author, { ...item, action: 'unpublish', at: later(2 * hour) })
  }
  const states = () => Promise.all(items.map(({ kind, itemUid }) => isPublished(kind, itemUid)))
  await runAt(hour - 1000)
  expect(await states()).toEqual([false, false, false, false])
  expect(await runAt(hour)).toEqual({ done: 4, failed: 0 })
  expect(await states()).toEqual([true, true, true, true])
  expect(await runAt(hour + 1000)).toEqual({ done: 0, failed: 0 })
  expect(await runAt(3 * hour)).toEqual({ done: 4, failed: 0 })
  expect(await states()).toEqual([false, false, false, false])
})

test('a job that was away makes overdue changes in the order of their times', async () => {
  const item = await aCourse()
  await scheduleChange(author, { ...item, action: 'publish', at: later(2 * hour) })
  await scheduleChange(author, { ...item, action: 'unpublish', at: later(hour) })
  await runAt(5 * hour)
  expect(await isPublished('course', item.itemUid)).toBe(true)
})

test('a draft is unpublished later only if it is to be published before', async () => {
  const item = await aCourse()
  const unpublish = () => scheduleChange(author, { ...item, action: 'unpublish', at: later(2 * hour) })
  await expect(unpublish()).rejects.toThrow('This is a draft. Please schedule first when it is published.')
  const planned = await scheduleChange(author, { ...item, action: 'publish', at: later(hour) })
  await unpublish()
  await cancelScheduledChange(author, { changeUid: planned.uid })
  await runAt(hour)
})

test('ten jobs at once make a change once, under the name of the person who planned it', async () => {
  const item = await aCourse()
  await scheduleChange(author, { ...item, action: 'publish', at: later(hour) })
  const results = await Promise.all(Array.from({ length: 10 }, () => runAt(hour)))
  expect(results.reduce((sum, { done }) => sum + done, 0)).toBe(1)
  const entries = await listAuditEntries(author, { entity: 'course', entityUid: item.itemUid })
  expect(entries.filter(({ action }) => action === 'course.published').map(({ actorName }) => actorName)).toEqual([
    'Ana Moreau',
  ])
})

test('a crash before the end of the transaction leaves the change waiting, and it happens once later', async () => {
  const item = await aCourse()
  await scheduleChange(author, { ...item, action: 'publish', at: later(hour) })
  const crash = db.transaction().execute(async (trx) => {
    await runScheduledChanges({ ...ctx, db: trx, now: later(hour) })
    throw new Error('killed')
  })
  await expect(crash).rejects.toThrow('killed')
  expect(await isPublished('course', item.itemUid)).toBe(false)
  expect(await runAt(hour)).toEqual({ done: 1, failed: 0 })
})

test('what cannot be published at its time is marked with the reason, and does not hold up the rest', async () => {
  const operator = await aContext(db, { isOperator: true })
  const unread = { kind: 'module' as const, itemUid: (await aModule(operator, { isPublished: false })).uid }
  const [gone, fine] = [await aCourse(), await aCourse()]
  await scheduleChange(author, { ...unread, action: 'publish', at: later(hour) })
  await scheduleChange(author, { ...gone, action: 'publish', at: later(hour) })
  await scheduleChange(author, { ...fine, action: 'publish', at: later(hour) })
  await db.updateTable('modules').set({ coming_soon: true }).where('uid', '=', unread.itemUid).execute()
  await deleteCourse(author, { courseUid: gone.itemUid })
  expect(await runAt(hour)).toEqual({ done: 1, failed: 2 })
  const problem = `Module marked as "Coming Soon" can't be published`
  expect(await resultOf(unread)).toEqual([{ result: 'failed', problem }])
  expect(await resultOf(gone)).toEqual([{ result: 'failed', problem: 'It has been removed.' }])
  expect(await isPublished('course', fine.itemUid)).toBe(true)
})

test('a plan holds when its planner has left', async () => {
  const leaver = await aUser(db, { groups: ['authors'], plan: null })
  const item = await aCourse()
  const planner = await aContext(db, { viewer: leaver })
  await scheduleChange(planner, { ...item, action: 'publish', at: later(hour) })
  await db.updateTable('users').set({ is_active: false }).where('id', '=', leaver.id).execute()
  expect(await runAt(hour)).toEqual({ done: 1, failed: 0 })
})

describe('planning', () => {
  test('planning again moves the change to the new time, also ten times at once', async () => {
    const item = await aCourse()
    await scheduleChange(author, { ...item, action: 'publish', at: later(hour) })
    await Promise.all(
      Array.from({ length: 10 }, () => scheduleChange(author, { ...item, action: 'publish', at: later(2 * hour) })),
    )
    const waiting = await listWaitingChanges(author, item)
    expect(waiting.map(({ at, action }) => ({ at, action }))).toEqual([{ at: later(2 * hour), action: 'publish' }])
  })

  test('a local time of the site is understood, and times that are past or far away are refused', async () => {
    const item = await aCourse()
    const planned = await scheduleChange(author, { ...item, action: 'publish', at: '2027-03-01T09:00' })
    expect(planned.at).toEqual(new Date('2027-03-01T09:00:00Z'))
    const refused = (input: { action?: string; at?: string | Date }) =>
      expect(
        scheduleChange(author, { ...item, action: 'publish', at: later(hour), ...input }),
        JSON.stringify(input),
      ).rejects.toThrow(Invalid)
    await refused({ at: later(-1000) })
    await refused({ at: later(3 * 365 * 24 * hour) })
    await refused({ at: '' })
    await refused({ at: 'tomorrow' })
    await refused({ action: 'delete' })
  })

  test('only staff of the site plan, see and cancel; content that is gone is not found', async () => {
    const item = await aCourse()
    const by = ['admins', 'authors'] as const
    const at = later(hour)
    await expectGuarded(scheduleChange, { ...item, action: 'publish', at }, { by: [...by] })
    await expectGuarded(listWaitingChanges, item, { by: [...by], elsewhere: null })
    await expectGuarded(listScheduledChanges, { page: 1, size: 10 }, { by: [...by], elsewhere: null })
    const { uid } = await scheduleChange(author, { ...item, action: 'publish', at })
    await expectGuarded(cancelScheduledChange, { changeUid: uid }, { by: [...by] })
    await deleteCourse(author, { courseUid: item.itemUid })
    for (const itemUid of [item.itemUid, randomUUID(), 'nonsense']) {
      await expect(scheduleChange(author, { kind: 'course', itemUid, action: 'publish', at })).rejects.toThrow(NotFound)
    }
  })

  test('a canceled change does not happen, is canceled once, and can be planned again', async () => {
    const item = await aCourse()
    const { uid } = await scheduleChange(author, { ...item, action: 'publish', at: later(hour) })
    const cancels = await Promise.allSettled(
      Array.from({ length: 10 }, () => cancelScheduledChange(author, { changeUid: uid })),
    )
    expect(cancels.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(cancelScheduledChange(author, { changeUid: uid })).rejects.toThrow(Conflict)
    await runAt(2 * hour)
    expect(await isPublished('course', item.itemUid)).toBe(false)
    await scheduleChange(author, { ...item, action: 'publish', at: later(3 * hour) })
    expect(await runAt(3 * hour)).toEqual({ done: 1, failed: 0 })
    expect((await resultOf(item)).map(({ result }) => result)).toEqual(['done', 'canceled'])
  })

  test('a change that has got another time is not canceled from a page that shows the old one', async () => {
    const item = await aCourse()
    const { uid, at } = await scheduleChange(author, { ...item, action: 'publish', at: later(hour) })
    await scheduleChange(author, { ...item, action: 'publish', at: later(2 * hour) })
    const old = cancelScheduledChange(author, { changeUid: uid, shownAt: at.getTime() })
    await expect(old).rejects.toThrow('Somebody has moved this to')
    await cancelScheduledChange(author, { changeUid: uid, shownAt: later(2 * hour).getTime() })
    expect(await listWaitingChanges(author, item)).toEqual([])
  })

  test('a canceled change is planned again, once, unless it is too late or was planned anew', async () => {
    const item = await aCourse()
    const plan = (hours: number) => scheduleChange(author, { ...item, action: 'publish', at: later(hours * hour) })
    const { uid } = await plan(2)
    await cancelScheduledChange(author, { changeUid: uid })
    const undo = (ctx = author) => restoreScheduledChange(ctx, { changeUid: uid })
    const late = undo({ ...author, now: later(2 * hour) })
    await expect(late).rejects.toThrow('The time of this change has passed. Please plan it again.')
    await expectGuarded(restoreScheduledChange, { changeUid: uid }, { by: ['admins', 'authors'] })
    const undone = await Promise.all(Array.from({ length: 10 }, () => undo()))
    expect(undone.map(({ result, plannedBy }) => [result, plannedBy])[9]).toEqual([null, 'Ana Moreau'])
    await cancelScheduledChange(author, { changeUid: uid })
    const again = await plan(3)
    await expect(undo()).rejects.toThrow('This has been planned again since.')
    await cancelScheduledChange(author, { changeUid: again.uid })
    await undo()
    expect(await runAt(2 * hour)).toEqual({ done: 1, failed: 0 })
    await expect(undo()).rejects.toThrow('This has happened already.')
    // A draft that nothing publishes cannot be unpublished.
    const draft = await aCourse()
    const [first, second] = [
      await scheduleChange(author, { ...draft, action: 'publish', at: later(5 * hour) }),
      await scheduleChange(author, { ...draft, action: 'unpublish', at: later(6 * hour) }),
    ]
    for (const { uid } of [second, first]) await cancelScheduledChange(author, { changeUid: uid })
    await expect(restoreScheduledChange(author, { changeUid: second.uid })).rejects.toThrow('This is a draft.')
    await deleteCourse(author, { courseUid: draft.itemUid })
    await expect(restoreScheduledChange(author, { changeUid: first.uid })).rejects.toThrow(NotFound)
  })

  test('the list has what is waiting first, page by page, and forgets what ended a month ago', async () => {
    await db.deleteFrom('scheduled_changes').execute()
    const items = [await aCourse(), await aCourse(), await aCourse()]
    for (const [index, item] of items.entries()) {
      await scheduleChange(author, { ...item, action: 'publish', at: later((3 - index) * hour) })
    }
    await runAt(hour)
    const page = (number: number, now = author.now) =>
      listScheduledChanges({ ...author, now }, { page: number, size: 2 })
    expect((await page(1)).items.map(({ itemUid }) => itemUid)).toEqual([items[1]?.itemUid, items[0]?.itemUid])
    expect((await page(2)).items.map(({ itemUid, plannedBy }) => [itemUid, plannedBy])).toEqual([
      [items[2]?.itemUid, 'Ana Moreau'],
    ])
    expect((await page(2)).total).toBe(3)
    expect((await page(1, later(40 * 24 * hour))).total).toBe(2)
  })
})
