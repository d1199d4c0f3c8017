/** The media of lectures and videos: uploaded films, captions in several languages, transcripts, and what Vimeo says. */
import { randomUUID } from 'node:crypto'
import { readFileSync, utimesSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { filmMediaForm } from '~/forms/film-media.ts'
import { runJob } from '~/jobs/run-job.server.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { mediaColumns, prepareFilmMedia, recordFilmMedia } from '~/services/films/film-media.server.ts'
import { findFilmMedia } from '~/services/films/media-state.server.ts'
import { lookUpVimeo } from '~/services/films/vimeo.server.ts'
import { getCaptionsToServe, getFilmFileToServe } from '~/services/films/watch-media.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import { getLecture } from '~/services/lectures/lectures.server.ts'
import { indexContent } from '~/services/search/documents.server.ts'
import { searchContent } from '~/services/search/search.server.ts'
import { storage } from '~/services/storage/storage.server.ts'
import { sweepUploads } from '~/services/uploads/sweep.server.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import { getVideoToWatch } from '~/services/videos/videos.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aCover } from '../support/attachments.ts'
import { aContext, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { db, expectGuarded } from '../support/test.ts'
import { ownStorage, upload } from '../support/uploads.ts'

const folder = ownStorage()
const mp4 = readFileSync('public/films/welcome-titrate.mp4')
const webm = readFileSync('seed/modules/reading-a-dose-response-curve/film.webm')
let author: Ctx
let learner: Ctx
let planUid: string

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
  learner = await aContext(db, { viewer: await aUser(db) })
  const plan = db.selectFrom('access_plans').select('uid').where('name', '=', 'Full Access')
  planUid = (await plan.executeTakeFirstOrThrow()).uid
})

