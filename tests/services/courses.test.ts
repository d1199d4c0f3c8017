/** Courses: who sees them and in which order, their content, the viewer's progress, and where it continues. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { findCoursePage, viewsOfCourses } from '~/pages/courses.server.ts'
import { findBegun } from '~/pages/search-hits.server.ts'
import { getLaunch, launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findCourseOutline, listCardsOfCourses, listCourseCards } from '~/services/courses/cards.server.ts'
import { countCatalog, countCourses, listCatalog, listCourses } from '~/services/courses/courses.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { Invalid } from '~/services/errors.ts'
import { findOwnCourseStates, listOwnCoursesProgress } from '~/services/progress/own-courses.server.ts'
import { userProgress } from '~/services/progress/progress.server.ts'
import { listOwnCourses, listStartedCourses } from '~/services/progress/started.server.ts'
import { listToContinue } from '~/services/read/next-steps.server.ts'
import { getOwnLearning } from '~/services/read/own-learning.server.ts'
import { findViewer } from '~/services/sessions/sessions.server.ts'
import { aCover } from '../support/attachments.ts'
import { aModule, type TestModule, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

let operator: Ctx
let modules: TestModule[]

beforeAll(async () => {
  operator = await aContext(db, { isOperator: true })
  modules = []
  for (const name of ['One', 'Two', 'Three']) modules.push(await aModule(operator, { name }))
})

async function planUid(name: string): Promise<string> {
  const row = await db
    .selectFrom('access_plans')
    .select('uid')
    .where('site_id', '=', operator.site.id)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return row.uid
}

async function aCourse(
  name: string,
  options: { plan?: string; publish?: boolean; moduleUids?: string[]; uid?: string; objectives?: string[] } = {},
): Promise<string> {
  const [first, ...rest] = options.moduleUids ?? modules.map(({ uid }) => uid)
  const { uid } = await createCourse(operator, {
    uid: options.uid ?? randomUUID(),
    name,
    synopsis: `About ${name}`,
    learningObjectives: options.objectives ?? ['Know it'],
    accessPlanUids: [await planUid(options.plan ?? 'Full Access')],
    tags: ['Trials'],
    coverImg: (await aCover(operator)).name,
    publish: options.publish ?? true,
    sections: [
      { name: 'First', chapters: [{ name: 'A', moduleUids: first ? [first] : [] }] },
      { name: 'Second', chapters: [{ name: 'B', moduleUids: rest }] },
    ],
  })
  return uid
}

const aLearner = async (plan?: string | null) =>
  aContext(db, { viewer: await aUser(db, plan === undefined ? {} : { plan }) })

test('L-012 L-021 the catalog lists published courses of the viewer’s plan in order; staff see every plan', async () => {
  const names = ['Zebra first', 'Apple second', 'Mango third']
  for (const name of names) await aCourse(name)
  await aCourse('Not in my plan', { plan: 'Free Access' })
  await aCourse('Draft', { publish: false })
  const learner = await aLearner()
  const { items, total } = await listCourseCards(learner, { limit: 2 })
  expect(items.map(({ name }) => name)).toEqual(names.slice(0, 2))
  expect(total).toBe(3)
  expect(items[0]).toMatchObject({ moduleCount: 3, isPublished: true, synopsis: 'About Zebra first' })
  expect(items[0]?.cover?.imageUid).toBeTruthy()
  const rest = await listCourseCards(learner, { limit: 2, offset: 2 })
  expect(rest.items.map(({ name }) => name)).toEqual(names.slice(2))
  const first = await listCatalog(learner, { first: 2 })
  const second = await listCatalog(learner, { first: 2, after: first.endCursor })
  expect([...first.items, ...second.items].map(({ course }) => course.name)).toEqual(names)
  expect(second.hasNextPage).toBe(false)
  expect(await countCatalog(learner)).toBe(3)
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  expect((await listCatalog(author)).items).toHaveLength(4)
  const [tag] = JSON.parse(Buffer.from(first.endCursor ?? '', 'base64url').toString()) as [string]
  const far = Buffer.from(JSON.stringify([tag, String(Number.MAX_SAFE_INTEGER), 1])).toString('base64url')
  expect((await listCatalog(learner, { first: 2, after: far })).items).toEqual([])
  expect((await listCourses(author)).items.map(({ name }) => name)).toContain('Draft')
  expect(await countCourses(learner)).toBe(3)
})

test('viewers without a plan and viewers of the other site see no course', async () => {
  const courseUid = await aCourse('Guarded')
  for (const viewer of [await aLearner(null), await aLearner('Free Access')]) {
    expect(await findCourseOutline(viewer, { courseUid })).toBeNull()
    expect(await findCoursePage(viewer, { courseUid })).toBeNull()
  }
  const stranger = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
  expect(await findCourseOutline(stranger, { courseUid })).toBeNull()
  expect((await listCourses(stranger)).items).toEqual([])
})

test('created twice, or ten times at once, a course exists once', async () => {
  const uid = randomUUID()
  await Promise.all(Array.from({ length: 10 }, () => aCourse('Once', { uid })))
  await aCourse('Another name, same uid', { uid })
  const rows = await db.selectFrom('courses').select('name').where('uid', '=', uid).execute()
  expect(rows).toEqual([{ name: 'Once' }])
  const versions = await db
    .selectFrom('course_versions')
    .innerJoin('courses', 'courses.id', 'course_versions.course_id')
    .select('version')
    .where('courses.uid', '=', uid)
    .execute()
  expect(versions).toEqual([{ version: 1 }])
})

test('courses that are published at once get a rank each', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, index) => aCourse(`At once ${index}`)))
  const ranks = await db
    .selectFrom('course_catalog_items')
    .select('rank')
    .where('site_id', '=', operator.site.id)
    .execute()
  expect(new Set(ranks.map(({ rank }) => rank)).size).toBe(ranks.length)
})

test('the form requires a name, objectives and modules without duplicates, and modules of the site', async () => {
  const refusal = (work: Promise<unknown>) => work.then(() => null).catch((error: Invalid) => error.fieldErrors)
  expect(await refusal(aCourse(''))).toMatchObject({ name: 'Course name is required' })
  expect(await refusal(aCourse('Twice', { objectives: ['A', ' A '] }))).toMatchObject({
    learningObjectives: 'Learning objectives must be unique',
  })
  const [module] = modules
  const uid = module?.uid ?? ''
  expect(await refusal(aCourse('Repeated', { moduleUids: [uid, uid] }))).toMatchObject({
    sections: 'A module can be in a course only once',
  })
  await expect(aCourse('Foreign', { moduleUids: [randomUUID()] })).rejects.toThrow('One of the modules does not exist.')
  const left = await db
    .selectFrom('courses')
    .select('name')
    .where('name', 'in', ['Twice', 'Repeated', 'Foreign'])
    .execute()
  expect(left).toEqual([])
})

/** Modules that no other course contains. */
async function threeModules(): Promise<[TestModule, TestModule, TestModule]> {
  const of = (name: string) => aModule(operator, { name })
  return [await of('One'), await of('Two'), await of('Three')]
}

