/** Favorites and assignments: access, visibility, and ten requests at once. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { recentChange } from '~/components/favorites/saved.ts'
import { listAssignedViews } from '~/pages/assigned.server.ts'
import { getSavedPage } from '~/pages/saved.server.ts'
import { changeAssignments, listAssignmentsOfUsers } from '~/services/assignments/assignments.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { countForBadge, findSaved, getFavorites, setFavorite } from '~/services/favorites/favorites.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aModule, type TestModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { db } from '../support/test.ts'

let operator: Ctx
let open: TestModule
let closed: TestModule
let admin: Ctx

beforeAll(async () => {
  operator = await aContext(db)
  open = await aModule(operator, { name: 'Open' })
  closed = await aModule(operator, { name: 'Closed', plan: 'Free Access' })
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
})

const aLearner = async (): Promise<Ctx & { viewer: Viewer }> => {
  const viewer = await aUser(db)
  return { ...(await aContext(db, { viewer })), viewer }
}
const module = (action: 'ADD' | 'REMOVE', uid = open.uid) => ({ action, studyUnitType: 'module' as const, uid })

test('L-165 a saved module belongs to the viewer, is saved once, and can be removed', async () => {
  const [learner, other] = [await aLearner(), await aLearner()]
  const after = await setFavorite(learner, module('ADD'))
  expect(after.moduleUids).toEqual([open.uid])
  // L-181: lectures are not counted.
  expect(countForBadge({ ...after, lectureUids: ['x'] })).toBe(1)
  await setFavorite(learner, module('ADD'))
  expect((await getFavorites(learner)).moduleUids).toEqual([open.uid])
  expect((await getFavorites(other)).moduleUids).toEqual([])
  expect(await findSaved(learner, { type: 'module', uids: [open.uid, closed.uid] })).toEqual(new Set([open.uid]))
  expect(await getSavedPage(learner, { type: null, limit: 5, offset: 0 })).toMatchObject({
    type: 'module',
    counts: { module: 1, course: 0 },
    modules: [{ uid: open.uid, isSaved: true }],
  })
  expect((await setFavorite(learner, module('REMOVE'))).moduleUids).toEqual([])
  expect((await setFavorite(learner, module('REMOVE'))).moduleUids).toEqual([])
})

test('ten presses at once save it once', async () => {
  const learner = await aLearner()
  await Promise.all(Array.from({ length: 10 }, () => setFavorite(learner, module('ADD'))))
  const rows = await db.selectFrom('favorites').select('id').where('user_id', '=', learner.viewer.id).execute()
  expect(rows).toHaveLength(1)
})

test('L-165 L-166 content without access is not found, on this site and the other, and signed-out visitors cannot save', async () => {
  const learner = await aLearner()
  await expect(setFavorite(learner, module('ADD', closed.uid))).rejects.toBeInstanceOf(NotFound)
  await expect(setFavorite(learner, module('ADD', randomUUID()))).rejects.toBeInstanceOf(NotFound)
  const stranger = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns' }) })
  await expect(setFavorite(stranger, module('ADD'))).rejects.toBeInstanceOf(NotFound)
  await expect(setFavorite(operator, module('ADD'))).rejects.toThrow('Login required.')
  for (const wrong of [{ action: 'TOGGLE' }, { studyUnitType: 'book' }, { uid: "1' or 1=1" }]) {
    await expect(setFavorite(learner, { ...module('ADD'), ...wrong } as never)).rejects.toBeInstanceOf(
      'uid' in wrong ? NotFound : Invalid,
    )
  }
  expect(await db.selectFrom('favorites').select('id').where('user_id', '=', learner.viewer.id).execute()).toEqual([])
})

describe.each(['course', 'video', 'lecture'] as const)('a saved %s', (kind) => {
  const make = (options: { site?: 'ns'; plan?: string } = {}) => {
    const { plan, ...rest } = options
    if (kind === 'course') return aCourse(db, options)
    return (kind === 'video' ? aVideo : aLecture)(db, { ...rest, ...(plan && { plans: [plan] }) })
  }
  const change = (action: 'ADD' | 'REMOVE', uid: string) => ({ action, studyUnitType: kind, uid })
  const rowsOf = (ctx: Ctx & { viewer: Viewer }) =>
    db
      .selectFrom('favorites')
      .select([`${kind}_id`, 'site_id'])
      .where('user_id', '=', ctx.viewer.id)
      .execute()

  test('L-165 belongs to the viewer, is saved once, is shown on its page, and can be removed', async () => {
    const [learner, other, item] = [await aLearner(), await aLearner(), await make()]
    const saved = await setFavorite(learner, change('ADD', item.uid))
    const none = { moduleUids: [], courseUids: [], videoUids: [], lectureUids: [] }
    expect(saved).toEqual({ ...none, [`${kind}Uids`]: [item.uid] })
    await Promise.all(Array.from({ length: 10 }, () => setFavorite(learner, change('ADD', item.uid))))
    expect(await rowsOf(learner)).toEqual([{ [`${kind}_id`]: item.id, site_id: learner.site.id }])
    expect(await findSaved(learner, { type: kind, uids: [item.uid, randomUUID()] })).toEqual(new Set([item.uid]))
    expect(await getFavorites(other)).toEqual(none)
    const { counts, type, courses, films } = await getSavedPage(learner, { type: null, limit: 5, offset: 0 })
    expect([counts[kind], type, [...courses, ...films].map(({ uid }) => uid)]).toEqual([1, kind, [item.uid]])
    await setFavorite(other, change('REMOVE', item.uid))
    expect(await rowsOf(learner)).toHaveLength(1)
    for (let time = 0; time < 2; time++) {
      expect(await setFavorite(learner, change('REMOVE', item.uid))).toEqual(none)
    }
  })

  test('of another plan or the other site, or without a viewer, is refused', async () => {
    const learner = await aLearner()
    for (const item of [await make({ plan: 'Free Access' }), await make({ site: 'ns' })]) {
      await expect(setFavorite(learner, change('ADD', item.uid))).rejects.toBeInstanceOf(NotFound)
    }
    const { uid } = await make()
    const stranger = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
    await expect(setFavorite(stranger, change('ADD', uid))).rejects.toBeInstanceOf(NotFound)
    await expect(setFavorite(operator, change('ADD', uid))).rejects.toThrow('Login required.')
    expect(await rowsOf(learner)).toEqual([])
  })
})

test('L-180 L-181 the badge shows for five seconds, in every tab', () => {
  const stored = JSON.stringify({ at: 1000, count: 4, hasRisen: true })
  expect(recentChange(stored, 5999)).toEqual({ at: 1000, count: 4, hasRisen: true })
  expect(recentChange(stored, 6000)).toBeNull()
  expect(recentChange('nonsense', 2000)).toBeNull()
  expect(recentChange('{"at":"soon"}', 2000)).toBeNull()
})

const assign = (action: 'ASSIGN' | 'UNASSIGN', userUids: string[], itemUids = [open.uid, closed.uid]) => ({
  kind: 'module' as const,
  action,
  userUids,
  itemUids,
})

test('admins assign; content outside the plan is listed as disabled; unassigning removes it', async () => {
  const learner = await aLearner()
  const { uid } = learner.viewer
  const made = await changeAssignments(admin, assign('ASSIGN', [uid]))
  expect(made.map(({ itemName }) => itemName).sort()).toEqual(['Closed', 'Open'])
  expect(await listAssignmentsOfUsers(learner, { userUids: [uid] })).toMatchObject([
    { userUid: uid, modules: [{ name: 'Closed' }, { name: 'Open' }], courses: [] },
  ])
  const { items, total } = await listAssignedViews(learner, { size: 10 })
  expect(total).toBe(2)
  expect(items.map(({ name, hasAccess, module }) => [name, hasAccess, module?.uid ?? null])).toEqual([
    ['Closed', false, null],
    ['Open', true, open.uid],
  ])
  const entries = await listAuditEntries(operator, { entity: 'module', entityUid: open.uid })
  expect(entries[0]).toMatchObject({ action: 'module.assigned' })
  const taken = await changeAssignments(admin, assign('UNASSIGN', [uid], [closed.uid]))
  expect(taken).toHaveLength(1)
  expect((await listAssignmentsOfUsers(admin, { userUids: [uid] }))[0]?.modules).toHaveLength(1)
})

test('an assigned module that is coming soon says so, unless the plan leaves it out', async () => {
  const learner = await aLearner()
  const { uid } = learner.viewer
  await changeAssignments(admin, assign('ASSIGN', [uid]))
  const setComingSoon = (coming_soon: boolean) =>
    db.updateTable('modules').set({ coming_soon }).where('uid', 'in', [open.uid, closed.uid]).execute()
  await setComingSoon(true)
  const { items } = await listAssignedViews(learner, { size: 10 })
  expect(items.map(({ name, hasAccess, isComingSoon }) => [name, hasAccess, isComingSoon])).toEqual([
    ['Closed', false, false],
    ['Open', false, true],
  ])
  await setComingSoon(false)
})

test('an assigned module that left the plan after it was started keeps its results, closed', async () => {
  const learner = await aLearner()
  const { id, uid } = learner.viewer
  await changeAssignments(admin, assign('ASSIGN', [uid], [closed.uid]))
  const module = await db.selectFrom('modules').select('id').where('uid', '=', closed.uid).executeTakeFirstOrThrow()
  const begun = { site_id: admin.site.id, user_id: id, module_id: module.id, progress_percent: 40 }
  await db.insertInto('module_progress').values(begun).execute()
  const { items } = await listAssignedViews(learner, { size: 10 })
  expect(items).toMatchObject([{ name: 'Closed', hasAccess: false, module: { percent: 40, versionUid: null } }])
})

test('ten assignments at once assign once', async () => {
  const learner = await aLearner()
  await Promise.all(Array.from({ length: 10 }, () => changeAssignments(admin, assign('ASSIGN', [learner.viewer.uid]))))
  const rows = await db.selectFrom('module_assignments').select('id').where('user_id', '=', learner.viewer.id).execute()
  expect(rows).toHaveLength(2)
})

test('L-220 only admins assign, only to people of the site, and a partly wrong call writes nothing', async () => {
  const learner = await aLearner()
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  for (const ctx of [learner, author]) {
    await expect(changeAssignments(ctx, assign('ASSIGN', [learner.viewer.uid]))).rejects.toBeInstanceOf(Forbidden)
  }
  const stranger = await aUser(db, { site: 'ns' })
  await expect(changeAssignments(admin, assign('ASSIGN', [learner.viewer.uid, stranger.uid]))).rejects.toBeInstanceOf(
    NotFound,
  )
  const foreignAdmin = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
  await expect(changeAssignments(foreignAdmin, assign('ASSIGN', [stranger.uid]))).rejects.toBeInstanceOf(NotFound)
  await expect(changeAssignments(admin, assign('ASSIGN', []))).rejects.toBeInstanceOf(Invalid)
  await expect(listAssignmentsOfUsers(learner, { userUids: [stranger.uid] })).rejects.toBeInstanceOf(Forbidden)
  expect(
    await db.selectFrom('module_assignments').select('id').where('user_id', '=', learner.viewer.id).execute(),
  ).toEqual([])
})

describe('courses', () => {
  const assignCourses = (action: 'ASSIGN' | 'UNASSIGN', userUids: string[], itemUids: string[]) => ({
    kind: 'course' as const,
    action,
    userUids,
    itemUids,
  })
  const rowsOf = ({ viewer }: { viewer: Viewer }) =>
    db.selectFrom('course_assignments').select('id').where('user_id', '=', viewer.id).execute()

  test('are assigned once, also ten times at once, listed with their access, and unassigned', async () => {
    const learner = await aLearner()
    const [seen, closedCourse] = [await aCourse(db, { name: 'Seen' }), await aCourse(db, { plan: 'Free Access' })]
    const both = assignCourses('ASSIGN', [learner.viewer.uid], [seen.uid, closedCourse.uid])
    await Promise.all(Array.from({ length: 10 }, () => changeAssignments(admin, both)))
    expect(await rowsOf(learner)).toHaveLength(2)
    const { items, total } = await listAssignedViews(learner, {})
    expect(total).toBe(2)
    expect(items.map(({ uid, kind, hasAccess, course }) => [uid, kind, hasAccess, course?.name ?? null])).toEqual(
      expect.arrayContaining([
        [seen.uid, 'course', true, 'Seen'],
        [closedCourse.uid, 'course', false, null],
      ]),
    )
    const [own] = await listAssignmentsOfUsers(learner, { userUids: [learner.viewer.uid] })
    expect([own?.modules.length, own?.courses.length]).toEqual([0, 2])
    const taken = await changeAssignments(admin, { ...both, action: 'UNASSIGN' })
    expect(taken.map(({ itemUid }) => itemUid).sort()).toEqual([seen.uid, closedCourse.uid].sort())
    expect(await changeAssignments(admin, { ...both, action: 'UNASSIGN' })).toEqual([])
    expect(await rowsOf(learner)).toEqual([])
  })

  test('are assigned by admins only, of this site to people of this site', async () => {
    const learner = await aLearner()
    const [course, foreign] = [await aCourse(db), await aCourse(db, { site: 'ns' })]
    const { uid } = learner.viewer
    await expect(changeAssignments(learner, assignCourses('ASSIGN', [uid], [course.uid]))).rejects.toBeInstanceOf(
      Forbidden,
    )
    for (const wrong of [
      assignCourses('ASSIGN', [uid], [course.uid, foreign.uid]),
      assignCourses('ASSIGN', [uid], [open.uid]),
      assignCourses('ASSIGN', [uid, (await aUser(db, { site: 'ns' })).uid], [course.uid]),
    ]) {
      await expect(changeAssignments(admin, wrong)).rejects.toBeInstanceOf(NotFound)
    }
    expect(await rowsOf(learner)).toEqual([])
  })
})

test('assignments come in pages with a total, also beyond the end', async () => {
  const learner = await aLearner()
  await assignMany(learner.viewer.id, 1205)
  const first = await listAssignedViews(learner, { page: 1, size: 20 })
  const last = await listAssignedViews(learner, { page: 61, size: 20 })
  expect([first.items.length, first.total, last.items.length, last.total]).toEqual([20, 1205, 5, 1205])
  expect(await listAssignedViews(learner, { page: 62, size: 20 })).toEqual({ items: [], total: 1205 })
  const counted = { queries: 0 }
  await queryCounter.run(counted, () => listAssignedViews(learner, { page: 1, size: 20 }))
  expect(counted.queries).toBeLessThanOrEqual(8)
})

test('a query may name at most 1,000 people, and an answer that is too large is refused, not cut', async () => {
  const uids = Array.from({ length: 1001 }, () => randomUUID())
  await expect(listAssignmentsOfUsers(admin, { userUids: uids })).rejects.toThrow('at most 1,000 users at once')
  // Duplicates count once. The query names these uids, which belong to nobody.
  await expect(
    listAssignmentsOfUsers(admin, { userUids: [...uids.slice(0, 1000), ...uids.slice(0, 9)] }),
  ).rejects.toBeInstanceOf(NotFound)
  const [one, other] = [await aLearner(), await aLearner()]
  const userUids = [one.viewer.uid, other.viewer.uid]
  await assignMany(one.viewer.id, 10_000)
  await assignMany(other.viewer.id, 10_000)
  const all = await listAssignmentsOfUsers(admin, { userUids })
  expect(all.map(({ modules }) => modules.length)).toEqual([10_000, 10_000])
  await assignMany(other.viewer.id, 10_001)
  await expect(listAssignmentsOfUsers(admin, { userUids })).rejects.toThrow('too many assignments for one response')
  expect((await listAssignmentsOfUsers(admin, { userUids: [other.viewer.uid] }))[0]?.modules).toHaveLength(10_001)
})

/** Assigns drafts to a person up to this number, and creates missing ones. */
async function assignMany(userId: number, count: number): Promise<void> {
  const site = operator.site.id
  await sql`
    insert into modules (site_id, name, name_key, search_key)
    select ${site}, 'Bulk ' || n, 'bulk ' || n, 'bulk ' || n from generate_series(1, ${count}::int) n
    on conflict do nothing`.execute(db)
  await sql`
    insert into module_assignments (site_id, user_id, module_id)
    select ${site}, ${userId}, id from modules where site_id = ${site} and name like 'Bulk %' order by id limit ${count}
    on conflict do nothing`.execute(db)
}
