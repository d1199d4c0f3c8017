import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  createAccessToken,
  findTokenHolder,
  listAccessTokens,
  mostTokens,
  revokeAccessToken,
  touchAccessToken,
} from '~/services/accounts/access-tokens.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { getFavorites, setFavorite } from '~/services/favorites/favorites.server.ts'
import { deleteModule } from '~/services/modules/modules.server.ts'
import { createSession, endOtherSessions, endOwnSession, listOwnSessions } from '~/services/sessions/sessions.server.ts'
import { deleteTags, listTags } from '~/services/tags/tags.server.ts'
import { updateUserRecord } from '~/services/users/updates.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

async function signedIn(viewer: Viewer, now?: Date): Promise<Ctx> {
  const ctx = await aContext(db, { viewer, ...(now && { now }) })
  return { ...ctx, session: { ...ctx.session, uid: crypto.randomUUID() } }
}

const wanted = (more: object = {}) => ({
  uid: crypto.randomUUID(),
  name: 'My script',
  scope: 'read',
  days: '90',
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
