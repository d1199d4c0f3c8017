import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fullTitleOf, groupByBlock } from '~/components/modules/unit-groups.ts'
import { headingsOf, type LangText } from '~/lib/language.ts'
import { getLaunch, launchUnit, rebuildProgress } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Forbidden, NotFound } from '~/services/errors.ts'
import { listUnitsOfVersions } from '~/services/modules/parts.server.ts'
import { listOwnCoursesProgress } from '~/services/progress/own-courses.server.ts'
import {
  findOwnModulesProgress,
  listOwnAttempts,
  listOwnModules,
  listOwnModulesProgress,
  recordModuleProgress,
  userProgress,
} from '~/services/progress/progress.server.ts'
import { listStartedModules } from '~/services/progress/started.server.ts'
import { lockClasses } from '~db/advisory-locks.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aModule, launchAndFetch, send, statementOf, type TestModule, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourseOf } from '../support/courses.ts'
import { ctx, db } from '../support/test.ts'

async function aLearner(options: Parameters<typeof aUser>[1] = {}): Promise<Ctx> {
  return aContext(db, { ...(options.site && { site: options.site }), viewer: await aUser(db, options) })
}

const question = (interactionType: string, more: object = {}) => ({
  id: `https://example.org/question/${interactionType}`,
  definition: {
    type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
    interactionType,
    description: { en: `What about ${interactionType}?` },
    ...more,
  },
})

test('questions with a right answer are a quiz, others a survey, and choices are kept in words', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, session, [
    statementOf(session, 'initialized'),
    statementOf(session, 'answered', {
      object: question('choice', { correctResponsesPattern: ['a'] }),
      result: { response: 'a', success: true, score: { scaled: 1 } },
    }),
    statementOf(session, 'answered', { object: question('likert'), result: { response: 'very\u0000 much' } }),
    statementOf(session, 'answered', {
      object: question('likert', { scale: [{ id: 'c4', description: { en: 'Very clear' } }] }),
      result: { response: 'c4' },
    }),
    statementOf(session, 'answered', {
      object: question('choice', { choices: [{ id: 'a', description: { en: '40 nM' } }, { id: 'b' }] }),
      result: { response: 'b[,]a[,]gone', success: false },
    }),
    statementOf(session, 'experienced'),
  ])
  const answers = await db
    .selectFrom('question_answers')
    .select(['kind', 'question', 'response', 'is_correct', 'score_scaled'])
    .where('user_id', '=', learner.viewer?.id ?? 0)
    .orderBy('seq')
    .execute()
  expect(answers).toEqual([
    { kind: 'quiz', question: 'What about choice?', response: 'a', is_correct: true, score_scaled: 1 },
    { kind: 'survey', question: 'What about likert?', response: 'very much', is_correct: null, score_scaled: null },
    { kind: 'survey', question: 'What about likert?', response: 'Very clear', is_correct: null, score_scaled: null },
    { kind: 'quiz', question: 'What about choice?', response: 'b, 40 nM, gone', is_correct: false, score_scaled: null },
  ])
})

test('percent, highest score and completion never fall', async () => {
  const module = await aModule(ctx, { units: [{ moveOn: 'Passed' }, { moveOn: 'Passed' }] })
  const learner = await aLearner()
  const input = { moduleVersionUid: module.versionUid }
  await visit(learner, { ...input, unitIndex: 0 }, ['passed', { score: { scaled: 1 } }])
  await visit(learner, { ...input, unitIndex: 1 }, ['passed', { score: { scaled: 0.5 } }])
  const read = async () => (await findOwnModulesProgress(learner, { moduleUids: [module.uid] })).get(module.uid)
  const done = await read()
  expect(done).toMatchObject({ percent: 100, highestScore: 100, retakingPercent: null })
  await visit(learner, { ...input, retake: true, unitIndex: 0 }, ['failed', { score: { scaled: 0.1 } }])
  expect(await read()).toMatchObject({
    percent: 100,
    highestScore: 100,
    retakingPercent: 0,
    completedAt: done?.completedAt,
    startedAt: done?.startedAt,
  })
})

