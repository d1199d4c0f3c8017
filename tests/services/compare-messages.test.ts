/** Sent messages side by side. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { getComparedMessages } from '~/pages/compare-messages.server.ts'
import { markClicked, markOpened, pinAnnouncement } from '~/services/announcements/announcements.server.ts'
import { compareAnnouncements } from '~/services/announcements/compare.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let people: Viewer[]

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  people = await Promise.all([1, 2, 3].map(() => aUser(db)))
})

async function openedBy(uid: string, viewers: Viewer[]): Promise<string> {
  for (const viewer of viewers) await markOpened(await aContext(db, { viewer }), { uid })
  return uid
}

describe('comparing', () => {
  test('C-070 C-072 C-073 C-276 each channel has its rates, and tags mark the best, ties included', async () => {
    const [ada, bo] = people as [Viewer, Viewer]
    const two = await openedBy(await anAnnouncement(db, people, { subject: 'Two' }), [ada, bo])
    const same = await openedBy(await anAnnouncement(db, people, { subject: 'Same' }), [ada, bo])
    const none = await anAnnouncement(db, people, { subject: 'None' })
    const mailed = await openedBy(await anAnnouncement(db, people, { subject: 'Mailed' }), people)
    await markClicked(await aContext(db, { viewer: ada }), { uid: two })
    await pinAnnouncement(await aContext(db, { viewer: bo }), { uid: same, isPinned: true })
    await db.updateTable('announcements').set({ delivery_type: 'email' }).where('uid', '=', mailed).execute()
    const compared = await getComparedMessages(admin, { uids: [none, two, same, mailed] })
    expect(compared.map(({ subject }) => subject)).toEqual(['None', 'Two', 'Same', 'Mailed'])
    const of = (index: number, channel: 'email' | 'dashboard') =>
      compared[index]?.[channel].map(({ label, value, tag, note }) => [label, value, ...(tag ? [tag, note] : [])])
    expect(of(0, 'dashboard')).toEqual([
      ['Open', '0%'],
      ['Click-Through', '0%'],
      ['Pin', '0%'],
      ['Unread', '100%'],
    ])
    expect(of(1, 'dashboard')).toEqual([
      ['Open', '67%', 'Best open rate', 'may be chance'],
      ['Click-Through', '33%', 'Best click-through rate', 'may be chance'],
      ['Pin', '0%'],
      ['Unread', '33%'],
    ])
    expect(of(2, 'dashboard')?.[0]).toEqual(['Open', '67%', 'Best open rate', 'may be chance'])
    expect(of(2, 'dashboard')?.[2]).toEqual(['Pin', '33%', 'Best pin rate', 'may be chance'])
    expect(of(1, 'email')).toEqual([
      ['Open', 'N/A'],
      ['Click-Through', 'N/A'],
      ['Unread', 'N/A'],
    ])
    expect(of(3, 'email')?.[0]).toEqual(['Open', '100%', 'Best open rate', null])
    expect(of(3, 'dashboard')?.[2]).toEqual(['Pin', 'N/A'])
  })

  test('C-034 C-035 takes two to four messages that were sent and not deleted', async () => {
    const uids = []
    for (let n = 0; n < 5; n++) uids.push(await anAnnouncement(db, people))
    expect(await compareAnnouncements(admin, { uids: [...uids, ...uids] })).toHaveLength(4)
    const [first = '', second = '', third = ''] = uids
    await db.updateTable('announcements').set({ status: 'draft' }).where('uid', '=', second).execute()
    await db.updateTable('announcements').set({ deleted_at: new Date() }).where('uid', '=', third).execute()
    for (const others of [[], [first], [second], [third], [randomUUID()], ['nonsense']]) {
      await expect(compareAnnouncements(admin, { uids: [first, ...others] })).rejects.toBeInstanceOf(NotFound)
    }
  })

  test('is for the admins of the site', async () => {
    const uids = [await anAnnouncement(db, people), await anAnnouncement(db, people)]
    await expectGuarded(compareAnnouncements, { uids }, { by: ['admins'] })
  })
})
