/** Taking back what one person has been assigned, and Undo. */
import { beforeAll, expect, test } from 'vitest'
import { daysFrom } from '~/lib/due.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { changeAssignments, listAssignmentsForStaff } from '~/services/assignments/assignments.server.ts'
import { changeAssignment } from '~/services/assignments/change-due.server.ts'
import { findLastUnassign, unassignOne, undoUnassignOne } from '~/services/assignments/unassign-one.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { prepareBulkOperation } from '~/services/bulk/bulk.server.ts'
import { deleteOldBulkOperations } from '~/services/bulk/clean-up-operations.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { db, expectGuarded, ctx as system } from '../support/test.ts'

const dueOn = daysFrom(dayOf(new Date(), system.site.timeZone), 3)
const note = 'Before the talk'
let admin: Ctx
let items: Record<'module' | 'course', string>

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  items = { module: (await aModule(admin, { name: 'Assay' })).uid, course: (await aCourse(db)).uid }
})

type Pair = { userUid: string; kind: 'module' | 'course'; itemUid: string }

/** Somebody who has been assigned an item with a due date and a note. */
async function anAssignment(kind: Pair['kind'] = 'module'): Promise<Pair> {
  const pair = { kind, userUid: (await aUser(db)).uid, itemUid: items[kind] }
  await assign(pair)
  await changeAssignment(admin, { ...pair, dueOn, note })
  return pair
}

const assign = ({ kind, userUid, itemUid }: Pair) =>
  changeAssignments(admin, { kind, action: 'ASSIGN', userUids: [userUid], itemUids: [itemUid] })

/** When and by whom the item was assigned. */
const assigning = (pair: Pair) =>
  db
    .selectFrom(`${pair.kind}_assignments`)
    .select(['assigned_at', 'assigned_by'])
    .where('user_id', '=', db.selectFrom('users').select('id').where('uid', '=', pair.userUid))
    .execute()

const assigned = (pair: Pair) => listAssignmentsForStaff(admin, pair)

/** Takes it back. Returns what its Undo sends. */
async function takeBack(pair: Pair): Promise<{ userUid: string; operationUid: string }> {
  const taken = await unassignOne(admin, pair)
  if (!taken) throw new Error('It was not assigned')
  return { userUid: pair.userUid, operationUid: taken.operationUid }
}

test('a module and a course come back as they were, once', async () => {
  const viewer = await aUser(db, { groups: ['admins'], plan: null })
  const colleague = { ...(await aContext(db, { viewer })), now: admin.now }
  for (const kind of ['module', 'course'] as const) {
    const pair = await anAssignment(kind)
    const before = await assigning(pair)
    const taken = await takeBack(pair)
    expect(await assigned(pair)).toEqual([])
    expect(await unassignOne(admin, pair)).toBeNull()
    const brought = await undoUnassignOne(colleague, taken)
    expect(await assigning(pair)).toEqual(before)
    expect(before).toMatchObject([{ assigned_by: admin.viewer?.id }])
    expect(await assigned(pair)).toMatchObject([{ uid: pair.itemUid, name: brought?.itemName, dueOn, note }])
    const later = await takeBack(pair)
    expect(await undoUnassignOne(admin, taken), 'an old Undo').toBeNull()
    expect(await assigned(pair)).toEqual([])
    expect(await undoUnassignOne(admin, later)).not.toBeNull()
    await takeBack(pair)
    const entries = await listAuditEntries(admin, { entity: kind, entityUid: pair.itemUid })
    const actions = entries
      .filter(({ after }) => JSON.stringify(after).includes(pair.userUid))
      .map(({ action }) => action)
    const change = [`${kind}.assigned`, `${kind}.assignment_changed`]
    const again = [`${kind}.unassigned`, `${kind}.assigned`]
    expect(actions).toEqual([...change, ...again, ...again, `${kind}.unassigned`])
  }
})

test('what was taken back before its time was kept counts as assigned now', async () => {
  const pair = await anAssignment()
  const taken = await takeBack(pair)
  const nothingKept = { assigned_by: null, assigned_at: null }
  await db
    .updateTable('replaced_assignments')
    .set(nothingKept)
    .where('operation_uid', '=', taken.operationUid)
    .execute()
  expect(await undoUnassignOne(admin, taken)).not.toBeNull()
  expect(await assigning(pair)).toEqual([{ assigned_by: null, assigned_at: admin.now }])
})

