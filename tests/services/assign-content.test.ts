/** Assigning content to learners who were selected in the console. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { brands } from '~/config/brands.ts'
import { assignFailure, mostItemsAtOnce, type TickedItem, unassignFailure } from '~/forms/assignments.ts'
import {
  findAssignableItems,
  listAssignableItems,
  listAssignees,
  prepareAssignment,
  unassignFromSelected,
} from '~/services/assignments/assign-content.server.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import { startAssignment } from '~/services/assignments/run-assignment.server.ts'
import { prepareBulkOperation } from '~/services/bulk/bulk.server.ts'
import { listBulkFailures } from '~/services/bulk/work-through-items.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { queryCounter } from '~db/client.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let inPlan: TickedItem
let outOfPlan: TickedItem
let course: TickedItem

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  const ticked = (kind: TickedItem['kind'], { uid }: { uid: string }): TickedItem => ({ kind, uid })
  inPlan = ticked('module', await aModule(admin, { name: 'Assay 100%' }))
  outOfPlan = ticked('module', await aModule(admin, { name: 'Biomarkers', plan: 'Free Access' }))
  course = ticked('course', await aCourse(db, { name: 'Chemistry' }))
})

/** Two learners, selected. */
async function aSelection(): Promise<{ operationUid: string; people: Viewer[] }> {
  const people = [await aUser(db), await aUser(db, { plan: null })]
  return { ...(await prepareAssignment(admin, { userUids: people.map(({ uid }) => uid) })), people }
}

async function countRows(people: Viewer[]): Promise<number[]> {
  const ids = people.map(({ id }) => id)
  const modules = await db.selectFrom('module_assignments').select('id').where('user_id', 'in', ids).execute()
  const courses = await db.selectFrom('course_assignments').select('id').where('user_id', 'in', ids).execute()
  return [modules.length, courses.length]
}

const namesOf = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)

test('C-095 modules and courses are assigned to everybody selected, also ten times at once', async () => {
  const { operationUid, people } = await aSelection()
  const input = { operationUid, items: [inPlan, outOfPlan, course] }
  const answers = await Promise.all(Array.from({ length: 10 }, () => startAssignment(admin, input)))
  for (const answer of answers) expect(answer).toMatchObject({ uid: operationUid, status: 'done', total: 2, done: 2 })
  expect(await countRows(people)).toEqual([4, 2])
})

test('C-096 an item is taken back from everybody selected, also ten times at once', async () => {
  const { operationUid, people } = await aSelection()
  await startAssignment(admin, { operationUid, items: [inPlan, course] })
  const take = () => unassignFromSelected(admin, { operationUid, item: inPlan })
  const answers = await Promise.all(Array.from({ length: 10 }, take))
  expect(answers.filter((answer) => answer !== null)).toEqual([{ name: 'Assay 100%', people: 2 }])
  expect(await countRows(people)).toEqual([0, 2])
  expect(await take()).toBeNull()
})

test('C-097 the lists have what is published, with how many have it and how many have no plan for it', async () => {
  const { operationUid, people } = await aSelection()
  const draft = await aModule(admin, { name: 'Draft', isPublished: false })
  const [first] = people
  await changeAssignments(admin, {
    kind: 'module',
    action: 'ASSIGN',
    userUids: [first?.uid ?? ''],
    itemUids: [outOfPlan.uid],
  })
  const list = (search: string, page = 1) =>
    listAssignableItems(admin, { operationUid, kind: 'module', search, page, size: 10 })
  expect(await list('')).toEqual({
    total: 2,
    items: [
      { uid: inPlan.uid, name: 'Assay 100%', assigned: 0, outside: 1 },
      { uid: outOfPlan.uid, name: 'Biomarkers', assigned: 1, outside: 2 },
    ],
  })
  expect(namesOf(await list('100%'))).toEqual(['Assay 100%'])
  expect(namesOf(await list('_'))).toEqual([])
  expect(await list('', 2)).toEqual({ total: 2, items: [] })
  const found = await findAssignableItems(admin, {
    operationUid,
    kind: 'module',
    uids: [outOfPlan.uid, draft.uid, randomUUID(), 'x'],
  })
  expect(found.map(({ uid }) => uid)).toEqual([outOfPlan.uid])
  const draftItem = { kind: 'module', uid: draft.uid } as const
  await expect(startAssignment(admin, { operationUid, items: [course, draftItem] })).rejects.toThrow(
    'One of the modules is no longer published.',
  )
  expect(await countRows(people)).toEqual([1, 0])
})

