/** Texts that look like others: addresses of accounts, tags, institutions and terms of the glossary. */
import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { emailInvalid, emailMistakable, profileErrors } from '~/forms/profile-rules.ts'
import { emailKey } from '~/lib/text.ts'
import { login } from '~/services/accounts/accounts.server.ts'
import { requestPasswordReset } from '~/services/accounts/password-changes.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import { createGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { ensureTags } from '~/services/tags/tags.server.ts'
import { listUsersByEmail } from '~/services/users/batch.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { aSignInContext } from '../support/accounts.ts'
import { aContext, asOperator, aUser, testPassword } from '../support/context.ts'
import { aMember, moduleValues } from '../support/module-editing.ts'
import { db } from '../support/test.ts'

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
})

const mistakable = [
  'boss\u200b@titrate.example',
  'boss@titrate.example\u200b',
  '\u200fboss@titrate.example',
  'bo\u00adss@titrate.example',
  'bo\u202ess@titrate.example',
  'bo\u200dss@titrate.example',
  'boss\u3164@titrate.example',
  'boss\u2800@titrate.example',
  'boss\ue000@titrate.example',
  'boss@titrate\ufff9.example',
  '\uff42oss@titrate.example',
  'boss\uff20titrate.example@a.example',
  'boss@titrate.e\u24e7ample',
]
const invalid = [
  'bo ss@titrate.example',
  'bo\u00a0ss@titrate.example',
  'bo\nss@titrate.example',
  'bo\u0007ss@titrate.example',
]
const refusals = [
  ...mistakable.map((email) => ({ email, message: emailMistakable })),
  ...invalid.map((email) => ({ email, message: emailInvalid })),
]

test('no account gets an address that looks like another one, and nobody is found by it', async () => {
  const boss = await aUser(db, { email: 'boss@titrate.example' })
  const viewer = await aUser(db)
  const signedIn = await aSignInContext(db, { viewer })
  const ctx = { ...signedIn, session: { ...signedIn.session, uid: crypto.randomUUID() } }
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
  const visitor = await aSignInContext(db)
  for (const { email, message } of refusals) {
    const refused = { message, fieldErrors: { email: message } }
    const own = updateUser(ctx, { userUid: viewer.uid, email, currentPassword: testPassword })
    await expect(own).rejects.toMatchObject(refused)
    await expect(updateUser(admin, { userUid: viewer.uid, email })).rejects.toMatchObject(refused)
    const invited = createInvitation(admin, { email, firstName: 'A', lastName: 'B', groups: ['learners'] })
    await expect(invited).rejects.toMatchObject(refused)
    expect(profileErrors({ email, currentPassword: 'x' }, viewer.email)).toEqual({ email: message })
    // Wide letters are another way to type the same address.
    if (emailKey(email) === boss.email) continue
    const entered = login(visitor, { username: email, password: testPassword })
    await expect(entered).rejects.toThrow('The email address or password is incorrect.')
    await requestPasswordReset(visitor, { email })
    expect((await listUsersByEmail(admin, [email])).size).toBe(0)
  }
  const keys = await db.selectFrom('account_mails').select('email_key').where('kind', '=', 'reset').execute()
  expect(keys.map(({ email_key }) => email_key)).not.toContain(boss.email)
  expect(await login(visitor, { username: ' BOSS@titrate.example ', password: testPassword })).toMatchObject({
    uid: boss.uid,
  })
})

test('an account that has such an address keeps it and its key, while its name changes', async () => {
  const email = 'old\u200b@titrate.example'
  const viewer = await aUser(db, { email })
  const ctx = await aSignInContext(db, { viewer })
  await db.updateTable('users').set({ email_key: 'another key' }).where('id', '=', viewer.id).execute()
  await updateUser(ctx, { userUid: viewer.uid, firstName: 'Grace', email })
  const { email_key } = await db
    .selectFrom('users')
    .select('email_key')
    .where('id', '=', viewer.id)
    .executeTakeFirstOrThrow()
  expect(email_key).toBe('another key')
  expect(await getUser(asOperator(ctx), { userUid: viewer.uid })).toMatchObject({ firstName: 'Grace', email })
  expect(profileErrors({ firstName: 'Grace', email }, email)).toEqual({})
})