test('only admins of the site take back and undo, and only what was taken from one person', async () => {
  const pair = await anAssignment()
  await expectGuarded(unassignOne, pair, { by: ['admins'] })
  const taken = await takeBack(pair)
  await expectGuarded(undoUnassignOne, taken, { by: ['admins'] })
  expect(await assigned(pair)).toEqual([])
  const { uid: operationUid } = await prepareBulkOperation(admin, { kind: 'assign-content', items: [] })
  for (const wrong of [operationUid, pair.userUid, 'x', ''])
    await expect(undoUnassignOne(admin, { ...taken, operationUid: wrong })).rejects.toThrow(NotFound)
  for (const userUid of [(await aUser(db)).uid, 'x'])
    await expect(undoUnassignOne(admin, { ...taken, userUid }), 'of somebody else').rejects.toThrow(NotFound)
  expect(await undoUnassignOne(admin, taken)).not.toBeNull()
})

test('an old Undo at the same time as a newer Unassign brings nothing back', async () => {
  for (let round = 0; round < 5; round++) {
    const pair = await anAssignment()
    const old = await takeBack(pair)
    await assign(pair)
    await Promise.all([unassignOne(admin, pair), undoUnassignOne(admin, old)])
    expect(await assigned(pair), `round ${round}`).toEqual([])
  }
})

test('pressed ten times at once, one press takes back, and one brings back', async () => {
  const pair = await anAssignment()
  const ten = <T>(work: () => Promise<T | null>) =>
    Promise.all(Array.from({ length: 10 }, work)).then((answers) => answers.flatMap((answer) => answer ?? []))
  const [taken, ...more] = await ten(() => unassignOne(admin, pair))
  expect([more, await assigned(pair)]).toEqual([[], []])
  const undo = { userUid: pair.userUid, operationUid: taken?.operationUid ?? '' }
  expect(await ten(() => undoUnassignOne(admin, undo))).toEqual([{ itemName: 'Assay' }])
  expect(await assigned(pair)).toMatchObject([{ dueOn, note }])
})

test('Undo leaves what was assigned again, refuses what was removed, and ends after thirty days', async () => {
  const pair = await anAssignment()
  const taken = await takeBack(pair)
  await assign(pair)
  expect(await undoUnassignOne(admin, taken)).toBeNull()
  expect(await assigned(pair)).toMatchObject([{ dueOn: null, note: null }])
  const gone = { ...pair, itemUid: (await aModule(admin, { name: 'Gone' })).uid }
  await assign(gone)
  const takenGone = await takeBack(gone)
  const setDeleted = (deleted_at: Date | null) =>
    db.updateTable('modules').set({ deleted_at }).where('uid', '=', gone.itemUid).execute()
  await setDeleted(new Date())
  await expect(undoUnassignOne(admin, takenGone)).rejects.toThrow('This module does not exist.')
  await setDeleted(null)
  expect(await undoUnassignOne(admin, takenGone)).toEqual({ itemName: 'Gone' })
  const old = await takeBack(gone)
  const now = new Date(Date.now() + 31 * 86_400_000)
  await expect(undoUnassignOne({ ...admin, now }, old)).rejects.toThrow('too long ago')
  expect(await findLastUnassign({ ...admin, now }, gone)).toBeNull()
  await deleteOldBulkOperations({ ...system, now })
  await expect(undoUnassignOne(admin, old)).rejects.toThrow(NotFound)
})

test('whoever has taken something back last can still bring it back with a second press', async () => {
  const pair = await anAssignment('course')
  expect(await findLastUnassign(admin, pair)).toBeNull()
  const first = await takeBack(pair)
  expect(await findLastUnassign(admin, pair)).toEqual({ operationUid: first.operationUid })
  await expectGuarded(findLastUnassign, pair, { by: ['admins'], elsewhere: null })
  await assign(pair)
  const colleague = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  const second = await unassignOne(colleague, pair)
  expect(await findLastUnassign(colleague, pair)).toEqual({ operationUid: second?.operationUid })
  expect(await findLastUnassign(admin, pair), 'a colleague was later').toBeNull()
  for (const wrong of [
    { ...pair, userUid: 'x' },
    { ...pair, itemUid: pair.userUid },
    { ...pair, kind: 'module' as const },
  ])
    expect(await findLastUnassign(colleague, wrong)).toBeNull()
  await undoUnassignOne(colleague, { userUid: pair.userUid, operationUid: second?.operationUid ?? '' })
  expect(await findLastUnassign(colleague, pair)).toBeNull()
})
