/** A person's form in the console, and what else admins do with an account. */
import { expect, test } from 'vitest'
import { parseForm } from '~/forms/parse.ts'
import { userForm } from '~/forms/users.ts'
import { sendResetLink } from '~/services/accounts/send-reset-link.server.ts'
import { listReceivedMessages } from '~/services/announcements/received.server.ts'
import { listAssignmentsForStaff } from '~/services/assignments/assignments.server.ts'
import { createSession, endSessionsOfUser, listSessionsOfUser } from '~/services/sessions/sessions.server.ts'
import { deactivateUser } from '~/services/users/deactivate-user.server.ts'
import { enableUser, getUserToEdit, saveUser } from '~/services/users/save-user.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

const viewer = await aUser(db, { groups: ['admins'], plan: null })
const admin = await aContext(db, { viewer })
const second = await aContext(db, {
  viewer: await aUser(db, { groups: ['admins'], plan: null, firstName: 'Bo', lastName: 'Lind' }),
})
const plan = await db
  .selectFrom('access_plans')
  .select('uid')
  .where('site_id', '=', site.id)
  .where('name', '=', 'Free Access')
  .executeTakeFirstOrThrow()

/** The form as it is opened, with what somebody types. */
async function opened(userUid: string) {
  const { state, revision } = await getUserToEdit(admin, { userUid })
  const { groups, access: _, ...values } = state
  const form = {
    ...values,
    university: values.university || 'Helvik University',
    isLearner: groups.includes('learners'),
    isAdmin: groups.includes('admins'),
    renewal: 'keep',
  }
  return (typed: object = {}) => ({ ...form, userUid, revision, opened: JSON.stringify(state), ...typed })
}

test('L-163 everything in the form is saved, and the audit log has no values', async () => {
  const person = await aUser(db)
  const form = await opened(person.uid)
  const typed = {
    firstName: 'Grace',
    university: 'Arunya Institute',
    isAuthor: true,
    accessPlanUid: plan.uid,
    subscriptionType: 'free',
    renewal: 'limit',
    duration: '2',
    unit: 'M',
  }
  const { changed } = await saveUser(admin, form(typed))
  expect(changed.sort()).toEqual(['access', 'accessPlanUid', 'firstName', 'groups', 'subscriptionType', 'university'])
  const user = await getUser(admin, { userUid: person.uid })
  expect(user).toMatchObject({
    firstName: 'Grace',
    universityName: 'Arunya Institute',
    groups: ['authors', 'learners'],
    planName: 'Free Access',
    subscriptionType: 'free',
    validTo: new Date(admin.now.getTime() + 60 * 86_400_000),
  })
  const entry = await db
    .selectFrom('audit_entries')
    .select(['before', 'after'])
    .where('entity_uid', '=', person.uid)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(entry)).not.toMatch(/Grace|Arunya/)
})

test('L-201 L-212 L-213 L-215 the form refuses what is missing or too long, all at once', () => {
  const problems = (values: object) => {
    const full = {
      firstName: 'A',
      lastName: 'B',
      university: 'C',
      isLearner: 'on',
      accessPlanUid: plan.uid,
      subscriptionType: 'paid',
    }
    const result = parseForm(userForm, { ...full, renewal: 'auto', ...values })
    return result.ok ? {} : result.errors
  }
  expect(problems({ university: '', accessPlanUid: '', subscriptionType: '' })).toEqual({
    university: 'Institution is required',
    accessPlanUid: 'Access Plan is required',
    subscriptionType: 'Subscription Type is required',
  })
  expect(problems({ isLearner: undefined })).toEqual({ isLearner: 'Choose Learner, Admin or both' })
  expect(problems({ isAdmin: 'on', accessPlanUid: '', subscriptionType: '' })).toEqual({})
  for (const duration of ['', '0', '-1', '1.5']) {
    const wrong = problems({ renewal: 'limit', unit: 'Y', duration })
    expect(wrong).toEqual({ duration: 'Duration must be a positive integer' })
  }
  expect(problems({ renewal: 'limit', unit: 'Y', duration: '4' })).toEqual({
    duration: 'Maximum is 3 when specifying years',
  })
})

