/** Reports over HTTP: the page with its tabs, and the files for browsers and for programs. */
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reports } from '~/forms/report-list.ts'
import { createAccessToken } from '~/services/accounts/access-tokens.server.ts'
import type { Viewer } from '~/services/context.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { aContext, aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { aBrowser, type Browser, type Reply, startServer, type TestServer } from '../support/http.ts'

let server: TestServer
let db: Database
let admin: Browser
let learner: Browser
const tokens: Record<string, string> = {}

async function aToken(viewer: Viewer): Promise<string> {
  const ctx = await aContext(db, { viewer })
  const own = { ...ctx, session: { ...ctx.session, uid: randomUUID() } }
  const values = { name: 'Test', scope: 'read' as const, days: '30', currentPassword: testPassword }
  return (await createAccessToken(own, { uid: randomUUID(), ...values })).token
}

beforeAll(async () => {
  const people: Record<string, Viewer> = {}
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    people.admin = await aUser(db, { email: 'admin@titrate.example', groups: ['admins'], firstName: '=Zoe' })
    people.author = await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    people.learner = await aUser(db, { email: 'learner@titrate.example' })
    people.ns = await aUser(db, { email: 'admin@ns.example', groups: ['admins'], site: 'ns', plan: null })
    await close()
  })
  ;({ db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 2 }))
  for (const name of ['admin', 'author', 'learner']) tokens[name] = await aToken(people[name] as Viewer)
  ;[admin, learner] = [aBrowser(server), aBrowser(server)]
  await admin.signIn('admin@titrate.example')
  await learner.signIn('learner@titrate.example')
})
afterAll(() => db.destroy())

const shared = 'period=this_year&interval=weekly&aggregate_by=Group'
/** Only the report about users has columns to choose. */
const questionOf = ({ path }: { path: string }) => (path === 'users' ? `${shared}&fields=first_name,email` : shared)
const withToken = (name: string) => ({ headers: { authorization: `Bearer ${tokens[name]}` } })

test('C-237 to C-248 every report answers with a CSV file, with and without the slash at the end', async () => {
  for (const report of reports) {
    const { path } = report
    for (const end of ['/', '']) {
      const { status, headers, text } = await admin.send({
        path: `/api/reports/${path}${end}?${questionOf(report)}`,
      })
      expect([status, headers['content-type']], path).toEqual([200, 'text/csv; charset=utf-8'])
      expect(headers['content-disposition']).toMatch(
        /^attachment; filename="Titrate_.+ This Year \d{4}-01-01 to [\d-]+\.csv"/,
      )
      expect(headers['cache-control']).toBe('no-store')
      expect(text.startsWith('\ufeff'), path).toBe(true)
      expect(parse(text, { bom: true }).length, path).toBeGreaterThan(0)
    }
  }
  const head = await admin.send({ method: 'HEAD', path: '/api/reports/videos/?period=7days' })
  expect([head.status, head.text]).toEqual([200, ''])
})

test('C-237 the columns are the chosen fields, also when a form sends its boxes one by one', async () => {
  const list = await admin.send({ path: '/api/reports/users/?fields=first_name,email' })
  const boxes = await admin.send({ path: '/api/reports/users/?period=all_time&fields=first_name&fields=email' })
  expect(list.text).toBe(boxes.text)
  expect(list.text).toContain("'=Zoe,admin@titrate.example\r\n")
  const raw = await admin.send({ path: '/api/reports/users/?fields=first_name,email&raw=1' })
  expect(raw.text.startsWith('First name,Email\r\n')).toBe(true)
  expect(raw.text).toContain('\r\n=Zoe,admin@titrate.example\r\n')
  const followed = await admin.send({
    path: '/api/reports/users/?fields=first_name,email&raw=1',
    headers: { accept: 'text/html' },
  })
  expect(followed.text, 'a link in a browser').toBe(list.text)
})

