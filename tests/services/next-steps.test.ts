/** What the home page offers first: what was begun, or a first course for newcomers. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { findHomeBand } from '~/pages/home.server.ts'
import { ownLearningRows } from '~/pages/own-learning.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, SiteKey } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { recordFilmProgress } from '~/services/progress/progress.server.ts'
import { listProfileQuestions, saveUserAnswers } from '~/services/questionnaire/questionnaire.server.ts'
import { findFirstCourse, listToContinue } from '~/services/read/next-steps.server.ts'
import { getOwnLearning } from '~/services/read/own-learning.server.ts'
import { findViewer } from '~/services/sessions/sessions.server.ts'
import { mergeTags, renameTag, restoreTag } from '~/services/tags/change-tags.server.ts'
import { ensureTags } from '~/services/tags/tags.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { up as addFirstCourses } from '../../migrations/2026-11-23T1300-first-courses.ts'
import { up as allowLongTags } from '../../migrations/2026-11-29T0400-long-tags-of-options.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { optionOf, questionNamed } from '../support/questionnaire.ts'
import { db } from '../support/test.ts'

let operators: Record<SiteKey, Ctx>

beforeAll(async () => {
  operators = {
    institutional: await aContext(db, { isOperator: true }),
    ns: await aContext(db, { site: 'ns', isOperator: true }),
  }
})

const aLearner = async (site: SiteKey = 'institutional', plan = 'Full Access') =>
  aContext(db, { site, viewer: await aUser(db, { site, plan }) })

type CourseOptions = { tags?: string[]; moduleUids?: string[]; plan?: string; publish?: boolean; site?: SiteKey }

async function aCourse(name: string, options: CourseOptions = {}): Promise<string> {
  const operator = operators[options.site ?? 'institutional']
  const planId = await planOf(db, operator.site.id, options.plan ?? 'Full Access')
  const plan = await db.selectFrom('access_plans').select('uid').where('id', '=', planId).executeTakeFirstOrThrow()
  const moduleUids = options.moduleUids ?? [(await aModule(operator)).uid]
  const { uid } = await createCourse(operator, {
    uid: randomUUID(),
    name,
    tags: options.tags ?? [],
    accessPlanUids: [plan.uid],
    publish: options.publish ?? true,
    sections: [{ name: 'S', chapters: [{ name: 'C', moduleUids }] }],
  })
  return uid
}

const steps = 'Steps of drug development you want to learn about'

async function choose(ctx: Ctx, ...texts: string[]): Promise<void> {
  const question = questionNamed(await listProfileQuestions(ctx), steps)
  const chosenOptions = texts.map((text) => optionOf(question, text))
  await saveUserAnswers(ctx, { answers: [{ question: question.uid, chosenOptions }] })
}

const bandOf = async (ctx: Ctx) => findHomeBand(ctx, await getOwnLearning(ctx))
const rowsOf = (ctx: Ctx, search = '') =>
  ownLearningRows(ctx, new Request(`http://localhost/my-learning/in-progress/${search}`), 'in_progress')

test('home offers the three things visited last, of every kind, and nothing that is closed', async () => {
  const operator = operators.institutional
  const [one, two, three, closed, soon] = [
    await aModule(operator, { name: 'One' }),
    await aModule(operator, { name: 'Two' }),
    await aModule(operator, { name: 'Three' }),
    await aModule(operator, { name: 'Closed', plan: 'Full Access' }),
    await aModule(operator, { name: 'Soon' }),
  ]
  const course = await aCourse('Half done', { moduleUids: [two.uid, three.uid] })
  const learner = await aLearner()
  expect(await listToContinue(learner, { limit: 3 })).toEqual([])
  for (const { versionUid } of [closed, soon]) {
    await visit(learner, { moduleVersionUid: versionUid })
  }
  await db.deleteFrom('module_access_plans').where('module_id', '=', closed.id).execute()
  await db.updateTable('modules').set({ coming_soon: true }).where('id', '=', soon.id).execute()
  const lecture = await aLecture(db, { name: 'A lecture' })
  const video = await aVideo(db, { name: 'A video' })
  const at = (minutes: number): Ctx => ({ ...learner, now: new Date(Date.now() + minutes * 60_000) })
  await recordFilmProgress(at(-1), { kind: 'lecture', uid: lecture.uid, percent: 40 })
  await launchUnit(at(0), { moduleVersionUid: two.versionUid, courseUid: course })
  await visit(at(0), { moduleVersionUid: two.versionUid }, 'completed')
  await recordFilmProgress(at(0), { kind: 'video', uid: video.uid, percent: 50 })
  await recordFilmProgress(at(0), { kind: 'video', uid: (await aVideo(db)).uid, percent: 100 })
  await visit(at(0), { moduleVersionUid: one.versionUid })
  // A film counts from when it was watched, not from when that was written.
  const old = await aVideo(db, { name: 'Of yesterday' })
  await recordFilmProgress(at(-1440), { kind: 'video', uid: old.uid, percent: 20 })
  expect((await listToContinue(learner, { limit: 9 })).map(({ kind, name }) => [kind, name])).toEqual([
    ['module', 'One'],
    ['video', 'A video'],
    ['course', 'Half done'],
    ['lecture', 'A lecture'],
    ['video', 'Of yesterday'],
  ])
  const band = await bandOf(learner)
  expect(band).toMatchObject({ title: 'Continue where you were' })
  expect(band?.items.map(({ name, action, to, press }) => [name, action, to.split('/')[1], press?.name])).toEqual([
    ['One', 'Start', 'modules', 'moduleVersionUid'],
    ['A video', 'Resume', 'videos', undefined],
    ['Half done', 'Resume', 'courses', 'course'],
  ])
  // A course is represented by its module while that is in progress.
  await visit(at(0), { moduleVersionUid: three.versionUid })
  expect((await listToContinue(learner, { limit: 9 })).map(({ name }) => name)).toEqual([
    'Three',
    'One',
    'A video',
    'A lecture',
    'Of yesterday',
  ])
  // Somebody else, somebody of the other site, and herself after her access ended.
  expect(await listToContinue(await aLearner(), { limit: 3 })).toEqual([])
  expect(await listToContinue({ ...learner, site: operators.ns.site }, { limit: 3 })).toEqual([])
  const userId = learner.viewer?.id ?? 0
  const valid_to = new Date(learner.now.getTime() - 60_000)
  await sql`update subscriptions set valid_from = ${valid_to}::timestamptz - interval '9 days', valid_to = ${valid_to}
    where user_id = ${userId}`.execute(db)
  const ended = { ...learner, viewer: await findViewer(learner, { userId }) }
  expect(await listToContinue(ended, { limit: 3 })).toEqual([])
  await expect(listToContinue({ ...learner, viewer: null }, { limit: 3 })).rejects.toThrow('Login required.')
})

test('a failed test that must be passed is said on home', async () => {
  const module = await aModule(operators.institutional, {
    units: [{ moveOn: 'CompletedAndPassed', masteryScore: 0.3 }],
  })
  const learner = await aLearner()
  await visit(learner, { moduleVersionUid: module.versionUid }, 'completed', ['failed', { score: { scaled: 0.25 } }])
  expect((await bandOf(learner))?.items).toMatchObject([
    { percent: 99, percentText: 'Not passed yet, 25%. Try again', action: 'Resume' },
  ])
})

test('open retakes are offered on home, listed in In Progress and counted there', async () => {
  const modules = [await aModule(operators.institutional), await aModule(operators.institutional)]
  const learner = await aLearner()
  for (const { versionUid } of modules) {
    await visit(learner, { moduleVersionUid: versionUid }, 'completed')
  }
  expect(await bandOf(learner)).toBeNull()
  expect(await getOwnLearning(learner)).toMatchObject({ inProgressCount: 0, completedCount: 2 })
  expect((await rowsOf(learner)).retakes).toEqual([])
  for (const { versionUid } of modules) {
    const input = { moduleVersionUid: versionUid, retake: true }
    await Promise.all(Array.from({ length: 5 }, () => launchUnit(learner, input)))
  }
  expect((await bandOf(learner))?.items).toMatchObject([
    { percent: 0, percentText: 'Retaking 0%', action: 'Resume' },
    { percent: 0, percentText: 'Retaking 0%', action: 'Resume' },
  ])
  expect(await getOwnLearning(learner)).toMatchObject({ percent: 100, inProgressCount: 2, completedCount: 2 })
  const rows = await rowsOf(learner)
  expect(rows.modules).toEqual([])
  expect(rows.retakes.map(({ uid }) => uid).sort()).toEqual(modules.map(({ uid }) => uid).sort())
  expect(await rowsOf(learner, '?kind=retakes')).toMatchObject({ kind: 'retakes', modules: [], courses: { items: [] } })
  const done = await ownLearningRows(learner, new Request('http://localhost/my-learning/completed/'), 'completed')
  expect([done.modules.length, done.retakes.length]).toEqual([2, 0])
  expect(await rowsOf(await aLearner())).toMatchObject({ retakes: [] })
})

test('a newcomer is offered the first course that fits the questionnaire, with the reason', async () => {
  await sql`delete from course_catalog_items`.execute(db)
  const first = await aCourse('First of the list')
  const trials = await aCourse('Trials', { tags: ['Trial Design'] })
  await aCourse('Trials again', { tags: ['trial design'] })
  const learner = await aLearner()
  expect(await findFirstCourse(learner)).toEqual({ uid: first, chosen: null })
  expect(await bandOf(learner)).toMatchObject({
    title: 'Start here',
    why: 'This is the first course of the list.',
    items: [{ name: 'First of the list', action: 'Start', percent: null, press: { name: 'course', value: first } }],
  })
  const chosen = 'Designing and running clinical trials'
  await choose(learner, chosen, 'Funding and founding a company')
  const counted = { queries: 0 }
  expect(await queryCounter.run(counted, () => findFirstCourse(learner))).toEqual({ uid: trials, chosen })
  expect(counted.queries).toBe(1)
  expect((await bandOf(learner))?.why).toBe(`Because you chose “${chosen}”.`)
  // The answers of one person do not lead another one.
  expect((await findFirstCourse(await aLearner()))?.uid).toBe(first)
  // What has no course for it leads to the first of the list.
  await choose(learner, 'Funding and founding a company')
  expect(await findFirstCourse(learner)).toEqual({ uid: first, chosen: null })
  // Whoever has begun something is no newcomer.
  await recordFilmProgress(learner, { kind: 'video', uid: (await aVideo(db)).uid, percent: 100 })
  expect(await bandOf(learner)).toBeNull()
})

test('a newcomer is never offered what is closed, empty, coming soon, unpublished, or on the other site', async () => {
  await sql`delete from course_catalog_items`.execute(db)
  const operator = operators.institutional
  const tags = ['regulation']
  const soon = await aModule(operator)
  await aCourse('Other plan', { tags, plan: 'Free Access' })
  await aCourse('Without modules', { tags, moduleUids: [] })
  await aCourse('Coming soon', { tags, moduleUids: [soon.uid] })
  await aCourse('Its module in another plan', {
    tags,
    moduleUids: [(await aModule(operator, { plan: 'Free Access' })).uid],
  })
  await aCourse('Draft', { tags, publish: false })
  await db.updateTable('modules').set({ coming_soon: true }).where('id', '=', soon.id).execute()
  const ns = await aCourse('On the other site', { tags, site: 'ns' })
  const learner = await aLearner()
  await choose(learner, 'Regulation and approval')
  expect(await findFirstCourse(learner)).toBeNull()
  expect(await bandOf(learner)).toBeNull()
  expect(await findFirstCourse(await aLearner('ns'))).toEqual({ uid: ns, chosen: null })
  const open = await aCourse('Open', { tags })
  expect((await findFirstCourse(learner))?.uid).toBe(open)
  expect(await findFirstCourse({ ...learner, viewer: await aUser(db, { plan: null }) })).toBeNull()
  await expect(findFirstCourse({ ...learner, viewer: null })).rejects.toThrow('Login required.')
})

test('an upgrade gives existing sites the tags that new ones get', async () => {
  const read = async () =>
    (await sql`select option_id, tag from profile_option_tags order by option_id, tag`.execute(db)).rows
  const ofNewSites = await read()
  expect(ofNewSites.length).toBeGreaterThan(10)
  await sql`drop table profile_option_tags`.execute(db)
  await addFirstCourses(db as never)
  await allowLongTags(db as never)
  expect(await read()).toEqual(ofNewSites)
})

test('an installation changes which tags an answer stands for', async () => {
  await sql`delete from course_catalog_items`.execute(db)
  await aCourse('First')
  const funding = await aCourse('Money', { tags: ['venture capital'] })
  const learner = await aLearner()
  await choose(learner, 'Funding and founding a company')
  await sql`
    insert into profile_option_tags (option_id, tag)
    select profile_options.id, 'Venture Capital'
    from profile_options
    join profile_questions on profile_questions.id = profile_options.question_id
    join sites on sites.id = profile_questions.site_id
    where sites.key = 'institutional' and profile_options.text = 'Funding and founding a company'`.execute(db)
  expect((await findFirstCourse(learner))?.uid).toBe(funding)
})

test('an answer keeps its course when a tag is renamed or merged into another', async () => {
  await sql`delete from course_catalog_items`.execute(db)
  await aCourse('First')
  const ruled = await aCourse('Rules', { tags: ['regulation'] })
  const learner = await aLearner()
  await choose(learner, 'Regulation and approval')
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  const uidOf = async (text: string) => (await ensureTags(admin, { texts: [text] }))[0] ?? ''
  const chosen = async () => (await findFirstCourse(learner))?.uid
  const standing = async () =>
    (await sql`select option_id, lower(tag) as tag from profile_option_tags order by 1, 2`.execute(db)).rows
  await renameTag(admin, { tagUid: await uidOf('regulation'), text: 'Rules of agencies' })
  expect(await chosen()).toBe(ruled)
  const before = await standing()
  const { removalUid } = await mergeTags(admin, {
    tagUid: await uidOf('Rules of agencies'),
    into: await uidOf('Approval'),
  })
  expect(await chosen()).toBe(ruled)
  await restoreTag(admin, { removalUid })
  expect(await chosen()).toBe(ruled)
  expect(await standing()).toEqual(before)
  // A character that NFKC makes a phrase of.
  await renameTag(admin, { tagUid: await uidOf('Rules of agencies'), text: '\ufdfa'.repeat(10) })
  expect(await chosen()).toBe(ruled)
  const ofNs = sql`
    select wanted.tag from profile_option_tags wanted
    join profile_options option on option.id = wanted.option_id
    join profile_questions question on question.id = option.question_id
    join sites on sites.id = question.site_id
    where sites.key = 'ns' and wanted.tag = 'regulation'`
  expect((await ofNs.execute(db)).rows.length).toBeGreaterThan(0)
})
