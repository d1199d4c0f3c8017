/** Lectures and videos: who sees and opens them, in what order, and the progress in them. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { readFilmFilter, viewsOfLectures } from '~/pages/films.server.ts'
import { getSavedPage } from '~/pages/saved.server.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { getFavorites, setFavorite } from '~/services/favorites/favorites.server.ts'
import { getCaptionsToServe } from '~/services/films/watch-media.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import {
  countLectures,
  countLecturesByPhase,
  findNeighbours,
  getLecture,
  getLectureToWatch,
  listLectureCards,
  listLectures,
} from '~/services/lectures/lectures.server.ts'
import {
  findOwnFilmsProgress,
  findOwnPlayed,
  recordFilmProgress,
  userProgress,
} from '~/services/progress/progress.server.ts'
import { listOwnFilms } from '~/services/progress/started.server.ts'
import { listAllContent } from '~/services/read/all-content.server.ts'
import { getOwnLearning } from '~/services/read/own-learning.server.ts'
import { type Storage, setStorage } from '~/services/storage/storage.server.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import {
  countVideosByFilter,
  findVideoNeighbours,
  getVideoToWatch,
  listVideoCards,
  listVideos,
} from '~/services/videos/videos.server.ts'
import { insideTransaction, queryCounter } from '~db/client.server.ts'
import { aCover } from '../support/attachments.ts'
import { aContext, aUser } from '../support/context.ts'
import { aLecture, aVideo, type TestFilm } from '../support/films.ts'
import { aStorage } from '../support/packages.ts'
import { db } from '../support/test.ts'

let seen: { open: TestFilm[]; soon: TestFilm; draft: TestFilm; hidden: TestFilm[] }

const files = aStorage()

beforeAll(async () => {
  seen = {
    open: [
      await aLecture(db, { name: 'Zeta', chapter: 'Screening', position: 0 }),
      await aLecture(db, { name: 'Alpha', chapter: 'Screening', position: 1, phases: ['Discover', 'Deliver'] }),
      await aLecture(db, { name: 'Beta', chapter: 'Phase 1', phases: ['Deliver'] }),
      await aLecture(db, { name: 'Anywhere', phases: [] }),
    ],
    soon: await aLecture(db, { name: 'Future', chapter: 'Phase 3', comingSoon: true, phases: ['Deliver'] }),
    draft: await aLecture(db, { name: 'Draft', status: 'draft' }),
    hidden: [
      await aLecture(db, { name: 'Deleted', deleted: true }),
      await aLecture(db, { name: 'Other plan', plans: ['Free Access'] }),
      await aLecture(db, { name: 'No plan', plans: [] }),
      await aLecture(db, { name: 'Other site', site: 'ns' }),
    ],
  }
})

const as = async (options: Parameters<typeof aUser>[1] = {}): Promise<Ctx & { viewer: Viewer }> => {
  const viewer = await aUser(db, options)
  return { ...(await aContext(db, { viewer, site: options.site ?? 'institutional' })), viewer }
}
const names = (films: { name: string }[]) => films.map(({ name }) => name)

async function setFlag(isOn: boolean): Promise<void> {
  await db.updateTable('feature_flags').set({ is_on: isOn }).where('name', '=', 'LECTURES').execute()
}

describe('lists', () => {
  test('are in the order of the process, with Coming Soon films, in pages', async () => {
    const ctx = await as()
    const all = ['Zeta', 'Alpha', 'Beta', 'Future', 'Anywhere']
    expect(names(await listLectureCards(ctx))).toEqual(all)
    expect(names(await listLectureCards(ctx, { limit: 2, offset: 1 }))).toEqual(all.slice(1, 3))
    expect(names(await listLectureCards(ctx, { phase: 'Deliver' }))).toEqual(['Alpha', 'Beta', 'Future'])
    expect(await countLecturesByPhase(ctx)).toEqual({ all: 5, Discover: 2, Develop: 0, Deliver: 3 })
    const [first] = await listLectureCards(ctx)
    expect(first).toMatchObject({
      step: 'Screening',
      phase: 'discover',
      isOpenable: true,
      presenter: 'Prof. Ines Halvorsen',
    })
  })

  test('contain drafts for staff only, and by name match their count', async () => {
    const learner = await as()
    const author = await as({ groups: ['authors'], plan: null })
    expect(names((await listLectures(learner)).items)).toEqual(['Alpha', 'Anywhere', 'Beta', 'Future', 'Zeta'])
    expect(await countLectures(learner)).toBe(5)
    expect(names((await listLectures(author)).items)).toContain('Draft')
    expect(names((await listLectures(author, { publishedOnly: true })).items)).not.toContain('Draft')
    const page = await listLectures(learner, { first: 2 })
    expect([names(page.items), page.hasNextPage]).toEqual([['Alpha', 'Anywhere'], true])
    expect(names((await listLectures(learner, { first: 2, after: page.endCursor })).items)).toEqual(['Beta', 'Future'])
    const soon = (await listLectures(learner)).items.find(({ name }) => name === 'Future')
    expect(soon?.videoUrl).toBe('')
  })

  test('are empty without a plan and on the other site; signed-out visitors are asked to sign in', async () => {
    for (const ctx of [await as({ plan: null }), await as({ site: 'ns', plan: null })]) {
      expect(await listLectureCards(ctx)).toEqual([])
      expect((await listLectures(ctx)).items).toEqual([])
    }
    const visitor = await aContext(db)
    expect(await listLectureCards(visitor)).toEqual([])
    await expect(listLectures(visitor)).rejects.toThrow('Login required.')
  })

  test('and everything else are empty for a learner while LECTURES is off; staff still see them', async () => {
    const learner = await as()
    const author = await as({ groups: ['authors'] })
    const lectureUid = seen.open[0]?.uid ?? ''
    await setFlag(false)
    try {
      expect(await listLectureCards(learner)).toEqual([])
      expect((await listLectures(learner)).items).toEqual([])
      await expect(getLectureToWatch(learner, { lectureUid })).rejects.toThrow(NotFound)
      await expect(recordFilmProgress(learner, { kind: 'lecture', uid: lectureUid, percent: 5 })).rejects.toThrow(
        NotFound,
      )
      expect(names((await listLectures(author)).items)).toContain('Zeta')
    } finally {
      await setFlag(true)
    }
  })

  test('take as many queries for three cards as for one', async () => {
    const ctx = await as()
    const count = (limit: number) =>
      queryCounter.run({ queries: 0 }, async () => {
        await viewsOfLectures(ctx, await listLectureCards(ctx, { limit }))
        return queryCounter.getStore()?.queries
      })
    expect(await count(1)).toBe(4)
    expect(await count(3)).toBe(4)
  })
})

test('an invalid page number shows the first page, as in every list', () => {
  const pageOf = (page: string) => readFilmFilter(new Request(`http://localhost/videos/?page=${page}`)).page
  expect(['2', '2abc', '1.5', '-1', '1e3', '9'.repeat(30), ''].map(pageOf)).toEqual([2, 1, 1, 1, 1, 1, 1])
})

describe('opening', () => {
  test('works for listed and open films; all others are not found, for any viewer', async () => {
    const ctx = await as()
    for (const { uid } of seen.open)
      expect(await getLectureToWatch(ctx, { lectureUid: uid })).toMatchObject({
        uid,
        tracks: [],
        transcript: { lines: [], languages: [] },
      })
    for (const { uid } of [seen.soon, seen.draft, ...seen.hidden, { uid: randomUUID() }, { uid: 'x' }]) {
      await expect(getLectureToWatch(ctx, { lectureUid: uid })).rejects.toThrow(NotFound)
    }
    const [film] = seen.open
    for (const other of [await as({ plan: null }), await as({ site: 'ns' }), await aContext(db)]) {
      await expect(getLectureToWatch(other, { lectureUid: film?.uid ?? '' })).rejects.toThrow(NotFound)
    }
  })

  test('links to neighbors in the list that can be opened', async () => {
    const ctx = await as()
    const around = async (name: string, phase: 'Deliver' | null = null) => {
      const lectureUid = seen.open.find((film) => film.name === name)?.uid ?? ''
      const { previous, next } = await findNeighbours(ctx, { lectureUid, phase })
      return [previous?.name ?? null, next?.name ?? null]
    }
    expect(await around('Zeta')).toEqual([null, 'Alpha'])
    expect(await around('Beta')).toEqual(['Alpha', 'Anywhere'])
    expect(await around('Anywhere')).toEqual(['Beta', null])
    expect(await around('Beta', 'Deliver')).toEqual(['Alpha', null])
    expect(await findNeighbours(ctx, { lectureUid: seen.draft.uid })).toEqual({ previous: null, next: null })
  })
})

describe('videos', () => {
  test('are listed by place, filtered by phase and kind, and opened with access', async () => {
    const ctx = await as()
    const second = await aVideo(db, { name: 'Second', position: 2, category: 'expert' })
    const first = await aVideo(db, { name: 'First', position: 1, phases: ['Deliver'] })
    const draft = await aVideo(db, { name: 'Draft', status: 'draft' })
    await aVideo(db, { name: 'Elsewhere', site: 'ns' })
    await aVideo(db, { name: 'Not mine', plans: ['Free Access'] })
    expect(names(await listVideoCards(ctx))).toEqual(['First', 'Second'])
    expect(names(await listVideoCards(ctx, { category: 'expert' }))).toEqual(['Second'])
    expect(names(await listVideoCards(ctx, { phase: 'Deliver', category: 'expert' }))).toEqual([])
    expect((await countVideosByFilter(ctx)).reduce((sum, { total }) => sum + total, 0)).toBe(2)
    expect(names((await listVideos(ctx, { phase: 'Deliver' })).items)).toEqual(['First'])
    expect(await getVideoToWatch(ctx, { videoUid: first.uid })).toMatchObject({
      name: 'First',
      videoUrl: '/films/test.mp4',
    })
    await expect(getVideoToWatch(ctx, { videoUid: draft.uid })).rejects.toThrow(NotFound)
    expect(await findVideoNeighbours(ctx, { videoUid: first.uid })).toEqual({
      previous: null,
      next: { uid: second.uid, name: 'Second' },
    })
  })
})

describe.each(['lecture', 'video'] as const)('progress in a %s', (kind) => {
  const record = (ctx: Ctx, film: TestFilm | { uid: string }, percent: number, positionSeconds?: number) =>
    recordFilmProgress(ctx, { kind, uid: film.uid, percent, positionSeconds })
  const aFilm = (options: Parameters<typeof aLecture>[1] = {}) =>
    kind === 'lecture' ? aLecture(db, { inLecturesPage: false, ...options }) : aVideo(db, options)

  test('A-236 never falls, keeps the place, and is completed once', async () => {
    const ctx = await as()
    const film = await aFilm()
    expect(await record(ctx, film, 60, 12)).toMatchObject({ percent: 60, positionSeconds: 12, completedAt: null })
    expect(await record(ctx, film, 20, 4)).toMatchObject({ percent: 60, positionSeconds: 4 })
    expect(await record(ctx, film, 30)).toMatchObject({ percent: 60, positionSeconds: 4 })
    const done = await record(ctx, film, 100, 20)
    expect(done).toMatchObject({ percent: 100, completedAt: expect.any(Date) })
    const later = await record({ ...ctx, now: new Date(Date.now() + 60_000) }, film, 5, 1)
    expect(later).toEqual({ percent: 100, positionSeconds: 1, completedAt: done.completedAt })
    const user = await getUser(ctx, { userUid: ctx.viewer.uid })
    expect(kind === 'lecture' ? user.lastWatchedLectureUid : user.lastWatchedVideoUid).toBe(film.uid)
  })

  test('is refused for signed-out viewers, without access, and on the other site', async () => {
    const film = await aFilm()
    await expect(record(await aContext(db), film, 10)).rejects.toThrow(Forbidden)
    const foreign = await as({ site: 'ns' })
    for (const ctx of [await as({ plan: null }), await as({ plan: 'Free Access' }), foreign]) {
      await expect(record(ctx, film, 10)).rejects.toThrow(NotFound)
    }
    const ctx = await as()
    for (const hidden of [await aFilm({ status: 'draft' }), await aFilm({ deleted: true }), { uid: 'x' }]) {
      await expect(record(ctx, hidden, 10)).rejects.toThrow(NotFound)
    }
    const table = kind === 'lecture' ? 'lecture_progress' : 'video_progress'
    expect(await db.selectFrom(table).select('percent').where('user_id', '=', foreign.viewer.id).execute()).toEqual([])
  })

  test.each([[-1], [101], [Number.NaN], [1.5]])('A-234 of %s percent is refused with a message', async (percent) => {
    await expect(record(await as(), await aFilm(), percent)).rejects.toThrow(Invalid)
  })

  test.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'at %s seconds is refused with a message',
    async (position) => {
      await expect(record(await as(), await aFilm(), 10, position)).rejects.toThrow(Invalid)
    },
  )

  test('sent ten times at once keeps the highest', async () => {
    const ctx = await as()
    const film = await aFilm()
    await Promise.all(Array.from({ length: 10 }, (_, i) => record(ctx, film, (i + 1) * 9, i)))
    expect(await record(ctx, film, 0)).toMatchObject({ percent: 90 })
  })
})

describe.each(['lecture', 'video'] as const)('m9 what was played of a %s', (kind) => {
  const record = (ctx: Ctx, film: { uid: string }, played: string, more: { durationSeconds?: number | null } = {}) =>
    recordFilmProgress(ctx, { kind, uid: film.uid, played, durationSeconds: 20, positionSeconds: 3, ...more })
  const aFilm = () => (kind === 'lecture' ? aLecture(db, { inLecturesPage: false }) : aVideo(db))

  test('is joined, so that seconds count once, and jumps do not', async () => {
    const ctx = await as()
    const film = await aFilm()
    expect(await record(ctx, film, '190-200')).toMatchObject({ percent: 5, positionSeconds: 3, completedAt: null })
    expect(await record(ctx, film, '0-100')).toMatchObject({ percent: 55 })
    expect(await record(ctx, film, '0-100,195-200')).toMatchObject({ percent: 55 })
    expect(await record(ctx, film, ''), 'nothing new').toMatchObject({ percent: 55, completedAt: null })
    expect(await findOwnPlayed(ctx, { kind, uid: film.uid })).toEqual([
      [0, 100],
      [190, 200],
    ])
    expect(await record(ctx, film, '100-180')).toMatchObject({ percent: 100, completedAt: expect.any(Date) })
    expect(await findOwnPlayed(await as(), { kind, uid: film.uid }), 'of nobody else').toEqual([])
  })

  test('never makes the percent fall that a program reported or that was there before', async () => {
    const ctx = await as()
    const film = await aFilm()
    await recordFilmProgress(ctx, { kind, uid: film.uid, percent: 60 })
    expect(await record(ctx, film, '0-20')).toMatchObject({ percent: 60 })
    expect(await record(ctx, film, '20-180')).toMatchObject({ percent: 90 })
    expect(await recordFilmProgress(ctx, { kind, uid: film.uid, percent: 70 })).toMatchObject({ percent: 90 })
    expect(await findOwnPlayed(ctx, { kind, uid: film.uid })).toEqual([[0, 180]])
  })

  test('in several windows at once is joined', async () => {
    const ctx = await as()
    const film = await aFilm()
    await Promise.all(Array.from({ length: 10 }, (_, i) => record(ctx, film, `${i * 20}-${i * 20 + 10}`)))
    expect(await record(ctx, film, '')).toMatchObject({ percent: 50 })
    await Promise.all(Array.from({ length: 10 }, () => record(ctx, film, '10-20')))
    expect(await record(ctx, film, '')).toMatchObject({ percent: 55 })
  })

  test('is refused if it is not in the film or not sorted, and for others', async () => {
    const ctx = await as()
    const film = await aFilm()
    for (const played of ['0-211', '5-2', '50-60,0-9', '0-9;10-20', '0--9', `0-${'9'.repeat(99)}`, '{[0,5)}']) {
      await expect(record(ctx, film, played), played).rejects.toThrow('The played parts must be sorted')
    }
    for (const durationSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e6]) {
      await expect(record(ctx, film, '0-10', { durationSeconds })).rejects.toThrow('The length of the film')
    }
    await expect(record(await aContext(db), film, '0-10')).rejects.toThrow(Forbidden)
    for (const other of [await as({ plan: null }), await as({ site: 'ns' })]) {
      await expect(record(other, film, '0-10')).rejects.toThrow(NotFound)
    }
    expect(await findOwnPlayed(ctx, { kind, uid: film.uid })).toEqual([])
  })

  test('is kept while the length is unknown, and bounded however many parts are sent', async () => {
    const ctx = await as()
    const film = await aFilm()
    expect(await record(ctx, film, '0-190', { durationSeconds: null })).toMatchObject({ percent: 0 })
    expect(await record(ctx, film, '')).toMatchObject({ percent: 100 })
    for (let i = 1; i <= 12; i++) {
      const parts = Array.from({ length: 200 }, (_, part) => `${i * 1000 + part * 2}-${i * 1000 + part * 2 + 1}`)
      await record(ctx, film, parts.join(), { durationSeconds: null })
    }
    expect((await findOwnPlayed(ctx, { kind, uid: film.uid })).length).toBeLessThanOrEqual(2000)
  })
})

test("a lecture's progress is on its card and in userProgress, also for admins", async () => {
  const ctx = await as()
  const [film] = seen.open
  const lectureUid = film?.uid ?? ''
  await recordFilmProgress(ctx, { kind: 'lecture', uid: lectureUid, percent: 60 })
  const [card] = await viewsOfLectures(ctx, await listLectureCards(ctx, { limit: 1 }))
  expect(card).toMatchObject({ uid: lectureUid, percent: 60, eyebrow: 'Screening' })
  expect((await findOwnFilmsProgress(ctx, { kind: 'lecture', uids: [lectureUid, 'x'] })).get(lectureUid)?.percent).toBe(
    60,
  )
  const admin = await as({ groups: ['admins'], plan: null })
  const progress = await userProgress(admin, { userUid: ctx.viewer.uid, lectureUids: [lectureUid, randomUUID()] })
  expect(progress.lecturesProgress).toMatchObject([
    { lectureUid, progressPercent: 60, error: null },
    { progressPercent: 0, error: 'Lecture not found.' },
  ])
})

describe('making a film', () => {
  const planUid = async () =>
    (await db.selectFrom('access_plans').select('uid').where('name', '=', 'Full Access').executeTakeFirstOrThrow()).uid
  const chapterUid = async (name: string) =>
    (await db.selectFrom('chapters').select('uid').where('name', '=', name).executeTakeFirstOrThrow()).uid
  const upload = async (ctx: Ctx, kind: 'captions' | 'cover_img', bytes: Buffer | string) => {
    const fileName = kind === 'captions' ? 'captions.vtt' : 'cover.png'
    return (await receiveUpload(ctx, { kind, fileName, source: Readable.from([Buffer.from(bytes)]) })).name
  }
  const captions = 'WEBVTT\n\n00:00.000 --> 00:02.000\nHello & welcome\n'
  const parts = async (ctx: Ctx) => ({
    name: 'Made <b>here</b>',
    description: 'Something to learn',
    status: 'published' as const,
    phases: ['Develop' as const],
    tags: ['Assay', 'assay', 'New'],
    accessPlanUids: [await planUid()],
    coverImg: (await aCover(ctx)).name,
    coverImgDesc: 'A green field',
    captions: await upload(ctx, 'captions', captions),
    videoUrl: 'https://vimeo.com/77/ab12',
    duration: 12,
  })
  const lecture = async (ctx: Ctx) => ({ ...(await parts(ctx)), uid: randomUUID(), questionsMarkdown: 'Why?' })
  const video = async (ctx: Ctx) => ({
    ...(await parts(ctx)),
    uid: randomUUID(),
    category: 'expert' as const,
    position: 1,
  })

  test.each([
    ['an author', { groups: ['authors' as const], plan: null }],
    ['the operator', null],
  ])('by %s: it is complete and exists once, however often it is requested', async (_who, options) => {
    const maker = options ? await as(options) : await aContext(db, { isOperator: true })
    const ctx = await as()
    const input = { ...(await lecture(maker)), chapterUid: await chapterUid('Optimization') }
    const { uid } = await createLecture(maker, input)
    await Promise.all(Array.from({ length: 10 }, () => createLecture(maker, input)))
    const made = await getLectureToWatch(ctx, { lectureUid: uid })
    expect(made).toMatchObject({
      name: 'Made <b>here</b>',
      videoUrl: 'https://player.vimeo.com/video/77?h=ab12',
      tracks: [{ language: 'en', label: 'English', address: `/captions/lectures/${uid}.en.vtt` }],
      transcript: { language: 'en', lines: [{ from: 0, text: 'Hello & welcome' }] },
      step: 'Optimization',
      cover: { imageUid: expect.any(String) },
    })
    const row = await db.selectFrom('lectures').select('transcript').where('uid', '=', uid).execute()
    expect(row).toEqual([{ transcript: 'Hello & welcome' }])
    const file = { kind: 'lecture' as const, uid, language: null }
    expect(await getCaptionsToServe(ctx, file)).toMatchObject({ kind: 'file', file: { size: captions.length } })
    for (const other of [await as({ plan: null }), await as({ site: 'ns' }), await aContext(db)]) {
      await expect(getCaptionsToServe(other, file)).rejects.toThrow(NotFound)
    }
    const audit = await db.selectFrom('audit_entries').select('action').where('entity_uid', '=', uid).execute()
    expect(audit).toEqual([{ action: 'lecture.created' }])
  })

  test('is for staff of the site, with files and plans of the site', async () => {
    const author = await as({ groups: ['authors'] })
    const [newLecture, newVideo] = [await lecture(author), await video(author)]
    const abroad = await as({ site: 'ns', groups: ['admins'] })
    for (const refused of [await as(), await as({ groups: ['instructors'] }), await aContext(db)]) {
      await expect(createLecture(refused, newLecture)).rejects.toThrow(Forbidden)
      await expect(createVideo(refused, newVideo)).rejects.toThrow(Forbidden)
    }
    await expect(createLecture(abroad, newLecture)).rejects.toThrow('This file is no longer there.')
    const own = { ...newVideo, coverImg: (await aCover(abroad)).name, captions: null }
    await expect(createVideo(abroad, own)).rejects.toThrow('One of the access plans does not exist.')
    for (const table of ['lectures', 'videos'] as const) {
      const uids = [newLecture.uid, newVideo.uid]
      expect(await db.selectFrom(table).select('uid').where('uid', 'in', uids).execute()).toEqual([])
    }
  })

  test('reads its captions before the transaction, which must not wait for storage', async () => {
    const author = await as({ groups: ['authors'] })
    const inputs = [await lecture(author), await video(author)] as const
    const readInTransaction: boolean[] = []
    const read: Storage['read'] = (...args) => {
      readInTransaction.push(insideTransaction.getStore() === true)
      return files.read(...args)
    }
    setStorage({ ...files, read })
    await createLecture(author, inputs[0])
    await createVideo(author, inputs[1])
    setStorage(files)
    expect(readInTransaction).toEqual([false, false])
  })

  test('that breaks a rule writes nothing', async () => {
    const author = await as({ groups: ['authors'] })
    const input = await video(author)
    const make = async (more: object) => createVideo(author, { ...input, ...more })
    await expect(make({ videoUrl: 'javascript:alert(1)' })).rejects.toThrow('This is not the address of a video')
    await expect(make({ captions: input.coverImg })).rejects.toMatchObject({
      fieldErrors: { 'captions-en': 'This file cannot be used here. Please upload a .vtt file.' },
    })
    await expect(make({ captions: `${randomUUID()}.vtt` })).rejects.toThrow('This file is no longer there.')
    await expect(make({ coverImg: '' })).rejects.toThrow('Cover image is required')
    await expect(make({ accessPlanUids: [randomUUID()] })).rejects.toThrow('One of the access plans does not exist.')
    await expect(make({ name: ' ' })).rejects.toThrow('Video name is required')
    await expect(make({ description: 'a\u0000b' })).rejects.toThrow(Invalid)
    await expect(make({ uid: 'x' })).rejects.toThrow('The uid is not a UUID.')
    await expect(createLecture(author, { ...(await lecture(author)), chapterUid: randomUUID() })).rejects.toThrow(
      'There is no such chapter.',
    )
    expect(await db.selectFrom('videos').select('uid').where('uid', '=', input.uid).execute()).toEqual([])
    await make({})
    expect(await getVideoToWatch(await as(), { videoUid: input.uid })).toMatchObject({ category: 'expert' })
  })
})

test('begun, saved and listed ones also disappear while LECTURES is off, for staff and learners', async () => {
  const learner = await as()
  const admin = await as({ groups: ['admins'] })
  const lectureUid = seen.open[0]?.uid ?? ''
  const video = await aVideo(db, { name: 'Beside them' })
  const save = (ctx: Ctx) => setFavorite(ctx, { action: 'ADD', studyUnitType: 'lecture', uid: lectureUid })
  const found = async (ctx: Ctx) => ({
    cards: names(await listLectureCards(ctx)).includes('Zeta'),
    everything: (await listAllContent(ctx, { kind: null, limit: 100, offset: 0 })).counts.lecture > 0,
    saved: (await getFavorites(ctx)).lectureUids,
    savedCards: names((await getSavedPage(ctx, { type: 'lecture', limit: 9, offset: 0 })).films),
    begun: names((await listOwnFilms(ctx, { state: 'in_progress', page: 1, size: 9 })).items),
    sum: (await getOwnLearning(ctx)).inProgressCount,
  })
  for (const ctx of [learner, admin]) {
    await recordFilmProgress(ctx, { kind: 'lecture', uid: lectureUid, percent: 5 })
    const later = { ...ctx, now: new Date(ctx.now.getTime() + 1000) }
    await recordFilmProgress(later, { kind: 'video', uid: video.uid, percent: 5 })
    await save(ctx)
    const on = { cards: true, everything: true, saved: [lectureUid], savedCards: ['Zeta'], sum: 2 }
    expect(await found(ctx)).toEqual({ ...on, begun: ['Beside them', 'Zeta'] })
  }
  await setFlag(false)
  try {
    for (const ctx of [learner, admin]) {
      const off = { cards: false, everything: false, saved: [], savedCards: [], sum: 1 }
      expect(await found(ctx)).toEqual({ ...off, begun: ['Beside them'] })
      await expect(save(ctx)).rejects.toThrow(NotFound)
      await expect(getLectureToWatch(ctx, { lectureUid })).rejects.toThrow(NotFound)
      await expect(recordFilmProgress(ctx, { kind: 'lecture', uid: lectureUid, percent: 6 })).rejects.toThrow(NotFound)
    }
    expect(await getLecture(admin, { lectureUid })).toMatchObject({ name: 'Zeta' })
    await expect(getLecture(learner, { lectureUid })).rejects.toThrow(NotFound)
    expect((await listPartsOf(admin, 'lectures', [lectureUid], ['plans'])).size).toBe(1)
  } finally {
    await setFlag(true)
  }
  expect((await found(learner)).saved).toEqual([lectureUid])
})
