import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { login } from '~/services/accounts/accounts.server.ts'
import { findKnownBrowser } from '~/services/accounts/known-browsers.server.ts'
import { resetPassword } from '~/services/accounts/password-changes.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, Unavailable } from '~/services/errors.ts'
import {
  confirmInvitation,
  createInvitation,
  explainInvitation,
  findInvitedUser,
  renewInvitation,
} from '~/services/invitations/invitations.server.ts'
import { countAttempts, deleteOldAttempts } from '~/services/limits/limits.server.ts'
import {
  createSession,
  deleteExpiredSessions,
  deleteSession,
  findVisitor,
  hashSessionId,
  recordVisit,
  touchSession,
} from '~/services/sessions/sessions.server.ts'
import { createUser } from '~/services/users/users.server.ts'
import { aResetLink } from '../support/accounts.ts'
import { aContext, asOperator, aUser, testPassword } from '../support/context.ts'
import { db } from '../support/test.ts'

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
})

/** A context whose session port records the sessions that began, which a transport would turn into cookies. */
async function aSignInContext(site: 'institutional' | 'ns' = 'institutional'): Promise<Ctx & { begun: string[] }> {
  const ctx = await aContext(db, { site })
  const begun: string[] = []
  const session = { uid: null, begin: async (_: Ctx, userUid: string) => void begun.push(userUid), end: async () => {} }
  return { ...ctx, begun, session }
}

/** The same in a browser that keeps its marks. */
async function aBrowserContext(address: string) {
  const ctx = await aSignInContext()
  const browser = {
    marks: '',
    remember: (marks: string) => {
      browser.marks = marks
    },
  }
  return { ...ctx, address, session: { ...ctx.session, browser } }
}

async function withLimit(attempts: number, work: () => Promise<void>): Promise<void> {
  env().LOGIN_ATTEMPTS_PER_15_MIN = attempts
  await work().finally(() => {
    env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  })
}

function linkParts(link: string): { userUid64b: string; token: string } {
  const [userUid64b = '', token = ''] = new URL(link).pathname.split('/').slice(2)
  return { userUid64b, token }
}

test('the right password begins a session and is recorded as a login', async () => {
  const user = await aUser(db)
  const ctx = await aSignInContext()
  const account = await login(ctx, { username: ` ${user.email.toUpperCase()} `, password: testPassword })
  expect(account.uid).toBe(user.uid)
  expect(ctx.begun).toEqual([user.uid])
  const logins = await db.selectFrom('logins').selectAll().where('user_id', '=', user.id).execute()
  expect(logins).toHaveLength(1)
})

test.each([
  ['a wrong password', {}, 'institutional', 'Wrong7Horse'],
  ['the right password on the other site', {}, 'ns', testPassword],
  ['an account that is not confirmed', { groups: ['learners', 'pending_users'] }, 'institutional', testPassword],
] as const)('C-232 %s is refused with the same message', async (_name, options, site, password) => {
  const user = await aUser(db, options as Parameters<typeof aUser>[1])
  const ctx = await aSignInContext(site)
  await expect(login(ctx, { username: user.email, password })).rejects.toThrow(
    'The email address or password is incorrect.',
  )
  expect(ctx.begun).toEqual([])
})

test('a disabled account and an unknown address are refused with the same message', async () => {
  const user = await aUser(db)
  await db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
  const ctx = await aSignInContext()
  for (const username of [user.email, 'nobody@titrate.example']) {
    await expect(login(ctx, { username, password: testPassword })).rejects.toThrow(
      'The email address or password is incorrect.',
    )
  }
})

test('C-184 C-185 empty and malformed credentials name their field', async () => {
  const ctx = await aSignInContext()
  await expect(login(ctx, { username: '', password: 'x' })).rejects.toMatchObject({
    fieldErrors: { username: 'Please enter an email address' },
  })
  await expect(login(ctx, { username: 'a@b.example', password: '' })).rejects.toMatchObject({
    fieldErrors: { password: 'Please enter a password' },
  })
  await expect(login(ctx, { username: 'a\u0000b', password: 'x' })).rejects.toMatchObject({ code: 'invalid' })
})

