/** An admin changes somebody's address: the new one confirms it, and the old one can object for seven days. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { encodeUid } from '~/lib/uid.ts'
import { deleteExpiredTokensAndMails, sendAccountMail } from '~/services/accounts/account-mails.server.ts'
import { login } from '~/services/accounts/accounts.server.ts'
import {
  cancelAddressChange,
  findWaitingChange,
  requestAddressChange,
  sendAddressLinkAgain,
} from '~/services/accounts/address-changes.server.ts'
import {
  confirmAddressChange,
  findLinkedChange,
  invalidAddressLink,
  keepAddress,
} from '~/services/accounts/address-links.server.ts'
import { addAddressLink } from '~/services/accounts/address-tokens.server.ts'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound, type ServiceError } from '~/services/errors.ts'
import { changeAddressOf, updateAnyUser } from '~/services/invitations/change-address.server.ts'
import { createInvitation, sendInvitationMail } from '~/services/invitations/invitations.server.ts'
import { createSession } from '~/services/sessions/sessions.server.ts'
import { listKnownAddresses } from '~/services/users/create-users.server.ts'
import { deactivateUser } from '~/services/users/deactivate-user.server.ts'
import { restoreUser } from '~/services/users/delete-user.server.ts'
import { createUser } from '~/services/users/users.server.ts'
import { aResetLink, linkParts } from '../support/accounts.ts'
import { aContext, asOperator, aUser, testPassword } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { startSmtp } from '../support/smtp.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

let smtp: Awaited<ReturnType<typeof startSmtp>>

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  smtp = await startSmtp()
})
afterAll(() => smtp.close())

const inSession = (ctx: Ctx): Ctx => ({ ...ctx, session: { ...ctx.session, uid: crypto.randomUUID() } })
const anAdmin = async () =>
  inSession(await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) }))
const admin = await anAdmin()
const after = <C extends Ctx>(ctx: C, days: number): C => ({ ...ctx, now: new Date(Date.now() + days * 86_400_000) })

let count = 0
const aNewAddress = () => `new${++count}@titrate.example`

/** Sends every waiting mail once, as the worker would. */
async function sendWaiting(ctx: Ctx): Promise<void> {
  const mails = await db
    .selectFrom('account_mails')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .orderBy('id')
    .execute()
  for (const { uid } of mails) await sendAccountMail(ctx, { mailUid: uid })
}

/** The link in the latest mail to this address. */
function linkTo(address: string, path: string) {
  const mail = smtp.received.filter(({ to, text }) => to.includes(address) && text.includes(path)).at(-1)
  const link = mail?.text.split(/\s/).find((word) => word.includes(path)) ?? ''
  const { userUid64b, token } = linkParts(link || 'http://none/x/y/z/')
  return { changeUid64b: userUid64b, token }
}