test('C-249 what nobody knows is 400 with a sentence, and an unknown report is not found', async () => {
  const get = async (path: string) => {
    const { status, text, headers } = await admin.send({ path: `/api/reports/${path}` })
    return [status, text.trim(), headers['content-type']]
  }
  const plain = 'text/plain; charset=utf-8'
  expect(await get('videos/')).toEqual([400, 'Choose a period.', plain])
  expect(await get('videos/?period=foo')).toEqual([400, expect.stringContaining('The period is one of'), plain])
  expect(await get('logins/avg/?period=7days')).toEqual([400, 'Choose an interval.', plain])
  expect(await get('users/')).toEqual([400, 'Choose at least one field.', plain])
  expect(await get('users/?fields=nothing')).toEqual([400, 'There is no field “nothing”.', plain])
  const fixed = 'The columns of this report cannot be chosen.'
  expect(await get('videos/?period=7days&fields=email')).toEqual([400, fixed, plain])
  const twice = 'The address has period more than once.'
  expect(await get('videos/?period=7days&period=all_time')).toEqual([400, twice, plain])
  expect(await get('videos/?period=7days&on=2999-01-01')).toEqual([400, expect.stringMatching(/until today/), plain])
  expect(await get('videos/?period=7days&on=yesterday')).toEqual([400, expect.stringContaining('on is a day'), plain])
  expect((await get('videos/?period=7days&on=2026-01-31'))[0]).toBe(200)
  expect((await get('pending-users/'))[0]).toBe(200)
  expect((await get('passwords/'))[0]).toBe(404)
  // In a browser, a form without JavaScript comes back with its messages.
  const form = await admin.send({ path: '/api/reports/users/?period=7days', headers: { accept: 'text/html' } })
  const to = form.headers.location ?? ''
  expect([form.status, to]).toEqual([302, '/dashboard/reports/accounts/?period=7days'])
  const page = await admin.send({ path: to })
  expect([page.status, page.text.includes('Choose at least one field')]).toEqual([400, true])
  const program = { accept: 'text/html', authorization: `Bearer ${tokens.admin}` }
  expect((await server.send({ path: '/api/reports/users/', headers: program })).status).toBe(400)
  const post = await admin.post('/api/reports/videos/?period=7days', {})
  expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
})

test('C-201 visitors go to the login and back, programs get 401, and others than admins 403', async () => {
  const path = '/api/reports/videos/?period=7days'
  const visitor = await server.send({ path, headers: { accept: 'text/html,*/*' } })
  expect([visitor.status, visitor.headers.location]).toEqual([302, `/login/?next=${encodeURIComponent(path)}`])
  const program = await server.send({ path })
  expect([program.status, program.text.trim()]).toEqual([401, 'Login required.'])
  const unknown = await server.send({ path, headers: { authorization: 'Bearer no-such-token' } })
  expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"'])
  expect((await server.send({ path, ...withToken('admin') })).status).toBe(200)
  for (const name of ['author', 'learner']) {
    expect((await server.send({ path, ...withToken(name) })).status, name).toBe(403)
  }
  expect((await learner.send({ path })).status).toBe(403)
  // A token and a session of one site are nothing on the other.
  expect((await server.send({ path, host: `ns.${server.host()}`, ...withToken('admin') })).status).toBe(401)
})

test('C-111 C-116 C-117 the page has four tabs, and each report only its own controls', async () => {
  const get = async (path: string) => (await admin.send({ path })).text
  const first = await get('/dashboard/reports/')
  for (const tab of ['Search Terms Report', 'User Reports', 'Module Reports', 'Video Reports']) {
    expect(first).toContain(`>${tab}</a>`)
  }
  const tabs = { 'search-terms': '', users: 'users/', modules: 'modules/', videos: 'videos/' }
  for (const { path, tab, needs, title } of reports) {
    if (tab === 'messages') continue
    const page = await get(`/dashboard/reports/${tabs[tab]}?report=${encodeURIComponent(path)}`)
    expect(page, path).toContain(`action="/api/reports/${path}/"`)
    expect(page).toContain(`<h2>${title}</h2>`)
    const names = { period: 'period', interval: 'interval', aggregate: 'aggregate_by', fields: 'fields' }
    for (const [need, name] of Object.entries(names)) {
      expect(page.includes(`name="${name}"`), `${path}: ${name}`).toBe((needs as readonly string[]).includes(need))
    }
    for (const label of ['Last 7 days', 'This Month', 'Last Month', 'This Quarter', 'This Year', 'All Time']) {
      expect(page, path).toContain(label)
    }
  }
  expect((await learner.send({ path: '/dashboard/reports/' })).status).toBe(403)
})