test('guessing from one place has to wait, while the owner elsewhere can still sign in', async () => {
  const user = await aUser(db)
  const attacker = { ...(await aSignInContext()), address: '203.0.113.7' }
  const owner = { ...(await aSignInContext()), address: '198.51.100.4' }
  await withLimit(3, async () => {
    const guesses = Array.from({ length: 9 }, () => login(attacker, { username: user.email, password: 'Wrong7Horse' }))
    const outcomes = await Promise.allSettled(guesses)
    const messages = outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).message : ''))
    expect(messages.filter((message) => message === 'The email address or password is incorrect.')).toHaveLength(3)
    expect(messages).toContain(
      'Too many attempts. Please wait 5 seconds and try again, or choose a new password with "Forgot password?".',
    )
    expect(await login(owner, { username: user.email, password: testPassword })).toMatchObject({ uid: user.uid })
  })
})

test('each wait is twice as long, five minutes at most, and afterwards the right password works', async () => {
  const user = await aUser(db)
  const first = { ...(await aSignInContext()), address: '203.0.113.8' }
  const start = first.now.getTime()
  const at = (seconds: number) => ({ ...first, now: new Date(start + seconds * 1000) })
  const guess = (seconds: number) => login(at(seconds), { username: user.email, password: 'Wrong7Horse' })
  const waitAt = async (seconds: number) => {
    const error = await guess(seconds).catch((error: unknown) => error)
    return error instanceof Unavailable ? error.retryAfter : 0
  }
  await withLimit(2, async () => {
    expect([await waitAt(0), await waitAt(0), await waitAt(0), await waitAt(4)]).toEqual([0, 0, 5, 1])
    const waits: number[] = []
    let seconds = 5
    for (let count = 0; count < 7; count++) {
      expect(await waitAt(seconds), `after waiting until ${seconds}`).toBe(0)
      waits.push(await waitAt(seconds))
      seconds += waits.at(-1) ?? 0
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300])
    // Refused attempts did not make it longer.
    for (let count = 0; count < 20; count++) await waitAt(seconds - 1)
    const right = { username: user.email, password: testPassword }
    await expect(login(at(seconds - 1), right)).rejects.toThrow(/Please wait 1 second and/)
    expect(await login(at(seconds), right)).toMatchObject({ uid: user.uid })
    expect([await waitAt(seconds), await waitAt(seconds), await waitAt(seconds)]).toEqual([0, 0, 5])
  })
})

test('a browser in which somebody signed in before has its own counter, and a mailed link makes it one', async () => {
  const [user, other] = [await aUser(db), await aUser(db)]
  const network = '192.0.2.77'
  const wrong = { username: user.email, password: 'Wrong7Horse' }
  const right = { username: user.email, password: testPassword }
  const stranger = { ...(await aSignInContext()), address: network }
  const [known, shared] = [await aBrowserContext(network), await aBrowserContext(network)]
  await login(known, right)
  // Someone else's browser is not known to this account.
  await login(shared, { username: other.email, password: testPassword })
  await withLimit(2, async () => {
    await Promise.allSettled(Array.from({ length: 6 }, () => login(stranger, wrong)))
    await expect(login(stranger, right)).rejects.toThrow('Too many attempts.')
    await expect(login(shared, right)).rejects.toThrow('Too many attempts.')
    expect(await login(known, right)).toMatchObject({ uid: user.uid })
    // Its own attempts are counted, too.
    await Promise.allSettled(Array.from({ length: 3 }, () => login(known, wrong)))
    await expect(login(known, right)).rejects.toThrow('Too many attempts.')
    const passwords = { password: 'Patient7Burette', password2: 'Patient7Burette' }
    await resetPassword(shared, { ...(await aResetLink(shared, user)), ...passwords })
    expect(await login(shared, { ...right, password: passwords.password })).toMatchObject({ uid: user.uid })
  })
})

