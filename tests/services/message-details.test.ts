/** What became of a message, for each recipient and for all of them. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  getMessageHead,
  getMessageRecipients,
  getMessageStats,
  getRecipientStoryView,
  recipientParts,
} from '~/pages/message-details.server.ts'
import { markClicked, markOpened, pinAnnouncement } from '~/services/announcements/announcements.server.ts'
import { listMessageFigures } from '~/services/announcements/compare.server.ts'
import {
  countDeliveries,
  countInDoubt,
  findWaitingMails,
  getRecipientStory,
  listMessageRecipients,
  listRecipientStories,
} from '~/services/announcements/details.server.ts'
import { getAnnouncementToEdit } from '~/services/announcements/read-announcement.server.ts'
import { createAnnouncement } from '~/services/announcements/save-announcement.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { addMailsOfMessage } from '~/services/mail/message-mails.server.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser } from '../support/context.ts'
import { aDraft } from '../support/messages.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let people: Viewer[]

beforeAll(async () => {
  const author = await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ada', lastName: 'Lovelace' })
  admin = await aContext(db, { viewer: author })
  people = await Promise.all(['Bo', 'Cy', 'Di'].map((firstName) => aUser(db, { firstName, lastName: 'Reader' })))
})

const messageOf = (announcementUid: string) => getAnnouncementToEdit(admin, { announcementUid })
const storiesOf = async (announcementUid: string, search = '') => {
  const { rows } = await getMessageRecipients(admin, { announcementUid, query: { search, page: 1 } })
  return rows.map(({ name, status, story }) => [name, status, ...story.map((line) => line.replace(/ on .*/, ''))])
}

describe('a message on dashboards', () => {
  test('C-062 C-064 C-065 C-066 C-276 shows who made it, its rates, and N/A for the other channel', async () => {
    const recipients = people.map(({ uid }) => uid)
    const { uid } = await createAnnouncement(admin, {
      name: 'News',
      subject: 'Something new',
      text: '**Bold** words',
      recipients: [{ kind: 'add', uids: recipients }],
      send: { when: 'now' },
    })
    const [bo, cy] = people as [Viewer, Viewer]
    for (const viewer of [bo, cy]) await markOpened(await aContext(db, { viewer }), { uid })
    await markClicked(await aContext(db, { viewer: bo }), { uid })
    await pinAnnouncement(await aContext(db, { viewer: cy }), { uid, isPinned: true })
    expect(await getMessageHead(admin, await messageOf(uid))).toMatchObject({
      name: 'News',
      author: 'Ada L.',
      status: 'sent',
      note: null,
    })
    const stats = await getMessageStats(admin, await messageOf(uid))
    expect(stats.dashboard.map(({ label, value, tag }) => [label, value, tag])).toEqual([
      ['Open', '67%', null],
      ['Click-Through', '33%', null],
      ['Pin', '33%', null],
      ['Unread', '33%', null],
    ])
    expect(stats.email.map(({ label, value }) => [label, value])).toEqual([
      ['Open', 'N/A'],
      ['Click-Through', 'N/A'],
      ['Unread', 'N/A'],
    ])
    expect(stats.deliveries).toEqual([{ label: 'On the dashboard', people: '3' }])
    expect(stats.review).toMatchObject({ subject: 'Something new', html: expect.stringContaining('<strong>Bold') })
  })

  test('C-067 lists its recipients by name with their stories, found by name or email', async () => {
    const uid = await anAnnouncement(db, people)
    const [bo] = people as [Viewer]
    await markOpened(await aContext(db, { viewer: bo }), { uid })
    expect(await storiesOf(uid)).toEqual([
      ['Bo Reader', expect.any(String), 'On the dashboard', 'Opened'],
      ['Cy Reader', expect.any(String), 'On the dashboard'],
      ['Di Reader', expect.any(String), 'On the dashboard'],
    ])
    expect((await storiesOf(uid, 'CY')).map(([name]) => name)).toEqual(['Cy Reader'])
    expect((await storiesOf(uid, bo.email)).map(([name]) => name)).toEqual(['Bo Reader'])
    for (const search of ['%', '_', '\u0000', 'nobody']) expect(await storiesOf(uid, search)).toEqual([])
    expect((await listMessageRecipients(admin, { announcementUid: uid, page: 9 })).items).toEqual([])
  })
})

