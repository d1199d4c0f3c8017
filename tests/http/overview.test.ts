/** The overview for staff over HTTP: who sees what of it, and that everything on it leads somewhere. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'
import { aDraft } from '../support/messages.ts'

let server: TestServer
let admin: Browser
let author: Browser
let learner: Browser

const hostile = '<script>alert(1)</script>'

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    const viewer = await aUser(db, { email: 'learner@titrate.example' })
    const ctx = await aContext(db, { viewer })
    const module = await aModule(ctx, { name: `Module ${hostile}`, units: [{ moveOn: 'Passed', masteryScore: 0.6 }] })
    await visit(ctx, { moduleVersionUid: module.versionUid }, ['failed', { score: { scaled: 0.2 } }])
    await sql`
      insert into search_queries (site_id, user_id, at, query, type, results)
      values (${ctx.site.id}, ${viewer.id}, now(), ${hostile}, 'all', 0)`.execute(db)
    const { id } = await aDraft(ctx, { subject: `Message ${hostile}` })
    await sql`
      update announcements set sending = 'scheduled', send_at = now() + interval '1 day' where id = ${id}`.execute(db)
    await close()
  })
  ;[admin, author, learner] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  await admin.signIn('admin@titrate.example')
  await author.signIn('author@titrate.example')
  await learner.signIn('learner@titrate.example')
})

const path = '/dashboard/overview/'
const headings = (page: string) => [...page.matchAll(/<h2[^>]*>([^<]*)<\/h2>/g)].map(([, text]) => text)
const content = (page: string) => /<main[^>]*>(.*)<\/main>/s.exec(page)?.[1] ?? ''

test('admins see all of it, as text, and everything leads to a page', async () => {
  const { status, text } = await admin.send({ path })
  expect(status).toBe(200)
  const main = content(text)
  expect(headings(main)).toEqual([
    'The last seven days',
    'Who needs you',
    'Modules that learners are failing',
    'Messages going out',
    'Searches without results',
  ])
  expect(main).not.toContain(hostile)
  expect(main.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThanOrEqual(3)
  const links = [...main.matchAll(/href="(\/dashboard\/(?!overview)[^"]*)"/g)].map(([, to = '']) => to)
  expect(links.length).toBeGreaterThanOrEqual(15)
  for (const to of new Set(links)) {
    expect((await admin.send({ path: to.replaceAll('&amp;', '&') })).status, to).toBe(200)
  }
})

test('C-013 authors see the modules, and a learner gets the Access Error', async () => {
  const { status, text } = await author.send({ path })
  expect(status).toBe(200)
  expect(headings(content(text))).toEqual(['Modules that learners are failing'])
  expect(content(text)).not.toContain('/dashboard/reports/')
  const refused = await learner.send({ path })
  expect([refused.status, refused.text.includes('Searches without results')]).toEqual([403, false])
  expect(refused.text).toContain('You are not currently logged in under an admin account')
  const out = await aBrowser(server).send({ path })
  expect([out.status, out.headers.location]).toEqual([302, expect.stringContaining('/login/')])
})