test('the mark of a browser names nobody, is worth nothing for others or elsewhere, and five are kept', async () => {
  const [user, other] = [await aUser(db), await aUser(db)]
  const browser = await aBrowserContext('192.0.2.78')
  await login(browser, { username: user.email, password: testPassword })
  const { marks } = browser.session.browser
  expect(marks).toMatch(/^[\w-]{48}$/)
  const markOf = async (marks: string, email: string, site: 'institutional' | 'ns' = 'institutional') => {
    const ctx = await aSignInContext(site)
    return findKnownBrowser({ ...ctx, session: { ...ctx.session, browser: { marks, remember: () => {} } } }, email)
  }
  expect(await markOf(marks, user.email)).toBe(marks.slice(0, 16))
  expect(await markOf(marks, other.email)).toBeNull()
  expect(await markOf(marks, user.email, 'ns')).toBeNull()
  const otherThan = (character?: string) => (character === 'x' ? 'y' : 'x')
  const first = `${otherThan(marks[0])}${marks.slice(1)}`
  const last = `${marks.slice(0, -1)}${otherThan(marks.at(-1))}`
  for (const forged of ['', '.', first, last, `${marks}x`, '.'.repeat(5000)]) {
    expect(await markOf(forged, user.email), forged.slice(0, 60)).toBeNull()
  }
  await login(browser, { username: user.email, password: testPassword })
  expect(browser.session.browser.marks).toBe(marks)
  for (let count = 0; count < 5; count++) {
    await login(browser, { username: (await aUser(db)).email, password: testPassword })
  }
  expect(browser.session.browser.marks.split('.')).toHaveLength(5)
  expect(await markOf(browser.session.browser.marks, user.email)).toBeNull()
})

test('all known browsers of an account together get no more than five times the attempts of one', async () => {
  const user = await aUser(db)
  const browsers = await Promise.all(Array.from({ length: 8 }, () => aBrowserContext('192.0.2.79')))
  for (const browser of browsers) await login(browser, { username: user.email, password: testPassword })
  await withLimit(2, async () => {
    const wrong = { username: user.email, password: 'Wrong7Horse' }
    const outcomes = await Promise.allSettled(
      browsers.flatMap((browser) => [login(browser, wrong), login(browser, wrong)]),
    )
    const checked = outcomes.filter(
      ({ status, reason }: { status: string; reason?: Error }) => status === 'rejected' && reason instanceof Invalid,
    )
    // Ten of the known browsers, and then two of the network.
    expect(checked).toHaveLength(12)
  })
})

test('C-235 an invitation opens the account once, starts the subscription and signs in', async () => {
  const ctx = await aSignInContext()
  const { link, userUid } = await createInvitation(asOperator(ctx), {
    email: 'invitee@titrate.example',
    firstName: 'Mina',
    lastName: 'Roth',
    groups: ['learners'],
    planName: 'Full Access',
  })
  const parts = linkParts(link)
  expect(await findInvitedUser(ctx, parts)).toMatchObject({ email: 'invitee@titrate.example' })
  expect(await explainInvitation(ctx, parts)).toMatch(/invalid or has expired/)
  const passwords = { password: 'Patient7Burette', password2: 'Patient7Burette' }
  await confirmInvitation(ctx, { ...parts, ...passwords })
  expect(ctx.begun).toEqual([userUid])
  await expect(confirmInvitation(ctx, { ...parts, ...passwords })).rejects.toThrow(/invalid or has expired/)
  const open = await db
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'invitations.user_id')
    .select('accepted_at')
    .where('users.uid', '=', Buffer.from(parts.userUid64b, 'base64url').toString())
    .execute()
  expect(open).toEqual([{ accepted_at: ctx.now }])
  expect(await findInvitedUser(ctx, parts)).toBeNull()
  // Only a person with the used link learns that the account exists.
  expect(await explainInvitation(ctx, parts)).toMatch(/used already: your account is open/)
  expect(await explainInvitation(ctx, { ...parts, token: `${parts.token}x` })).toMatch(/invalid or has expired/)
  await expect(login(ctx, { username: 'invitee@titrate.example', password: 'Patient7Burette' })).resolves.toMatchObject(
    {
      groups: ['learners'],
    },
  )
  const subscription = await db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'user_id')
    .select('valid_from')
    .where('users.uid', '=', userUid)
    .executeTakeFirstOrThrow()
  expect(subscription.valid_from).not.toBeNull()
})

