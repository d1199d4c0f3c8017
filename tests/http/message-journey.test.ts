/** The journey of a message with plain forms, as without JavaScript: from its first words to a comparison of four. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'
import { manyPeople } from '../support/messages.ts'
import { press as pressIn, readPage } from '../support/plain-forms.ts'
import { startSmtp } from '../support/smtp.ts'

const path = '/dashboard/messages/'
const reader = 'grace@titrate.example'
let server: TestServer
let smtp: Awaited<ReturnType<typeof startSmtp>>
let admin: Browser
let learner: Browser
let audienceUid = ''
let earlier: string[] = []

beforeAll(async () => {
  smtp = await startSmtp()
  const settings = { SMTP_URL: smtp.url, MAIL_PER_SECOND: '60' }
  server = await startServer(settings, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const chief = await aUser(db, { email: 'admin@titrate.example', firstName: 'Ines', groups: ['admins'] })
    const grace = await aUser(db, { email: reader, firstName: 'Grace' })
    const people = { count: 40_000, firstName: 'Chosen', reader: grace }
    audienceUid = (await manyPeople(await aContext(db, { viewer: chief }), people)).audienceUid
    earlier = [
      await anAnnouncement(db, [grace], { subject: 'Older news' }),
      await anAnnouncement(db, [grace], { subject: 'Oldest news' }),
    ]
    await close()
  })
  ;[admin, learner] = [aBrowser(server), aBrowser(server)]
  await admin.signIn('admin@titrate.example')
  await learner.signIn(reader)
})
afterAll(() => smtp.close())

const pageAt = (at: string, browser = admin) => readPage(browser, at)
const press = (at: string, page: string, changes: Record<string, string>) => pressIn(admin, at, page, changes)

/** Changes the recipients in step 2, and returns its page. */
async function choose(page: string, search: string, fields: Record<string, string>) {
  const [, action = ''] = /action="([^"]*\/choices\/[^"]*)"/.exec(page) ?? []
  const [address = '', query = ''] = action.replaceAll('&amp;', '&').split('?')
  const params = new URLSearchParams(`${query}&${search}`)
  const { headers, status } = await admin.post(`${address}?${params}`, { csrf: tokenIn(page), ...fields })
  expect(status).toBe(302)
  const at = String(headers.location)
  return { at, page: await pageAt(at) }
}

function uidOf(page: string, name: string): string {
  const [link = ''] = new RegExp(`<a [^>]*title="${name}"[^>]*>`).exec(page) ?? []
  return /\/dashboard\/messages\/([0-9a-f-]{36})\//.exec(link)?.[1] ?? ''
}

async function turn(uid: string, change: string): Promise<string> {
  const csrf = tokenIn(await pageAt(`${path}${uid}/`))
  const { headers } = await admin.post(`${path}${uid}/sending/`, { csrf, change })
  return pageAt(String(headers.location))
}

const toPeople = () => smtp.received.filter(({ headers }) => headers.get('subject') === 'For everybody who teaches')

