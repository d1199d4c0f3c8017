import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import {
  createAccessToken,
  findTokenHolder,
  listAccessTokens,
  mostTokens,
  revokeAccessToken,
  touchAccessToken,
} from '~/services/accounts/access-tokens.server.ts'
import { changePassword, resetPassword } from '~/services/accounts/password-changes.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { getFavorites, setFavorite } from '~/services/favorites/favorites.server.ts'
import { deleteModule } from '~/services/modules/modules.server.ts'
import { createSession, endOtherSessions, endOwnSession, listOwnSessions } from '~/services/sessions/sessions.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { listTags } from '~/services/tags/tags.server.ts'
import { updateUserRecord } from '~/services/users/updates.server.ts'
import { aResetLink } from '../support/accounts.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { db } from '../support/test.ts'

beforeAll(() => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
})

async function signedIn(viewer: Viewer, now?: Date): Promise<Ctx> {
  const ctx = await aContext(db, { viewer, ...(now && { now }) })
  return { ...ctx, session: { ...ctx.session, uid: crypto.randomUUID() } }
}

const wanted = (more: object = {}) => ({
  uid: crypto.randomUUID(),
  name: 'My script',
  scope: 'read',
  days: '90',
  currentPassword: testPassword,
  ...more,
})

test('a token is shown once and kept as a hash, and opens its owner’s account on its site until it expires', async () => {
  const viewer = await aUser(db)
  const ctx = await signedIn(viewer)
  const { token } = await createAccessToken(ctx, wanted())
  const [listed] = await listAccessTokens(ctx)
  expect(listed).toMatchObject({ name: 'My script', scope: 'read', hint: `…${token.slice(-4)}`, lastUsedAt: null })
  expect(JSON.stringify(await db.selectFrom('access_tokens').selectAll().execute())).not.toContain(token)
  expect(await findTokenHolder(ctx, { token })).toMatchObject({ viewer, scope: 'read' })
  expect(await findTokenHolder(await aContext(db, { site: 'ns' }), { token })).toBeNull()
  for (const other of ['', 'ttr_', token.slice(0, -1), `${token}x`, `ttr_${'A'.repeat(43)}`, "' or 1=1"]) {
    expect(await findTokenHolder(ctx, { token: other })).toBeNull()
  }
  const later = new Date(ctx.now.getTime() + 90 * 86_400_000)
  expect(await findTokenHolder(await signedIn(viewer, later), { token })).toBeNull()
  await db.updateTable('users').set({ is_active: false }).where('id', '=', viewer.id).execute()
  expect(await findTokenHolder(ctx, { token })).toBeNull()
})

test('a revoked token opens nothing; another person cannot revoke it, and it is revoked once', async () => {
  const ctx = await signedIn(await aUser(db))
  const input = wanted()
  const { token } = await createAccessToken(ctx, input)
  const revocation = { tokenUid: input.uid }
  await expect(revokeAccessToken(await signedIn(await aUser(db)), revocation)).rejects.toThrow(NotFound)
  await expect(revokeAccessToken(ctx, { tokenUid: 'x' })).rejects.toThrow(NotFound)
  expect(await findTokenHolder(ctx, { token })).not.toBeNull()
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => revokeAccessToken(ctx, revocation)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await findTokenHolder(ctx, { token })).toBeNull()
  expect(await listAccessTokens(ctx)).toEqual([])
})

test.each([
  [{ name: '  ' }, 'Please enter a name for the token'],
  [{ name: 'x'.repeat(101) }, 'At most 100 characters'],
  [{ scope: 'admin' }, 'Please choose what the token may do'],
  [{ days: '100000' }, 'Please choose how long the token lasts'],
  [{ currentPassword: '' }, 'Please enter your password'],
  [{ currentPassword: 'Wrong7Horse' }, 'Current password is incorrect.'],
  [{ currentPassword: 'x'.repeat(501) }, 'Current password is incorrect.'],
  [{ uid: 'x' }, 'This page was open for too long. Please send it again.'],
])('%j is refused with a message', async (wrong, message) => {
  const ctx = await signedIn(await aUser(db))
  await expect(createAccessToken(ctx, wanted(wrong))).rejects.toThrow(Invalid)
  await expect(createAccessToken(ctx, wanted(wrong))).rejects.toThrow(message)
})

