import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { resetRequested } from '~/forms/account-rules.ts'
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { aResetLink, linkParts } from '../support/accounts.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

/** Operations of 01-session other than Login and Logout, sent as their consumers send them. */
let graphql: Awaited<ReturnType<typeof startGraphql>>

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  graphql = await startGraphql(databaseUrl)
})
afterAll(() => graphql.close())

async function runOperation(client: GraphqlClient, name: string, variables: object) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  const { status, body } = await client.run(print(operation.document), variables)
  expect(status).toBe(200)
  return body
}

const fresh = { password: 'Patient7Burette', password2: 'Patient7Burette' }
const badReset =
  'This link to reset your password is invalid, has expired or was already used. Please ask for a new one.'
const badInvitation = 'This invitation link is invalid or has expired. Please ask for a new invitation.'

test('C-166 C-233 RequestPasswordReset answers the same for every address, and names an empty field', async () => {
  const user = await aUser(db)
  for (const email of [user.email, 'nobody@titrate.example']) {
    const { data } = await runOperation(graphql.client(), 'RequestPasswordReset', { email })
    expect(data.requestPasswordReset).toEqual({ status: true, msg: resetRequested })
  }
  const { data } = await runOperation(graphql.client(), 'RequestPasswordReset', { email: ' ' })
  expect(data.requestPasswordReset).toEqual({ status: false, msg: 'Please enter an email address' })
})

test('C-234 C-189 ResetPassword works once, refuses weak passwords with a message and signs nobody in', async () => {
  const user = await aUser(db)
  const link = await aResetLink(await aContext(db), user)
  const client = graphql.client()
  const weak = await runOperation(client, 'ResetPassword', { ...link, password: 'short', password2: 'short' })
  expect(weak.data.resetPassword).toEqual({ status: false, msg: 'At least 8 characters' })
  const foreign = await runOperation(graphql.client('ns'), 'ResetPassword', { ...link, ...fresh })
  expect(foreign.data.resetPassword).toEqual({ status: false, msg: badReset })
  const done = await runOperation(client, 'ResetPassword', { ...link, ...fresh })
  expect(done.data.resetPassword).toEqual({
    status: true,
    msg: 'Your password has been reset. You can now log in with it.',
  })
  expect((await client.run('{ me { uid } }')).body).toEqual({ data: { me: null } })
  const again = await runOperation(client, 'ResetPassword', { ...link, ...fresh })
  expect(again.data.resetPassword).toEqual({ status: false, msg: badReset })
})

test('L-206 L-239 L-240 ChangePassword keeps this session and ends the other one', async () => {
  const user = await aUser(db)
  const [here, there] = [await graphql.clientFor(db, user), await graphql.clientFor(db, user)]
  const wrong = await runOperation(here, 'ChangePassword', { currentPassword: 'Wrong7Horse', ...fresh })
  expect(wrong.data.changePassword).toEqual({ status: false, msg: 'Current password is incorrect.' })
  const short = { currentPassword: testPassword, password: 'Abc1234', password2: 'Abc1234' }
  expect((await runOperation(here, 'ChangePassword', short)).data.changePassword).toEqual({
    status: false,
    msg: 'The minimum password length is 8',
  })
  const done = await runOperation(here, 'ChangePassword', { currentPassword: testPassword, ...fresh })
  expect(done.data.changePassword).toEqual({ status: true, msg: 'Password has been changed.' })
  expect((await here.run('{ me { uid } }')).body.data.me).toEqual({ uid: user.uid })
  expect((await there.run('{ me { uid } }')).status).toBe(200)
  expect((await there.run('{ me { uid } }')).body.data.me).toBeNull()
})

test('ChangePassword without a session is an error that sends the visitor to the login page', async () => {
  const input = { currentPassword: testPassword, ...fresh }
  const { errors } = await runOperation(graphql.client(), 'ChangePassword', input)
  expect(errors?.[0]).toMatchObject({ message: 'User is not logged in.', extensions: { code: 'LOGIN_REQUIRED' } })
})

test('C-190 C-209 C-235 C-200 InvitedUser names the invitee; ConfirmInvitation opens the account once and signs in', async () => {
  const person = { email: 'invitee@titrate.example', firstName: 'Mina', lastName: 'Roth', groups: ['admins' as const] }
  const link = linkParts((await createInvitation(await aContext(db, { isOperator: true }), person)).link)
  const client = graphql.client()
  expect((await runOperation(client, 'InvitedUser', link)).data.invitedUser).toEqual({
    user: {
      firstName: 'Mina',
      lastName: 'Roth',
      email: person.email,
      groups: [{ name: 'admins' }, { name: 'pending_users' }],
    },
    msg: null,
  })
  for (const [password, password2, msg] of [
    ['abcdefg1', 'abcdefg1', 'At least one uppercase letter'],
    ['Abcdefgh', 'Abcdefgh', 'At least one digit'],
    ['Abcde1', 'Abcde1', 'At least 8 characters'],
    ['Patient7Burette', 'Patient8Burette', 'Passwords must match'],
  ]) {
    const { data } = await runOperation(client, 'ConfirmInvitation', { ...link, password, password2 })
    expect(data.confirmInvitation).toEqual({ status: false, msg })
  }
  const foreign = await runOperation(graphql.client('ns'), 'ConfirmInvitation', { ...link, ...fresh })
  expect(foreign.data.confirmInvitation).toEqual({ status: false, msg: badInvitation })
  const done = await runOperation(client, 'ConfirmInvitation', { ...link, ...fresh })
  expect(done.data.confirmInvitation).toEqual({ status: true, msg: null })
  const me = (await client.run('{ me { email isActive groups { name } } }')).body.data.me
  expect(me).toEqual({ email: person.email, isActive: true, groups: [{ name: 'admins' }] })
  const again = await runOperation(client, 'ConfirmInvitation', { ...link, ...fresh })
  expect(again.data.confirmInvitation).toEqual({ status: false, msg: expect.stringContaining('link') })
  expect((await runOperation(client, 'InvitedUser', link)).data.invitedUser).toEqual({ user: null, msg: badInvitation })
})

test('C-209 an invalid link answers with a message', async () => {
  const link = { userUid64b: 'x', token: 'y' }
  const invited = await runOperation(graphql.client(), 'InvitedUser', link)
  expect(invited.data.invitedUser).toEqual({ user: null, msg: badInvitation })
})
