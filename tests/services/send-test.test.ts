/** A message as an email before it is sent: the preview, and the test in one's own mailbox. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { previewAsEmail } from '~/services/announcements/preview-message.server.ts'
import { sendTestMessage, sendTestToSelf } from '~/services/announcements/send-test.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, Unavailable } from '~/services/errors.ts'
import { addSuppression } from '~/services/mail/suppressions.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { verifyDkim, whileSigned } from '../support/dkim.ts'
import { takeJobs } from '../support/jobs.ts'
import { aDraft, sendOut } from '../support/messages.ts'
import { startSmtp } from '../support/smtp.ts'
import { db, expectGuarded, ctx as system } from '../support/test.ts'
import { ownStorage, upload } from '../support/uploads.ts'

ownStorage()
let smtp: Awaited<ReturnType<typeof startSmtp>>
let admin: Ctx
beforeAll(async () => {
  smtp = await startSmtp()
})
afterAll(() => smtp.close())
beforeEach(async () => {
  smtp.received.length = 0
  await takeJobs(db, 'send-test-message')
  admin = await anAdmin('Ines <b>')
})

async function anAdmin(firstName: string): Promise<Ctx> {
  return aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null, firstName, lastName: 'Moreau' }) })
}

const words = {
  subject: 'News for {{first name}}',
  text: 'Hello {{first name}} of {{institution}}, read [this](https://a.example/x).\n\n![A dose](/images/a.webp)',
  from: 'The Titrate team',
}
const input = (changes = {}) => ({ requestUid: randomUUID(), ...words, attachment: '', ...changes })

async function runJobs(): Promise<void> {
  for (const job of await takeJobs(db, 'send-test-message')) await sendTestMessage(system, job)
}
const withoutToken = (mail = '') => mail.replace(/\/u\/[0-9a-f-]{36}/g, '/u/TOKEN')

test('C-153 a test goes to oneself with one’s own values and the attachment, and counts nowhere', async () => {
  const file = await upload(admin, 'attachment', 'doses.txt', 'Two a day')
  const test = input({ attachment: file.name })
  expect(await sendTestToSelf(admin, test)).toEqual({ address: admin.viewer?.email })
  await runJobs()
  const [mail] = smtp.received
  expect([mail?.to, mail?.headers.get('subject')]).toEqual([[admin.viewer?.email], '[Test] News for Ines <b>'])
  // The last part of plain text that the parser finds is the file.
  expect([mail?.text, mail?.raw.includes('filename=doses.txt')]).toEqual(['Two a day', true])
  const { rows } = await sql<{ kind: string; state: string; announcement_id: number | null }>`
    select kind, state, announcement_id from mails where source = ${`test:${test.requestUid}`}`.execute(db)
  expect(rows).toEqual([{ kind: 'test', state: 'accepted', announcement_id: null }])
  const { rows: kept } = await sql`select from form_drafts where user_id = ${admin.viewer?.id}`.execute(db)
  expect(kept).toHaveLength(0)
})

test('C-153 a test that has arrived is signed, and a MIME parser reads both of its parts and how to unsubscribe', async () => {
  await whileSigned(async () => {
    await sendTestToSelf(
      admin,
      input({ text: `# Doses\n\n.hidden dot\n\n**Two** a day, says [Ada](https://a.example/x).` }),
    )
    await runJobs()
  })
  const [mail] = smtp.received
  const source = Buffer.from(mail?.raw ?? '')
  const { results } = await verifyDkim(source)
  expect(results.map(({ status }) => [status.result, status.aligned])).toEqual([['pass', 'titrate.example']])
  const parsed = await PostalMime.parse(source)
  expect(parsed.subject).toBe('[Test] News for Ines <b>')
  expect(parsed.from).toMatchObject({ name: 'The Titrate team' })
  expect(parsed.html).toContain('<strong>Two</strong> a day')
  expect(parsed.html).toMatch(/<h2 style="[^"]*">Doses/)
  const lines = (parsed.text ?? '').split(/\r?\n/)
  expect(lines).toContain('.hidden dot')
  expect(lines.join(' ')).toContain('Two a day, says Ada')
  expect(parsed.text).toContain('https://a.example/x')
  expect(parsed.text).not.toMatch(/<[a-z]|&[a-z]+;|\*\*/)
  const header = (key: string) => parsed.headers.find((one) => one.key === key)?.value
  const [, unsubscribeUrl = ''] =
    /^<(https?:\/\/[^>]*\/u\/[0-9a-f-]{36}\/?)>$/.exec(header('list-unsubscribe') ?? '') ?? []
  expect(unsubscribeUrl).not.toBe('')
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  for (const part of [parsed.text, parsed.html]) expect(part).toContain(unsubscribeUrl)
  expect(header('dkim-signature')).toMatch(/h=[^;]*list-unsubscribe:list-unsubscribe-post/i)
})

