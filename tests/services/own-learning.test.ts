/** The totals and cards of the learner area, which include only what the viewer can see. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { caseKey, searchKey } from '~/lib/text.ts'
import { findCoursePage } from '~/pages/courses.server.ts'
import { viewsOfCards, viewsOfProgress } from '~/pages/modules.server.ts'
import { ownLearningRows } from '~/pages/own-learning.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'
import { listModuleCards } from '~/services/modules/cards.server.ts'
import { getOwnRecord } from '~/services/progress/own-record.server.ts'
import { listOwnModules, listOwnModulesProgress, userProgress } from '~/services/progress/progress.server.ts'
import { listStartedCourses, listStartedModules } from '~/services/progress/started.server.ts'
import { findModuleToShow } from '~/services/read/module-to-show.server.ts'
import {
  countModulesBySection,
  findModuleUidOfVersion,
  getFrameFigures,
  getOwnLearning,
} from '~/services/read/own-learning.server.ts'
import { findViewer } from '~/services/sessions/sessions.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { db } from '../support/test.ts'

let siteId: number

beforeAll(async () => {
  siteId = (await db.selectFrom('sites').select('id').where('key', '=', 'institutional').executeTakeFirstOrThrow()).id
  for (const [chapter, count] of [
    ['Screening', 4],
    ['Phase 1', 2],
  ] as const) {
    for (let place = 0; place < count; place++) await aModule(`${chapter} ${place}`, { chapter, place })
  }
  await aModule('Elsewhere', {})
  await aModule('Not in my plan', { plan: 'Free Access', chapter: 'Screening', place: 9 })
})

async function aModule(name: string, options: { chapter?: string; place?: number; plan?: string }): Promise<void> {
  const module = await db
    .insertInto('modules')
    .values({ site_id: siteId, name, name_key: caseKey(name), search_key: searchKey(name), in_self_study: true })
    .returning('id')
    .executeTakeFirstOrThrow()
  const version = await db
    .insertInto('module_versions')
    .values({ module_id: module.id, version: 1, author_name: 'A' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('modules')
    .set({ published_version_id: version.id, latest_version_id: version.id })
    .where('id', '=', module.id)
    .execute()
  await db
    .insertInto('module_access_plans')
    .values({
      site_id: siteId,
      module_id: module.id,
      access_plan_id: await planOf(db, siteId, options.plan ?? 'Full Access'),
    })
    .execute()
  if (!options.chapter) return
  const chapter = await db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', siteId)
    .where('name', '=', options.chapter)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('module_chapters')
    .values({ site_id: siteId, module_id: module.id, chapter_id: chapter.id, position: options.place ?? 0 })
    .execute()
}

async function aLearner(progress: Record<string, number>): Promise<Ctx> {
  const viewer = await aUser(db)
  const ctx = await aContext(db, { viewer })
  let minute = 0
  for (const [name, percent] of Object.entries(progress)) {
    const module = await db.selectFrom('modules').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const at = new Date(Date.UTC(2026, 0, 1, 0, minute++))
    await db
      .insertInto('module_progress')
      .values({
        site_id: siteId,
        user_id: viewer.id,
        module_id: module.id,
        started_at: at,
        last_visited_at: at,
        progress_percent: percent,
        completed_at: percent === 100 ? at : null,
      })
      .execute()
  }
  return ctx
}

test('a learner who has started nothing has no percent', async () => {
  const ctx = await aLearner({})
  expect(await getOwnLearning(ctx)).toMatchObject({
    percent: null,
    inProgressCount: 0,
    completedCount: 0,
  })
})

test('the frame of the console gets the same features and unread messages', async () => {
  const ctx = await aLearner({})
  const { flags, unreadCount } = await getOwnLearning(ctx)
  expect(flags.length).toBeGreaterThan(0)
  expect(await getFrameFigures(ctx)).toEqual({ flags, unreadCount })
  await expect(getFrameFigures({ ...ctx, viewer: null })).rejects.toThrow('Login required.')
})

/** A started course with a section for each list of module names. */
async function aStartedCourse(ctx: Ctx, chapters: string[][], completedAt: Date | null = null): Promise<void> {
  const course = await aCourse(db)
  const values = { site_id: siteId, user_id: ctx.viewer?.id ?? 0, course_id: course.id, completed_at: completedAt }
  await db.insertInto('course_progress').values(values).execute()
  for (const names of chapters) {
    await sql`
      with version as (select published_version_id as id from courses where id = ${course.id}),
      section as (insert into course_sections (version_id, name, position) select id, 'S', 0 from version returning id, version_id),
      chapter as (
        insert into course_chapters (site_id, version_id, section_id, name, position)
        select ${siteId}, version_id, id, 'C', 0 from section returning id
      )
      insert into course_chapter_modules (site_id, chapter_id, module_id, position)
      select ${siteId}, chapter.id, modules.id, modules.id from chapter, modules where modules.name = any(${names})`.execute(
      db,
    )
  }
}

