import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { listUniversities } from '~/services/institutions/institutions.server.ts'
import { listProfileQuestions } from '~/services/questionnaire/questionnaire.server.ts'
import { createSession } from '~/services/sessions/sessions.server.ts'
import { setOwnMailChoices } from '~/services/users/mail-choices.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { aResetLink, aSignInContext } from '../support/accounts.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { answersTo } from '../support/questionnaire.ts'
import { db } from '../support/test.ts'

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
})

/** A context as in a browser: with a session, and a port that records the sessions that began. */
async function signedIn(
  viewer: Viewer,
  site: 'institutional' | 'ns' = 'institutional',
): Promise<Ctx & { begun: string[] }> {
  const ctx = await aSignInContext(db, { viewer, site })
  return { ...ctx, session: { ...ctx.session, uid: crypto.randomUUID() } }
}

const anAdmin = async (site: 'institutional' | 'ns' = 'institutional') =>
  signedIn(await aUser(db, { groups: ['admins'], site }), site)

async function seen(viewer: Viewer) {
  const admin = await anAdmin()
  const {
    firstName,
    lastName,
    email,
    universityName,
    planName,
    subscriptionType,
    allQuestionsAnswered,
    optOutOfEmails,
  } = await getUser(admin, { userUid: viewer.uid })
  return {
    firstName,
    lastName,
    email,
    universityName,
    planName,
    subscriptionType,
    allQuestionsAnswered,
    optOutOfEmails,
  }
}

const auditOf = (viewer: Viewer) =>
  db
    .selectFrom('audit_entries')
    .select(['action', 'before', 'after'])
    .where('entity_uid', '=', viewer.uid)
    .orderBy('id')
    .execute()

test('people change their own names; missing and equal values stay, and the log keeps only names of fields', async () => {
  const viewer = await aUser(db)
  const ctx = await signedIn(viewer)
  await updateUser(ctx, { userUid: viewer.uid, firstName: viewer.firstName, lastName: '  Lovelace ' })
  await updateUser(ctx, { userUid: viewer.uid, lastName: 'Lovelace', email: viewer.email })
  expect(await seen(viewer)).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', email: viewer.email })
  expect(await auditOf(viewer)).toEqual([
    { action: 'user.updated', before: null, after: { fields: ['lastName'], revision: 1 } },
  ])
})

test.each([
  ['firstName', { firstName: '' }, 'First name is required'],
  ['lastName', { lastName: '  ' }, 'Last name is required'],
  ['firstName', { firstName: 'x'.repeat(51) }, 'At most 50 characters'],
  ['lastName', { lastName: 'a\u0000b' }, 'This text holds characters that cannot be stored'],
  ['email', { email: ' ' }, 'Email address is required'],
  ['email', { email: 'abc@' }, 'A valid email address is required'],
  ['email', { email: `${'x'.repeat(90)}@titrate.example` }, 'At most 100 characters'],
  ['currentPassword', { email: 'new@titrate.example' }, 'Please enter current password'],
  [
    'currentPassword',
    { email: 'new@titrate.example', currentPassword: 'Wrong7Horse' },
    'Current password is incorrect.',
  ],
])(
  'L-195 L-196 L-197 L-198 L-199 a wrong %s is refused with a message beside its field: %j',
  async (field, changes, message) => {
    const viewer = await aUser(db)
    const work = updateUser(await signedIn(viewer), { userUid: viewer.uid, firstName: 'Grace', ...changes })
    await expect(work).rejects.toThrow(Invalid)
    await expect(work).rejects.toMatchObject({ message, fieldErrors: { [field]: message } })
    expect(await seen(viewer)).toMatchObject({ firstName: 'Ada', email: viewer.email })
  },
)

