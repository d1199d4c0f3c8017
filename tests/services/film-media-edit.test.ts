/** The media of lectures and videos as authors save them: merged, logged, brought back from the history and the trash. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { getHistoryView, getRestoreView } from '~/pages/history.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { findFilmMedia } from '~/services/films/media-state.server.ts'
import { lookUpVimeo } from '~/services/films/vimeo.server.ts'
import { restoreRevision } from '~/services/history/history.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import {
  deleteLecture,
  getLectureToEdit,
  isLectureSaved,
  publishLecture,
  saveLecture,
  updateLecture,
} from '~/services/lectures/save-lecture.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { storage } from '~/services/storage/storage.server.ts'
import { listTrash, restoreFromTrash } from '~/services/trash/trash.server.ts'
import { sweepUploads } from '~/services/uploads/sweep.server.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import { deleteVideo, getVideoToEdit, saveVideo, updateVideo } from '~/services/videos/save-video.server.ts'
import { aCover } from '../support/attachments.ts'
import { takeJobs } from '../support/jobs.ts'
import { aMember, chapterUid, planUid, refusalOf } from '../support/module-editing.ts'
import { db, expectGuarded } from '../support/test.ts'
import { ownStorage, upload } from '../support/uploads.ts'

ownStorage()
const mp4 = readFileSync('public/films/welcome-titrate.mp4')
const webm = readFileSync('seed/modules/reading-a-dose-response-curve/film.webm')
const kinds = ['lecture', 'video'] as const
type Kind = (typeof kinds)[number]

let admin: Ctx
let ada: Ctx
let lin: Ctx
let plan: string

beforeAll(async () => {
  admin = await aMember(db, ['admins'], { firstName: 'Ines' })
  ada = await aMember(db, ['authors'], { firstName: 'Ada' })
  lin = await aMember(db, ['authors'], { firstName: 'Lin' })
  plan = await planUid(ada)
})

const vtt = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`
const captions = async (text: string, ctx = ada) => (await upload(ctx, 'captions', `${text}.vtt`, vtt(text))).name
const aFile = async (ctx = ada, bytes = mp4) =>
  (await upload(ctx, 'video', bytes === mp4 ? 'film.mp4' : 'film.webm', bytes)).name
const atOnce = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

type Changes = Record<string, unknown>

async function aFilm(kind: Kind, changes: Changes = {}): Promise<string> {
  const values = {
    name: 'Reading plates',
    description: 'What it is about',
    coverImg: (await aCover(ada)).name,
    coverImgDesc: 'A plate',
    accessPlanUids: [plan],
    videoUrl: '/films/plates.mp4',
    phases: [],
    ...changes,
  }
  if (kind === 'lecture') return (await createLecture(ada, { questionsMarkdown: 'Why?', ...values } as never)).uid
  return (await createVideo(ada, { category: 'expert', ...values } as never)).uid
}

const toEdit = (kind: Kind, uid: string, ctx = ada): Promise<{ state: Changes; revision: number }> =>
  kind === 'lecture' ? getLectureToEdit(ctx, { lectureUid: uid }) : getVideoToEdit(ctx, { videoUid: uid })
const stateOf = async (kind: Kind, uid: string) => (await toEdit(kind, uid)).state
const update =
  (kind: Kind) =>
  async (ctx: Ctx, uid: string, changes: Changes): Promise<void> => {
    if (kind === 'lecture') await updateLecture(ctx, { ...changes, lectureUid: uid })
    else await updateVideo(ctx, { ...changes, videoUid: uid })
  }
const mediaOf = (kind: Kind, uid: string) => findFilmMedia(ada, { kind, uid })
/** The entry of the newest revision. The contexts of the authors have different times. */
async function lastEntry(kind: Kind, uid: string) {
  const entries = await listAuditEntries(ada, { entity: kind, entityUid: uid })
  const { revision } = await toEdit(kind, uid)
  return entries.find(({ after }) => after?.revision === revision)
}