test('the mean includes each started course, with the percent that lists show', async () => {
  for (const name of ['Of a course', 'Of a course, not begun']) await aModule(name, {})
  const ctx = await aLearner({})
  const user_id = ctx.viewer?.id ?? 0
  const open = await db.selectFrom('modules').select('id').where('name', '=', 'Of a course').executeTakeFirstOrThrow()
  await db
    .insertInto('module_progress')
    .values({ site_id: siteId, user_id, module_id: open.id, progress_percent: 50 })
    .execute()
  await aStartedCourse(ctx, []) // no modules: 0
  await aStartedCourse(ctx, [['Of a course', 'Of a course, not begun'], ['Of a course']]) // a module that is there twice counts once: 25
  await aStartedCourse(ctx, [['Of a course']], new Date()) // completed: 100
  await aStartedCourse(ctx, [['Of a course']]) // 50
  const { items } = await listStartedCourses(ctx, { page: 1, size: 20 })
  expect(items.map(({ percent }) => percent).sort((one, other) => one - other)).toEqual([0, 25, 50, 50])
  // (50 of the module + 0 + 25 + 100 + 50) / 5
  expect(await getOwnLearning(ctx)).toMatchObject({ percent: 45, inProgressCount: 4, completedCount: 1 })
})

test('the mean includes modules that left the plan', async () => {
  const ctx = await aLearner({ 'Screening 0': 40, 'Phase 1 0': 25, 'Screening 1': 100, 'Not in my plan': 90 })
  const learning = await getOwnLearning(ctx)
  expect(learning).toMatchObject({ percent: 63, inProgressCount: 3, completedCount: 1 })
  const { items } = await listOwnModules(ctx, { state: 'in_progress' })
  const views = await viewsOfProgress(ctx, items)
  expect(views.map(({ name, phase, percent, isListed }) => [name, phase, percent, isListed])).toEqual([
    ['Not in my plan', 'discover', 90, false],
    ['Phase 1 0', 'deliver', 25, true],
    ['Screening 0', 'discover', 40, true],
  ])
  expect(views.map(({ versionUid }) => versionUid !== null)).toEqual([false, true, true])
})

test('sections are counted with their completed modules, and modules without one come last', async () => {
  const counts = await countModulesBySection(await aLearner({ 'Screening 0': 100, 'Screening 1': 99 }))
  expect(counts.map(({ frontendId, total, completedCount }) => [frontendId, total, completedCount])).toEqual([
    ['discover', 4, 1],
    ['deliver', 2, 0],
    [null, 3, 0],
  ])
})

test('cards come in pages, or of one section', async () => {
  const ctx = await aLearner({})
  const names = async (input: Parameters<typeof listModuleCards>[1]) =>
    (await listModuleCards(ctx, input)).map(({ name }) => name)
  expect(await names({ limit: 3, offset: 3 })).toEqual(['Screening 3', 'Phase 1 0', 'Phase 1 1'])
  expect(await names({ frontendId: 'deliver' })).toEqual(['Phase 1 0', 'Phase 1 1'])
})