test('L-137 only admins change institution, plan and subscription type, and nobody changes other fields', async () => {
  const viewer = await aUser(db)
  const other = await aUser(db)
  const ctx = await signedIn(viewer)
  for (const changes of [{ university: 'Elsewhere' }, { accessPlanUid: other.uid }, { subscriptionType: 'free' }]) {
    await expect(updateUser(ctx, { userUid: viewer.uid, lastName: 'X', ...changes })).rejects.toThrow(Forbidden)
  }
  await expect(updateUser(ctx, { userUid: other.uid, lastName: 'X' })).rejects.toThrow(Forbidden)
  await expect(updateUser(await aContext(db), { userUid: other.uid, lastName: 'X' })).rejects.toThrow('Login required.')
  const foreign = await anAdmin('ns')
  await expect(updateUser(foreign, { userUid: viewer.uid, lastName: 'X' })).rejects.toThrow(NotFound)
  await expect(updateUser(await anAdmin(), { userUid: 'nobody', lastName: 'X' })).rejects.toThrow(NotFound)
  expect(await seen(viewer)).toMatchObject({ lastName: 'Okafor', universityName: null, subscriptionType: 'paid' })
})

test('L-002 L-164 L-202 an admin moves a person to another plan, and to an institution that is created once, ignoring case', async () => {
  const viewer = await aUser(db, { plan: null })
  const admin = await anAdmin()
  const plans = await db.selectFrom('access_plans').select(['uid', 'name', 'site_id']).execute()
  const plan = plans.find(({ name, site_id }) => name === 'Full Access' && site_id === viewer.siteId)
  const foreign = plans.find(({ site_id }) => site_id !== viewer.siteId)
  await updateUser(admin, { userUid: viewer.uid, university: 'New Uni 1' })
  await updateUser(admin, { userUid: viewer.uid, university: 'NEW UNI 1' })
  const { items } = await listUniversities(admin)
  expect(items.filter(({ name }) => /new uni/i.test(name)).map(({ name }) => name)).toEqual(['New Uni 1'])
  const needsBoth = updateUser(admin, { userUid: viewer.uid, subscriptionType: 'free' })
  await expect(needsBoth).rejects.toMatchObject({ fieldErrors: { accessPlanUid: 'Access Plan is required' } })
  await expect(updateUser(admin, { userUid: viewer.uid, subscriptionType: 'gold' })).rejects.toThrow(Invalid)
  await expect(updateUser(admin, { userUid: viewer.uid, accessPlanUid: foreign?.uid ?? '' })).rejects.toThrow(Invalid)
  for (const subscriptionType of ['free', 'paid', 'subsidized'] as const) {
    await updateUser(admin, { userUid: viewer.uid, accessPlanUid: plan?.uid ?? '', subscriptionType })
    expect(await seen(viewer)).toMatchObject({ universityName: 'New Uni 1', planName: 'Full Access', subscriptionType })
  }
  const { group_key } = await db
    .selectFrom('user_facets')
    .select('group_key')
    .where('user_id', '=', viewer.id)
    .executeTakeFirstOrThrow()
  expect(group_key).toBe('site')
})

test('answers are saved together with the other fields or not at all', async () => {
  const viewer = await aUser(db, { isNew: true })
  const ctx = await signedIn(viewer)
  const answers = answersTo(await listProfileQuestions(ctx))
  const wrong = [{ question: answers[0]?.question ?? '', chosenOption: crypto.randomUUID() }]
  await expect(updateUser(ctx, { userUid: viewer.uid, lastName: 'X', answers: wrong })).rejects.toThrow(Invalid)
  expect(await seen(viewer)).toMatchObject({ lastName: 'Okafor', allQuestionsAnswered: false })
  await updateUser(ctx, { userUid: viewer.uid, lastName: 'X', answers })
  expect(await seen(viewer)).toMatchObject({ lastName: 'X', allQuestionsAnswered: true })
})

const mailsOf = (viewer: Viewer) =>
  db.selectFrom('account_mails').select(['kind', 'address']).where('user_id', '=', viewer.id).execute()

const sessionsOf = (viewer: Viewer) =>
  db.selectFrom('sessions').select('uid').where('user_id', '=', viewer.id).execute()