test('the way back from a report leads to its form, as it was filled in', async () => {
  const get = async (path: string) =>
    (await admin.send({ path })).text.replaceAll('&amp;', '&').replaceAll('<!-- -->', '')
  const report = await get('/dashboard/reports/accounts/?period=this_year&fields=first_name,email&group=learners')
  const [, back = ''] = /href="(\/dashboard\/reports\/users\/\?[^"]*)"/.exec(report) ?? []
  const form = await get(back)
  expect(form).toContain('action="/api/reports/users/"')
  const chosen = [...form.matchAll(/<input [^>]*>/g)].map(([tag]) => tag).filter((tag) => / checked/.test(tag))
  expect(chosen.map((tag) => /value="(\w+)"/.exec(tag)?.[1])).toEqual(['this_year', 'first_name', 'email'])
  expect(form).toMatch(/<option value="learners" selected/)
  const unknown = await get('/dashboard/reports/users/?report=users&period=x&fields=%00&institution=nobody&plan=%00')
  expect(unknown).not.toMatch(/ checked/)
})

test('C-111 every report is a page with its meaning, its period and the file of the same question', async () => {
  const get = async (path: string) => {
    const { status, text } = await admin.send({ path })
    return { status, text: text.replaceAll('&amp;', '&').replaceAll('<!-- -->', '') }
  }
  for (const { id, path, title, meaning, needs } of reports) {
    const { status, text } = await get(`/dashboard/reports/${id}/?${questionOf({ path })}`)
    expect(status, path).toBe(200)
    expect(text).toContain(`<h2 tabindex="-1">${title}</h2>`)
    expect(text).toContain(meaning)
    expect(text).toMatch(/Jan 1, \d{4} to \w+ \d+, \d{4}\. /)
    expect(text).toContain('in the time zone')
    const file = /href="(\/api\/reports\/[^"]+)"/.exec(text)?.[1] ?? ''
    expect(file, path).toContain(`/api/reports/${path}/?period=this_year`)
    expect(file.includes('interval=weekly')).toBe((needs as readonly string[]).includes('interval'))
    expect((await admin.send({ path: file })).status).toBe(200)
  }
  const sums = await get('/dashboard/reports/logins-total/?period=this_year&aggregate_by=')
  expect(sums.text, 'the figure').toContain('href="/dashboard/reports/logins/?period=this_year"')
  expect(sums.text, 'a line').toMatch(/href="\/dashboard\/reports\/logins\/\?period=this_year&person=[0-9a-f-]{36}"/)
  expect((await get('/dashboard/reports/users/')).text, 'not on the tab').not.toContain('report=logins"')
  const users = await get('/dashboard/reports/accounts/?period=all_time&fields=first_name&fields=email')
  expect(users.text).toContain('=Zoe')
  expect(users.text).toContain('name="fields" value="first_name,email"')
  expect((await get('/dashboard/reports/passwords/?period=7days')).status).toBe(404)
  const compared = await get(
    '/dashboard/reports/accounts/?period=this_year&fields=email&group=learners&compare=previous&sort=-0',
  )
  expect(compared.text).toMatch(/Compared with Jan 1, \d{4} to /)
  expect(compared.text).toMatch(/href="\/dashboard\/users\/[0-9a-f-]{36}\/"/)
  expect(compared.text).toContain('aria-sort="descending"')
  const otherOrder = 'The file is not sorted like this page.'
  expect([compared.text.includes(otherOrder), users.text.includes(otherOrder)]).toEqual([true, false])
  const empty = await get('/dashboard/reports/plays/?period=7days')
  expect(empty.text).toContain('Nothing in this period')
})