test('a course starts with any of its modules, wherever it is begun, and everything says so', async () => {
  const [one, two, three] = await threeModules()
  const courseUid = await aCourse('By its modules', { moduleUids: [one.uid, two.uid, three.uid] })
  await aCourse('Not visible', { plan: 'Free Access', moduleUids: [two.uid, three.uid] })
  const learner = await aLearner()
  const userUid = learner.viewer?.uid ?? ''
  const saysStarted = async () => {
    const [card] = await viewsOfCourses(learner, [...(await listCardsOfCourses(learner, [courseUid])).values()])
    const page = await findCoursePage(learner, { courseUid })
    const progress = await userProgress(learner, { userUid, allStartedStudyUnits: true })
    const { inProgressCount, percent } = await getOwnLearning(learner)
    const hit = { kind: 'course' as const, uid: courseUid, isOpenable: true }
    return {
      card: [card?.isStarted, card?.percent],
      page: [page?.isStarted, page?.percent],
      myProgress: (await listStartedCourses(learner, {})).items.map(({ name, percent }) => [name, percent]),
      myLearning: (await listOwnCourses(learner, { state: 'in_progress' })).items.map(({ uid }) => uid),
      home: (await listToContinue(learner, { limit: 3 })).map(({ uid }) => uid),
      search: [...(await findBegun(learner, [hit])).keys()],
      me: (await listOwnCoursesProgress(learner)).map(({ courseUid }) => courseUid),
      user: progress.coursesProgress.map(({ courseUid, progressPercent }) => [courseUid, progressPercent]),
      totals: [inProgressCount, percent],
    }
  }
  expect(await saysStarted()).toEqual({
    card: [false, 0],
    page: [false, 0],
    myProgress: [],
    myLearning: [],
    home: [],
    search: [],
    me: [],
    user: [],
    totals: [0, null],
  })
  await launchUnit(learner, { moduleVersionUid: two.versionUid })
  await visit(learner, { moduleVersionUid: two.versionUid }, 'completed')
  expect(await saysStarted()).toEqual({
    card: [true, 33],
    page: [true, 33],
    myProgress: [['By its modules', 33]],
    myLearning: [courseUid],
    home: [courseUid],
    search: [courseUid],
    me: [courseUid],
    user: [[courseUid, 33]],
    // The module is completed, the course is in progress.
    totals: [1, 66],
  })
  const startedAt = async () =>
    (await findOwnCourseStates(learner, { courseUids: [courseUid] })).get(courseUid)?.startedAt?.getTime()
  const before = await startedAt()
  await launchUnit(learner, { moduleVersionUid: one.versionUid, courseUid })
  expect(await startedAt()).toBe(before)
  const { items } = await listStartedCourses(learner, {})
  expect(items.map(({ startedAt }) => startedAt.getTime())).toEqual([before])
})

