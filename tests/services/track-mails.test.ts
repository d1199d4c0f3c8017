/** Openings and clicks of messages by email: what counts, once, and what is kept apart or not at all. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isMachine } from '~/services/announcements/machine-visits.ts'
import { getAnnouncementStatistics } from '~/services/announcements/table.server.ts'
import {
  findMailLink,
  type MailVisit,
  recordMailClick,
  recordMailOpen,
} from '~/services/announcements/track-mails.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { getOwnMailChoices, setOwnMailChoices } from '~/services/users/mail-choices.server.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { aDraft, sendOut } from '../support/messages.ts'
import { startSmtp } from '../support/smtp.ts'
import { db, ctx as visitor } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const browser =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15'
const person: MailVisit = { method: 'GET', agent: browser, purposes: [] }
const apple: MailVisit = { ...person, agent: 'Mozilla/5.0' }
const after = (seconds: number): Ctx => ({ ...visitor, now: new Date(visitor.now.getTime() + seconds * 1000) })

let smtp: Awaited<ReturnType<typeof startSmtp>>
beforeAll(async () => {
  smtp = await startSmtp()
})
afterAll(() => smtp.close())
beforeEach(() => {
  smtp.received.length = 0
})

const text = 'Read [one](https://a.example/1?x=1&y=2), [two](https://b.example/2) or [three](https://c.example/3).'

/** A message that was sent to these people, with the uids of its mails and the tokens of its links. */
async function aSentMessage(to: Viewer[]) {
  const message = await aDraft(admin, { text, to })
  await sendOut(admin, message)
  const { rows } = await sql<{ uid: string; recipient: number; isTracked: boolean }>`
    select uid, recipient_id as recipient, is_tracked as "isTracked" from mails
    where announcement_id = ${message.id} order by id`.execute(db)
  const { rows: links } = await sql<{ token: string; url: string }>`
    select token, url from announcement_links where announcement_id = ${message.id} order by id`.execute(db)
  return { ...message, mails: rows, links: links.map(({ token }) => token), html: smtp.received.at(-1)?.html ?? '' }
}

type Message = Awaited<ReturnType<typeof aSentMessage>>

/** What is known of a recipient. */
async function known({ mails }: Message, index = 0) {
  const { rows } = await sql<Record<'opened' | 'clicked' | 'machineOpened' | 'machineClicked', boolean>>`
    select opened_at is not null as opened, clicked_at is not null as clicked,
      machine_opened_at is not null as "machineOpened", machine_clicked_at is not null as "machineClicked"
    from announcement_recipients where id = ${mails[index]?.recipient ?? 0}`.execute(db)
  return Object.entries(rows[0] ?? {}).flatMap(([name, is]) => (is ? [name] : []))
}

const open = (message: Message, seconds: number, visit = person, index = 0) =>
  recordMailOpen(after(seconds), { mailUid: message.mails[index]?.uid ?? '', visit })
const click = (message: Message, link: number, seconds: number, visit = person) =>
  recordMailClick(after(seconds), { mailUid: message.mails[0]?.uid ?? '', link: message.links[link] ?? '', visit })

describe('C-279 what people do', () => {
  test('the mail has a picture and links that count; its plain text has the addresses themselves', async () => {
    const message = await aSentMessage([await aUser(db)])
    const [mail] = message.mails
    const base = `${admin.site.baseUrl}/e/${mail?.uid}`
    expect(mail?.isTracked).toBe(true)
    for (const link of message.links) expect(message.html).toContain(`href="${base}/${link}"`)
    expect(message.html).toContain(`<img src="${base}.gif" alt="" width="1" height="1"`)
    expect(message.html).not.toContain('a.example')
    expect(smtp.received[0]?.text).toContain('https://a.example/1?x=1&y=2')
    expect(smtp.received[0]?.text).not.toContain('/e/')
    const find = (link = '') => findMailLink(visitor, { mailUid: mail?.uid ?? '', link })
    expect(await Promise.all(message.links.map(find))).toEqual([
      'https://a.example/1?x=1&y=2',
      'https://b.example/2',
      'https://c.example/3',
    ])
  })

  test('an opening and a click count once for each recipient, however often and at once they happen', async () => {
    const message = await aSentMessage(await Promise.all([aUser(db), aUser(db), aUser(db)]))
    await Promise.all(Array.from({ length: 10 }, () => open(message, 60)))
    await Promise.all(Array.from({ length: 10 }, () => click(message, 0, 90)))
    await click(message, 1, 300)
    await open(message, 400, person, 1)
    const { email } = await getAnnouncementStatistics(admin, { announcementUid: message.uid })
    expect(email).toMatchObject({ total: 3, openCount: 2, unreadCount: 1, clickThruCount: 1, machineOpenCount: 0 })
    const { rows } = await sql<{ at: Date }>`
      select opened_at as at from announcement_recipients where id = ${message.mails[0]?.recipient ?? 0}`.execute(db)
    expect(rows[0]?.at).toEqual(after(60).now)
  })

  test('a click opens the mail too, for programs that show no pictures', async () => {
    const message = await aSentMessage([await aUser(db)])
    await click(message, 0, 60)
    expect(await known(message)).toEqual(['opened', 'clicked'])
  })

  test('a mail of another site, a link of another message and nonsense lead nowhere and count nothing', async () => {
    const [one, two] = [await aSentMessage([await aUser(db)]), await aSentMessage([await aUser(db)])]
    const mailUid = one.mails[0]?.uid ?? ''
    const abroad = await aContext(db, { site: 'ns' })
    const own = one.links[0] ?? ''
    for (const [ctx, input] of [
      [abroad, { mailUid, link: own }],
      [visitor, { mailUid, link: two.links[0] ?? '' }],
      [visitor, { mailUid: randomUUID(), link: own }],
      [visitor, { mailUid, link: randomUUID() }],
      [visitor, { mailUid: '', link: '\u0000' }],
      [visitor, { mailUid: own, link: mailUid }],
    ] as const) {
      expect(await findMailLink(ctx, input)).toBeNull()
      await recordMailClick({ ...ctx, now: after(60).now }, { ...input, visit: person })
      if (ctx === abroad || input.mailUid !== mailUid) {
        await recordMailOpen({ ...ctx, now: after(60).now }, { mailUid: input.mailUid, visit: person })
      }
    }
    expect([await known(one), await known(two)]).toEqual([[], []])
  })
})