/** New links of the latest change of a person's address, as its mails have them. Mails themselves take longer. */
async function linksOf(person: Viewer) {
  const { uid } = await db
    .selectFrom('address_changes')
    .select('uid')
    .where('user_id', '=', person.id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const link = async (kind: 'confirm' | 'object') => ({
    changeUid64b: encodeUid(uid),
    token: (await addAddressLink(ctx, uid, kind))?.token ?? '',
  })
  return { confirm: await link('confirm'), keep: await link('object') }
}

/** A person whose address is to be changed, and the two links. */
async function aChange() {
  const person = await aUser(db)
  const email = aNewAddress()
  await requestAddressChange(admin, { userUid: person.uid, email })
  return { person, email, ...(await linksOf(person)) }
}

const addressOf = async (person: Pick<Viewer, 'id'>) =>
  (await db.selectFrom('users').select('email').where('id', '=', person.id).executeTakeFirst())?.email

const rowsAbout = async (table: 'sessions' | 'one_time_tokens', person: Viewer) =>
  (await db.selectFrom(table).select('user_id').where('user_id', '=', person.id).execute()).length

const auditOf = (person: Viewer) =>
  db
    .selectFrom('audit_entries')
    .select(['action', 'actor_name as actor', 'after'])
    .where('entity_uid', '=', person.uid)
    .orderBy('id')
    .execute()

test('nothing changes until the new address confirms it; then sessions and links end, and the old address is told', async () => {
  const person = await aUser(db)
  const email = aNewAddress()
  await requestAddressChange(admin, { userUid: person.uid, email })
  await sendWaiting(ctx)
  const confirm = linkTo(email, '/confirm-address/')
  expect(await findLinkedChange(ctx, 'object', linkTo(person.email, '/keep-address/'))).toMatchObject({
    state: 'waiting',
  })
  await createSession(ctx, { userUid: person.uid, agent: null })
  await aResetLink(ctx, person)
  expect(await addressOf(person)).toBe(person.email)
  expect(await findWaitingChange(admin, { userUid: person.uid })).toMatchObject({ email, canBeSentAgain: false })
  const told = smtp.received.filter(({ to }) => to.includes(person.email))
  expect(told.map(({ headers }) => headers.get('subject'))).toEqual([
    'The email address of your Titrate account is to be changed',
  ])
  expect(`${told[0]?.text}${told[0]?.html}`, 'the new address is not told to the old one').not.toContain(email)
  const asked = smtp.received.find(({ to }) => to.includes(email))
  expect(`${asked?.text}${asked?.html}`, 'nor the old one to the new one').not.toContain(person.email)

  expect(await findLinkedChange(ctx, 'confirm', confirm)).toEqual({ state: 'waiting', email })
  expect(await addressOf(person), 'a page is only opened').toBe(person.email)
  expect(await confirmAddressChange(ctx, confirm)).toEqual({ state: 'confirmed', email })
  expect(await addressOf(person)).toBe(email)
  expect([await rowsAbout('sessions', person), await rowsAbout('one_time_tokens', person)]).toEqual([0, 0])
  expect(await findWaitingChange(admin, { userUid: person.uid })).toBeNull()
  await login(inSession(ctx), { username: email, password: testPassword })
  await sendWaiting(ctx)
  const last = smtp.received.filter(({ to }) => to.includes(person.email)).at(-1)
  expect(last?.headers.get('subject')).toBe('The email address of your Titrate account was changed')
  expect(last?.text).toContain('/keep-address/')
  expect(last?.text).not.toContain(email)
  const log = await auditOf(person)
  expect(log).toMatchObject([
    { action: 'user.address_change_requested', after: { fields: ['email'] } },
    { action: 'user.updated', actor: 'Ada Okafor', after: { fields: ['email'] } },
  ])
  expect(JSON.stringify(log)).not.toContain('@')
})

test('before the confirmation, the old address cancels the change', async () => {
  const { person, confirm, keep } = await aChange()
  expect(await findLinkedChange(ctx, 'object', keep)).toEqual({ state: 'waiting', email: person.email })
  expect(await keepAddress(ctx, keep)).toMatchObject({ state: 'kept' })
  expect(await confirmAddressChange(ctx, confirm)).toMatchObject({ state: 'kept' })
  expect(await addressOf(person)).toBe(person.email)
  await login(inSession(ctx), { username: person.email, password: testPassword })
  expect((await auditOf(person)).map(({ action }) => action)).toEqual([
    'user.address_change_requested',
    'user.address_kept',
  ])
})

test('after it, the old address comes back, and everything ends that lets somebody in', async () => {
  const { person, email, confirm, keep } = await aChange()
  await confirmAddressChange(ctx, confirm)
  await createSession(ctx, { userUid: person.uid, agent: null })
  await aResetLink(ctx, person)
  await db
    .insertInto('access_tokens')
    .values({
      user_id: person.id,
      name: 'x',
      token_hash: Buffer.from(email),
      hint: 'x',
      scope: 'read',
      expires_at: new Date(),
    })
    .execute()
  await takeJobs(db, 'end-launches-of-person')
  expect(await keepAddress(ctx, keep)).toEqual({ state: 'restored', email: person.email })
  expect(await addressOf(person)).toBe(person.email)
  expect([await rowsAbout('sessions', person), await rowsAbout('one_time_tokens', person)]).toEqual([0, 0])
  const token = db.selectFrom('access_tokens').select('revoked_at').where('user_id', '=', person.id)
  expect((await token.executeTakeFirst())?.revoked_at).not.toBeNull()
  expect(await takeJobs(db, 'end-launches-of-person')).toMatchObject([{ userUid: person.uid }])
  const again = login(inSession(ctx), { username: person.email, password: testPassword })
  await expect(again, 'the password of whoever had the account').rejects.toThrow(Invalid)
  const reset = db.selectFrom('account_mails').select('kind').where('email_key', '=', person.email)
  expect(await reset.execute()).toEqual([{ kind: 'reset' }])
  expect(await confirmAddressChange(ctx, confirm), 'the other link is over').toMatchObject({ state: 'restored' })
  expect(await addressOf(person)).toBe(person.email)
})

test('after seven days the links say so, and after thirty nobody knows of the change', async () => {
  const { person, confirm, keep } = await aChange()
  const unused = await aChange()
  await confirmAddressChange(ctx, confirm)
  expect(await keepAddress(after(ctx, 6.9), { ...keep, token: 'wrong' }).catch((error) => error.message)).toBe(
    invalidAddressLink,
  )
  expect(await findLinkedChange(after(ctx, 6.9), 'object', keep)).toMatchObject({ state: 'confirmed' })
  for (const link of [keep, unused.keep])
    expect(await keepAddress(after(ctx, 7.1), link)).toMatchObject({ state: 'late' })
  expect(await confirmAddressChange(after(ctx, 7.1), unused.confirm)).toMatchObject({ state: 'late' })
  expect(await addressOf(unused.person)).toBe(unused.person.email)
  await requestAddressChange(after(admin, 7.1), { userUid: unused.person.uid, email: aNewAddress() })
  expect(await addressOf(person)).not.toBe(person.email)
  await deleteExpiredTokensAndMails(after(ctx, 29))
  expect(await findLinkedChange(ctx, 'object', keep)).not.toBeNull()
  await deleteExpiredTokensAndMails(after(ctx, 31))
  expect(await findLinkedChange(ctx, 'object', keep)).toBeNull()
})

test('an objection also undoes what was changed after that, and reaches an account that was disabled or deleted', async () => {
  const first = await aChange()
  await confirmAddressChange(ctx, first.confirm)
  await requestAddressChange(admin, { userUid: first.person.uid, email: aNewAddress() })
  const second = await linksOf(first.person)
  await confirmAddressChange(ctx, second.confirm)
  await requestAddressChange(admin, { userUid: first.person.uid, email: aNewAddress() })
  const third = await linksOf(first.person)
  await deactivateUser(admin, { userUid: first.person.uid })
  await deleteUser(admin, { userUid: first.person.uid })
  expect(await keepAddress(ctx, first.keep)).toMatchObject({ state: 'restored' })
  await restoreUser(admin, { userUid: first.person.uid })
  expect(await addressOf(first.person)).toBe(first.person.email)
  expect(await keepAddress(ctx, second.keep)).toMatchObject({ state: 'canceled' })
  expect(await confirmAddressChange(ctx, third.confirm)).toMatchObject({ state: 'canceled' })
  expect(await addressOf(first.person)).toBe(first.person.email)
})

test('while it can object, nobody else gets the old address', async () => {
  const { person, confirm, keep } = await aChange()
  await confirmAddressChange(ctx, confirm)
  const [other, waiting] = [await aUser(db), await aChange()]
  const names = { firstName: 'A', lastName: 'B' }
  const taken = 'This email address is already in use.'
  const invited = createUser(admin, { email: person.email.toUpperCase(), ...names, groups: ['learners'] })
  await expect(invited).rejects.toThrow(taken)
  await expect(requestAddressChange(admin, { userUid: other.uid, email: person.email })).rejects.toThrow(taken)
  const own = inSession(await aContext(db, { viewer: other }))
  const update = { userUid: other.uid, email: person.email, currentPassword: testPassword }
  await expect(updateUser(own, update)).rejects.toThrow(taken)
  await db
    .updateTable('address_changes')
    .set({ email: person.email })
    .where('user_id', '=', waiting.person.id)
    .execute()
  await expect(confirmAddressChange(ctx, waiting.confirm)).rejects.toThrow(taken)
  expect([...(await listKnownAddresses(admin, [person.email])).values()]).toMatchObject([{ userUid: person.uid }])
  await keepAddress(ctx, keep)
  expect(await addressOf(person)).toBe(person.email)
  const freed = await aChange()
  await confirmAddressChange(ctx, freed.confirm)
  await createUser(after(admin, 8), { email: freed.person.email, ...names, groups: ['learners'] })
})

test('an address that somebody took meanwhile is refused when it is confirmed', async () => {
  const { person, email, confirm } = await aChange()
  await aUser(db, { email })
  const late = confirmAddressChange(ctx, confirm)
  await expect(late).rejects.toThrow(Conflict)
  expect(await addressOf(person)).toBe(person.email)
  const gone = await aUser(db)
  await deleteUser(admin, { userUid: gone.uid })
  const reserved = requestAddressChange(admin, { userUid: person.uid, email: gone.email })
  await expect(reserved, 'the address of a deleted account').rejects.toThrow('already in use')
})

test('done ten times at once it is done once: requests, confirmations and objections', async () => {
  const person = await aUser(db)
  const input = { userUid: person.uid, email: aNewAddress() }
  const second = await anAdmin()
  const ten = (work: (index: number) => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: 10 }, (_, index) => work(index)))
  const done = await ten((index) => requestAddressChange(index % 2 ? admin : second, input))
  expect(done.filter(({ status }) => status === 'rejected')).toEqual([])
  const mails = db.selectFrom('account_mails').select('kind').where('user_id', '=', person.id)
  expect(await mails.execute()).toHaveLength(2)
  const another = requestAddressChange(second, { ...input, email: aNewAddress() })
  await expect(another).rejects.toMatchObject({ code: 'user.address_waits' })
  const { confirm, keep } = await linksOf(person)
  await db.deleteFrom('account_mails').where('user_id', '=', person.id).execute()
  for (const { status } of await ten(() => confirmAddressChange(ctx, confirm))) expect(status).toBe('fulfilled')
  expect((await mails.execute()).map(({ kind }) => kind)).toEqual(['email_changed'])
  for (const { status } of await ten(() => keepAddress(ctx, keep))) expect(status).toBe('fulfilled')
  expect((await auditOf(person)).map(({ action }) => action)).toEqual([
    'user.address_change_requested',
    'user.updated',
    'user.address_kept',
    'user.updated',
  ])
})