test('a course is completed with the last module of its published version, also if two end at once', async () => {
  const modules = [await aModule(ctx), await aModule(ctx)]
  const { versionId } = await aCourseOf(ctx, modules)
  const learner = await aLearner()
  await Promise.all(modules.map(({ versionUid }) => visit(learner, { moduleVersionUid: versionUid }, 'completed')))
  const row = await db
    .selectFrom('course_progress')
    .select(['completed_at', 'course_version_id'])
    .where('user_id', '=', learner.viewer?.id ?? 0)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ completed_at: expect.any(Date), course_version_id: versionId })
})

test('a course counts each module once, and deleted ones not, wherever its progress is read', async () => {
  const modules = [await aModule(ctx), await aModule(ctx), await aModule(ctx)]
  const course = await aCourseOf(ctx, modules)
  const learner = await aLearner()
  const viewer = learner.viewer as Viewer
  const [first, second, deleted] = modules as [TestModule, TestModule, TestModule]
  await db.updateTable('modules').set({ deleted_at: new Date() }).where('id', '=', deleted.id).execute()
  await visit(learner, { moduleVersionUid: first.versionUid }, 'completed')
  const { coursesProgress } = await userProgress(await aLearner({ groups: ['admins'] }), {
    userUid: viewer.uid,
    courseUids: [course.uid],
  })
  expect(coursesProgress).toMatchObject([
    { progressPercent: 50, modulesProgress: [{ moduleUid: first.uid }, { moduleUid: second.uid }] },
  ])
  await visit(learner, { moduleVersionUid: second.versionUid }, 'completed')
  expect(await listOwnCoursesProgress(learner)).toMatchObject([{ courseUid: course.uid, percent: 100 }])
})

test('in progress and completed modules are listed, last visited first, in pages', async () => {
  const learner = await aLearner()
  const names: string[] = []
  for (let index = 0; index < 5; index++) {
    const module = await aModule(ctx, { name: `Paged ${index}` })
    names.unshift(`Paged ${index}`)
    await visit({ ...learner, now: new Date(Date.now() + index) }, { moduleVersionUid: module.versionUid })
  }
  const done = await aModule(ctx, { name: 'Done' })
  await visit(learner, { moduleVersionUid: done.versionUid }, 'completed')
  const first = await listOwnModules(learner, { state: 'in_progress', first: 3 })
  const second = await listOwnModules(learner, { state: 'in_progress', first: 3, after: first.endCursor })
  expect([...first.items, ...second.items].map(({ moduleName }) => moduleName)).toEqual(names)
  expect(second.endCursor).toBeNull()
  for (const after of ['nonsense', Buffer.from('["2020", "x"]').toString('base64url')]) {
    expect((await listOwnModules(learner, { state: 'in_progress', after })).items).toHaveLength(5)
  }
  const completed = await listOwnModules(learner, { state: 'completed' })
  expect(completed.items).toMatchObject([{ moduleName: 'Done', percent: 100, version: 1, versionUid: done.versionUid }])
  expect(await listOwnModulesProgress(learner)).toHaveLength(6)
})

test('the table of started modules shows an open retake and modules that cannot be opened', async () => {
  const learner = await aContext(db, { viewer: await aUser(db) })
  const [taken, soon] = [await aModule(ctx, { name: 'Taken again' }), await aModule(ctx, { name: 'Soon' })]
  await visit(learner, { moduleVersionUid: soon.versionUid }, 'completed')
  await visit(learner, { moduleVersionUid: taken.versionUid }, 'completed')
  const row = async () => (await listStartedModules(learner, {})).items.find(({ name }) => name === 'Taken again')
  expect(await row()).toMatchObject({ percent: 100, retakingPercent: null, versionUid: taken.versionUid })
  await launchUnit(learner, { moduleVersionUid: taken.versionUid, retake: true })
  expect(await row()).toMatchObject({ percent: 100, retakingPercent: 0, versionUid: taken.versionUid })
  await db.updateTable('modules').set({ coming_soon: true }).where('uid', '=', soon.uid).execute()
  expect((await listStartedModules(learner, {})).items.find(({ name }) => name === 'Soon')?.versionUid).toBeNull()
})

