/** What became of a message: its rates and ledger, its recipients, their stories, and the files about it. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { getMessageStats, getRecipientStory, getSentMessage, listSentRecipientRows } from '~/pages/message-details.server.ts'
import { messageReportParts, oneMessageParts, recipientParts } from '~/pages/message-report.server.ts'
import { markClicked, markOpened, pinAnnouncement } from '~/services/announcements/announcements.server.ts'
import {
  getSentRecipient,
  listSentRecipientBatch,
  listSentRecipients,
} from '~/services/announcements/list-sent-recipients.server.ts'
import { countInDoubt } from '~/services/announcements/message-ledger.server.ts'
import { getMessageReport, listMessageReport } from '~/services/announcements/message-report.server.ts'
import { getAnnouncementToEdit } from '~/services/announcements/read-announcement.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { aDraft } from '../support/messages.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let people: Viewer[]
const at = (minutes: number) => new Date(Date.UTC(2026, 10, 28, 12, minutes))

beforeAll(async () => {
  admin = await aContext(db, {
    viewer: await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ada', lastName: 'Lovelace' }),
  })
  const names = ['Ana', 'Bo', 'Cleo', 'Dan', 'Eve', 'Finn']
  people = await Promise.all(names.map((firstName) => aUser(db, { firstName, lastName: 'Stats' })))
})

type MailOf = { state: string; response?: string | null; isTracked?: boolean; attempts?: number; returned?: boolean }

/** A message by email whose ledger says this, a mail for each person. */
async function aMailed(mails: MailOf[]): Promise<{ id: number; uid: string }> {
  const message = await aDraft(admin, { subject: 'Mailed', text: 'Some **news**.', to: people.slice(0, mails.length) })
  await sql`
    update announcements set status = 'sent', sending = 'done', sent_at = ${at(0)}, author_id = ${admin.viewer?.id ?? 0}
    where id = ${message.id}`.execute(db)
  await sql`
    update announcement_recipients r set state = 'sent', sent_at = ${at(0)}, email = users.email
    from users where users.id = r.user_id and r.announcement_id = ${message.id}`.execute(db)
  for (const [index, { state, response = null, isTracked = true, attempts = 1, returned }] of mails.entries()) {
    await sql`
      insert into mails (site_id, kind, user_id, announcement_id, recipient_id, address, subject, state, response,
        attempts, is_tracked, created_at, tried_at, ended_at, returned_at)
      select site_id, 'message', user_id, announcement_id, id, email, 'Mailed', ${state}, ${response}, ${attempts},
        ${isTracked}, ${at(0)}, ${at(1)}, ${at(2)}, ${returned ? at(30) : null}::timestamptz
      from announcement_recipients
      where announcement_id = ${message.id} and user_id = ${people[index]?.id ?? 0}`.execute(db)
  }
  return message
}

const didIt = (id: number, person: number, column: string, minutes: number) => sql`
  update announcement_recipients set ${sql.ref(column)} = ${at(minutes)}
  where announcement_id = ${id} and user_id = ${people[person]?.id ?? 0}`.execute(db)

const toEdit = (uid: string) => getAnnouncementToEdit(admin, { announcementUid: uid })
const rates = (views: { label: string; value: string }[]) => views.map(({ label, value }) => `${label} ${value}`)