test('two admins who change different fields both keep theirs; the same field is refused with the other name', async () => {
  const person = await aUser(db)
  const form = await opened(person.uid)
  await saveUser(second, form({ firstName: 'Grace' }))
  const saved = await saveUser(admin, form({ lastName: 'Hopper' }))
  expect(saved).toMatchObject({ changed: ['lastName'], keptOfOthers: expect.arrayContaining(['firstName']) })
  await expect(saveUser(admin, form({ firstName: 'Ida' }))).rejects.toMatchObject({
    fieldErrors: {
      firstName: 'Bo Lind changed this while you were editing. It is “Grace” now. Save again to use yours.',
    },
  })
  const later = await opened(person.uid)
  await saveUser(admin, later({ firstName: 'Ida' }))
  expect(await getUser(admin, { userUid: person.uid })).toMatchObject({ firstName: 'Ida', lastName: 'Hopper' })
})

test('only admins of the site save; ten times at once saves once', async () => {
  const person = await aUser(db)
  const form = (await opened(person.uid))({ firstName: 'Once' })
  await expectGuarded(saveUser, form, { by: ['admins'] })
  await Promise.all(Array.from({ length: 10 }, () => saveUser(admin, form)))
  expect((await getUserToEdit(admin, { userUid: person.uid })).revision).toBe(1)
  await expectGuarded(getUserToEdit, { userUid: person.uid }, { by: ['admins'] })
})

test('nobody takes away the own admin access, or disables the own account', async () => {
  const form = await opened(viewer.uid)
  const typed = { isAdmin: false, isLearner: true, accessPlanUid: plan.uid, subscriptionType: 'free', renewal: 'auto' }
  await expect(saveUser(admin, form(typed))).rejects.toMatchObject({ code: 'user.own_account' })
  await expect(deactivateUser(admin, { userUid: viewer.uid })).rejects.toMatchObject({ code: 'user.own_account' })
  await saveUser(second, form(typed))
  expect((await getUser(second, { userUid: viewer.uid })).groups).toEqual(['learners'])
  const back = await getUserToEdit(second, { userUid: viewer.uid })
  const again = { ...form({ isAdmin: true }), opened: JSON.stringify(back.state), revision: back.revision }
  await saveUser(second, again)
})

test('a disabled account can be enabled again; an invited one is opened by its owner only', async () => {
  const person = await aUser(db)
  await deactivateUser(admin, { userUid: person.uid })
  await expectGuarded(enableUser, { userUid: person.uid }, { by: ['admins'] })
  await Promise.all(Array.from({ length: 10 }, () => enableUser(admin, { userUid: person.uid })))
  expect((await getUser(admin, { userUid: person.uid })).isActive).toBe(true)
})

test('admins send a link to reset the password, and only to people who can log in', async () => {
  const person = await aUser(db)
  await sendResetLink(admin, { userUid: person.uid })
  expect(await takeJobs(db, 'send-account-mail')).toHaveLength(1)
  await expectGuarded(sendResetLink, { userUid: person.uid }, { by: ['admins'] })
  await deactivateUser(admin, { userUid: person.uid })
  await expect(sendResetLink(admin, { userUid: person.uid })).rejects.toThrow(/Nobody can log in/)
})

test('admins see and end the sessions of somebody, one or all', async () => {
  const person = await aUser(db)
  for (const agent of ['one', 'two', 'three']) await createSession(ctx, { userUid: person.uid, agent })
  const [first, ...rest] = await listSessionsOfUser(admin, { userUid: person.uid })
  await expectGuarded(endSessionsOfUser, { userUid: person.uid }, { by: ['admins'] })
  expect(await endSessionsOfUser(admin, { userUid: person.uid, sessionUid: first?.uid ?? '' })).toEqual({ count: 1 })
  expect(await listSessionsOfUser(admin, { userUid: person.uid })).toHaveLength(rest.length)
  const ended = await Promise.all(Array.from({ length: 5 }, () => endSessionsOfUser(admin, { userUid: person.uid })))
  expect(ended.reduce((sum, { count }) => sum + count, 0)).toBe(rest.length)
})

test('what is shown about somebody is for admins of the site', async () => {
  const userUid = (await aUser(db)).uid
  await expectGuarded(listSessionsOfUser, { userUid }, { by: ['admins'], elsewhere: null })
  await expectGuarded(listReceivedMessages, { userUid }, { by: ['admins'], elsewhere: null })
  const input = { userUid, kind: 'module' as const }
  await expectGuarded(listAssignmentsForStaff, input, { by: ['admins'], elsewhere: null })
})
