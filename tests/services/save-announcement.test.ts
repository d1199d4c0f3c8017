import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { RecipientStep } from '~/forms/recipients.ts'
import { listOwnAnnouncements } from '~/services/announcements/announcements.server.ts'
import {
  deleteAnnouncement,
  purgeDeletedAnnouncements,
  restoreAnnouncement,
} from '~/services/announcements/delete-announcement.server.ts'
import {
  getRecipientsKey,
  listCandidates,
  listCandidateUids,
  listChosenRecipients,
} from '~/services/announcements/list-recipients.server.ts'
import { prepareMessage } from '~/services/announcements/prepare-message.server.ts'
import { getAnnouncementToEdit, timesInKey, timesKeyOf } from '~/services/announcements/read-announcement.server.ts'
import {
  changeRecipientChoice,
  copyRecipientChoice,
  getRecipientChoice,
  takeRecipientChoice,
} from '~/services/announcements/recipient-choice.server.ts'
import {
  createAnnouncement,
  duplicateAnnouncement,
  type MessageInput,
  UidTaken,
  updateAnnouncement,
} from '~/services/announcements/save-announcement.server.ts'
import { cancelSchedule, startScheduledMessages } from '~/services/announcements/start-sending.server.ts'
import { listMessagePage, listRecipientUids, listSentUidsFound } from '~/services/announcements/table.server.ts'
import {
  createAudience,
  deleteAudience,
  restoreAudience,
  updateAudience,
} from '~/services/audiences/save-audience.server.ts'
import type { Ctx } from '~/services/context.ts'
import { projectFacets } from '~/services/questionnaire/facets.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { aContext, asOperator, aUser } from '../support/context.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

const viewer = await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ines', lastName: 'Hofer' })
const admin = await aContext(db, { viewer })
const other = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null, firstName: 'Tom' }) })

