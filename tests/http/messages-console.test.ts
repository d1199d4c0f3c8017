/** Manage Messages with plain forms, as without JavaScript. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { formatDay } from '~/lib/dates.ts'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import type { Ctx } from '~/services/context.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, tokenIn } from '../support/http.ts'
import { aDraft } from '../support/messages.ts'
import { fieldsOf, press as pressIn, readPage } from '../support/plain-forms.ts'

let admin: Browser
let author: Browser
let learner: Browser
let learnerUid: string
let authorUid: string
let nsUid: string
let sent: string[]
let late: string
let doubtful: string
let audienceUid: string
let nsAudienceUid: string
let databaseUrl: string
const path = '/dashboard/messages/'

beforeAll(async () => {
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const ines = { email: 'admin@titrate.example', firstName: 'Ines', lastName: 'Moreau' }
    const chief = await aUser(db, { ...ines, groups: ['admins'] })
    authorUid = (await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })).uid
    const viewer = await aUser(db, { email: 'learner@titrate.example', firstName: 'Grace', lastName: 'Hopper' })
    learnerUid = viewer.uid
    sent = []
    for (const subject of ['First news', 'Second news']) sent.push(await anAnnouncement(db, [viewer], { subject }))
    const ctx = await aContext(db)
    const [unsent, mailed] = [await aDraft(ctx, { subject: 'Late news' }), await aDraft(ctx, { to: [viewer] })]
    ;[late, doubtful] = [unsent.uid, mailed.uid]
    await sql`
      update announcements set sending = 'late', send_at = now() - interval '2 days', not_after = now() - interval '1 day'
      where id = ${unsent.id}`.execute(db)
    await sql`
      update announcements set status = 'sent', sending = 'done', sent_at = now() where id = ${mailed.id}`.execute(db)
    await sql`
      insert into mails (site_id, kind, user_id, announcement_id, recipient_id, address, subject, state, ended_at)
      select site_id, 'message', user_id, announcement_id, id, 'learner@titrate.example', 'News', 'in_doubt', now()
      from announcement_recipients where announcement_id = ${mailed.id}`.execute(db)
    const away = await aUser(db, { site: 'ns', groups: ['admins'] })
    nsUid = await anAnnouncement(db, [away], { subject: 'Theirs' })
    const conditions = [{ about: 'group', how: 'is', values: ['learners'] }]
    const audiences: [Ctx, string][] = [
      [await aContext(db, { viewer: chief }), 'Everybody who learns'],
      [await aContext(db, { site: 'ns', viewer: away }), 'Theirs'],
    ]
    const made = await Promise.all(audiences.map(([own, name]) => createAudience(own, { name, conditions })))
    ;[audienceUid = '', nsAudienceUid = ''] = made.map(({ uid }) => uid)
    await close()
  })
  databaseUrl = server.databaseUrl
  ;[admin, author, learner] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  await admin.signIn('admin@titrate.example')
  await author.signIn('author@titrate.example')
  await learner.signIn('learner@titrate.example')
})

const pageAt = (at: string, browser = admin) => readPage(browser, at)
const press = (at: string, page: string, changes: Record<string, string>) => pressIn(admin, at, page, changes)

/** Everybody opts out of messages by email, or in again. */
async function optOut(opted_out_of_emails: boolean): Promise<void> {
  const { db, close } = await openTestDatabase(databaseUrl)
  await db.updateTable('users').set({ opted_out_of_emails }).execute()
  await close()
}

/** Saves a new message without recipients. Returns the page after it and the uid. */
async function aSaved(name: string): Promise<[page: string, uid: string]> {
  const form = await pageAt(`${path}new/`)
  const { page } = await press(`${path}new/`, form, { name, subject: name, text: 'Text', intent: 'save' })
  return [page, fieldsOf(form).uid ?? '']
}

/** Adds or removes somebody in step 2, usually the learner. Returns that step as it is then. */
async function choose(page: string, { choice = 'add', uid = learnerUid } = {}): Promise<{ to: string; page: string }> {
  const [, action = ''] = /action="([^"]*\/choices\/[^"]*)"/.exec(page) ?? []
  const { headers } = await admin.post(action.replaceAll('&amp;', '&'), {
    csrf: tokenIn(page),
    choose: choice,
    uid,
  })
  const to = headers.location ?? ''
  return { to, page: await pageAt(to) }
}

/** The review of a new message to the learner. */
async function aReview(name: string, fields: Record<string, string> = {}) {
  const at = `${path}new/`
  const form = await pageAt(at)
  const own = { uid: fieldsOf(form).uid ?? '' }
  const second = await press(at, form, { name, subject: name, text: 'Text', ...fields, intent: 'next' })
  const chosen = await choose(second.page)
  const review = await press(chosen.to, chosen.page, { ...own, intent: 'next' })
  return { own, form, second, chosen, review }
}

async function inboxOf(browser: Browser): Promise<string> {
  const [listed = ''] = (await pageAt('/my-learning/my-messages/', browser)).split('<script')
  return listed
}

