import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { toGlobalId } from '~/graphql/ids.ts'
import type { Viewer } from '~/services/context.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

/** The user part of 02-me, sent as its consumers send it. */
let graphql: Awaited<ReturnType<typeof startGraphql>>
let learner: Viewer
let admin: Viewer

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  graphql = await startGraphql(databaseUrl)
  learner = await aUser(db, { isNew: true })
  admin = await aUser(db, { groups: ['admins'], plan: null })
})
afterAll(() => graphql.close())

async function run(client: GraphqlClient, name: string, variables: object = {}) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return (await client.run(print(operation.document), variables)).body
}

type Option = { uid: string; optionText: string; allowCustomAnswer: boolean }
type Question = { uid: string; questionText: string; questionType: string; isRequired: boolean; options: Option[] }

async function questionsOf(client: GraphqlClient): Promise<Question[]> {
  return (await run(client, 'ProfileQuestions')).data.profileQuestions
}

const answersTo = (questions: Question[]) =>
  questions.map(({ uid, questionType, options }) => ({
    question: uid,
    ...(questionType === 'single' ? { chosenOption: options[0]?.uid } : { chosenOptions: [options[0]?.uid] }),
  }))

test('L-154 L-229 L-230 L-237 the questionnaire can be read, answered and read back, and saving again replaces the answers', async () => {
  const client = await graphql.clientFor(db, learner)
  const questions = await questionsOf(client)
  expect(new Set(questions.map(({ questionType }) => questionType))).toEqual(new Set(['single', 'multiple']))
  const required = questions.filter(({ isRequired }) => isRequired)
  const part = await run(client, 'SaveUserAnswers', { data: answersTo(required.slice(1)) })
  expect(part.data.saveUserAnswers).toEqual({ allQuestionsAnswered: false })
  const [institution] = required
  const other = institution?.options.find(({ allowCustomAnswer }) => allowCustomAnswer)
  const own = { question: institution?.uid, chosenOption: other?.uid, customAnswer: 'A hospital' }
  const all = await run(client, 'SaveUserAnswers', { data: [own] })
  expect(all.data.saveUserAnswers).toEqual({ allQuestionsAnswered: true })
  const { userQuestionnaireAnswers: answers } = (
    await run(client, 'UserQuestionnaireAnswers', { userUid: learner.uid })
  ).data
  expect(answers).toHaveLength(5)
  expect(answers[0]).toMatchObject({
    question: { uid: institution?.uid, questionText: 'Institution or company' },
    chosenOption: { optionText: 'Other', allowCustomAnswer: true },
    chosenOptions: [],
    customAnswer: 'A hospital',
  })
  expect((await run(client, 'Me')).data.me.allQuestionsAnswered).toBe(true)
  const blank = await run(client, 'SaveUserAnswers', { data: [{ ...own, customAnswer: '   ' }] })
  expect(blank.errors?.[0]).toMatchObject({
    message: 'Please enter a valid answer',
    extensions: { code: 'BAD_USER_INPUT', fieldErrors: { '0.customAnswer': 'Please enter a valid answer' } },
  })
  const data = { id: learner.uid, answers: [{ ...own, customAnswer: '' }] }
  expect((await run(client, 'UpdateUser', { data })).errors?.[0]?.extensions.fieldErrors).toEqual({
    'answers.0.customAnswer': 'Please enter your answer',
  })
})

test('L-137 a learner changes only her own record, and not the fields for admins', async () => {
  const client = await graphql.clientFor(db, learner)
  const own = await run(client, 'UpdateUser', { data: { id: toGlobalId('User', learner.uid), lastName: 'X' } })
  expect(own.data.updateUser.user).toMatchObject({ uid: learner.uid, lastName: 'X', firstName: 'Ada' })
  for (const data of [
    { id: toGlobalId('User', admin.uid), lastName: 'X' },
    { id: learner.uid, subscriptionType: 'free' },
    { id: learner.uid, university: 'Elsewhere' },
    { id: learner.uid, accessPlanUid: learner.uid },
  ]) {
    expect((await run(client, 'UpdateUser', { data })).errors?.[0]).toMatchObject({
      message: 'You do not have permission to perform this action.',
      extensions: { code: 'FORBIDDEN' },
    })
  }
  for (const id of ['x', toGlobalId('Module', learner.uid), '']) {
    const { errors } = await run(client, 'UpdateUser', { data: { id, lastName: 'X' } })
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  }
})

test('a learner changes her address only with the password, to a valid and free one', async () => {
  const viewer = await aUser(db)
  const taken = await aUser(db)
  const client = await graphql.clientFor(db, viewer)
  const change = (data: object) => run(client, 'UpdateUser', { data: { id: viewer.uid, ...data } })
  const email = `new.${viewer.email}`
  expect((await change({ email })).errors?.[0]?.extensions.fieldErrors).toHaveProperty('currentPassword')
  const currentPassword = testPassword
  expect((await change({ email: 'abc@', currentPassword })).errors?.[0]?.message).toBe(
    'A valid email address is required',
  )
  expect((await change({ email: taken.email, currentPassword })).errors?.[0]).toMatchObject({
    message: 'This email address is already in use.',
    extensions: { code: 'CONFLICT' },
  })
  expect((await change({ email, currentPassword })).data.updateUser.user.email).toBe(email)
  // The session that sent the request continues under a new id.
  expect((await run(client, 'Me')).data.me.email).toBe(email)
})