test('one of ten people who confirm the same address gets it', async () => {
  const email = aNewAddress()
  const people = await Promise.all(Array.from({ length: 10 }, () => aUser(db)))
  const links: Awaited<ReturnType<typeof linksOf>>['confirm'][] = []
  for (const person of people) {
    await requestAddressChange(admin, { userUid: person.uid, email })
    links.push((await linksOf(person)).confirm)
  }
  const results = await Promise.allSettled(links.map((link) => confirmAddressChange(ctx, link)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Conflict)
})

test('a change is canceled and sent again by admins; a link of an earlier mail still works', async () => {
  const { person, confirm } = await aChange()
  await expect(sendAddressLinkAgain(admin, { userUid: person.uid })).rejects.toMatchObject({
    code: 'user.address_too_soon',
  })
  const later = after(admin, 0.1)
  const sent = await Promise.allSettled([1, 2, 3].map(() => sendAddressLinkAgain(later, { userUid: person.uid })))
  expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const mails = db.selectFrom('account_mails').select('kind').where('user_id', '=', person.id).orderBy('id')
  expect((await mails.execute()).map(({ kind }) => kind)).toEqual([
    'address_confirm',
    'address_notice',
    'address_confirm',
  ])
  const { confirm: second } = await linksOf(person)
  expect(second.token).not.toBe(confirm.token)
  for (const link of [confirm, second]) {
    expect(await findLinkedChange(ctx, 'confirm', link)).toMatchObject({ state: 'waiting' })
  }
  await cancelAddressChange(admin, { userUid: person.uid })
  await expect(cancelAddressChange(admin, { userUid: person.uid })).rejects.toThrow(Conflict)
  await expect(sendAddressLinkAgain(later, { userUid: person.uid })).rejects.toThrow(Conflict)
  expect(await confirmAddressChange(ctx, second)).toMatchObject({ state: 'canceled' })
  expect(await addressOf(person)).toBe(person.email)
  expect((await auditOf(person)).map(({ action }) => action)).toEqual([
    'user.address_change_requested',
    'user.address_link_sent',
    'user.address_change_canceled',
  ])
})

test('only admins of the site with a web session change somebody else’s address, and never their own or a disabled one', async () => {
  const { person } = await aChange()
  const change = (ctx: Ctx, input: { userUid: string; email: string }) => changeAddressOf(inSession(ctx), input)
  const fresh = await aUser(db)
  const input = { userUid: fresh.uid, email: aNewAddress() }
  await expectGuarded(change, input, { by: ['admins'] })
  await expectGuarded((ctx, input) => requestAddressChange(inSession(ctx), input), input, { by: ['admins'] })
  for (const work of [cancelAddressChange, sendAddressLinkAgain]) {
    await expectGuarded(work, { userUid: person.uid }, { by: ['admins'] })
  }
  await expectGuarded(findWaitingChange, { userUid: person.uid }, { by: ['admins'], elsewhere: null })
  const program = { ...admin, session: { ...admin.session, uid: null } }
  await expect(changeAddressOf(program, input), 'a program').rejects.toThrow(Forbidden)
  const own = changeAddressOf(admin, { userUid: admin.viewer?.uid ?? '', email: aNewAddress() })
  await expect(own).rejects.toThrow('Please change your own email address under My Account.')
  const refusals: [string, string][] = [
    ['', 'Email address is required'],
    ['abc@', 'A valid email address is required'],
    ['a\u0000@titrate.example', 'This text holds characters that cannot be stored'],
    ['\ud800@titrate.example', 'This text holds characters that cannot be stored'],
    [`${'x'.repeat(100_000)}@titrate.example`, 'At most 100 characters'],
    [fresh.email, 'This is the address of the account already.'],
  ]
  for (const [email, message] of refusals) {
    await expect(changeAddressOf(admin, { userUid: fresh.uid, email })).rejects.toMatchObject({
      fieldErrors: { email: message },
    })
  }
  for (const userUid of ['', 'x', '\u0000', crypto.randomUUID()]) {
    await expect(changeAddressOf(admin, { userUid, email: aNewAddress() })).rejects.toThrow(NotFound)
  }
  await deactivateUser(admin, { userUid: fresh.uid })
  await expect(changeAddressOf(admin, input)).rejects.toMatchObject({ code: 'user.not_active' })
  await deactivateUser(admin, { userUid: person.uid })
  await deleteUser(admin, { userUid: fresh.uid })
  await expect(changeAddressOf(admin, input)).rejects.toThrow(NotFound)
})

test('a link works on its site only, and odd or foreign links are nothing', async () => {
  const { person, confirm, keep } = await aChange()
  const ns = await aContext(db, { site: 'ns' })
  for (const link of [
    { ...confirm, token: 'wrong' },
    { ...confirm, changeUid64b: 'x' },
    { ...confirm, changeUid64b: '\u0000' },
    { changeUid64b: confirm.changeUid64b, token: keep.token },
  ]) {
    expect(await findLinkedChange(ctx, 'confirm', link)).toBeNull()
    await expect(confirmAddressChange(ctx, link)).rejects.toThrow(invalidAddressLink)
  }
  await expect(confirmAddressChange(ns, confirm)).rejects.toThrow(invalidAddressLink)
  await expect(keepAddress(ns, keep)).rejects.toThrow(invalidAddressLink)
  await expect(keepAddress(ctx, confirm)).rejects.toThrow(invalidAddressLink)
  expect(await addressOf(person)).toBe(person.email)
})

test('a change ends with the account, when it is disabled, and when people change their address themselves', async () => {
  const [deleted, disabled, moved] = [await aChange(), await aChange(), await aChange()]
  await deleteUser(admin, { userUid: deleted.person.uid })
  await restoreUser(admin, { userUid: deleted.person.uid })
  await deactivateUser(admin, { userUid: disabled.person.uid })
  const own = inSession(await aContext(db, { viewer: moved.person }))
  const email = aNewAddress()
  await updateUser(own, { userUid: moved.person.uid, email, currentPassword: testPassword })
  for (const { confirm } of [deleted, disabled, moved]) {
    expect(await confirmAddressChange(ctx, confirm)).toMatchObject({ state: 'canceled' })
  }
  expect(await addressOf(moved.person)).toBe(email)
})

test('the address of an invitation that nobody opened changes at once, and the invitation goes there', async () => {
  const email = aNewAddress()
  const invitee = { email, firstName: 'Ivo', lastName: 'Lind', groups: ['learners' as const] }
  const { userUid } = await createInvitation(asOperator(ctx), invitee)
  await db
    .updateTable('invitations')
    .set({ sent_at: new Date() })
    .where('user_id', '=', (eb) => eb.selectFrom('users').select('id').where('uid', '=', userUid))
    .execute()
  await takeJobs(db, 'send-invitation')
  const right = aNewAddress()
  expect(await changeAddressOf(admin, { userUid, email: right })).toEqual({ isWaiting: false })
  const { rows } = await sql`
    select from one_time_tokens join users on users.id = user_id where users.uid = ${userUid}`.execute(db)
  expect(rows).toEqual([])
  const [job] = await takeJobs(db, 'send-invitation')
  await sendInvitationMail(ctx, { invitationUid: job?.invitationUid ?? '' })
  expect(linkTo(right, '/confirm-invitation/').token).not.toBe('')
  expect(smtp.received.some(({ to }) => to.includes(email))).toBe(false)
  const same = changeAddressOf(admin, { userUid, email: right })
  await expect(same).rejects.toMatchObject({ fieldErrors: { email: 'This is the address of the account already.' } })
})

test('L-238 updateUser saves the other fields at once, and says that the address waits', async () => {
  const person = await aUser(db)
  const email = aNewAddress()
  const { msg } = await updateAnyUser(admin, { userUid: person.uid, lastName: 'Hopper', email })
  expect(msg).toContain('as soon as it is confirmed')
  expect(await updateAnyUser(admin, { userUid: person.uid, email: person.email })).toEqual({ msg: null })
  const row = db.selectFrom('users').select(['last_name', 'email']).where('id', '=', person.id)
  expect(await row.executeTakeFirst()).toEqual({ last_name: 'Hopper', email: person.email })
  expect(await findWaitingChange(admin, { userUid: person.uid })).toMatchObject({ email })
  const taken = updateAnyUser(admin, { userUid: person.uid, lastName: 'X', email: (await aUser(db)).email })
  await expect(taken).rejects.toThrow(Conflict)
  expect(await row.executeTakeFirst(), 'all or nothing').toMatchObject({ last_name: 'Hopper' })
  const direct = updateUser(admin, { userUid: person.uid, email: aNewAddress() })
  await expect(direct).rejects.toSatisfy((error: ServiceError) => error instanceof Forbidden)
})

test('a mail whose sending fails leaves no link behind', async () => {
  await db.deleteFrom('account_mails').execute()
  const person = await aUser(db)
  await requestAddressChange(admin, { userUid: person.uid, email: aNewAddress() })
  smtp.refuse(2)
  await expect(sendWaiting(ctx)).rejects.toThrow(/could not be sent/)
  const hashes = db
    .selectFrom('address_changes')
    .select(['confirm_hashes as confirm', 'object_hashes as keep'])
    .where('user_id', '=', person.id)
  expect(await hashes.executeTakeFirst()).toEqual({ confirm: [], keep: [] })
  smtp.refuse(0)
  await sendWaiting(ctx)
  const sent = await hashes.executeTakeFirst()
  expect([sent?.confirm.length, sent?.keep.length]).toEqual([1, 1])
})