describe('stats', () => {
  test('C-062 the frame says who wrote it, when it was sent and when it was changed', async () => {
    const { uid } = await aMailed([{ state: 'accepted' }])
    expect(await getSentMessage(admin, await toEdit(uid))).toMatchObject({
      name: 'Mailed',
      status: 'sent',
      createdBy: 'Ada L',
      sentOn: 'Nov 28, 2026',
      updatedOn: expect.stringMatching(/\d{4}$/),
    })
  })

  test('C-064 C-066 C-276 an email has rates of its own, and N/A for the dashboard', async () => {
    const { id, uid } = await aMailed([{ state: 'accepted' }, { state: 'accepted' }, { state: 'accepted' }])
    await didIt(id, 0, 'opened_at', 5)
    await didIt(id, 1, 'opened_at', 6)
    await didIt(id, 1, 'clicked_at', 6)
    await didIt(id, 2, 'machine_opened_at', 3)
    const { email, dashboard, remarks, message } = await getMessageStats(admin, await toEdit(uid))
    expect(rates(email)).toEqual(['Open 67%', 'Click-Through 33%', 'Unread 33%'])
    expect(rates(dashboard)).toEqual(['Open N/A', 'Click-Through N/A', 'Pin N/A', 'Unread N/A'])
    expect(remarks).toEqual([
      expect.stringContaining('opened one email and followed links in 0 emails; they are left out'),
    ])
    expect(message).toMatchObject({ subject: 'Mailed', html: '<p>Some <strong>news</strong>.</p>' })
  })

  test('C-065 C-066 a message on dashboards has four rates, and N/A for email', async () => {
    const uid = await anAnnouncement(db, people.slice(0, 3))
    const [one, two] = await Promise.all(people.slice(0, 2).map((viewer) => aContext(db, { viewer })))
    await markOpened(one as Ctx, { uid })
    await markClicked(two as Ctx, { uid })
    await pinAnnouncement(two as Ctx, { uid, isPinned: true })
    const { email, dashboard, ledger, remarks } = await getMessageStats(admin, await toEdit(uid))
    expect(rates(dashboard)).toEqual(['Open 67%', 'Click-Through 33%', 'Pin 33%', 'Unread 33%'])
    expect(rates(email)).toEqual(['Open N/A', 'Click-Through N/A', 'Unread N/A'])
    expect([ledger, remarks]).toEqual([[], []])
  })

  test('C-276 without tracking nothing is claimed, and the page says what is still known', async () => {
    const none = await aMailed([{ state: 'accepted', isTracked: false }])
    const { email, remarks } = await getMessageStats(admin, await toEdit(none.uid))
    expect(rates(email)).toEqual(['Open N/A', 'Click-Through N/A', 'Unread N/A'])
    expect(remarks).toEqual([expect.stringContaining('were sent without tracking')])
    const some = await aMailed([{ state: 'accepted' }, { state: 'accepted', isTracked: false }])
    await didIt(some.id, 0, 'opened_at', 5)
    const stats = await getMessageStats(admin, await toEdit(some.uid))
    expect(rates(stats.email)[0]).toBe('Open 50%')
    expect(stats.remarks.at(-1)).toContain('One email was sent without tracking')
  })

  test('the ledger is counted in words, with the reasons of those left out', async () => {
    const { uid } = await aMailed([
      { state: 'accepted' },
      { state: 'refused', response: '550 No such user' },
      { state: 'in_doubt' },
      { state: 'bounced', returned: true },
      { state: 'skipped', response: 'opted_out' },
      { state: 'skipped', response: 'suppressed' },
    ])
    const { ledger, inDoubt } = await getMessageStats(admin, await toEdit(uid))
    expect(ledger.map(({ label, value }) => `${label} ${value}`)).toEqual([
      'Accepted 1',
      'Refused 1',
      'In doubt 1',
      'Came back 1',
      'Left out 2',
    ])
    expect(ledger.at(-1)?.what).toBe('1: opted out of emails; 1: the address is suppressed')
    expect(inDoubt).toBe(1)
    expect(await countInDoubt(admin, { announcementUid: uid, mailUid: null })).toMatchObject({ name: 'Mailed', count: 1 })
  })
})

