import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { createAccessToken, revokeAccessToken } from '~/services/accounts/access-tokens.server.ts'
import { findAccountOfLink, login } from '~/services/accounts/accounts.server.ts'
import { changePassword, resetPassword } from '~/services/accounts/password-changes.server.ts'
import type { Ctx } from '~/services/context.ts'
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { deactivateUser } from '~/services/users/deactivate-user.server.ts'
import { createClient, revokeClient } from '~/services/xapi/xapi.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aResetLink, aSignInContext } from '../support/accounts.ts'
import { aUser, testPassword } from '../support/context.ts'
import { db } from '../support/test.ts'

type Line = { level: string; event: string; account?: string; network?: string; kind?: string; groups?: string[] }

beforeAll(() => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
})

async function listening(options: Parameters<typeof aSignInContext>[1] = {}): Promise<{ ctx: Ctx; lines: Line[] }> {
  const lines: Line[] = []
  const at = (level: string) => (fields: object) => void lines.push({ level, ...fields } as Line)
  const ctx = await aSignInContext(db, options)
  const session = { ...ctx.session, uid: crypto.randomUUID() }
  return {
    ctx: { ...ctx, session, address: '203.0.113.45', log: { info: at('info'), warn: at('warn'), error: at('error') } },
    lines,
  }
}

const eventsOf = (lines: Line[]) => lines.map(({ event }) => event)
const fresh = { password: 'Patient7Burette', password2: 'Patient7Burette' }

test('failed and successful sign-ins and waits are logged, one account and one network under one name each', async () => {
  const user = await aUser(db, { email: 'Grace.Hopper@titrate.example' })
  const { ctx, lines } = await listening()
  const sign = (username: string, password: string) => login(ctx, { username, password }).catch(() => {})
  await sign('grace.hopper@titrate.example', 'Wrong7Horse')
  await sign(' GRACE.hopper@titrate.example ', testPassword)
  await sign('nobody@titrate.example', 'Wrong7Horse')
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1
  await sign('nobody@titrate.example', 'Wrong7Horse')
  await sign('nobody@titrate.example', 'Wrong7Horse')
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
    'warn security.sign_in.failed',
    'info security.sign_in.succeeded',
    'warn security.sign_in.failed',
    'warn security.sign_in.failed',
    'warn security.attempt.must_wait',
  ])
  const [failed, succeeded, unknown] = lines
  expect(failed?.account).toBe(succeeded?.account)
  expect(unknown?.account).not.toBe(failed?.account)
  expect(new Set(lines.map(({ network }) => network)).size).toBe(1)
  const text = JSON.stringify(lines)
  for (const secret of ['grace', 'hopper', 'nobody', '203.0.113', 'Wrong7Horse', testPassword, user.uid]) {
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
  }
})

test('passwords, tokens, keys, roles, closed accounts and wrong links are logged, without their secrets', async () => {
  const user = await aUser(db)
  const { ctx, lines } = await listening({ viewer: user })
  const form = { uid: crypto.randomUUID(), name: 'My script', scope: 'read', days: '30', currentPassword: testPassword }
  await createAccessToken(ctx, { ...form, currentPassword: 'Wrong7Horse' }).catch(() => {})
  const { token } = await createAccessToken(ctx, form)
  await revokeAccessToken(ctx, { tokenUid: form.uid })
  await changePassword(ctx, { currentPassword: testPassword, ...fresh })
  const link = await aResetLink(ctx, user)
  await findAccountOfLink(ctx, { ...link, token: 'wrong', purpose: 'reset' })
  await resetPassword(ctx, { ...link, password: testPassword, password2: testPassword })
  expect(eventsOf(lines)).toEqual([
    'security.password.wrong',
    'security.access_token.created',
    'security.access_token.revoked',
    'security.user.password_changed',
    'security.link.wrong',
    'security.user.password_reset',
  ])
  expect(new Set(lines.map(({ account }) => account)).size).toBe(1)
  const admin = await listening({ viewer: await aUser(db, { groups: ['admins'] }) })
  const person = { firstName: '', lastName: '' }
  await createInvitation(admin.ctx, { ...person, email: 'learner-to-be@titrate.example', groups: ['learners'] })
  await createInvitation(admin.ctx, {
    ...person,
    email: 'author-to-be@titrate.example',
    groups: ['learners', 'authors'],
  })
  await deactivateUser(admin.ctx, { userUid: user.uid })
  const { key, secret } = await createClient(admin.ctx, { name: 'Warehouse', scopes: ['statements/read'] })
  await revokeClient(admin.ctx, { key })
  expect(admin.lines.map(({ event, groups }) => [event, groups])).toEqual([
    ['security.role.granted', ['authors']],
    ['security.user.deactivated', undefined],
    ['security.xapi_client.created', undefined],
    ['security.xapi_client.revoked', undefined],
  ])
  const text = JSON.stringify([lines, admin.lines])
  for (const hidden of [token, link.token, key, secret, user.email, user.uid, 'to-be@', 'My script', 'Warehouse']) {
    expect(text).not.toContain(hidden)
  }
})

test('what the operator does by a command is not in the log of the processes', async () => {
  const { ctx, lines } = await listening({ isOperator: true })
  const person = { email: 'first-admin@titrate.example', firstName: '', lastName: '', groups: ['admins' as const] }
  await createInvitation(ctx, person)
  expect(lines).toEqual([])
})

test('what is rolled back was no event', async () => {
  const { ctx, lines } = await listening({ viewer: await aUser(db, { groups: ['admins'] }) })
  const work = inTransaction(ctx, async (ctx) => {
    const person = { email: 'undone@titrate.example', firstName: '', lastName: '', groups: ['admins' as const] }
    await createInvitation(ctx, person)
    throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
  expect(lines).toEqual([])
})
