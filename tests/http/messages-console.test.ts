/** Manage Messages with plain forms, as without JavaScript. */
import { beforeAll, expect, test } from 'vitest'
import { anAnnouncement } from '../support/announcements.ts'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, tokenIn } from '../support/http.ts'
import { fieldsOf, press as pressIn, readPage } from '../support/plain-forms.ts'

let admin: Browser
let author: Browser
let learner: Browser
let learnerUid: string
let nsUid: string
let sent: string[]
const path = '/dashboard/messages/'

beforeAll(async () => {
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'], firstName: 'Ines', lastName: 'Moreau' })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    const viewer = await aUser(db, { email: 'learner@titrate.example', firstName: 'Grace', lastName: 'Hopper' })
    learnerUid = viewer.uid
    sent = []
    for (const subject of ['First news', 'Second news']) sent.push(await anAnnouncement(db, [viewer], { subject }))
    const away = await aUser(db, { site: 'ns', groups: ['admins'] })
    nsUid = await anAnnouncement(db, [away], { subject: 'Theirs' })
    await close()
  })
  ;[admin, author, learner] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  await admin.signIn('admin@titrate.example')
  await author.signIn('author@titrate.example')
  await learner.signIn('learner@titrate.example')
})

const pageAt = (at: string, browser = admin) => readPage(browser, at)
const press = (at: string, page: string, changes: Record<string, string>) => pressIn(admin, at, page, changes)

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
  expect(review.page).toContain('Send to 1 recipients')
  const done = await press(review.to, review.page, { intent: 'send' })
  expect(done.page).toContain('Message &quot;Welcome&quot; has been sent.')
  expect(await pageAt('/my-learning/my-messages/', learner)).toContain('Hello Grace')
})

test('C-155 a save needs no recipients; a saved message is edited, and removed', async () => {
  const at = `${path}new/`
  const saved = await press(at, await pageAt(at), { name: 'Later', subject: 'Soon', text: 'Text', intent: 'save' })
  expect(saved.page).toContain('Message &quot;Later&quot; has been created.')
  const [link = ''] = /<a [^>]*title="Later"[^>]*>/.exec(saved.page) ?? []
  const [edit = ''] = /\/dashboard\/messages\/[0-9a-f-]{36}\//.exec(link) ?? []
  const form = await pageAt(edit)
  expect(fieldsOf(form)).toMatchObject({ name: 'Later', subject: 'Soon' })
  const updated = await press(edit, form, { subject: 'Sooner', intent: 'save' })
  expect(updated.page).toContain('Message has been updated.')
  const asked = await pageAt(`${edit}delete/`)
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
  for (const text of ['Message Comparison', 'First news', 'Second news', 'EMAIL', 'LEARNER DASHBOARD', 'N/A']) {
    expect(page).toContain(text)
  }
  expect((await admin.send({ path: `${path}compare/?uid=${sent[0]}&uid=${nsUid}` })).status).toBe(404)
})

test('C-021 C-059 C-060 C-061 C-063 C-074 C-151 a sent message is shown read-only in two tabs, one of the other site is not there, and authors have no access', async () => {
  const page = await pageAt(`${path}${sent[0]}/`)
  for (const text of ['First news', 'Back to Messages', 'Duplicate', 'Created by', 'Sent on', 'Unread', 'N/A']) {
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