test('creating a token requires a session, and a token cannot create another', async () => {
  await expect(createAccessToken(await aContext(db), wanted())).rejects.toThrow('Login required.')
  const byToken = await aContext(db, { viewer: await aUser(db) })
  await expect(createAccessToken(byToken, wanted())).rejects.toThrow(Forbidden)
  await expect(revokeAccessToken(byToken, { tokenUid: crypto.randomUUID() })).rejects.toThrow(Forbidden)
})

test('no token comes of a session alone: guesses at the password are counted, and the owner gets a mail', async () => {
  const viewer = await aUser(db)
  const ctx = { ...(await signedIn(viewer)), address: '203.0.113.9' }
  const mails = () =>
    db.selectFrom('account_mails').select(['kind', 'user_id']).where('user_id', '=', viewer.id).execute()
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1
  try {
    const guess = () => createAccessToken(ctx, wanted({ currentPassword: 'Wrong7Horse' }))
    await expect(guess()).rejects.toThrow('Current password is incorrect.')
    const guesses = await Promise.allSettled(Array.from({ length: 8 }, guess))
    expect(guesses.filter(({ status }) => status === 'fulfilled')).toEqual([])
    await expect(createAccessToken(ctx, wanted())).rejects.toMatchObject({ code: 'rate_limited' })
  } finally {
    env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  }
  expect(await listAccessTokens(ctx)).toEqual([])
  expect(await mails()).toEqual([])
  await createAccessToken(await signedIn(viewer), wanted())
  expect(await mails()).toEqual([{ kind: 'token_created', user_id: viewer.id }])
})

test('a password reset by mail revokes every token; a change does so only if asked to', async () => {
  const viewer = await aUser(db)
  const tokenOf = async () => (await createAccessToken(await signedIn(viewer), wanted())).token
  const works = async (token: string) => (await findTokenHolder(await aContext(db), { token })) !== null
  const [first, second] = [await tokenOf(), await tokenOf()]
  const othersToken = (await createAccessToken(await signedIn(await aUser(db)), wanted())).token
  const change = (from: string, to: string, more: object = {}) => {
    const passwords = { currentPassword: from, password: to, password2: to }
    return aContext(db, { viewer }).then((ctx) => changePassword(ctx, { ...passwords, ...more }))
  }
  await change(testPassword, 'Patient7Burette')
  expect([await works(first), await works(second)]).toEqual([true, true])
  await change('Patient7Burette', testPassword, { revokeTokens: true })
  expect([await works(first), await works(second), await works(othersToken)]).toEqual([false, false, true])
  const third = await tokenOf()
  const link = await aResetLink(await aContext(db), viewer)
  await resetPassword(await aContext(db), { ...link, password: 'Patient7Burette', password2: 'Patient7Burette' })
  expect([await works(third), await works(othersToken)]).toEqual([false, true])
  const [job] = await takeJobs(db, 'end-launches-of-person')
  expect(job).toMatchObject({ userUid: viewer.uid, site: 'institutional' })
  // What was opened while the reset was on its way ends, too.
  expect(new Date(job?.until ?? 0).getTime()).toBeGreaterThan(Date.now())
  const revocations = await db
    .selectFrom('audit_entries')
    .select('actor_name')
    .where('action', '=', 'access_token.revoked')
    .where('entity_uid', '=', viewer.uid)
    .execute()
  expect(revocations).toHaveLength(2)
})

