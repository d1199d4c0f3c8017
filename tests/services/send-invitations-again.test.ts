/** Sending invitations again: by admins at most once an hour, when their owners ask for a new link, and as a reminder. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { encodeUid } from '~/lib/uid.ts'
import type { Ctx } from '~/services/context.ts'
import { sendInvitationMail } from '~/services/invitations/invitations.server.ts'
import { inviteUser, resendInvitations } from '~/services/invitations/invite-users.server.ts'
import {
  askForNewInvitation,
  remindInvitedPeople,
  renewOwnInvitation,
} from '~/services/invitations/send-again.server.ts'
import { listUserEntries } from '~/services/users/table-entries.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { db, ctx as nobody } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })

/** The same person so many minutes later. */
const later = <C extends Ctx>(ctx: C, minutes: number): C => ({
  ...ctx,
  now: new Date(ctx.now.getTime() + minutes * 60_000),
})
const day = 24 * 60

let count = 0
async function anInvited(more: object = {}): Promise<string> {
  const person = { firstName: 'Ann', lastName: 'Other', university: 'Helvik', isAdmin: true }
  const { userUid } = await inviteUser(admin, { ...person, email: `again${++count}@titrate.example`, ...more })
  return userUid
}

/** Sends what is waiting; the mails go to the outbox. */
async function sendMails(ctx: Ctx): Promise<number> {
  const jobs = await takeJobs(db, 'send-invitation')
  for (const job of jobs) await sendInvitationMail(ctx, job)
  return jobs.length
}

test('nobody gets more than one invitation in an hour, and a sentence says so', async () => {
  const [first, second] = [await anInvited(), await anInvited()]
  await sendMails(nobody)
  const soon = later(admin, 59)
  await expect(resendInvitations(soon, { userUids: [first] })).rejects.toThrow(/less than an hour ago/)
  expect(await resendInvitations(later(admin, 60), { userUids: [first] })).toEqual({ count: 1, tooSoon: 0 })
  expect(await sendMails(later(nobody, 60))).toBe(1)
  expect(await resendInvitations(later(admin, 61), { userUids: [first, second] })).toEqual({ count: 1, tooSoon: 1 })
  expect(await sendMails(later(nobody, 61))).toBe(1)
})

test('ten jobs for the same invitation at once send one mail, and one that was killed is sent later', async () => {
  const userUid = await anInvited()
  const [job = { invitationUid: '' }] = await takeJobs(db, 'send-invitation')
  const mailsOf = async () =>
    (
      await db
        .selectFrom('mails')
        .innerJoin('users', 'users.id', 'mails.user_id')
        .select('mails.state')
        .where('users.uid', '=', userUid)
        .execute()
    ).length
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => sendInvitationMail(nobody, job)))
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
  expect(new Set(refusals).size).toBeLessThanOrEqual(1)
  await sendInvitationMail(nobody, job)
  expect(await mailsOf()).toBe(1)
  // A worker that was killed has begun and not ended.
  await resendInvitations(later(admin, 60), { userUids: [userUid] })
  const begun = { sent_at: null, last_attempted_send_at: later(nobody, 60).now }
  await db.updateTable('invitations').set(begun).where('uid', '=', job.invitationUid).execute()
  await expect(sendInvitationMail(later(nobody, 61), job)).rejects.toThrow('This invitation is being sent.')
  await sendInvitationMail(later(nobody, 63), job)
  expect(await mailsOf()).toBe(2)
})

test('the list of pending users says when the last mail was sent and whether it was accepted', async () => {
  const waiting = await anInvited()
  const sent = await anInvited()
  const refused = await anInvited()
  await db.updateTable('users').set({ email: 'nobody@[broken' }).where('uid', '=', refused).execute()
  const mails = async () => (await listUserEntries(admin, [waiting, sent, refused])).map(({ mailState }) => mailState)
  expect(await mails()).toEqual(['waiting', 'waiting', 'waiting'])
  await sendMails(nobody)
  expect(await mails()).toEqual(['accepted', 'accepted', 'refused'])
  const isSent = sql<boolean>`user_id = (select id from users where uid = ${sent})`
  await db.updateTable('mails').set({ state: 'in_doubt' }).where(isSent).execute()
  expect(await mails()).toEqual(['accepted', 'in_doubt', 'refused'])
  await resendInvitations(later(admin, 120), { userUids: [waiting, sent] })
  expect(await mails()).toEqual(['waiting', 'waiting', 'refused'])
  await sendMails(later(nobody, 120))
  expect(await mails()).toEqual(['accepted', 'accepted', 'refused'])
})

test('whoever has an expired link gets a new one, and strangers learn nothing', async () => {
  const userUid = await anInvited()
  await sendMails(nobody)
  const open = await aUser(db)
  for (const uid of [userUid, open.uid, randomUUID(), 'nonsense']) {
    expect(await askForNewInvitation(later(nobody, 31 * day), { userUid64b: encodeUid(uid) })).toBeUndefined()
  }
  const asked = await takeJobs(db, 'renew-invitation')
  expect(asked).toHaveLength(3)
  for (const job of asked) await renewOwnInvitation(later(nobody, 31 * day), job)
  expect(await sendMails(later(nobody, 31 * day))).toBe(1)
  await askForNewInvitation(later(nobody, 31 * day + 5), { userUid64b: encodeUid(userUid) })
  for (const job of await takeJobs(db, 'renew-invitation')) {
    expect(await renewOwnInvitation(later(nobody, 31 * day + 5), job)).toEqual({ sent: 0 })
  }
})

test('asking ten times at once sends one mail, another site none, and asking without end is refused', async () => {
  const userUid = await anInvited()
  await takeJobs(db, 'send-invitation')
  const input = { userUid64b: encodeUid(userUid) }
  await Promise.all(Array.from({ length: 10 }, () => askForNewInvitation(nobody, input)))
  const [job, ...more] = await takeJobs(db, 'renew-invitation')
  expect(more).toEqual([])
  const ns = await aContext(db, { site: 'ns' })
  expect(await renewOwnInvitation(ns, { userUid })).toEqual({ sent: 0 })
  await Promise.all(Array.from({ length: 10 }, () => renewOwnInvitation(nobody, { userUid: job?.userUid ?? '' })))
  expect(await takeJobs(db, 'send-invitation')).toHaveLength(1)
  const many = Array.from({ length: 40 }, () => askForNewInvitation(later(nobody, 600), input))
  const results = await Promise.allSettled(many)
  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
})

test('a reminder is sent once, a week before the link expires, to those whose invitation says so', async () => {
  const reminded = await anInvited({ remind: true })
  await anInvited()
  await takeJobs(db, 'renew-invitation')
  await sendMails(nobody)
  expect(await remindInvitedPeople(later(nobody, 22 * day))).toEqual({ reminded: 0 })
  const ns = await aContext(db, { site: 'ns' })
  expect(await remindInvitedPeople(later(ns, 24 * day))).toEqual({ reminded: 0 })
  const runs = await Promise.all(Array.from({ length: 5 }, () => remindInvitedPeople(later(nobody, 24 * day))))
  expect(runs.reduce((sum, run) => sum + run.reminded, 0)).toBe(1)
  expect(await sendMails(later(nobody, 24 * day))).toBe(1)
  expect(await remindInvitedPeople(later(nobody, 48 * day)), 'the link of the reminder').toEqual({ reminded: 0 })
  await resendInvitations(later(admin, 60 * day), { userUids: [reminded] })
  await sendMails(later(nobody, 60 * day))
  expect(await remindInvitedPeople(later(nobody, 84 * day)), 'a link that an admin has sent').toEqual({ reminded: 1 })
})