test('a card shows the progress of its viewer only', async () => {
  const ctx = await aLearner({ 'Screening 2': 70 })
  await aLearner({ 'Screening 2': 10, 'Screening 3': 10 })
  const views = await viewsOfCards(ctx, await listModuleCards(ctx))
  expect(views.filter(({ percent }) => percent !== null).map(({ name, percent }) => [name, percent])).toEqual([
    ['Screening 2', 70],
  ])
})

test('a version shows its module to viewers who may see it', async () => {
  const ctx = await aLearner({})
  const versionOf = async (name: string) =>
    db
      .selectFrom('module_versions')
      .innerJoin('modules', 'modules.id', 'module_versions.module_id')
      .select(['module_versions.uid as versionUid', 'modules.uid as moduleUid'])
      .where('modules.name', '=', name)
      .executeTakeFirstOrThrow()
  const seen = await versionOf('Screening 0')
  expect(await findModuleUidOfVersion(ctx, seen)).toBe(seen.moduleUid)
  expect(await findModuleUidOfVersion(ctx, await versionOf('Not in my plan'))).toBeNull()
})

test('of 25 begun items of a kind, 24 are listed with a link to all, in pages, and 25 are counted', async () => {
  const ctx = await aLearner({ 'Screening 0': 40 })
  const userId = ctx.viewer?.id ?? 0
  for (let number = 1; number <= 25; number++) {
    const course_id = (await aCourse(db)).id
    await db.insertInto('course_progress').values({ site_id: siteId, user_id: userId, course_id }).execute()
  }
  for (let number = 1; number <= 26; number++) {
    const film = number % 2 ? await aLecture(db) : await aVideo(db)
    const values = { site_id: siteId, user_id: userId, percent: 10, started_at: new Date() }
    await (number % 2
      ? db.insertInto('lecture_progress').values({ ...values, lecture_id: film.id })
      : db.insertInto('video_progress').values({ ...values, video_id: film.id })
    ).execute()
  }
  const read = async (search: string) => {
    const counted = { queries: 0 }
    const rows = await queryCounter.run(counted, () =>
      ownLearningRows(ctx, new Request(`http://localhost/my-learning/in-progress/${search}`), 'in_progress'),
    )
    // Beside these, a page queries its session and the totals of the learner area.
    expect([search, counted.queries <= 6]).toEqual([search, true])
    const { modules, courses, films } = rows
    return { courses: [courses.items.length, courses.total], films: [films.items.length, films.total], modules, rows }
  }
  expect(await read('')).toMatchObject({ courses: [24, 25], films: [24, 26], modules: [{ name: 'Screening 0' }] })
  expect((await getOwnLearning(ctx)).inProgressCount).toBe(1 + 25 + 26)
  const seen = new Set<string>()
  for (const [search, count] of [
    ['?kind=courses', 24],
    ['?kind=courses&page=2', 1],
  ] as const) {
    const page = await read(search)
    expect(page).toMatchObject({ courses: [count, 25], films: [0, 0], modules: [], rows: { kind: 'courses' } })
    for (const { uid } of page.rows.courses.items) seen.add(uid)
  }
  expect(seen.size).toBe(25)
  expect(await read('?kind=films')).toMatchObject({ courses: [0, 0], films: [24, 26], rows: { kind: 'films' } })
  expect(await read('?kind=courses&page=9&after=x')).toMatchObject({ courses: [0, 0], rows: { page: 9 } })
  for (const search of ['?kind=__proto__', '?kind=', '?page=7']) {
    expect(await read(search)).toMatchObject({ courses: [24, 25], rows: { kind: null, page: 1 } })
  }
})