test('C-022 C-023 C-026 C-027 C-029 C-031 the list of messages: its columns, what a row offers, how long a page is', async () => {
  const list = await pageAt(path)
  const heads = [...list.matchAll(/<th [^>]*>(.*?)<\/th>/gs)].map(([, head = '']) => head.replace(/<[^>]*>/g, ''))
  expect(heads).toEqual(['Selected', 'Name', 'Status', 'Recipients', 'Author', 'Last Updated', 'Sent', 'Actions'])
  const actions = (uid: string) =>
    [...list.matchAll(new RegExp(`<a [^>]*href="${path}${uid}/[^>]*>`, 'g'))].flatMap(
      ([link]) => /aria-label="(View|Edit|Duplicate|Remove) /.exec(link)?.[1] ?? [],
    )
  expect(actions(sent[0] ?? '')).toEqual(['View', 'Duplicate', 'Remove'])
  expect(actions(late)).toEqual(['Edit', 'Duplicate', 'Remove'])
  expect([...list.matchAll(/<option value="(\d+)"/g)].map(([, size]) => size)).toEqual(['10', '20'])
  // C-030: the box that sorts on phones names the usual order, which is that of no column.
  expect(list).toContain('<option value="subject" selected="">Subject</option><option value="name">Name</option>')
  // C-032: rows can always be selected. C-145: the words of the chips.
  expect(list).toMatch(/<input [^>]*type="checkbox"[^>]*name="uid"|<input [^>]*name="uid"[^>]*type="checkbox"/)
  for (const chip of ['Draft', 'Sent']) expect(list).toMatch(new RegExp(`class="chip [^"]*"[^>]*>${chip}<`))
  // C-028: where messages are only read, their rows have no actions.
  const ofPerson = await pageAt(`/dashboard/users/${learnerUid}/messages/`)
  expect(ofPerson).toContain('First news')
  expect(ofPerson).not.toMatch(/aria-label="(Edit|Duplicate|Remove) /)
  expect(list).toContain('CREATE MESSAGE')
  expect(await pageAt(`${path}?search=zzzz`)).toContain('<h2>No Messages</h2>')
})

test('C-039 C-040 C-043 C-154 C-172 C-173 each step has its buttons, and Next needs a name, a subject and a text', async () => {
  const at = `${path}new/`
  const first = await pageAt(at)
  expect(buttonsIn(first)).toEqual(['Preview', 'Save', 'Next'])
  expect(first).toContain('Step 1 of 3')
  // C-004: one of two ways.
  expect([...first.matchAll(/name="deliveryType"[^>]*value="(\w+)"/g)].map(([, type]) => type)).toEqual([
    'dashboard',
    'email',
  ])
  const refused = await press(at, first, { name: 'Kept', intent: 'next' })
  expect(refused.page).toContain('Step 1 of 3')
  expect(refused.page).toContain('Subject is required')
  expect(fieldsOf(refused.page).name).toBe('Kept')
  const second = await press(at, refused.page, { subject: 'S', text: 'T', intent: 'next' })
  expect(buttonsIn(second.page)).toEqual(['Back', 'Save', 'Review (disabled)'])
  const back = await press(second.to, second.page, { intent: 'back' })
  expect(back.page).toContain('Step 1 of 3')
  expect(fieldsOf(back.page)).toMatchObject({ name: 'Kept', subject: 'S', text: 'T' })
})

test('C-050 C-051 C-054 C-135 C-136 C-138 C-139 C-140 C-141 C-142 the filters, columns and pages of recipients', async () => {
  const at = `${path}new/`
  const texts = { name: 'Choosing', subject: 'S', text: 'T', intent: 'next' }
  const { page } = await press(at, await pageAt(at), texts)
  const menus = new Map(
    [...page.matchAll(/<fieldset><legend>([^<]*)<\/legend>(.*?)<\/fieldset>/gs)].map(([, label = '', menu = '']) => [
      label,
      [...menu.matchAll(/<span>([^<]*)<\/span><\/label>/g)].map(([, option = '']) => option),
    ]),
  )
  const wanted = {
    Status: ['Registered and Active', 'Registered and Inactive', 'Non-Registered'],
    Group: ['Titrate', 'Titrate Institute', 'External'],
    'Institution or company': ['Academia', 'Non-profit', 'Industry', 'Other'],
    'Current position': [
      ...['Student', 'Postdoctoral scholar', 'Principal investigator', 'Research scientist'],
      ...['Clinician or clinician scientist', 'Staff', 'Other'],
    ],
    'Type of research engaged in': [
      ...['Basic research', 'Translational research', 'Not engaged in scientific research', 'Other'],
    ],
    'Modality your translational research focuses on': [
      ...['Therapeutic (small molecule or biologic)', 'Vaccine', 'Diagnostic test', 'Medical device'],
      ...['Software or app', 'Not conducting translational research', 'Other'],
    ],
    'Geographical region': [
      ...[
        'Africa',
        'Asia',
        'Caribbean',
        'Central America',
        'Europe',
        'North America (Canada)',
        'North America (Mexico)',
      ],
      ...['North America (United States)', 'Oceania', 'South America', 'Other'],
    ],
  }
  for (const [label, options] of Object.entries(wanted)) expect(menus.get(label), label).toEqual(options)
  const heads = [...page.matchAll(/<th [^>]*>(.*?)<\/th>/gs)].map(([, head = '']) => head.replace(/<[^>]*>/g, ''))
  // C-088: where people are only chosen, their rows have no actions.
  expect(heads).toEqual(['Selected', 'Name', 'Email', 'Status', 'Group', 'Position', 'Region'])
  expect(menus.get('Columns')).toEqual(expect.arrayContaining(['Institution', 'Research type', 'Modality']))
  const sizes = /<select [^>]*name="people.size".*?<\/select>/s.exec(page)?.[0] ?? ''
  expect([...sizes.matchAll(/<option value="(\d+)"/g)].map(([, size]) => size)).toEqual(['100', '50', '20'])
})

/** The words of the buttons at the end of a dialog. */
function buttonsIn(page: string): string[] {
  const footer = /<div class="dlg-foot">(.*?)<\/section>/s.exec(page)?.[1] ?? ''
  return [...footer.matchAll(/<button ([^>]*)>(.*?)<\/button>/gs)].map(([, attributes = '', words = '']) => {
    const text = words.replace(/<[^>]*>/g, '').trim()
    return / disabled/.test(` ${attributes}`) ? `${text} (disabled)` : text
  })
}

test('C-037 C-045 C-150 a message is written, given recipients, reviewed and sent, each step a page', async () => {
  const at = `${path}new/`
  const empty = await press(at, await pageAt(at), { intent: 'next' })
  expect(empty.status).toBe(400)
  for (const text of ['Name is required', 'Subject is required', 'Message text is required']) {
    expect(empty.page).toContain(text)
  }
  const texts = { name: 'Welcome', subject: 'Hello {{first name}}', text: 'Good to **see** you.' }
  const second = await press(at, empty.page, { ...texts, intent: 'next' })
  expect(second.page).toContain('Step 2 of 3')
  expect(second.page).toContain('Grace Hopper')
  const [, choose = ''] = /action="([^"]*\/choices\/[^"]*)"/.exec(second.page) ?? []
  const added = await admin.post(choose.replaceAll('&amp;', '&'), {
    csrf: tokenIn(second.page),
    choose: 'add',
    uid: learnerUid,
  })
  expect(added.status).toBe(302)
  const back = added.headers.location ?? ''
  const chosen = await pageAt(back)
  expect(chosen).toContain('Recipients (1)')
  const review = await press(back, chosen, { intent: 'next' })
  expect(review.page).toContain('Step 3 of 3')
  // C-058: everything is shown once more.
  const words = [
    'Welcome',
    'Learner dashboard',
    'Titrate',
    '<strong>see</strong>',
    'Grace Hopper',
    'Shown with your name',
  ]
  for (const text of words) {
    expect(review.page).toContain(text)
  }
  // C-041: the number of recipients, also if it is one.
  expect(review.page).toContain('Send to 1 recipients')
  const sendAt = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16)
  const refused = await press(review.to, review.page, { when: 'now', sendAt, intent: 'send' })
  expect(refused.status).toBe(400)
  expect(refused.page).toContain('Choose “Send it at this time”, or leave the time empty.')
  expect(fieldsOf(refused.page)).toMatchObject({ when: 'now', sendAt })
  expect(await pageAt('/my-learning/my-messages/', learner)).not.toContain('Hello Grace')
  const done = await press(review.to, refused.page, { sendAt: '', intent: 'send' })
  expect(done.page).toContain('Message &quot;Welcome&quot; has been sent.')
  expect(await pageAt('/my-learning/my-messages/', learner)).toContain('Hello Grace')
})

