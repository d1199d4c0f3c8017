/** What became of a message, for each recipient and for all of them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { getMessageHead, getMessageRecipients, getMessageStats } from '~/pages/message-details.server.ts'
import { markClicked, markOpened, pinAnnouncement } from '~/services/announcements/announcements.server.ts'
import { countDeliveries, listMessageRecipients } from '~/services/announcements/details.server.ts'
import { getAnnouncementToEdit } from '~/services/announcements/read-announcement.server.ts'
import { createAnnouncement } from '~/services/announcements/save-announcement.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { addMailsOfMessage } from '~/services/mail/message-mails.server.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser } from '../support/context.ts'
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
    { label: 'In doubt: the connection broke before the mail server answered', people: '1' },
    { label: 'Refused by the mail server', people: '1' },
    { label: 'Left out: opted out of emails', people: '1' },
  ])
  expect(stats.inDoubt).toBe(1)
  expect(await storiesOf(uid)).toEqual([
    ['Bo Reader', expect.any(String), 'Refused by the mail server', '“550 No such user”'],
    ['Cy Reader', expect.any(String), 'In doubt: the connection broke before the mail server answered'],
    ['Di Reader', expect.any(String), 'Left out: opted out of emails'],
  ])
})

test('both are for the admins of the site', async () => {
  const announcementUid = await anAnnouncement(db, people)
  await expectGuarded(countDeliveries, { announcementUid }, { by: ['admins'] })
  await expectGuarded(listMessageRecipients, { announcementUid }, { by: ['admins'] })
})
