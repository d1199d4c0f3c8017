/** The results page and the suggestions over HTTP: their answers to any query, and what they record. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedGlossary } from '../../seed/glossary.ts'
import { eventually } from '../support/command.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, type Sent, startServer, type TestServer } from '../support/http.ts'
import { aCourse, aFilm } from '../support/search.ts'

let server: TestServer
let db: pg.Client
let learner: Browser

beforeAll(async () => {
  server = await startServer({ SEARCHES_PER_MINUTE: '60', LOG_LEVEL: 'info' }, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const operator = await aContext(db, { isOperator: true })
    await aUser(db, { email: 'learner@titrate.example' })
    await aUser(db, { email: 'instructor@titrate.example', groups: ['learners', 'instructors'] })
    await seedGlossary(operator)
    for (const name of ['Finding the dose', 'From one dose to the next']) await aCourse(operator, { name })
    for (const name of ['Pharmacovigilance', 'A first dose']) await aFilm(operator, 'lecture', { name })
    await close()
  })
  db = new pg.Client({ connectionString: server.databaseUrl })
  await db.connect()
  learner = aBrowser(server)
  await learner.signIn('learner@titrate.example')
  await eventually(async () => (await countDocuments()) >= 20)
})
afterAll(() => db.end())

async function countDocuments(): Promise<number> {
  return Number((await db.query('select count(*) from search_documents')).rows[0].count)
}

async function searches() {
  const rows = async () => (await db.query('select query, type, results from search_queries order by id')).rows
  await eventually(async () => (await rows()).length > 0)
  await sleep(300)
  return rows()
}

const get = (path: string, browser = learner) => browser.send({ path })

test('a submitted search is recorded once; further pages and suggestions are not', async () => {
  expect((await get('/search/?query=dose&type=modules')).status).toBe(200)
  expect((await get('/search/?query=dose&page=2')).status).toBe(200)
  expect((await get('/search/?query=%20')).status).toBe(200)
  const ahead: Omit<Sent, 'path'>[] = [
    { headers: { 'Sec-Purpose': 'prefetch;prerender' } },
    { headers: { Purpose: 'prefetch' } },
    { method: 'HEAD' },
  ]
  for (const one of ahead) expect((await learner.send({ path: '/search/?query=ahead', ...one })).status).toBe(200)
  const reply = await get('/search-suggestions/?query=pharma&type=all')
  expect(JSON.parse(reply.text).suggestions.length).toBeGreaterThan(0)
  expect(JSON.parse(reply.text).suggestions.length).toBeLessThanOrEqual(8)
  expect(await searches()).toEqual([{ query: 'dose', type: 'module', results: expect.any(Number) }])
})

test('the pages of a course and a lecture show their tags, and each leads to the list of what has it', async () => {
  const { rows } = await db.query(`
    with tag as (
      insert into tags (site_id, text, text_key) select id, 'Dose & Time', 'dose & time' from sites
      where key = 'institutional' returning id, site_id),
    course as (
      insert into course_tags (site_id, course_id, tag_id)
      select tag.site_id, courses.id, tag.id from tag, courses where courses.name = 'Finding the dose'),
    lecture as (
      insert into lecture_tags (site_id, lecture_id, tag_id)
      select tag.site_id, lectures.id, tag.id from tag, lectures where lectures.name = 'A first dose')
    select 'courses' as kind, uid from courses where name = 'Finding the dose'
    union all select 'lectures', uid from lectures where name = 'A first dose' `)
  const address = '/search/?tag=Dose+%26+Time'
  expect(rows.length).toBe(2)
  for (const { kind, uid } of rows) {
    expect((await get(`/${kind}/${uid}/`)).text, kind).toContain(`href="${address.replace('&', '&amp;')}"`)
  }
  const { text } = await get(address)
  expect(text).toContain('<h1>Tag: Dose &amp; Time</h1>')
  expect(text).toContain('2 results with this tag')
  expect(text).toContain('Finding the dose')
  expect(text).not.toContain('From one dose to the next')
  expect((await get('/search/?tag=nothing')).text).toContain('Nothing here has the tag “nothing”')
})

test('the list of a tag says when access has ended', async () => {
  const ofLearner = "user_id = (select id from users where email = 'learner@titrate.example')"
  await db.query(`update subscriptions set valid_to = now() where ${ofLearner}`)
  try {
    const { text } = await get('/search/?tag=nothing')
    expect(text).toContain('Nothing is open at the moment')
    expect(text).not.toContain('Nothing here has the tag')
  } finally {
    await db.query(`update subscriptions set valid_to = null where ${ofLearner}`)
  }
})

test('a search of the glossary without a result says so once, also to a screen reader', async () => {
  const { text } = await get('/glossary/?query=qqqq')
  const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
  expect(main.match(/No [a-z ]+ for/g)).toEqual(['No results found for'])
  expect(main).toMatch(/role="status"><div class="empty">/)
})

test('a visitor is sent to sign-in and gets no suggestions', async () => {
  const visitor = aBrowser(server)
  const page = await get('/search/?query=dose', visitor)
  expect([page.status, page.headers.location]).toEqual([
    302,
    `/login/?next=${encodeURIComponent('/search/?query=dose')}`,
  ])
  const reply = await get('/search-suggestions/?query=dose', visitor)
  expect([reply.status, JSON.parse(reply.text)]).toEqual([403, { suggestions: [] }])
})

test.each([
  'x'.repeat(150),
  '%ED%A0%80',
  '%25_%5C',
  "'%22%20or%20%26%20%7C%20!%20:*",
  'the%20of%20and',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '%F0%9F%92%8A',
])('/search/?query=%s causes no error and comes back as text', async (query) => {
  const reply = await get(`/search/?query=${query}&type=bogus&page=-1`)
  expect(reply.status).toBe(200)
  expect(reply.text).not.toContain('<script>alert(1)')
  expect((await get(`/search-suggestions/?query=${query}`)).status).toBe(200)
})

test('characters that an address may not contain are refused without an internal error', async () => {
  expect((await get('/search/?query=%00')).status).toBe(400)
  expect((await get('/search-suggestions/?query=%00')).status).toBe(400)
})

test('no page of search takes more than eight database queries', async () => {
  for (const path of ['/search/?query=dose', '/search/?query=pharmecovigilance', '/glossary/', '/glossary/adme/']) {
    const before = server.logLines().length
    await get(path)
    const line = () =>
      server
        .logLines()
        .slice(before)
        .find(({ msg }) => msg === 'request')
    await eventually(() => line() !== undefined)
    expect(line()?.queries, path).toBeLessThanOrEqual(8)
  }
})

test('a person who searches too often is asked to wait, and the words stay in the box', async () => {
  const replies = await Promise.all(Array.from({ length: 70 }, () => get('/search-suggestions/?query=dose')))
  expect(replies.some(({ status }) => status === 429)).toBe(true)
  const page = await get('/search/?query=dose')
  expect([page.status, page.headers['retry-after']]).toEqual([429, '60'])
  expect(page.text).toContain('You are searching very fast')
  expect(page.text).toContain('value="dose"')
  const other = aBrowser(server)
  await other.signIn('instructor@titrate.example')
  expect((await get('/search/?query=dose', other)).status).toBe(200)
})
