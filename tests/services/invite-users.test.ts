/** Inviting one person or many, and sending invitations again. */
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { parseForm } from '~/forms/parse.ts'
import { daysOf, inviteDialogForm } from '~/forms/users.ts'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { inviteUser, inviteUsers, resendInvitations } from '~/services/invitations/invite-users.server.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { db, expectGuarded, site } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const plan = await db
  .selectFrom('access_plans')
  .select('uid')
  .where('site_id', '=', site.id)
  .where('name', '=', 'Full Access')
  .executeTakeFirstOrThrow()

let count = 0
const aPerson = (more: object = {}) => ({
  firstName: 'Grace',
  lastName: 'Hopper',
  email: `invited${++count}@titrate.example`,
  university: 'Helvik University',
  accessPlanUid: plan.uid,
  ...more,
})

test('C-224 an invited person has an account, a plan, an institution and a mail', async () => {
  const { userUid } = await inviteUser(admin, aPerson({ autoRenew: false, subscriptionDurationDays: 60 }))
  expect(await getUser(admin, { userUid })).toMatchObject({
    isActive: false,
    groups: ['learners', 'pending_users'],
    planName: 'Full Access',
    universityName: 'Helvik University',
    invitationPlanName: 'Full Access',
  })
  expect(await takeJobs(db, 'send-invitation')).toHaveLength(1)
})

test('C-168 L-215 an admin needs no plan and gets none', async () => {
  const { userUid } = await inviteUser(admin, aPerson({ isAdmin: true }))
  expect(await getUser(admin, { userUid })).toMatchObject({ groups: ['admins', 'pending_users'], planName: null })
  const learner = inviteUser(admin, aPerson({ accessPlanUid: '' }))
  await expect(learner).rejects.toMatchObject({ fieldErrors: { accessPlanUid: 'Access Plan is required' } })
})

test('C-191 C-214 L-214 names, address and days keep to their limits', async () => {
  const wrong = {
    firstName: 'x'.repeat(51),
    lastName: 'y'.repeat(51),
    email: `${'z'.repeat(95)}@a.test`,
    university: '',
  }
  await expect(inviteUser(admin, aPerson(wrong))).rejects.toMatchObject({
    fieldErrors: {
      firstName: 'At most 50 characters',
      lastName: 'At most 50 characters',
      email: expect.stringContaining('At most 100 characters'),
      university: 'Institution is required',
    },
  })
  for (const days of [0, -1, 1096]) {
    await expect(inviteUser(admin, aPerson({ subscriptionDurationDays: days }))).rejects.toThrow(/Duration must be/)
  }
  await expect(inviteUser(admin, aPerson({ autoRenew: false }))).rejects.toThrow('Duration must be a positive integer')
  await expect(inviteUser(admin, aPerson({ accessPlanUid: 'x' }))).rejects.toThrow('no such access plan')
})

test('C-192 C-194 C-195 the dialog says everything that is missing at once, in the words of the specification', () => {
  const problems = (values: object) => {
    const result = parseForm(inviteDialogForm, { ...aPerson(), renewal: 'limit', unit: 'Y', duration: '1', ...values })
    return result.ok ? {} : result.errors
  }
  const nothing = { firstName: '', lastName: '', email: '', university: '', accessPlanUid: '' }
  expect(problems(nothing)).toEqual({
    firstName: 'First name is required',
    lastName: 'Last name is required',
    email: 'Email address is required',
    university: 'Institution is required',
    accessPlanUid: 'Access Plan is required',
  })
  expect(problems({ email: 'x' })).toEqual({ email: 'A valid email address is required' })
  for (const duration of ['', '0', '-1', '1.5']) {
    expect(problems({ duration })).toEqual({ duration: 'Duration must be a positive integer' })
  }
  expect(problems({ unit: 'D', duration: '91' })).toEqual({ duration: 'Maximum is 90 when specifying days' })
  expect(problems({ unit: 'M', duration: '19' })).toEqual({ duration: 'Maximum is 18 when specifying months' })
  expect(problems({ unit: 'Y', duration: '4' })).toEqual({ duration: 'Maximum is 3 when specifying years' })
  for (const [unit, duration] of [
    ['D', '90'],
    ['M', '18'],
    ['Y', '3'],
  ])
    expect(problems({ unit, duration })).toEqual({})
  // L-163: the days of a day, a month and a year.
  const days = ['D', 'M', 'Y'].map((unit) => daysOf({ renewal: 'limit', duration: '1', unit }))
  expect(days).toEqual([1, 30, 365])
})

