/** Assigning to many people as a bulk operation: jobs, races, a killed worker, and undoing it. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { TickedItem } from '~/forms/assignments.ts'
import { daysFrom } from '~/lib/due.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { getAssigningView, listAssigningLines } from '~/pages/assigning.server.ts'
import { prepareAssignment } from '~/services/assignments/assign-content.server.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import { changeAssignment } from '~/services/assignments/change-due.server.ts'
import { getAssignmentOperation, listAssignmentOperations } from '~/services/assignments/list-operations.server.ts'
import {
  assignToPeople,
  startAssignment,
  unassignFromPeople,
  undoAssignment,
} from '~/services/assignments/run-assignment.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { cancelBulkOperation, getBulkOperation } from '~/services/bulk/bulk.server.ts'
import { deleteOldBulkOperations } from '~/services/bulk/clean-up-operations.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { takeJobs } from '../support/jobs.ts'
import { db, expectGuarded, ctx as system } from '../support/test.ts'

let admin: Ctx
let module: TickedItem
let course: TickedItem
const today = dayOf(new Date(), system.site.timeZone)
const inDays = (days: number) => daysFrom(today, days)

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  module = { kind: 'module', uid: (await aModule(admin, { name: 'Assay' })).uid }
  course = { kind: 'course', uid: (await aCourse(db, { name: 'Chemistry' })).uid }
})

/** So many learners, selected by a query as other services do. */
async function aSelection(count: number, by: Ctx = admin): Promise<{ operationUid: string; ids: number[] }> {
  const name = randomUUID().slice(0, 8)
  const { rows } = await sql<{ id: number }>`
    insert into users (site_id, email, email_key, first_name, last_name, search_key, is_active, joined_at)
    select ${by.site.id}, ${name} || number, ${name} || number, 'Ann', ${name} || number, '', true, now()
    from generate_series(1, ${count}::int) number returning id`.execute(db)
  const ids = rows.map(({ id }) => id)
  return { ...(await prepareAssignment(by, { people: sql`select unnest(${ids}::bigint[])` })), ids }
}

type Row = { user: number; dueOn: string | null; note: string | null }