test('a course continues in its own order, and counts work done elsewhere', async () => {
  const [one, two, three] = await threeModules()
  const courseUid = await aCourse('The way', { moduleUids: [one.uid, two.uid, three.uid] })
  const learner = await aLearner()
  expect(await findOwnCourseStates(learner, { courseUids: [courseUid] })).toEqual(
    new Map([[courseUid, { percent: 0, startedAt: null, completedAt: null }]]),
  )
  await visit(learner, { moduleVersionUid: two.versionUid }, 'completed')
  expect((await findOwnCourseStates(learner, { courseUids: [courseUid] })).get(courseUid)).toMatchObject({
    percent: 33,
    startedAt: expect.any(Date),
  })
  const page = await findCoursePage(learner, { courseUid })
  expect(page).toMatchObject({
    percent: 33,
    completedCount: 1,
    hiddenCount: 0,
    nextModuleUid: one.uid,
    isStarted: true,
  })
  expect(page?.sections.map(({ name, chapters }) => [name, chapters[0]?.modules.map(({ name }) => name)])).toEqual([
    ['First', ['One']],
    ['Second', ['Two', 'Three']],
  ])

  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: one.versionUid, courseUid })
  await launchUnit(learner, { moduleVersionUid: one.versionUid, courseUid })
  expect((await listOwnCoursesProgress(learner)).map((row) => row.courseUid)).toEqual([courseUid])
  expect(await listStartedCourses(learner, {})).toMatchObject({ total: 1, items: [{ name: 'The way', percent: 33 }] })
  expect(await listOwnCourses(learner, { state: 'in_progress' })).toMatchObject({
    items: [{ uid: courseUid }],
    total: 1,
  })
  expect((await getLaunch(learner, { auLaunchSessionUid, courseUid })).nextModule?.uid).toBe(two.uid)

  for (const { versionUid } of [one, three]) {
    await visit(learner, { moduleVersionUid: versionUid }, 'completed')
  }
  expect((await findOwnCourseStates(learner, { courseUids: [courseUid] })).get(courseUid)).toMatchObject({
    percent: 100,
  })
  const completed = await listOwnCourses(learner, { state: 'completed', size: 100 })
  expect(completed.items.map(({ uid }) => uid)).toContain(courseUid)
  expect((await findCoursePage(learner, { courseUid }))?.nextModuleUid).toBeNull()
})

test('a course is not opened without access, or with a module that it does not contain', async () => {
  const [own, other] = [await aModule(operator, { name: 'Own' }), await aModule(operator, { name: 'Other' })]
  const foreign = await aCourse('Of another plan', { plan: 'Free Access', moduleUids: [own.uid] })
  const short = await aCourse('Short', { moduleUids: [other.uid] })
  const learner = await aLearner()
  for (const courseUid of [foreign, short, 'nonsense']) {
    await launchUnit(learner, { moduleVersionUid: own.versionUid, courseUid })
  }
  expect(await listOwnCoursesProgress(learner)).toEqual([])
  const records = db
    .selectFrom('course_progress')
    .select('course_id')
    .where('user_id', '=', learner.viewer?.id ?? 0)
  expect(await records.execute()).toEqual([])
})

