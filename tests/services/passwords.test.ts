import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { resetRequested } from '~/forms/account-rules.ts'
import { login } from '~/services/accounts/accounts.server.ts'
import {
  changePassword,
  findResetAccount,
  requestPasswordReset,
  resetPassword,
} from '~/services/accounts/password-changes.server.ts'
import { verifyPassword } from '~/services/accounts/passwords.server.ts'
import { Unavailable } from '~/services/errors.ts'
import { createSession, findVisitor } from '~/services/sessions/sessions.server.ts'
import { aResetLink, aSignInContext } from '../support/accounts.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { db } from '../support/test.ts'

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
})

const fresh = { password: 'Patient7Burette', password2: 'Patient7Burette' }
const badLink = /invalid, has expired or was already used/

/** Counts the resets of this address that wait for their job. */
async function waitingFor(emailKey: string): Promise<number> {
  return (await db.selectFrom('account_mails').select('id').where('email_key', '=', emailKey).execute()).length
}

async function signsIn(email: string, password: string): Promise<boolean> {
  return login(await aSignInContext(db), { username: email, password }).then(
    () => true,
    () => false,
  )
}

test('a request for a link answers and stores the same for every address', async () => {
  const user = await aUser(db)
  const ctx = await aContext(db)
  for (const email of [user.email, 'nobody@titrate.example', 'no address at all']) {
    expect(await requestPasswordReset(ctx, { email: ` ${email.toUpperCase()} ` })).toEqual({
      status: true,
      msg: resetRequested,
    })
    expect(await waitingFor(email)).toBe(1)
  }
  await expect(requestPasswordReset(ctx, { email: ' ' })).rejects.toMatchObject({
    fieldErrors: { email: 'Please enter an email address' },
  })
})

test('a person who asks too often gets the same answer and nothing is queued, while the owner elsewhere is served', async () => {
  const { email } = await aUser(db)
  const attacker = { ...(await aContext(db)), address: '203.0.113.7' }
  env().LOGIN_ATTEMPTS_PER_15_MIN = 2
  try {
    const answers = await Promise.all(Array.from({ length: 7 }, () => requestPasswordReset(attacker, { email })))
    expect(new Set(answers.map(({ msg }) => msg))).toEqual(new Set([resetRequested]))
    expect(await waitingFor(email)).toBe(2)
    await requestPasswordReset({ ...(await aContext(db)), address: '198.51.100.4' }, { email })
    expect(await waitingFor(email)).toBe(3)
  } finally {
    env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  }
})

test('a reset sets the password, ends every session and every link, signs nobody in and informs the owner', async () => {
  const user = await aUser(db)
  const ctx = await aSignInContext(db)
  const { id } = await createSession(ctx, { userUid: user.uid, agent: null })
  const [link, other] = [await aResetLink(ctx, user), await aResetLink(ctx, user)]
  expect(await findResetAccount(ctx, link)).toMatchObject({ uid: user.uid })
  expect(await resetPassword(ctx, { ...link, ...fresh })).toMatchObject({ status: true })
  expect(ctx.begun).toEqual([])
  expect((await findVisitor(db, 'institutional', id, ctx.now)).viewer).toBeNull()
  expect(await signsIn(user.email, testPassword)).toBe(false)
  expect(await signsIn(user.email, fresh.password)).toBe(true)
  for (const used of [link, other]) {
    expect(await findResetAccount(ctx, used)).toBeNull()
    await expect(resetPassword(ctx, { ...used, ...fresh })).rejects.toThrow(badLink)
  }
  const notices = await db.selectFrom('account_mails').select('kind').where('user_id', '=', user.id).execute()
  expect(notices).toEqual([{ kind: 'password_changed' }])
  const audit = await db.selectFrom('audit_entries').selectAll().where('entity_uid', '=', user.uid).execute()
  expect(audit).toMatchObject([
    { action: 'user.password_reset', actor_id: user.id, before: null, after: { fields: ['password'] } },
  ])
})