test('userProgress is for the person or, on the site, for admins; unknown people get an error beside it', async () => {
  const module = await aModule(ctx, { units: [{ moveOn: 'Passed' }] })
  const [learner, other, admin, foreign] = [
    await aLearner(),
    await aLearner(),
    await aLearner({ groups: ['admins'] }),
    await aLearner({ site: 'ns', groups: ['admins'] }),
  ]
  await visit(learner, { moduleVersionUid: module.versionUid }, ['passed', { score: { scaled: 0.875 } }])
  const userUid = learner.viewer?.uid ?? ''
  const own = await userProgress(learner, { userUid, allStartedStudyUnits: true })
  expect(own.modulesProgress).toEqual([
    { moduleUid: module.uid, moduleName: expect.any(String), progressPercent: 100, highestScore: 88, error: null },
  ])
  const unknown = '00000000-0000-4000-8000-000000000000'
  const asked = await userProgress(admin, {
    userUid,
    moduleUids: [module.uid, unknown, 'nonsense'],
    courseUids: [unknown],
    lectureUids: [unknown],
  })
  expect(asked.modulesProgress.map(({ progressPercent, error }) => [progressPercent, error])).toEqual([
    [100, null],
    [0, 'Module not found.'],
    [0, 'Module not found.'],
  ])
  const hidden = [(await aModule(ctx, { plan: null })).uid, (await aModule(ctx, { isPublished: false })).uid]
  const denied = await userProgress(learner, { userUid, moduleUids: hidden })
  expect(denied.modulesProgress.map(({ error }) => error)).toEqual(['Module not found.', 'Module not found.'])
  expect(asked.coursesProgress).toMatchObject([{ error: 'Course not found.' }])
  expect(asked.lecturesProgress).toMatchObject([{ error: 'Lecture not found.' }])
  await expect(userProgress(other, { userUid })).rejects.toThrow(Forbidden)
  await expect(userProgress(foreign, { userUid })).rejects.toThrow(NotFound)
  await expect(userProgress(ctx, { userUid })).rejects.toThrow('Login required.')
})

test('a rebuild computes exactly what the live path wrote from the statements', async () => {
  const free = await aModule(ctx, {
    blocks: [{ id: 'a' }, { id: 'b', parent: 'a' }],
    units: [
      { block: 'b', moveOn: 'NotApplicable' },
      { block: 'a', moveOn: 'CompletedAndPassed', masteryScore: 0.5 },
      { moveOn: 'Passed' },
    ],
  })
  const learner = await aLearner()
  const input = { moduleVersionUid: free.versionUid }
  await visit(learner, { ...input, unitIndex: 0 })
  await visit(
    learner,
    { ...input, unitIndex: 1 },
    ['failed', { score: { scaled: 0.3 } }],
    ['experienced', { progress: 70 }],
  )
  await visit(
    learner,
    { ...input, unitIndex: 1 },
    [
      'answered',
      {
        object: question('choice', { choices: [{ id: 'choice-2', description: { en: '40 nM' } }] }),
        result: { response: 'choice-2', success: false },
      },
    ],
    'completed',
    ['passed', { score: { scaled: 0.8 } }],
  )
  await visit(learner, { ...input, unitIndex: 2 }, ['passed', { score: { scaled: 0.4 } }])
  await visit(learner, { ...input, retake: true, unitIndex: 1 }, ['experienced', { progress: 20 }])
  await launchAndFetch(learner, input)
  await launchAndFetch(learner, input)
  const author = await aLearner({ groups: ['authors'] })
  await visit(author, { ...input, preview: true }, 'experienced')
  const before = await projections()
  expect(before.module_progress.length).toBeGreaterThan(0)
  expect(before.answers.map(({ response }) => response)).toContain('40 nM')
  await overwriteProgress()
  expect(await projections()).not.toEqual(before)
  expect(await rebuildProgress(ctx)).toBeGreaterThan(2)
  expect(await projections()).toEqual(before)
  await rebuildProgress(ctx)
  expect(await projections()).toEqual(before)
})

