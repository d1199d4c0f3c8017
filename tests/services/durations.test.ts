/** How long modules and courses take: estimated from their packages, or set by their authors. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { aboutMinutes } from '~/lib/duration.ts'
import { findCoursePage, viewsOfCourses } from '~/pages/courses.server.ts'
import { viewsOfCards } from '~/pages/modules.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfCourses } from '~/services/courses/cards.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { indexModules } from '~/services/modules/index-modules.server.ts'
import { getModule, publishModule } from '~/services/modules/modules.server.ts'
import { getModuleToEdit, saveModule, updateModule } from '~/services/modules/save-module.server.ts'
import { countQuestions, countWords, estimateMinutes } from '~/services/packages/estimate.ts'
import { lengthIn, readFilmSeconds } from '~/services/storage/film-seconds.ts'
import { queryCounter } from '~db/client.server.ts'
import { up as addDurations } from '../../migrations/2026-11-23T1310-durations.ts'
import { aZip } from '../support/attachments.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { moduleValues, parseLatest } from '../support/module-editing.ts'
import { aStorage, auXml, courseXml, packageZip } from '../support/packages.ts'
import { db, expectGuarded } from '../support/test.ts'

let author: Ctx
aStorage()

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
})

const aLearner = async () => aContext(db, { viewer: await aUser(db) })
const film = readFileSync('public/films/welcome-titrate.mp4')
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
const question = (name: string) => `<input type="radio" name="${name}" value="a"><input type="radio" name="${name}">`

async function aModule(pages: Record<string, string | Buffer>, changes: object = {}): Promise<string> {
  const zip = packageZip(courseXml(auXml({})), { 'index.html': '<p>x</p>', ...pages })
  const { name: cmi5Zip } = await aZip(author, zip)
  const { uid } = await createModule(author, await moduleValues(author, { cmi5Zip, ...changes }))
  await parseLatest(author, uid)
  await publishModule(author, { moduleUid: uid })
  return uid
}

async function aCourse(moduleUids: string[], durationMinutes?: number): Promise<string> {
  const planId = await planOf(db, author.site.id, 'Full Access')
  const plan = await db.selectFrom('access_plans').select('uid').where('id', '=', planId).executeTakeFirstOrThrow()
  const { uid } = await createCourse(author, {
    uid: randomUUID(),
    name: 'Course',
    durationMinutes,
    accessPlanUids: [plan.uid],
    publish: true,
    sections: [{ name: 'S', chapters: [{ name: 'C', moduleUids }] }],
  })
  return uid
}

const durationOf = async (ctx: Ctx, uid: string) =>
  (await viewsOfCards(ctx, [...(await listCardsOfModules(ctx, [uid])).values()]))[0]?.duration

async function courseDuration(ctx: Ctx, uid: string) {
  const [card] = await viewsOfCourses(ctx, [...(await listCardsOfCourses(ctx, [uid])).values()])
  const page = await findCoursePage(ctx, { courseUid: uid })
  expect(page?.duration).toBe(card?.duration)
  return card?.duration
}

test('an estimate is made of words, questions and films, in steps of five minutes from ten on', () => {
  const of = (words: number, questions = 0, filmSeconds = 0) => estimateMinutes({ words, questions, filmSeconds })
  expect([of(0), of(99), of(100), of(320), of(500, 2), of(99, 1), of(0, 0, 20)]).toEqual([0, 0, 1, 2, 5, 1, 1])
  expect([of(4000, 3), of(2000), of(1000, 4, 90)]).toEqual([25, 10, 10])
  expect(['', 'one', 'one two'].map(countWords)).toEqual([0, 1, 2])
})

test('questions are counted once for each group of choices, whatever the page contains', () => {
  expect(countQuestions(`${question('a')}${question('b')}<input name=c type=checkbox><textarea></textarea>`)).toBe(4)
  expect(countQuestions('<input type="hidden" name="x"><button>Answer</button><input type=submit>')).toBe(0)
  for (const piece of ['<input', '<input type="radio" ', '<', '<select <textarea'])
    countQuestions(piece.repeat(100_000))
})

test('the length of a film is read from its header, however it arrives, and nonsense has none', async () => {
  const read = (bytes: Buffer, size: number) =>
    readFilmSeconds(
      (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      })(),
    )
  for (const size of [7, 1000, film.length]) expect(Math.round((await read(film, size)) ?? 0)).toBe(17)
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(500), film.subarray(0, 40), Buffer.from(words(100))]) {
    expect(await read(bytes, 64)).toBeNull()
  }
})

test('a header of a film that is cut off anywhere has no length, with short and with long times', () => {
  const [short, long] = [Buffer.alloc(20), Buffer.alloc(32)]
  short.writeUInt32BE(1000, 12)
  short.writeUInt32BE(16_000, 16)
  long.writeUInt8(1, 0)
  long.writeUInt32BE(1000, 20)
  long.writeBigUInt64BE(16_000n, 24)
  for (const header of [short, long]) {
    expect(lengthIn(header)).toBe(16)
    for (let end = 0; end < header.length; end++) expect(lengthIn(header.subarray(0, end))).toBeNull()
  }
})

test('a module says how long it takes by its package, and its author may say otherwise', async () => {
  const quiz = Array.from({ length: 3 }, (_, index) => question(`q${index}`)).join('')
  const uid = await aModule({ 'unit/index.html': `<p>${words(4000)}</p>${quiz}`, 'unit/film.mp4': film })
  const learner = await aLearner()
  expect(await durationOf(learner, uid)).toBe('About 25 min')
  expect(await getModule(learner, { moduleUid: uid })).toMatchObject({ durationMinutes: null, estimatedMinutes: 25 })
  await updateModule(author, { moduleUid: uid, durationMinutes: 12 })
  expect(await durationOf(learner, uid)).toBe('About 12 min')
  await updateModule(author, { moduleUid: uid, name: 'Renamed' })
  expect(await durationOf(learner, uid)).toBe('About 12 min')
  const { state, revision } = await getModuleToEdit(author, { moduleUid: uid })
  const form = { ...state, coverImg: state.coverImg ?? '', moduleUid: uid, revision }
  await saveModule(author, { ...form, durationMinutes: '90 min' })
  expect(await durationOf(learner, uid)).toBe('About 1 h 30 min')
  await updateModule(author, { moduleUid: uid, durationMinutes: null })
  expect(await durationOf(learner, uid)).toBe('About 25 min')
  const silent = await aModule({})
  expect(await durationOf(learner, silent)).toBeNull()
  expect([aboutMinutes(60), aboutMinutes(125), aboutMinutes(null)]).toEqual(['About 1 h', 'About 2 h 5 min', null])
})

test('a duration that is no number of minutes is refused with a sentence, in every way to write it', async () => {
  const uid = await aModule({}, { durationMinutes: 40 })
  const { state, revision } = await getModuleToEdit(author, { moduleUid: uid })
  const form = { ...state, coverImg: state.coverImg ?? '', moduleUid: uid, revision }
  const refusal = { fieldErrors: { durationMinutes: 'Please enter the duration in whole minutes, from 1 to 6,000.' } }
  for (const durationMinutes of [0, -5, 1.5, 6001, 'an hour', '１０', {}, Number.NaN] as never[]) {
    await expect(updateModule(author, { moduleUid: uid, durationMinutes })).rejects.toMatchObject(refusal)
    await expect(saveModule(author, { ...form, durationMinutes })).rejects.toMatchObject(refusal)
    await expect(aModule({}, { durationMinutes })).rejects.toMatchObject(refusal)
    await expect(aCourse([], durationMinutes)).rejects.toMatchObject(refusal)
  }
  expect((await getModule(author, { moduleUid: uid })).durationMinutes).toBe(40)
})

test('only staff of the site set a duration, and ten saves of it at once leave one state', async () => {
  const uid = await aModule({})
  await expectGuarded(
    (ctx, input) => updateModule(ctx, input),
    { moduleUid: uid, durationMinutes: 5 },
    {
      by: ['admins', 'authors'],
    },
  )
  const minutes = Array.from({ length: 10 }, (_, index) => index + 1)
  await Promise.all(minutes.map((durationMinutes) => updateModule(author, { moduleUid: uid, durationMinutes })))
  const { durationMinutes } = await getModule(author, { moduleUid: uid })
  expect(minutes).toContain(durationMinutes)
  const { revision } = await getModuleToEdit(author, { moduleUid: uid })
  await updateModule(author, { moduleUid: uid, durationMinutes })
  expect((await getModuleToEdit(author, { moduleUid: uid })).revision).toBe(revision)
})

test('two authors who set different durations are told of each other', async () => {
  const uid = await aModule({}, { durationMinutes: 20 })
  const { state, revision } = await getModuleToEdit(author, { moduleUid: uid })
  const form = { ...state, coverImg: state.coverImg ?? '', moduleUid: uid, revision }
  const other = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null, firstName: 'Lin' }) })
  await saveModule(other, { ...form, durationMinutes: 30 })
  const refused = saveModule(author, { ...form, durationMinutes: 40 })
  await expect(refused).rejects.toMatchObject({
    fieldErrors: { durationMinutes: expect.stringContaining('It is now “30 min”.') },
  })
})

test('a course is the sum of what this learner can open, or the author’s figure, and “At least” if one is not known', async () => {
  const [ten, twenty, closed, soon, silent, odd] = [
    await aModule({}, { durationMinutes: 10 }),
    await aModule({}, { durationMinutes: 20 }),
    await aModule({}, { durationMinutes: 40 }),
    await aModule({}, { durationMinutes: 80 }),
    await aModule({}),
    await aModule({}, { durationMinutes: 7 }),
  ]
  const byUid = sql<boolean>`module_id = (select id from modules where uid = ${closed})`
  await db.deleteFrom('module_access_plans').where(byUid).execute()
  await db.updateTable('modules').set({ coming_soon: true }).where('uid', '=', soon).execute()
  const learner = await aLearner()
  expect(await courseDuration(learner, await aCourse([ten, twenty, closed, soon]))).toBe('About 30 min')
  expect(await courseDuration(learner, await aCourse([ten, odd]))).toBe('About 15 min')
  expect(await courseDuration(learner, await aCourse([odd]))).toBe('About 7 min')
  expect(await courseDuration(learner, await aCourse([ten, silent, odd]))).toBe('At least 15 min')
  expect(await courseDuration(learner, await aCourse([silent]))).toBeNull()
  expect(await courseDuration(learner, await aCourse([ten, silent], 45))).toBe('About 45 min')
  expect(await courseDuration(learner, await aCourse([]))).toBeNull()
  const uids = [await aCourse([ten]), await aCourse([twenty]), await aCourse([ten, twenty])]
  const counted = { queries: 0 }
  await queryCounter.run(counted, () => listCardsOfCourses(learner, uids))
  expect(counted.queries).toBe(1)
})

test('packages that were there before are estimated by the job that the upgrade queues, also if it runs twice', async () => {
  const uid = await aModule({ 'unit/index.html': `<p>${words(1000)}</p>` })
  const learner = await aLearner()
  await sql`update cmi5_packages set estimated_minutes = null`.execute(db)
  expect(await durationOf(learner, uid)).toBeNull()
  for (const table of ['modules', 'courses']) {
    await sql`alter table ${sql.table(table)} drop column duration_minutes`.execute(db)
  }
  await sql`alter table cmi5_packages drop column estimated_minutes`.execute(db)
  await addDurations(db as never)
  const { rows } = await sql<{ uids: string[] }>`
    select payload -> 'uids' as uids from graphile_worker._private_jobs
    where payload ->> 'kind' = 'module' and json_array_length(payload -> 'uids') > 1`.execute(db)
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.flatMap(({ uids }) => uids)).toContain(uid)
  await Promise.all([0, 1].map(() => indexModules(author, { uids: [uid] })))
  expect(await durationOf(learner, uid)).toBe('About 5 min')
})
