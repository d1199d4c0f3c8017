import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { brands, type SiteKey } from '~/config/brands.ts'
import { env } from '~/config/env.server.ts'
import { mailColors } from '~/config/mail-colors.ts'
import { createAccessToken } from '~/services/accounts/access-tokens.server.ts'
import { deleteExpiredTokensAndMails, sendAccountMail } from '~/services/accounts/account-mails.server.ts'
import {
  changePassword,
  findResetAccount,
  requestPasswordReset,
  resetPassword,
} from '~/services/accounts/password-changes.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import { createInvitation, findInvitedUser, sendInvitationMail } from '~/services/invitations/invitations.server.ts'
import { resendInvitations } from '~/services/invitations/invite-users.server.ts'
import { aResetLink, aSignInContext, linkParts } from '../support/accounts.ts'
import { aContext, asOperator, aUser, testAddresses, testPassword } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { startSmtp } from '../support/smtp.ts'
import { db } from '../support/test.ts'

let smtp: Awaited<ReturnType<typeof startSmtp>>

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  smtp = await startSmtp()
})
afterAll(async () => {
  await smtp.close()
})

const fresh = { password: 'Patient7Burette', password2: 'Patient7Burette' }
const sites: SiteKey[] = ['institutional', 'ns']

async function waitingMails(): Promise<string[]> {
  return (await db.selectFrom('account_mails').select('uid').orderBy('id').execute()).map(({ uid }) => uid)
}

/** Sends every waiting mail once, as the worker would. */
async function sendWaiting(): Promise<void> {
  for (const site of sites) {
    const ctx = await aContext(db, { site })
    for (const mailUid of await waitingMails()) await sendAccountMail(ctx, { mailUid })
  }
}

async function mailsTo(address: string) {
  await sendWaiting()
  return smtp.received.filter(({ to }) => to.includes(address))
}

function linkIn(text: string, path: string): string {
  return text.split(/\s/).find((word) => word.includes(path)) ?? ''
}

test.each(sites)('C-233 the reset mail of %s has its brand, and its link works on its site', async (site) => {
  const user = await aUser(db, { site, email: `reset@${site}.example`, firstName: 'Zoë' })
  const ctx = await aContext(db, { site })
  await requestPasswordReset(ctx, { email: user.email })
  const [mail, ...more] = await mailsTo(user.email)
  expect(more).toEqual([])
  const { name, supportEmail, palette } = brands[site]
  expect(mail?.headers.get('from')).toBe(`${name} <no-reply@titrate.example>`)
  expect(mail?.headers.get('to')).toBe(`Zoë Okafor <${user.email}>`)
  expect(mail?.headers.get('subject')).toBe(`Reset your ${name} password`)
  const link = linkIn(mail?.text ?? '', '/reset-password/')
  expect(link).toMatch(`${testAddresses[site]}/reset-password/`)
  for (const part of [mail?.text, mail?.html]) {
    for (const words of ['Hello Zoë', link, 'works once', '(UTC)', 'If it was not you', supportEmail]) {
      expect(part).toContain(words)
    }
  }
  expect(mail?.html).toContain(mailColors[palette].accent)
  expect(await findResetAccount(ctx, linkParts(link))).toMatchObject({ uid: user.uid })
  expect(await waitingMails()).toEqual([])
  const token = await db.selectFrom('one_time_tokens').select('token_hash').where('user_id', '=', user.id).execute()
  expect(JSON.stringify(token)).not.toContain(linkParts(link).token)
})

test.each(sites)('after a reset and after a change, the owner on %s gets a mail', async (site) => {
  const user = await aUser(db, { site, email: `changed@${site}.example` })
  const ctx = await aSignInContext(db, { site, viewer: user })
  await resetPassword(ctx, { ...(await aResetLink(ctx, user)), ...fresh })
  await changePassword(ctx, {
    currentPassword: fresh.password,
    password: 'Another7Burette',
    password2: 'Another7Burette',
  })
  const mails = await mailsTo(user.email)
  expect(mails).toHaveLength(2)
  for (const { headers, text, html } of mails) {
    expect(headers.get('subject')).toBe(`Your ${brands[site].name} password was changed`)
    for (const part of [text, html]) {
      expect(part).toContain('If it was not you')
      expect(part).toContain(`${testAddresses[site]}/request-password-reset/`)
    }
  }
})

