/** The media of films over HTTP: uploaded films in ranges, captions by language, and the form without JavaScript. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { setStorage } from '~/services/storage/storage.server.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import { aCover } from '../support/attachments.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'

const mp4 = readFileSync('public/films/welcome-titrate.mp4')
const vtt = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`
let server: TestServer
let film: string
let draft: string
let written: string
const people: Record<'visitor' | 'learner' | 'withoutPlan' | 'author' | 'stranger', Browser> = {} as never

beforeAll(async () => {
  server = await startServer({ VIDEO_MAX_MB: '1' }, async (url, dataDir) => {
    const { db, close } = await openTestDatabase(url)
    setStorage(diskStorage(path.resolve(dataDir, 'files')))
    await aUser(db, { email: 'learner@titrate.example' })
    await aUser(db, { email: 'none@titrate.example', plan: null })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'stranger@titrate.example', groups: ['admins'], site: 'ns' })
    const operator = await aContext(db, { isOperator: true })
    const { uid: plan } = await db
      .selectFrom('access_plans')
      .select('uid')
      .where('name', '=', 'Full Access')
      .where('site_id', '=', operator.site.id)
      .executeTakeFirstOrThrow()
    const make = async (media: object) => (await createVideo(operator, await videoOf(operator, plan, media))).uid
    const captions = async (text: string) => send(operator, 'captions', 'a.vtt', vtt(text))
    const videoFile = () => send(operator, 'video', 'film.mp4', mp4)
    film = await make({
      videoFile: await videoFile(),
      captionsFirst: 'de',
      'captions-en': await captions('Hello'),
      'captions-de': await captions('Guten Tag'),
    })
    draft = await make({ videoFile: await videoFile(), status: 'draft' })
    written = await make({
      videoUrl: '/films/welcome-titrate.mp4',
      transcript: '00:01 <b>Hello</b>',
      transcriptAsCaptions: true,
    })
    await close()
  })
  for (const who of ['visitor', 'learner', 'withoutPlan', 'author'] as const) people[who] = aBrowser(server)
  people.stranger = aBrowser(server, { host: `ns.localhost:${server.port}` })
  await people.learner.signIn('learner@titrate.example')
  await people.withoutPlan.signIn('none@titrate.example')
  await people.author.signIn('author@titrate.example')
  await people.stranger.signIn('stranger@titrate.example')
})

async function send(ctx: Ctx, kind: 'video' | 'captions', fileName: string, bytes: Buffer | string): Promise<string> {
  return (await receiveUpload(ctx, { kind, fileName, source: Readable.from([Buffer.from(bytes)]) })).name
}

async function videoOf(ctx: Ctx, planUid: string, media: object) {
  return {
    name: 'A film',
    description: 'About it',
    status: 'published' as const,
    phases: [],
    tags: [],
    accessPlanUids: [planUid],
    coverImg: (await aCover(ctx)).name,
    coverImgDesc: 'A field',
    duration: null,
    category: 'expert' as const,
    position: 1,
    ...media,
  }
}

test('a film and its captions are for those who may open it, whoever asks and however', async () => {
  const expected = [
    [`/film-files/videos/${film}.mp4`, { visitor: 404, learner: 206, withoutPlan: 404, author: 206, stranger: 404 }],
    [`/film-files/videos/${draft}.mp4`, { visitor: 404, learner: 404, withoutPlan: 404, author: 206, stranger: 404 }],
    [`/film-files/lectures/${film}.mp4`, { learner: 404, author: 404 }],
    [`/film-files/videos/${film}`, { learner: 404 }],
    [`/film-files/videos/${film}.mp4/`, { learner: 404 }],
    [`/film-files/videos/x.mp4`, { learner: 404 }],
    [`/film-files/`, { learner: 404 }],
    [`/captions/videos/${film}.de.vtt`, { visitor: 404, learner: 206, withoutPlan: 404, author: 206, stranger: 404 }],
    [`/captions/videos/${film}.fr.vtt`, { learner: 404 }],
    [`/captions/videos/${written}.en.vtt`, { visitor: 404, learner: 200, withoutPlan: 404, stranger: 404 }],
  ] as const
  for (const [path, statuses] of expected) {
    for (const [who, status] of Object.entries(statuses)) {
      const reply = await people[who as keyof typeof people].send({ path, headers: { range: 'bytes=0-9' } })
      expect([path, who, reply.status]).toEqual([path, who, status])
    }
  }
})

test('a film comes in ranges, is asked for again each time, and can do nothing but play', async () => {
  const path = `/film-files/videos/${film}.mp4`
  const ask = (headers: Record<string, string>, method = 'GET') => people.learner.send({ path, method, headers })
  const part = await ask({ range: 'bytes=100-199' })
  expect(part.headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '100',
    'content-range': `bytes 100-199/${mp4.length}`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  const etag = String(part.headers.etag)
  const whole = await ask({}, 'HEAD')
  expect([whole.status, whole.headers['content-length'], whole.text]).toEqual([200, String(mp4.length), ''])
  expect((await ask({ 'if-none-match': etag })).status).toBe(304)
  expect((await ask({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206)
  expect((await ask({ range: 'bytes=0-9', 'if-range': '"older"' })).status).toBe(200)
  expect((await ask({ range: `bytes=${mp4.length}-` })).status).toBe(416)
  expect((await ask({ range: 'bytes=-1' })).headers['content-range']).toBe(
    `bytes ${mp4.length - 1}-${mp4.length - 1}/${mp4.length}`,
  )
  expect((await ask({}, 'POST')).status).toBe(405)
})

test('captions are served by language; without one, and at their former address, come the first', async () => {
  const text = async (name: string) => (await people.learner.send({ path: `/captions/videos/${name}` })).text
  expect(await text(`${film}.en.vtt`)).toBe(vtt('Hello'))
  expect(await text(`${film}.vtt`)).toBe(vtt('Guten Tag'))
  const made = await people.learner.send({ path: `/captions/videos/${written}.vtt` })
  expect(made.text).toContain('&lt;b>Hello&lt;/b>')
  expect(made.headers).toMatchObject({
    'content-type': 'text/vtt; charset=utf-8',
    'cache-control': 'private, no-cache',
  })
  const again = { 'if-none-match': String(made.headers.etag) }
  expect((await people.learner.send({ path: `/captions/videos/${written}.vtt`, headers: again })).status).toBe(304)
})

test('the page of a film has a track for each language, and its transcript in the one that is chosen', async () => {
  const page = async (query = '') => (await people.learner.send({ path: `/videos/${film}/${query}` })).text
  const german = await page()
  const tracks = [...german.matchAll(/<track[^>]*>/g)].map(([track]) => track)
  expect(tracks).toHaveLength(2)
  expect(tracks[0]).toMatch(/srcLang="de" label="German" default/i)
  expect(german).toContain(`src="/film-files/videos/${film}.mp4"`)
  expect(german).toMatch(/<span>Guten Tag<\/span>/)
  expect(german).toContain('href="/videos/')
  expect(await page('?transcript=en')).toMatch(/<span>Hello<\/span>/)
  const hostile = await page(`?transcript=${encodeURIComponent('"><script>')}`)
  expect(hostile).toMatch(/<span>Guten Tag<\/span>/)
  expect(hostile).not.toContain('"><script>')
})

describe('the form without JavaScript', () => {
  const address = '/dashboard/parts/film-media/'
  type Sent = Record<string, string | { name: string; bytes: Buffer | string }>

  /** Posts with fetch, because a film is no text. */
  async function post(sent: Sent) {
    const csrf = await people.author.token(address)
    const form = new FormData()
    form.append('csrf', csrf)
    for (const [name, value] of Object.entries(sent)) {
      if (typeof value === 'string') form.append(name, value)
      else form.append(name, new Blob([new Uint8Array(Buffer.from(value.bytes))]), value.name)
    }
    const cookie = [...people.author.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const url = `http://localhost:${server.port}${address}`
    const reply = await fetch(url, { method: 'POST', body: form, headers: { cookie }, redirect: 'manual' })
    const to = reply.headers.get('location')
    const received = to && JSON.parse(new URL(to, url).searchParams.get('received') ?? '{}')
    return { status: reply.status, text: await reply.text(), received }
  }

  test('sends a film, captions and a transcript in one post', async () => {
    const { received } = await post({
      videoSource: 'file',
      'videoFile-file': { name: 'film.mp4', bytes: mp4 },
      captionsNewLanguage: 'fr',
      'captionsNew-file': { name: 'fr.vtt', bytes: vtt('Bonjour') },
      transcript: '00:01 Typed',
      'transcriptFile-file': { name: 'a.txt', bytes: '00:02 From a file\n00:01 First' },
      transcriptAsCaptions: 'on',
    })
    expect(received).toEqual({
      source: 'file',
      seconds: 17,
      captions: ['fr'],
      lines: [
        { from: 1, text: 'First' },
        { from: 2, text: 'From a file' },
      ],
      isCaptions: true,
    })
  })

  test('comes back with what was typed, the files that arrived, and a sentence for each fault', async () => {
    const { status, text } = await post({
      videoSource: 'file',
      videoUrl: 'https://vimeo.com/1',
      'videoFile-file': { name: 'film.mp4', bytes: '<html>' },
      captionsNewLanguage: 'fr',
      'captionsNew-file': { name: 'fr.vtt', bytes: vtt('Bonjour') },
      transcript: '00:01 Fine\nNo time',
      transcriptLanguage: 'fr',
    })
    expect(status).toBe(400)
    expect(text).toContain('This file is not a film, or not of the type in its name.')
    expect(text).toMatch(/00:01 Fine\r?\nNo time/)
    expect(text).toContain('value="https://vimeo.com/1"')
    expect(text).toMatch(/name="captionsNew" value="[0-9a-f-]{36}\.vtt"/)
  })

  test('says which line of the transcript has a fault', async () => {
    const { status, text } = await post({ videoUrl: '/films/a.mp4', transcript: '00:01 Fine\nNo time' })
    expect([status, text.includes('Line 2: Begin with a time such as 01:30.')]).toEqual([400, true])
  })

  test('refuses a film that is too large, and one that is far too large before it is read', async () => {
    const large = (megabytes: number) => ({
      name: 'film.mp4',
      bytes: Buffer.concat([mp4, Buffer.alloc(megabytes * 1024 * 1024)]),
    })
    const slightly = await post({ videoSource: 'file', 'videoFile-file': large(1) })
    expect([slightly.status, slightly.text.includes('File too large')]).toEqual([400, true])
    const reply = await people.author.send({
      method: 'POST',
      path: address,
      headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': String(60 * 1024 * 1024) },
      body: '',
    })
    expect([reply.status, reply.text]).toEqual([413, expect.stringContaining('This form is larger than 57 MB')])
  })

  test('is for staff, and shows the fields for the languages', async () => {
    expect((await people.learner.send({ path: address })).status).not.toBe(200)
    const { text } = await people.author.send({ path: address })
    expect(tokenIn(text)).not.toBe('')
    expect(text).toContain('name="captionsNewLanguage"')
    expect(text).toContain('at most 1 MB. Only people')
  })
})
