/** Sending messages: who gets them, when, once, and what the mails are like. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { listOwnAnnouncements } from '~/services/announcements/announcements.server.ts'
import { prepareMessage } from '~/services/announcements/prepare-message.server.ts'
import { sendMessages } from '~/services/announcements/send-messages.server.ts'
import {
  cancelSchedule,
  resendInDoubt,
  resumeSending,
  startScheduledMessages,
  stopSending,
} from '~/services/announcements/start-sending.server.ts'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict } from '~/services/errors.ts'
import { listSuppressions, releaseSuppression } from '~/services/mail/suppressions.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { aDraft, ledger, sendOut, start, stateOf } from '../support/messages.ts'
import { startSmtp } from '../support/smtp.ts'
import { db, expectGuarded, ctx as visitor } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const system = visitor
const later = (minutes: number): Ctx => ({ ...system, now: new Date(system.now.getTime() + minutes * 60_000) })

let smtp: Awaited<ReturnType<typeof startSmtp>>
beforeAll(async () => {
  smtp = await startSmtp()
})
afterAll(() => smtp.close())
beforeEach(() => {
  smtp.received.length = 0
  smtp.treat(() => 'take')
})

const people = (count: number) => Promise.all(Array.from({ length: count }, () => aUser(db)))

describe('to mailboxes', () => {
  test('C-153 everybody gets a mail of their own, from the chosen sender, with placeholders filled in', async () => {
    const ada = await aUser(db, { firstName: 'Ada <b>', lastName: 'Okafor' })
    const other = await aUser(db)
    const text =
      'Hello {{first name}} of {{institution}},\n\nread [this](https://a.example/x).\n\n![A dose](/images/a.webp)'
    const message = await aDraft(admin, { subject: 'For {{first name}}', text, to: [ada, other] })
    await sendOut(admin, message)
    expect(await ledger(admin, message.id)).toMatchObject([{ state: 'accepted' }, { state: 'accepted' }])
    expect(await stateOf(admin, message.id)).toEqual({ status: 'sent', sending: 'done' })
    expect(smtp.received.map(({ to }) => to)).toEqual(expect.arrayContaining([[ada.email], [other.email]]))
    const mail = smtp.received.find(({ to }) => to[0] === ada.email)
    expect(mail?.headers.get('from')).toBe('The Titrate team <no-reply@titrate.example>')
    expect(mail?.headers.get('subject')).toBe('For Ada <b>')
    expect(mail?.text).toContain('Hello Ada <b> of your institution,\n\nread this (https://a.example/x).')
    expect(mail?.text).toContain('A dose')
    expect(mail?.html).toContain('Hello Ada &lt;b&gt; of your institution')
    expect(mail?.html).toMatch(new RegExp(`<img src="${admin.site.baseUrl}/images/a.webp" alt="A dose"`))
    expect(mail?.html).toMatch(
      new RegExp(`<a style="[^"]+" href="${admin.site.baseUrl}/e/[0-9a-f-]{36}/[0-9a-f-]{36}"`),
    )
    expect(mail?.html).not.toContain('class=')
    const link = mail?.headers.get('list-unsubscribe')
    expect(link).toMatch(new RegExp(`^<${admin.site.baseUrl}/u/[0-9a-f-]{36}>$`))
    expect(mail?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(mail?.text).toContain(link?.slice(1, -1))
    expect(mail?.headers.get('message-id')).toMatch(/^<[0-9a-f-]{36}@titrate\.example>$/)
    expect(new Set(smtp.received.map(({ headers }) => headers.get('list-unsubscribe'))).size).toBe(2)
  })

  test('C-049 whoever opted out, is disabled, has no address or is suppressed is skipped, and the ledger says why', async () => {
    const [fine, out, disabled, nowhere, gone] = await Promise.all([
      aUser(db),
      aUser(db),
      aUser(db),
      aUser(db),
      aUser(db),
    ])
    await sql`update users set opted_out_of_emails = true where id = ${out.id}`.execute(db)
    await sql`update users set is_active = false where id = ${disabled.id}`.execute(db)
    await sql`update users set email = 'no address', email_key = 'no address' where id = ${nowhere.id}`.execute(db)
    await sql`
      insert into mail_suppressions (site_id, address_key, reason)
      values (${admin.site.id}, ${gone.email}, 'bounced')`.execute(db)
    const message = await aDraft(admin, { to: [fine, out, disabled, nowhere, gone] })
    await sendOut(admin, message)
    expect((await ledger(admin, message.id)).map(({ state, response }) => [state, response])).toEqual([
      ['accepted', expect.stringContaining('250')],
      ['skipped', 'opted_out'],
      ['skipped', 'disabled'],
      ['skipped', 'no_address'],
      ['skipped', 'suppressed'],
    ])
    expect(smtp.received).toHaveLength(1)
  })

  test('whoever opts out while the message is going out gets none', async () => {
    const person = await aUser(db)
    const message = await aDraft(admin, { to: [person] })
    await start(admin, message.id)
    await prepareMessage(system, { announcementUid: message.uid })
    await sql`update users set opted_out_of_emails = true where id = ${person.id}`.execute(db)
    await sendMessages(system)
    expect(await ledger(admin, message.id)).toMatchObject([{ state: 'skipped', response: 'opted_out', attempts: 0 }])
    expect(await stateOf(admin, message.id)).toMatchObject({ sending: 'done' })
  })

  test('those who are in its audiences when it is prepared get it once, also if they were chosen by hand', async () => {
    const members = await Promise.all([1, 2].map(() => aUser(db, { groups: ['instructors'] })))
    const { uid } = await createAudience(admin, {
      name: 'Instructors',
      conditions: [{ about: 'group', how: 'is', values: ['instructors'] }],
    })
    const message = await aDraft(admin, { to: members.slice(0, 1), audiences: [uid] })
    const late = await aUser(db, { groups: ['instructors'] })
    await sendOut(admin, message)
    const addresses = (await ledger(admin, message.id)).map(({ address }) => address)
    expect(addresses.sort()).toEqual([...members, late].map(({ email }) => email).sort())
  })

  test('a refused address is final and remembered; a mail that is not taken now is tried again, for two days at most', async () => {
    const [gone, busy] = await Promise.all([aUser(db), aUser(db)])
    smtp.treat((to) => (to === gone.email ? { atRcpt: 550 } : { atData: 451 }))
    const message = await aDraft(admin, { to: [gone, busy] })
    await sendOut(admin, message)
    expect(await ledger(admin, message.id)).toMatchObject([
      { state: 'refused', response: expect.stringContaining('5.1.1 No such person'), attempts: 1 },
      { state: 'queued', response: expect.stringContaining('4.2.1'), attempts: 1 },
    ])
    expect(await stateOf(admin, message.id)).toEqual({ status: 'sent', sending: 'sending' })
    await sendMessages(later(0.5))
    expect(await ledger(admin, message.id)).toMatchObject([{}, { attempts: 1 }])
    await sendMessages(later(2))
    expect(await ledger(admin, message.id)).toMatchObject([{ attempts: 1 }, { attempts: 2, state: 'queued' }])
    await sendMessages(later(3 * 24 * 60))
    expect(await ledger(admin, message.id)).toMatchObject([{}, { attempts: 3, state: 'refused' }])
    expect(await stateOf(admin, message.id)).toMatchObject({ sending: 'done' })
    const next = await aDraft(admin, { to: [gone, busy] })
    smtp.treat(() => 'take')
    await sendOut(admin, next)
    expect(await ledger(admin, next.id)).toMatchObject([{ response: 'suppressed' }, { state: 'accepted' }])
    const { items, total } = await listSuppressions(admin, { search: gone.email.toUpperCase(), page: 1 })
    expect(total).toBe(1)
    expect(items).toMatchObject([{ address: gone.email, reason: 'refused' }])
    const { uid = '' } = items[0] ?? {}
    await expectGuarded(releaseSuppression, { uid }, { by: ['admins'] })
    await Promise.all(Array.from({ length: 10 }, () => releaseSuppression(admin, { uid })))
    expect((await listSuppressions(admin, { search: gone.email, page: 1 })).total).toBe(0)
    const last = await aDraft(admin, { to: [gone] })
    await sendOut(admin, last)
    expect(await ledger(admin, last.id)).toMatchObject([{ state: 'accepted' }])
  })

  test('a connection that breaks after the text leaves its mail in doubt, and it is not sent again', async () => {
    const [lost, fine] = await Promise.all([aUser(db), aUser(db)])
    smtp.treat((to) => (to === lost.email ? 'drop' : 'take'))
    const message = await aDraft(admin, { to: [lost, fine] })
    await sendOut(admin, message)
    smtp.treat(() => 'take')
    await sendMessages(later(600))
    expect(await ledger(admin, message.id)).toMatchObject([{ state: 'in_doubt' }, { state: 'accepted' }])
    expect(smtp.received).toHaveLength(2)
    await expectGuarded(resendInDoubt, { uid: message.uid }, { by: ['admins'] })
    const again = await Promise.all(Array.from({ length: 10 }, () => resendInDoubt(admin, { uid: message.uid })))
    expect(again.map(({ count }) => count).sort()).toEqual([...Array(9).fill(0), 1])
    await sendMessages(later(600))
    expect(await ledger(admin, message.id)).toMatchObject([{ state: 'accepted' }, { state: 'accepted' }])
    expect(smtp.received).toHaveLength(3)
    expect(await stateOf(admin, message.id)).toEqual({ status: 'sent', sending: 'done' })
  })

  test('what a killed sender had in hand is in doubt, and the rest is sent by the next one', async () => {
    const message = await aDraft(admin, { to: await people(4) })
    await start(admin, message.id)
    await prepareMessage(system, { announcementUid: message.uid })
    await sql`
      update mails set claim = gen_random_uuid(), state = case when address = (
        select min(address) from mails where announcement_id = ${message.id}) then 'sending' else 'queued' end
      where announcement_id = ${message.id}`.execute(db)
    await sendMessages(system)
    const states = (await ledger(admin, message.id)).map(({ state }) => state)
    expect(states.sort()).toEqual(['accepted', 'accepted', 'accepted', 'in_doubt'])
    expect(smtp.received).toHaveLength(3)
  })

  test('without a server nothing is lost: it goes out when there is one again', async () => {
    const message = await aDraft(admin, { to: await people(3) })
    const { SMTP_URL } = env()
    env().SMTP_URL = 'smtp://127.0.0.1:1'
    try {
      await sendOut(admin, message)
    } finally {
      env().SMTP_URL = SMTP_URL
    }
    expect(await ledger(admin, message.id)).toMatchObject(Array(3).fill({ state: 'queued', attempts: 0 }))
    await sendMessages(later(2))
    expect(await ledger(admin, message.id)).toMatchObject(Array(3).fill({ state: 'accepted' }))
  })

  test('ten senders at once send each mail once', async () => {
    const message = await aDraft(admin, { to: await people(20) })
    await start(admin, message.id)
    await Promise.all(Array.from({ length: 5 }, () => prepareMessage(system, { announcementUid: message.uid })))
    await Promise.all(Array.from({ length: 10 }, () => sendMessages(system)))
    await sendMessages(later(1))
    expect(new Set(smtp.received.map(({ to }) => to[0])).size).toBe(smtp.received.length)
    const states = (await ledger(admin, message.id)).map(({ state }) => state)
    expect(states).toHaveLength(20)
    expect(states.every((state) => state === 'accepted' || state === 'in_doubt')).toBe(true)
  })
})

describe('to dashboards', () => {
  test('C-004 few people get it at once, an audience by the job; everybody once', async () => {
    const ada = await aUser(db)
    const small = await aDraft(admin, { delivery: 'dashboard', to: [ada] })
    expect(await start(admin, small.id)).toEqual({ sending: 'done' })
    expect(await stateOf(admin, small.id)).toEqual({ status: 'sent', sending: 'done' })
    expect((await listOwnAnnouncements(await aContext(db, { viewer: ada }))).total).toBe(1)
    await expect(start(admin, small.id)).rejects.toThrow(Conflict)
    expect(await ledger(admin, small.id)).toEqual([])
  })

  test('who was disabled or deleted since being chosen is left out, at once and by the job', async () => {
    const group = await people(3)
    const [fine, disabled, deleted] = group
    const invited = await aUser(db, { groups: ['learners', 'pending_users'] })
    const drafts = await Promise.all(
      [1, 2].map(() => aDraft(admin, { delivery: 'dashboard', to: [...group, invited] })),
    )
    await sql`update users set is_active = false where id in (${disabled?.id}, ${invited.id})`.execute(db)
    await sql`update users set erased_at = now() where id = ${deleted?.id}`.execute(db)
    const [atOnce, scheduled] = drafts.map(({ id, uid }) => ({ id, uid }))
    await start(admin, atOnce?.id ?? 0)
    await start(admin, scheduled?.id ?? 0, { sendAt: later(10).now })
    await startScheduledMessages(later(11))
    await prepareMessage(later(11), { announcementUid: scheduled?.uid ?? '' })
    // The deleted account is undone, and the disabled one enabled.
    await sql`update users set erased_at = null, is_active = true where id in (${disabled?.id}, ${deleted?.id})`.execute(
      db,
    )
    const inbox = async (viewer?: Viewer) =>
      viewer ? (await listOwnAnnouncements(await aContext(db, { viewer }))).total : 0
    for (const { id } of drafts) {
      const { rows } = await sql<{ userId: number; state: string; skipped: string | null }>`
        select user_id as "userId", state, skipped from announcement_recipients
        where announcement_id = ${id}`.execute(db)
      const became = new Map(rows.map(({ userId, state, skipped }) => [userId, [state, skipped]]))
      expect([fine, disabled, deleted, invited].map((one) => became.get(one?.id ?? 0))).toEqual([
        ['sent', null],
        ['skipped', 'disabled'],
        ['skipped', 'disabled'],
        ['sent', null],
      ])
    }
    expect([await inbox(fine), await inbox(disabled), await inbox(deleted)]).toEqual([2, 0, 0])
  })
})

describe('when', () => {
  test('a scheduled message starts once at its time; a late one waits for a decision', async () => {
    const ada = await aUser(db)
    const message = await aDraft(admin, { to: [ada] })
    await start(admin, message.id, { sendAt: later(10).now, notAfter: later(60).now })
    expect(await startScheduledMessages(later(9))).toEqual({ started: 0, late: 0 })
    const started = await Promise.all(Array.from({ length: 10 }, () => startScheduledMessages(later(11))))
    expect(started.filter((one) => one.started === 1)).toHaveLength(1)
    expect(await stateOf(admin, message.id)).toEqual({ status: 'draft', sending: 'preparing' })

    const late = await aDraft(admin, { to: [ada] })
    await start(admin, late.id, { sendAt: later(10).now, notAfter: later(60).now })
    expect(await startScheduledMessages(later(61))).toEqual({ started: 0, late: 1 })
    expect(await stateOf(admin, late.id)).toEqual({ status: 'draft', sending: 'late' })
    await cancelSchedule(admin, { uid: late.uid })
    expect(await stateOf(admin, late.id)).toEqual({ status: 'draft', sending: null })
  })

  test('a message that no worker prepared before its "not after" is late, too', async () => {
    const message = await aDraft(admin, { to: await people(1) })
    await start(admin, message.id, { sendAt: later(10).now, notAfter: later(60).now })
    await startScheduledMessages(later(11))
    await prepareMessage(later(61), { announcementUid: message.uid })
    expect(await stateOf(admin, message.id)).toEqual({ status: 'draft', sending: 'late' })
  })

  test('a schedule is canceled once, and not after the message has gone out', async () => {
    const message = await aDraft(admin, { to: await people(1) })
    await start(admin, message.id, { sendAt: later(10).now })
    await Promise.all(Array.from({ length: 10 }, () => cancelSchedule(admin, { uid: message.uid })))
    expect(await stateOf(admin, message.id)).toEqual({ status: 'draft', sending: null })
    const { rows } = await sql`
      select from audit_entries where entity_uid = ${message.uid} and action = 'announcement.schedule_canceled'`.execute(
      db,
    )
    expect(rows).toHaveLength(1)
    await sendOut(admin, message)
    await expect(cancelSchedule(admin, { uid: message.uid })).rejects.toThrow('is no longer waiting')
  })

  test('stopping takes effect between mails, and resuming sends the rest', async () => {
    const message = await aDraft(admin, { to: await people(8) })
    await start(admin, message.id)
    await prepareMessage(system, { announcementUid: message.uid })
    const { MAIL_CONNECTIONS } = env()
    env().MAIL_CONNECTIONS = 1
    let count = 0
    let stopping: Promise<void> | undefined
    smtp.treat(() => {
      // Asked twice for each mail: at its address and after its text.
      if (++count === 5) stopping = stopSending(admin, { uid: message.uid })
      return 'take'
    })
    await sendMessages(system)
    await stopping
    env().MAIL_CONNECTIONS = MAIL_CONNECTIONS
    const sent = smtp.received.length
    expect(sent).toBeGreaterThanOrEqual(3)
    expect(sent).toBeLessThan(8)
    expect(await stateOf(admin, message.id)).toEqual({ status: 'sent', sending: 'stopped' })
    await sendMessages(later(5))
    expect(smtp.received).toHaveLength(sent)
    smtp.treat(() => 'take')
    await resumeSending(admin, { uid: message.uid })
    await sendMessages(later(5))
    expect(smtp.received).toHaveLength(8)
    await expect(stopSending(admin, { uid: message.uid })).rejects.toThrow('This message is not being sent.')
  })

  test.each([
    ['stopSending', stopSending],
    ['resumeSending', resumeSending],
    ['cancelSchedule', cancelSchedule],
  ] as const)('%s is for admins of the site', async (_, work) => {
    const message = await aDraft(admin, { to: await people(1) })
    await start(admin, message.id, { sendAt: later(10).now })
    await expectGuarded(work, { uid: message.uid }, { by: ['admins'] })
    expect(await stateOf(admin, message.id)).toEqual({ status: 'draft', sending: 'scheduled' })
  })
})