test('a message by email counts its mails by what became of them, with the words of the mail server', async () => {
  const uid = await anAnnouncement(db, people, { subject: 'Mailed' })
  const message = await db
    .updateTable('announcements')
    .set({ delivery_type: 'email' })
    .where('uid', '=', uid)
    .returning('id')
    .executeTakeFirstOrThrow()
  const mine = db.updateTable('announcement_recipients').where('announcement_id', '=', message.id)
  await mine.set({ channel: 'email' }).execute()
  const [bo, cy, di] = people as [Viewer, Viewer, Viewer]
  await mine.set({ state: 'skipped', skipped: 'opted_out' }).where('user_id', '=', di.id).execute()
  await addMailsOfMessage(admin, { announcementId: message.id, subject: 'Mailed' })
  const mails = db.updateTable('mails').where('announcement_id', '=', message.id)
  const ended = { ended_at: new Date(), attempts: 2 }
  await mails
    .set({ ...ended, state: 'refused', response: '550 No such user' })
    .where('user_id', '=', bo.id)
    .execute()
  await mails
    .set({ ...ended, state: 'in_doubt' })
    .where('user_id', '=', cy.id)
    .execute()
  const stats = await getMessageStats(admin, await messageOf(uid))
  expect(stats.deliveries).toEqual([
    { label: 'In doubt', people: '1' },
    { label: 'Refused', people: '1' },
    { label: 'Left out. The person does not want emails of this kind.', people: '1' },
  ])
  expect([stats.inDoubt, stats.waiting]).toEqual([1, null])
  // The mail server is down.
  const response = 'connect ECONNREFUSED 127.0.0.1:25'
  await mails
    .set({ state: 'queued', ended_at: null, response, next_at: new Date(Date.now() + 60_000) })
    .where('user_id', '=', cy.id)
    .execute()
  const sending = (value: string) =>
    db.updateTable('announcements').set({ sending: value }).where('id', '=', message.id).execute()
  await sending('sending')
  expect((await getMessageStats(admin, await messageOf(uid))).waiting).toMatch(
    /^One email waits, because the mail server did not take it: “connect ECONNREFUSED 127\.0\.0\.1:25”\. The next try is on \w/,
  )
  await expectGuarded(findWaitingMails, { announcementUid: uid }, { by: ['admins'] })
  await sending('stopped')
  expect((await getMessageStats(admin, await messageOf(uid))).waiting).toBeNull()
  await mails
    .set({ ...ended, state: 'in_doubt', response: null })
    .where('user_id', '=', cy.id)
    .execute()
  expect(await storiesOf(uid)).toEqual([
    ['Bo Reader', expect.any(String), 'Refused', '“550 No such user”'],
    ['Cy Reader', expect.any(String), 'In doubt'],
    ['Di Reader', expect.any(String), 'Left out. The person does not want emails of this kind.'],
  ])
})

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 28, 12, minutes))

type MailOf = { state: string; response?: string; isTracked?: boolean; attempts?: number; isReturned?: boolean }

/** A message by email whose ledger says this, with a mail for each person. */
async function aMailed(mails: MailOf[]): Promise<{ id: number; uid: string }> {
  const message = await aDraft(admin, { subject: 'Mailed', to: people.slice(0, mails.length) })
  await sql`
    update announcements set status = 'sent', sending = 'done', sent_at = ${at(0)} where id = ${message.id}`.execute(db)
  await sql`
    update announcement_recipients set state = 'sent', sent_at = ${at(0)} where announcement_id = ${message.id}`.execute(
    db,
  )
  for (const [index, mail] of mails.entries()) {
    const { state, response = null, isTracked = true, attempts = 1, isReturned = false } = mail
    await sql`
      insert into mails (site_id, kind, user_id, announcement_id, recipient_id, address, subject, state, response,
        attempts, is_tracked, created_at, tried_at, ended_at, returned_at)
      select site_id, 'message', user_id, announcement_id, id, 'one@titrate.example', 'Mailed', ${state}, ${response},
        ${attempts}, ${isTracked}, ${at(0)}, ${at(1)}, ${at(2)}, ${isReturned ? at(30) : null}::timestamptz
      from announcement_recipients
      where announcement_id = ${message.id} and user_id = ${people[index]?.id ?? 0}`.execute(db)
  }
  return message
}

/** Says that somebody did something with a message, so many minutes after noon. */
const did = (id: number, person: number, column: string, minutes: number) =>
  sql`
    update announcement_recipients set ${sql.ref(column)} = ${at(minutes)}
    where announcement_id = ${id} and user_id = ${people[person]?.id ?? 0}`.execute(db)

