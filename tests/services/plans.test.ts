/** Access plans in the console: creating, changing and retiring them, their figures, and renewing access in bulk. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  createAccessPlan,
  getAccessPlan,
  listAccessPlans,
  retireAccessPlan,
  updateAccessPlan,
} from '~/services/access/plans.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { getBulkOperation } from '~/services/bulk/bulk.server.ts'
import { inviteUser } from '~/services/invitations/invite-users.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { listCountedPlans } from '~/services/users/plan-list.server.ts'
import { planRenewal, renewAccess, renewNextPeople } from '~/services/users/renew-access.server.ts'
import { getUserToEdit, saveUser } from '~/services/users/save-user.server.ts'
import { listUserPage } from '~/services/users/table.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const second = await aContext(db, {
  viewer: await aUser(db, { groups: ['admins'], plan: null, firstName: 'Bo', lastName: 'Lind' }),
})

let plans = 0
const aPlan = async (name = `Plan ${++plans}`) => createAccessPlan(admin, { name, isPublic: true })
const dayMs = 86_400_000

/** Learners of a plan, whose access ends in so many days; null without an end. */
async function learnersOf(plan: { name: string }, ends: (number | null)[]) {
  const people = []
  for (const days of ends) {
    const person = await aUser(db, { plan: plan.name })
    const valid_to = days === null ? null : new Date(admin.now.getTime() + days * dayMs)
    await db
      .updateTable('subscriptions')
      .set({ valid_to, auto_renew: days === null })
      .where('user_id', '=', person.id)
      .execute()
    people.push(person)
  }
  return people
}

async function daysLeft(person: { id: number }): Promise<number | null> {
  const { valid_to } = await db
    .selectFrom('subscriptions')
    .select('valid_to')
    .where('user_id', '=', person.id)
    .executeTakeFirstOrThrow()
  return valid_to && Math.round((valid_to.getTime() - admin.now.getTime()) / dayMs)
}

const endsIn30 = { window: '30', duration: '2', unit: 'M' } as const

test('a plan is created once, and its name only once on a site', async () => {
  const input = { uid: randomUUID(), name: 'Summer School', isPublic: false }
  const made = await Promise.all(Array.from({ length: 10 }, () => createAccessPlan(admin, input)))
  expect(new Set(made.map(({ uid }) => uid))).toEqual(new Set([input.uid]))
  expect(await listAuditEntries(admin, { entity: 'access_plan', entityUid: input.uid })).toHaveLength(1)
  const alike = { name: 'summer school', isPublic: true }
  await expect(createAccessPlan(admin, alike)).rejects.toThrow('There is already a plan')
  await expect(createAccessPlan(admin, { name: ' ', isPublic: true })).rejects.toThrow('Name is required')
  const ns = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }) })
  await createAccessPlan(ns, alike)
  // The uid of another site's plan is refused, and says nothing about it.
  await expect(createAccessPlan(ns, { ...input, name: 'Other' })).rejects.toThrow('There is already a plan “Other”')
  await expectGuarded(createAccessPlan, { name: 'Mine', isPublic: true }, { by: ['admins'], elsewhere: null })
})

test('two admins who change one plan are merged, or told', async () => {
  const { uid } = await aPlan()
  const { revision, name } = await getAccessPlan(admin, { planUid: uid })
  await updateAccessPlan(second, { planUid: uid, revision, name: 'Winter School', isPublic: true })
  const { keptOfOthers } = await updateAccessPlan(admin, { planUid: uid, revision, name, isPublic: false })
  expect(keptOfOthers).toEqual(['name'])
  expect(await getAccessPlan(admin, { planUid: uid })).toMatchObject({ name: 'Winter School', isPublic: false })
  const save = updateAccessPlan(admin, { planUid: uid, revision, name: 'Autumn School', isPublic: false })
  await expect(save).rejects.toThrow(ChangedMeanwhile)
  await expect(save).rejects.toMatchObject({ fieldErrors: { name: expect.stringMatching(/Bo Lind.*Winter School/) } })
  const other = await aPlan('Spring School')
  const taken = { planUid: other.uid, name: 'WINTER SCHOOL', isPublic: true }
  await expect(updateAccessPlan(admin, taken)).rejects.toThrow('There is already a plan')
  await expectGuarded(updateAccessPlan, { planUid: uid, name: 'Theirs', isPublic: true }, { by: ['admins'] })
})

test('nobody new gets a retired plan; whoever has it keeps it, and it can be offered again', async () => {
  const plan = await aPlan()
  const [has] = await learnersOf(plan, [null])
  const other = await aUser(db)
  await Promise.all(Array.from({ length: 10 }, () => retireAccessPlan(admin, { planUid: plan.uid, isRetired: true })))
  expect((await listAuditEntries(admin, { entity: 'access_plan', entityUid: plan.uid })).length).toBe(2)
  const offered = await listAccessPlans(admin, { offeredOr: '' })
  expect(offered.map(({ uid }) => uid)).not.toContain(plan.uid)
  expect((await listAccessPlans(admin, { offeredOr: plan.uid })).map(({ uid }) => uid)).toContain(plan.uid)
  expect((await listAccessPlans(admin, { publicOnly: true })).map(({ uid }) => uid)).not.toContain(plan.uid)
  const invited = {
    firstName: 'A',
    lastName: 'B',
    email: 'retired@plan.example',
    university: 'U',
    accessPlanUid: plan.uid,
  }
  await expect(inviteUser(admin, { ...invited, autoRenew: true })).rejects.toThrow('has been retired')
  const change = { userUid: other.uid, accessPlanUid: plan.uid }
  await expect(updateUser(admin, change)).rejects.toThrow('has been retired')
  // Saving the profile of somebody who has it keeps the plan.
  const { state, revision } = await getUserToEdit(admin, { userUid: has?.uid ?? '' })
  const form = {
    ...state,
    isLearner: true,
    university: 'Helvik',
    firstName: 'Renamed',
    renewal: 'limit',
    duration: '1',
    unit: 'Y',
  }
  await saveUser(admin, { ...form, userUid: has?.uid ?? '', revision, opened: JSON.stringify(state) })
  expect((await getUserToEdit(admin, { userUid: has?.uid ?? '' })).state).toMatchObject({ accessPlanUid: plan.uid })
  await retireAccessPlan(admin, { planUid: plan.uid, isRetired: false })
  await updateUser(admin, change)
  await expectGuarded(retireAccessPlan, { planUid: plan.uid, isRetired: true }, { by: ['admins'] })
})