const alike = [
  'Zed Lab',
  'Zed Lab\u200b',
  'Zed Lab\u200f',
  '\u200fZed Lab',
  'Zed  Lab',
  'Zed\nLab',
  'Z\u200bed lab',
  'Zed\u00a0Lab',
]

test('names that look alike make one institution, one tag and one term', async () => {
  const ctx = await aContext(db, { isOperator: true })
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
  for (const university of alike) await updateUser(admin, { userUid: (await aUser(db)).uid, university })
  const institutions = await db.selectFrom('universities').select('name').where('search_key', 'like', '%zed%').execute()
  expect(institutions).toEqual([{ name: 'Zed Lab' }])
  const tags = await Promise.all(alike.map((text) => ensureTags(ctx, { texts: [text] })))
  expect(new Set(tags.flat()).size).toBe(1)
  const terms = alike.map((name) => ({ name, definition: 'x' }))
  expect(await createGlossaryTerms(ctx, { terms })).toBe(1)
  expect(await createGlossaryTerms(ctx, { terms })).toBe(0)
})

test('rows with a key from before are found by it, and not made again', async () => {
  const ctx = await aContext(db, { isOperator: true })
  const site_id = ctx.site.id
  const text = 'می\u200cخواهم'
  const tag = await db
    .insertInto('tags')
    .values({ site_id, text, text_key: text })
    .returning('uid')
    .executeTakeFirstOrThrow()
  await db.insertInto('tags').values({ site_id, text: 'Twin', text_key: 'twin' }).execute()
  await db.insertInto('tags').values({ site_id, text: 'Twin\u200b', text_key: 'twin\u200b' }).execute()
  const institution = await db
    .insertInto('universities')
    .values({ site_id, name: text, name_key: text, search_key: text })
    .returning('uid')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('glossary_terms')
    .values({ site_id, slug: 'old-term', name: text, name_key: text, search_key: text, definition: 'x' })
    .execute()
  expect(await ensureTags(ctx, { texts: [text] })).toEqual([tag.uid])
  expect(await ensureUniversity(ctx, { name: text })).toMatchObject({ uid: institution.uid })
  expect(await createGlossaryTerms(ctx, { terms: [{ name: text, definition: 'y' }] })).toBe(0)
  // Each of two that look alike can be removed.
  const left = (await deleteTags(ctx, { tagsToDelete: ['Twin\u200b'] })).map((one) => one.text)
  expect(left).toContain('Twin')
  expect(left).not.toContain('Twin\u200b')
})

test('a module has a name and a picture of one line, and a description of several', async () => {
  const ctx = await aMember(db, ['authors'])
  const values = { coverImgDesc: 'A\npicture', description: 'One\ntwo', comingSoon: true }
  const { uid } = await createModule(
    ctx,
    await moduleValues(ctx, { ...values, name: 'Zed\n module\u200b', cmi5Zip: null }),
  )
  const stored = await db
    .selectFrom('modules')
    .select(['name', 'name_key', 'description', 'cover_img_desc'])
    .where('uid', '=', uid)
    .executeTakeFirstOrThrow()
  expect(stored).toEqual({
    name: 'Zed module',
    name_key: 'zed module',
    description: 'One\ntwo',
    cover_img_desc: 'A picture',
  })
})

test('names of people and institutions have no line breaks, which could pass for lines of a mail', async () => {
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
  const broken = 'A\r\nBcc: x\u2028y'
  const tidy = 'A Bcc: x y'
  const person = { email: 'lines@titrate.example', firstName: broken, lastName: broken, groups: ['learners' as const] }
  const { userUid } = await createInvitation(admin, person)
  await updateUser(admin, { userUid, university: broken })
  expect(await getUser(admin, { userUid })).toMatchObject({ firstName: tidy, lastName: tidy })
  const names = await db.selectFrom('universities').select('name').where('name', 'like', 'A%Bcc%').execute()
  expect(names).toEqual([{ name: tidy }])
})