test('a form of a new message that has ended goes on as that of another message, with what is typed', async () => {
  const at = `${path}new/`
  const texts = (name: string) => ({ name, subject: name, text: 'Text' })
  // Step 2 has more forms, whose fields have other uids.
  const own = (address: string) => ({ uid: new URL(address, 'http://site').searchParams.get('uid') ?? '' })
  const second = await press(at, await pageAt(at), { ...texts('The first'), intent: 'next' })
  const first = await press(second.to, second.page, { ...own(second.to), intent: 'save' })
  expect(first.page).toContain('Message &quot;The first&quot; has been created.')
  // The Back button of the browser opens the step again, or shows the first page as it was.
  const opened = await pageAt(second.to)
  expect([opened.includes('Step 1 of 3'), fieldsOf(opened).name]).toEqual([true, ''])
  expect(fieldsOf(opened)).not.toMatchObject(own(second.to))
  const next = await press(at, second.page, {
    ...own(second.to),
    ...texts('The second'),
    step: 'message',
    intent: 'next',
  })
  expect(next.page).toContain('Step 2 of 3')
  expect(own(next.to)).not.toEqual(own(second.to))
  await press(next.to, next.page, { ...own(next.to), intent: 'save' })
  const deleted = `${path}${own(next.to).uid}/delete/`
  await press(deleted, await pageAt(deleted), { confirmation: 'DELETE' })
  const refused = await press(next.to, next.page, { ...own(next.to), ...texts('The third'), intent: 'save' })
  expect(refused.page).toContain('“The second” has been deleted. What you typed is here as a new message')
  expect(fieldsOf(refused.page)).toMatchObject(texts('The third'))
  const created = await press(at, refused.page, { intent: 'save' })
  expect(created.page).toContain('Message &quot;The third&quot; has been created.')
  expect(created.page).toContain('title="The first"')
})

test('C-038 C-153 what is typed is shown as an email and sent to oneself, without being saved', async () => {
  const at = `${path}new/`
  const texts = { name: 'Shown', subject: 'For {{first name}}', text: 'Good to **see** you.', deliveryType: 'email' }
  const preview = await press(at, await pageAt(at), { ...texts, intent: 'watch' })
  expect(preview.page).toContain('Preview Message')
  expect(preview.page.match(/<iframe [^>]*sandbox="allow-same-origin" [^>]*>/gi)).toHaveLength(2)
  expect(preview.page).toContain('&lt;strong&gt;see&lt;/strong&gt;')
  expect(preview.page).toContain('Subject: For Ines')
  expect(fieldsOf(preview.page)).toMatchObject(texts)
  const tested = await press(at, preview.page, { intent: 'test' })
  expect(tested.page).toContain('A test is on its way to admin@titrate.example.')
  expect(fieldsOf(tested.page).testUid).not.toBe(fieldsOf(preview.page).testUid)
  const refused = await press(at, tested.page, { intent: 'test', subject: 'For {{somebody}}' })
  expect(refused.status).toBe(400)
  expect(refused.page).toContain('{{somebody}} is not a placeholder')
  expect(refused.page).not.toContain('<iframe')
  expect(await pageAt(path)).not.toContain('title="Shown"')
})

test('C-155 a save needs no recipients; a saved message is edited, and removed', async () => {
  const at = `${path}new/`
  const saved = await press(at, await pageAt(at), { name: 'Later', subject: 'Soon', text: 'Text', intent: 'save' })
  expect(saved.page).toContain('Message &quot;Later&quot; has been created.')
  const [link = ''] = /<a [^>]*title="Later"[^>]*>/.exec(saved.page) ?? []
  const [edit = ''] = /\/dashboard\/messages\/[0-9a-f-]{36}\//.exec(link) ?? []
  // C-025, C-212: the new row has the short name of its author.
  expect(saved.page).toContain('Ines M.')
  const form = await pageAt(edit)
  expect(fieldsOf(form)).toMatchObject({ name: 'Later', subject: 'Soon' })
  const updated = await press(edit, form, { subject: 'Sooner', intent: 'save' })
  expect(updated.page).toContain('Message has been updated.')
  const asked = await pageAt(`${edit}delete/`)
  // C-075: the word has to be typed.
  const refused = await press(`${edit}delete/`, asked, { confirmation: 'delete' })
  expect([refused.status, refused.page.includes('Please enter the confirmation text above')]).toEqual([400, true])
  const removed = await press(`${edit}delete/`, asked, { confirmation: 'DELETE' })
  expect(removed.page).toContain('has been deleted')
})

test('C-033 C-068 two sent messages are compared, and one is not', async () => {
  const csrf = await admin.token(path)
  const body = (uids: string[]) => new URLSearchParams([['csrf', csrf], ...uids.map((uid) => ['uid', uid])]).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const compare = (uids: string[]) => admin.send({ method: 'POST', path: `${path}compare/`, body: body(uids), headers })
  const one = await compare(sent.slice(0, 1))
  expect([one.status, one.headers.location]).toEqual([302, path])
  const two = await compare(sent)
  const page = await pageAt(two.headers.location ?? '')
  for (const text of ['Message Comparison', 'First news', 'Second news', 'EMAIL', 'LEARNER DASHBOARD', 'Pin']) {
    expect(page).toContain(text)
  }
  // C-069, C-071: a card for each message, with its day and a link to its details.
  expect(page.match(/Sent (on )?[A-Z][a-z]{2} \d/g)).toHaveLength(2)
  for (const uid of sent) expect(page).toContain(`href="${path}${uid}/"`)
  expect(page).toContain('Close')
  // It opens on the way in which the messages were sent, which has their figures.
  expect(page).toMatch(/<a aria-current="page"[^>]*>LEARNER DASHBOARD</)
  const byEmail = await pageAt(`${two.headers.location}&channel=email`)
  expect(byEmail).toMatch(/<a aria-current="page"[^>]*>EMAIL</)
  expect(byEmail).toContain('N/A')
  expect((await admin.send({ path: `${path}compare/?uid=${sent[0]}&uid=${nsUid}` })).status).toBe(404)
})

test('C-021 C-059 C-060 C-061 C-063 C-074 C-151 a sent message is shown read-only in two tabs, one of the other site is not there, and authors have no access', async () => {
  const page = await pageAt(`${path}${sent[0]}/`)
  for (const text of ['First news', 'Back to Messages', 'Duplicate', 'Sent on', 'Last updated', 'Unread', 'N/A']) {
    expect(page).toContain(text)
  }
  expect(page).not.toContain('name="subject"')
  expect(page).toContain(`href="/api/reports/announcements/?uid=${sent[0]}"`)
  expect((await admin.send({ path: `/api/reports/announcements/?uid=${sent[0]}` })).text).toContain('First news')
  expect((await admin.send({ path: `/api/reports/announcements/?uid=${nsUid}` })).status).toBe(404)
  expect(await pageAt(path)).toContain(`href="${path}export/"`)
  expect(await pageAt(`${path}export/`)).toContain('action="/api/reports/announcements/"')
  const recipients = await pageAt(`${path}${sent[0]}/recipients/`)
  expect(recipients).toContain('On the dashboard')
  expect(await pageAt(`${path}${sent[0]}/recipients/?recipients.search=zzz`)).toContain('Nobody found for “zzz”')
  for (const at of ['', 'delete/', 'sending/', 'recipients/', '?step=recipients']) {
    const { status, headers } = await admin.send({ path: `${path}${nsUid}/${at}` })
    expect([status, headers.location ?? ''], at).not.toContain(200)
  }
  for (const at of ['', 'new/', `${sent[0]}/`, `${sent[0]}/delete/`, `${sent[0]}/recipients/`, 'compare/']) {
    expect((await author.send({ path: path + at })).status, at).toBe(403)
  }
})

