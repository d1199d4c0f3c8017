/** Mails and Suppressed Addresses with plain forms, as without JavaScript. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, tokenIn } from '../support/http.ts'
import { press as pressIn, readPage } from '../support/plain-forms.ts'

let admin: Browser
let author: Browser
let mailUid = ''
const suppressed = '/dashboard/suppressed/'

beforeAll(async () => {
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    const grace = await aUser(db, { email: 'grace@titrate.example', firstName: 'Grace', lastName: 'Hopper' })
    const { rows } = await sql<{ uid: string }>`
      insert into mails (site_id, kind, subject, state, response, user_id, name, address, address_key, attempts, tried_at,
        ended_at, returned_at)
      select site_id, 'message', 'News <b>', 'bounced', '550 <i>User unknown', id, 'Grace Hopper', email, email_key, 1,
        now(), now(), now() from users where id = ${grace.id} returning uid`.execute(db)
    mailUid = rows[0]?.uid ?? ''
    await close()
  })
  ;[admin, author] = [aBrowser(server), aBrowser(server)]
  await admin.signIn('admin@titrate.example')
  await author.signIn('author@titrate.example')
})

test('the ledger is filtered with a form, and a mail tells its story', async () => {
  const all = await readPage(admin, '/dashboard/mails/')
  expect(all).toContain('News &lt;b&gt;')
  expect(all).toContain('Grace Hopper, grace@titrate.example')
  expect(all).toContain('Came back')
  expect(await readPage(admin, '/dashboard/mails/?state=accepted&kind=message&address=grace')).toContain(
    'No emails found',
  )
  expect(await readPage(admin, '/dashboard/mails/?state=bounced&address=GRACE')).toContain('News &lt;b&gt;')
  const story = await readPage(admin, `/dashboard/mails/${mailUid}/`)
  for (const words of ['Prepared', 'Handed to the mail server', 'Came back', '550 &lt;i&gt;User unknown']) {
    expect(story).toContain(words)
  }
  for (const path of ['/dashboard/mails/', `/dashboard/mails/${mailUid}/`, `${suppressed}new/`]) {
    expect((await author.send({ path })).status, path).toBe(403)
  }
  expect((await admin.send({ path: '/dashboard/mails/nonsense/' })).status).toBe(404)
})

test('an address is added, released and suppressed again', async () => {
  const at = `${suppressed}new/`
  const refused = await pressIn(admin, at, await readPage(admin, at), { email: 'nobody', intent: 'add' })
  expect(refused.status).toBe(400)
  expect(refused.page).toContain('value="nobody"')
  const added = await pressIn(admin, at, refused.page, { email: 'Eve@x.example', intent: 'add' })
  expect(added.page).toContain('eve@x.example gets no mail from now on.')
  const [, release = ''] = /href="(\/dashboard\/suppressed\/[^"]*\/release\/)"/.exec(added.page) ?? []
  expect((await author.post(release, { csrf: tokenIn(added.page) })).status).toBe(403)
  const released = await pressIn(admin, release, await readPage(admin, release), { intent: 'confirm' })
  expect(released.page).toContain('eve@x.example gets mail again.')
  expect(released.page).toContain('No suppressed addresses')
  const [, undo = ''] = /action="(\/dashboard\/suppressed\/removed\/[^"]*)"/.exec(released.page) ?? []
  await admin.post(undo, { csrf: tokenIn(released.page) })
  const again = await readPage(admin, suppressed)
  expect(again).toContain('eve@x.example is suppressed again.')
  expect(again).toContain('Added by an admin')
})