test('ten confirmations at once open the account once', async () => {
  const ctx = await aSignInContext()
  const { link } = await createInvitation(asOperator(ctx), {
    email: 'ten@titrate.example',
    firstName: '',
    lastName: '',
    groups: ['learners'],
  })
  const attempt = () =>
    confirmInvitation(ctx, { ...linkParts(link), password: 'Patient7Burette', password2: 'Patient7Burette' })
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, attempt))
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
})

test.each([
  ['too short', 'Abcdef1', 'Abcdef1', 'password', 'At least 8 characters'],
  ['without a capital', 'abcdefg1', 'abcdefg1', 'password', 'At least one uppercase letter'],
  ['without a digit', 'Abcdefgh', 'Abcdefgh', 'password', 'At least one digit'],
  ['too long', `A1${'x'.repeat(49)}`, `A1${'x'.repeat(49)}`, 'password', 'At most 50 characters'],
  ['not repeated', 'Patient7Burette', 'Patient7burette', 'password2', 'Passwords must match'],
  ['common', 'Password1', 'Password1', 'password', 'This password is too common. Choose another one.'],
  ['the own name', 'Grace1906', 'Grace1906', 'password', 'This password is too common. Choose another one.'],
])(
  'C-190 a first password that is %s is refused with a message beside its field',
  async (_name, password, password2, field, message) => {
    const ctx = await aSignInContext()
    const email = `rules-${password.length}-${field}-${password.charCodeAt(1)}-${message.length}@titrate.example`
    const input = { email, firstName: 'Grace', lastName: 'Hopper', groups: ['learners' as const] }
    const { link } = await createInvitation(asOperator(ctx), input).catch(() => renewInvitation(asOperator(ctx), input))
    await expect(confirmInvitation(ctx, { ...linkParts(link), password, password2 })).rejects.toMatchObject({
      fieldErrors: { [field]: message },
    })
  },
)

test('an invitation link does not work on the other site, with another token, or garbled', async () => {
  const ctx = await aSignInContext()
  const { link } = await createInvitation(asOperator(ctx), {
    email: 'cross@titrate.example',
    firstName: '',
    lastName: '',
    groups: ['learners'],
  })
  const parts = linkParts(link)
  expect(await findInvitedUser(await aSignInContext('ns'), parts)).toBeNull()
  expect(await findInvitedUser(ctx, { ...parts, token: 'x'.repeat(43) })).toBeNull()
  expect(await findInvitedUser(ctx, { userUid64b: '%00', token: parts.token })).toBeNull()
})

test('a second link for the same invitee makes the first one invalid', async () => {
  const ctx = await aSignInContext()
  const input = { email: 'again@titrate.example', firstName: '', lastName: '', groups: ['admins' as const] }
  const first = await createInvitation(asOperator(ctx), input)
  await expect(createInvitation(asOperator(ctx), input)).rejects.toMatchObject({ code: 'user.email_taken' })
  const second = await renewInvitation(asOperator(ctx), input)
  expect(await findInvitedUser(ctx, linkParts(first.link))).toBeNull()
  expect(await findInvitedUser(ctx, linkParts(second.link))).not.toBeNull()
})

test('ten simultaneous accounts with one address make one account', async () => {
  const ctx = await aContext(db)
  const make = () =>
    createUser(asOperator(ctx), { email: 'One@titrate.example', firstName: '', lastName: '', groups: ['learners'] })
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, make))
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
})

test('a session works for its user on its own site only, until it ends, expires or the account is disabled', async () => {
  const user = await aUser(db, { groups: ['admins'] })
  const ctx = await aContext(db)
  const { id } = await createSession(ctx, { userUid: user.uid, agent: 'test' })
  const visitor = await findVisitor(db, 'institutional', id, ctx.now)
  expect(visitor.viewer).toMatchObject({ uid: user.uid, groups: ['admins'], planId: user.planId })
  expect((await findVisitor(db, 'ns', id, ctx.now)).viewer).toBeNull()
  expect((await findVisitor(db, 'institutional', 'wrong', ctx.now)).viewer).toBeNull()
  const later = new Date(ctx.now.getTime() + 15 * 86_400_000)
  expect((await findVisitor(db, 'institutional', id, later)).viewer).toBeNull()
  await deleteSession(ctx, { id })
  expect((await findVisitor(db, 'institutional', id, ctx.now)).viewer).toBeNull()
})

