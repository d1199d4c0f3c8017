/** What learners are told about their results: a unit is done when its moveOn criterion is met, and not before. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { standingOf } from '~/components/modules/view.ts'
import { rebuildProgressJob } from '~/jobs/rebuild-progress.ts'
import { failedTestText } from '~/lib/failed-test.ts'
import { launchUnit, rebuildProgress } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listOwnAttempts, listOwnModules } from '~/services/progress/progress.server.ts'
import { listStartedModules } from '~/services/progress/started.server.ts'
import { up as migrateResults } from '../../migrations/2026-11-23T0915-results-by-move-on.ts'
import { aModule, type TestModule, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourseOf } from '../support/courses.ts'
import { takeJobs } from '../support/jobs.ts'
import { ctx, db } from '../support/test.ts'

const failed = ['failed', { score: { scaled: 0.33 } }] as [string, object]
const passed = (scaled: number) => ['passed', { score: { scaled } }] as [string, object]
const aLearner = async () => aContext(db, { viewer: await aUser(db) })

async function listedAs(learner: Ctx): Promise<{ inProgress: object[]; completed: object[] }> {
  const list = async (state: 'in_progress' | 'completed') =>
    (await listOwnModules(learner, { state })).items.map(({ percent, highestScore, failedTest, completedAt }) => ({
      percent,
      highestScore,
      failedTest,
      isCompleted: completedAt !== null,
    }))
  return { inProgress: await list('in_progress'), completed: await list('completed') }
}

const unitOf = async (learner: Ctx, module: TestModule) =>
  (await listOwnAttempts(learner, { moduleUid: module.uid }))[0]?.units[0]

test('who fails a test that must be passed has not completed the module, and keeps the best score', async () => {
  const module = await aModule(ctx, { units: [{ moveOn: 'CompletedAndPassed', masteryScore: 0.3 }] })
  await aCourseOf(ctx, [module])
  const learner = await aLearner()
  const input = { moduleVersionUid: module.versionUid }
  const unpassed = { percent: 99, highestScore: 33, failedTest: 'required', isCompleted: false }
  await visit(learner, input, 'completed', ['failed', { score: { scaled: 0.25 } }])
  expect(await listedAs(learner)).toEqual({ inProgress: [{ ...unpassed, highestScore: 25 }], completed: [] })
  await visit(learner, input, ['failed', { score: { scaled: 0.29 } }])
  expect(await unitOf(learner, module)).toMatchObject({
    state: 'failed',
    percent: 99,
    score: 29,
    failedTest: 'required',
  })
  const courses = () =>
    db
      .selectFrom('course_progress')
      .select('completed_at')
      .where('user_id', '=', learner.viewer?.id ?? 0)
  expect(await courses().execute()).toEqual([])
  expect((await listStartedModules(learner, {})).items).toMatchObject([{ percent: 99, failedTest: 'required' }])
  await visit(learner, input, passed(0.8))
  const whole = { percent: 100, highestScore: 80, failedTest: null, isCompleted: true }
  expect(await listedAs(learner)).toEqual({ inProgress: [], completed: [whole] })
  expect(await courses().execute()).toEqual([{ completed_at: expect.any(Date) }])
})

test('after a failed test a new attempt can be started once, in which units that are done stay done', async () => {
  const module = await aModule(ctx, {
    units: [{ moveOn: 'Completed' }, { moveOn: 'CompletedAndPassed', masteryScore: 0.6 }],
  })
  const learner = await aLearner()
  const input = { moduleVersionUid: module.versionUid }
  const attempts = () => listOwnAttempts(learner, { moduleUid: module.uid })
  await visit(learner, { ...input, unitIndex: 0 }, 'completed')
  // Nothing has failed so far, so the attempt goes on.
  await launchUnit(learner, { ...input, retake: true })
  expect(await attempts()).toHaveLength(1)
  await visit(learner, { ...input, unitIndex: 1 }, 'completed', failed)

  await Promise.all(Array.from({ length: 5 }, () => launchUnit(learner, { ...input, retake: true })))
  const [second, first, ...more] = await attempts()
  expect(more).toEqual([])
  expect(first).toMatchObject({ isOpen: false, units: [{ percent: 100 }, { percent: 99, failedTest: 'required' }] })
  expect(second).toMatchObject({ isOpen: true, units: [{ percent: 100 }, { percent: 0, failedTest: null }] })
  expect((await listedAs(learner)).inProgress).toMatchObject([{ percent: 99, highestScore: 33, failedTest: null }])
  await visit(learner, { ...input, unitIndex: 1 }, 'completed', passed(0.7))
  expect((await listedAs(learner)).completed).toMatchObject([{ percent: 100, highestScore: 70 }])
})

test('who fails a test that need not be passed has completed the module, until an attempt passes it', async () => {
  const module = await aModule(ctx, { units: [{ moveOn: 'Completed' }] })
  const learner = await aLearner()
  const input = { moduleVersionUid: module.versionUid }
  await visit(learner, input, failed)
  expect(await listedAs(learner)).toMatchObject({ inProgress: [{ percent: 0, failedTest: 'optional' }], completed: [] })
  await visit(learner, input, 'completed')
  const whole = { percent: 100, highestScore: 33, failedTest: 'optional', isCompleted: true }
  expect(await listedAs(learner)).toEqual({ inProgress: [], completed: [whole] })
  expect(await unitOf(learner, module)).toMatchObject({ state: 'completed', percent: 100, failedTest: 'optional' })
  await visit(learner, { ...input, retake: true }, 'completed', passed(0.9))
  expect((await listedAs(learner)).completed).toEqual([{ ...whole, highestScore: 90, failedTest: null }])
  await visit(learner, { ...input, retake: true }, 'completed', failed)
  expect((await listedAs(learner)).completed).toEqual([{ ...whole, highestScore: 90, failedTest: null }])
})

test.each([
  [{ percent: 99, failedTest: 'required', score: 33 }, 'Not passed yet, 33%. Try again'],
  [{ percent: 0, failedTest: 'required', score: null }, 'Not passed yet. Try again'],
  [{ percent: 100, failedTest: 'optional', score: 33 }, 'Completed · test not passed, 33%'],
  [{ percent: 100, failedTest: 'optional', score: null }, 'Completed · test not passed'],
  [{ percent: 60, failedTest: 'optional', score: 33 }, null],
  [{ percent: 100, failedTest: null, score: 33 }, null],
] as const)('a failed test in words: %j', (result, text) => {
  expect(failedTestText(result)).toBe(text)
})

test.each([
  [{ failedTest: 'optional', highestScore: 50, retakingPercent: null }, 'Completed · test not passed, 50%'],
  [{ failedTest: 'optional', highestScore: 50, retakingPercent: 0 }, 'Completed · test not passed, 50% · retaking 0%'],
  [{ failedTest: null, highestScore: 90, retakingPercent: 25 }, 'Completed · retaking 25%'],
  [{ failedTest: null, highestScore: null, retakingPercent: null }, 'Completed'],
] as const)('a completed module in words: %j', (module, text) => {
  expect(standingOf({ ...module, percent: 100 })).toBe(text)
})

test('the migration queues a job that computes what progress:rebuild computes', async () => {
  const [required, optional] = [
    await aModule(ctx, { units: [{ moveOn: 'CompletedAndPassed', masteryScore: 0.5 }] }),
    await aModule(ctx, { units: [{ moveOn: 'Completed' }] }),
  ]
  const { versionId } = await aCourseOf(ctx, [required, optional])
  const done = await aCourseOf(ctx, [optional])
  const learner = await aLearner()
  await visit(learner, { moduleVersionUid: required.versionUid }, 'completed', failed)
  await visit(learner, { moduleVersionUid: optional.versionUid }, 'completed', failed)
  const before = await projections()
  const recordedByOldRule = async () => {
    const at = new Date('2026-11-20T10:00:00Z')
    await db.updateTable('registration_units').set({ progress: 100 }).execute()
    await db.updateTable('registrations').set({ progress_percent: 100 }).execute()
    await db.updateTable('module_progress').set({ progress_percent: 100, completed_at: at }).execute()
    await sql`
      insert into course_progress (user_id, course_id, site_id, started_at, completed_at, course_version_id)
      select ${learner.viewer?.id ?? 0}, course_id, site_id, ${at}, ${at}, id from course_versions
      where id in (${versionId}, ${done.versionId})
      on conflict (user_id, course_id) do update
      set completed_at = excluded.completed_at, course_version_id = excluded.course_version_id`.execute(db)
    expect(await projections()).not.toEqual(before)
  }
  const completedCourses = () =>
    db
      .selectFrom('course_progress')
      .select('course_version_id')
      .where('user_id', '=', learner.viewer?.id ?? 0)
      .where('completed_at', 'is not', null)
      .execute()

  await recordedByOldRule()
  await takeJobs(db, 'rebuild-progress')
  await migrateResults(db as never)
  const jobs = await takeJobs(db, 'rebuild-progress')
  expect(jobs).toEqual([{}])
  const system = { db, now: new Date(), log: ctx.log }
  for (let next = jobs; next.length > 0; next = await takeJobs(db, 'rebuild-progress')) {
    for (const job of next) await rebuildProgressJob(system, job)
  }
  expect(await projections()).toEqual(before)
  expect(await completedCourses()).toEqual([{ course_version_id: done.versionId }])

  await recordedByOldRule()
  await rebuildProgress(system)
  expect(await projections()).toEqual(before)
  expect(await completedCourses()).toEqual([{ course_version_id: done.versionId }])
})

async function projections() {
  const units = db.selectFrom('registration_units').select(['registration_id', 'unit_id', 'progress'])
  const attempts = db.selectFrom('registrations').select(['id', 'progress_percent'])
  const modules = db.selectFrom('module_progress').select(['user_id', 'module_id', 'progress_percent', 'completed_at'])
  return {
    units: await units.orderBy('registration_id').orderBy('unit_id').execute(),
    attempts: await attempts.orderBy('id').execute(),
    modules: await modules.orderBy('user_id').orderBy('module_id').execute(),
  }
}