test('C-247 the page of one film has how far its plays went, and keeps the film when the period changes', async () => {
  const { uid } = await aVideo(db, { name: 'Drop-off' })
  await sql`
    insert into video_plays (site_id, user_id, subject, subject_uid, title, max_percent)
    select site_id, id, 'video', ${uid}::uuid, 'Drop-off', 35 from users where email = 'learner@titrate.example'`.execute(
    db,
  )
  const all = await admin.send({ path: '/dashboard/reports/plays/?period=this_year' })
  const path = `/dashboard/reports/plays/?uid=${uid}&period=this_year`
  expect(all.text.replaceAll('&amp;', '&')).toContain(`href="${path}"`)
  const { status, text } = await admin.send({ path })
  expect(status).toBe(200)
  const page = text.replaceAll('&amp;', '&').replaceAll('<!-- -->', '')
  expect(page).toContain('<h2 tabindex="-1">Videos: Drop-off</h2>')
  expect(page).toContain('How many plays of the film reached each part of it.')
  expect(page).toMatch(new RegExp(`type="hidden" name="uid" value="${uid}"`))
  const file = /href="(\/api\/reports\/[^"]+)"/.exec(page)?.[1] ?? ''
  const { text: csv } = await admin.send({ path: file })
  expect(parse(csv, { bom: true })).toMatchObject(
    [
      ['Video', 'Kind', 'Plays', 'People'],
      ['Drop-off', 'Video', '1', '1'],
    ].map((row) => expect.arrayContaining(row)),
  )
  for (const other of ['nothing', randomUUID()]) {
    expect((await admin.send({ path: `/dashboard/reports/plays/?period=this_year&uid=${other}` })).status).toBe(404)
    expect((await admin.send({ path: `/api/reports/videos/?period=this_year&uid=${other}` })).status).toBe(404)
  }
})

test('C-112 C-249 what a page cannot answer is 400, with the form and what was chosen', async () => {
  const { status, text } = await admin.send({ path: '/dashboard/reports/logins-avg/?period=7days&aggregate_by=Group' })
  expect(status).toBe(400)
  expect(text).toContain('Choose an interval')
  expect(text).toMatch(/value="7days"[^>]*checked|checked[^>]*value="7days"/)
  const filtered = await admin.send({ path: '/dashboard/reports/plays/?period=foo&group=authors&institution=x%27' })
  expect([filtered.status, filtered.text.includes('value="authors" selected=""')]).toEqual([400, true])
  for (const [path, sentence] of [
    ['plays/?period=foo', 'Choose one of Last 7 days, This Month, Last Month, This Quarter, This Year, All Time.'],
    ['plays/?period=foo', 'Please choose “Period” again.'],
    ['logins-avg/?period=7days&interval=foo', 'Choose one of Daily, Weekly, Monthly.'],
    ['logins-avg/?period=7days&interval=daily&aggregate_by=foo', 'Choose one of Institution, Position, Group, User.'],
    ['logins/?period=7days&interval=foo', 'This report has no “Interval” to choose.'],
    ['plays/?period=7days&compare=foo', 'A report can only be compared with the period before.'],
    ['plays/?period=7days&period=foo', 'The address says the same thing more than once.'],
    ['plays/?period=7days&fields=email', 'The columns of this report cannot be chosen.'],
    ['plays/?period=7days&on=2999-01-01', 'as of today or an earlier day'],
    ['messages/?period=foo', 'Choose one of Last 7 days'],
    ['sessions/?period=7days&site_group=foo', 'Please choose “Site group” again.'],
    ['plays/?period=7days&institution=foo', 'The institution of this report no longer exists.'],
    ['messages/', 'Choose a period.'],
    ['accounts/?fields=nothing', 'There is no field “nothing”.'],
  ]) {
    const refused = await admin.send({ path: `/dashboard/reports/${path}` })
    expect([refused.status, refused.text.includes(sentence ?? '')], path).toEqual([400, true])
  }
})

