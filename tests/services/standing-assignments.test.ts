/** Content that whoever joins an audience later gets, too. */
import { beforeEach, expect, test } from 'vitest'
import { prepareAssignment } from '~/services/assignments/assign-content.server.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import { startAssignment, undoAssignment } from '~/services/assignments/run-assignment.server.ts'
import {
  assignToJoined,
  listStandingAssignments,
  stopStandingAssignment,
} from '~/services/assignments/standing-assignments.server.ts'
import { getAudienceRule } from '~/services/audiences/audiences.server.ts'
import { peopleOfAudience } from '~/services/audiences/people.server.ts'
import { createAudience, deleteAudience, restoreAudience } from '~/services/audiences/save-audience.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const dayMs = 86_400_000
let universityUid: string
let audienceUid: string
let module: { id: number; uid: string }
let count = 0

/** Somebody of the audience's institution. */
async function someone() {
  const person = await aUser(db)
  await join(person.id)
  return person
}

async function join(userId: number): Promise<void> {
  await db
    .updateTable('users')
    .set((eb) => ({ university_id: eb.selectFrom('universities').select('id').where('uid', '=', universityUid) }))
    .where('id', '=', userId)
    .execute()
}

beforeEach(async () => {
  universityUid = (await ensureUniversity(admin, { name: `Institute ${++count}` })).uid
  const conditions = [{ about: 'institution', how: 'is', values: [universityUid] }]
  audienceUid = (await createAudience(admin, { name: `Audience ${count}`, conditions } as never)).uid
  module = await aModule(ctx)
})

async function assign(dueOn = '') {
  const audience = await getAudienceRule(admin, { audienceUid })
  const { operationUid } = await prepareAssignment(admin, { people: peopleOfAudience(admin, audience) })
  const items = [{ kind: 'module', uid: module.uid } as const]
  await startAssignment(admin, { operationUid, items, dueOn, note: 'Welcome', joiningUid: audienceUid })
  return operationUid
}

async function assigned() {
  const rows = await db
    .selectFrom('module_assignments')
    .select(['user_id as userId', 'note', 'due_on as dueOn'])
    .where('module_id', '=', module.id)
    .orderBy('user_id')
    .execute()
  return rows
}

const ids = async () => (await assigned()).map(({ userId }) => userId)

test('whoever joins gets it once, whatever happens to the job, and nobody gets it again', async () => {
  const first = await someone()
  await assign()
  const late = [await someone(), await someone(), await someone()]
  await someone().then(({ id }) => db.updateTable('users').set({ is_active: false }).where('id', '=', id).execute())
  // Several jobs at once, each with one person at a time.
  await Promise.all(Array.from({ length: 5 }, () => assignToJoined(ctx, { most: 1 })))
  expect(await ids()).toEqual([first, ...late].map(({ id }) => id))
  expect((await assigned()).every(({ note }) => note === 'Welcome')).toBe(true)
  expect(await listStandingAssignments(admin, { audienceUid })).toMatchObject([{ joined: 3, dueOn: null }])
  const entries = await listAuditEntries(admin, { entity: 'module', entityUid: module.uid })
  expect(entries.filter(({ action }) => action === 'module.assigned')).toHaveLength(4)
  // What somebody has taken back stays so.
  const change = {
    kind: 'module' as const,
    action: 'UNASSIGN' as const,
    userUids: [late[0]?.uid ?? ''],
    itemUids: [module.uid],
  }
  await changeAssignments(admin, change)
  expect(await assignToJoined(ctx)).toEqual({ joined: 0 })
  expect(await ids()).not.toContain(late[0]?.id)
})

test('whoever joins after the due date is not late from the beginning', async () => {
  const first = await someone()
  const tomorrow = new Date(Date.now() + dayMs).toISOString().slice(0, 10)
  await assign(tomorrow)
  const second = await someone()
  await assignToJoined(ctx)
  const third = await someone()
  await assignToJoined({ ...ctx, now: new Date(Date.now() + 5 * dayMs) })
  const due = await assigned()
  expect(due.map(({ userId, dueOn }) => [userId, dueOn !== null])).toEqual([
    [first.id, true],
    [second.id, true],
    [third.id, false],
  ])
})

test('it stops by hand, with the undo, and while the audience is deleted', async () => {
  await someone()
  await assign()
  const [standing] = await listStandingAssignments(admin, { audienceUid })
  const stop = { audienceUid, standingUid: standing?.uid ?? '' }
  await expectGuarded(stopStandingAssignment, stop, { by: ['admins'] })
  await expectGuarded(listStandingAssignments, { audienceUid }, { by: ['admins'], elsewhere: null })
  await deleteAudience(admin, { audienceUid })
  const late = await someone()
  expect(await assignToJoined(ctx)).toEqual({ joined: 0 })
  await restoreAudience(admin, { audienceUid })
  expect(await assignToJoined(ctx)).toEqual({ joined: 1 })
  expect(await ids()).toContain(late.id)
  const stopped = await Promise.allSettled(Array.from({ length: 10 }, () => stopStandingAssignment(admin, stop)))
  expect(stopped.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await someone()
  expect(await assignToJoined(ctx)).toEqual({ joined: 0 })
  module = await aModule(ctx)
  const operationUid = await assign()
  await undoAssignment(admin, { operationUid })
  await someone()
  expect(await assignToJoined(ctx)).toEqual({ joined: 0 })
  expect(await ids()).toEqual([])
})
