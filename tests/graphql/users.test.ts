/** The operations of the contract about users (10-users.graphql). */
import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toGlobalId } from '~/graphql/ids.ts'
import type { Viewer } from '~/services/context.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

let graphql: Awaited<ReturnType<typeof startGraphql>>
let admin: GraphqlClient
let learner: Viewer

beforeAll(async () => {
  graphql = await startGraphql(databaseUrl)
  admin = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null, firstName: 'Zed' }))
  learner = await aUser(db, { firstName: 'Ada', lastName: 'Okafor' })
  await aUser(db, { site: 'ns' })
})
afterAll(() => graphql.close())

function run(client: GraphqlClient, name: string, variables: object = {}) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return client.run(print(operation.document), variables)
}

test('C-130 C-131 C-132 C-204 Users lists the users of the site with everything about them, page by page', async () => {
  const { body } = await run(admin, 'Users', { first: 1 })
  expect(body.errors).toBeUndefined()
  expect(body.data.users).toMatchObject({
    totalCount: 2,
    pageInfo: { hasNextPage: true },
    edges: [
      {
        node: {
          uid: learner.uid,
          groups: [{ name: 'learners' }],
          subscription: { type: 'paid', accessPlan: { name: 'Full Access' } },
          invitation: null,
          completedUnits: { numCompletedCourses: 0, numCompletedModules: 0 },
        },
      },
    ],
  })
  expect(body.data.users.edges[0].node.answers[0]).toMatchObject({ customAnswer: null })
  const next = await run(admin, 'Users', { first: 1, after: body.data.users.pageInfo.endCursor })
  expect(next.body.data.users.edges.map((edge: { node: { firstName: string } }) => edge.node.firstName)).toEqual([
    'Zed',
  ])
  expect((await run(admin, 'Users')).body.errors, 'a whole page may be asked for').toBeUndefined()
})

test('C-143 the institutions and access plans of the site, for the forms of programs', async () => {
  await ensureUniversity(await aContext(db, { isOperator: true }), { name: 'Helvik University' })
  const { body } = await admin.run(
    '{ universities { edges { node { id uid name } } } accessPlans(publicOnly: false) { uid name } }',
  )
  expect(body.errors).toBeUndefined()
  const { universities, accessPlans } = body.data
  const university = { id: expect.any(String), uid: expect.any(String), name: 'Helvik University' }
  expect(universities.edges).toContainEqual({ node: university })
  expect(accessPlans).toContainEqual({ uid: expect.any(String), name: 'Full Access' })
})

test('C-223 C-224 C-225 InviteUser and ResendUserInvitations say what happened', async () => {
  const plans = await admin.run('{ accessPlans(publicOnly: false) { uid } }')
  const data = {
    firstName: 'Grace',
    lastName: 'Hopper',
    email: 'grace@graphql.example',
    university: 'Helvik University',
    accessPlanUid: plans.body.data.accessPlans[0].uid,
    autoRenew: true,
  }
  const first = await run(admin, 'InviteUser', { data })
  expect(first.body.data.inviteUser).toMatchObject({
    status: true,
    msg: null,
    invitation: { recipient: { isActive: false } },
  })
  const second = await run(admin, 'InviteUser', { data })
  expect(second.body.data.inviteUser).toMatchObject({
    status: false,
    invitation: null,
    msg: expect.stringContaining('already'),
  })
  const inviteeUids = [first.body.data.inviteUser.invitation.recipient.uid]
  const sent = await run(admin, 'ResendUserInvitations', { inviteeUids })
  expect(sent.body.data.resendUserInvitations).toEqual({ status: true, msg: 'The invitation is being sent again.' })
  const open = await run(admin, 'ResendUserInvitations', { inviteeUids: [learner.uid] })
  expect(open.body.data.resendUserInvitations.status).toBe(false)
  const file = await run(admin, 'InviteUsers', { data: { csvPath: 'somebody-elses.csv' } })
  expect(file.body.data.inviteUsers.status).toBe(false)
})

test('C-146 C-200 there are three types of subscription and five groups, and no others', async () => {
  const person = await aUser(db)
  const change = async (subscriptionType: string) =>
    (
      await admin.run(
        'mutation ($data: UpdateUserInput!) { updateUser(data: $data) { user { subscription { type } } } }',
        { data: { id: toGlobalId('User', person.uid), subscriptionType } },
      )
    ).body
  for (const type of ['subsidized', 'free', 'paid']) {
    expect((await change(type)).data.updateUser.user.subscription).toEqual({ type })
  }
  expect((await change('gold')).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  const join = (name: string) =>
    db
      .insertInto('user_groups')
      .values({ user_id: person.id, name: name as 'learners' })
      .onConflict((one) => one.doNothing())
      .execute()
  for (const name of ['learners', 'instructors', 'authors', 'admins', 'pending_users']) await join(name)
  await expect(join('guests')).rejects.toThrow(/check constraint/)
})

test('C-222 C-262 DeleteUser takes the id of the node, and can be undone', async () => {
  const person = await aUser(db)
  const userId = toGlobalId('User', person.uid)
  expect((await run(admin, 'DeleteUser', { userId })).body.data.deleteUser).toEqual({ status: true, msg: null })
  expect((await run(admin, 'DeleteUser', { userId })).body.data.deleteUser.status).toBe(false)
  const { body } = await admin.run('mutation ($userId: ID!) { restoreUser(userId: $userId) { status msg } }', {
    userId,
  })
  expect(body.data.restoreUser.status).toBe(true)
})

test('C-208 C-207 UserReportFields has one column for each question of the profile', async () => {
  const { body } = await run(admin, 'UserReportFields')
  const fields: { id: string; title: string }[] = body.data.userReportFields
  expect(fields.map(({ title }) => title)).toEqual(expect.arrayContaining(['First name', 'Completed courses']))
  expect(fields.length).toBeGreaterThan(13)
  expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length)
})

test('C-230 DeleteUniversity refuses the same institution twice', async () => {
  const universityToDeleteUid = learner.uid
  const { body } = await run(admin, 'DeleteUniversity', {
    universityToDeleteUid,
    universityToReplaceWithUid: universityToDeleteUid,
  })
  expect(body.errors?.[0]?.message).toBe('Choose another institution as the replacement.')
})

test('C-201 learners get errors and no data', async () => {
  const client = await graphql.clientFor(db, learner)
  const tries: [string, object][] = [
    ['Users', {}],
    ['DeleteUser', { userId: toGlobalId('User', learner.uid) }],
    ['ResendUserInvitations', { inviteeUids: [learner.uid] }],
    ['UserReportFields', {}],
  ]
  for (const [name, variables] of tries) {
    const { body } = await run(client, name, variables)
    expect([name, body.data, body.errors?.[0]?.extensions.code]).toEqual([name, null, 'FORBIDDEN'])
  }
})