test('C-111 each figure leads to the rows behind it, and the figures about messages are in order', async () => {
  const get = async (path: string) =>
    (await admin.send({ path: `/dashboard/reports/${path}` })).text.replaceAll('&amp;', '&').replaceAll('<!-- -->', '')
  const institutions = await get('logins-total/?period=all_time&aggregate_by=Institution')
  expect(institutions).toMatch(
    /<dt>Logins<\/dt><dd[^>]*><a [^>]*href="\/dashboard\/reports\/logins\/\?period=all_time"/,
  )
  const sorted = 'logins-total/?period=all_time&sort=-1~Institution&aggregate_by='
  expect(await get(`${sorted}Institution`)).toMatch(/<input type="hidden" name="sort" value="-1~Institution"/)
  expect(await get(`${sorted}Group`), 'other lines have other columns').not.toContain('type="hidden" name="sort"')
  const logins = await get('logins/?period=all_time&sort=-0')
  expect(logins, 'another period keeps the order').toMatch(/<input type="hidden" name="sort" value="-0"/)
  expect(logins).toMatch(/<dt>Logins<\/dt><dd[^>]*><a [^>]*href="\/dashboard\/reports\/logins\/\?period=all_time#rows"/)
  expect(institutions).toMatch(
    /<dt>People<\/dt><dd[^>]*><a [^>]*href="\/dashboard\/reports\/logins-total\/\?period=all_time&aggregate_by="/,
  )
  const average = await get('logins-avg/?period=all_time&interval=daily&aggregate_by=')
  expect(average, 'what the report is called comes first').toMatch(
    /<dl[^>]*><div><dt>Average logins per day<\/dt><dd[^>]*><a [^>]*>[\d.,]+<\/a><\/dd><dd[^>]*>All logins divided by the /,
  )
  // On phones a form sorts, which keeps what else was asked for.
  const asked = 'accounts/?period=this_year&fields=first_name%2Cemail&group=learners&sort='
  const people = await get(`${asked}-1`)
  const [, form = ''] =
    /<form [^>]*action="\/dashboard\/reports\/accounts\/#rows"[^>]*>(.*?)<\/form>/s.exec(people) ?? []
  const kept = [...form.matchAll(/<input type="hidden" name="(\w+)" value="(.*?)"/g)].map(([, ...pair]) => pair)
  expect(kept).toEqual([
    ['period', 'this_year'],
    ['fields', 'first_name,email'],
    ['group', 'learners'],
  ])
  const options = /<option value="">Usual order<.*<option value="0">First name<.*<option value="-1" selected="">Email</s
  expect(form).toMatch(options)
  expect(people).toMatch(/aria-label="Sort ascending"[^>]* href="[^"]*&sort=1#rows"/)
  const usual = await get(asked)
  expect([usual.includes('Usual order</option>'), usual.includes('Sort ascending')]).toEqual([true, false])
  const messages = await get('messages/?period=7days')
  expect(messages).toMatch(/aria-current="page"[^>]*>Messages Report</)
})

test('C-201 the pages are for admins', async () => {
  const path = '/dashboard/reports/logins-total/?period=7days'
  expect((await learner.send({ path })).status).toBe(403)
  expect((await server.send({ path })).status).toBe(302)
})

