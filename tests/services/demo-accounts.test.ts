/** The accounts of a demo: the authors come before the content, and everybody else after it. */
import { expect, test } from 'vitest'
import { Conflict } from '~/services/errors.ts'
import { activateUser, createUser } from '~/services/users/users.server.ts'
import { isInUse, seedPeople } from '../../seed/demo.ts'
import { asOperator } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

test('a start that was interrupted after the author is continued, with a new password for everybody', async () => {
  const operator = asOperator(ctx)
  const today = new Date('2026-11-20T00:00:00Z')
  expect(await isInUse(db)).toBe(false)
  const { uid } = await createUser(operator, {
    email: 'author@titrate.example',
    firstName: 'María Guadalupe',
    lastName: 'Castellanos-Villaseñor',
    groups: ['learners', 'authors'],
  })
  await activateUser(operator, { userUid: uid, passwordHash: 'of a password that was never printed' })
  expect(await isInUse(db)).toBe(false)
  expect(await seedPeople(operator, today, 'new')).toHaveLength(5)
  expect(await isInUse(db)).toBe(true)
  const hashes = await db.selectFrom('users').select('password_hash as hash').where('is_active', '=', true).execute()
  expect(hashes).toEqual(Array(5).fill({ hash: 'new' }))
  await expect(seedPeople(operator, today, 'newer')).rejects.toThrow(Conflict)
})
