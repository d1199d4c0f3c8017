/** Deleting an account and bringing it back. */
import { expect, test } from 'vitest'
import { login } from '~/services/accounts/accounts.server.ts'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { createSession, findVisitor } from '~/services/sessions/sessions.server.ts'
import { restoreUser } from '~/services/users/delete-user.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { aResetLink } from '../support/accounts.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

const viewer = await aUser(db, { groups: ['admins'], plan: null })
const admin = await aContext(db, { viewer })

test('C-222 a deleted person is not found, signed out and cannot log in; a restored one can', async () => {
  const person = await aUser(db)
  const { id } = await createSession(ctx, { userUid: person.uid, agent: null })
  await aResetLink(ctx, person)
  await deleteUser(admin, { userUid: person.uid })
  await expect(getUser(admin, { userUid: person.uid })).rejects.toThrow('Not found')
  expect((await findVisitor(db, 'institutional', id, new Date())).viewer).toBeNull()
  await expect(login(ctx, { username: person.email, password: testPassword })).rejects.toThrow(/incorrect/)
  const tokens = db.selectFrom('one_time_tokens').select('id').where('user_id', '=', person.id)
  expect(await tokens.execute()).toEqual([])
  for (const _ of [1, 2]) expect(await restoreUser(admin, { userUid: person.uid })).toMatchObject({ uid: person.uid })
  expect(await login(ctx, { username: person.email, password: testPassword })).toMatchObject({ uid: person.uid })
})

test('an account can be restored for thirty days', async () => {
  const person = await aUser(db)
  await deleteUser(admin, { userUid: person.uid })
  const later = (days: number) => ({ ...admin, now: new Date(Date.now() + days * 86_400_000) })
  await expect(restoreUser(later(31), { userUid: person.uid })).rejects.toThrow(/can no longer be restored/)
  await restoreUser(later(29), { userUid: person.uid })
})

test('only admins of the site delete and restore; ten times at once deletes once', async () => {
  const person = await aUser(db)
  await expectGuarded(deleteUser, { userUid: person.uid }, { by: ['admins'] })
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => deleteUser(admin, { userUid: person.uid })))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expectGuarded(restoreUser, { userUid: person.uid }, { by: ['admins'] })
  await Promise.all(Array.from({ length: 10 }, () => restoreUser(admin, { userUid: person.uid })))
  const entries = await db
    .selectFrom('audit_entries')
    .select('action')
    .where('entity_uid', '=', person.uid)
    .orderBy('id')
    .execute()
  expect(entries.map(({ action }) => action)).toEqual(['user.deleted', 'user.restored'])
})

test('C-202 nobody deletes the own account, and two admins cannot delete each other at the same time', async () => {
  await expect(deleteUser(admin, { userUid: viewer.uid })).rejects.toThrow('You cannot delete your own account.')
  const everybody = await db
    .selectFrom('users')
    .innerJoin('user_groups', 'user_groups.user_id', 'users.id')
    .select('users.uid')
    .where('name', '=', 'admins')
    .where('users.site_id', '=', ctx.site.id)
    .where('users.uid', '!=', viewer.uid)
    .where('erased_at', 'is', null)
    .execute()
  for (const { uid } of everybody) await deleteUser(admin, { userUid: uid })
  const second = await aUser(db, { groups: ['admins'], plan: null })
  const other = await aContext(db, { viewer: second })
  const results = await Promise.allSettled([
    deleteUser(admin, { userUid: second.uid }),
    deleteUser(other, { userUid: viewer.uid }),
  ])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'user.last_admin' } })
})