test('when access has ended, everything begun stays listed with its results, and nothing can be opened', async () => {
  for (const name of ['Ended 0', 'Ended 1']) await aModule(name, {})
  const before = await aLearner({ 'Ended 0': 40, 'Ended 1': 100 })
  const userId = before.viewer?.id ?? 0
  await aStartedCourse(before, [['Ended 0', 'Ended 1']])
  const { id: video_id } = await aVideo(db)
  const film = { site_id: siteId, user_id: userId, video_id, percent: 30, started_at: before.now }
  await db.insertInto('video_progress').values(film).execute()
  const open = await getOwnLearning(before)

  const endedAt = new Date(before.now.getTime() - 86_400_000)
  await db.updateTable('subscriptions').set({ valid_to: endedAt }).where('user_id', '=', userId).execute()
  const viewer = await findViewer(before, { userId })
  expect(viewer).toMatchObject({ planId: null, accessEndedAt: endedAt })
  const ctx = { ...before, viewer }
  expect(await getOwnLearning(ctx)).toEqual(open)
  const rows = async (state: 'in_progress' | 'completed') =>
    ownLearningRows(ctx, new Request('http://localhost/my-learning/'), state)
  const begun = await rows('in_progress')
  expect(begun).toMatchObject({
    modules: [{ name: 'Ended 0', percent: 40, isListed: false, versionUid: null }],
    courses: { items: [{ percent: 70, isListed: false }] },
    films: { items: [{ percent: 30, isPlayable: false }] },
  })
  expect(await rows('completed')).toMatchObject({
    modules: [{ name: 'Ended 1', percent: 100, isListed: false, versionUid: null }],
  })
  const page = { page: 1, size: 10 }
  expect((await listStartedModules(ctx, page)).items.map(({ versionUid, isListed }) => [versionUid, isListed])).toEqual(
    [
      [null, false],
      [null, false],
    ],
  )
  expect((await listStartedCourses(ctx, page)).items).toMatchObject([{ percent: 70, isListed: false }])
  // Nothing is offered or found any more.
  expect(await listModuleCards(ctx)).toEqual([])
  const courseUid = begun.courses.items[0]?.uid ?? ''
  expect(await findCoursePage(ctx, { courseUid })).toBeNull()
})

test('a subscription that begins later gives no access and has not ended', async () => {
  const before = await aLearner({})
  const userId = before.viewer?.id ?? 0
  const tomorrow = new Date(before.now.getTime() + 86_400_000)
  await db.updateTable('subscriptions').set({ valid_from: tomorrow }).where('user_id', '=', userId).execute()
  expect(await findViewer(before, { userId })).toMatchObject({ planId: null, accessEndedAt: null })
})

test('own progress is returned whole up to 5,000 rows, and refused beyond', async () => {
  const viewer = await aUser(db)
  const learner = await aContext(db, { viewer })
  const site = learner.site.id
  const start = (count: number) =>
    sql`
      with made as (
        insert into modules (site_id, name, name_key, search_key)
        select ${site}, 'Begun ' || gen_random_uuid(), gen_random_uuid()::text, 'begun' from generate_series(1, ${count}::int)
        returning id)
      insert into module_progress (site_id, user_id, module_id) select ${site}, ${viewer.id}, id from made`.execute(db)
  // One statement with all of them takes twenty seconds: what the person did is counted in one row, whose versions pile up.
  for (let batch = 0; batch < 50; batch += 1) await start(100)
  expect(await listOwnModulesProgress(learner)).toHaveLength(5000)
  expect(
    (await userProgress(learner, { userUid: viewer.uid, allStartedStudyUnits: true })).modulesProgress,
  ).toHaveLength(5000)
  await start(1)
  await expect(listOwnModulesProgress(learner)).rejects.toThrow('too much progress for one response')
  await expect(userProgress(learner, { userUid: viewer.uid, allStartedStudyUnits: true })).rejects.toThrow(Invalid)
})