test('a form whose message was sent while it was open goes on as a new message to the same people', async () => {
  const at = `${path}${sent[0]}/`
  const form = await pageAt(`${path}new/`)
  const typed = { name: 'First news', subject: 'Typed too late', text: 'Text', intent: 'next' }
  const anew = await press(at, form, typed)
  expect(anew.to).toMatch(/\/messages\/new\/\?/)
  expect(anew.page).toContain('What you typed is here as a new message, which is not saved yet.')
  expect(fieldsOf(anew.page)).toMatchObject({ subject: 'Typed too late', copyOf: sent[0], revision: '0' })
  expect((await press(anew.to, anew.page, { intent: 'next' })).page).toContain('Recipients (1)')
  // Where nothing is typed, the message that was sent is shown.
  const saved = { name: 'First news', subject: 'First news', text: 'Something is new.', from: 'The Titrate team' }
  const untouched = await press(at, form, { ...saved, intent: 'unschedule' })
  expect([untouched.to, untouched.page.includes('It can no longer be changed.')]).toEqual([at, true])
  // What was kept as a draft while it was typed is offered.
  const fields = JSON.stringify([...Object.entries(saved), ['subject', 'Kept in time']])
  const draftKey = `message:${sent[0]}`
  await admin.post('/dashboard/drafts/', { csrf: tokenIn(untouched.page), draftKey, fields, typedAt: '1' })
  const offered = await pageAt(`${at}recipients/`)
  expect(offered).toContain('is not in this message.')
  const own = { csrf: tokenIn(offered), offeredDraftKey: draftKey }
  const gone = await press(at, offered, { ...own, intent: 'go-on' })
  expect(fieldsOf(gone.page)).toMatchObject({ subject: 'Kept in time', copyOf: sent[0] })
  expect(await pageAt(at)).not.toContain('is not in this message.')
  const twice = await press(at, offered, { ...own, intent: 'go-on' })
  expect(fieldsOf(twice.page).uid, 'a second press leads there too').toBe(fieldsOf(gone.page).uid)
  const csrf = await author.token('/dashboard/modules/')
  expect((await author.post(at, { csrf, ...typed })).status).toBe(403)
  expect((await press(`${path}${nsUid}/`, form, typed)).status).toBe(404)
})

test('each window of a message that was sent goes on as a message of its own', async () => {
  const [, uid] = await aSaved('In three windows')
  const at = `${path}${uid}/`
  const windows = [await pageAt(at), await pageAt(at)]
  const second = await press(at, await pageAt(at), { intent: 'next' })
  const chosen = await choose(second.page)
  const review = await press(chosen.to, chosen.page, { intent: 'next' })
  expect((await press(review.to, review.page, { intent: 'send' })).page).toContain('has been sent.')
  const [one, other] = [
    await press(at, windows[0] ?? '', { subject: 'In one window', intent: 'next' }),
    await press(at, windows[1] ?? '', { subject: 'In another window', intent: 'next' }),
  ]
  expect(fieldsOf(one.page).uid).not.toBe(fieldsOf(other.page).uid)
  expect(fieldsOf(await pageAt(one.to)).subject).toBe('In one window')
  const again = await press(at, windows[0] ?? '', { subject: 'In one window', intent: 'next' })
  expect(fieldsOf(again.page).uid, 'a second press').toBe(fieldsOf(one.page).uid)
  // What is typed in the new message is not replaced by the old window.
  const later = await press(one.to, one.page, { subject: 'Typed later', intent: 'next' })
  const old = await press(at, windows[0] ?? '', { subject: 'In one window', intent: 'next' })
  expect([fieldsOf(old.page).uid, fieldsOf(old.page).subject]).toEqual([fieldsOf(one.page).uid, 'Typed later'])
  expect(later.page).toContain('Recipients (1)')
})

test('an old page of a new message that has been saved goes on to the same people, and says so', async () => {
  const at = `${path}new/`
  const { own, form, chosen } = await aReview('To one')
  expect((await press(chosen.to, chosen.page, { ...own, intent: 'save' })).page).toContain('has been created.')
  const anew = await press(at, form, { name: 'To one again', subject: 'To one', text: 'Text', intent: 'next' })
  expect(anew.page).toContain('“To one” has been saved. What you typed is here as a new message')
  expect((await press(anew.to, anew.page, { intent: 'next' })).page).toContain('Recipients (1)')
})

test('an old page of a message that was sent does not offer it again', async () => {
  const { own, second, review } = await aReview('Sent once')
  expect((await press(review.to, review.page, { ...own, intent: 'send' })).page).toContain('has been sent.')
  for (const [{ to, page }, intent] of [
    [second, 'next'],
    [review, 'back'],
  ] as const) {
    const answer = await press(to, page, { ...own, intent })
    expect(answer.to).toBe(`${path}${own.uid}/`)
    expect(answer.page).toContain('“Sent once” has been sent.')
  }
  expect((await inboxOf(learner)).match(/Sent once/g)).toHaveLength(1)
})

test('two presses of Send on a new email are answered alike', async () => {
  const { own, review } = await aReview('Mailed once', { deliveryType: 'email' })
  const presses = Array.from({ length: 4 }, () => press(review.to, review.page, { ...own, intent: 'send' }))
  for (const { page } of await Promise.all(presses))
    expect(page).toContain('Message &quot;Mailed once&quot; is being sent.')
})

test('a choice of recipients stays with its window, whatever another one does', async () => {
  const first = await aReview('Chosen')
  await press(first.review.to, first.review.page, { ...first.own, intent: 'save' })
  const there = `${path}${first.own.uid}/`
  const second = await press(there, await pageAt(there), { intent: 'next' })
  const added = await choose(second.page, { uid: authorUid })
  const review = await press(added.to, added.page, { ...first.own, intent: 'next' })
  const other = await pageAt(there)
  expect(other).toContain('You have unsaved changes')
  expect((await press(there, other, { intent: 'discard-draft' })).page).not.toContain('You have unsaved changes')
  const saved = await press(review.to, review.page, { ...first.own, intent: 'save' })
  expect(saved.page).toContain('Message has been updated.')
  expect((await press(there, await pageAt(there), { intent: 'next' })).page).toContain('Recipients (2)')
})

test('two messages that go on from one page each have a choice of recipients of their own', async () => {
  const at = `${path}new/`
  const { own, second: form, review } = await aReview('Gone on')
  await press(review.to, review.page, { ...own, intent: 'send' })
  const goOn = async (subject: string) => {
    const anew = await press(at, form.page, { ...own, subject, step: 'message', intent: 'next' })
    const next = await press(anew.to, anew.page, { intent: 'next' })
    return { own: { uid: fieldsOf(anew.page).uid ?? '' }, next }
  }
  const [one, two] = [await goOn('One'), await goOn('Two')]
  await choose(one.next.page, { uid: authorUid })
  const reviewed = await press(two.next.to, two.next.page, { ...two.own, intent: 'next' })
  expect(reviewed.page).toContain('Send to 1 recipients')
})