async function rowsOf(ids: number[], kind: 'module' | 'course' = 'module'): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select user_id as "user", due_on::text as "dueOn", note from ${sql.table(`${kind}_assignments`)}
    where user_id = any(${ids}::bigint[]) order by user_id`.execute(db)
  return rows
}

async function work(job: typeof assignToPeople, operationUid: string, most?: number): Promise<void> {
  for (let turn = 0; turn < 50; turn++) if ((await job(system, { operationUid, most })).isDone) return
  throw new Error('The operation does not end')
}

const uidOf = async (id: number) =>
  (await db.selectFrom('users').select('uid').where('id', '=', id).executeTakeFirstOrThrow()).uid

test('many people get many items by jobs, each pair once, also if two workers run at once', async () => {
  const { operationUid, ids } = await aSelection(501)
  const begun = await startAssignment(admin, { operationUid, items: [module, course], dueOn: inDays(3), note: 'Hi' })
  expect(begun).toMatchObject({ status: 'running', total: 501, done: 0 })
  expect(await takeJobs(db, 'assign-content')).toMatchObject([{ operationUid }])
  await Promise.all([1, 2].map(() => work(assignToPeople, operationUid, 100)))
  expect(await getBulkOperation(admin, { operationUid })).toMatchObject({ status: 'done', done: 501, failed: 0 })
  const rows = await rowsOf(ids)
  expect(rows).toEqual([...ids].sort((a, b) => a - b).map((user) => ({ user, dueOn: inDays(3), note: 'Hi' })))
  expect(await rowsOf(ids, 'course')).toHaveLength(501)
  expect(await getAssigningView(admin, { operationUid })).toMatchObject({
    ...{ assigned: 1002, changed: 0, canUndo: true, note: 'Hi' },
    items: [{ name: 'Assay' }, { name: 'Chemistry' }],
    operation: { title: 'Assign Content', past: 'assigned content' },
  })
  const entries = await listAuditEntries(admin, { entity: 'course', entityUid: course.uid })
  expect(entries.at(-1)).toMatchObject({ action: 'course.assigned', after: { people: 501, dueOn: inDays(3) } })
})

test('a worker that is killed in the middle leaves nobody out and assigns nothing twice', async () => {
  const { operationUid, ids } = await aSelection(501)
  await startAssignment(admin, { operationUid, items: [module] })
  await assignToPeople(system, { operationUid, most: 200 })
  // The next transaction breaks at its end, as when the process dies before the commit.
  await sql`
    create function break_off() returns trigger language plpgsql as $$ begin raise 'killed'; end $$;
    create trigger break_off before update on bulk_operations for each row execute function break_off()`.execute(db)
  await expect(assignToPeople(system, { operationUid, most: 200 })).rejects.toThrow('killed')
  await sql`drop function break_off cascade`.execute(db)
  expect([(await rowsOf(ids)).length, (await getBulkOperation(admin, { operationUid })).done]).toEqual([200, 200])
  await work(assignToPeople, operationUid, 200)
  await assignToPeople(system, { operationUid })
  expect(await rowsOf(ids)).toHaveLength(501)
  expect(await getAssignmentOperation(admin, { operationUid })).toMatchObject({ assigned: 501 })
})

test('a date and a note replace those of earlier assignments, empty fields replace nothing, and Undo brings them back', async () => {
  const { operationUid, ids } = await aSelection(3)
  const [first = 0, second = 0, third = 0] = ids
  const uids = await Promise.all(ids.map(uidOf))
  const pair = { kind: 'module' as const, itemUids: [module.uid] }
  await changeAssignments(admin, { ...pair, action: 'ASSIGN', userUids: uids.slice(0, 2) })
  const input = { userUid: uids[1] ?? '', kind: 'module' as const, itemUid: module.uid }
  await changeAssignment(admin, { ...input, dueOn: inDays(5), note: 'Old' })
  const done = await startAssignment(admin, { operationUid, items: [module], dueOn: inDays(9), note: '' })
  expect(done).toMatchObject({ status: 'done', done: 3, unchanged: 0 })
  expect(await rowsOf(ids)).toEqual([
    { user: first, dueOn: inDays(9), note: null },
    { user: second, dueOn: inDays(9), note: 'Old' },
    { user: third, dueOn: inDays(9), note: null },
  ])
  expect(await getAssignmentOperation(admin, { operationUid })).toMatchObject({ assigned: 1, changed: 2, left: 3 })
  const again = await prepareAssignment(admin, { userUids: uids })
  expect(await startAssignment(admin, { ...again, items: [module] })).toMatchObject({ status: 'done', unchanged: 3 })
  const undo = await undoAssignment(admin, { operationUid })
  expect(undo).toMatchObject({ kind: 'unassign-content', status: 'done', total: 3, done: 3 })
  expect(await rowsOf(ids)).toEqual([
    { user: first, dueOn: null, note: null },
    { user: second, dueOn: inDays(5), note: 'Old' },
  ])
  await expect(undoAssignment(admin, { operationUid })).rejects.toThrow('There is nothing left to undo.')
})

test('C-095 the due date is removed from everybody who has an item, ten times at once, and Undo brings it back', async () => {
  const { operationUid, ids } = await aSelection(2)
  const [first = 0, second = 0] = ids
  const userUid = await uidOf(first)
  await changeAssignments(admin, { kind: 'module', action: 'ASSIGN', userUids: [userUid], itemUids: [module.uid] })
  await changeAssignment(admin, { userUid, kind: 'module', itemUid: module.uid, dueOn: inDays(5), note: 'Old' })
  const input = { operationUid, items: [module], removesDue: 'on' }
  await expect(startAssignment(admin, { ...input, dueOn: inDays(5) })).rejects.toMatchObject({
    fieldErrors: { removesDue: 'Choose a due date or remove it, not both.' },
  })
  await expect(startAssignment(admin, { ...input, removesDue: 7 })).rejects.toBeInstanceOf(Invalid)
  await Promise.all(Array.from({ length: 10 }, () => startAssignment(admin, input)))
  expect(await rowsOf(ids)).toEqual([
    { user: first, dueOn: null, note: 'Old' },
    { user: second, dueOn: null, note: null },
  ])
  expect(await getAssigningView(admin, { operationUid })).toMatchObject({ removesDue: true, assigned: 1, changed: 1 })
  await undoAssignment(admin, { operationUid })
  expect(await rowsOf(ids)).toEqual([{ user: first, dueOn: inDays(5), note: 'Old' }])
})

test('Undo leaves what somebody has changed or assigned again since, and two operations are undone one after the other', async () => {
  const one = await aSelection(4)
  const uids = await Promise.all(one.ids.map(uidOf))
  const [changed = '', remade = '', taken = ''] = uids
  await startAssignment(admin, { operationUid: one.operationUid, items: [module], dueOn: inDays(2) })
  const pair = { kind: 'module' as const, itemUids: [module.uid] }
  await changeAssignment(admin, { userUid: changed, kind: 'module', itemUid: module.uid, dueOn: inDays(4), note: '' })
  await changeAssignments(admin, { ...pair, action: 'UNASSIGN', userUids: [remade, taken] })
  await changeAssignments(admin, { ...pair, action: 'ASSIGN', userUids: [remade] })
  const two = await prepareAssignment(admin, { userUids: uids.slice(3) })
  await startAssignment(admin, { ...two, items: [module], dueOn: inDays(7) })
  expect(await undoAssignment(admin, { operationUid: two.operationUid })).toMatchObject({ total: 1 })
  expect((await rowsOf(one.ids)).map(({ dueOn }) => dueOn)).toEqual([inDays(4), null, inDays(2)])
  expect(await undoAssignment(admin, { operationUid: one.operationUid })).toMatchObject({ total: 1, done: 1 })
  expect((await rowsOf(one.ids)).map(({ dueOn }) => dueOn)).toEqual([inDays(4), null])
})

test('undone by jobs, ten times at once, by a worker that is killed: everything is taken back once', async () => {
  const { operationUid, ids } = await aSelection(501)
  await startAssignment(admin, { operationUid, items: [module, course] })
  await expect(undoAssignment(admin, { operationUid })).rejects.toThrow('This is still running.')
  await work(assignToPeople, operationUid)
  const begun = await Promise.all(Array.from({ length: 10 }, () => undoAssignment(admin, { operationUid })))
  const [{ uid = '' } = {}] = begun
  expect(new Set(begun.map((one) => one.uid)).size).toBe(1)
  await unassignFromPeople(system, { operationUid: uid, most: 200 })
  expect(await rowsOf(ids)).toHaveLength(301)
  await Promise.all([1, 2].map(() => work(unassignFromPeople, uid, 100)))
  expect([await rowsOf(ids), await rowsOf(ids, 'course')]).toEqual([[], []])
  expect(await getAssigningView(admin, { operationUid })).toMatchObject({ canUndo: false, undo: { status: 'done' } })
  const [line] = (await listAssigningLines(admin, { page: 1 })).lines
  expect(line).toMatchObject({ what: 'Assay and 1 more', people: 501, state: 'Undone' })
})

test('a canceled operation stops, can be undone, and is undone no more after thirty days', async () => {
  const { operationUid, ids } = await aSelection(501)
  await startAssignment(admin, { operationUid, items: [module] })
  await assignToPeople(system, { operationUid, most: 10 })
  await cancelBulkOperation(admin, { operationUid })
  expect(await assignToPeople(system, { operationUid })).toEqual({ changed: 0, isDone: true })
  expect(await rowsOf(ids)).toHaveLength(10)
  await undoAssignment(admin, { operationUid })
  expect(await rowsOf(ids)).toEqual([])
  await deleteOldBulkOperations({ ...system, now: new Date(Date.now() + 31 * 86_400_000) })
  await expect(undoAssignment(admin, { operationUid })).rejects.toBeInstanceOf(NotFound)
})

test('a selection is used once, a past day is refused, and jobs stop when the admin is none any more', async () => {
  const { operationUid, ids } = await aSelection(2)
  const input = { operationUid, items: [module] }
  await expect(startAssignment(admin, { ...input, dueOn: inDays(-1) })).rejects.toThrow(
    'Please choose today or a later day.',
  )
  for (const odd of ['2026-02-30', 'x\u0000', '99999-01-01', ['2030-01-01'], 7]) {
    await expect(startAssignment(admin, { ...input, dueOn: odd }), String(odd)).rejects.toBeInstanceOf(Invalid)
  }
  for (const odd of ['a\u0000', '\ud800', 'x'.repeat(501), 7]) {
    await expect(startAssignment(admin, { ...input, note: odd })).rejects.toBeInstanceOf(Invalid)
  }
  expect(await rowsOf(ids)).toEqual([])
  await startAssignment(admin, { ...input, dueOn: today })
  await expect(startAssignment(admin, { operationUid, items: [course] })).rejects.toBeInstanceOf(Conflict)
  expect(await rowsOf(ids, 'course')).toEqual([])
  const former = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
  const theirs = await aSelection(501, former)
  await startAssignment(former, { operationUid: theirs.operationUid, items: [module] })
  await db
    .deleteFrom('user_groups')
    .where('user_id', '=', former.viewer?.id ?? 0)
    .execute()
  await assignToPeople(system, { operationUid: theirs.operationUid })
  expect(await rowsOf(theirs.ids)).toEqual([])
  expect(await getBulkOperation(admin, theirs)).toMatchObject({ status: 'canceled' })
})

test('only admins of the site start, see and undo it; only the one who has selected the people starts it', async () => {
  const { operationUid, ids } = await aSelection(1)
  const by = { by: ['admins' as const] }
  const other = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
  await expect(startAssignment(other, { operationUid, items: [module] })).rejects.toBeInstanceOf(Forbidden)
  await expectGuarded(startAssignment, { operationUid, items: [module] }, by)
  await startAssignment(admin, { operationUid, items: [module] })
  await expectGuarded(undoAssignment, { operationUid }, by)
  await expectGuarded(getAssignmentOperation, { operationUid }, by)
  await expectGuarded(listAssignmentOperations, {}, { ...by, elsewhere: null })
  expect(await rowsOf(ids)).toHaveLength(1)
  const strayed: Viewer = await aUser(db, { site: 'ns', groups: ['admins'], plan: null })
  const there = await aContext(db, { site: 'ns', viewer: strayed })
  expect(await listAssignmentOperations(there, {})).toEqual({ items: [], total: 0 })
  const foreign = { people: sql`select unnest(${ids}::bigint[])` }
  await expect(prepareAssignment(there, foreign)).rejects.toBeInstanceOf(NotFound)
})

test('more than 10,000 people are refused', async () => {
  await expect(aSelection(10_001)).rejects.toThrow('at most 10,000 people at once')
})