test('one form creates one token, however often it is sent, and nobody has more than twenty', async () => {
  const ctx = await signedIn(await aUser(db))
  const input = wanted()
  const same = await Promise.allSettled(Array.from({ length: 10 }, () => createAccessToken(ctx, input)))
  expect(same.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const many = await Promise.allSettled(Array.from({ length: 25 }, () => createAccessToken(ctx, wanted())))
  expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(mostTokens - 1)
  expect(await listAccessTokens(ctx)).toHaveLength(mostTokens)
  await expect(createAccessToken(ctx, wanted())).rejects.toThrow(Conflict)
})

test('the last use is written at most once a minute', async () => {
  const ctx = await signedIn(await aUser(db))
  const input = wanted()
  await createAccessToken(ctx, input)
  const at = (seconds: number) => new Date(ctx.now.getTime() + seconds * 1000)
  const used = async () => (await listAccessTokens(ctx))[0]?.lastUsedAt
  await touchAccessToken(db, { tokenUid: input.uid, now: at(0) })
  await touchAccessToken(db, { tokenUid: input.uid, now: at(59) })
  expect(await used()).toEqual(at(0))
  await touchAccessToken(db, { tokenUid: input.uid, now: at(61) })
  expect(await used()).toEqual(at(61))
})

test('a read-only token reads and never writes, whatever its owner may do', async () => {
  const viewer = await aUser(db, { groups: ['admins'] })
  const reading = { ...(await signedIn(viewer)), scopes: ['read'] }
  expect((await listTags(reading)).items).toEqual([])
  expect(await getFavorites(reading)).toMatchObject({ moduleUids: [] })
  const changes: (() => Promise<unknown>)[] = [
    () => deleteTags(reading, { tagsToDelete: ['x'] }),
    () => deleteModule(reading, { moduleUid: randomUUID() }),
    () => setFavorite(reading, { action: 'ADD', studyUnitType: 'module', uid: randomUUID() }),
    () => updateUserRecord(reading, { userUid: viewer.uid, firstName: 'New' }, { mayChangeEmail: false }),
    () => launchUnit(reading, { moduleVersionUid: randomUUID() }),
    () => createAccessToken(reading, wanted()),
  ]
  for (const change of changes) await expect(change(), String(change)).rejects.toMatchObject({ code: 'token.scope' })
  const writing = { ...reading, scopes: ['read', 'write'] }
  expect(await deleteTags(writing, { tagsToDelete: ['x'] })).toEqual([])
})

test('sessions are listed, this one first, and can be ended one by one or all except this one', async () => {
  const viewer = await aUser(db)
  const plain = await aContext(db, { viewer })
  for (const agent of ['here', 'phone', 'library', 'hotel']) await createSession(plain, { userUid: viewer.uid, agent })
  const all = await listOwnSessions(plain)
  const uidOf = (agent: string) => all.find((session) => session.agent === agent)?.uid ?? ''
  const ctx = { ...plain, session: { ...plain.session, uid: uidOf('here') } }
  expect((await listOwnSessions(ctx))[0]).toMatchObject({ agent: 'here', isCurrent: true })
  const stranger = await signedIn(await aUser(db))
  await expect(endOwnSession(stranger, { sessionUid: uidOf('phone') })).rejects.toThrow(NotFound)
  await expect(endOwnSession(ctx, { sessionUid: uidOf('here') })).rejects.toThrow(Conflict)
  await expect(endOwnSession(ctx, { sessionUid: 'x' })).rejects.toThrow(NotFound)
  const ended = await Promise.allSettled(
    Array.from({ length: 10 }, () => endOwnSession(ctx, { sessionUid: uidOf('phone') })),
  )
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await endOtherSessions(stranger)).toEqual({ count: 0 })
  expect(await endOtherSessions(ctx)).toEqual({ count: 2 })
  expect(await endOtherSessions(ctx)).toEqual({ count: 0 })
  expect((await listOwnSessions(ctx)).map(({ agent }) => agent)).toEqual(['here'])
  await expect(endOtherSessions(await aContext(db))).rejects.toThrow('Login required.')
})
