/** Prepared files with plain requests, as without JavaScript: the question, the list, the file and who gets it. */
import { randomUUID } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { longReport } from '~/forms/report-files.ts'
import { createAccessToken } from '~/services/accounts/access-tokens.server.ts'
import type { Viewer } from '~/services/context.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { aContext, aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'
import { press, readPage } from '../support/plain-forms.ts'

let server: TestServer
let db: Database
let admin: Browser
let colleague: Browser
let author: Browser
let nsAdmin: Browser
let ana: Viewer

const files = '/dashboard/reports/files/'
const long = '/api/reports/search_terms/?period=this_year'
const prepare = '/dashboard/reports/search-terms/prepare/?period=this_year'
const html = { accept: 'text/html,*/*' }

beforeAll(async () => {
  server = await startServer({ REPORT_DOWNLOAD_ROWS: '50' }, async (url) => {
    const opened = await openTestDatabase(url)
    ana = await aUser(opened.db, { email: 'admin@titrate.example', groups: ['admins'], firstName: 'Ana' })
    await aUser(opened.db, { email: 'otto@titrate.example', groups: ['admins'] })
    await aUser(opened.db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(opened.db, { email: 'admin@ns.example', groups: ['admins'], site: 'ns', plan: null })
    await sql`
      insert into search_queries (site_id, at, query, type, results)
      select id, now(), '=term ' || n, 'all', 1 from sites, generate_series(1, 200) n where key = 'institutional'`.execute(
      opened.db,
    )
    await sql`analyze search_queries`.execute(opened.db)
    await opened.close()
  })
  ;({ db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 2 }))
  ;[admin, colleague, author] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  nsAdmin = aBrowser(server, { host: server.host().replace('localhost', 'ns.localhost') })
  await admin.signIn('admin@titrate.example')
  await colleague.signIn('otto@titrate.example')
  await author.signIn('author@titrate.example')
  await nsAdmin.signIn('admin@ns.example')
  return () => db.destroy()
})

async function aToken(): Promise<string> {
  const ctx = await aContext(db, { viewer: ana })
  const own = { ...ctx, session: { ...ctx.session, uid: randomUUID() } }
  const values = { name: 'Test', scope: 'read' as const, days: '30', currentPassword: testPassword }
  return (await createAccessToken(own, { uid: randomUUID(), ...values })).token
}

test('C-239 a browser is led to the question for a long report, and programs get the report at once', async () => {
  const asked = await admin.send({ path: long, headers: html })
  expect([asked.status, asked.headers.location]).toEqual([302, prepare])
  const withToken = { ...html, authorization: `Bearer ${await aToken()}` }
  const atOnce = [
    await admin.send({ path: long }),
    await admin.send({ path: `${long}&raw=1` }),
    await server.send({ path: long, headers: withToken }),
    await admin.send({ path: '/api/reports/videos/?period=7days', headers: html }),
  ]
  expect(atOnce.map(({ status, headers }) => [status, headers['content-type']])).toEqual(
    atOnce.map(() => [200, 'text/csv; charset=utf-8']),
  )
  expect((await author.send({ path: long, headers: html })).status).toBe(403)
  const doubled = await admin.send({ path: `${prepare}&period=all_time` })
  expect([doubled.status, doubled.headers.location]).toEqual([
    302,
    `${prepare.replace('prepare/', '')}&period=all_time`,
  ])
  const shown = await readPage(admin, '/dashboard/reports/search-terms/?period=this_year')
  expect(shown, 'the page has counted the rows').toContain(`href="${prepare}"`)
  expect(shown).toContain('Prepare file…')
  expect(shown).not.toContain('Download CSV')
  expect(await readPage(admin, '/dashboard/reports/accounts/?period=this_year&fields=email')).toContain(
    'href="/api/reports/users/?',
  )
})