test('a review whose Send is refused shows what its button sends', async () => {
  const { own, second, review } = await aReview('First text')
  const [, choices = ''] = /action="([^"]*\/choices\/[^"]*)"/.exec(second.page) ?? []
  const nobody = { csrf: tokenIn(second.page), choose: 'add' }
  const { headers } = await admin.post(choices.replaceAll('&amp;', '&'), nobody)
  expect(await pageAt(headers.location ?? '')).toContain('Select one or more people in the table first.')
  // Another window goes on with another text and one person more.
  const shown = review.to.replace('step=review', 'step=recipients')
  const added = await choose(await pageAt(shown), { uid: authorUid })
  const texts = { subject: 'Second text', text: 'Typed in another window' }
  await press(added.to, added.page, { ...own, ...texts, intent: 'next' })
  const refused = await press(review.to, review.page, { ...own, intent: 'send' })
  expect(refused.page).toContain('The recipients have changed since you were shown them.')
  expect(refused.page).toContain('Send to 2 recipients')
  const [dialog = ''] = refused.page.split('<script')
  expect([dialog.includes('First text'), dialog.includes('Typed in another window')]).toEqual([true, false])
  const late = { ...own, when: 'later', sendAt: '2020-01-01T09:00', intent: 'send' }
  await press(second.to, second.page, { ...own, ...texts, step: 'message', intent: 'next' })
  const timeless = await press(refused.to, refused.page, late)
  expect(timeless.status).toBe(400)
  expect(timeless.page).not.toContain('Typed in another window')
  const sent = await press(refused.to, refused.page, { ...own, intent: 'send' })
  expect(sent.page).toContain('Message &quot;First text&quot; has been sent.')
  expect(await inboxOf(learner)).toContain('First text')
})

test('a review of a message that another window has saved leads to the review of that message', async () => {
  const { own, chosen, review } = await aReview('Saved elsewhere')
  await press(chosen.to, chosen.page, { ...own, intent: 'save' })
  const there = `${path}${own.uid}/`
  const second = await press(there, await pageAt(there), { intent: 'next' })
  const added = await choose(second.page, { uid: authorUid })
  await press(added.to, added.page, { ...own, intent: 'save' })
  const refused = await press(review.to, review.page, { ...own, intent: 'send' })
  expect(refused.to).toBe(`${there}?step=review`)
  expect(refused.page).toContain('“Saved elsewhere” has been saved. Check it, and send again.')
  expect(refused.page).toContain('Send to 2 recipients')
  expect((await press(refused.to, refused.page, { intent: 'send' })).page).toContain('has been sent.')
  expect((await inboxOf(learner)).match(/Saved elsewhere/g)).toHaveLength(1)
})

test('a refused Send on an old review leads to the message that was saved, and leaves no draft', async () => {
  const { own, review } = await aReview('Saved before')
  await press(review.to, review.page, { ...own, intent: 'save' })
  const late = { ...own, when: 'later', sendAt: '2020-01-01T09:00', intent: 'send' }
  const refused = await press(review.to, review.page, late)
  expect(refused.to).toMatch(new RegExp(`^${path}${own.uid}/\\?.*step=review`))
  expect(refused.page).toContain('“Saved before” has been saved. ')
  expect(refused.page, 'the time that was typed').toContain('Schedule for 1 recipients')
  const sent = await press(refused.to, refused.page, { ...own, when: 'now', sendAt: '', intent: 'send' })
  expect(sent.page).toContain('Message &quot;Saved before&quot; has been sent.')
  // A page that shows nobody sends to nobody.
  const { shownRecipients: _, ...blind } = fieldsOf((await aReview('Blind')).review.page)
  const unseen = await admin.post(`${path}new/?step=review`, { ...blind, intent: 'send' })
  expect(String(unseen.headers.location)).toContain('step=review')
})