test.each(sites)('a new access token on %s is announced to the owner, without the token', async (site) => {
  const user = await aUser(db, { site, email: `token@${site}.example` })
  const ctx = await aSignInContext(db, { site, viewer: user })
  const form = {
    uid: crypto.randomUUID(),
    name: 'My script',
    scope: 'write',
    days: '30',
    currentPassword: testPassword,
  }
  const { token } = await createAccessToken({ ...ctx, session: { ...ctx.session, uid: crypto.randomUUID() } }, form)
  const [mail, ...more] = await mailsTo(user.email)
  expect(more).toEqual([])
  expect(mail?.headers.get('subject')).toBe(`An access token for your ${brands[site].name} account was created`)
  for (const part of [mail?.text, mail?.html]) {
    expect(part).toContain('If it was not you')
    expect(part).toContain(`${testAddresses[site]}/request-password-reset/`)
    expect(part).not.toContain(token)
  }
  expect(await waitingMails()).toEqual([])
})

test.each(sites)(
  'the old address on %s learns that it no longer belongs to the account, but not the new address',
  async (site) => {
    const user = await aUser(db, { site, email: `before@${site}.example` })
    const ctx = await aSignInContext(db, { site, viewer: user })
    await updateUser(
      { ...ctx, session: { ...ctx.session, uid: crypto.randomUUID() } },
      { userUid: user.uid, email: `after@${site}.example`, currentPassword: testPassword },
    )
    const mails = await mailsTo(user.email)
    expect(mails.map(({ headers }) => headers.get('subject'))).toEqual([
      `The email address of your ${brands[site].name} account was changed`,
    ])
    expect(mails[0]?.text).toContain(brands[site].supportEmail)
    expect(`${mails[0]?.text}${mails[0]?.html}`).not.toContain('after@')
    expect(await mailsTo(`after@${site}.example`)).toEqual([])
    expect(await waitingMails()).toEqual([])
  },
)

test.each(sites)('an admin of %s mails an invitation, also again, and only the last link works', async (site) => {
  const admin = await aUser(db, { site, groups: ['admins'] })
  const ctx = await aContext(db, { site, viewer: admin })
  const email = `invited@${site}.example`
  const { userUid, link: first } = await createInvitation(asOperator(ctx), {
    email,
    firstName: 'Mina',
    lastName: 'Roth',
    groups: ['learners'],
  })
  const send = async (hours = 0) => {
    const now = new Date(ctx.now.getTime() + hours * 3_600_000)
    await resendInvitations({ ...ctx, now }, { userUids: [userUid] })
    const { uid } = await db
      .selectFrom('invitations')
      .innerJoin('users', 'users.id', 'user_id')
      .select('invitations.uid')
      .where('users.uid', '=', userUid)
      .executeTakeFirstOrThrow()
    const job = await aContext(db, { site })
    await sendInvitationMail(job, { invitationUid: uid })
    await sendInvitationMail(job, { invitationUid: uid })
  }
  await send()
  const [mail, ...more] = await mailsTo(email)
  expect(more).toEqual([])
  expect(mail?.headers.get('subject')).toBe(`Your invitation to ${brands[site].name}`)
  expect(mail?.text).toContain('If you did not expect this')
  const link = linkIn(mail?.text ?? '', '/confirm-invitation/')
  expect(mail?.html).toContain(link)
  expect(link).toMatch(`${testAddresses[site]}/confirm-invitation/`)
  expect(await findInvitedUser(ctx, linkParts(first))).toBeNull()
  expect(await findInvitedUser(ctx, linkParts(link))).toMatchObject({ email })
  await send(2)
  expect(await mailsTo(email)).toHaveLength(2)
  expect(await findInvitedUser(ctx, linkParts(link))).toBeNull()
  const { sent_at, last_attempted_send_at } = await db
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['sent_at', 'last_attempted_send_at'])
    .where('users.uid', '=', userUid)
    .executeTakeFirstOrThrow()
  expect([sent_at, last_attempted_send_at]).not.toContain(null)
})