test('C-038 the preview is what the sender sends, without what counts', async () => {
  const preview = await previewAsEmail(admin, words)
  expect(preview.text).toContain('Hello Ines <b> of')
  expect(preview.html).toContain('Hello Ines &lt;b&gt; of')
  expect(preview.html).not.toMatch(/\/e\/|\{\{/)
  await sendTestToSelf(admin, input())
  await runJobs()
  const [mail] = smtp.received
  const untested = (text = '') => withoutToken(text).replaceAll('[Test] ', '').trim()
  expect(untested(preview.html)).toBe(untested(mail?.html))
  expect(untested(preview.text)).toBe(untested(mail?.text))
  expect(preview.subject).toBe('News for Ines <b>')

  const reader = await aUser(db, { firstName: 'Ines <b>', lastName: 'Moreau' })
  await sql`update users set opted_out_of_tracking = true where id = ${reader.id}`.execute(db)
  await sendOut(admin, await aDraft(admin, { ...words, to: [reader] }))
  const sent = smtp.received.find(({ to }) => to[0] === reader.email)
  expect(untested(preview.html)).toBe(untested(sent?.html))
  await expectGuarded(previewAsEmail, words, { by: ['admins'], elsewhere: null })
})

test('C-153 a double click sends one test, and a job that runs again sends none', async () => {
  const test = input()
  await Promise.all(Array.from({ length: 10 }, () => sendTestToSelf(admin, test)))
  await runJobs()
  await sendTestMessage(system, { userUid: admin.viewer?.uid ?? '', requestUid: test.requestUid })
  await sendTestToSelf(admin, test)
  await runJobs()
  expect(smtp.received).toHaveLength(1)
  await sendTestToSelf(admin, input({ subject: 'Better news' }))
  await runJobs()
  expect(smtp.received.map(({ headers }) => headers.get('subject'))).toContain('[Test] Better news')
})

test('C-153 a test is for admins of the site, and for whoever is one when it is sent', async () => {
  await expectGuarded(sendTestToSelf, input(), { by: ['admins'], elsewhere: null })
  await sendTestToSelf(admin, input())
  await sql`delete from user_groups where user_id = ${admin.viewer?.id}`.execute(db)
  await runJobs()
  expect(smtp.received.filter(({ to }) => to[0] === admin.viewer?.email)).toEqual([])
  const viewing = { ...admin, viewAs: { admin: admin.viewer, expiresAt: new Date() } } as Ctx
  await expect(sendTestToSelf(viewing, input())).rejects.toThrow(Forbidden)
})

test('C-153 what is missing or no placeholder is told, and a file of the other site is not there', async () => {
  await expect(sendTestToSelf(admin, input({ subject: ' ', text: '' }))).rejects.toMatchObject({
    fieldErrors: { subject: 'Subject is required', text: 'Message text is required' },
  })
  await expect(sendTestToSelf(admin, input({ text: 'Hello {{name}}' }))).rejects.toMatchObject({
    fieldErrors: { text: expect.stringContaining('{{name}} is not a placeholder') },
  })
  const abroad = await aContext(db, {
    site: 'ns',
    viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
  })
  const theirs = await upload(abroad, 'attachment', 'theirs.txt', 'Theirs')
  await expect(sendTestToSelf(admin, input({ attachment: theirs.name }))).rejects.toThrow(Invalid)
  await runJobs()
  expect(smtp.received).toEqual([])
})

test('C-153 a suppressed address and more than thirty tests an hour are refused', async () => {
  await addSuppression(admin, { email: admin.viewer?.email ?? '' })
  await expect(sendTestToSelf(admin, input())).rejects.toThrow(Conflict)
  const busy = await anAdmin('Bo')
  for (let count = 0; count < 30; count += 1) await sendTestToSelf(busy, input())
  await expect(sendTestToSelf(busy, input())).rejects.toThrow(Unavailable)
  await sendTestToSelf({ ...busy, now: new Date(busy.now.getTime() + 3_700_000) }, input())
  const other = await anAdmin('Cy')
  const twice = input()
  await Promise.all(Array.from({ length: 40 }, () => sendTestToSelf(other, twice)))
  for (let count = 1; count < 30; count += 1) await sendTestToSelf(other, input())
  const refused = input()
  for (let time = 1; time <= 2; time += 1) await expect(sendTestToSelf(other, refused)).rejects.toThrow(Unavailable)
})
