/** Closing an account. */
import { expect, test } from 'vitest'
import { login } from '~/services/accounts/accounts.server.ts'
import { listLastSignIns } from '~/services/accounts/sign-ins.server.ts'
import { createSession, findVisitor } from '~/services/sessions/sessions.server.ts'
import { listUsersByEmail } from '~/services/users/batch.server.ts'
import { deactivateUser } from '~/services/users/deactivate-user.server.ts'
import { createUser } from '~/services/users/users.server.ts'
import { aContext, asOperator, aUser, testPassword } from '../support/context.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })

test('a deactivated person is signed out everywhere and cannot sign in again', async () => {
  const person = await aUser(db)
  const { id } = await createSession(ctx, { userUid: person.uid, agent: null })
  await deactivateUser(admin, { userUid: person.uid })
  expect((await findVisitor(db, 'institutional', id, new Date())).viewer).toBeNull()
  await expect(login(ctx, { username: person.email, password: testPassword })).rejects.toThrow(
    'The email address or password is incorrect.',
  )
})

test('only admins of the site may deactivate people', async () => {
  await expectGuarded(deactivateUser, { userUid: (await aUser(db)).uid }, { by: ['admins'] })
})

test('twice, or ten times at once, deactivates once, also in the audit log', async () => {
  const person = await aUser(db)
  const all = await Promise.all(Array.from({ length: 10 }, () => deactivateUser(admin, { userUid: person.uid })))
  expect(all.filter(({ isChanged }) => isChanged)).toHaveLength(1)
  const entries = await db
    .selectFrom('audit_entries')
    .select('actor_name')
    .where('entity_uid', '=', person.uid)
    .where('action', '=', 'user.deactivated')
    .execute()
  expect(entries).toEqual([{ actor_name: 'Ada Okafor' }])
})

test('an account that nobody has opened is not found', async () => {
  const invited = await createUser(asOperator(ctx), {
    email: 'not-opened@titrate.example',
    firstName: 'Not',
    lastName: 'Opened',
    groups: ['learners'],
  })
  await expect(deactivateUser(admin, { userUid: invited.uid })).rejects.toThrow('Not found')
  await expect(deactivateUser(admin, { userUid: 'nobody' })).rejects.toThrow('Not found')
})

test('only admins can read the last sign-in before a given time', async () => {
  const person = await aUser(db)
  const other = await aUser(db)
  const at = (day: number) => new Date(Date.UTC(2026, 0, day))
  const people = { userUids: [person.uid, other.uid] }
  for (const day of [3, 5, 9]) await login({ ...ctx, now: at(day) }, { username: person.email, password: testPassword })
  await login({ ...ctx, now: at(4) }, { username: other.email, password: testPassword })
  expect(await listLastSignIns(admin, { userUids: [person.uid, 'x'], before: at(9) })).toEqual(
    new Map([[person.uid, at(5)]]),
  )
  expect(await listLastSignIns(admin, { ...people, before: at(5) })).toEqual(
    new Map([
      [person.uid, at(3)],
      [other.uid, at(4)],
    ]),
  )
  expect(await listLastSignIns(admin, { ...people, before: at(3) })).toEqual(new Map())
  expect(await listLastSignIns(admin, { userUids: [], before: at(9) })).toEqual(new Map())
  await expectGuarded(listLastSignIns, { ...people, before: at(9) }, { by: ['admins'], elsewhere: null })
})

test('admins find users of their site by address', async () => {
  const [person, other] = [await aUser(db), await aUser(db)]
  const ns = await aUser(db, { site: 'ns' })
  const emails = [person.email.toUpperCase(), other.email, ns.email, 'nobody@titrate.example']
  const found = await listUsersByEmail(admin, emails)
  expect([...found].map(([email, { uid }]) => [email, uid])).toEqual([
    [person.email.toUpperCase(), person.uid],
    [other.email, other.uid],
  ])
  expect(await listUsersByEmail(admin, [])).toEqual(new Map())
  await expectGuarded(listUsersByEmail, emails, { by: ['admins'], elsewhere: null })
})