test('only admins of the site send invitations, only to unopened accounts, and ten presses make one job', async () => {
  const ctx = await aContext(db)
  const { userUid } = await createInvitation(asOperator(ctx), {
    email: 'who@titrate.example',
    firstName: '',
    lastName: '',
    groups: ['learners'],
  })
  const [learner, admin, elsewhere] = [
    await aUser(db),
    await aUser(db, { groups: ['admins'] }),
    await aUser(db, { site: 'ns', groups: ['admins'] }),
  ]
  await expect(resendInvitations(ctx, { userUids: [userUid] })).rejects.toThrow('Login required.')
  await expect(resendInvitations({ ...ctx, viewer: learner }, { userUids: [userUid] })).rejects.toThrow(/permission/)
  await expect(
    resendInvitations(await aContext(db, { site: 'ns', viewer: elsewhere }), { userUids: [userUid] }),
  ).rejects.toThrow('Not found.')
  await expect(resendInvitations({ ...ctx, viewer: elsewhere }, { userUids: [userUid] })).rejects.toThrow(/permission/)
  const asAdmin = { ...ctx, viewer: admin }
  await expect(resendInvitations(asAdmin, { userUids: ['x'] })).rejects.toThrow('Not found.')
  await expect(resendInvitations(asAdmin, { userUids: [learner.uid] })).rejects.toMatchObject({
    code: 'invitation.accepted',
  })
  await Promise.all(Array.from({ length: 10 }, () => resendInvitations(asAdmin, { userUids: [userUid] })))
  await resendInvitations(asOperator(ctx), { userUids: [userUid] })
  const { rows: jobs } = await sql`
    select from graphile_worker.jobs j join invitations i on j.key = 'invitation:' || i.uid
    join users u on u.id = i.user_id where u.uid = ${userUid}`.execute(db)
  expect(jobs).toHaveLength(1)
  const open = await db
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'user_id')
    .select('invitations.uid')
    .where('users.uid', '=', userUid)
    .execute()
  expect(open).toHaveLength(1)
})

test('C-233 unknown, disabled and erased addresses get nothing; the owner of an unopened account is told so, without a link', async () => {
  const ctx = await aContext(db)
  const [disabled, erased] = [await aUser(db), await aUser(db)]
  await db.updateTable('users').set({ is_active: false }).where('id', '=', disabled.id).execute()
  await db.updateTable('users').set({ erased_at: new Date() }).where('id', '=', erased.id).execute()
  const invitee = { email: 'notyet@titrate.example', firstName: 'Ivo', lastName: '', groups: ['learners' as const] }
  const { link } = await createInvitation(asOperator(ctx), invitee)
  for (const email of [disabled.email, erased.email, 'nobody@titrate.example', invitee.email]) {
    await requestPasswordReset(ctx, { email })
  }
  const before = smtp.received.length
  const [mail] = await mailsTo(invitee.email)
  expect(smtp.received).toHaveLength(before + 1)
  expect(mail?.headers.get('subject')).toBe('Your Titrate account is not open yet')
  expect(mail?.text).not.toMatch(/confirm-invitation|reset-password/)
  expect(await findInvitedUser(ctx, linkParts(link))).not.toBeNull()
  expect(await waitingMails()).toEqual([])
})

test('if the mail server is down, the job fails and runs again, and one working link arrives', async () => {
  const user = await aUser(db, { email: 'away@titrate.example' })
  const ctx = await aContext(db)
  await requestPasswordReset(ctx, { email: user.email })
  const [mailUid = ''] = await waitingMails()
  smtp.refuse(5)
  for (let count = 0; count < 5; count++) {
    await expect(sendAccountMail(ctx, { mailUid })).rejects.toThrow(/could not be sent/)
  }
  const tokens = await db.selectFrom('one_time_tokens').select('id').where('user_id', '=', user.id).execute()
  expect(tokens).toEqual([])
  await sendAccountMail(ctx, { mailUid })
  await sendAccountMail(ctx, { mailUid })
  const mails = smtp.received.filter(({ to }) => to.includes(user.email))
  expect(mails).toHaveLength(1)
  expect(await findResetAccount(ctx, linkParts(linkIn(mails[0]?.text ?? '', '/reset-password/')))).not.toBeNull()
})

async function untilSomebodyWaits(): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    expect(rows).toHaveLength(1)
  }, 10_000)
}

test('a link is not mailed to an address that is changed at that moment', async () => {
  const user = await aUser(db, { email: 'moving@titrate.example' })
  const ctx = await aContext(db)
  await requestPasswordReset(ctx, { email: user.email })
  const [mailUid = ''] = await waitingMails()
  let sending = Promise.resolve()
  await db.transaction().execute(async (trx) => {
    const email = 'moved@titrate.example'
    await trx.updateTable('users').set({ email, email_key: email }).where('id', '=', user.id).execute()
    sending = sendAccountMail(ctx, { mailUid })
    await untilSomebodyWaits()
  })
  await sending
  expect(smtp.received.filter(({ to }) => to.some((address) => address.startsWith('mov')))).toEqual([])
  expect(await db.selectFrom('one_time_tokens').select('id').where('user_id', '=', user.id).execute()).toEqual([])
})