test('a course leaves out what this learner cannot open, and is completed without it', async () => {
  const hidden = await aModule(operator, { name: 'Hidden', plan: 'Free Access' })
  const soon = await aModule(operator, { name: 'Announced', comingSoon: true })
  const [one, two] = [await aModule(operator, { name: 'First' }), await aModule(operator, { name: 'Second' })]
  const courseUid = await aCourse('Partly open', { moduleUids: [one.uid, hidden.uid, two.uid, soon.uid] })
  const learner = await aLearner()
  const input = { moduleVersionUid: one.versionUid, courseUid }
  await visit(learner, input, 'completed')
  const page = await findCoursePage(learner, { courseUid })
  expect(page).toMatchObject({ hiddenCount: 1, moduleCount: 2, countedCount: 2, completedCount: 1, percent: 50 })
  expect(JSON.stringify(page)).not.toContain('Hidden')
  expect(JSON.stringify(page)).toContain('Announced')
  await visit(learner, { ...input, moduleVersionUid: two.versionUid }, 'completed')
  expect(await findCoursePage(learner, { courseUid })).toMatchObject({ percent: 100, isCompleted: true })
  const progress = await userProgress(learner, { userUid: learner.viewer?.uid ?? '', courseUids: [courseUid] })
  expect(progress.coursesProgress).toMatchObject([{ progressPercent: 100, modulesProgress: [{}, {}] }])
  const completion = db
    .selectFrom('course_progress')
    .select('completed_at')
    .where('user_id', '=', learner.viewer?.id ?? 0)
  expect(await completion.execute()).toEqual([{ completed_at: expect.any(Date) }])

  // The percent does not fall when access ends, although nothing can be opened then.
  const before = await getOwnLearning(learner)
  await db
    .updateTable('subscriptions')
    .set({ valid_to: new Date(Date.now() - 60_000) })
    .where('user_id', '=', learner.viewer?.id ?? 0)
    .execute()
  const viewer = await findViewer(learner, { userId: learner.viewer?.id ?? 0 })
  expect((await getOwnLearning({ ...learner, viewer })).percent).toBe(before.percent)

  // A chapter of which nothing is shown is left out.
  const closed = await aCourse('Closed chapters', { moduleUids: [hidden.uid] })
  expect(await findCoursePage(await aLearner(), { courseUid: closed })).toMatchObject({
    sections: [{ name: 'Second' }],
    hiddenCount: 1,
  })
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
  expect(await findCoursePage(author, { courseUid: closed })).toMatchObject({ hiddenCount: 0, moduleCount: 1 })
})

test('an invalid course writes nothing', async () => {
  await expect(aCourse('No such plan', { plan: 'Full Access', moduleUids: ['x'] })).rejects.toBeInstanceOf(Invalid)
  expect(await db.selectFrom('courses').select('id').where('name', '=', 'No such plan').execute()).toEqual([])
})

test('a begun course can be continued from a search and from home', async () => {
  const [one, two] = await threeModules()
  const courseUid = await aCourse('Begun', { moduleUids: [one.uid, two.uid] })
  const learner = await aLearner()
  const hits = [
    { kind: 'course' as const, uid: courseUid, isOpenable: true },
    { kind: 'module' as const, uid: one.uid, isOpenable: true },
    { kind: 'glossary' as const, uid: crypto.randomUUID(), isOpenable: true },
  ]
  expect(await findBegun(learner, hits)).toEqual(new Map())
  expect(await listToContinue(learner, { limit: 3 })).toEqual([])

  await launchUnit(learner, { moduleVersionUid: one.versionUid, courseUid })
  await visit(learner, { moduleVersionUid: one.versionUid }, 'completed')
  expect(await findBegun(learner, hits)).toEqual(new Map([[courseUid, { percent: 50, versionUid: null }]]))
  expect(await listToContinue(learner, { limit: 3 })).toMatchObject([{ kind: 'course', uid: courseUid }])
  expect(await findCoursePage(learner, { courseUid })).toMatchObject({ nextVersionUid: two.versionUid })

  await visit(learner, { moduleVersionUid: two.versionUid }, 'completed')
  expect(await findBegun(learner, hits)).toEqual(new Map())
  expect(await listToContinue(learner, { limit: 3 })).toEqual([])
})