test('C-003 C-045 C-057 C-150 C-153 C-279 a message goes to 300 of 40,000, is stopped and resumed, read on both channels, and compared', async () => {
  // Written, and given recipients by a filter and an audience.
  const texts = { name: 'Teaching', subject: 'For everybody who teaches', text: 'Read [this](https://a.example/x).' }
  const at = `${path}new/`
  const second = await press(at, await pageAt(at), { ...texts, deliveryType: 'email', intent: 'next' })
  const found = await choose(second.page, 'people.search=chosen&people.filter=status-inactive', { choose: 'found' })
  expect(found.page).toContain('Recipients (200)')
  const chosen = await choose(found.page, '', { choose: 'audience', audience: audienceUid })
  expect(chosen.page).toContain('Recipients (300)')
  expect(chosen.page).toContain('200 chosen and 100 more by audience')

  // A test first. It has no recipients.
  const review = await press(chosen.at, chosen.page, { intent: 'next' })
  expect(review.page).toContain('Send to 300 recipients')
  const tested = await press(at, await pageAt(at), { ...texts, intent: 'test' })
  expect(tested.page).toContain('A test is on its way to admin@titrate.example.')
  await vi.waitFor(() => expect(smtp.received.map(({ to }) => to[0])).toEqual(['admin@titrate.example']), 30_000)

  // Scheduled, and taken back.
  const later = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  const planned = await press(review.to, review.page, { when: 'later', sendAt: later, intent: 'send' })
  expect(planned.page).toContain('Message &quot;Teaching&quot; has been scheduled.')
  const uid = uidOf(planned.page, 'Teaching')
  const dialogOf = () => pageAt(`${path}${uid}/`)
  const tooLong = await press(`${path}${uid}/`, await dialogOf(), { text: 'x'.repeat(900_001), intent: 'unschedule' })
  expect(tooLong.page, 'what cannot be kept cancels nothing').not.toContain('The schedule has been canceled.')
  expect(tooLong.page).toContain('This form is too long to keep as a draft.')
  expect(await dialogOf()).toContain('Cancel the schedule')
  const typed = await press(`${path}${uid}/`, await dialogOf(), { text: 'Typed', intent: 'unschedule' })
  expect(typed.page).toContain('The schedule has been canceled.')
  expect(typed.page, 'what was typed stays').toMatch(/<textarea[^>]*>\s*Typed<\/textarea>/)
  const untouched = await press(typed.to, typed.page, { text: texts.text, intent: 'next' })
  expect(untouched.page).toContain('Recipients (300)')
  expect((await press(untouched.to, untouched.page, { intent: 'next' })).page).toContain('Send to 300 recipients')
  expect(await pageAt(`${path}${uid}/`), 'what is as it was saved is no draft').not.toContain(
    'You have unsaved changes',
  )

  // Sent, stopped on its way, and resumed: everybody gets it once.
  const again = await pageAt(`${path}${uid}/?step=review`)
  expect(again).toContain('Send to 300 recipients')
  const sent = await press(`${path}${uid}/?step=review`, again, { when: 'now', intent: 'send' })
  expect(sent.page).toContain('is being sent')
  await vi.waitFor(() => expect(toPeople().length).toBeGreaterThan(10), 30_000)
  expect(await turn(uid, 'stop')).toContain('Sending has stopped.')
  await vi.waitFor(async () => expect(await pageAt(path)).toMatch(/Stopped at \d+ of 300/), 30_000)
  expect(toPeople().length).toBeLessThan(300)
  expect(await turn(uid, 'resume')).toContain('Sending has resumed.')
  await vi.waitFor(() => expect(toPeople()).toHaveLength(300), 60_000)
  expect(new Set(toPeople().map(({ to }) => to[0])).size).toBe(300)

  // Read by email, and ended with the button of the mail program: a POST without cookies or a token.
  const mail = toPeople().find(({ to }) => to[0] === reader)
  const link = /href="https?:\/\/[^/"]*(\/e\/[^"]*)"/.exec(mail?.html ?? '')?.[1] ?? ''
  const program = aBrowser(server)
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36' }
  expect((await program.send({ path: link, headers: browser })).headers.location).toBe('https://a.example/x')
  expect(mail?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const end = /^<https?:\/\/[^/]*(\/u\/[^>]*)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
  const ended = await program.send({
    method: 'POST',
    path: end,
    body: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
  })
  expect([ended.status, ended.headers['set-cookie']]).toEqual([200, undefined])

  // A copy for dashboards goes to the same people, also to who gets no more emails.
  const copyAt = `${path}new/?copy=${uid}`
  const copied = await press(copyAt, await pageAt(copyAt), { deliveryType: 'dashboard', intent: 'next' })
  const copyReview = await press(copied.to, copied.page, { intent: 'next' })
  expect(copyReview.page).toContain('Send to 300 recipients')
  const onDashboards = await press(copyReview.to, copyReview.page, { intent: 'send' })
  expect(onDashboards.page).toContain('Message &quot;Copy of Teaching&quot; has been sent.')
  const copyUid = uidOf(onDashboards.page, 'Copy of Teaching')
  const own = '/my-learning/my-messages/'
  expect(await pageAt(own, learner)).toContain('For everybody who teaches')
  expect(await pageAt(`${own}${copyUid}/`, learner)).toContain('Read <a')
  // C-004: a message that was mailed is not among those on the dashboard.
  expect((await learner.send({ path: `${own}${uid}/` })).status).toBe(404)

  // Four messages side by side.
  const csrf = tokenIn(await pageAt(path))
  const compared = await admin.post(`${path}compare/`, { csrf, uid: [uid, copyUid, ...earlier].join(' ') })
  const comparison = await pageAt(String(compared.headers.location))
  for (const name of ['Teaching', 'Copy of Teaching', 'Older news', 'Oldest news']) expect(comparison).toContain(name)
  const stats = await pageAt(`${path}${uid}/`)
  expect(stats).toContain('One person has unsubscribed with the link in the email.')
  expect((await admin.send({ path: `/api/reports/announcements/?uid=${uid}` })).text).toContain('Teaching')
})