test('a long file is whole, and a client that leaves ends its query', async () => {
  await sql`
    insert into search_queries (site_id, at, query, type, results)
    select id, now(), 'a rather long search term with the number ' || n, 'all', 1
    from sites, generate_series(1, 60000) n where key = 'institutional'`.execute(db)
  const path = '/api/reports/search_terms/?period=this_year'
  const { text } = await server.send({ path, ...withToken('admin') })
  expect(parse(text, { bom: true })).toHaveLength(60_001)
  const second = await admin.send({ path: '/dashboard/reports/search-terms/?period=this_year&page=2' })
  const [next] = /<a [^>]*aria-label="Next page"[^>]*>/.exec(second.text) ?? []
  expect(next, 'to its rows').toContain('&amp;page=3#rows"')
  const [printed] = /<p class="[^"]*print:block[^"]*">.*?<\/p>/.exec(second.text) ?? []
  expect(printed, 'which rows it has').toContain('>Rows 51–100 of 10,000<')

  await new Promise<void>((resolve, reject) => {
    const headers = { host: server.host(), authorization: `Bearer ${tokens.admin}` }
    const request = http.get({ host: '127.0.0.1', port: server.port, path, agent: false, headers }, (response) => {
      response.once('data', () => {
        request.destroy()
        resolve()
      })
    })
    request.on('error', (error) => (request.destroyed ? resolve() : reject(error)))
  })
  const open = async () =>
    (
      await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
          and backend_type = 'client backend' and query like '%report_%'`.execute(db)
    ).rows[0]?.count
  await expect.poll(open, { timeout: 5000 }).toBe(0)
  expect(server.log()).not.toContain('request failed')
})

test('while many reports are read, the next page, the overview and Prepare File are 503 with a sentence', async () => {
  const ask = (path: string, count: number) => Array.from({ length: count }, () => admin.send({ path }))
  const isBusy = ({ status, headers }: Reply) => status === 503 && headers['retry-after'] === '60'
  const sentence = 'Many reports are being read right now. Please try again in a minute.'
  let late: Promise<Reply>[] = []
  await db.transaction().execute(async (trx) => {
    // What reads plays waits until this transaction ends.
    await sql`lock table video_plays in access exclusive mode`.execute(trx)
    const pages = ask('/dashboard/reports/film-plays/?period=all_time', 10)
    const page = await firstOf(pages, isBusy)
    expect(page.text).toContain(sentence)
    expect(page.text, 'the form').toContain('<h2>Plays</h2>')
    const overviews = ask('/dashboard/overview/', 12)
    expect((await firstOf(overviews, isBusy)).text).toContain(sentence)
    const [question] = ask('/dashboard/reports/logins-total/prepare/?period=all_time&aggregate_by=', 1)
    const prepare = await question
    expect([prepare?.status, prepare?.headers['retry-after']]).toEqual([503, '60'])
    expect(prepare?.text).toContain(sentence)
    late = [...pages, ...overviews]
  })
  const after = await Promise.all(late)
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200, 503]))
  expect((await admin.send({ path: '/dashboard/overview/' })).status).toBe(200)
  expect(server.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([])
})

test('while somebody downloads several files, the next one leads back to its report and says so', async () => {
  const sentence = 'Many files are being read right now. Please try again in a minute.'
  let files: Promise<Reply>[] = []
  await db.transaction().execute(async (trx) => {
    await sql`lock table video_plays in access exclusive mode`.execute(trx)
    files = Array.from({ length: 6 }, () => admin.send({ path: '/api/reports/videos/plays/?period=all_time' }))
    const refused = await firstOf(files, ({ status }) => status === 503)
    expect([refused.headers['retry-after'], refused.text.trim()]).toEqual(['60', sentence])
    const path = '/api/reports/logins/?period=all_time'
    const followed = await admin.send({ path, headers: { accept: 'text/html' } })
    const to = followed.headers.location ?? ''
    expect([followed.status, to]).toEqual([302, '/dashboard/reports/logins/?period=all_time'])
    expect((await admin.send({ path: to })).text).toContain(sentence)
  })
  const statuses = (await Promise.all(files)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 503])
  expect(server.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([])
})

/** The first answer that fits. Throws if none does. */
function firstOf(answers: Promise<Reply>[], fits: (answer: Reply) => boolean): Promise<Reply> {
  return Promise.any(
    answers.map(async (one) => {
      const answer = await one
      if (!fits(answer)) throw new Error(`It was answered with ${answer.status}`)
      return answer
    }),
  )
}