test('an expired subscription leaves the viewer without a plan', async () => {
  const user = await aUser(db)
  const ctx = await aContext(db)
  const { id } = await createSession(ctx, { userUid: user.uid, agent: null })
  await db
    .updateTable('subscriptions')
    .set({ valid_to: new Date(ctx.now.getTime() - 1000) })
    .where('user_id', '=', user.id)
    .execute()
  expect((await findVisitor(db, 'institutional', id, ctx.now)).viewer).toMatchObject({ planId: null })
})

test('using a session extends it at most once a minute and makes one visit', async () => {
  const user = await aUser(db)
  const ctx = await aContext(db)
  const { id } = await createSession(ctx, { userUid: user.uid, agent: null })
  const { sessionUid } = await findVisitor(db, 'institutional', id, ctx.now)
  const later = new Date(ctx.now.getTime() + 120_000)
  const touch = () => touchSession(db, { sessionUid: sessionUid ?? '', viewer: user, now: later })
  await Promise.all(Array.from({ length: 10 }, touch))
  const visits = await db.selectFrom('visits').select('id').where('user_id', '=', user.id).execute()
  expect(visits).toHaveLength(1)
})

test('a session that is used every day still ends 90 days after the sign-in', async () => {
  const user = await aUser(db)
  const start = new Date()
  const at = (days: number) => new Date(start.getTime() + days * 86_400_000)
  const ctx = await aContext(db, { now: start })
  const { id } = await createSession(ctx, { userUid: user.uid, agent: null })
  const visitOn = async (days: number) => {
    const { viewer, sessionUid } = await findVisitor(db, 'institutional', id, at(days))
    if (viewer && sessionUid) await touchSession(db, { sessionUid, viewer, now: at(days) })
    return viewer !== null
  }
  for (let day = 0; day < 90; day++) expect(await visitOn(day), `day ${day}`).toBe(true)
  expect(await visitOn(90.01)).toBe(false)
})

test('a visit of an earlier time is a visit of its own', async () => {
  const user = await aUser(db)
  const at = (day: number, minute = 0) => new Date(Date.UTC(2026, 0, day, 9, minute))
  for (const now of [at(20), at(20, 10), at(5), at(5, 20), at(5, 15), at(20, 5)]) {
    await recordVisit(db, { viewer: user, now })
  }
  const visits = await db
    .selectFrom('visits')
    .select(['started_at', 'last_seen_at'])
    .where('user_id', '=', user.id)
    .orderBy('started_at')
    .execute()
  expect(visits).toEqual([
    { started_at: at(5), last_seen_at: at(5, 20) },
    { started_at: at(20), last_seen_at: at(20, 10) },
  ])
})

test('jobs delete only expired sessions and attempts that no longer count', async () => {
  const user = await aUser(db)
  const ctx = await aContext(db)
  const [kept, over] = [
    await createSession(ctx, { userUid: user.uid, agent: null }),
    await createSession({ ...ctx, now: new Date(0) }, { userUid: user.uid, agent: null }),
  ]
  await countAttempts({ ...ctx, now: new Date(0) }, ['old'], 60)
  await countAttempts(ctx, ['new'], 60)
  await deleteExpiredSessions(ctx)
  await deleteOldAttempts(ctx)
  const sessions = await db.selectFrom('sessions').select('id_hash').where('user_id', '=', user.id).execute()
  expect(sessions).toEqual([{ id_hash: hashSessionId(kept.id) }])
  expect(over.id).not.toBe(kept.id)
  expect(await countAttempts(ctx, ['old', 'new'], 60)).toEqual([1, 2])
})

test('an account cannot be made of text that cannot be stored', async () => {
  const ctx = await aContext(db)
  const person = { email: 'text@titrate.example', firstName: '', lastName: '', groups: ['learners' as const] }
  await expect(createUser(asOperator(ctx), { ...person, email: `${'x'.repeat(100)}@a.example` })).rejects.toThrow(
    Invalid,
  )
  await expect(createUser(asOperator(ctx), { ...person, firstName: 'a\u0000b' })).rejects.toThrow(Invalid)
  await expect(createUser(asOperator(ctx), { ...person, lastName: 'y'.repeat(51) })).rejects.toThrow(Invalid)
})
