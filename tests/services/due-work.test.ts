/** Due dates and notes: what learners see of them and in which order, and how admins change and filter them. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { AssignedKind } from '~/forms/assignments.ts'
import { daysFrom, dueInWords } from '~/lib/due.ts'
import { findHomeBand } from '~/pages/home.server.ts'
import { ownDueOf } from '~/pages/own-due.server.ts'
import { getUserProgressView } from '~/pages/user-dialog.server.ts'
import { changeAssignments, listOwnAssignments } from '~/services/assignments/assignments.server.ts'
import { changeAssignment, getAssignmentToChange } from '~/services/assignments/change-due.server.ts'
import { listDueWork } from '~/services/assignments/list-due-work.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict, Invalid, NotFound } from '~/services/errors.ts'
import { getOwnLearning } from '~/services/read/own-learning.server.ts'
import { listUserPage } from '~/services/users/table.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { db, expectGuarded } from '../support/test.ts'

/** Noon of November 20 in the time zone of the site. */
const now = new Date('2026-11-20T17:00:00Z')
const today = '2026-11-20'

let admin: Ctx
let modules: { id: number; uid: string }[]
let closed: { id: number; uid: string }
let course: { id: number; uid: string }

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }), now })
  modules = await Promise.all(['A', 'B', 'C', 'D'].map((name) => aModule(admin, { name: `Module ${name}` })))
  closed = await aModule(admin, { name: 'Closed', plan: 'Free Access' })
  course = await aCourse(db, { name: 'Chemistry' })
})

const moduleAt = (index: number) => modules[index]?.uid ?? ''
const asLearner = (viewer: Viewer) => aContext(db, { viewer, now })

async function assign(userUid: string, itemUid: string, dueOn: string | null, kind: AssignedKind = 'module') {
  await changeAssignments(admin, { kind, action: 'ASSIGN', userUids: [userUid], itemUids: [itemUid] })
  if (dueOn === null) return
  await sql`
    update ${sql.table(`${kind}_assignments`)} set due_on = ${dueOn}::date
    where user_id = (select id from users where uid = ${userUid})
      and ${sql.ref(`${kind}_id`)} = (select id from ${sql.table(`${kind}s`)} where uid = ${itemUid})`.execute(db)
}

async function complete(userId: number, moduleId: number): Promise<void> {
  await sql`
    insert into module_progress (site_id, user_id, module_id, progress_percent, started_at, last_visited_at, completed_at)
    values (${admin.site.id}, ${userId}, ${moduleId}, 100, ${now}, ${now}, ${now})`.execute(db)
}

test('a due date in words', () => {
  expect(dueInWords('2026-11-19', today)).toBe('Due Nov 19, late')
  expect(dueInWords(today, today)).toBe('Due today')
  expect(dueInWords('2026-12-03', today)).toBe('Due Dec 3')
  expect(dueInWords('2027-01-03', today)).toBe('Due Jan 3, 2027')
})

test('learners see due work first, the earliest first, then the rest, newest first, and what is completed last', async () => {
  const person = await aUser(db)
  const learner = await asLearner(person)
  await assign(person.uid, moduleAt(0), null)
  await assign(person.uid, moduleAt(1), '2026-11-25')
  await assign(person.uid, moduleAt(2), '2026-11-18')
  await assign(person.uid, moduleAt(3), '2026-11-19')
  await assign(person.uid, closed.uid, '2026-11-01')
  await assign(person.uid, course.uid, '2026-12-30', 'course')
  await complete(person.id, modules[3]?.id ?? 0)
  await sql`
    update module_assignments set assigned_at = ${now}::timestamptz - interval '1 day'
    where user_id = ${person.id} and module_id = ${closed.id}`.execute(db)
  const { items, total } = await listOwnAssignments(learner, { size: 20 })
  expect(items.map(({ name }) => name)).toEqual(['Module C', 'Module B', 'Chemistry', 'Module A', 'Closed', 'Module D'])
  expect(total).toBe(6)
  expect(items[0]).toMatchObject({ dueOn: '2026-11-18', isCompleted: false })
  expect((await listDueWork(learner, { days: 14, limit: 3 })).map(({ uid }) => uid)).toEqual([moduleAt(2), moduleAt(1)])
})

test('the home page offers what is due within two weeks before what was begun', async () => {
  const person = await aUser(db)
  const learner = await asLearner(person)
  const bandOf = async () => findHomeBand(learner, await getOwnLearning(learner))
  await assign(person.uid, moduleAt(1), '2027-03-01')
  expect((await bandOf())?.title).not.toBe('Your next steps')
  await assign(person.uid, moduleAt(0), '2026-11-19')
  const band = await bandOf()
  expect(band?.title).toBe('Your next steps')
  expect(band?.items).toMatchObject([{ name: 'Module A', action: 'Start', percent: null }])
  expect(band?.items[0]?.detail).toMatch(/^Due Nov 19, late · Module/)
})

test('the page of an item says when it is due and why, until it is completed', async () => {
  const person = await aUser(db)
  const learner = await asLearner(person)
  const item = { kind: 'module', itemUid: moduleAt(0) } as const
  expect(await ownDueOf(learner, item)).toBeNull()
  await assign(person.uid, moduleAt(0), null)
  expect(await ownDueOf(learner, item), 'without a date and a note').toBeNull()
  await changeAssignment(admin, { ...item, userUid: person.uid, dueOn: '2026-12-03', note: ' Before\r\nthe  talk ' })
  expect(await ownDueOf(learner, item)).toEqual({ due: 'Due Dec 3', note: 'Before\nthe  talk' })
  await complete(person.id, modules[0]?.id ?? 0)
  expect(await ownDueOf(learner, item)).toBeNull()
})

