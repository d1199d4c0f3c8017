/** The files of films: those of lectures and videos are for people who may open them, those of the home page for all. */
import { beforeAll, expect, test } from 'vitest'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

const lecture = '/films/attrition-in-numbers-titrate.mp4'
const video = '/films/setting-the-first-dose-titrate.mp4'
const draft = '/films/reaching-steady-state-titrate.mp4'
const ofOtherSite = '/films/attrition-in-numbers-ns.mp4'
const unused = '/films/phases-of-a-programme-titrate.mp4'
let server: TestServer
const people: Record<'visitor' | 'learner' | 'withoutPlan' | 'author', Browser> = {} as never

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'learner@titrate.example' })
    await aUser(db, { email: 'none@titrate.example', plan: null })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aLecture(db, { videoUrl: lecture })
    await aLecture(db, { videoUrl: lecture, status: 'draft', plans: [] })
    await aVideo(db, { videoUrl: video })
    await aVideo(db, { videoUrl: draft, status: 'draft' })
    await aVideo(db, { videoUrl: ofOtherSite, site: 'ns' })
    await close()
  })
  people.visitor = aBrowser(server)
  people.learner = aBrowser(server)
  people.withoutPlan = aBrowser(server)
  people.author = aBrowser(server)
  await people.learner.signIn('learner@titrate.example')
  await people.withoutPlan.signIn('none@titrate.example')
  await people.author.signIn('author@titrate.example')
})

const range = { range: 'bytes=0-99' }

test.each([
  [lecture, { visitor: 404, learner: 206, withoutPlan: 404, author: 206 }],
  [video, { visitor: 404, learner: 206, withoutPlan: 404, author: 206 }],
  [draft, { visitor: 404, learner: 404, withoutPlan: 404, author: 206 }],
  [ofOtherSite, { visitor: 404, learner: 404, withoutPlan: 404, author: 404 }],
  [unused, { visitor: 404, learner: 404, withoutPlan: 404, author: 404 }],
  ['/films/welcome-titrate.mp4', { visitor: 206, learner: 206, withoutPlan: 206, author: 206 }],
  ['/films/deliver-ns.webp', { visitor: 206, learner: 206, withoutPlan: 206, author: 206 }],
  ['/films/welcome.vtt', { visitor: 206, learner: 206, withoutPlan: 206, author: 206 }],
] as const)('%s is for those who may open its film', async (path, expected) => {
  for (const [who, status] of Object.entries(expected)) {
    const reply = await people[who as keyof typeof people].send({ path, headers: range })
    expect([who, reply.status]).toEqual([who, status])
  }
})

test('no spelling of the address gets around that', async () => {
  const name = lecture.slice('/films/'.length)
  for (const path of [
    `/%66ilms/${name}`,
    `/films/%61${name.slice(1)}`,
    `/films/${name}/`,
    `//films/${name}`,
    `/films//${name}`,
    `/films%2f${name}`,
    `/FILMS/${name}`,
    `/films/${name}?x=1`,
    `/films/${name}.gz`,
  ]) {
    const { status, headers } = await people.visitor.send({ path })
    expect([path, [301, 302, 308, 404].includes(status), headers['content-type'] === 'video/mp4']).toEqual([
      path,
      true,
      false,
    ])
  }
  expect((await people.learner.send({ path: `/films/%61${name.slice(1)}`, headers: range })).status).toBe(206)
})

test.each(['bytes=9-5', 'bytes=0-99999999999999999999', 'bytes=0-0', 'bytes=-500', 'bytes=a', 'lines=0-9', ','])(
  'a range that makes no sense is ignored: %s',
  async (odd) => {
    const whole = await people.visitor.send({ path: '/films/welcome-titrate.mp4', method: 'HEAD' })
    const reply = await people.visitor.send({ path: '/films/welcome-titrate.mp4', headers: { range: odd } })
    expect([reply.status, reply.headers['content-length']]).toEqual([200, whole.headers['content-length']])
  },
)

test('a built asset comes as a whole', async () => {
  const page = await people.visitor.send({ path: '/about-us/' })
  const path = /\/assets\/[\w.-]+\.js/.exec(page.text)?.[0] ?? ''
  const { status, headers } = await people.visitor.send({ path, headers: { range: 'bytes=99999999-' } })
  expect([status, headers['content-range']]).toEqual([200, undefined])
})

test('a film comes in ranges and is asked for again, one of the home page is kept', async () => {
  const part = await people.learner.send({ path: lecture, headers: { range: 'bytes=100-199' } })
  expect(part.headers).toMatchObject({ 'content-length': '100', 'cache-control': 'private, no-cache' })
  expect(part.headers['content-range']).toMatch(/^bytes 100-199\/\d+$/)
  const again = { 'if-none-match': String(part.headers.etag) }
  expect((await people.learner.send({ path: lecture, headers: again })).status).toBe(304)
  expect((await people.visitor.send({ path: lecture, headers: again })).status).toBe(404)
  const home = await people.visitor.send({ path: '/films/welcome-titrate.mp4', headers: range })
  expect(home.headers['cache-control']).toBe('public, max-age=3600')
})