describe('recipients', () => {
  const list = async (uid: string, query: Parameters<typeof listSentRecipients>[1]['query'] = {}) =>
    (await listSentRecipients(admin, { announcementUid: uid, query })).items.map(({ name }) => name.split(' ')[0])

  test('C-067 they are listed with name, status and email, found by part of either, sorted, filtered and paged', async () => {
    const { id, uid } = await aMailed([
      { state: 'accepted' },
      { state: 'refused', response: '550 No such user' },
      { state: 'in_doubt' },
      { state: 'bounced' },
      { state: 'complained' },
      { state: 'skipped', response: 'opted_out' },
    ])
    await didIt(id, 0, 'opened_at', 5)
    await didIt(id, 0, 'clicked_at', 5)
    const { rows, total } = await listSentRecipientRows(admin, uid, {})
    expect(total).toBe(6)
    expect(rows.map(({ name, outcome, detail }) => [name, outcome, detail])).toEqual([
      ['Ana Stats', 'Delivered', 'opened, followed a link'],
      ['Bo Stats', 'Refused', '550 No such user'],
      ['Cleo Stats', 'In doubt', ''],
      ['Dan Stats', 'Came back', ''],
      ['Eve Stats', 'Complained', ''],
      ['Finn Stats', 'Left out', 'opted out of emails'],
    ])
    expect(rows[0]).toMatchObject({ email: people[0]?.email, uid: people[0]?.uid, status: 'Inactive' })
    expect(await list(uid, { search: 'bo st' })).toEqual(['Bo'])
    expect(await list(uid, { search: people[3]?.email ?? '' })).toEqual(['Dan'])
    for (const search of ['%', '_', '\\', 'nobody', '\u0000']) expect(await list(uid, { search })).toEqual([])
    expect(await list(uid, { sort: 'name', isDescending: true, size: 20 })).toEqual([
      ...['Finn', 'Eve', 'Dan', 'Cleo', 'Bo', 'Ana'],
    ])
    expect((await list(uid, { sort: 'outcome' }))[0]).toBe('Dan')
    for (const [outcome, names] of Object.entries({
      delivered: ['Ana'],
      refused: ['Bo'],
      in_doubt: ['Cleo'],
      left_out: ['Finn'],
      opened: ['Ana'],
      clicked: ['Ana'],
      pinned: [],
      waiting: [],
    })) {
      expect(await list(uid, { filters: { outcome: [outcome] } }), outcome).toEqual(names)
    }
    expect(await list(uid, { filters: { outcome: ['refused', 'clicked'] } })).toEqual(['Ana', 'Bo'])
    expect(await list(uid, { page: 9 })).toEqual([])
  })

  test('C-067 on dashboards the present address stands, and whoever was erased has no name', async () => {
    const gone = await aUser(db, { firstName: 'Gone', lastName: 'Stats' })
    const uid = await anAnnouncement(db, [...people.slice(0, 1), gone])
    await erase(db, gone)
    const { rows } = await listSentRecipientRows(admin, uid, { sort: 'name' })
    expect(rows).toMatchObject([
      { name: 'Ana Stats', email: people[0]?.email, outcome: 'Delivered' },
      { uid: null, email: '', status: 'Deleted', outcome: 'Delivered' },
    ])
    await expect(getSentRecipient(admin, { announcementUid: uid, userUid: gone.uid })).rejects.toThrow(NotFound)
  })

  test('a story has every step with its time and the words of the server', async () => {
    const { id, uid } = await aMailed([
      { state: 'bounced', response: '5.1.1 Unknown', attempts: 3, returned: true },
      { state: 'skipped', response: 'opted_out' },
      { state: 'in_doubt' },
    ])
    await didIt(id, 0, 'opened_at', 10)
    await didIt(id, 0, 'machine_opened_at', 3)
    const story = (person: number) =>
      getRecipientStory(admin, { announcementUid: uid, userUid: people[person]?.uid ?? '' })
    const { steps, ...bounced } = await story(0)
    expect(bounced).toMatchObject({ name: 'Ana Stats', outcome: 'Came back', inDoubt: null })
    expect(steps.map(({ what, words }) => [what, ...(words ? [words] : [])])).toEqual([
      ['Prepared'],
      ['Tried for the first time; 3 attempts so far'],
      ['Accepted by the mail server'],
      ['Opened by a machine'],
      ['Opened'],
      ['Came back', '5.1.1 Unknown'],
    ])
    expect(steps[0]?.at).toMatch(/^Nov 28, 2026, /)
    expect((await story(1)).steps.at(-1)).toMatchObject({ what: 'Left out', words: 'opted out of emails' })
    expect((await story(2)).inDoubt).toMatch(/^[0-9a-f-]{36}$/)
    await expect(story(5)).rejects.toThrow(NotFound)
  })
})