describe('C-279 what machines do', () => {
  test('proxies, scanners and prefetches are told from people', () => {
    const acceptedAt = new Date('2026-11-28T12:00:00Z')
    const at = new Date('2026-11-28T12:01:00Z')
    const is = (visit: Partial<MailVisit>, when = at) => isMachine({ ...person, ...visit, at: when }, { acceptedAt })
    expect(is({})).toBe(false)
    expect(
      is({ agent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)' }),
    ).toBe(false)
    expect(is({ agent: 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)' })).toBe(false)
    for (const agent of [
      null,
      '',
      'Mozilla/5.0',
      'python-requests/2.32',
      'Barracuda Sentinel',
      'Slackbot 1.0',
      'curl/8',
    ]) {
      expect(is({ agent }), String(agent)).toBe(true)
    }
    expect(is({ method: 'HEAD' })).toBe(true)
    for (const purpose of ['prefetch', 'prefetch;prerender', 'preview']) expect(is({ purposes: [purpose] })).toBe(true)
    expect(is({}, new Date('2026-11-28T12:00:04Z'))).toBe(true)
    expect(is({}, new Date('2026-11-28T12:00:05Z'))).toBe(false)
  })

  test('they are counted apart, and the person who comes later still counts', async () => {
    const message = await aSentMessage([await aUser(db)])
    await open(message, 1)
    await open(message, 60, apple)
    await click(message, 0, 60, { ...person, method: 'HEAD' })
    expect(await known(message)).toEqual(['machineOpened', 'machineClicked'])
    const { email } = await getAnnouncementStatistics(admin, { announcementUid: message.uid })
    expect(email).toMatchObject({ openCount: 0, unreadCount: 1, clickThruCount: 0, machineOpenCount: 1 })
    await open(message, 120)
    await click(message, 0, 130)
    expect(await known(message)).toEqual(['opened', 'clicked', 'machineOpened', 'machineClicked'])
  })

  test('whoever follows every link within seconds is a scanner, also what it did first', async () => {
    const message = await aSentMessage([await aUser(db)])
    await open(message, 60)
    for (const [link, seconds] of [60.2, 61, 63].entries()) await click(message, link, seconds)
    await open(message, 64)
    expect(await known(message)).toEqual(['machineOpened', 'machineClicked'])
    await click(message, 1, 3600)
    expect(await known(message)).toEqual(['opened', 'clicked', 'machineOpened', 'machineClicked'])
  })

  test('somebody who follows two links one after the other is a person', async () => {
    const message = await aSentMessage([await aUser(db)])
    await click(message, 0, 60)
    await click(message, 0, 61)
    await click(message, 1, 70)
    expect(await known(message)).toEqual(['opened', 'clicked'])
  })
})

describe('without tracking', () => {
  test('of a person, the mail has no picture and plain links; what was sent before no longer counts', async () => {
    const viewer = await aUser(db)
    const own = await aContext(db, { viewer })
    const before = await aSentMessage([viewer])
    await setOwnMailChoices(own, { ...(await getOwnMailChoices(own)), tracking: true })
    await open(before, 60)
    await click(before, 0, 60)
    expect(await known(before)).toEqual([])
    expect(
      await findMailLink(visitor, { mailUid: before.mails[0]?.uid ?? '', link: before.links[0] ?? '' }),
    ).not.toBeNull()
    const message = await aSentMessage([viewer])
    expect(message.mails).toMatchObject([{ isTracked: false }])
    expect(message.html).toContain('href="https://b.example/2"')
    expect(message.html).not.toContain('/e/')
    await setOwnMailChoices(own, { ...(await getOwnMailChoices(own)), tracking: false })
    await open(message, 60)
    expect(await known(message)).toEqual([])
  })

  test('of a site, and of somebody who was erased', async () => {
    const viewer = await aUser(db)
    const message = await aSentMessage([viewer, await aUser(db)])
    await sql`update sites set tracks_mails = false where id = ${admin.site.id}`.execute(db)
    try {
      await open(message, 60)
      expect((await aSentMessage([await aUser(db)])).mails).toMatchObject([{ isTracked: false }])
    } finally {
      await sql`update sites set tracks_mails = true where id = ${admin.site.id}`.execute(db)
    }
    await erase(db, viewer)
    await open(message, 60)
    expect(await known(message)).toEqual([])
    await open(message, 60, person, 1)
    expect(await known(message, 1)).toEqual(['opened'])
  })
})