async function openForm(kind: Kind, ctx: Ctx, uid: string) {
  const { state, revision } = await toEdit(kind, uid, ctx)
  return {
    save: (changes: Changes) => {
      const form = { ...state, ...changes, revision }
      return kind === 'lecture'
        ? saveLecture(ctx, { ...form, lectureUid: uid } as never)
        : saveVideo(ctx, { ...form, videoUid: uid } as never)
    },
  }
}

describe.each(kinds)('the media of a %s', (kind) => {
  const change = update(kind)

  test('A-119 are changed one by one, logged with what they were, and nothing is written if nothing changes', async () => {
    const uid = await aFilm(kind)
    const [videoFile, english] = [await aFile(), await captions('Hello')]
    await change(ada, uid, { videoFile })
    expect(await stateOf(kind, uid)).toMatchObject({ videoUrl: '', videoFile })
    expect(await mediaOf(kind, uid)).toMatchObject({ duration: 17 })
    expect(await lastEntry(kind, uid)).toMatchObject({
      before: { videoUrl: '/films/plates.mp4', videoFile: null },
      after: { videoUrl: '', videoFile, revision: 1 },
    })
    await change(lin, uid, { captions: [{ language: 'en', file: await captions('Hello', lin) }] })
    await change(ada, uid, { captions: [{ language: 'en', file: english }] })
    await change(ada, uid, { transcript: '00:04  Then\n0:01 First', transcriptLanguage: 'de' })
    expect(await lastEntry(kind, uid)).toMatchObject({
      before: { transcript: '', transcriptLanguage: 'en' },
      after: { transcript: '00:01 First\n00:04 Then', transcriptLanguage: 'de', revision: 4 },
    })
    const address = `/film-files/${kind}s/${uid}.mp4`
    const state = await stateOf(kind, uid)
    await change(lin, uid, state)
    await change(lin, uid, { videoUrl: `${ada.site.baseUrl}${address}`, name: ' Reading  plates ' })
    expect((await toEdit(kind, uid)).revision).toBe(4)
    await change(ada, uid, { transcript: '', transcriptLanguage: 'fr', transcriptAsCaptions: true })
    expect(await stateOf(kind, uid)).toMatchObject({
      transcript: '',
      transcriptLanguage: 'en',
      transcriptAsCaptions: false,
    })
  })

  test('are refused with a sentence at their field, and stay as they were', async () => {
    const uid = await aFilm(kind, { captions: await captions('Hello') })
    const before = await toEdit(kind, uid)
    const wrong: [Changes, Record<string, unknown>][] = [
      [{ videoFile: `${randomUUID()}.mp4` }, { videoFile: 'This file is no longer there. Please upload it again.' }],
      [{ videoFile: await aFile(), videoUrl: '/films/a.mp4' }, { videoFile: 'A film has either an address or a file' }],
      [{ videoFile: await captions('No film') }, { videoFile: expect.stringContaining('cannot be used here') }],
      [{ videoFile: await aFile(lin) }, { videoFile: 'This file is no longer there. Please upload it again.' }],
      [
        { captions: [{ language: 'tlh', file: await captions('Qapla') }] },
        { 'captions.0.language': 'Please choose a language from the list' },
      ],
      [{ transcript: 'No time' }, { transcript: 'Line 1: Begin with a time such as 01:30.' }],
      [
        { transcript: '00:01 Typed', transcriptAsCaptions: true },
        { transcriptAsCaptions: expect.stringContaining('There is a file of captions in English already.') },
      ],
    ]
    for (const [changes, fieldErrors] of wrong) {
      const refusal = await refusalOf(change(ada, uid, changes))
      expect(refusal, JSON.stringify(changes)).toBeInstanceOf(Invalid)
      expect(refusal.fieldErrors).toEqual(fieldErrors)
    }
    expect(await toEdit(kind, uid)).toEqual(before)
  })

  test('are changed only by staff of the site, and the same change ten times at once is one', async () => {
    const uid = await aFilm(kind)
    const changes = { videoFile: await aFile(), captions: await captions('Hello'), transcript: '00:01 Hello' }
    // The files are those of Ada, so the others who may change the film send a text.
    await expectGuarded(
      (ctx: Ctx, given: Changes) => change(ctx, uid, given),
      { transcript: '00:02 Hello' },
      {
        by: ['authors', 'admins'],
      },
    )
    const before = (await toEdit(kind, uid)).revision
    await atOnce(10, () => change(ada, uid, changes))
    expect((await toEdit(kind, uid)).revision).toBe(before + 1)
    expect((await mediaOf(kind, uid))?.captions).toHaveLength(1)
  })

  test('that several authors change at once are all kept, each in the state that the others left', async () => {
    const uid = await aFilm(kind)
    const file = await captions('Hello')
    const changes = [
      { captions: file },
      { transcript: '00:01 Hello' },
      { transcriptLanguage: 'de' },
      { videoUrl: '/films/b.mp4' },
    ]
    await Promise.all(changes.map((one) => change(ada, uid, one)))
    expect(await stateOf(kind, uid)).toMatchObject({
      videoUrl: '/films/b.mp4',
      captions: [{ language: 'en', file }],
      transcript: '00:01 Hello',
    })
  })

  test('of two forms are merged by field, and what both changed is described', async () => {
    const uid = await aFilm(kind, { transcript: '00:01 Hello' })
    const [first, second, third] = [
      await openForm(kind, lin, uid),
      await openForm(kind, ada, uid),
      await openForm(kind, ada, uid),
    ]
    const german = await captions('Hallo', lin)
    await first.save({
      captions: [{ language: 'de', file: german }],
      transcript: '00:01 Hello there',
      videoUrl: '',
      videoFile: await aFile(lin),
    })
    const refusal = await refusalOf(
      second.save({ captions: await captions('Mine'), transcript: '00:01 Mine', videoUrl: '/films/mine.mp4' }),
    )
    expect(refusal).toBeInstanceOf(ChangedMeanwhile)
    const who = 'Lin Okafor changed this while you were editing.'
    expect(refusal.fieldErrors).toEqual({
      videoUrl: `${who} The film is an uploaded file now. Save again to use yours.`,
      captions: `${who} There are different ones now: German. Save again to use yours.`,
      transcript: `${who} There is a different text now. Save again to use yours.`,
    })
    const { keptOfOthers } = await third.save({ name: 'Reading many plates' })
    expect([...keptOfOthers].sort()).toEqual(['captions', 'transcript', 'videoFile', 'videoUrl'])
    expect(await stateOf(kind, uid)).toMatchObject({ captions: [{ language: 'de', file: german }], videoUrl: '' })
  })

  test('cannot become captions twice in a language through two authors', async () => {
    const uid = await aFilm(kind, { transcript: '00:01 Hello' })
    const [first, second] = [await openForm(kind, lin, uid), await openForm(kind, ada, uid)]
    await first.save({ captions: await captions('Hello', lin) })
    const refusal = await refusalOf(second.save({ transcriptAsCaptions: true }))
    expect(refusal.fieldErrors).toEqual({
      transcriptAsCaptions:
        'There is a file of captions in English already. Remove it, or do not use the transcript as captions.',
    })
  })

  test('A-120 a new source is looked up, and what is known of it outlives a change of its captions', async () => {
    const uid = await aFilm(kind)
    await takeJobs(db, 'look-up-vimeo')
    await change(ada, uid, { videoUrl: 'https://vimeo.com/77' })
    expect(await mediaOf(kind, uid)).toMatchObject({ vimeoFullUrl: 'https://vimeo.com/77', duration: null })
    expect(await takeJobs(db, 'look-up-vimeo')).toMatchObject([{ kind, uid }])
    const table = kind === 'lecture' ? 'lectures' : 'videos'
    await db.updateTable(table).set({ duration: 93 }).where('uid', '=', uid).execute()
    await change(ada, uid, { captions: await captions('Hello') })
    expect(await mediaOf(kind, uid)).toMatchObject({ duration: 93 })
    expect(await takeJobs(db, 'look-up-vimeo')).toEqual([])
    await change(ada, uid, { videoFile: await aFile(ada, webm) })
    expect((await mediaOf(kind, uid))?.vimeoFullUrl).toBeNull()
    expect((await mediaOf(kind, uid))?.duration).not.toBe(93)
    expect(await lookUpVimeo(ada, { kind, uid })).toBe('not at Vimeo')
  })

  test('A-139 an unsaved source, captions or transcript is an unsaved film', async () => {
    if (kind === 'video') return
    const uid = await aFilm(kind, { captions: await captions('Hello'), transcript: '00:01 Hello' })
    const state = (await stateOf(kind, uid)) as never as { captions: { language: string; file: string }[] }
    const isSaved = (changes: Changes = {}) => isLectureSaved(ada, { ...state, ...changes, lectureUid: uid } as never)
    expect(await isSaved()).toBe(true)
    expect(await isSaved({ transcript: ' 0:01  Hello ' })).toBe(true)
    expect(await isSaved({ transcript: '00:02 Hello' })).toBe(false)
    expect(await isSaved({ captions: [] })).toBe(false)
    expect(await isSaved({ captions: [{ ...state.captions[0], language: 'de' }] })).toBe(false)
    expect(await isSaved({ videoUrl: '', videoFile: await aFile() })).toBe(false)
  })

  test('come back from the history, whoever uploaded them, and the status stays', async () => {
    const [english, german, film] = [await captions('Hello'), await captions('Hallo'), await aFile()]
    const both = [
      { language: 'de', file: german },
      { language: 'en', file: english },
    ]
    const uid = await aFilm(kind, {
      videoUrl: '',
      videoFile: film,
      captions: both,
      transcript: '00:01 One',
      transcriptLanguage: 'fr',
    })
    const before = await stateOf(kind, uid)
    await change(lin, uid, { videoUrl: 'https://vimeo.com/78', captions: [], name: 'Other' })
    await change(lin, uid, { transcript: '00:01 Two' })
    await change(lin, uid, { captions: [{ language: 'en', file: await captions('New', lin) }], status: 'published' })
    const { revisions } = await getHistoryView(ada, { kind, uid, url: 'http://titrate.example/' })
    expect(revisions.map(({ what, by }) => `${what} by ${by}`)).toEqual([
      'Saved by Lin Okafor',
      'Saved by Lin Okafor',
      'Saved by Lin Okafor',
      'Created by Ada Okafor',
    ])
    expect(revisions[0]?.changes).toMatchObject([
      { label: 'Status', before: 'Draft', after: 'Published' },
      { label: 'Captions', items: [{ text: 'English: New.vtt', is: 'added' }] },
    ])
    expect(revisions[2]?.changes.map(({ label }) => label)).toEqual(['Name', 'Video URL', 'Video file', 'Captions'])
    const view = await getRestoreView(ada, { kind, uid, revision: 0 })
    expect(view.leftOut).toEqual(['It stays published.'])
    expect(view.changes.map(({ label }) => label)).toEqual([
      'Name',
      'Video URL',
      'Video file',
      'Captions',
      'Transcript',
    ])
    const restored = await atOnce(10, () => restoreRevision(admin, { kind, uid, revision: 0 }))
    expect(restored.filter(({ isChanged }) => isChanged)).toHaveLength(1)
    const { state, revision } = await toEdit(kind, uid)
    expect(state).toEqual({ ...before, status: 'published' })
    expect(revision).toBe(4)
    expect(await lastEntry(kind, uid)).toMatchObject({ action: `${kind}.revision_restored`, after: { revision: 4 } })
    expect(await mediaOf(kind, uid)).toMatchObject({ duration: 17, vimeoFullUrl: null })
  })

  test('are restored only by those who may edit them, and not over a newer save', async () => {
    const uid = await aFilm(kind)
    await change(ada, uid, { videoUrl: '/films/b.mp4' })
    await expectGuarded(restoreRevision, { kind, uid, revision: 0 }, { by: ['authors', 'admins'] })
    await change(lin, uid, { videoUrl: '/films/c.mp4' })
    const { revision } = await toEdit(kind, uid)
    await change(lin, uid, { videoUrl: '/films/d.mp4' })
    expect(await refusalOf(restoreRevision(ada, { kind, uid, revision: 0, opened: revision }))).toBeInstanceOf(Conflict)
    expect(await refusalOf(restoreRevision(ada, { kind, uid, revision: 99 }))).toBeInstanceOf(NotFound)
    const pending = await aMember(db, ['pending_users'])
    expect(await refusalOf(restoreRevision(pending, { kind, uid, revision: 0 }))).toBeInstanceOf(Forbidden)
  })

  test('that were replaced are stored for thirty days, and then the history says that they are gone', async () => {
    const [film, english] = [
      await upload(ada, 'video', 'film.mp4', mp4),
      await upload(ada, 'captions', 'a.vtt', vtt('a')),
    ]
    const uid = await aFilm(kind, { videoUrl: '', videoFile: film.name, captions: english.name })
    const cover = (await stateOf(kind, uid)).coverImg
    await change(lin, uid, { videoUrl: '/films/b.mp4', captions: [], coverImg: (await aCover(lin)).name })
    const sweepAfter = (days: number) => sweepUploads({ ...ada, now: new Date(Date.now() + days * 86_400_000) })
    const stored = async () => Promise.all([film, english].map(async ({ uid }) => (await storage().stat(uid)) !== null))
    await sweepAfter(29)
    expect(await stored()).toEqual([true, true])
    await restoreRevision(lin, { kind, uid, revision: 0 })
    expect(await stateOf(kind, uid)).toMatchObject({ videoFile: film.name, coverImg: cover })
    await change(lin, uid, { videoUrl: '/films/b.mp4', captions: [], coverImg: (await aCover(lin)).name })
    await sweepAfter(31)
    expect(await stored()).toEqual([false, false])
    const { leftOut } = await getRestoreView(ada, { kind, uid, revision: 0 })
    expect(leftOut).toEqual([
      'The cover image from that revision is no longer stored, so the current one was kept.',
      'The video file from that revision is no longer stored, so the current film was kept.',
      'Captions from that revision are no longer stored, so the current ones were kept.',
    ])
    expect((await restoreRevision(ada, { kind, uid, revision: 0 })).isChanged).toBe(false)
  })

  test('come back from the trash with their film', async () => {
    const file = await captions('Hello')
    const uid = await aFilm(kind, { name: `Thrown away ${kind}`, captions: file })
    await (kind === 'lecture' ? deleteLecture(lin, { lectureUid: uid }) : deleteVideo(lin, { videoUid: uid }))
    const found = async () => (await listTrash(ada, { search: `thrown away ${kind}` })).items
    expect(await found()).toMatchObject([{ kind, uid, name: `Thrown away ${kind}`, deletedBy: 'Lin Okafor' }])
    await sweepUploads({ ...ada, now: new Date(Date.now() + 29 * 86_400_000) })
    await expectGuarded(restoreFromTrash, { items: [`${kind}:${uid}`] }, { by: ['authors', 'admins'], elsewhere: null })
    expect(await restoreFromTrash(ada, { items: [`${kind}:${uid}`] })).toEqual({
      names: [`Thrown away ${kind}`],
      refused: [],
    })
    expect(await found()).toEqual([])
    expect(await stateOf(kind, uid)).toMatchObject({ captions: [{ language: 'en', file }] })
  })
})

test('a chapter that is gone stays out of a restored lecture', async () => {
  const chapter = await chapterUid(ada)
  const uid = await aFilm('lecture', { chapterUid: chapter })
  await publishLecture(ada, { lectureUid: uid, publish: true })
  await updateLecture(ada, { lectureUid: uid, chapterUid: null })
  const { leftOut } = await restoreRevision(ada, { kind: 'lecture', uid, revision: 0 })
  expect(leftOut).toEqual(['It stays published.'])
  expect((await stateOf('lecture', uid)).chapterUid).toBe(chapter)
})