test.each([
  ['empty', '', '', { password: 'Please enter a password', password2: 'Please confirm the password' }],
  ['short', 'Abcdef1', 'Abcdef1', { password: 'At least 8 characters' }],
  ['without a capital', 'abcdefg1', 'abcdefg1', { password: 'At least one uppercase letter' }],
  ['without a digit', 'Abcdefgh', 'Abcdefgh', { password: 'At least one digit' }],
  ['long', `A1${'x'.repeat(49)}`, `A1${'x'.repeat(49)}`, { password: 'At most 50 characters' }],
  ['not repeated', 'Patient7Burette', 'Patient7burette', { password2: 'Passwords do not match' }],
  ['common', 'Password1', 'Password1', { password: 'This password is too common. Choose another one.' }],
])(
  'C-187 C-188 C-189 a reset to a password that is %s is refused, and the link still works',
  async (_name, password, password2, errors) => {
    const user = await aUser(db)
    const ctx = await aContext(db)
    const link = await aResetLink(ctx, user)
    await expect(resetPassword(ctx, { ...link, password, password2 })).rejects.toMatchObject({ fieldErrors: errors })
    expect(await signsIn(user.email, testPassword)).toBe(true)
    expect(await findResetAccount(ctx, link)).not.toBeNull()
  },
)

test('a reset link does not work on the other site, for another person, after a day, or garbled', async () => {
  const [user, other] = [await aUser(db), await aUser(db)]
  const ctx = await aContext(db)
  const link = await aResetLink(ctx, user)
  const stranger = await aResetLink(ctx, other)
  const tomorrow = { ...ctx, now: new Date(ctx.now.getTime() + 86_400_001) }
  const tries = [
    [await aContext(db, { site: 'ns' }), link],
    [ctx, { ...link, token: stranger.token }],
    [tomorrow, link],
    [ctx, { userUid64b: 'x', token: 'y' }],
    [ctx, { userUid64b: '\u0000'.repeat(5000), token: '\ud800' }],
  ] as const
  for (const [where, what] of tries) await expect(resetPassword(where, { ...what, ...fresh })).rejects.toThrow(badLink)
  expect(await signsIn(user.email, testPassword)).toBe(true)
})

test('an account that is disabled, erased or not open yet cannot be reset, and loses its session', async () => {
  const ctx = await aContext(db)
  for (const change of [{ is_active: false }, { erased_at: new Date() }]) {
    const user = await aUser(db)
    const link = await aResetLink(ctx, user)
    const { id } = await createSession(ctx, { userUid: user.uid, agent: null })
    await db.updateTable('users').set(change).where('id', '=', user.id).execute()
    await expect(resetPassword(ctx, { ...link, ...fresh })).rejects.toThrow(badLink)
    expect((await findVisitor(db, 'institutional', id, ctx.now)).viewer).toBeNull()
  }
  const invitee = await aUser(db, { groups: ['learners', 'pending_users'] })
  await expect(resetPassword(ctx, { ...(await aResetLink(ctx, invitee)), ...fresh })).rejects.toThrow(badLink)
})

test('one of ten resets at once with one link wins', async () => {
  const user = await aUser(db)
  const ctx = await aContext(db)
  const link = await aResetLink(ctx, user)
  const passwords = Array.from({ length: 10 }, (_, index) => `Patient${index}Burette`)
  const outcomes = await Promise.allSettled(
    passwords.map((password) => resetPassword(ctx, { ...link, password, password2: password })),
  )
  const won = passwords.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  expect(won).toHaveLength(1)
  expect(await signsIn(user.email, won[0] ?? '')).toBe(true)
})

