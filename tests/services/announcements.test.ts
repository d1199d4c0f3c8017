/** Messages on learners' home pages: their recipients and order, and the effects of opening, clicking and pinning. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import {
  findAnnouncementNeighbours,
  getAnnouncementLink,
  getOwnAnnouncement,
  listOwnAnnouncements,
  markAnnouncementRead,
  markOpened,
  pinAnnouncement,
  recordAnnouncementClick,
} from '~/services/announcements/announcements.server.ts'
import { sendDashboardAnnouncement } from '~/services/announcements/send-announcement.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { getOwnLearning } from '~/services/read/own-learning.server.ts'
import { deleteUnusedFiles } from '~/services/storage/sweep.server.ts'
import { getFileToServe, receiveUpload } from '~/services/uploads/uploads.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'
import { ownStorage } from '../support/uploads.ts'

const folder = ownStorage()

const nobody = await aContext(db)
const operator = await aContext(db, { isOperator: true })

async function aLearner(site: 'institutional' | 'ns' = 'institutional') {
  const viewer = await aUser(db, { site })
  return { viewer, ctx: await aContext(db, { site, viewer }) }
}

const day = (number: number) => new Date(Date.UTC(2026, 0, number))
const later = (ctx: Ctx, minutes: number): Ctx => ({ ...ctx, now: new Date(ctx.now.getTime() + minutes * 60_000) })
const deliveriesOf = (uid: string) =>
  db
    .selectFrom('announcement_recipients as r')
    .innerJoin('announcements as a', 'a.id', 'r.announcement_id')
    .select(['r.user_id', 'r.opened_at', 'r.clicked_at', 'r.pinned_at', 'r.state', 'r.channel'])
    .where('a.uid', '=', uid)
    .execute()
const setFlag = (isOn: boolean) =>
  db.updateTable('feature_flags').set({ is_on: isOn }).where('name', '=', 'ANNOUNCEMENTS').execute()

describe('own messages', () => {
  test('L-115 a learner gets the messages sent to her: pinned first, then newest, 24 on a page', async () => {
    const { viewer, ctx } = await aLearner()
    const uids: string[] = []
    for (let number = 1; number <= 26; number++) {
      uids.push(
        await anAnnouncement(db, [viewer], {
          subject: number === 26 ? 'For {{first name}}' : `Number ${number}`,
          now: day(number),
        }),
      )
    }
    await pinAnnouncement(ctx, { uid: uids[2] ?? '', isPinned: true })
    await pinAnnouncement(later(ctx, 1), { uid: uids[4] ?? '', isPinned: true })
    const first = await listOwnAnnouncements(ctx, { page: 1 })
    expect(first.total).toBe(26)
    expect(first.items).toHaveLength(24)
    expect(first.items.slice(0, 4).map(({ subject }) => subject)).toEqual([
      'Number 5',
      'Number 3',
      `For ${viewer.firstName}`,
      'Number 25',
    ])
    const second = await listOwnAnnouncements(ctx, { page: 2 })
    expect(second.items.map(({ subject }) => subject)).toEqual(['Number 2', 'Number 1'])
    expect((await listOwnAnnouncements(ctx, { page: 99 })).items).toEqual([])
    expect(await findAnnouncementNeighbours(ctx, { uid: uids[2] ?? '' })).toEqual({
      previous: { uid: uids[4], subject: 'Number 5' },
      next: { uid: uids[25], subject: `For ${viewer.firstName}` },
    })
    expect((await findAnnouncementNeighbours(ctx, { uid: uids[0] ?? '' })).next).toBeNull()
  })

  test('drafts, mails, deleted messages and other people’s messages are not listed or counted', async () => {
    const { viewer, ctx } = await aLearner()
    const other = await aLearner()
    const notSent = [{ status: 'draft' }, { delivery_type: 'email' }, { deleted_at: new Date() }] as const
    for (const change of notSent) {
      const uid = await anAnnouncement(db, [viewer])
      await db.updateTable('announcements').set(change).where('uid', '=', uid).execute()
      await expect(getOwnAnnouncement(ctx, { uid })).rejects.toThrow(NotFound)
    }
    const skipped = await anAnnouncement(db, [viewer])
    await db
      .updateTable('announcement_recipients')
      .set({ state: 'skipped' })
      .where('user_id', '=', viewer.id)
      .where('announcement_id', '=', (eb) => eb.selectFrom('announcements').select('id').where('uid', '=', skipped))
      .execute()
    const theirs = await anAnnouncement(db, [other.viewer])
    for (const uid of [skipped, theirs, randomUUID(), 'nonsense', '\u0000']) {
      await expect(getOwnAnnouncement(ctx, { uid })).rejects.toThrow(NotFound)
    }
    const mailed = await anAnnouncement(db, [viewer])
    await db
      .updateTable('announcement_recipients')
      .set({ channel: 'email' })
      .where('user_id', '=', viewer.id)
      .where('announcement_id', '=', (eb) => eb.selectFrom('announcements').select('id').where('uid', '=', mailed))
      .execute()
    expect(await listOwnAnnouncements(ctx)).toEqual({ items: [], total: 0 })
    expect((await getOwnLearning(ctx)).unreadCount).toBe(0)
    expect((await getUser(ctx, { userUid: viewer.uid })).numUnreadAnnouncements).toBe(0)
    expect((await getOwnLearning(other.ctx)).unreadCount).toBe(1)
  })

  test('L-095 there are none if the feature is off', async () => {
    const { viewer, ctx } = await aLearner()
    const uid = await anAnnouncement(db, [viewer])
    await setFlag(false)
    try {
      expect((await listOwnAnnouncements(ctx)).total).toBe(0)
      expect((await getOwnLearning(ctx)).unreadCount).toBe(0)
      expect((await getUser(ctx, { userUid: viewer.uid })).numUnreadAnnouncements).toBe(0)
      await expect(pinAnnouncement(ctx, { uid, isPinned: true })).rejects.toThrow(NotFound)
    } finally {
      await setFlag(true)
    }
    expect((await deliveriesOf(uid))[0]?.pinned_at).toBeNull()
  })

  test('there are none for signed-out visitors and on the other site', async () => {
    const { viewer, ctx } = await aLearner()
    const uid = await anAnnouncement(db, [viewer])
    const abroad: Ctx = { ...ctx, site: (await aContext(db, { site: 'ns' })).site }
    for (const work of [
      (ctx: Ctx) => getOwnAnnouncement(ctx, { uid }),
      (ctx: Ctx) => markAnnouncementRead(ctx, { uid }),
      (ctx: Ctx) => pinAnnouncement(ctx, { uid, isPinned: true }),
      (ctx: Ctx) => recordAnnouncementClick(ctx, { uid, link: 'https://a.example/' }),
    ]) {
      await expect(work(nobody)).rejects.toThrow(Forbidden)
      await expect(work(abroad)).rejects.toThrow(NotFound)
    }
    await expect(listOwnAnnouncements(nobody)).rejects.toThrow('Login required.')
    expect((await listOwnAnnouncements(abroad)).total).toBe(0)
    expect(await deliveriesOf(uid)).toMatchObject([{ opened_at: null, clicked_at: null, pinned_at: null }])
  })
})

describe('opening', () => {
  test('L-115 the first opening is recorded, the badge goes down by one, and ten at once count as one', async () => {
    const { viewer, ctx } = await aLearner()
    const uid = await anAnnouncement(db, [viewer])
    await anAnnouncement(db, [viewer])
    expect((await getOwnLearning(ctx)).unreadCount).toBe(2)
    await Promise.all(Array.from({ length: 10 }, (_, index) => markOpened(later(ctx, index), { uid })))
    const [row] = await deliveriesOf(uid)
    const again = await markAnnouncementRead(later(ctx, 60), { uid })
    expect(again.openedAt).toEqual(row?.opened_at)
    expect((await getOwnLearning(ctx)).unreadCount).toBe(1)
    expect((await getUser(ctx, { userUid: viewer.uid })).numUnreadAnnouncements).toBe(1)
  })

  test('nobody can open another person’s message', async () => {
    const { viewer } = await aLearner()
    const other = await aLearner()
    const uid = await anAnnouncement(db, [viewer])
    await markOpened(other.ctx, { uid })
    await markOpened(other.ctx, { uid: 'nonsense' })
    await expect(markAnnouncementRead(other.ctx, { uid })).rejects.toThrow(NotFound)
    expect(await deliveriesOf(uid)).toMatchObject([{ user_id: viewer.id, opened_at: null }])
  })
})

describe('pinning', () => {
  test('sets the wanted state: repeating it, or ten at once, changes nothing', async () => {
    const { viewer, ctx } = await aLearner()
    const uid = await anAnnouncement(db, [viewer])
    const { pinnedAt } = await pinAnnouncement(ctx, { uid, isPinned: true })
    expect(pinnedAt).toEqual(ctx.now)
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => pinAnnouncement(later(ctx, index + 1), { uid, isPinned: true })),
    )
    expect((await getOwnAnnouncement(ctx, { uid })).pinnedAt).toEqual(pinnedAt)
    expect((await pinAnnouncement(ctx, { uid, isPinned: false })).pinnedAt).toBeNull()
    expect((await pinAnnouncement(ctx, { uid, isPinned: false })).pinnedAt).toBeNull()
  })

  test('is for the recipient only', async () => {
    const { viewer, ctx } = await aLearner()
    const other = await aLearner()
    const stranger = await aLearner()
    const uid = await anAnnouncement(db, [viewer, other.viewer])
    await expect(pinAnnouncement(stranger.ctx, { uid, isPinned: true })).rejects.toThrow(NotFound)
    await pinAnnouncement(ctx, { uid, isPinned: true })
    expect((await getOwnAnnouncement(other.ctx, { uid })).pinnedAt).toBeNull()
  })
})

describe('links', () => {
  const text =
    'See [the course](https://a.example/x?y=1&z=2), https://b.example and <me@c.example>, [here](https://b.example).'

  test('each address in the text is one link, and leads only to that address', async () => {
    const { viewer, ctx } = await aLearner()
    const uid = await anAnnouncement(db, [viewer], { text })
    const { links } = await getOwnAnnouncement(ctx, { uid })
    expect(links.map(({ url }) => url)).toEqual(['https://a.example/x?y=1&z=2', 'https://b.example'])
    for (const { url, token } of links) {
      expect(await getAnnouncementLink(ctx, { uid, link: token })).toEqual({ url })
      expect(await getAnnouncementLink(ctx, { uid, link: url })).toEqual({ url })
    }
    const other = await anAnnouncement(db, [viewer], { text: 'https://d.example' })
    const [strange] = (await getOwnAnnouncement(ctx, { uid: other })).links
    for (const link of [strange?.token ?? '', 'https://evil.example/', randomUUID(), '', '\u0000', '\ud800']) {
      await expect(getAnnouncementLink(ctx, { uid, link })).rejects.toThrow(NotFound)
      await expect(recordAnnouncementClick(ctx, { uid, link })).rejects.toThrow(NotFound)
    }
    expect((await deliveriesOf(uid))[0]?.clicked_at).toBeNull()
  })

  test('the first click is recorded and opens the message, also ten at once; another person’s does not count', async () => {
    const { viewer, ctx } = await aLearner()
    const other = await aLearner()
    const uid = await anAnnouncement(db, [viewer], { text })
    const click = { uid, link: 'https://b.example' }
    await expect(recordAnnouncementClick(other.ctx, click)).rejects.toThrow(NotFound)
    await recordAnnouncementClick(ctx, click)
    await Promise.all(Array.from({ length: 10 }, (_, index) => recordAnnouncementClick(later(ctx, index + 1), click)))
    expect(await deliveriesOf(uid)).toMatchObject([{ clicked_at: ctx.now, opened_at: ctx.now }])
  })
})

describe('attachments', () => {
  const attachment = () => ({ fileName: 'notes.txt', source: Readable.from([Buffer.from('Notes')]) })

  test('are for the recipients of the message, as long as it exists', async () => {
    const { viewer, ctx } = await aLearner()
    const other = await aLearner()
    const abroad = await aLearner('ns')
    const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
    const uid = await anAnnouncement(db, [viewer], { attachment: attachment() })
    const { attachment: file } = await getOwnAnnouncement(ctx, { uid })
    expect(file).toMatchObject({ originalFileName: 'notes.txt', size: 5 })
    const name = file?.name ?? ''
    await deleteUnusedFiles(ctx, new Date(Date.now() + 86_400_000))
    expect((await getFileToServe(ctx, { name })).contentType).toBe('text/plain; charset=utf-8')
    expect((await getFileToServe(admin, { name })).size).toBe(5)
    for (const stranger of [other.ctx, abroad.ctx, nobody]) {
      await expect(getFileToServe(stranger, { name })).rejects.toThrow(NotFound)
    }
    await db.updateTable('announcements').set({ deleted_at: new Date() }).where('uid', '=', uid).execute()
    await expect(getFileToServe(ctx, { name })).rejects.toThrow(NotFound)
  })

  test('that are not what they claim to be are refused and not stored', async () => {
    const { viewer } = await aLearner()
    const before = readdirSync(folder).length
    for (const [fileName, bytes] of [
      ['a.pdf', 'no pdf'],
      ['a.exe', 'MZ'],
      ['a.txt', Buffer.alloc(1024 * 1024 + 1, 'a')],
    ] as const) {
      const source = Readable.from([Buffer.from(bytes)])
      await expect(anAnnouncement(db, [viewer], { attachment: { fileName, source } })).rejects.toThrow(Invalid)
    }
    expect(readdirSync(folder)).toHaveLength(before)
  })
})

describe('sending', () => {
  const input = (userUids: string[]) => ({
    uid: randomUUID(),
    subject: 'Hello',
    text: 'https://a.example',
    from: 'Titrate',
    userUids,
  })

  test('ten at once make one message, one delivery to each person and one audit entry', async () => {
    const people = [await aLearner(), await aLearner()]
    const message = input(people.map(({ viewer }) => viewer.uid))
    const file = await receiveUpload(operator, {
      kind: 'attachment',
      fileName: 'a.txt',
      source: Readable.from([Buffer.from('a')]),
    })
    const sent = await Promise.all(
      Array.from({ length: 10 }, () => sendDashboardAnnouncement(operator, { ...message, attachment: file.name })),
    )
    expect(sent.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(await deliveriesOf(message.uid)).toMatchObject([{ state: 'sent', channel: 'dashboard' }, { state: 'sent' }])
    for (const { ctx } of people) {
      const own = await getOwnAnnouncement(ctx, { uid: message.uid })
      expect(own.links).toHaveLength(1)
      expect(own.attachment?.size).toBe(1)
    }
    const audit = await db.selectFrom('audit_entries').select('action').where('entity_uid', '=', message.uid).execute()
    expect(audit).toEqual([{ action: 'announcement.sent' }])
  })

  test('sends nothing at all if one recipient is on the other site or unknown', async () => {
    const { viewer } = await aLearner()
    const abroad = await aLearner('ns')
    for (const userUids of [[viewer.uid, abroad.viewer.uid], [viewer.uid, randomUUID()], [], ['nonsense']]) {
      const message = input(userUids)
      await expect(sendDashboardAnnouncement(operator, message)).rejects.toThrow(Invalid)
      expect(await deliveriesOf(message.uid)).toEqual([])
      expect(await db.selectFrom('announcements').select('id').where('uid', '=', message.uid).execute()).toEqual([])
    }
  })

  test.each([
    [{ name: 'News', subject: ' ' }, 'Subject is required'],
    [{ subject: 'x'.repeat(251) }, 'At most 250 characters'],
    [{ name: '' }, 'Name is required'],
    [{ text: '' }, 'Message text is required'],
    [{ text: 'a\u0000b' }, 'This text holds characters that cannot be stored'],
    [{ text: 'x'.repeat(20_001) }, 'At most 20,000 characters'],
    [{ from: '' }, 'Sender is required'],
  ])('refuses invalid input (%#)', async (change, sentence) => {
    const { viewer } = await aLearner()
    const sending = sendDashboardAnnouncement(operator, { ...input([viewer.uid]), ...change })
    await expect(sending).rejects.toThrow(sentence)
  })

  test('accepts a subject of 250 characters of four bytes each', async () => {
    const { viewer, ctx } = await aLearner()
    const subject = '🧪'.repeat(250)
    const uid = await anAnnouncement(db, [viewer], { subject })
    expect((await getOwnAnnouncement(ctx, { uid })).subject).toBe(subject)
  })
})
