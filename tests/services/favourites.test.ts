/** Favourites and assignments: who may, who sees, and ten at once. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recentChange } from '~/components/favourites/saved.ts'
import { changeAssignments, listAssignmentsOfUsers } from '~/services/assignments/assignments.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { countForBadge, findSaved, getFavourites, setFavourite } from '~/services/favourites/favourites.server.ts'
import { listAssignedViews } from '~/services/read/assigned.server.ts'
import { getSavedPage } from '~/services/read/saved.server.ts'
import type { Database } from '~db/client.server.ts'
import { aModule, type TestModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'

let db: Database
let close: () => Promise<void>
let operator: Ctx
let open: TestModule
let closed: TestModule
let admin: Ctx

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
  operator = await aContext(db)
  open = await aModule(operator, { name: 'Open' })
  closed = await aModule(operator, { name: 'Closed', plan: 'Free Access' })
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
})
afterAll(() => close())

const aLearner = async (): Promise<Ctx & { viewer: Viewer }> => {
  const viewer = await aUser(db)
  return { ...(await aContext(db, { viewer })), viewer }
}
const module = (action: 'ADD' | 'REMOVE', uid = open.uid) => ({ action, studyUnitType: 'module' as const, uid })

test('what is saved is the own, once, and can be taken off', async () => {
  const [learner, other] = [await aLearner(), await aLearner()]
  const after = await setFavourite(learner, module('ADD'))
  expect(after.moduleUids).toEqual([open.uid])
  expect(countForBadge({ ...after, lectureUids: ['x'] })).toBe(1)
  await setFavourite(learner, module('ADD'))
  expect((await getFavourites(learner)).moduleUids).toEqual([open.uid])
  expect((await getFavourites(other)).moduleUids).toEqual([])
  expect(await findSaved(learner, { type: 'module', uids: [open.uid, closed.uid] })).toEqual(new Set([open.uid]))
  expect(await getSavedPage(learner, { type: null, limit: 5, offset: 0 })).toMatchObject({
    type: 'module',
    counts: { module: 1, course: 0 },
    modules: [{ uid: open.uid, isSaved: true }],
  })
  expect((await setFavourite(learner, module('REMOVE'))).moduleUids).toEqual([])
  expect((await setFavourite(learner, module('REMOVE'))).moduleUids).toEqual([])
})

test('ten presses at once save it once', async () => {
  const learner = await aLearner()
  await Promise.all(Array.from({ length: 10 }, () => setFavourite(learner, module('ADD'))))
  const rows = await db.selectFrom('favorites').select('id').where('user_id', '=', learner.viewer.id).execute()
  expect(rows).toHaveLength(1)
})

test('what one cannot see reads as not there, on this site and the other, and signed out nobody saves', async () => {
  const learner = await aLearner()
  await expect(setFavourite(learner, module('ADD', closed.uid))).rejects.toBeInstanceOf(NotFound)
  await expect(setFavourite(learner, module('ADD', randomUUID()))).rejects.toBeInstanceOf(NotFound)
  const stranger = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns' }) })
  await expect(setFavourite(stranger, module('ADD'))).rejects.toBeInstanceOf(NotFound)
  await expect(setFavourite(operator, module('ADD'))).rejects.toThrow('Login required.')
  for (const wrong of [{ action: 'TOGGLE' }, { studyUnitType: 'book' }, { uid: "1' or 1=1" }]) {
    await expect(setFavourite(learner, { ...module('ADD'), ...wrong } as never)).rejects.toBeInstanceOf(Invalid)
  }
  expect(await db.selectFrom('favorites').select('id').where('user_id', '=', learner.viewer.id).execute()).toEqual([])
})

test('the badge is seen for five seconds, in every tab', () => {
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

test('admins assign; what the plan does not include is listed, disabled; unassigning takes it away', async () => {
  const learner = await aLearner()
  const { uid } = learner.viewer
  const made = await changeAssignments(admin, assign('ASSIGN', [uid]))
  expect(made.map(({ itemName }) => itemName).sort()).toEqual(['Closed', 'Open'])
  expect(await listAssignmentsOfUsers(learner, { userUids: [uid] })).toMatchObject([
    { userUid: uid, modules: [{ name: 'Closed' }, { name: 'Open' }], courses: [] },
  ])
  const { items, total } = await listAssignedViews(learner, { limit: 10, offset: 0 })
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

test('ten at once, assigned is assigned once', async () => {
  const learner = await aLearner()
  await Promise.all(Array.from({ length: 10 }, () => changeAssignments(admin, assign('ASSIGN', [learner.viewer.uid]))))
  const rows = await db.selectFrom('module_assignments').select('id').where('user_id', '=', learner.viewer.id).execute()
  expect(rows).toHaveLength(2)
})

test('nobody else assigns, nobody of the other site is assigned to, and half a call writes nothing', async () => {
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