const values = { name: 'News', subject: 'Something new', text: 'Hello **you**.' }
/** The ids of the people whom the message is for or has reached. */
async function reachedBy(announcementUid: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select user_id as id from announcement_recipients r join announcements a on a.id = r.announcement_id
    where a.uid = ${announcementUid} and r.state <> 'skipped' order by user_id`.execute(db)
  return rows.map(({ id }) => id)
}

const add = (...people: { uid: string }[]): RecipientStep => ({ kind: 'add', uids: people.map(({ uid }) => uid) })
const now = { when: 'now' }

async function aMessage(change: MessageInput = {}): Promise<string> {
  return (await createAnnouncement(admin, { ...values, ...change })).uid
}
const recipientsOf = async (uid: string) => [...((await listRecipientUids(admin, [uid])).get(uid) ?? [])].sort()
const uidsOf = (...people: { uid: string }[]) => people.map(({ uid }) => uid).sort()
// One after the other, since recipients are listed in the order of their accounts.
const people: Awaited<ReturnType<typeof aUser>>[] = []
for (let index = 0; index < 4; index++) people.push(await aUser(db, { firstName: `P${index}` }))
const [ada, ben, eva, leo] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0], (typeof people)[0]]
const optOut = (person: { id: number }) =>
  db.updateTable('users').set({ opted_out_of_emails: true }).where('id', '=', person.id).execute()

describe('creating', () => {
  test('C-149 a second request with the uid of a message that cannot take its text changes nothing', async () => {
    const again = (by: Ctx, uid: string, name = 'Another') => createAnnouncement(by, { ...values, uid, name })
    const uid = await aMessage({ name: 'One' })
    await expect(again(other, uid), 'it is somebody else’s').rejects.toThrow('This form has been used before.')
    expect(await again(admin, uid, 'Two')).toMatchObject({ uid, name: 'Two', isUpdated: true })
    await updateAnnouncement(other, { announcementUid: uid, name: 'Theirs' })
    await expect(again(admin, uid, 'Mine')).rejects.toThrow('“Theirs” has been changed since.')
    await deleteAnnouncement(admin, { announcementUid: uid })
    await expect(again(admin, uid), 'it was deleted').rejects.toMatchObject({
      isOwn: true,
      message: '“Theirs” has been deleted.',
    })
    const sent = await aMessage({ recipients: [add(ada)], send: now })
    const repeated = { ...values, uid: sent, recipients: [add(ada)], send: now }
    expect(await createAnnouncement(admin, repeated)).toMatchObject({ uid: sent, sending: 'done' })
    await expect(createAnnouncement(admin, { ...values, uid: sent }), 'a draft was wanted').rejects.toThrow('already')
    await expect(again(admin, sent)).rejects.toThrow('“News” has already been sent')
    const shown = await aMessage({ recipients: [add(ada)] })
    await updateAnnouncement(admin, { announcementUid: shown, text: 'Changed since' })
    const unseen = createAnnouncement(admin, { ...values, uid: shown, send: now })
    await expect(unseen, 'a text that the page does not show').rejects.toThrow('“News” has been changed since.')
    expect(await getAnnouncementToEdit(admin, { announcementUid: shown })).toMatchObject({ status: 'draft' })
    const sendAt = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16)
    const scheduled = await aMessage({ recipients: [add(ada)], send: { when: 'later', sendAt } })
    await expect(again(admin, scheduled)).rejects.toThrow('“News” has been scheduled')
    const inTime = { ...values, uid: scheduled, send: { when: 'later', sendAt } }
    expect(await createAnnouncement(admin, inTime)).toMatchObject({ uid: scheduled, sending: 'scheduled' })
    const dayAfter = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)
    const later = { ...inTime, send: { when: 'later', sendAt: dayAfter } }
    await expect(createAnnouncement(admin, later), 'another time').rejects.toThrow('“News” has been scheduled')
    for (const known of [sent, scheduled]) {
      const { values: kept } = await getAnnouncementToEdit(admin, { announcementUid: known })
      expect(kept.name).toBe('News')
    }
  })

  test('C-148 C-044 makes a draft for dashboards from the default sender, with an audit entry', async () => {
    const uid = await aMessage()
    expect(await getAnnouncementToEdit(admin, { announcementUid: uid })).toMatchObject({
      status: 'draft',
      sending: null,
      sentAt: null,
      revision: 0,
      values: { ...values, deliveryType: 'dashboard', from: 'Titrate', attachment: null },
    })
    const audit = await db.selectFrom('audit_entries').select('action').where('entity_uid', '=', uid).execute()
    expect(audit).toEqual([{ action: 'announcement.created' }])
  })

  test('C-149 ten requests at once with one uid make one message', async () => {
    const uid = randomUUID()
    const input = { ...values, uid, recipients: [add(ada, ben)] }
    await Promise.all(Array.from({ length: 10 }, () => createAnnouncement(admin, input)))
    const rows = await db.selectFrom('announcements').select('id').where('uid', '=', uid).execute()
    expect(rows).toHaveLength(1)
    expect(await recipientsOf(uid)).toEqual(uidsOf(ada, ben))
    await expect(createAnnouncement(await aContext(db, { site: 'ns', isOperator: true }), input)).rejects.toThrow()
  })

  test.each([
    [{ name: '' }, 'Name is required'],
    [{ subject: ' ' }, 'Subject is required'],
    [{ text: '' }, 'Message text is required'],
    [{ name: 'x'.repeat(251) }, 'At most 250 characters'],
    [{ subject: 'x'.repeat(251) }, 'At most 250 characters'],
    [{ deliveryType: 'pigeon' }, 'Please choose how the message is delivered'],
    [{ text: 'a\u0000' }, 'cannot be stored'],
    [{ attachment: 'nothing.pdf' }, 'This file is no longer there'],
    [{ recipients: [{ kind: 'add', uids: [randomUUID()] } as RecipientStep] }, 'does not exist'],
    [{ recipients: [{ kind: 'add', uids: ['nobody'] } as RecipientStep] }, 'One of the recipients does not exist.'],
    [
      { recipients: [{ kind: 'add', uids: Array.from({ length: 10_001 }, () => randomUUID()) } as RecipientStep] },
      'At most 10,000 people can be chosen by hand.',
    ],
    [{ filters: 'x' }, 'The filters must be an object.'],
    [{ filters: { a: [[[[['x']]]]] } }, 'The filters are nested too deeply.'],
    [{ filters: { a: nested(3000) } }, 'The filters are nested too deeply.'],
    [{ filters: { status: ['a\u0000'] } }, 'cannot be stored'],
    [{ filters: { 'a\ud800': [] } }, 'cannot be stored'],
  ])(
    'C-172 C-173 C-174 C-175 refuses what is missing, too long or unknown, and writes nothing (%#)',
    async (change, sentence) => {
      const uid = randomUUID()
      await expect(createAnnouncement(admin, { ...values, uid, ...change })).rejects.toThrow(sentence)
      expect(await db.selectFrom('announcements').select('id').where('uid', '=', uid).execute()).toEqual([])
    },
  )

  test('C-003 is for admins only', async () => {
    await expectGuarded(createAnnouncement, { ...values }, { by: ['admins'], elsewhere: null })
  })
})

describe('changing', () => {
  test('C-151 is refused once a message is sent, on this site and the other', async () => {
    const announcementUid = await aMessage({ recipients: [add(ada)], send: now })
    await expect(updateAnnouncement(admin, { announcementUid, name: 'Other' })).rejects.toThrow('has been sent')
    await expectGuarded(updateAnnouncement, { announcementUid: await aMessage(), name: 'X' }, { by: ['admins'] })
  })

  test('C-256 merges what two people change, and tells who changed the same field', async () => {
    const announcementUid = await aMessage()
    await updateAnnouncement(other, { announcementUid, revision: 0, ...values, subject: 'Theirs' })
    const mine = { announcementUid, revision: 0, ...values, name: 'Mine' }
    expect((await updateAnnouncement(admin, mine)).keptOfOthers).toEqual(['subject'])
    const refused = updateAnnouncement(admin, { ...mine, subject: 'Also mine' })
    await expect(refused).rejects.toThrow(ChangedMeanwhile)
    await expect(refused).rejects.toMatchObject({ fieldErrors: { subject: expect.stringContaining('Tom') } })
    expect((await getAnnouncementToEdit(admin, { announcementUid })).values).toMatchObject({
      name: 'Mine',
      subject: 'Theirs',
    })
  })

  test('C-149 ten at once change it once', async () => {
    const announcementUid = await aMessage()
    await Promise.all(
      Array.from({ length: 10 }, () =>
        updateAnnouncement(admin, { announcementUid, name: 'Once', recipients: [add(ada)] }),
      ),
    )
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({ revision: 2 })
    expect(await recipientsOf(announcementUid)).toEqual([ada.uid])
  })
})

describe('recipients', () => {
  test('C-045 C-046 two people who add different people keep both; who is removed is gone', async () => {
    const announcementUid = await aMessage({ recipients: [add(ada)] })
    const { revision } = await getAnnouncementToEdit(admin, { announcementUid })
    await updateAnnouncement(other, { announcementUid, revision, recipients: [add(ben)] })
    await updateAnnouncement(admin, {
      announcementUid,
      revision,
      recipients: [add(eva), { kind: 'remove', uids: [ada.uid] }],
    })
    expect(await recipientsOf(announcementUid)).toEqual(uidsOf(ben, eva))
  })

  test('C-046 removing all of them tells if somebody else has changed them since', async () => {
    const announcementUid = await aMessage({ recipients: [add(ada)] })
    const { revision } = await getAnnouncementToEdit(admin, { announcementUid })
    await updateAnnouncement(other, { announcementUid, revision, recipients: [add(ben)] })
    const clear: RecipientStep[] = [{ kind: 'clear' }, add(eva)]
    const refused = updateAnnouncement(admin, { announcementUid, revision, recipients: clear })
    await expect(refused).rejects.toThrow(
      /Tom .* changed the recipients while you were editing. You removed all of them./,
    )
    expect(await recipientsOf(announcementUid)).toEqual(uidsOf(ada, ben))
    await updateAnnouncement(admin, { announcementUid, revision: revision + 1, recipients: clear })
    expect(await recipientsOf(announcementUid)).toEqual([eva.uid])
  })

  test('C-046 only a form that shows what others have changed sends the message', async () => {
    const announcementUid = await aMessage({ recipients: [add(ada)] })
    const { revision } = await getAnnouncementToEdit(admin, { announcementUid })
    await updateAnnouncement(other, { announcementUid, revision, recipients: [add(ben)] })
    const send = (revision: number) =>
      updateAnnouncement(admin, { announcementUid, revision, subject: 'Mine', send: now })
    await updateAnnouncement(other, { announcementUid, revision: revision + 1, text: 'Theirs' })
    await expect(send(revision + 1)).rejects.toMatchObject({
      message: 'Somebody else changed this message while you were editing. What you typed is still here.',
      fieldErrors: { text: expect.stringMatching(/Tom .* “Theirs”. Check it, and send again.$/) },
      takenOver: ['text'],
    })
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({ status: 'draft', sending: null })
    expect(await send(revision + 2)).toMatchObject({ sending: 'done', keptOfOthers: [] })
    expect(await recipientsOf(announcementUid)).toEqual(uidsOf(ada, ben))
  })

  test('C-049 a message by email loses those who opted out, and says how many', async () => {
    const out = await aUser(db, { firstName: 'Out' })
    await optOut(out)
    const announcementUid = await aMessage({ recipients: [add(ada, out)] })
    const saved = await updateAnnouncement(admin, { announcementUid, deliveryType: 'email' })
    expect(saved.optedOut).toBe(1)
    expect(await recipientsOf(announcementUid)).toEqual([ada.uid])
    const mailed = await aMessage({ deliveryType: 'email', recipients: [add(ada, out)] })
    expect(await recipientsOf(mailed)).toEqual([ada.uid])
  })

  test('C-127 what was ticked and filtered comes back, and the ticked ones are no recipients (C-128)', async () => {
    const announcementUid = await aMessage({
      selectedUserUids: [ben.uid],
      filters: { status: ['active'] },
      recipients: [add(ada)],
    })
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({
      selectedUserUids: [ben.uid],
      filters: { status: ['active'] },
    })
    expect(await recipientsOf(announcementUid)).toEqual([ada.uid])
  })

  test('C-052 somebody of the other site is never found or added', async () => {
    const abroad = await aUser(db, { site: 'ns' })
    await expect(aMessage({ recipients: [add(abroad)] })).rejects.toThrow('does not exist')
    const set = { announcementUid: null, deliveryType: 'dashboard' as const, steps: [] }
    const { items } = await listCandidates(admin, { ...set, query: { search: abroad.email } })
    expect(items).toEqual([])
  })

  test('C-002 an audience is counted now and stays a rule until the message is sent', async () => {
    const audience = await createAudience(asOperator(ctx), {
      name: `Learners ${randomUUID()}`,
      conditions: [{ about: 'group', how: 'is', values: ['learners'] }],
    })
    const announcementUid = await aMessage({ recipients: [add(viewer), { kind: 'addAudience', uid: audience.uid }] })
    const set = { announcementUid, deliveryType: 'dashboard' as const, steps: [] }
    const before = await listChosenRecipients(admin, set)
    expect(before).toMatchObject({ people: 1, audiences: [{ uid: audience.uid }] })
    await aUser(db)
    expect((await listChosenRecipients(admin, set)).total).toBe(before.total + 1)
    const steps: RecipientStep[] = [{ kind: 'removeAudience', uid: audience.uid }]
    expect(await listChosenRecipients(admin, { ...set, steps })).toMatchObject({ total: 1, audiences: [] })
    await updateAnnouncement(admin, { announcementUid, recipients: [{ kind: 'clear' }] })
    expect(await listChosenRecipients(admin, set)).toMatchObject({ total: 0, audiences: [] })
  })
})

describe('choosing', () => {
  const answer = async (
    person: { uid: string; id: number },
    key: string,
    text: string,
    custom: string | null = null,
  ) => {
    await sql`
      with q as (select id from profile_questions where site_id = ${site.id} and key = ${key}),
      o as (select id from profile_options where question_id = (select id from q) and text = ${text}),
      a as (
        insert into user_answers (site_id, user_id, question_id, custom_answer)
        select ${site.id}, ${person.id}, q.id, ${custom} from q
        on conflict (user_id, question_id) do update set custom_answer = excluded.custom_answer returning id, question_id)
      , gone as (delete from user_answer_options where answer_id = (select id from a))
      select 1`.execute(db)
    await sql`
      insert into user_answer_options (answer_id, question_id, option_id)
      select a.id, a.question_id, o.id from user_answers a join profile_questions q on q.id = a.question_id
      join profile_options o on o.question_id = q.id and o.text = ${text}
      where a.user_id = ${person.id} and q.key = ${key}`.execute(db)
    await projectFacets(asOperator(ctx), { userUid: person.uid })
  }
  const optionUid = async (key: string, text: string) =>
    (
      await sql<{ uid: string }>`
        select o.uid from profile_options o join profile_questions q on q.id = o.question_id
        where q.site_id = ${site.id} and q.key = ${key} and o.text = ${text}`.execute(db)
    ).rows[0]?.uid ?? ''
  const none = { announcementUid: null, deliveryType: 'dashboard' as const, steps: [] as RecipientStep[] }
  const found = async (filters: Record<string, string[]>, search = '') =>
    (await listCandidates(admin, { ...none, query: { filters, search } })).items.map(({ uid }) => uid).sort()

  test('C-053 C-055 C-057 filters combine, the values of one are alternatives, and Other finds own answers', async () => {
    const mark = 'Filterling'
    const [student, asian, own] = (await Promise.all(
      Array.from({ length: 3 }, () => aUser(db, { lastName: mark })),
    )) as [typeof ada, typeof ada, typeof ada]
    await answer(student, 'position', 'Student')
    await answer(student, 'region', 'Africa')
    await answer(asian, 'position', 'Student')
    await answer(asian, 'region', 'Asia')
    await answer(own, 'position', 'Other', 'Beekeeper')
    await answer(own, 'region', 'Europe')
    const [africa, asia] = [await optionUid('region', 'Africa'), await optionUid('region', 'Asia')]
    const position = [await optionUid('position', 'Student')]
    expect(await found({ region: [africa, asia], position }, mark)).toEqual(uidsOf(student, asian))
    expect(await found({ region: [africa], position }, mark)).toEqual([student.uid])
    expect(await found({ position: ['other'] }, mark)).toEqual([own.uid])
    expect(await found({ group: ['external'], status: ['inactive'] }, mark)).toEqual(uidsOf(student, asian, own))
    expect(await found({ group: ['university'] }, mark)).toEqual([])
    expect(await found({ due: ['late'] }, mark)).toEqual([])
    const set: RecipientStep[] = [{ kind: 'found', search: mark, filters: { position } }]
    const announcementUid = await aMessage({ recipients: set })
    expect(await recipientsOf(announcementUid)).toEqual(uidsOf(student, asian))
    expect(await found({}, '%')).toEqual([])
    expect(await found({}, 'a\u0000')).toEqual([])
  })

  test('C-047 C-048 added people and those who opted out cannot be added again, also not all at once', async () => {
    const mark = 'Obstacle'
    const [one, out, off] = (await Promise.all(Array.from({ length: 3 }, () => aUser(db, { lastName: mark })))) as [
      typeof ada,
      typeof ada,
      typeof ada,
    ]
    await optOut(out)
    await db.updateTable('users').set({ is_active: false }).where('id', '=', off.id).execute()
    const input = { ...none, deliveryType: 'email' as const, steps: [add(one)], query: { search: mark } }
    const { items, total, leftOut } = await listCandidates(admin, input)
    expect([total, leftOut]).toEqual([3, 2])
    const of = (person: { uid: string }) => items.find(({ uid }) => uid === person.uid)
    expect(of(one)).toMatchObject({ isAdded: true, obstacle: null })
    expect(of(out)).toMatchObject({ isAdded: false, obstacle: 'opted_out' })
    expect(of(off)).toMatchObject({ obstacle: 'disabled', status: 'disabled' })
    expect(await listCandidateUids(admin, { ...input, steps: [] })).toEqual([one.uid])
    const asDashboard = await listCandidates(admin, { ...input, deliveryType: 'dashboard' })
    expect(asDashboard.items.find(({ uid }) => uid === out.uid)?.obstacle).toBeNull()
    expect(asDashboard.leftOut, 'only the account that is disabled').toBe(1)
    expect(await listChosenRecipients(admin, { ...input, steps: [add(one, out)] })).toMatchObject({
      people: 1,
      optedOut: 1,
    })
  })

  test('C-045 the set that is shown before a save is the set that is saved', async () => {
    const steps: RecipientStep[] = [
      add(ada, ben, eva),
      { kind: 'remove', uids: [ben.uid] },
      { kind: 'found', search: leo.email, filters: {} },
      { kind: 'users', tab: 'admins', search: 'Ines', filters: {} },
    ]
    const announcementUid = await aMessage({ recipients: [add(ben)] })
    const shown = await listChosenRecipients(admin, { announcementUid, deliveryType: 'dashboard', steps })
    await updateAnnouncement(admin, { announcementUid, recipients: steps })
    expect(shown.page.map(({ uid }) => uid).sort()).toEqual(await recipientsOf(announcementUid))
    expect(await recipientsOf(announcementUid)).toEqual(uidsOf(ada, eva, leo, viewer))
  })

  test('C-045 a choice is kept for its author, loses nothing when ten come at once, and has limits', async () => {
    const choiceUid = randomUUID()
    const many = await Promise.all(Array.from({ length: 10 }, () => aUser(db)))
    await Promise.all(many.map((one) => changeRecipientChoice(admin, { choiceUid, step: add(one) })))
    const [step] = await getRecipientChoice(admin, { choiceUid })
    expect([...((step as { uids: string[] }).uids ?? [])].sort()).toEqual(uidsOf(...many))
    expect(await getRecipientChoice(other, { choiceUid })).toEqual([])
    expect(await changeRecipientChoice(admin, { choiceUid, step: { kind: 'clear' } })).toEqual([{ kind: 'clear' }])
    const tooMany = { kind: 'add', uids: Array.from({ length: 10_001 }, () => randomUUID()) } as RecipientStep
    await expect(changeRecipientChoice(admin, { choiceUid, step: tooMany })).rejects.toThrow()
    await expect(changeRecipientChoice(admin, { choiceUid, step: { kind: 'x' } as never })).rejects.toThrow()
    await expectGuarded(changeRecipientChoice, { choiceUid, step: add(ada) }, { by: ['admins'], elsewhere: null })
  })

  test('C-045 a choice ends with the save that takes it, and stays with one that is refused', async () => {
    const choice = async () => {
      const choiceUid = randomUUID()
      await changeRecipientChoice(admin, { choiceUid, step: add(ada) })
      return choiceUid
    }
    const left = (choiceUid: string) => getRecipientChoice(admin, { choiceUid })
    const [taken, kept] = [await choice(), await choice()]
    const announcementUid = await aMessage({ recipients: [add(leo)] })
    await updateAnnouncement(admin, { announcementUid, recipients: [{ kind: 'clear' }], choiceUid: taken, send: now })
    expect(await left(taken)).toEqual([])
    const { items } = await listOwnAnnouncements(await aContext(db, { viewer: ada }))
    expect(items.map(({ subject }) => subject)).toContain(values.subject)
    await expect(updateAnnouncement(admin, { announcementUid, choiceUid: kept })).rejects.toThrow('has been sent')
    const again = { ...values, uid: announcementUid, choiceUid: kept, send: now }
    await expect(createAnnouncement(admin, again)).rejects.toThrow(UidTaken)
    expect(await left(kept), 'the new message takes it').toHaveLength(1)
    const unchanged = createAnnouncement(admin, { ...values, uid: announcementUid })
    await expect(unchanged).rejects.toMatchObject({ isOwn: true, asksForMore: false })
    // Another admin's choice is nobody else's.
    const others = await createAnnouncement(other, { ...values, choiceUid: kept })
    expect(await getAnnouncementToEdit(other, { announcementUid: others.uid })).toMatchObject({ revision: 0 })
    expect(await left(kept)).toHaveLength(1)
    await expectGuarded(takeRecipientChoice, { choiceUid: kept }, { by: ['admins'], elsewhere: null })
    expect(await left(kept), 'no other viewer took it').toHaveLength(1)
    const copy = { from: kept, to: randomUUID() }
    expect(await copyRecipientChoice(other, copy), 'of nobody else').toBe(false)
    await expectGuarded(copyRecipientChoice, copy, { by: ['admins'], elsewhere: null })
    await copyRecipientChoice(admin, copy)
    expect(await takeRecipientChoice(admin, { choiceUid: kept })).toHaveLength(1)
    expect(await takeRecipientChoice(admin, { choiceUid: kept })).toEqual([])
    expect(await left(copy.to), 'a copy is taken by itself').toHaveLength(1)
  })

  test('a message is sent only to those whom its sender was shown', async () => {
    const shownOf = (announcementUid: string, { isCopy = false, deliveryType = 'dashboard' as const } = {}) =>
      getRecipientsKey(admin, { announcementUid, deliveryType, steps: [], isCopy })
    const changed = 'The recipients have changed since you were shown them. Check them, and send again.'
    const announcementUid = await aMessage({ recipients: [add(ada)] })
    const shown = await shownOf(announcementUid)
    const send = (shown: string) => updateAnnouncement(admin, { announcementUid, send: now, shownRecipients: shown })
    // As many, and others.
    const swap: RecipientStep[] = [{ kind: 'remove', uids: [ada.uid] }, add(ben)]
    await updateAnnouncement(admin, { announcementUid, recipients: swap })
    await expect(send(shown)).rejects.toThrow(changed)
    const audience = await createAudience(asOperator(ctx), {
      name: `Shown ${randomUUID()}`,
      conditions: [{ about: 'group', how: 'is', values: ['learners'] }],
    })
    const withoutAudience = await shownOf(announcementUid)
    await updateAnnouncement(admin, { announcementUid, recipients: [{ kind: 'addAudience', uid: audience.uid }] })
    await expect(send(withoutAudience)).rejects.toThrow(changed)
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({ status: 'draft', sending: null })
    const asShown = await shownOf(announcementUid)
    await updateAudience(asOperator(ctx), {
      audienceUid: audience.uid,
      name: audience.name,
      conditions: [{ about: 'group', how: 'is', values: ['learners', 'admins'] }],
    })
    await expect(send(asShown), 'the audience has other conditions').rejects.toThrow(changed)
    // Whoever meets the conditions of an audience may change until it is sent.
    const withAudience = await shownOf(announcementUid)
    await aUser(db)
    await send(withAudience)
    // A copy takes whoever its original has when it is sent.
    const copyOf = await aMessage({ recipients: [add(ada)] })
    const copied = await shownOf(copyOf, { isCopy: true })
    const sendCopy = () => createAnnouncement(admin, { ...values, copyOf, send: now, shownRecipients: copied })
    await updateAnnouncement(other, { announcementUid: copyOf, recipients: swap })
    await expect(sendCopy()).rejects.toThrow(changed)
    await updateAnnouncement(other, { announcementUid: copyOf, recipients: [{ kind: 'clear' }, add(ada)] })
    expect(await sendCopy()).toMatchObject({ sending: 'done' })
    await expectGuarded(getRecipientsKey, { announcementUid, deliveryType: 'dashboard', steps: [] }, { by: ['admins'] })
  })

  test('a message does not get another time than the one that its sender was shown', async () => {
    const announcementUid = await aMessage({ recipients: [add(ada)] })
    const shownTimes = async () => timesKeyOf(await getAnnouncementToEdit(admin, { announcementUid }))
    const send = ({ shownTimes, ...input }: { shownTimes?: string }) =>
      updateAnnouncement(admin, { announcementUid, shownTimes, send: { ...now, ...input } })
    const at = (day: number) => ({ when: 'later', sendAt: new Date(Date.now() + day * 86_400_000) })
    const asDraft = await shownTimes()
    const first = at(1)
    await send({ ...first, shownTimes: asDraft })
    await expect(send({ shownTimes: asDraft }), 'it has been scheduled').rejects.toThrow(/has been scheduled for .*202/)
    await expect(send({ ...at(2), shownTimes: asDraft })).rejects.toThrow('Check the time, and send again.')
    expect(await send({ ...first, shownTimes: asDraft }), 'repeated').toMatchObject({ sending: 'scheduled' })
    const asFirst = await shownTimes()
    await send({ ...at(3), shownTimes: asFirst })
    await expect(send({ ...first, shownTimes: asFirst }), 'it has another time').rejects.toThrow(/scheduled for/)
    const asThird = await shownTimes()
    expect(timesInKey(asThird).sendAt?.getTime()).toBeGreaterThan(Date.now() + 86_400_000)
    for (const forged of [
      '',
      'scheduled',
      'scheduled x',
      'scheduled +275760-09-13T00:00:00Z',
      'scheduled 2026-99-99T99Z',
    ]) {
      expect(timesInKey(forged), forged).toMatchObject({ sendAt: null, notAfter: null })
    }
    await cancelSchedule(admin, { uid: announcementUid })
    await expect(send({ ...at(3), shownTimes: asThird })).rejects.toThrow('has lost its schedule')
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({ status: 'draft', sending: null })
    expect(await send({ shownTimes: await shownTimes() })).toMatchObject({ sending: 'done' })
  })

  test('a form that shows another time saves nothing into a scheduled message, and does not cancel it', async () => {
    const announcementUid = await aMessage({ recipients: [add(ada)] })
    const read = () => getAnnouncementToEdit(admin, { announcementUid })
    const shownTimes = timesKeyOf(await read())
    const sendAt = new Date(Date.now() + 86_400_000)
    await updateAnnouncement(other, { announcementUid, send: { when: 'later', sendAt } })
    const save = (shown?: string) =>
      updateAnnouncement(admin, { announcementUid, name: 'Unfinished', shownTimes: shown })
    await expect(save(shownTimes)).rejects.toThrow(/has been scheduled for .* Check the time, and save again\./)
    expect((await read()).values.name).not.toBe('Unfinished')
    const old = cancelSchedule(admin, { uid: announcementUid, shownTimes: 'scheduled 2026-01-01T00:00:00.000Z ' })
    await expect(old).rejects.toThrow('The schedule has not been canceled.')
    await save(timesKeyOf(await read()))
    expect((await read()).values.name, 'the same time').toBe('Unfinished')
    await cancelSchedule(admin, { uid: announcementUid, shownTimes: timesKeyOf(await read()) })
    expect(await read()).toMatchObject({ sending: null })
  })

  test('a scheduled message does not reach whom its review left out, also if they come back', async () => {
    const back = await aUser(db, { groups: ['learners'] })
    const audience = await createAudience(admin, {
      name: 'Comes back',
      conditions: [{ about: 'group', how: 'is', values: ['learners'] }],
    })
    const announcementUid = await aMessage({
      recipients: [add(ada), add(back), { kind: 'addAudience', uid: audience.uid }],
    })
    await db.updateTable('users').set({ is_active: false }).where('id', '=', back.id).execute()
    await deleteAudience(admin, { audienceUid: audience.uid })
    const sendAt = new Date(Date.now() + 3_600_000)
    await updateAnnouncement(admin, { announcementUid, send: { when: 'later', sendAt } })
    await db.updateTable('users').set({ is_active: true }).where('id', '=', back.id).execute()
    await restoreAudience(admin, { audienceUid: audience.uid })
    const later = { ...ctx, now: new Date(sendAt.getTime() + 1000) }
    await startScheduledMessages(later)
    await prepareMessage(later, { announcementUid })
    expect(await reachedBy(announcementUid)).toEqual([ada.id])
  })

  test('a scheduled message that is saved on its review does not reach whom that left out, and always reaches somebody', async () => {
    const back = await aUser(db)
    const announcementUid = await aMessage({ recipients: [add(ada), add(back)] })
    const sendAt = new Date(Date.now() + 3_600_000)
    await updateAnnouncement(admin, { announcementUid, send: { when: 'later', sendAt } })
    const clear = updateAnnouncement(admin, { announcementUid, name: 'For nobody', recipients: [{ kind: 'clear' }] })
    await expect(clear).rejects.toThrow('Please choose at least one recipient')
    const setActive = (is_active: boolean) =>
      db.updateTable('users').set({ is_active }).where('id', '=', back.id).execute()
    await setActive(false)
    await updateAnnouncement(admin, { announcementUid, name: 'From its first step' })
    await setActive(true)
    expect(await reachedBy(announcementUid), 'nobody was shown').toEqual([ada.id, back.id])
    await setActive(false)
    const shownRecipients = await getRecipientsKey(admin, { announcementUid, deliveryType: 'dashboard', steps: [] })
    await setActive(true)
    const old = updateAnnouncement(admin, { announcementUid, name: 'Old review', shownRecipients })
    await expect(old).rejects.toThrow(
      'The recipients have changed since you were shown them. Check them, and save again.',
    )
    await setActive(false)
    await updateAnnouncement(admin, { announcementUid, shownRecipients })
    await setActive(true)
    const unknown = updateAnnouncement(admin, { announcementUid, text: 'Hello {{ nobody }}' })
    await expect(unknown).rejects.toThrow('is not a placeholder')
    const { revision } = await getAnnouncementToEdit(admin, { announcementUid })
    await updateAnnouncement(other, { announcementUid, deliveryType: 'email' })
    const review = { announcementUid, deliveryType: 'dashboard', text: 'Reviewed', revision, shownRecipients }
    await expect(updateAnnouncement(admin, review), 'another way').rejects.toThrow(ChangedMeanwhile)
    await updateAnnouncement(other, { announcementUid, deliveryType: 'dashboard' })
    const setOptedOut = (opted_out_of_emails: boolean) =>
      db.updateTable('users').set({ opted_out_of_emails }).where('id', '=', ada.id).execute()
    await setOptedOut(true)
    const mailed = updateAnnouncement(admin, { announcementUid, deliveryType: 'email' })
    await expect(mailed).rejects.toThrow('Please choose at least one recipient')
    await setOptedOut(false)
    await startScheduledMessages({ ...ctx, now: new Date(sendAt.getTime() + 1000) })
    await prepareMessage({ ...ctx, now: new Date(sendAt.getTime() + 1000) }, { announcementUid })
    expect(await reachedBy(announcementUid)).toEqual([ada.id])
  })

  test('a repeated request to send a new email is answered as the first one', async () => {
    const input = { ...values, uid: randomUUID(), deliveryType: 'email', recipients: [add(ada)], send: now }
    const answers = await Promise.all([1, 2, 3].map(() => createAnnouncement(admin, input)))
    expect(answers.map(({ sending }) => sending)).toEqual(['preparing', 'preparing', 'preparing'])
  })

  test('a copy takes the recipients of its original, also if that was deleted since', async () => {
    const copyOf = await aMessage({ recipients: [add(ada, leo)] })
    await deleteAnnouncement(admin, { announcementUid: copyOf })
    const { uid } = await createAnnouncement(admin, { ...values, copyOf })
    const copied = { announcementUid: uid, deliveryType: 'dashboard' as const, steps: [] }
    expect((await listChosenRecipients(admin, copied)).total).toBe(2)
    const copy = { ...copied, announcementUid: copyOf, isCopy: true }
    expect((await listChosenRecipients(admin, copy)).total).toBe(2)
    await expect(duplicateAnnouncement(admin, { announcementUid: copyOf })).rejects.toThrow('Not found.')
  })

  test.each<object>([
    { kind: 'found', filters: { later: ['x'] } },
    { kind: 'found', filters: { status: [] } },
    { kind: 'found', filters: 'x' },
    { kind: 'found', search: 'x'.repeat(101) },
    { kind: 'users', tab: 'pending', filters: { due: ['late'] } },
    { kind: 'users', tab: 'later', filters: {} },
  ])('C-057 a query that is not known as a whole chooses nobody (%#)', async (step) => {
    const choiceUid = randomUUID()
    await expect(changeRecipientChoice(admin, { choiceUid, step: step as RecipientStep })).rejects.toThrow()
    expect(await getRecipientChoice(admin, { choiceUid })).toEqual([])
  })

  test('C-057 an unknown filter or value finds nobody', async () => {
    for (const filters of [{ later: ['x'] }, { status: ['x'] }, { group: ['x'] }, { due: ['x'] }, { region: ['x'] }]) {
      const query = { filters: filters as object as Record<string, string[]> }
      const input = { announcementUid: null, deliveryType: 'dashboard' as const, steps: [], query }
      expect((await listCandidates(admin, input)).total, JSON.stringify(filters)).toBe(0)
    }
  })
})

describe('sending', () => {
  test('C-150 a save that sends reaches the dashboards once, also ten at once', async () => {
    const uid = randomUUID()
    const input = { ...values, uid, text: 'Hello {{first name}} of {{institution}}', recipients: [add(leo)], send: now }
    await Promise.all(Array.from({ length: 10 }, () => createAnnouncement(admin, input)))
    const { items } = await listOwnAnnouncements(await aContext(db, { viewer: leo }))
    expect(items.map((item) => item.text)).toEqual(['Hello P3 of your institution'])
    expect(await getAnnouncementToEdit(admin, { announcementUid: uid })).toMatchObject({
      status: 'sent',
      sending: 'done',
    })
  })

  test('C-153 without recipients or with an unknown placeholder nothing is sent and nothing is saved', async () => {
    const uid = randomUUID()
    await expect(createAnnouncement(admin, { ...values, uid, send: now })).rejects.toThrow(
      'Please choose at least one recipient',
    )
    const wrong = { ...values, uid, text: 'Hello {{name}}', recipients: [add(ada)], send: now }
    await expect(createAnnouncement(admin, wrong)).rejects.toThrow('{{name}} is not a placeholder.')
    expect(await db.selectFrom('announcements').select('id').where('uid', '=', uid).execute()).toEqual([])
  })

  test('C-150 can be scheduled and moved to another time, and is refused for a time that has passed', async () => {
    const at = (hours: number) => new Date(admin.now.getTime() + hours * 3_600_000)
    const send = { when: 'later', sendAt: at(2), notAfter: at(3) }
    const announcementUid = await aMessage({ recipients: [add(ada)], send })
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({
      status: 'draft',
      sending: 'scheduled',
      sendAt: at(2),
      notAfter: at(3),
    })
    await updateAnnouncement(admin, { announcementUid, send: { when: 'later', sendAt: at(5) } })
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({ sendAt: at(5), notAfter: null })
    for (const wrong of [
      { when: 'later' },
      { when: 'later', sendAt: at(-1) },
      { ...send, notAfter: at(1) },
      { when: 'x' },
    ]) {
      await expect(updateAnnouncement(admin, { announcementUid, send: wrong })).rejects.toThrow()
    }
  })
})

describe('sending now', () => {
  const inTwoHours = () => new Date(admin.now.getTime() + 2 * 3_600_000)

  test('C-150 is refused with a time, and a scheduled message keeps its time then', async () => {
    const uid = randomUUID()
    const send = { when: 'now', sendAt: inTwoHours() }
    const fieldErrors = { sendAt: 'Choose “Send it at this time”, or leave the time empty.' }
    await expect(createAnnouncement(admin, { ...values, uid, recipients: [add(ada)], send })).rejects.toMatchObject({
      fieldErrors,
    })
    expect(await db.selectFrom('announcements').select('id').where('uid', '=', uid).execute()).toEqual([])
    const announcementUid = await aMessage({ recipients: [add(ada)], send: { ...send, when: 'later' } })
    await expect(updateAnnouncement(admin, { announcementUid, send })).rejects.toMatchObject({ fieldErrors })
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({
      sending: 'scheduled',
      sendAt: send.sendAt,
    })
    await updateAnnouncement(admin, { announcementUid, send: { when: 'now', sendAt: '' } })
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({ sending: 'done' })
  })

  test('C-150 keeps "not after"', async () => {
    const notAfter = inTwoHours()
    const announcementUid = await aMessage({ recipients: [add(ada)], send: { when: 'now', notAfter } })
    expect(await getAnnouncementToEdit(admin, { announcementUid })).toMatchObject({ sending: 'done', notAfter })
  })
})

describe('duplicating', () => {
  test('C-152 makes a draft "Copy of …" with the same recipients, once for one uid', async () => {
    const original = await aMessage({ name: 'x'.repeat(250), recipients: [add(ada, ben)], send: now })
    const uid = randomUUID()
    await Promise.all(Array.from({ length: 5 }, () => duplicateAnnouncement(admin, { announcementUid: original, uid })))
    const copy = await getAnnouncementToEdit(admin, { announcementUid: uid })
    expect(copy).toMatchObject({ status: 'draft', sentAt: null, values: { subject: values.subject } })
    expect(copy.values.name).toBe(`Copy of ${'x'.repeat(242)}`)
    expect(await recipientsOf(uid)).toEqual(uidsOf(ada, ben))
    expect((await getAnnouncementToEdit(admin, { announcementUid: original })).status).toBe('sent')
    await expectGuarded(duplicateAnnouncement, { announcementUid: original }, { by: ['admins'] })
  })
})

describe('deleting', () => {
  test('C-257 takes a message off the dashboards for thirty days; undoing brings it back, without its schedule', async () => {
    const announcementUid = await aMessage({ recipients: [add(eva)], send: now })
    const reader = await aContext(db, { viewer: eva })
    const { total } = await listOwnAnnouncements(reader)
    expect(await deleteAnnouncement(admin, { announcementUid })).toMatchObject({ name: 'News' })
    await expect(deleteAnnouncement(admin, { announcementUid })).rejects.toThrow('Not found')
    expect((await listOwnAnnouncements(reader)).total).toBe(total - 1)
    await restoreAnnouncement(admin, { announcementUid })
    await restoreAnnouncement(admin, { announcementUid })
    expect((await listOwnAnnouncements(reader)).total).toBe(total)
    const scheduled = await aMessage({
      recipients: [add(eva)],
      send: { when: 'later', sendAt: new Date(admin.now.getTime() + 3_600_000) },
    })
    await deleteAnnouncement(admin, { announcementUid: scheduled })
    await restoreAnnouncement(admin, { announcementUid: scheduled })
    expect(await getAnnouncementToEdit(admin, { announcementUid: scheduled })).toMatchObject({
      sending: null,
      sendAt: null,
    })
  })

  test('C-257 is for admins of the site, and final after thirty days', async () => {
    const announcementUid = await aMessage()
    await expectGuarded(deleteAnnouncement, { announcementUid }, { by: ['admins'] })
    await deleteAnnouncement(admin, { announcementUid })
    await expectGuarded(restoreAnnouncement, { announcementUid }, { by: ['admins'] })
    const later = { ...admin, now: new Date(admin.now.getTime() + 31 * 86_400_000) }
    await expect(restoreAnnouncement(later, { announcementUid })).rejects.toThrow('Not found')
    await purgeDeletedAnnouncements(later)
    expect(await db.selectFrom('announcements').select('id').where('uid', '=', announcementUid).execute()).toEqual([])
  })
})

describe('the list', () => {
  test('C-020 C-024 C-030 finds by name only, in the order of subjects, with two names and a count', async () => {
    const mark = `List ${randomUUID().slice(0, 8)}`
    await aMessage({ name: `${mark} C`, subject: '1' })
    await aMessage({ name: `${mark} A`, subject: '2', recipients: [add(ada, ben, eva)] })
    await aMessage({ name: `${mark} B`, subject: mark, recipients: [add(ada)], send: now })
    const { items, total } = await listMessagePage(admin, { search: mark.toUpperCase() })
    expect(total).toBe(3)
    expect(items.map(({ name }) => name.slice(-1))).toEqual(['C', 'A', 'B'])
    expect(items[1]).toMatchObject({ people: 3, recipients: ['P0 Okafor', 'P1 Okafor'], author: { firstName: 'Ines' } })
    expect(
      (await listMessagePage(admin, { search: mark, sort: 'recipients', isDescending: true })).items[0]?.people,
    ).toBe(3)
    expect(await listSentUidsFound(admin, { search: mark, most: 4 })).toEqual([items[2]?.uid])
    expect((await listMessagePage(admin, { search: mark, filters: { status: ['sent'] } })).total).toBe(1)
    for (const search of ['%', '_', '\\', 'a\u0000']) {
      expect((await listMessagePage(admin, { search: `${mark}${search}` })).total).toBe(0)
    }
    await expectGuarded(listMessagePage, {}, { by: ['admins'], elsewhere: null })
  })
})