describe('files', () => {
  async function rowsOf(parts: AsyncIterable<unknown[][]>): Promise<unknown[][]> {
    const rows: unknown[][] = []
    for await (const part of parts) rows.push(...part)
    return rows
  }
  /** The cells of a row by their headings. */
  const cells = ([head = [], ...rows]: unknown[][]) =>
    rows.map((row) => Object.fromEntries(head.map((name, index) => [String(name), row[index]])))

  test('C-061 C-236 a message has a row with its rates and its ledger', async () => {
    const { id, uid } = await aMailed([{ state: 'accepted' }, { state: 'skipped', response: 'opted_out' }])
    await didIt(id, 0, 'opened_at', 5)
    const [row, ...others] = cells(
      await rowsOf(oneMessageParts(admin, await getMessageReport(admin, { announcementUid: uid }))),
    )
    expect(others).toEqual([])
    expect(row).toMatchObject({
      Name: 'Mailed',
      Delivery: 'Email',
      Recipients: 2,
      Open: 1,
      'Open rate': '50%',
      'Pin rate': 'N/A',
      Accepted: 1,
      'Left out': 1,
      'Left out: opted out of emails': 1,
    })
  })

  test('C-236 the messages of a period, in batches, each once, drafts and those of the other site not', async () => {
    const early = await aMailed([{ state: 'accepted' }])
    const late = await aMailed([{ state: 'accepted' }])
    await sql`update announcements set sent_at = '2019-12-31T23:59:59.123456Z' where id = ${early.id}`.execute(db)
    await sql`update announcements set sent_at = '2020-01-01T00:00:00Z' where id = ${late.id}`.execute(db)
    const draft = await aDraft(admin)
    const abroad = await aUser(db, { site: 'ns' })
    const theirs = await anAnnouncement(db, [abroad])
    await sql`update announcements set sent_at = '2019-12-31T12:00:00Z' where uid = ${theirs}`.execute(db)
    const found = async (days: Parameters<typeof messageReportParts>[1]) => {
      const uids: string[] = []
      let after: Parameters<typeof listMessageReport>[1]['after'] = null
      do {
        const batch: Awaited<ReturnType<typeof listMessageReport>> = await listMessageReport(admin, {
          days,
          after,
          size: 1,
        })
        uids.push(...batch.items.map((item) => item.uid))
        after = batch.next
      } while (after !== null)
      return uids
    }
    expect(await found({ from: '2019-12-31', until: '2020-01-01' })).toEqual([early.uid])
    expect(await found({ from: '2019-12-31', until: '2020-01-02' })).toEqual([late.uid, early.uid])
    const all = await found({ from: null, until: null })
    expect(new Set(all).size).toBe(all.length)
    expect(all).not.toContain(draft.uid)
    expect(all).not.toContain(theirs)
    for (const announcementUid of [draft.uid, theirs, randomUUID(), 'nonsense']) {
      await expect(getMessageReport(admin, { announcementUid })).rejects.toThrow(NotFound)
    }
  })

  test('the file of recipients has the ledger, a row for each', async () => {
    const { uid } = await aMailed([{ state: 'accepted', response: '250 OK' }, { state: 'skipped', response: 'opted_out' }])
    const rows = cells(await rowsOf(recipientParts(admin, uid)))
    expect(rows).toMatchObject([
      { Name: 'Ana Stats', 'What became of it': 'Delivered', 'Answer of the mail server': '250 OK', Tracked: 'Yes' },
      { Name: 'Bo Stats', 'What became of it': 'Left out', 'Why left out': 'opted out of emails' },
    ])
  })
})

test('C-201 they are for the admins of the site', async () => {
  const { uid } = await aMailed([{ state: 'accepted' }])
  const announcementUid = uid
  await expectGuarded(listSentRecipients, { announcementUid, query: {} }, { by: ['admins'] })
  await expectGuarded(listSentRecipientBatch, { announcementUid, after: 0, size: 10 }, { by: ['admins'] })
  await expectGuarded(getSentRecipient, { announcementUid, userUid: people[0]?.uid ?? '' }, { by: ['admins'] })
  await expectGuarded(getMessageReport, { announcementUid }, { by: ['admins'] })
  await expectGuarded(countInDoubt, { announcementUid, mailUid: null }, { by: ['admins'] })
  const days = { from: null, until: null }
  await expectGuarded(listMessageReport, { days, after: null, size: 10 }, { by: ['admins'] })
})