test('an invitation is not mailed to an address that is changed at that moment, and goes to the new one', async () => {
  const ctx = await aContext(db)
  const invitee = { email: 'leaving@titrate.example', firstName: 'Ivo', lastName: '', groups: ['learners' as const] }
  const { userUid } = await createInvitation(asOperator(ctx), invitee)
  await resendInvitations(asOperator(ctx), { userUids: [userUid] })
  // Other tests have left jobs, too.
  const { invitationUid = '' } = (await takeJobs(db, 'send-invitation')).at(-1) ?? {}
  const email = 'arriving@titrate.example'
  let refusal = Promise.resolve('')
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ email, email_key: email }).where('uid', '=', userUid).execute()
    refusal = sendInvitationMail(ctx, { invitationUid }).then(
      () => 'sent',
      (error: Error) => error.message,
    )
    await untilSomebodyWaits()
  })
  expect(await refusal).toBe('The address of this account has just been changed.')
  const receivers = () => smtp.received.flatMap(({ to }) => to).filter((to) => [invitee.email, email].includes(to))
  expect(receivers()).toEqual([])
  await sendInvitationMail(ctx, { invitationUid })
  expect(receivers()).toEqual([email])
})

test('of many requests for one mailbox the first three are sent, and their links keep working', async () => {
  const user = await aUser(db, { email: 'filled@titrate.example' })
  const ctx = await aContext(db)
  for (let count = 0; count < 6; count++) await requestPasswordReset(ctx, { email: user.email })
  const mails = await mailsTo(user.email)
  expect(mails).toHaveLength(3)
  for (const { text } of mails) {
    expect(await findResetAccount(ctx, linkParts(linkIn(text, '/reset-password/')))).not.toBeNull()
  }
})

test('names and addresses are text in mails, and never headers or markup', async () => {
  const ctx = await aContext(db)
  const person = {
    email: 'markup@titrate.example',
    firstName: '<b>Eve</b>\r\nBcc: all@titrate.example',
    lastName: '"; <eve@evil.example>',
  }
  const user = await aUser(db, person)
  await requestPasswordReset(ctx, { email: user.email })
  const [mail] = await mailsTo(user.email)
  expect(mail?.to).toEqual([user.email])
  expect(mail?.headers.has('bcc')).toBe(false)
  expect(mail?.html).toContain('Hello &lt;b&gt;Eve&lt;/b&gt; Bcc: all@titrate.example,')
  expect(mail?.html).not.toContain('<b>')
  // The job skips an address that mail cannot go to, and is done.
  await aUser(db, { email: 'a@b.example, eve@evil.example' })
  await requestPasswordReset(ctx, { email: 'a@b.example, eve@evil.example' })
  const before = smtp.received.length
  await sendWaiting()
  expect(smtp.received).toHaveLength(before)
  expect(await waitingMails()).toEqual([])
})

test('a job for a deleted account does nothing, and old rows and links are removed', async () => {
  const ctx = await aContext(db)
  const user = await aUser(db)
  await sendAccountMail(ctx, { mailUid: user.uid })
  await aResetLink({ ...ctx, now: new Date(0) }, user)
  const kept = await aResetLink(ctx, user)
  await requestPasswordReset({ ...ctx, now: new Date(0) }, { email: 'old@titrate.example' })
  await requestPasswordReset(ctx, { email: 'new@titrate.example' })
  await deleteExpiredTokensAndMails(ctx)
  expect(await db.selectFrom('account_mails').select('email_key').execute()).toEqual([
    { email_key: 'new@titrate.example' },
  ])
  expect(await db.selectFrom('one_time_tokens').select('id').where('user_id', '=', user.id).execute()).toHaveLength(1)
  expect(await findResetAccount(ctx, kept)).not.toBeNull()
  await sendWaiting()
})

test('mails have the colors of the pages', async () => {
  const css = await readFile('app/styles/tokens.css', 'utf8')
  for (const [palette, colors] of Object.entries(mailColors)) {
    const block = css.split(`[data-brand="${palette}"] {`)[1]?.split('}')[0]
    for (const [role, value] of Object.entries(colors)) {
      expect(block).toContain(`--${role.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value};`)
    }
  }
})

test('a mail never contains the password that the test knows', () => {
  for (const { raw, text, html } of smtp.received) {
    for (const part of [raw, text, html]) expect(part).not.toMatch(new RegExp(`${testPassword}|${fresh.password}`))
  }
})