test('the record lists what was completed, also after it is no longer offered, and nothing of other people', async () => {
  for (const name of ['Recorded', 'Withdrawn', 'Not completed']) await aModule(name, {})
  const learner = await aLearner({ Recorded: 100, Withdrawn: 100, 'Not completed': 99 })
  await aLearner({ Recorded: 100 })
  await aStartedCourse(learner, [['Recorded']], new Date(Date.UTC(2026, 1, 1)))
  await aStartedCourse(learner, [['Not completed']])
  await db
    .updateTable('modules')
    .set({ deleted_at: new Date(), published_version_id: null })
    .where('name', '=', 'Withdrawn')
    .execute()
  const { modules, courses, isCut } = await getOwnRecord(learner)
  expect(modules.map(({ name }) => name)).toEqual(['Withdrawn', 'Recorded'])
  expect(courses).toMatchObject([{ completedAt: new Date(Date.UTC(2026, 1, 1)) }])
  expect(isCut).toBe(false)
  await expect(getOwnRecord({ ...learner, viewer: null })).rejects.toThrow('Login required.')
})

test('a module that is coming soon has a page for whoever may see it, and nobody else', async () => {
  await aModule('Announced', {})
  const { uid } = await db
    .updateTable('modules')
    .set({ coming_soon: true })
    .where('name', '=', 'Announced')
    .returning('uid')
    .executeTakeFirstOrThrow()
  const shown = await findModuleToShow(await aLearner({}), { moduleUid: uid.toUpperCase() })
  expect(shown).toMatchObject({ isClosed: false, card: { comingSoon: true, isOpenable: false } })
  const strangers = [
    await aContext(db, { viewer: await aUser(db, { plan: 'Free Access' }) }),
    await aContext(db, { viewer: await aUser(db, { plan: null }) }),
    await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) }),
  ]
  for (const stranger of strangers) expect(await findModuleToShow(stranger, { moduleUid: uid })).toBeNull()
  for (const moduleUid of ['', 'x', `${uid}x`, crypto.randomUUID()]) {
    expect(await findModuleToShow(await aLearner({}), { moduleUid })).toBeNull()
  }
})

test('after access has ended, the page of a module is there for whoever had begun it, and nothing else is', async () => {
  for (const name of ['Begun before', 'Never begun', 'Begun and unpublished']) await aModule(name, {})
  const uids = await db
    .selectFrom('modules')
    .select(['name', 'uid'])
    .where('name', 'in', ['Begun before', 'Never begun', 'Begun and unpublished'])
    .execute()
  const uidOf = (name: string) => ({ moduleUid: uids.find((module) => module.name === name)?.uid ?? '' })
  const before = await aLearner({ 'Begun before': 60, 'Begun and unpublished': 100 })
  await db
    .updateTable('modules')
    .set({ published_version_id: null })
    .where('name', '=', 'Begun and unpublished')
    .execute()
  expect(await findModuleToShow(before, uidOf('Begun before'))).toMatchObject({ isClosed: false })
  const userId = before.viewer?.id ?? 0
  const endedAt = new Date(before.now.getTime() - 86_400_000)
  await db.updateTable('subscriptions').set({ valid_to: endedAt }).where('user_id', '=', userId).execute()
  const ctx = { ...before, viewer: await findViewer(before, { userId }) }
  const shown = await findModuleToShow(ctx, uidOf('Begun before'))
  expect(shown).toMatchObject({ isClosed: true, card: { name: 'Begun before', isOpenable: false } })
  expect(await viewsOfCards(ctx, shown ? [shown.card] : [])).toMatchObject([{ percent: 60, versionUid: null }])
  for (const name of ['Never begun', 'Begun and unpublished']) {
    expect(await findModuleToShow(ctx, uidOf(name))).toBeNull()
  }
  // Not for what a plan that is still valid no longer includes.
  const other = await aLearner({ 'Not in my plan': 50 })
  const { uid: moduleUid } = await db
    .selectFrom('modules')
    .select('uid')
    .where('name', '=', 'Not in my plan')
    .executeTakeFirstOrThrow()
  expect(await findModuleToShow(other, { moduleUid })).toBeNull()
})
