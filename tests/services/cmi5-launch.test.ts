import { afterAll, beforeAll, expect, test } from 'vitest'
import { getLaunch, launchInfo, launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findOwnModulesProgress, listOwnAttempts } from '~/services/progress/progress.server.ts'
import type { Database } from '~db/client.server.ts'
import { aModule, launchAndFetch, send, statementOf, storyOf, visit } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'

let db: Database
let close: () => Promise<void>
let ctx: Ctx

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
  ctx = await aContext(db, { viewer: await aUser(db) })
})
afterAll(() => close())

async function aLearner(options: Parameters<typeof aUser>[1] = {}): Promise<Ctx> {
  return aContext(db, { ...(options.site && { site: options.site }), viewer: await aUser(db, options) })
}

test('a learner launches, works, leaves, and her progress and score are there', async () => {
  const module = await aModule(ctx, { units: [{ moveOn: 'CompletedAndPassed', masteryScore: 0.8 }] })
  const learner = await aLearner()
  const { session, uid } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  await send(learner, session, statementOf(session, 'experienced', { progress: 40 }))
  expect((await progressOf(learner, module.uid))?.percent).toBe(40)
  await send(learner, session, [
    statementOf(session, 'completed'),
    statementOf(session, 'passed', { score: { scaled: 0.9 } }),
  ])
  await send(learner, session, statementOf(session, 'terminated'))
  expect(await progressOf(learner, module.uid)).toMatchObject({ percent: 100, highestScore: 90, retakingPercent: null })
  const story = await storyOf(db, session.registrationUid)
  expect(story.map(({ verb }) => verb)).toEqual([
    'launched',
    'initialized',
    'experienced',
    'completed',
    'passed',
    'satisfied',
    'terminated',
  ])
  expect(await getLaunch(learner, { auLaunchSessionUid: uid })).toMatchObject({ status: 'terminated', launchUrl: null })
  const [attempt] = await listOwnAttempts(learner, { moduleUid: module.uid })
  expect(attempt).toMatchObject({ number: 1, percent: 100, score: 90, isSatisfied: true })
  expect(attempt?.units).toMatchObject([{ state: 'passed', percent: 100, score: 90, seconds: 10 }])
})

async function progressOf(learner: Ctx, moduleUid: string) {
  return (await findOwnModulesProgress(learner, { moduleUids: [moduleUid] })).get(moduleUid)
}