test('an admin asks for a file, gets a mail, downloads the file and deletes it', async () => {
  expect(await readPage(admin, files)).toContain('There are no prepared files')
  const question = await readPage(admin, prepare)
  expect(question).toContain('The file has 200 rows.')
  const first = await press(admin, prepare, question, {})
  expect(first.to).toBe(files)
  expect(first.page).toContain(longReport)
  expect((await press(admin, prepare, question, {})).page, 'a double click').toContain('already asked for this file')
  const address = () => readPage(admin, files).then((page) => /href="(\/api\/reports\/files\/[^"]+)"/.exec(page)?.[1])
  await expect.poll(address, { timeout: 20_000 }).toBeDefined()
  const path = (await address()) ?? ''
  const page = await readPage(admin, files)
  expect(page).toContain('Search terms, This Year')
  expect(page).toMatch(/>200 rows<[\s\S]*? KB<[\s\S]*?>Ready<[\s\S]*?Until /)
  expect(page, 'nothing changes any more').not.toContain('Refresh')

  const direct = await admin.send({ path: long })
  const file = await admin.send({ path, headers: html })
  expect([file.status, file.text]).toEqual([200, direct.text])
  expect(parse(file.text, { bom: true })).toHaveLength(201)
  for (const name of ['content-type', 'content-disposition', 'cache-control', 'x-content-type-options']) {
    expect(file.headers[name], name).toBe(direct.headers[name])
  }
  const head = await admin.send({ method: 'HEAD', path })
  expect([head.status, head.headers['content-length']]).toEqual([200, String(Buffer.byteLength(direct.text))])
  const states = () => sql`select kind, state from mails where source like 'report-file:%'`.execute(db)
  await expect
    .poll(async () => (await states()).rows, { timeout: 20_000 })
    .toEqual([{ kind: 'report', state: 'accepted' }])

  expect((await colleague.send({ path })).status, 'another admin').toBe(404)
  expect((await nsAdmin.send({ path })).status, 'of the other site').toBe(404)
  expect((await author.send({ path })).status).toBe(403)
  expect((await server.send({ path })).status).toBe(401)
  const visitor = await server.send({ path, headers: html })
  expect([visitor.status, visitor.headers.location]).toEqual([302, `/login/?next=${encodeURIComponent(path)}`])
  expect((await admin.send({ path: '/api/reports/files/nothing/' })).status).toBe(404)
  expect((await admin.post(path, {})).status).toBe(405)

  const remove = /\/dashboard\/reports\/files\/[0-9a-f-]{36}\/delete\//.exec(page)?.[0] ?? ''
  expect((await colleague.send({ path: remove })).status).toBe(404)
  const confirm = await readPage(admin, remove)
  const deleted = await press(admin, remove, confirm, {})
  expect([deleted.to, deleted.page.includes('The file has been deleted.')]).toEqual([files, true])
  expect((await press(admin, remove, confirm, {})).page, 'twice').toContain('It has been removed already.')
  const gone = await admin.send({ path })
  expect([gone.status, gone.text]).toEqual([404, 'This file is no longer there. Prepare it again.\n'])
  const led = await admin.send({ path, headers: html })
  expect([led.status, led.headers.location]).toEqual([302, `${files}#file-${path.split('/').at(-2)}`])
  expect(await readPage(admin, files), 'a notice').toContain('This file is no longer there. Prepare it again.')
  expect(await readPage(admin, files), 'once').not.toContain('This file is no longer there.')
})

test('a file whose bytes are gone is not listed as ready, and can be prepared again', async () => {
  const uid = randomUUID()
  await sql`
    insert into report_files (uid, site_id, user_id, report, question, about, file_name, state, rows, bytes, storage_key,
      asked_at, ended_at, expires_at)
    select ${uid}, site_id, id, 'search_terms', '{"period": "this_year"}', '{}', 'a.csv', 'ready', 200, 5000, ${randomUUID()},
      now(), now(), now() + interval '7 days'
    from users where id = ${ana.id}`.execute(db)
  const path = `/api/reports/files/${uid}/`
  const page = await readPage(admin, files)
  expect(page).toMatch(/>Missing<[\s\S]*?This file is no longer there. Prepare it again./)
  expect(page).not.toContain(path)
  const again =
    /href="([^"]*)" *aria-label="Prepare again: Search terms, This Year"|aria-label="Prepare again: Search terms, This Year"[^>]*href="([^"]*)"/.exec(
      page,
    )
  expect(again?.[1] ?? again?.[2]).toBe(prepare)
  expect((await admin.send({ path })).status).toBe(404)
  const led = await admin.send({ path, headers: html })
  expect([led.status, led.headers.location]).toEqual([302, `${files}#file-${uid}`])
  const asked = await press(admin, prepare, await readPage(admin, prepare), {})
  expect(asked.page, 'the missing one is no answer').toContain(longReport)
  await sql`delete from report_files where uid = ${uid}`.execute(db)
})

test('a file in preparation shows its rows so far and can be canceled', async () => {
  const uid = randomUUID()
  await sql`
    insert into report_files (uid, site_id, user_id, report, question, about, file_name, state, rows, asked_at)
    select ${uid}, site_id, id, 'videos', '{"period": "all_time"}', '{<b>Film</b>}', 'a.csv', 'making', 1234567, now()
    from users where id = ${ana.id}`.execute(db)
  const page = await readPage(admin, files)
  expect(page).toMatch(/>1,234,567 rows so far<[\s\S]*?>In preparation</)
  expect(page).toContain('Videos, All Time, &lt;b&gt;Film&lt;/b&gt;')
  expect(page, 'without JavaScript').toMatch(/href="\/dashboard\/reports\/files\/"[^>]*>Refresh</)
  const early = await admin.send({ path: `/api/reports/files/${uid}/`, headers: html })
  expect([early.status, early.headers.location]).toEqual([302, `${files}#file-${uid}`])
  expect(await readPage(admin, files)).toContain('This file is not ready yet. We will email you when it is.')
  const cancel = `${files}${uid}/cancel/`
  const visit = await admin.send({ path: cancel })
  expect([visit.status, visit.headers.location]).toEqual([302, files])
  expect((await press(colleague, cancel, await readPage(colleague, '/dashboard/reports/'), {})).page).toContain(
    'Not found',
  )
  expect((await author.send({ path: files })).status).toBe(403)
  expect((await press(admin, cancel, page, {})).page).toContain('The preparation of the file has been canceled.')
  const again = await press(admin, cancel, page, {})
  expect(again.page).toMatch(/>Canceled</)
})