test('one of ten resets at once with ten links wins', async () => {
  const user = await aUser(db)
  const ctx = await aContext(db)
  const links = await Promise.all(Array.from({ length: 10 }, () => aResetLink(ctx, user)))
  const outcomes = await Promise.allSettled(links.map((link) => resetPassword(ctx, { ...link, ...fresh })))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('guessing links is slowed and refused, and a valid link still works', async () => {
  const user = await aUser(db)
  const ctx = { ...(await aContext(db)), address: '203.0.113.9' }
  const link = await aResetLink(ctx, user)
  env().LOGIN_ATTEMPTS_PER_15_MIN = 2
  try {
    const guess = (index: number) => resetPassword(ctx, { ...link, token: `guess${index}`, ...fresh })
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => guess(index)))
    const refused = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && outcome.reason.code === 'rate_limited',
    )
    expect(refused).toHaveLength(4)
    expect(await resetPassword(ctx, { ...link, ...fresh })).toMatchObject({ status: true })
  } finally {
    env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  }
})

test('L-239 L-240 changing the password ends the other sessions and the links, and renews this session', async () => {
  const user = await aUser(db)
  const ctx = await aSignInContext(db, { viewer: user })
  const { id } = await createSession(ctx, { userUid: user.uid, agent: null })
  const link = await aResetLink(ctx, user)
  expect(await changePassword(ctx, { currentPassword: testPassword, ...fresh })).toEqual({
    status: true,
    msg: 'Password has been changed.',
  })
  expect(ctx.begun).toEqual([user.uid])
  expect((await findVisitor(db, 'institutional', id, ctx.now)).viewer).toBeNull()
  expect(await findResetAccount(ctx, link)).toBeNull()
  expect(await signsIn(user.email, fresh.password)).toBe(true)
  const audit = await db.selectFrom('audit_entries').select('action').where('entity_uid', '=', user.uid).execute()
  expect(audit).toEqual([{ action: 'user.password_changed' }])
})

test.each([
  [
    'empty fields',
    '',
    '',
    '',
    {
      currentPassword: 'Please enter current password',
      password: 'Please enter new password',
      password2: 'Please confirm the password',
    },
  ],
  // L-205 to L-211: each rule of the dialog, as the server has it.
  ['seven characters', testPassword, 'Abc1234', 'Abc1234', { password: 'The minimum password length is 8' }],
  [
    'the current one',
    testPassword,
    testPassword,
    testPassword,
    { password: "New password can't be the same as the current password" },
  ],
  ['no capital', testPassword, 'abcdefg1', 'abcdefg1', { password: 'At least one uppercase letter' }],
  ['no digit', testPassword, 'Abcdefgh', 'Abcdefgh', { password: 'At least one digit' }],
  ['another confirmation', testPassword, 'Patient7Burette', 'x', { password2: 'Passwords must match' }],
  ['51 characters', testPassword, `A1${'x'.repeat(49)}`, `A1${'x'.repeat(49)}`, { password: 'At most 50 characters' }],
  [
    'a wrong current one',
    'Wrong7Horse',
    'Patient7Burette',
    'Patient7Burette',
    { currentPassword: 'Current password is incorrect.' },
  ],
  [
    'the own name',
    testPassword,
    'Okafor1906',
    'Okafor1906',
    { password: 'This password is too common. Choose another one.' },
  ],
  ...['OkaforADA1', 'Ada Okafor1', 'A-d-a.Okafor9'].map((password): [string, string, string, string, object] => [
    `the own names as ${password}`,
    testPassword,
    password,
    password,
    { password: 'This password is too common. Choose another one.' },
  ]),
])(
  'a change with %s is refused with a message beside its field',
  async (_name, currentPassword, password, password2, errors) => {
    const user = await aUser(db)
    const ctx = await aSignInContext(db, { viewer: user })
    await expect(changePassword(ctx, { currentPassword, password, password2 })).rejects.toMatchObject({
      fieldErrors: errors,
    })
    expect(ctx.begun).toEqual([])
    expect(await signsIn(user.email, testPassword)).toBe(true)
  },
)