test('the figures of a plan are those that the table of users finds', async () => {
  const plan = await aPlan()
  const [, , , , disabled] = await learnersOf(plan, [null, 400, 20, -3, 10])
  await db
    .updateTable('users')
    .set({ is_active: false })
    .where('id', '=', disabled?.id ?? 0)
    .execute()
  await learnersOf(plan, [45, 80])
  const counted = (await listCountedPlans(admin)).find(({ uid }) => uid === plan.uid)
  expect(counted).toMatchObject({ learners: 6, ended: 1, in30: 1, in60: 2, in90: 3, items: 0, isPublic: true })
  for (const [expiry, count] of [
    ['ended', 1],
    ['30', 1],
    ['60', 2],
    ['90', 3],
  ] as const) {
    const page = { tab: 'learners', filters: { plan: [plan.uid], expiry: [expiry] } } as const
    expect(
      (await listUserPage(admin, { ...page, filters: { plan: [plan.uid], expiry: [expiry] } })).total,
      expiry,
    ).toBe(count)
  }
  await expectGuarded(listCountedPlans, undefined as never, { by: ['admins'], elsewhere: null })
})

test('a renewal adds the time once, from the end of access or from today, and leaves all others alone', async () => {
  const plan = await aPlan()
  const people = await learnersOf(plan, [10, 29, 31, null, -5, -95])
  expect(await planRenewal(admin, { planUid: plan.uid, ...endsIn30 })).toMatchObject({ learners: 2, days: 60 })
  const begun = await Promise.all(
    Array.from({ length: 10 }, () => renewAccess(admin, { planUid: plan.uid, ...endsIn30 })),
  )
  expect(new Set(begun.map(({ operationUid }) => operationUid)).size).toBe(1)
  const work = { operationUid: begun[0]?.operationUid ?? '', most: 1 }
  // Another admin gets the running one, to see its progress.
  expect(await renewAccess(second, { planUid: plan.uid, ...endsIn30 })).toEqual(begun[0])
  // Jobs that run at once take turns, and one that comes late does nothing.
  while ((await Promise.all([renewNextPeople(ctx, work), renewNextPeople(ctx, work)])).every(({ isDone }) => !isDone));
  while (!(await renewNextPeople(ctx, work)).isDone);
  expect(await renewNextPeople(ctx, work)).toEqual({ renewed: 0, isDone: true })
  expect(await Promise.all(people.map(daysLeft))).toEqual([70, 89, 31, null, -5, -95])
  expect(await getBulkOperation(admin, work)).toMatchObject({ status: 'done', done: 2, failed: 0, total: 2 })
  const first = { entity: 'user', entityUid: people[0]?.uid ?? '' }
  expect((await listAuditEntries(admin, first)).map(({ after }) => after)).toEqual([
    { fields: ['access'], revision: expect.any(Number) },
  ])
  const ended = await renewAccess(admin, { planUid: plan.uid, window: 'ended', duration: '1', unit: 'Y' })
  while (!(await renewNextPeople(ctx, ended)).isDone);
  expect(await Promise.all(people.map(daysLeft))).toEqual([70, 89, 31, null, 365, -95])
  await expect(renewAccess(admin, { planUid: plan.uid, window: 'ended', duration: '1', unit: 'Y' })).rejects.toThrow(
    'Nobody',
  )
})

test('a renewal needs an admin until its end, and a valid duration', async () => {
  const plan = await aPlan()
  const [person] = await learnersOf(plan, [10])
  const guarded = { planUid: plan.uid, ...endsIn30 }
  await expectGuarded(planRenewal, guarded, { by: ['admins'] })
  await expectGuarded(renewAccess, guarded, { by: ['admins'] })
  await expect(renewAccess(admin, { ...guarded, duration: '19' })).rejects.toThrow('Maximum is 18')
  await expect(renewAccess(admin, { ...guarded, window: '7' as never })).rejects.toThrow('whose access')
  const leaving = await aUser(db, { groups: ['admins'], plan: null })
  const { operationUid } = await renewAccess(await aContext(db, { viewer: leaving }), guarded)
  await db.deleteFrom('user_groups').where('user_id', '=', leaving.id).execute()
  expect(await renewNextPeople(ctx, { operationUid })).toEqual({ renewed: 0, isDone: true })
  expect(await daysLeft(person ?? { id: 0 })).toBe(10)
  const sent = { ...guarded, uid: randomUUID() }
  const first = await renewAccess(admin, { ...sent, duration: '5', unit: 'D' })
  while (!(await renewNextPeople(ctx, first)).isDone);
  expect(await renewAccess(admin, { ...sent, duration: '5', unit: 'D' }), 'sent again').toEqual(first)
  expect(await daysLeft(person ?? { id: 0 })).toBe(15)
  expect((await getBulkOperation(admin, { operationUid })).status).toBe('canceled')
})