const vtt = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`
const captions = async (text: string, ctx = author) => (await upload(ctx, 'captions', 'a.vtt', vtt(text))).name
const aFilm = async (ctx = author) => (await upload(ctx, 'video', 'film.mp4', mp4)).name

async function videoInput(media: object) {
  return {
    uid: randomUUID() as string,
    name: 'Made here',
    description: 'Something to learn',
    status: 'published' as const,
    phases: [],
    tags: [],
    accessPlanUids: [planUid],
    coverImg: (await aCover(author)).name,
    coverImgDesc: 'A field',
    duration: null,
    category: 'expert' as const,
    position: 1,
    ...media,
  }
}

const aVideo = async (media: object) => (await createVideo(author, await videoInput(media))).uid

/** What saving a film does: the caller's transaction, with what this domain prepares before. */
async function save(ctx: Ctx, { uid, ...media }: { uid: string } & Record<string, unknown>): Promise<void> {
  const parsed = filmMediaForm.safeParse(media)
  if (!parsed.success) throw new Invalid(parsed.error.issues[0]?.message ?? '')
  const prepared = await prepareFilmMedia(ctx, { kind: 'video', uid, media: parsed.data })
  await inTransaction(ctx, async (ctx) => {
    const set = mediaColumns(ctx, prepared)
    const changed = await ctx.db
      .updateTable('videos')
      .set(set)
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', uid)
      .returning('id')
      .execute()
    if (changed.length === 0) throw new NotFound()
    await recordFilmMedia(ctx, { kind: 'video', uid, prepared })
  })
}

test.each([
  ['http://films.example/a.mp4', 'Please enter an address that begins with https://.'],
  ['/films/attrition-in-numbers-ns.mp4', 'There is no such film on this site.'],
])('a film is not taken from %s', async (videoUrl, sentence) => {
  await expect(aVideo({ videoUrl })).rejects.toMatchObject({ fieldErrors: { videoUrl: sentence } })
})

/** The film with other bytes at or before a word of its file. */
function withBytes(film: Buffer, word: string, offset: number, hex: string): Buffer {
  const changed = Buffer.from(film)
  changed.set(Buffer.from(hex, 'hex'), changed.indexOf(word) + offset)
  return changed
}

/** The film up to its first cluster, in a segment of unknown size. */
function withoutClusters(film: Buffer): Buffer {
  const segment = film.indexOf(Buffer.from('18538067', 'hex'))
  const head = Buffer.from(film.subarray(0, film.indexOf(Buffer.from('1f43b675', 'hex'))))
  const isLong = head[segment + 4] === 1
  head.set(Buffer.from(isLong ? '01ffffffffffffff' : 'ff', 'hex'), segment + 4)
  return head
}

describe('an uploaded film', () => {
  test.each([
    ['film.mp4', mp4, 'video/mp4', 17],
    ['FILM.WEBM', webm, 'video/webm', expect.any(Number)],
  ])('is taken if its bytes are those of a film: %s', async (name, bytes, contentType, duration) => {
    const file = await upload(author, 'video', name, bytes)
    expect(file).toMatchObject({ contentType, size: bytes.length })
    const uid = await aVideo({ videoFile: file.name })
    const extension = contentType.slice('video/'.length)
    expect(await getVideoToWatch(learner, { videoUid: uid })).toMatchObject({
      videoUrl: `/film-files/videos/${uid}.${extension}`,
      duration,
    })
    expect(await getFilmFileToServe(learner, { kind: 'video', uid })).toMatchObject({ uid: file.uid, contentType })
  })

  test.each([
    ['a page', 'film.mp4', Buffer.from('<html>')],
    ['a WebM film called mp4', 'film.mp4', webm],
    ['an MP4 film called webm', 'film.webm', mp4],
    ['the beginning of an MP4 without a film', 'film.mp4', Buffer.concat([mp4.subarray(0, 24), Buffer.alloc(100)])],
    ['nothing', 'film.mp4', Buffer.alloc(0)],
    ['a header of a WebM without more', 'film.webm', webm.subarray(0, 20)],
    ['an MP4 without tracks', 'film.mp4', Buffer.concat([mp4.subarray(0, 148), Buffer.alloc(100)])],
    ['a WebM without tracks', 'film.webm', webm.subarray(0, webm.lastIndexOf(Buffer.from('1654ae6b', 'hex')))],
    ['an MP4 that ends in its header', 'film.mp4', mp4.subarray(0, 60)],
    ['an MP4 that is cut off', 'film.mp4', mp4.subarray(0, mp4.length - 1)],
    ['an MP4 with a box of an impossible size', 'film.mp4', withBytes(mp4, 'trak', -4, '00000004')],
    ['an MP4 without pictures', 'film.mp4', withBytes(mp4, 'mdat', 0, Buffer.from('free').toString('hex'))],
    ['a WebM that is cut off', 'film.webm', webm.subarray(0, webm.length - 1)],
    ['a WebM without pictures', 'film.webm', withoutClusters(webm)],
  ])('is refused with a sentence if it is %s', async (_what, name, bytes) => {
    const refused = upload(author, 'video', name, bytes)
    await expect(refused).rejects.toThrow('This file is not a film, or not of the type in its name.')
  })

  test('has the limit of the installation, and is never held in memory', async () => {
    const before = env().VIDEO_MAX_MB
    env().VIDEO_MAX_MB = 1
    const chunk = Buffer.alloc(1024 * 1024)
    const large = async function* (megabytes: number) {
      yield mp4
      for (let sent = 0; sent < megabytes; sent++) yield chunk
    }
    const { Readable } = await import('node:stream')
    const send = (megabytes: number) =>
      receiveUpload(author, { kind: 'video', fileName: 'film.mp4', source: Readable.from(large(megabytes)) })
    await expect(send(1)).rejects.toThrow('File too large')
    env().VIDEO_MAX_MB = 300
    const memory = process.memoryUsage().arrayBuffers
    expect((await send(200)).size).toBe(mp4.length + 200 * chunk.length)
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(60 * chunk.length)
    env().VIDEO_MAX_MB = before
  })

  test('is for those who may open its film, and for staff', async () => {
    const draft = await aVideo({ videoFile: await aFilm(), status: 'draft' })
    const open = await aVideo({ videoFile: await aFilm() })
    const refused = async (ctx: Ctx, uid: string) =>
      expect(getFilmFileToServe(ctx, { kind: 'video', uid })).rejects.toThrow(NotFound)
    await refused(learner, draft)
    await getFilmFileToServe(author, { kind: 'video', uid: draft })
    for (const other of [
      await aContext(db),
      await aContext(db, { viewer: await aUser(db, { plan: null }) }),
      await aContext(db, { viewer: await aUser(db, { site: 'ns', plan: null, groups: ['admins'] }), site: 'ns' }),
    ]) {
      await refused(other, open)
    }
    await expect(getFilmFileToServe(learner, { kind: 'lecture', uid: open })).rejects.toThrow(NotFound)
    await expect(
      getFilmFileToServe(learner, { kind: 'video', uid: await aVideo({ videoUrl: '/films/a.mp4' }) }),
    ).rejects.toThrow(NotFound)
  })

  test('is kept from the sweep while a film uses it, and deleted when it is replaced', async () => {
    const [file, words] = [
      await upload(author, 'video', 'film.mp4', mp4),
      await upload(author, 'captions', 'a.vtt', vtt('a')),
    ]
    const unused = await upload(author, 'video', 'film.mp4', mp4)
    const uid = await aVideo({ videoFile: file.name, captions: words.name })
    const age = async () => {
      const old = new Date(Date.now() - 48 * 3600 * 1000)
      for (const { uid } of [file, words, unused]) {
        await db.updateTable('stored_files').set({ created_at: old }).where('uid', '=', uid).execute()
        await storage()
          .stat(uid)
          .then((found) => found && utimesSync(path.join(folder, uid), old, old))
      }
    }
    const isThere = async () =>
      Promise.all([file, words, unused].map(async ({ uid }) => (await storage().stat(uid)) !== null))
    await age()
    await sweepUploads({ ...author, now: new Date() })
    expect(await isThere()).toEqual([true, true, false])
    await save(author, { uid, videoUrl: '/films/a.mp4' })
    await age()
    await sweepUploads({ ...author, now: new Date() })
    expect(await isThere()).toEqual([false, false, false])
  })

  test('stays if its address comes back from a program, and is no address for another film', async () => {
    const uid = await aVideo({ videoFile: await aFilm() })
    const address = `/film-files/videos/${uid}.mp4`
    for (const videoUrl of [address, `${author.site.baseUrl}${address}`]) await save(author, { uid, videoUrl })
    expect(await getVideoToWatch(learner, { videoUid: uid })).toMatchObject({ videoUrl: address, duration: 17 })
    await expect(aVideo({ videoUrl: address })).rejects.toThrow('This is the address of an uploaded file.')
  })

  test('A-085 or its address is required, and one of them is enough', async () => {
    const refusal = (media: object) =>
      aVideo(media).then(
        () => null,
        (error: Invalid) => error.fieldErrors,
      )
    expect(await refusal({})).toEqual({ videoUrl: 'Video URL is required' })
    expect(await refusal({ videoUrl: ' ', videoFile: '' })).toEqual({ videoUrl: 'Video URL is required' })
    expect(await refusal({ videoSource: 'file', videoUrl: '/films/a.mp4' })).toEqual({
      videoFile: 'Please upload a video file',
    })
    expect(await refusal({ name: '', description: '' })).toMatchObject({
      videoUrl: 'Video URL is required',
      name: 'Video name is required',
      description: 'Description is required',
    })
    expect(await refusal({ videoUrl: 'javascript:alert(1)' })).toEqual({
      videoUrl: 'This is not the address of a video',
    })
    expect(await refusal({ videoFile: `${randomUUID()}.mp4` })).toEqual({
      videoFile: 'This file is no longer there. Please upload it again.',
    })
    expect(await refusal({ videoUrl: '/films/a.mp4', videoFile: 'x' })).toEqual({
      videoFile: 'A film has either an address or a file',
    })
    const uid = await aVideo({ videoSource: 'address', videoUrl: '/films/a.mp4', videoFile: await aFilm() })
    expect(await findFilmMedia(author, { kind: 'video', uid })).toMatchObject({
      videoUrl: '/films/a.mp4',
      videoFile: null,
    })
  })
})

describe('captions', () => {
  test('are in several languages: each has a track, and the transcript is read in any of them', async () => {
    const uid = await aVideo({
      videoUrl: '/films/a.mp4',
      captionsFirst: 'de',
      'captions-en': await captions('Hello'),
      'captions-de': await captions('Guten Tag'),
      captionsNew: await captions('Bonjour'),
      captionsNewLanguage: 'fr',
    })
    const watch = (language?: string) => getVideoToWatch(learner, { videoUid: uid, language })
    const { tracks, transcript } = await watch()
    expect(tracks.map(({ label, address }) => [label, address.split('/').at(-1)])).toEqual([
      ['German', `${uid}.de.vtt`],
      ['English', `${uid}.en.vtt`],
      ['French', `${uid}.fr.vtt`],
    ])
    expect(transcript).toMatchObject({ language: 'de', lines: [{ from: 1, text: 'Guten Tag' }] })
    expect((await watch('fr')).transcript.lines).toEqual([{ from: 1, text: 'Bonjour' }])
    expect((await watch('xx')).transcript.language).toBe('de')
    const served = (language: string | null) => getCaptionsToServe(learner, { kind: 'video', uid, language })
    expect(await served(null)).toEqual(await served('de'))
    await expect(served('es')).rejects.toThrow(NotFound)
  })

  test('can be replaced and removed by another author, who did not upload them', async () => {
    const [english, german] = [await captions('Hello'), await captions('Guten Tag')]
    const source = { videoUrl: '/films/a.mp4' }
    const uid = await aVideo({ ...source, 'captions-en': english, 'captions-de': german })
    const other = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
    const added = await captions('Bonjour', other)
    await save(other, { uid, ...source, 'captions-en': english, 'captions-fr': added })
    const { tracks } = await getVideoToWatch(learner, { videoUid: uid })
    expect(tracks.map(({ language }) => language)).toEqual(['en', 'fr'])
    // What somebody else has uploaded cannot be taken for another film.
    await expect(save(other, { uid: await aVideo(source), ...source, 'captions-en': english })).rejects.toThrow(
      'no longer there',
    )
    await save(other, { uid, ...source })
    expect((await getVideoToWatch(learner, { videoUid: uid })).transcript.languages).toEqual([])
  })

  test('that cannot be read are refused when they are uploaded, with their line', async () => {
    const send = (bytes: string | Buffer) => upload(author, 'captions', 'a.vtt', bytes)
    await expect(send('WEBVTT\n\n00:01 --> 00:02\nHello')).rejects.toThrow(
      'Line 3: “00:01” is not a time such as 00:01.000.',
    )
    await expect(send('<html>')).rejects.toThrow('Line 1: A WebVTT file begins with the word WEBVTT.')
    await expect(send(Buffer.from(vtt('Größe'), 'latin1'))).rejects.toThrow('This file is not in UTF-8.')
    await expect(send(Buffer.from([0, 1, 2]))).rejects.toThrow('Invalid file type')
  })

  test.each([
    [
      'a language twice',
      { captionsNewLanguage: 'en' },
      { captionsNewLanguage: 'There are captions in English already. Replace that file, or choose another language.' },
    ],
    ['no language', {}, { captionsNewLanguage: 'Please choose the language of these captions' }],
    [
      'an unknown language',
      { captionsNewLanguage: 'tlh' },
      { captionsNewLanguage: 'Please choose the language of these captions' },
    ],
  ])('with %s are refused', async (_what, sent, fieldErrors) => {
    const file = await captions('Hello')
    const refused = aVideo({ videoUrl: '/films/a.mp4', 'captions-en': file, captionsNew: file, ...sent })
    await expect(refused).rejects.toMatchObject({ fieldErrors })
  })
})

describe('a transcript', () => {
  const source = { videoUrl: '/films/a.mp4' }

  test('is typed with times, is found by search, and serves as captions too', async () => {
    const transcript = '00:04 Zanzibarine binds\n\n00:01.5 Hello'
    const uid = await aVideo({ ...source, transcript, transcriptAsCaptions: 'on' })
    const film = await getVideoToWatch(learner, { videoUid: uid })
    expect(film.transcript.lines).toEqual([
      { from: 1.5, text: 'Hello' },
      { from: 4, text: 'Zanzibarine binds' },
    ])
    expect(film.tracks).toHaveLength(1)
    expect(await getCaptionsToServe(learner, { kind: 'video', uid, language: 'en' })).toMatchObject({
      kind: 'text',
      text: 'WEBVTT\n\n00:00:01.500 --> 00:00:04.000\nHello\n\n00:00:04.000 --> 00:00:14.000\nZanzibarine binds\n',
    })
    await indexContent(author, { kind: 'video', uids: [uid] })
    const found = async () => (await searchContent(learner, { query: 'zanzibarine' })).hits.map((hit) => hit.uid)
    expect(await found()).toEqual([uid])
    await save(author, { uid, ...source, transcript: '00:01 Something else' })
    await indexContent(author, { kind: 'video', uids: [uid] })
    expect(await found()).toEqual([])
    expect((await getVideoToWatch(learner, { videoUid: uid })).tracks).toEqual([])
  })

  test('is read from a file of captions or of lines, which replaces what was typed', async () => {
    for (const [name, content] of [
      ['a.txt', '00:01 From a file'],
      ['a.vtt', vtt('<i>From a file</i>')],
    ] as const) {
      const file = await upload(author, 'transcript', name, content)
      const uid = await aVideo({
        ...source,
        transcript: '00:09 Typed',
        transcriptFile: file.name,
        transcriptLanguage: 'fr',
      })
      expect((await getVideoToWatch(learner, { videoUid: uid })).transcript).toMatchObject({
        language: 'fr',
        lines: [{ from: 1, text: 'From a file' }],
      })
    }
    const broken = await upload(author, 'transcript', 'a.txt', '00:01 Good\nWithout a time')
    await expect(aVideo({ ...source, transcriptFile: broken.name })).rejects.toMatchObject({
      fieldErrors: { transcriptFile: 'Line 2: Begin with a time such as 01:30.' },
    })
  })

  test('comes before the captions, which give it in their languages', async () => {
    const uid = await aVideo({
      ...source,
      transcript: '00:01 Typed',
      'captions-en': await captions('Spoken'),
      'captions-de': await captions('Gesagt'),
    })
    const watch = async (language?: string) => (await getVideoToWatch(learner, { videoUid: uid, language })).transcript
    expect((await watch()).lines).toEqual([{ from: 1, text: 'Typed' }])
    expect((await watch('de')).lines).toEqual([{ from: 1, text: 'Gesagt' }])
    expect((await watch()).languages).toHaveLength(2)
  })

  test.each([
    [{ transcript: 'No time\n00:01 Good' }, { transcript: 'Line 1: Begin with a time such as 01:30.' }],
    [{ transcript: '00:01 a\u0000b' }, { transcript: 'This text holds characters that cannot be stored' }],
    [{ transcript: 'x'.repeat(200_001) }, { transcript: 'At most 200,000 characters' }],
    [{ transcriptLanguage: 'tlh' }, { transcriptLanguage: 'Please choose a language from the list' }],
  ])('is refused by its line and keeps what is stored: %#', async (sent, fieldErrors) => {
    await expect(aVideo({ ...source, ...sent })).rejects.toMatchObject({ fieldErrors })
  })

  test('cannot be captions in a language that has a file of captions', async () => {
    const sent = {
      ...source,
      transcript: '00:01 Typed',
      transcriptAsCaptions: true,
      captions: await captions('Spoken'),
    }
    await expect(aVideo(sent)).rejects.toMatchObject({
      fieldErrors: {
        transcriptAsCaptions:
          'There is a file of captions in English already. Remove it, or do not use the transcript as captions.',
      },
    })
    const uid = await aVideo({ ...sent, transcriptLanguage: 'de' })
    const { tracks } = await getVideoToWatch(learner, { videoUid: uid })
    expect(tracks.map(({ language }) => language)).toEqual(['de', 'en'])
  })
})

test('programs get captions and words of a film that the viewer may open, and of no other', async () => {
  const media = { videoUrl: '/films/a.mp4', transcript: '00:01 Hello', transcriptAsCaptions: true }
  const open = await aVideo({ ...media, 'captions-de': await captions('Hallo') })
  const draft = await aVideo({ ...media, status: 'draft' })
  const { category: _, position: __, ...input } = await videoInput(media)
  const soon = (await createLecture(author, { ...input, questionsMarkdown: 'Why?', comingSoon: true })).uid
  const partsOf = (ctx: Ctx, kind: 'videos' | 'lectures', uid: string) =>
    listPartsOf(ctx, kind, [uid], ['captions', 'transcript']).then((parts) => parts.get(uid))
  const { baseUrl } = learner.site
  expect(await partsOf(learner, 'videos', open)).toEqual({
    captions: [
      { language: 'en', label: 'English', url: `${baseUrl}/captions/videos/${open}.en.vtt` },
      { language: 'de', label: 'German', url: `${baseUrl}/captions/videos/${open}.de.vtt` },
    ],
    transcript: 'Hello',
  })
  expect(await partsOf(learner, 'videos', draft)).toBeUndefined()
  expect(await partsOf(learner, 'lectures', soon)).toEqual({ captions: [], transcript: '' })
  expect(await partsOf(author, 'lectures', soon)).toMatchObject({ transcript: 'Hello' })
})

test('publishing without captions says who is left out', async () => {
  const source = { videoUrl: '/films/a.mp4' }
  const missing = async (media: object) =>
    (await problemsInWords(author, { kind: 'video', uid: await aVideo({ ...source, ...media }) })).find((sentence) =>
      sentence.includes('captions'),
    )
  expect(await missing({})).toBe(
    'This video has no captions and no transcript. It leaves out people who are deaf or hard of hearing, and everybody who watches without sound.',
  )
  expect(await missing({ transcript: '00:01 Hello' })).toContain('only a transcript (English) beside it')
  expect(await missing({ transcript: '00:01 Hello', transcriptAsCaptions: true })).toBeUndefined()
  expect(await missing({ captions: await captions('Hello') })).toBeUndefined()
  expect(await missing({ videoUrl: 'https://vimeo.com/90' })).toContain('If it has none at Vimeo either, it leaves out')
  await takeJobs(db, 'look-up-vimeo')
})

describe('saving media', () => {
  test('is for staff of the site', async () => {
    const uid = await aVideo({ videoUrl: '/films/a.mp4' })
    await expectGuarded(save, { uid, videoUrl: '/films/b.mp4' }, { by: ['admins', 'authors'] })
    await expectGuarded(
      (ctx, input: { uid: string }) =>
        findFilmMedia(ctx, { kind: 'video', ...input }).then((found) => {
          if (!found) throw new NotFound()
        }),
      { uid },
      { by: ['admins', 'authors'] },
    )
    expect(await findFilmMedia(author, { kind: 'video', uid })).toMatchObject({ videoUrl: '/films/a.mp4' })
    for (const ctx of [learner, await aContext(db)]) {
      await expect(upload(ctx, 'video', 'a.mp4', mp4)).rejects.toThrow(Forbidden)
    }
  })

  test('ten times at once leaves one state', async () => {
    const uid = await aVideo({ videoUrl: '/films/a.mp4' })
    const files = await Promise.all(['one', 'two'].map((text) => captions(text)))
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        save(author, {
          uid,
          videoUrl: '/films/a.mp4',
          'captions-en': files[index % 2],
          'captions-de': files[(index + 1) % 2],
        }),
      ),
    )
    const found = await findFilmMedia(author, { kind: 'video', uid })
    expect(found?.captions.map(({ language }) => language)).toEqual(['en', 'de'])
    expect(new Set(found?.captions.map(({ file }) => file.name)).size).toBe(2)
  })
})

describe('Vimeo', () => {
  let answer: RequestListener = (_req, res) => res.end()
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(new URL(req.url ?? '', 'http://x').searchParams.get('url') ?? '')
    answer(req, res)
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    env().VIMEO_OEMBED_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/oembed.json`
  })
  afterAll(() => server.close())
  const answers = (body: unknown, status = 200, headers = {}) => {
    answer = (_req, res) => res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  const aLecture = async (videoUrl: string) => {
    const { category: _, position: __, ...input } = await videoInput({ videoUrl })
    return (await createLecture(author, { ...input, questionsMarkdown: 'Why?' })).uid
  }
  const jobOf = async () => {
    const [job] = await takeJobs(db, 'look-up-vimeo')
    if (!job) throw new Error('No job was queued')
    return job
  }
  const factsOf = async (uid: string) => {
    const { vimeoFullUrl, duration, thumbnailUrl } = await getLecture(author, { lectureUid: uid })
    return { vimeoFullUrl, duration, thumbnailUrl }
  }
  const still = 'https://i.vimeocdn.com/video/1.jpg'
  // The page follows from the address; what only Vimeo knows is missing.
  const nothing = (page: string) => ({ vimeoFullUrl: `https://vimeo.com/${page}`, duration: null, thumbnailUrl: null })

  test('tells the page, the length and a still of a film, in a job of the save', async () => {
    const uid = await aLecture('https://vimeo.com/77/ab12')
    expect(await factsOf(uid)).toEqual(nothing('77/ab12'))
    answers({ duration: 93.4, thumbnail_url: still, html: '<script>' })
    const job = await jobOf()
    expect(job).toEqual({ kind: 'lecture', uid, site: 'institutional' })
    await runJob(author, 'look-up-vimeo', job)
    await runJob(author, 'look-up-vimeo', job)
    expect(asked.at(-1)).toBe('https://vimeo.com/77/ab12')
    expect(await factsOf(uid)).toEqual({ vimeoFullUrl: 'https://vimeo.com/77/ab12', duration: 93, thumbnailUrl: still })
    await aLecture('https://example.org/film.mp4')
    expect(await takeJobs(db, 'look-up-vimeo')).toEqual([])
  })

  test.each([
    ['an error', () => answers('', 500), 'HTTP 500'],
    ['too many requests', () => answers('', 429), 'HTTP 429'],
    ['something else than JSON', () => answers('<html>'), 'JSON'],
    ['an endless answer', () => answers('x'.repeat(200_000)), 'too long'],
    [
      'a redirect to a private address',
      () => answers('', 302, { location: 'http://169.254.169.254/' }),
      'fetch failed',
    ],
  ])('is asked again after %s, and the film stays as it is', async (_what, prepare, message) => {
    const uid = await aLecture('https://vimeo.com/78')
    prepare()
    await expect(lookUpVimeo(author, await jobOf())).rejects.toThrow(message)
    expect(await factsOf(uid)).toEqual(nothing('78'))
  })

  test('is not asked again about a film that it does not know', async () => {
    const uid = await aLecture('https://vimeo.com/79')
    answers('', 404)
    expect(await lookUpVimeo(author, await jobOf())).toBe('unknown to Vimeo')
    expect(await factsOf(uid)).toEqual(nothing('79'))
  })

  test.each([
    [{ duration: -1, thumbnail_url: 'javascript:alert(1)' }],
    [{ duration: '12', thumbnail_url: 'http://i.example.org/a.jpg' }],
    [{ duration: 1e9, thumbnail_url: `https://i.example.org/${'a'.repeat(600)}` }],
    [null],
    [[]],
  ])('may answer nonsense, of which nothing is stored: %j', async (body) => {
    const uid = await aLecture('https://vimeo.com/80')
    answers(body)
    await lookUpVimeo(author, await jobOf())
    expect(await factsOf(uid)).toEqual(nothing('80'))
  })

  test('does not overwrite a film that has got another address meanwhile', async () => {
    const uid = await aVideo({ videoUrl: 'https://vimeo.com/81' })
    const job = await jobOf()
    answer = async (_req, res) => {
      await save(author, { uid, videoUrl: 'https://vimeo.com/82' })
      res.end(JSON.stringify({ duration: 5, thumbnail_url: still }))
    }
    await lookUpVimeo(author, job)
    expect(await findFilmMedia(author, { kind: 'video', uid })).toMatchObject({
      videoUrl: 'https://player.vimeo.com/video/82',
      duration: null,
      vimeoFullUrl: 'https://vimeo.com/82',
    })
    answers({ duration: 6 })
    await lookUpVimeo(author, await jobOf())
    expect(await findFilmMedia(author, { kind: 'video', uid })).toMatchObject({ duration: 6 })
    // A save that leaves the address alone keeps what is known.
    await save(author, { uid, videoUrl: 'https://vimeo.com/82' })
    expect(await findFilmMedia(author, { kind: 'video', uid })).toMatchObject({ duration: 6 })
    expect(await takeJobs(db, 'look-up-vimeo')).toEqual([])
  })
})
