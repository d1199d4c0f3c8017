/** `/event/`, the address of captions and the address of progress, as a browser or anything else may call them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type Database } from '~db/client.server.ts'
import { eventually } from '../support/command.ts'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer
let db: Database
let browser: Browser
let csrf: string
let films: { lecture: string; video: string; hidden: string }

beforeAll(async () => {
  server = await startServer({ EVENTS_PER_MIN: '200' }, async (url) => {
    const opened = await openTestDatabase(url)
    await aUser(opened.db, { email: 'zoe@titrate.example' })
    await aUser(opened.db, { email: 'busy@titrate.example' })
    films = {
      lecture: (await aLecture(opened.db)).uid,
      video: (await aVideo(opened.db)).uid,
      hidden: (await aLecture(opened.db, { plans: ['Free Access'] })).uid,
    }
    await opened.close()
  })
  db = createDatabase({ connectionString: server.databaseUrl, poolSize: 1 }).db
  browser = aBrowser(server)
  await browser.signIn('zoe@titrate.example')
  csrf = await browser.token('/modules/')
})

const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
const post = (from: Browser, body: unknown, headers: Record<string, string> = {}, path = '/event/') =>
  from.send({
    method: 'POST',
    path,
    headers: { ...json, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const countEvents = async (name: string) =>
  (await db.selectFrom('events').select('id').where('name', '=', name).execute()).length

test('A-241 events go to the configured path, and no longer to this one', async () => {
  await expect(startServer({ EVENT_PATH: '/login/' })).rejects.toThrow('EVENT_PATH cannot be /login/')
  const other = await startServer({ EVENT_PATH: '/seen/' })
  const page = await aBrowser(other).send({ path: '/login/' })
  expect(page.text).toContain('data-event-path="/seen/"')
  expect((await post(aBrowser(other), { event: 'View Page Log In' }, {}, '/seen/')).status).toBe(204)
  expect((await post(aBrowser(other), { event: 'View Page Log In' })).status).not.toBe(204)
})

test('A-241 A-244 an event of a signed-in person requires the token, in the header or in the body', async () => {
  const event = { event: 'View Page Token', properties: { path: '/' }, screen: { width: 1, height: 1 } }
  const reply = await post(browser, event, { 'x-csrftoken': csrf })
  expect([reply.status, reply.text]).toEqual([204, ''])
  expect((await post(browser, { ...event, csrf })).status).toBe(204)
  expect((await post(browser, { ...event, csrf }, {}, '/event')).status).toBe(204)
  expect((await post(browser, event)).status).toBe(403)
  expect((await post(browser, event, { 'x-csrftoken': 'wrong.token' })).status).toBe(403)
  expect(await countEvents('View Page Token')).toBe(3)
})

test('A-244 a visitor reports page views without a token', async () => {
  expect((await post(aBrowser(server), { event: 'View Page Visitor' })).status).toBe(204)
  expect(await countEvents('View Page Visitor')).toBe(1)
})

test.each([
  ['no JSON', '{"event":'],
  ['nothing', ''],
  ['a list', '[]'],
  ['a text', '"event"'],
  ['null', 'null'],
  ['no name', '{}'],
  ['a name of U+0000', '{"event":"\\u0000"}'],
  ['a lone surrogate', '{"event":"a","properties":{"a":"\\ud800"}}'],
  ['a deep property', '{"event":"a","properties":{"a":{"b":1}}}'],
  ['a prototype', '{"event":1,"__proto__":{"event":"a"}}'],
])('A-244 %s answers 400', async (_name, body) => {
  expect((await post(browser, body, { 'x-csrftoken': csrf })).status).toBe(400)
  expect((await post(aBrowser(server), body)).status).toBe(400)
})

test('a body that is too large is not read; another method and another path are not found', async () => {
  expect((await post(browser, { event: 'x'.repeat(20_000) })).status).toBe(413)
  const got = await browser.send({ path: '/event/' })
  expect([got.status, got.headers.allow]).toEqual([405, 'POST'])
  expect((await post(browser, { event: 'a' }, {}, '/event/other/')).status).toBe(404)
})

test('another site is refused', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', 'x-csrftoken': csrf }
  expect((await post(browser, { event: 'View Page Forged' }, headers)).status).toBe(403)
  expect(await countEvents('View Page Forged')).toBe(0)
})

test('a browser that reports too much is asked to wait', async () => {
  const busy = aBrowser(server)
  await busy.signIn('busy@titrate.example')
  const token = await busy.token('/modules/')
  const statuses: number[] = []
  for (let i = 0; i < 41; i++) {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => post(busy, { event: 'View Page Busy' }, { 'x-csrftoken': token })),
    )
    statuses.push(...replies.map(({ status }) => status))
  }
  expect(statuses.filter((status) => status === 204)).toHaveLength(200)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
})

describe('progress', () => {
  const sendProgress = (from: Browser, path: string, fields: Record<string, string>) => from.post(path, fields)

  test('is accepted from a form with the token, and the answer is empty', async () => {
    for (const path of [`/lectures/${films.lecture}/progress/`, `/videos/${films.video}/progress/`]) {
      const reply = await sendProgress(browser, path, { csrf, percent: '40', position: '8.25' })
      expect([reply.status, reply.text]).toEqual([204, ''])
    }
    const rows = await db.selectFrom('lecture_progress').select(['percent', 'position_seconds']).execute()
    expect(rows).toEqual([{ percent: 40, position_seconds: 8.25 }])
    // What was played counts, and not a percent beside it.
    const played = { csrf, played: '0-20,30-40', duration: '20', position: '4', percent: '90' }
    expect((await sendProgress(browser, `/videos/${films.video}/progress/`, { ...played })).status).toBe(204)
    const [video] = await db.selectFrom('video_progress').select(['percent', 'played', 'position_seconds']).execute()
    expect(video).toMatchObject({ percent: 40, position_seconds: 4, played: '{[0,20),[30,40)}' })
  })

  test('is refused without the token, signed out, without access to the film, and with invalid values', async () => {
    const path = `/lectures/${films.lecture}/progress/`
    expect((await sendProgress(browser, path, { percent: '90' })).status).toBe(400)
    expect((await sendProgress(aBrowser(server), path, { csrf, percent: '90' })).status).toBe(302)
    expect((await sendProgress(browser, `/lectures/${films.hidden}/progress/`, { csrf, percent: '90' })).status).toBe(
      404,
    )
    const nonsense: Record<string, string>[] = [
      { percent: '101' },
      { percent: '' },
      { percent: '1e99' },
      { percent: '50', position: 'x' },
      { played: 'x', duration: '20' },
      { played: '0-100', duration: 'x' },
      { played: '0-300', duration: '20', percent: '90' },
    ]
    for (const fields of nonsense) {
      expect((await sendProgress(browser, path, { csrf, ...fields })).status).toBe(400)
    }
    expect(await db.selectFrom('lecture_progress').select('percent').execute()).toEqual([{ percent: 40 }])
  })
})

test('captions and pages of films without access are not found', async () => {
  for (const path of [
    `/captions/lectures/${films.hidden}.vtt`,
    `/captions/lectures/${films.lecture}.vtt`,
    '/captions/lectures/x.vtt',
    `/captions/modules/${films.lecture}.vtt`,
    `/lectures/${films.hidden}/`,
    `/videos/${films.lecture}/`,
    '/videos/%00x/',
    '/lectures/x/',
  ]) {
    expect([path, (await browser.send({ path })).status >= 400]).toEqual([path, true])
  }
})

test('lists accept any query, and take at most eight database queries', async () => {
  for (const path of [
    '/lectures/',
    '/videos/',
    '/lectures/?phase=discover&page=1',
    '/videos/?category=expert&phase=deliver',
    '/videos/?page=-1&phase=%20&category=__proto__',
    '/lectures/?page=9999999999999999999',
    '/lectures/?phase=__proto__',
    '/my-learning/in-progress/',
    '/my-learning/completed/?kind=courses&page=2',
    '/my-learning/in-progress/?kind=films',
    '/my-learning/assigned/?page=9',
  ]) {
    const before = server.logLines().length
    expect([path, (await browser.send({ path })).status]).toEqual([path, 200])
    const line = () =>
      server
        .logLines()
        .slice(before)
        .find((line) => line.route !== undefined && Number(line.queries) > 0)
    await eventually(() => line() !== undefined)
    expect(Number(line()?.queries), path).toBeLessThanOrEqual(8)
  }
})

test('L-162 a switched-off lectures area is not found', async () => {
  await db.updateTable('feature_flags').set({ is_on: false }).where('name', '=', 'LECTURES').execute()
  expect((await browser.send({ path: '/lectures/' })).status).toBe(404)
  expect((await browser.send({ path: `/lectures/${films.lecture}/` })).status).toBe(404)
  expect((await browser.send({ path: '/videos/' })).status).toBe(200)
  await db.updateTable('feature_flags').set({ is_on: true }).where('name', '=', 'LECTURES').execute()
})