test('a visitor, or somebody with another person’s password, changes nothing', async () => {
  const [user, other] = [await aUser(db), await aUser(db, { site: 'ns' })]
  const input = { currentPassword: testPassword, ...fresh }
  await expect(changePassword(await aContext(db), input)).rejects.toThrow('User is not logged in.')
  // A viewer of the other site has no row here.
  await expect(changePassword(await aSignInContext(db, { viewer: other }), input)).rejects.toThrow(
    'Current password is incorrect.',
  )
  expect(await signsIn(user.email, testPassword)).toBe(true)
})

test('one of ten changes at once wins, and the others read that their current password is wrong', async () => {
  const user = await aUser(db)
  const ctx = await aSignInContext(db, { viewer: user })
  const passwords = Array.from({ length: 10 }, (_, index) => `Patient${index}Burette`)
  const outcomes = await Promise.allSettled(
    passwords.map((password) => changePassword(ctx, { currentPassword: testPassword, password, password2: password })),
  )
  const won = passwords.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  expect(won).toHaveLength(1)
  expect(ctx.begun).toHaveLength(1)
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.message)
  expect(new Set(refused)).toEqual(new Set(['Current password is incorrect.']))
  expect(await signsIn(user.email, won[0] ?? '')).toBe(true)
})

test('guessing the current password is slowed and refused', async () => {
  const user = await aUser(db)
  const ctx = { ...(await aSignInContext(db, { viewer: user })), address: '203.0.113.11' }
  env().LOGIN_ATTEMPTS_PER_15_MIN = 2
  try {
    const guess = () => changePassword(ctx, { currentPassword: 'Wrong7Horse', ...fresh })
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, guess))
    const refused = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && outcome.reason.code === 'rate_limited',
    )
    expect(refused).toHaveLength(4)
  } finally {
    env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  }
})

test('of a flood of sign-ins, some are refused at once and the others are answered', async () => {
  const flood = Array.from({ length: 230 }, () => verifyPassword(null, 'Correct7Horse'))
  const answers = await Promise.allSettled(flood)
  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused).toHaveLength(26)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(Unavailable)
  let isOver = false
  const again = async () => {
    while (!isOver) await verifyPassword(null, 'Correct7Horse').catch(() => sleep(1))
  }
  const flooding = Array.from({ length: 230 }, again)
  const ctx = await aSignInContext(db)
  const countOf = async () => {
    const { sum } = await db
      .selectFrom('attempt_limits')
      .select((eb) => eb.fn.sum('count').as('sum'))
      .executeTakeFirstOrThrow()
    return Number(sum)
  }
  // A slot may be free for a moment during the flood, and then a sign-in is checked.
  let before = -1
  let refusal: unknown = null
  for (let tries = 0; tries < 20 && !(refusal instanceof Unavailable); tries++) {
    before = await countOf()
    refusal = await login(ctx, { username: 'who@titrate.example', password: 'x' }).catch((error) => error)
  }
  expect(refusal).toBeInstanceOf(Unavailable)
  expect(await countOf(), 'a refused check does not count as an attempt').toBe(before)
  isOver = true
  await Promise.all(flooding)
  expect(await verifyPassword(null, 'Correct7Horse')).toBe(false)
})

test('a sign-in that is running while the password changes leaves no session with the old password', async () => {
  const user = await aUser(db)
  const [first, second] = [await aSignInContext(db), await aSignInContext(db, { viewer: user })]
  const begunAt: string[] = []
  const record = (name: string) => async () => void begunAt.push(name)
  const signIn = login(
    { ...first, session: { ...first.session, begin: record('old') } },
    { username: user.email, password: testPassword },
  ).catch(() => null)
  const change = changePassword(
    { ...second, session: { ...second.session, begin: record('new') } },
    { currentPassword: testPassword, ...fresh },
  )
  await Promise.all([signIn, change])
  // A session begun before the change is ended by it; after the change none is begun.
  expect(begunAt.at(-1)).toBe('new')
})