describe('a message by email', () => {
  const emailOf = async (uid: string) => {
    const { email, remarks } = await getMessageStats(admin, await messageOf(uid))
    return { rates: email.map(({ label, value }) => `${label} ${value}`), remarks }
  }

  test('C-064 C-279 the rates count people, and the page says what machines did', async () => {
    const { id, uid } = await aMailed([{ state: 'accepted' }, { state: 'accepted' }, { state: 'accepted' }])
    await did(id, 0, 'opened_at', 5)
    await did(id, 1, 'opened_at', 6)
    await did(id, 1, 'clicked_at', 6)
    await did(id, 2, 'machine_opened_at', 3)
    const { rates, remarks } = await emailOf(uid)
    expect(rates).toEqual(['Open 67%', 'Click-Through 33%', 'Unread 33%'])
    expect(remarks).toEqual([expect.stringContaining('these opened one email and followed links in 0 emails')])
  })

  test('C-276 without tracking no rate is claimed, and the page says what is still known', async () => {
    const none = await emailOf((await aMailed([{ state: 'accepted', isTracked: false }])).uid)
    expect(none.rates).toEqual(['Open N/A', 'Click-Through N/A', 'Unread N/A'])
    expect(none.remarks).toEqual([expect.stringContaining('were sent without tracking')])
    const { id, uid } = await aMailed([{ state: 'accepted' }, { state: 'accepted', isTracked: false }])
    await did(id, 0, 'opened_at', 5)
    await sql`update mails set unsubscribed_at = now() where announcement_id = ${id}`.execute(db)
    const some = await emailOf(uid)
    expect(some.rates[0]).toBe('Open 50%')
    expect(some.remarks.slice(1)).toEqual([
      expect.stringContaining('One email was sent without tracking'),
      '2 people have unsubscribed with the link in the email.',
    ])
  })

  test('C-064 C-279 every figure is what counting person by person gives', async () => {
    const states = ['accepted', 'in_doubt', 'bounced', 'complained', 'refused', 'skipped', 'queued']
    const columns = ['opened_at', 'clicked_at', 'pinned_at', 'machine_opened_at', 'machine_clicked_at']
    const message = await aDraft(admin, { subject: 'Mixed' })
    await sql`
      update announcements set status = 'sent', sending = 'sending', sent_at = now() where id = ${message.id}`.execute(
      db,
    )
    // People with each state, with and without tracking, who did each of these things and ended such emails or not.
    await sql`
      with person as (
        insert into users (site_id, email, email_key, is_active)
        select ${admin.site.id}, 'mixed' || n || '@titrate.example', 'mixed' || n || '@titrate.example', true
        from generate_series(0, 279) n returning id, substring(email from '[0-9]+')::int as n),
      recipient as (
        insert into announcement_recipients (
          site_id, announcement_id, user_id, channel, state, skipped, opened_at, clicked_at, pinned_at, machine_opened_at,
          machine_clicked_at)
        select ${admin.site.id}, ${message.id}, id, 'email',
          case when n < 10 then 'draft' when n % 7 = 5 then 'skipped' else 'sent' end,
          case when n >= 10 and n % 7 = 5 then 'opted_out' end, case when n % 2 = 0 then now() end,
          case when n % 4 = 0 then now() end, case when n % 3 = 0 then now() end, case when n % 5 = 0 then now() end,
          case when n % 10 = 0 then now() end
        from person returning id, user_id)
      insert into mails (
        site_id, kind, user_id, announcement_id, recipient_id, address, subject, state, response, is_tracked,
        unsubscribed_at)
      select ${admin.site.id}, 'message', user_id, ${message.id}, recipient.id, 'one@titrate.example', 'Mixed',
        (${states}::text[])[n % 7 + 1], case when n % 7 = 5 and n % 3 > 0 then 'reason ' || n % 3 end, n % 3 <> 1,
        case when n % 11 = 0 then now() end
      from recipient join person on person.id = recipient.user_id where n >= 10`.execute(db)
    const counted = await countDeliveries(admin, { announcementUid: message.uid })
    const { rows: all } = await sql<Record<string, string | null> & { is_tracked: boolean | null }>`
      select r.*, r.state as place, mail.state, mail.response, mail.is_tracked, mail.unsubscribed_at
      from announcement_recipients r left join mails mail on mail.recipient_id = r.id
      where r.announcement_id = ${message.id}`.execute(db)
    const many = (is: (row: (typeof all)[number]) => unknown) => all.filter(is).length
    const expected = new Map<string, number>()
    for (const { state, response } of all) {
      const key = `${state ?? 'open'} ${state === 'skipped' ? response : null}`
      expected.set(key, (expected.get(key) ?? 0) + 1)
    }
    expect(new Map(counted.deliveries.map(({ state, reason, people }) => [`${state} ${reason}`, people]))).toEqual(
      expected,
    )
    expect(counted.tracking).toEqual({
      tracked: many((row) => row.is_tracked),
      untracked: many((row) => row.is_tracked === false && states.slice(0, 4).includes(row.state ?? '')),
      unsubscribed: many((row) => row.unsubscribed_at),
    })
    const [figures] = await listMessageFigures(admin, { uids: [message.uid] })
    const got = (row: (typeof all)[number]) => row.place === 'sent' && row.state !== 'bounced'
    const [opened, clicked, pinned, machineOpens, machineClicks] = columns.map((column) =>
      many((row) => got(row) && row[column]),
    )
    expect(figures).toMatchObject({ total: many(got), opened, clicked, pinned, machineOpens, machineClicks })
    expect(new Set([many(got), opened, clicked, pinned, machineOpens, machineClicks]).size).toBe(6)
  })

  test('C-067 the story of a recipient has every step with its time and the words of the server', async () => {
    const { id, uid } = await aMailed([
      { state: 'bounced', response: '5.1.1 Unknown', attempts: 3, isReturned: true },
      { state: 'skipped', response: 'opted_out', attempts: 0 },
      { state: 'in_doubt' },
    ])
    await did(id, 0, 'opened_at', 10)
    await did(id, 0, 'machine_opened_at', 3)
    const story = (person: number, announcementUid = uid) =>
      getRecipientStoryView(admin, { announcementUid, userUid: people[person]?.uid ?? '' })
    const bounced = await story(0)
    expect(bounced).toMatchObject({ name: 'Bo Reader', doubtful: null })
    expect(bounced.steps.map(({ what, words }) => [what, ...(words ? [words] : [])])).toEqual([
      ['Prepared'],
      ['First of 3 attempts'],
      ['Sent'],
      ['Opened by a machine'],
      ['Opened'],
      ['Came back', '5.1.1 Unknown'],
    ])
    expect(bounced.steps[0]?.at).toMatch(/^Nov 28, 2026, /)
    expect((await story(1)).steps.at(-1)).toMatchObject({
      what: 'Left out',
      words: 'The person does not want emails of this kind.',
    })
    expect((await story(2)).doubtful).toMatch(/^[0-9a-f-]{36}$/)
    const other = await aMailed([{ state: 'accepted' }])
    await expect(story(2, other.uid)).rejects.toThrow(NotFound)
    await expect(getRecipientStoryView(admin, { announcementUid: uid, userUid: 'nonsense' })).rejects.toThrow(NotFound)
  })

  test('the file of recipients has a row for each, in batches, with the ledger', async () => {
    const { uid } = await aMailed([
      { state: 'accepted', response: '250 OK' },
      { state: 'skipped', response: 'opted_out' },
    ])
    const rows: unknown[][] = []
    for await (const part of recipientParts(admin, uid)) rows.push(...part)
    const [head = [], ...others] = rows
    expect(others.map((row) => Object.fromEntries(row.map((cell, index) => [head[index], cell])))).toMatchObject([
      { Name: 'Bo Reader', 'What became of it': 'Sent', 'Answer of the mail server': '250 OK' },
      {
        Name: 'Cy Reader',
        'What became of it': 'Left out',
        'Why left out': 'The person does not want emails of this kind.',
        Tracked: 'Yes',
      },
    ])
    const first = await listRecipientStories(admin, { announcementUid: uid, after: 0, size: 1 })
    const second = await listRecipientStories(admin, { announcementUid: uid, after: first.next ?? 0, size: 2 })
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['Bo Reader', 'Cy Reader'])
    expect(second.next).toBeNull()
  })

  test('what is in doubt is counted for the question before it is sent again', async () => {
    const { id, uid } = await aMailed([{ state: 'in_doubt' }, { state: 'in_doubt' }])
    const { rows } = await sql<{ uid: string }>`select uid from mails where announcement_id = ${id}`.execute(db)
    const ask = (mailUid: string | null) => countInDoubt(admin, { announcementUid: uid, mailUid })
    expect(await ask(null)).toEqual({ name: 'Mailed', count: 2, address: null })
    expect(await ask(rows[0]?.uid ?? '')).toMatchObject({ count: 1, address: 'one@titrate.example' })
    await expect(ask('nonsense')).rejects.toThrow(NotFound)
  })
})

test('C-201 all of it is for the admins of the site', async () => {
  const announcementUid = await anAnnouncement(db, people)
  await expectGuarded(countDeliveries, { announcementUid }, { by: ['admins'] })
  await expectGuarded(listMessageRecipients, { announcementUid }, { by: ['admins'] })
  await expectGuarded(countInDoubt, { announcementUid, mailUid: null }, { by: ['admins'] })
  await expectGuarded(listRecipientStories, { announcementUid, after: 0, size: 10 }, { by: ['admins'] })
  const userUid = people[0]?.uid ?? ''
  await expectGuarded(getRecipientStory, { announcementUid, userUid }, { by: ['admins'] })
})