test('a time that was typed on an old review is kept for the message that another window has saved', async () => {
  const { own, chosen, review } = await aReview('Saved with a time')
  await press(chosen.to, chosen.page, { ...own, intent: 'save' })
  const there = `${path}${own.uid}/`
  const second = await press(there, await pageAt(there), { intent: 'next' })
  const added = await choose(second.page, { uid: authorUid })
  await press(added.to, added.page, { ...own, intent: 'save' })
  const sendAt = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T09:00`
  const refused = await press(review.to, review.page, { ...own, when: 'later', sendAt, intent: 'send' })
  expect(refused.page).toContain('“Saved with a time” has been saved. Check it, and send again.')
  expect(refused.page).toContain('Schedule for 2 recipients')
  expect(fieldsOf(refused.page).sendAt).toBe(sendAt)
  const scheduled = await press(refused.to, refused.page, { intent: 'send' })
  expect(scheduled.page).toContain('Message &quot;Saved with a time&quot; has been scheduled.')
  expect(await pageAt(`${there}delete/`)).toContain('If you restore it, it will be a draft without a time.')
  await optOut(true)
  const byEmail = await press(there, await pageAt(there), {
    deliveryType: 'email',
    subject: 'By email',
    intent: 'save',
  })
  expect(byEmail.to).toContain('step=recipients')
  expect(byEmail.page).toContain('Please choose at least one recipient')
  await optOut(false)
  await press(there, await pageAt(there), { intent: 'discard-draft' })
  const step = await press(there, await pageAt(there), { intent: 'next' })
  const cleared = await choose(step.page, { choice: 'clear' })
  const empty = await press(cleared.to, cleared.page, { ...own, intent: 'save' })
  expect([empty.status, empty.page.includes('Please choose at least one recipient</p>')]).toEqual([400, true])
  expect(await inboxOf(learner)).not.toContain('Saved with a time')
})

test('an old review does not send a message that somebody has scheduled, and Save says that it takes no time', async () => {
  const [, uid] = await aSaved('Planned')
  const there = `${path}${uid}/`
  const second = await press(there, await pageAt(there), { intent: 'next' })
  const chosen = await choose(second.page)
  const review = await press(chosen.to, chosen.page, { intent: 'next' })
  const day = new Date(Date.now() + 30 * 86_400_000)
  const plan = { when: 'later', sendAt: `${day.toISOString().slice(0, 10)}T09:00` }
  const saved = await press(review.to, review.page, { ...plan, intent: 'save' })
  expect(saved.page).toContain(
    'The time was not saved. To set it, press the button that sends or schedules the message.',
  )
  const asked = await pageAt(`${there}?step=review`)
  expect((await press(`${there}?step=review`, asked, { ...plan, intent: 'send' })).page).toContain(
    'has been scheduled.',
  )
  const refused = await press(review.to, asked, { intent: 'send' })
  expect(refused.page).toContain(`The message has been scheduled for ${formatDay(day, 'UTC')}`)
  expect(await inboxOf(learner)).not.toContain('Planned')
  const again = await press(refused.to, refused.page, { when: 'now', intent: 'send' })
  expect(again.page).toContain('Message &quot;Planned&quot; has been sent.')
  expect((await inboxOf(learner)).match(/Planned/g)).toHaveLength(1)
})

test('a time that somebody has set since a form was opened is told before it is replaced, whatever is pressed between', async () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000)
  const planFor = (days: number) => ({ when: 'later', sendAt: `${day(days).toISOString().slice(0, 10)}T09:00` })
  const refusal = (days: number) => `The message has been scheduled for ${formatDay(day(days), 'UTC')}`
  const aMessageAt = async (name: string) => {
    const [, uid] = await aSaved(name)
    const there = `${path}${uid}/`
    const second = await press(there, await pageAt(there), { intent: 'next' })
    const chosen = await choose(second.page)
    await press(chosen.to, chosen.page, { intent: 'save' })
    return { there, review: `${there}?step=review` }
  }
  const plan = async (review: string, days: number) =>
    press(review, await pageAt(review), { ...planFor(days), intent: 'send' })

  // Scheduled while the first step was open.
  const first = await aMessageAt('Set meanwhile')
  const form = await pageAt(first.there)
  await plan(first.review, 30)
  const second = await press(first.there, form, { intent: 'next' })
  const third = await press(second.to, second.page, { intent: 'next' })
  const refused = await press(third.to, third.page, { intent: 'send' })
  expect(refused.page).toContain(refusal(30))

  // Nothing is saved into it before that, at any step, and what was typed stays.
  const typed = await press(first.there, form, { text: 'Unfinished', intent: 'save' })
  expect(typed.page).toContain(`${refusal(30)}, 9:00 AM since you opened it. Check the time, and save again.`)
  expect(typed.page).toContain('Unfinished')
  expect((await press(typed.to, typed.page, { intent: 'save' })).page).toContain('Message has been updated.')

  // A preview and a form that is refused show the same fields again, and nobody has been told.
  const moved = await aMessageAt('Moved meanwhile')
  await plan(moved.review, 30)
  const old = await pageAt(moved.review)
  await plan(moved.review, 40)
  const uncanceled = await press(moved.review, old, { intent: 'unschedule' })
  expect(uncanceled.page).toContain(`${refusal(40)}, 9:00 AM since you opened it. The schedule has not been canceled.`)
  const watched = await press(moved.review, old, { intent: 'watch' })
  expect(watched.status).toBe(200)
  const faulty = await press(moved.review, watched.page, { sendAt: '2020-01-01T09:00', intent: 'send' })
  expect(faulty.status).toBe(400)
  const told = await press(moved.review, faulty.page, { ...planFor(30), intent: 'send' })
  expect(told.page).toContain(refusal(40))
  const saved = await press(moved.review, old, { intent: 'save' })
  expect(saved.page, 'nobody has typed a time').not.toContain('The time was not saved')
  // Once it was told, the time is replaced.
  expect((await press(told.to, told.page, { intent: 'send' })).page).toContain('has been scheduled.')
  expect(await pageAt(moved.there)).toContain(formatDay(day(30), 'UTC'))
  for (const name of ['Set meanwhile', 'Moved meanwhile']) expect(await inboxOf(learner)).not.toContain(name)
})

test('people who are added on an old page go into the message that was saved, and into none that was sent', async () => {
  const { own, second } = await aReview('Added late')
  await press(second.to, second.page, { ...own, intent: 'save' })
  const added = await choose(second.page, { uid: authorUid })
  expect(added.to).toContain(`${path}${own.uid}/?`)
  expect(added.page).toContain('“Added late” has been saved. Your change to its recipients is here, but not saved yet.')
  expect(added.page).toContain('Recipients (2)')
  await press(added.to, added.page, { intent: 'save' })
  const asked = await pageAt(`${path}${own.uid}/?step=review`)
  expect((await press(`${path}${own.uid}/?step=review`, asked, { intent: 'send' })).page).toContain('has been sent.')
  const late = await choose(added.page, { uid: authorUid, choice: 'add' })
  expect(late.to).toBe(`${path}${own.uid}/`)
  expect(late.page).toContain('“Added late” has been sent. Its recipients can no longer be changed.')
})

test('a review whose draft was discarded in another window can be sent, once, and leaves no draft', async () => {
  const at = `${path}new/`
  const { own, review } = await aReview('Discarded elsewhere')
  await press(at, await pageAt(at), { intent: 'discard-draft' })
  const late = { ...own, when: 'later', sendAt: '2020-01-01T09:00', intent: 'send' }
  const refused = await press(review.to, review.page, late)
  expect(refused.status).toBe(400)
  const asked = await press(review.to, refused.page, { ...own, when: 'now', sendAt: '', intent: 'send' })
  expect(asked.page).toContain('Send to 1 recipients')
  const anew = { uid: new URL(asked.to, 'http://site').searchParams.get('uid') ?? '' }
  const sent = await press(asked.to, asked.page, { ...anew, intent: 'send' })
  expect(sent.page).toContain('Message &quot;Discarded elsewhere&quot; has been sent.')
  const offered = await press(at, await pageAt(at), { intent: 'restore-draft' })
  expect(fieldsOf(offered.page).name).not.toBe('Discarded elsewhere')
  expect((await inboxOf(learner)).match(/Discarded elsewhere/g)).toHaveLength(1)
})

test('people who were added come back with a draft that is restored, also if it is saved at once', async () => {
  const at = `${path}new/`
  const second = await press(at, await pageAt(at), { name: 'Brought back', subject: 'S', text: 'T', intent: 'next' })
  await choose(second.page)
  const restored = await press(at, await pageAt(at), { intent: 'restore-draft' })
  const own = { uid: fieldsOf(restored.page).uid ?? '' }
  expect(fieldsOf(restored.page).name).toBe('Brought back')
  expect((await press(at, restored.page, { ...own, intent: 'next' })).page).toContain('Recipients (1)')
  expect((await press(at, restored.page, { ...own, intent: 'save' })).page).toContain('has been created.')
  const there = `${path}${own.uid}/`
  expect((await press(there, await pageAt(there), { intent: 'next' })).page).toContain('Recipients (1)')
})

test('Discard in an old window does not discard what was typed since', async () => {
  const [, uid] = await aSaved('Typed on')
  const at = `${path}${uid}/`
  const form = await pageAt(at)
  await press(at, form, { subject: 'Earlier', intent: 'next' })
  const offered = await pageAt(at)
  await press(at, form, { subject: 'Later', intent: 'next' })
  const kept = await press(at, offered, { intent: 'discard-draft' })
  expect(kept.page).toContain('These changes went on in another window, so they were not discarded.')
  expect(kept.page).toContain('You have unsaved changes')
  // What is sent later may have been typed earlier.
  await press(at, form, { subject: 'Sent last', typedAt: '5', intent: 'next' })
  const again = await press(at, kept.page, { intent: 'discard-draft' })
  expect(again.page).toContain('so they were not discarded.')
  const gone = await press(at, again.page, { intent: 'discard-draft' })
  expect(gone.page).not.toContain('You have unsaved changes')
})

test('“Go on” goes on with what was kept last, and says if nothing is left', async () => {
  const [, uid] = await aSaved('Gone on twice')
  const at = `${path}${uid}/`
  await press(at, await pageAt(at), { subject: 'First', intent: 'next' })
  await press(`${at}delete/`, await pageAt(`${at}delete/`), { confirmation: 'DELETE' })
  const offered = await pageAt(at)
  const first = await press(at, offered, { intent: 'go-on' })
  expect(fieldsOf(first.page).subject).toBe('First')
  const fields = JSON.stringify([['subject', 'Second']])
  const { csrf = '' } = fieldsOf(first.page)
  await admin.post('/dashboard/drafts/', { csrf, draftKey: `message:${uid}`, fields, typedAt: String(Date.now()) })
  const second = await press(at, offered, { csrf, intent: 'go-on' })
  expect(fieldsOf(second.page).subject).toBe('Second')
  const third = await press(at, offered, { csrf, offeredDraftAt: '5', intent: 'go-on' })
  expect([third.to, third.page.includes('These changes are no longer there.')]).toEqual([path, true])
})

test('a message that is deleted while it is edited goes on as a new one, which can be saved', async () => {
  const [created, uid] = await aSaved('Deleted soon')
  const at = `${path}${uid}/`
  const form = await pageAt(at)
  await press(`${at}delete/`, await pageAt(`${at}delete/`), { confirmation: 'DELETE' })
  const untouched = await press(at, form, { intent: 'save' })
  expect([untouched.to, untouched.page.includes('“Deleted soon” has been deleted.')]).toEqual([path, true])
  const anew = await press(at, form, { text: 'Typed too late', intent: 'save' })
  expect(anew.page).toContain('“Deleted soon” has been deleted. What you typed is here as a new message')
  expect(fieldsOf(anew.page)).toMatchObject({ text: 'Typed too late', copyOf: uid })
  const saved = await press(anew.to, anew.page, { name: 'Typed too late', intent: 'save' })
  expect(saved.page).toContain('Message &quot;Typed too late&quot; has been created.')
  expect(created).toContain('Message &quot;Deleted soon&quot; has been created.')
})

test('a text that was kept in one window is still offered after another one has gone on', async () => {
  const [, uid] = await aSaved('Two texts')
  const at = `${path}${uid}/`
  const windows = [await pageAt(at), await pageAt(at)]
  await press(at, windows[0] ?? '', { subject: 'Kept', intent: 'next' })
  await press(`${at}delete/`, await pageAt(`${at}delete/`), { confirmation: 'DELETE' })
  const offered = await pageAt(at)
  const other = await press(at, windows[1] ?? '', { subject: 'Typed in another window', intent: 'save' })
  expect(fieldsOf(other.page).subject).toBe('Typed in another window')
  expect(await pageAt(at)).toContain('is not in this message.')
  const anew = await press(at, offered, { intent: 'go-on' })
  expect(fieldsOf(anew.page)).toMatchObject({ subject: 'Kept', copyOf: uid })
})

test('an old page of a new message says that a later text was kept', async () => {
  const at = `${path}new/`
  const form = await pageAt(at)
  const texts = { name: 'Twice saved', subject: 'Twice saved', text: 'First' }
  await press(at, form, { ...texts, intent: 'save' })
  await press(at, form, { ...texts, text: 'Second', intent: 'save' })
  const again = await press(at, form, { ...texts, intent: 'save' })
  expect(again.page).toContain('Other changes that were made in the meantime were kept.')
})

test('what was typed into a message that was deleted is offered where the message was', async () => {
  const [, uid] = await aSaved('Deleted later')
  const at = `${path}${uid}/`
  const second = await press(at, await pageAt(at), { subject: 'Typed in time', intent: 'next' })
  await press(`${at}delete/`, await pageAt(`${at}delete/`), { confirmation: 'DELETE' })
  const offered = await pageAt(second.to)
  expect(offered).toContain('It was deleted before you saved.')
  const anew = await press(at, offered, { intent: 'go-on' })
  expect(fieldsOf(anew.page)).toMatchObject({ subject: 'Typed in time', copyOf: uid })
  const twice = await press(at, offered, { intent: 'go-on' })
  expect(fieldsOf(twice.page).uid).toBe(fieldsOf(anew.page).uid)
  expect((await admin.send({ path: at })).status, 'nothing is left to offer').toBe(404)
  const [, other] = await aSaved('Discarded later')
  const there = `${path}${other}/`
  await press(there, await pageAt(there), { subject: 'Typed in vain', intent: 'next' })
  await press(`${there}delete/`, await pageAt(`${there}delete/`), { confirmation: 'DELETE' })
  const discarded = await press(there, await pageAt(there), { intent: 'discard-draft' })
  expect(discarded.to).toBe(path)
  expect((await admin.send({ path: there })).status).toBe(404)
})

test('two presses of Send on a saved message with a new choice of people send it once, and neither says that it is unsent', async () => {
  const [, uid] = await aSaved('Pressed twice')
  const at = `${path}${uid}/`
  const second = await press(at, await pageAt(at), { intent: 'next' })
  const chosen = await choose(second.page)
  const review = await press(chosen.to, chosen.page, { intent: 'next' })
  const presses = Array.from({ length: 4 }, () => press(review.to, review.page, { intent: 'send' }))
  for (const { to, page } of await Promise.all(presses)) {
    expect(to).not.toContain('/new/')
    expect(page).toContain('Pressed twice')
    expect(page).not.toContain('What you typed is here as a new message')
  }
  expect((await inboxOf(learner)).match(/Pressed twice/g)).toHaveLength(1)
})

test('C-067 the story of a recipient and the file of all of them, and neither for others', async () => {
  const at = `${path}${sent[0]}/recipients/`
  expect(await pageAt(at)).toContain(`${at}${learnerUid}/`)
  const story = await pageAt(`${at}${learnerUid}/`)
  for (const text of ['Grace Hopper', 'On the dashboard', 'All recipients']) expect(story).toContain(text)
  const file = await admin.send({ path: `${at}export/` })
  expect([file.status, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(file.text).toContain('Grace Hopper')
  for (const other of [`${at}nonsense/`, `${at}${sent[0]}/`, `${path}${nsUid}/recipients/export/`]) {
    expect((await admin.send({ path: other })).status, other).toBe(404)
  }
  for (const own of [`${at}${learnerUid}/`, `${at}export/`]) {
    expect((await author.send({ path: own })).status, own).toBe(403)
  }
})

test('a late message is decided on from the list and in its dialog; a second press changes nothing', async () => {
  const list = await pageAt(path)
  expect(list).toContain('Late: waiting for your decision')
  expect(list).toContain(`${path}${late}/late/`)
  const dialog = await pageAt(`${path}${late}/`)
  expect(dialog).toContain('Keep as a draft')
  expect(dialog, 'which would send what is saved, not what is typed').not.toContain('Send now')
  const asked = await pageAt(`${path}${late}/late/`)
  expect(asked).toContain('This message was not to be sent after')
  expect((await author.send({ path: `${path}${late}/late/` })).status).toBe(403)
  expect(asked, 'it is sent only from its review').toContain(`href="${path}${late}/?step=review"`)
  expect(await pageAt(`${path}${late}/?step=review`)).toMatch(/value="now"[^>]*checked|checked[^>]*value="now"/)
  // An old page does not cancel what was decided since.
  const { shownTimes } = fieldsOf(asked)
  const other = { csrf: tokenIn(asked), change: 'keep-late', shownTimes: `${shownTimes}0` }
  expect((await admin.post(`${path}${late}/sending/`, other)).status).toBe(302)
  const unschedule = (browser: typeof admin, uid: string) =>
    browser.post(`${path}${uid}/`, { csrf: tokenIn(asked), intent: 'unschedule' })
  expect([(await unschedule(author, late)).status, (await unschedule(admin, nsUid)).status]).toEqual([403, 404])
  expect(await pageAt(path)).toContain('Late: waiting for your decision')
  for (let time = 1; time <= 2; time++) {
    const kept = await admin.post(`${path}${late}/sending/`, { ...other, shownTimes: shownTimes ?? '' })
    expect(kept.status).toBe(302)
  }
  const pressHere = async (changes: Record<string, string>) =>
    press(`${path}${late}/`, await pageAt(`${path}${late}/`), changes)
  const again = await pressHere({ intent: 'unschedule' })
  expect(again.page, 'it is a draft already').toContain('The schedule has been canceled.')
  expect(again.page, 'nothing was typed').not.toContain('You have unsaved changes')
  await pressHere({ text: 'For another day', intent: 'next' })
  const offered = await pressHere({ intent: 'unschedule' })
  expect(offered.page, 'what the page offered stays').toContain('You have unsaved changes')
  expect((await admin.send({ path: `${path}${late}/late/` })).status).toBe(302)
  expect(await pageAt(path)).not.toContain('Late: waiting for your decision')
})

test('mails in doubt are sent again after a question, once', async () => {
  const at = `${path}${doubtful}/`
  expect(await pageAt(at)).toContain('One email is')
  const asked = await pageAt(`${at}resend/`)
  expect(asked).toContain('people may get the message twice')
  expect((await author.send({ path: `${at}resend/` })).status).toBe(403)
  expect((await press(`${at}resend/`, asked, {})).page).toContain('One email is being sent again.')
  expect((await press(`${at}resend/`, asked, {})).page).toContain('Nothing is in doubt anymore.')
})

/** Presses the button of another page that begins a message. */
async function begin(at: string, fields: Record<string, string>, browser = admin) {
  const action = `${path}choices/begin/new/message/`
  if (browser === admin && at !== path) expect(await pageAt(at)).toContain(`action="${action}"`)
  const csrf = await browser.token('/change-password/')
  const { headers, status } = await browser.post(action, { csrf, ...fields }, { referer: `http://localhost${at}` })
  return { status, place: String(headers.location ?? '') }
}

test('an audience and the people whom the table of users finds are written to, and a save in step 1 keeps them', async () => {
  const texts = { name: 'To all', subject: 'News', text: 'Hello' }
  const toAudience = await begin(`/dashboard/audiences/${audienceUid}/people/`, {
    choose: 'audience',
    audience: audienceUid,
  })
  const first = await pageAt(toAudience.place)
  expect(first).toContain('Step 1 of 3')
  expect(first).toContain('One person gets this message.')
  const second = await press(toAudience.place, first, { ...texts, intent: 'next' })
  expect(second.page).toContain('Everybody who learns')
  expect(second.page).toContain('Audience, 1 people now')

  const found = '/dashboard/users/?search=hopper'
  const toFound = await begin(found, { choose: 'users', users: '?search=hopper' })
  expect(toFound.place).not.toBe(toAudience.place)
  const shown = await pageAt(toFound.place)
  expect(shown).toContain('One person gets this message.')
  await press(toFound.place, shown, { ...texts, name: 'To Grace', intent: 'save' })
  expect(await pageAt(`${path}${fieldsOf(shown).uid}/?step=recipients`)).toContain('Recipients (1)')
})

test('C-151 the history of a message shows what was saved, and brings an earlier text back', async () => {
  const [, uid] = await aSaved('Changed')
  const edit = `${path}${uid}/`
  const form = await pageAt(edit)
  expect(form).toContain(`href="${edit}history/"`)
  await press(edit, form, { subject: 'Sooner', intent: 'save' })
  expect(await pageAt(`${edit}history/`)).toContain(`href="${edit}history/0/"`)
  const asked = await pageAt(`${edit}history/0/`)
  const restored = await press(`${edit}history/0/`, asked, {})
  expect(restored.page).toContain('The earlier revision of “Changed” has been restored.')
  expect(fieldsOf(await pageAt(edit))).toMatchObject({ subject: 'Changed' })
  expect((await author.send({ path: `${edit}history/` })).status).toBe(403)
  expect(await pageAt(`${path}${sent[0]}/`)).toContain(`href="${path}${sent[0]}/history/"`)
  expect((await admin.send({ path: `${path}${nsUid}/history/` })).status).toBe(404)
})

test('nobody is late, found by nothing or in an audience of the other site, and only admins write to people', async () => {
  const nobody: Record<string, string>[] = [
    { choose: 'users', users: '?filter=due-late' },
    { choose: 'users', users: '?search=%00' },
    { choose: 'audience', audience: nsAudienceUid },
  ]
  for (const fields of nobody) {
    expect(await pageAt((await begin(path, fields)).place)).toContain('Nobody has been found for this message.')
  }
  expect(await pageAt('/dashboard/users/')).not.toContain('Write to everybody found')
  for (const browser of [author, learner]) {
    expect((await begin(path, { choose: 'users', users: '' }, browser)).status).toBe(403)
  }
})

test('C-045 the selected rows of the table of users are written to, also more than a form has fields', async () => {
  const users = await pageAt('/dashboard/users/')
  expect(users).toContain(`formaction="${path}choices/begin/new/message/"`)
  expect(await pageAt('/dashboard/users/?tab=admins')).toContain('Write to selected')
  for (const at of ['/dashboard/users/', '/dashboard/users/?tab=admins&search=a']) {
    expect((await begin(at, { choose: 'add' })).place, 'nobody is selected').toBe(at)
  }
  const many = Array.from({ length: 1200 }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`)
  const to = await begin('/dashboard/users/', { choose: 'add', uid: [learnerUid, ...many].join(' ') })
  expect(await pageAt(to.place)).toContain('One person gets this message.')
  expect(to.place.length).toBeLessThan(200)
})

test('C-057 a filter that the list does not know is refused, and nobody is written to or assigned anything', async () => {
  const refusal = 'The list has a filter that is not known here'
  for (const users of [
    '?filter=later-1',
    '?search=hopper&filter=later-1',
    '?filter=status-',
    '?tab=pending&filter=due-late',
  ]) {
    const to = await begin(path, { choose: 'users', users })
    const page = await pageAt(to.place)
    expect(page, users).toContain(refusal)
    expect(page, users).not.toContain('gets this message.')
  }
  expect(await pageAt((await begin(path, { choose: 'users', users: '?tab=later' })).place)).toContain(
    'The list is not known here.',
  )
  for (const users of [
    '',
    'xxx',
    '?tab=admins',
    '?serach=hopper',
    '?search=&search=hopper',
    '?search=+',
    '?search=%E2%80%8B',
  ]) {
    const page = await pageAt((await begin(path, { choose: 'users', users })).place)
    expect(page, users).toContain('Search or choose a filter in the table of users first.')
    expect(page, users).not.toMatch(/gets? this message\./)
  }
  const csrf = await admin.token('/change-password/')
  const assign = await admin.post('/dashboard/users/assign/?filter=later-1', { csrf, found: '1' })
  expect([assign.status, assign.text.includes(refusal)]).toEqual([400, true])
  expect((await admin.send({ path: '/dashboard/users-rows/learners/?uids=1&filter=later-1' })).status).toBe(404)
})