test('an admin changes and removes the date and the note of one person; a late one can keep its date', async () => {
  const person = await aUser(db)
  const pair = { userUid: person.uid, kind: 'module' as const, itemUid: moduleAt(0) }
  await assign(person.uid, moduleAt(0), '2026-11-18')
  expect(await changeAssignment(admin, { ...pair, dueOn: '2026-11-18', note: 'Please' })).toBe(true)
  expect(await changeAssignment(admin, { ...pair, dueOn: '2026-11-18', note: 'Please' }), 'twice').toBe(false)
  await expect(changeAssignment(admin, { ...pair, dueOn: '2026-11-19' })).rejects.toThrow(
    'Please choose today or a later day.',
  )
  await expect(changeAssignment(admin, { ...pair, note: 'x'.repeat(501) })).rejects.toBeInstanceOf(Invalid)
  const { rows } = await getUserProgressView(admin, { userUid: person.uid, kind: 'modules', list: 'assigned' })
  expect(rows).toMatchObject([{ name: 'Module A', due: 'Due Nov 18, late', note: 'Please' }])
  expect(await changeAssignment(admin, { ...pair, dueOn: '', note: '' })).toBe(true)
  expect(await getAssignmentToChange(admin, pair)).toEqual({ itemName: 'Module A', dueOn: null, note: null })
  const entries = await listAuditEntries(admin, { entity: 'module', entityUid: moduleAt(0) })
  const changed = entries.filter(({ action }) => action === 'module.assignment_changed')
  expect(changed.at(-1)?.after).toEqual({ userUids: [person.uid], fields: ['dueOn', 'note'] })
})

test('two admins who change different fields both keep their change; the same field is refused once', async () => {
  const person = await aUser(db)
  const pair = { userUid: person.uid, kind: 'course' as const, itemUid: course.uid }
  await assign(person.uid, course.uid, '2026-12-01', 'course')
  const opened = { dueOn: '2026-12-01', note: '' }
  await changeAssignment(admin, { ...pair, dueOn: '2026-12-05', note: '', opened })
  await changeAssignment(admin, { ...pair, dueOn: '2026-12-01', note: 'Soon', opened })
  expect(await getAssignmentToChange(admin, pair)).toMatchObject({ dueOn: '2026-12-05', note: 'Soon' })
  const late = changeAssignment(admin, { ...pair, dueOn: '2026-12-09', note: '', opened })
  await expect(late).rejects.toMatchObject({
    fieldErrors: { dueOn: expect.stringContaining('It is Dec 5, 2026 now.') },
  })
  await expect(late).rejects.toBeInstanceOf(Conflict)
  const same = { ...pair, dueOn: '2026-12-09', note: 'Soon', opened: { dueOn: '2026-12-05', note: 'Soon' } }
  const answers = await Promise.all(Array.from({ length: 10 }, () => changeAssignment(admin, same)))
  expect(answers.filter(Boolean)).toHaveLength(1)
})

test('only admins of the site change it, and only what somebody has', async () => {
  const person = await aUser(db)
  const pair = { userUid: person.uid, kind: 'module' as const, itemUid: moduleAt(0) }
  await expect(changeAssignment(admin, { ...pair, dueOn: '' })).rejects.toBeInstanceOf(NotFound)
  await assign(person.uid, moduleAt(0), null)
  for (const odd of ['x', "' or 1=1", '\u0000']) {
    await expect(changeAssignment(admin, { ...pair, itemUid: odd })).rejects.toBeInstanceOf(NotFound)
    await expect(changeAssignment(admin, { ...pair, userUid: odd })).rejects.toBeInstanceOf(NotFound)
  }
  await expectGuarded(changeAssignment, { ...pair, dueOn: '2099-01-01' }, { by: ['admins'] })
  await expectGuarded(getAssignmentToChange, pair, { by: ['admins'] })
  expect(await getAssignmentToChange(admin, pair)).toMatchObject({ dueOn: null })
})

test('staff find who is late and whose work is due in seven days, and see who is late', async () => {
  const people = await Promise.all(
    ['Late', 'Soon', 'Far', 'Done'].map((firstName) => aUser(db, { firstName, lastName: 'Filter' })),
  )
  const [late, soon, far, done] = people
  await assign(late?.uid ?? '', moduleAt(0), '2026-11-19')
  await assign(soon?.uid ?? '', moduleAt(0), daysFrom(today, 7))
  await assign(soon?.uid ?? '', course.uid, daysFrom(today, 30), 'course')
  await assign(far?.uid ?? '', moduleAt(0), daysFrom(today, 8))
  await assign(done?.uid ?? '', moduleAt(1), '2026-11-19')
  await complete(done?.id ?? 0, modules[1]?.id ?? 0)
  const find = async (due: string[]) => {
    const { items } = await listUserPage(admin, { tab: 'learners', search: 'Filter', filters: { due } })
    return items.map(({ firstName }) => firstName)
  }
  expect(await find(['late'])).toEqual(['Late'])
  expect(await find(['7'])).toEqual(['Soon'])
  expect(await find(['late', '7'])).toEqual(['Late', 'Soon'])
  expect(await find(['nonsense'])).toEqual([])
  const { items } = await listUserPage(admin, { tab: 'learners', search: 'Filter' })
  expect(items.map(({ firstName, isLate, isDueSoon }) => [firstName, isLate, isDueSoon])).toEqual([
    ['Done', false, false],
    ['Far', false, false],
    ['Late', true, false],
    ['Soon', false, true],
  ])
})