test('a plan that has ended includes nothing', async () => {
  const { operationUid, people } = await aSelection()
  const ids = people.map(({ id }) => id)
  await db
    .updateTable('subscriptions')
    .set({ valid_to: new Date(0) })
    .where('user_id', 'in', ids)
    .execute()
  expect(await listAssignableItems(admin, { operationUid, kind: 'course', search: 'a\u0000b' })).toEqual({
    items: [],
    total: 0,
  })
  const { items } = await listAssignableItems(admin, { operationUid, kind: 'course', search: 'chem' })
  expect(items).toMatchObject([{ name: 'Chemistry', outside: 2 }])
})

test('the number of queries does not depend on the number of people or items', async () => {
  const count = async (people: number) => {
    const users = await Promise.all(Array.from({ length: people }, () => aUser(db)))
    const { operationUid } = await prepareAssignment(admin, { userUids: users.map(({ uid }) => uid) })
    const counted = { queries: 0 }
    const input = { operationUid, kind: 'module', search: '' } as const
    await queryCounter.run(counted, () => listAssignableItems(admin, input))
    return counted.queries
  }
  expect(await count(1)).toBe(await count(12))
})

test('people who are gone are left out, and a selection without people is refused', async () => {
  const { operationUid, people } = await aSelection()
  const [first, second] = people
  await db
    .updateTable('users')
    .set({ erased_at: new Date() })
    .where('id', '=', first?.id ?? 0)
    .execute()
  expect(await listAssignees(admin, { operationUid })).toMatchObject({ total: 1, people: [{ uid: second?.uid }] })
  const done = await startAssignment(admin, { operationUid, items: [course] })
  expect(done).toMatchObject({ status: 'done', done: 2, failed: 1 })
  const [failure] = await listBulkFailures(admin, { operationUid })
  expect(failure).toMatchObject({ itemUid: first?.uid, reason: 'This person is no longer there.' })
  const gone = { userUids: [first?.uid ?? ''] }
  await expect(prepareAssignment(admin, gone)).rejects.toBeInstanceOf(NotFound)
  await expect(prepareAssignment(admin, { userUids: [] })).rejects.toBeInstanceOf(Invalid)
  await expect(prepareAssignment(admin, { userUids: ["1' or 1=1"] })).rejects.toThrow()
})

test('nothing ticked, too much, and the uid of another operation are refused', async () => {
  const { operationUid, people } = await aSelection()
  const many = Array.from({ length: mostItemsAtOnce + 1 }, () => ({ kind: 'module' as const, uid: randomUUID() }))
  await expect(startAssignment(admin, { operationUid, items: [] })).rejects.toThrow('Select one or more')
  await expect(startAssignment(admin, { operationUid, items: many })).rejects.toThrow('Select at most 20')
  const other = await prepareBulkOperation(admin, { kind: 'delete-modules', items: [{ uid: inPlan.uid, label: 'A' }] })
  for (const wrong of [other.uid, randomUUID(), 'x']) {
    await expect(startAssignment(admin, { operationUid: wrong, items: [course] })).rejects.toBeInstanceOf(NotFound)
  }
  expect(await countRows(people)).toEqual([0, 0])
})

test('C-002 only admins of the site prepare, assign and unassign', async () => {
  const { operationUid, people } = await aSelection()
  const by = { by: ['admins' as const] }
  await expectGuarded(prepareAssignment, { userUids: people.map(({ uid }) => uid) }, by)
  await expectGuarded(startAssignment, { operationUid, items: [course] }, by)
  await expectGuarded(unassignFromSelected, { operationUid, item: course }, by)
  await expectGuarded(listAssignees, { operationUid }, by)
  await expectGuarded(listAssignableItems, { operationUid, kind: 'module', search: '' }, by)
  expect(await countRows(people)).toEqual([0, 0])
})

test('C-271 C-272 what fails names the item with the verb of the site', () => {
  const [assign, recommend] = [brands.institutional.assignVerb, brands.ns.assignVerb]
  expect([unassignFailure(assign, 'module: Assay'), unassignFailure(recommend, 'course: Assay')]).toEqual([
    'Error Unassigning module: Assay',
    'Error Unrecommending course: Assay',
  ])
  expect([assignFailure(assign, 'module: Assay'), assignFailure(recommend, 'course: Assay')]).toEqual([
    'Error Assigning module: Assay',
    'Error Recommending course: Assay',
  ])
})