test('C-147 a duration is so many days', () => {
  const days = (duration: string, unit: 'D' | 'M' | 'Y') => daysOf({ renewal: 'limit', duration, unit })
  expect([days('2', 'M'), days('1', 'Y'), days('5', 'D')]).toEqual([60, 365, 5])
  expect(daysOf({ renewal: 'auto', duration: '2', unit: 'M' }), 'C-170').toBeNull()
})

test('C-225 a known address is refused, and says where to go', async () => {
  const person = aPerson()
  const { userUid } = await inviteUser(admin, person)
  await expect(inviteUser(admin, { ...person, email: person.email.toUpperCase() })).rejects.toThrow(/Resend invites/)
  await deleteUser(admin, { userUid })
  await expect(inviteUser(admin, person)).rejects.toThrow(/Restore that account instead/)
})

test('inviting is for admins, and ten times at once invites once', async () => {
  await expectGuarded(inviteUser, aPerson(), { by: ['admins'], elsewhere: null })
  const person = aPerson()
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => inviteUser(admin, person)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

async function aFile(text: string) {
  const file = await receiveUpload(admin, { kind: 'csv', fileName: 'people.csv', source: Readable.from([text]) })
  return file.name
}
const head = 'firstName,lastName,email,university,accessPlan,isAdmin,autoRenew,subscriptionDurationDays\n'

test('C-226 C-228 a file invites everybody, or nobody if a row is wrong', async () => {
  await takeJobs(db, 'send-invitation')
  const good = `${head}Ada,One,one@file.example,New Institute,Full Access,false,true,\nBo,Two,two@file.example,New Institute,full access,,false,30\nCy,Three,three@file.example,New Institute,,true,,\n`
  const wrong = good.replace('two@file.example', 'nonsense').replace('Full Access', 'No Plan')
  await expect(inviteUsers(admin, { csvPath: await aFile(wrong) })).rejects.toThrow(
    /row 2 \(accessPlan\).*No Plan.*row 3 \(email\): A valid email address is required/,
  )
  expect(await takeJobs(db, 'send-invitation')).toEqual([])
  const csvPath = await aFile(good)
  expect(await inviteUsers(admin, { csvPath })).toEqual({ count: 3 })
  expect(await takeJobs(db, 'send-invitation')).toHaveLength(3)
  await expect(inviteUsers(admin, { csvPath })).rejects.toThrow(/row 4/)
  const other = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  await expect(inviteUsers(other, { csvPath }), 'a file of somebody else').rejects.toThrow()
  await expectGuarded(inviteUsers, { csvPath }, { by: ['admins'], elsewhere: null })
  const again = await aFile(good.replaceAll('file.example', 'again.example'))
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => inviteUsers(admin, { csvPath: again })))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('C-223 invitations are sent again to people who have not come yet, and only to them', async () => {
  const uids = await Promise.all([1, 2].map(async () => (await inviteUser(admin, aPerson())).userUid))
  await takeJobs(db, 'send-invitation')
  await Promise.all(Array.from({ length: 10 }, () => resendInvitations(admin, { userUids: uids })))
  expect(await takeJobs(db, 'send-invitation')).toHaveLength(2)
  const open = await aUser(db)
  await expect(resendInvitations(admin, { userUids: [...uids, open.uid] })).rejects.toThrow(/already open/)
  expect(await takeJobs(db, 'send-invitation')).toEqual([])
  await expectGuarded(resendInvitations, { userUids: uids }, { by: ['admins'] })
})