test('L-164 an admin changes any person of the site and creates missing institutions', async () => {
  const client = await graphql.clientFor(db, admin)
  const plans = (await run(client, 'AccessPlans')).data.accessPlans
  const { data } = await run(client, 'UpdateUser', {
    data: {
      id: toGlobalId('User', learner.uid),
      university: 'New Uni 1',
      accessPlanUid: plans[0].uid,
      subscriptionType: 'free',
      answers: answersTo(await questionsOf(client)),
    },
  })
  expect(data.updateUser.user).toMatchObject({
    university: { name: 'New Uni 1' },
    subscription: { type: 'free', accessPlan: plans[0] },
    allQuestionsAnswered: true,
  })
  const email = 'confirmed.first@titrate.example'
  const waiting = (await run(client, 'UpdateUser', { data: { id: learner.uid, email } })).data.updateUser
  expect(waiting.user.email, 'until it is confirmed').not.toBe(email)
  const query = `mutation { updateUser(data: { id: "${learner.uid}", email: "${email}" }) { msg user { uid } } }`
  expect((await client.run(query)).body.data.updateUser.msg).toContain('as soon as it is confirmed')
  const gold = await run(client, 'UpdateUser', { data: { id: learner.uid, subscriptionType: 'gold' } })
  expect(gold.errors?.[0]?.extensions.fieldErrors).toHaveProperty('subscriptionType')
})

test('L-231 L-232 lists the public plans of the site, and institutions in pages of at most 100', async () => {
  const client = await graphql.clientFor(db, admin)
  const ctx = await aContext(db)
  await db.insertInto('access_plans').values({ site_id: ctx.site.id, name: 'Quiet Plan', is_public: false }).execute()
  const named = (plans: { name: string }[]) => plans.map(({ name }) => name)
  expect(named((await run(client, 'AccessPlans')).data.accessPlans)).not.toContain('Quiet Plan')
  const everything = '{ accessPlans(publicOnly: false) { name } }'
  expect(named((await client.run(everything)).body.data.accessPlans)).toContain('Quiet Plan')
  const asLearner = (await (await graphql.clientFor(db, learner)).run(everything)).body
  expect(named(asLearner.data.accessPlans)).not.toContain('Quiet Plan')
  const names = Array.from({ length: 120 }, (_, index) => `University ${String(index).padStart(3, '0')}`)
  await db
    .insertInto('universities')
    .values(names.map((name) => ({ site_id: ctx.site.id, name, name_key: name.toLowerCase(), search_key: name })))
    .execute()
  const { totalCount, pageInfo, edges } = (await run(client, 'Universities')).data.universities
  expect([edges.length, pageInfo.hasNextPage]).toEqual([100, true])
  const next = (await run(client, 'Universities', { after: pageInfo.endCursor })).data.universities
  expect([edges.length + next.edges.length, next.pageInfo.hasNextPage]).toEqual([totalCount, false])
  const elsewhere = await client.run('query ($after: String) { tags(after: $after) { totalCount } }', {
    after: pageInfo.endCursor,
  })
  expect(elsewhere.body.errors?.[0]).toMatchObject({
    message: 'The cursor "after" does not belong to this list.',
    extensions: { code: 'BAD_USER_INPUT' },
  })
  const tooMany = await run(client, 'Universities', { first: 101 })
  expect(tooMany.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
})

test.each([
  ['ProfileQuestions', {}],
  ['UserQuestionnaireAnswers', { userUid: '00000000-0000-4000-8000-000000000000' }],
  ['SaveUserAnswers', { data: [] }],
  ['UpdateUser', { data: { id: '00000000-0000-4000-8000-000000000000', lastName: 'X' } }],
  ['AccessPlans', {}],
  ['Universities', {}],
])('%s needs a session', async (name, variables) => {
  expect((await run(graphql.client(), name, variables)).errors?.[0]?.message).toBe('Login required.')
})

test('only admins of the site can read another person’s answers', async () => {
  const stranger = await graphql.clientFor(db, await aUser(db))
  const ask = (client: GraphqlClient) => run(client, 'UserQuestionnaireAnswers', { userUid: learner.uid })
  expect((await ask(stranger)).errors?.[0]?.message).toBe('You do not have permission to perform this action.')
  const foreign = await graphql.clientFor(db, await aUser(db, { site: 'ns', groups: ['admins'] }), 'ns')
  expect((await ask(foreign)).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  expect((await ask(await graphql.clientFor(db, admin))).data.userQuestionnaireAnswers).not.toEqual([])
})