test('changing one’s own address needs the password, signs out elsewhere, ends mailed links and informs the old address', async () => {
  const viewer = await aUser(db)
  const ctx = await signedIn(viewer)
  await createSession(ctx, { userUid: viewer.uid, agent: 'elsewhere' })
  await aResetLink(ctx, viewer)
  const email = `new.${viewer.email}`
  await updateUser(ctx, { userUid: viewer.uid, email, currentPassword: testPassword })
  expect(await seen(viewer)).toMatchObject({ email })
  expect(ctx.begun).toEqual([viewer.uid])
  expect(await sessionsOf(viewer)).toEqual([])
  expect(await mailsOf(viewer)).toEqual([{ kind: 'email_changed', address: viewer.email }])
  const links = db.selectFrom('one_time_tokens').select('id').where('user_id', '=', viewer.id)
  expect(await links.execute()).toEqual([])
  expect((await auditOf(viewer)).map(({ after }) => after)).toEqual([{ fields: ['email'], revision: 1 }])
})

test('without a session of the site nobody changes their own address, not even an admin', async () => {
  for (const groups of [['learners'], ['admins']] as const) {
    const viewer = await aUser(db, { groups: [...groups] })
    const ctx = await aContext(db, { viewer })
    const update = { userUid: viewer.uid, email: `new.${viewer.email}`, currentPassword: testPassword }
    await expect(updateUser(ctx, update)).rejects.toThrow(Forbidden)
    await updateUser(ctx, { userUid: viewer.uid, firstName: 'Grace' })
  }
})

test('nobody changes the address of somebody else here, not even an admin', async () => {
  const viewer = await aUser(db)
  const update = { userUid: viewer.uid, email: `by.admin.${viewer.email}` }
  await expect(updateUser(await anAdmin(), update)).rejects.toThrow(Forbidden)
  expect(await mailsOf(viewer)).toEqual([])
})

test('L-200 an address of another account of the site is refused, ignoring case; one of the other site is free', async () => {
  const viewer = await aUser(db)
  const other = await aUser(db)
  const abroad = await aUser(db, { site: 'ns', email: 'abroad@titrate.example' })
  const ctx = await signedIn(viewer)
  const taken = updateUser(ctx, {
    userUid: viewer.uid,
    lastName: 'X',
    email: other.email.toUpperCase(),
    currentPassword: testPassword,
  })
  await expect(taken).rejects.toThrow(Conflict)
  await expect(taken).rejects.toThrow('This email address is already in use.')
  expect(await seen(viewer)).toMatchObject({ email: viewer.email, lastName: 'Okafor' })
  await updateUser(ctx, { userUid: viewer.uid, email: abroad.email, currentPassword: testPassword })
  expect(await seen(viewer)).toMatchObject({ email: abroad.email })
})

test('one of ten people who take one address at once gets it', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, async () => signedIn(await aUser(db))))
  const wanted = { email: 'wanted@titrate.example', currentPassword: testPassword }
  const results = await Promise.allSettled(
    people.map((ctx) => updateUser(ctx, { userUid: ctx.viewer?.uid ?? '', ...wanted })),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Conflict)
})

test('ten equal changes at once count as one', async () => {
  const viewer = await aUser(db)
  const ctx = await signedIn(viewer)
  await Promise.all(Array.from({ length: 10 }, () => updateUser(ctx, { userUid: viewer.uid, lastName: 'Hopper' })))
  expect(await auditOf(viewer)).toHaveLength(1)
})

const wanted = { messages: false, reminders: false, reports: false, tracking: false }

test('email messages are turned off and on again, once however often it is requested', async () => {
  const viewer = await aUser(db)
  const ctx = await signedIn(viewer)
  await Promise.all(Array.from({ length: 5 }, () => setOwnMailChoices(ctx, { ...wanted, messages: true })))
  expect(await seen(viewer)).toMatchObject({ optOutOfEmails: true })
  await setOwnMailChoices(ctx, wanted)
  expect(await seen(viewer)).toMatchObject({ optOutOfEmails: false })
  expect(await auditOf(viewer)).toHaveLength(2)
  await expect(setOwnMailChoices(await aContext(db), wanted)).rejects.toThrow('Login required.')
})