const unstable = new Set(['updated_at'])

async function projections() {
  const read = async (table: 'registrations' | 'registration_units' | 'registration_blocks' | 'module_progress') => {
    const rows = (await db.selectFrom(table).selectAll().execute()) as Record<string, unknown>[]
    return rows.map((row) => JSON.stringify(Object.entries(row).filter(([key]) => !unstable.has(key)))).sort()
  }
  return {
    registrations: await read('registrations'),
    registration_units: await read('registration_units'),
    registration_blocks: await read('registration_blocks'),
    module_progress: await read('module_progress'),
    answers: await db.selectFrom('question_answers').selectAll().orderBy('seq').execute(),
  }
}

async function overwriteProgress(): Promise<void> {
  await db.deleteFrom('module_progress').execute()
  await db.deleteFrom('question_answers').execute()
  await db.deleteFrom('registration_blocks').execute()
  await db
    .updateTable('registration_units')
    .set({ progress: 1, reported: null, score_scaled: 0.01, seconds: 1 })
    .execute()
  await db.updateTable('registrations').set({ progress_percent: 1, satisfied_at: null }).execute()
}

test('completing a module takes a lock of a class that nothing else uses', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  const at = learner.now
  const news = { percent: 100, highestScore: null, startedAt: at, lastVisitedAt: at, completedAt: at }
  const held = await inTransaction(learner, async (ctx) => {
    await recordModuleProgress(ctx, { ...news, registrationUid: session.registrationUid })
    const { rows } = await sql<{ class: number }>`
      select classid::int as class from pg_locks
      where locktype = 'advisory' and objsubid = 2 and pid = pg_backend_pid()`.execute(ctx.db)
    return rows.map((row) => row.class)
  })
  expect(held).toEqual([lockClasses.completion])
  expect(new Set(Object.values(lockClasses)).size).toBe(Object.values(lockClasses).length)
})

test('units say in which blocks they are, on the module page, in the viewer and for staff', async () => {
  const titles = ['Pre-test', 'Content', 'Post-test']
  const module = await aModule(ctx, {
    blocks: [{ id: 'Part 1' }, { id: 'Part 2' }, { id: 'Inner', parent: 'Part 2' }],
    units: ['Part 1', 'Inner'].flatMap((block) => titles.map((id) => ({ id: `${id} ${block}`, block }))),
  })
  const learner = await aLearner()
  const headings = (units: { blocks: LangText[] }[] | undefined) => headingsOf(units ?? [], 'en')
  const expected = [...titles.map(() => 'Part 1'), ...titles.map(() => 'Part 2 › Inner')]
  const published = await listUnitsOfVersions(learner, [module.versionUid])
  expect(headings(published.get(module.versionUid))).toEqual(expected)
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  expect(headings((await getLaunch(learner, { auLaunchSessionUid })).units)).toEqual(expected)
  expect(headings((await listOwnAttempts(learner, { moduleUid: module.uid }))[0]?.units)).toEqual(expected)
  // A block around all units says nothing that the name of the course does not say.
  expect(headingsOf([{ blocks: [{ en: 'All' }] }, { blocks: [{ en: 'All' }] }], 'en')).toEqual([null, null])
  const units = ['a', 'b', 'c'].map((title, index) => ({ title, block: index < 2 ? 'One' : null }))
  expect(groupByBlock(units).map(({ block, units }) => [block, units.map(fullTitleOf)])).toEqual([
    ['One', ['One: a', 'One: b']],
    [null, ['c']],
  ])
})
