import { expect, test } from 'vitest'
import { endLaunch, fetchToken, launchUnit } from '~/services/cmi5/cmi5.server.ts'
import { fetchSecretOf } from '~/services/cmi5/secrets.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden } from '~/services/errors.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'
import { times } from '../support/attempts.ts'
import { aModule, launchAndFetch, send, statementOf, storyOf, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

async function aLearner(): Promise<Ctx> {
  return aContext(db, { viewer: await aUser(db) })
}

function countOf(results: PromiseSettledResult<unknown>[], status: 'fulfilled' | 'rejected'): number {
  return results.filter((result) => result.status === status).length
}

test('ten simultaneous launches open one attempt and leave one session open', async () => {
  const module = await aModule(ctx, { units: [{}, { moveOn: 'NotApplicable' }] })
  const learner = await aLearner()
  const results = await times(10, () => launchUnit(learner, { moduleVersionUid: module.versionUid }))
  expect(countOf(results, 'fulfilled')).toBe(10)
  const registrations = await db
    .selectFrom('registrations')
    .select('uid')
    .where('user_id', '=', learner.viewer?.id ?? 0)
    .execute()
  expect(registrations).toHaveLength(1)
  const story = (await storyOf(db, registrations[0]?.uid ?? '')).map(({ verb }) => verb)
  expect(story.filter((verb) => verb === 'launched')).toHaveLength(10)
  expect(story.filter((verb) => verb === 'abandoned')).toHaveLength(9)
})

test('ten simultaneous retakes open one new attempt', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  await visit(learner, { moduleVersionUid: module.versionUid }, 'completed')
  await times(10, () => launchUnit(learner, { moduleVersionUid: module.versionUid, retake: true }))
  const { count } = await db
    .selectFrom('registrations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', learner.viewer?.id ?? 0)
    .executeTakeFirstOrThrow()
  expect(count).toBe(2)
})

test('one of ten simultaneous token fetches is answered (cmi5 8.2.3.1)', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  const secret = await fetchSecretOf(db, auLaunchSessionUid)
  const answers = await Promise.all(Array.from({ length: 10 }, () => fetchToken(learner, { secret })))
  expect(answers.filter((answer) => 'token' in answer)).toHaveLength(1)
})

test('ten identical statements at once are stored once, and all requests succeed (xAPI 2.1.1)', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  const initialized = statementOf(session, 'initialized')
  const results = await times(10, () => send(learner, session, initialized))
  expect(countOf(results, 'fulfilled')).toBe(10)
  expect((await storyOf(db, session.registrationUid)).map(({ verb }) => verb)).toEqual(['launched', 'initialized'])
})

test('exactly one of fifty simultaneous passed statements is accepted', async () => {
  const module = await aModule(ctx, { units: [{ moveOn: 'Passed' }] })
  const learner = await aLearner()
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  const results = await times(50, () =>
    send(learner, session, statementOf(session, 'passed', { score: { scaled: 0.9 } })),
  )
  expect(countOf(results, 'fulfilled')).toBe(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Forbidden)
  const story = (await storyOf(db, session.registrationUid)).map(({ verb }) => verb)
  expect(story).toEqual(['launched', 'initialized', 'passed', 'satisfied'])
})

test('sixteen writers on one registration cause no deadlock, and the stored order is strict', async () => {
  const module = await aModule(ctx, { units: [{}, {}] })
  const learner = await aLearner()
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  const shared = Array.from({ length: 4 }, () => statementOf(session, 'experienced', { progress: 10 }))
  const results = await times(16, async (writer) => {
    for (let round = 0; round < 8; round++) {
      const own = statementOf(session, 'experienced', {
        progress: round * 10,
        object: { id: `https://example.org/page/${writer % 3}`, definition: { name: { en: `Page ${round}` } } },
      })
      // Every writer also sends the shared statements, in its own order.
      await send(learner, session, writer % 2 ? [own, ...shared] : [...shared].reverse().concat(own))
    }
  })
  expect(results.filter((result) => result.status === 'rejected')).toEqual([])
  const story = await storyOf(db, session.registrationUid)
  expect(story).toHaveLength(2 + 4 + 16 * 8)
  expect(new Set(story.map(({ seq }) => seq)).size).toBe(story.length)
  const progress = (await findOwnModulesProgress(learner, { moduleUids: [module.uid] })).get(module.uid)
  expect(progress?.percent).toBe(35)
})

test('a launch, a terminated statement and an end at the same time end the session once', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  for (let round = 0; round < 5; round++) {
    const { session, uid } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
    await send(learner, session, statementOf(session, 'initialized'))
    await Promise.allSettled([
      send(learner, session, statementOf(session, 'terminated')),
      launchUnit(learner, { moduleVersionUid: module.versionUid }),
      endLaunch(learner, { auLaunchSessionUid: uid }),
    ])
    const story = await storyOf(db, session.registrationUid)
    const sessionId = 'https://w3id.org/xapi/cmi5/context/extensions/sessionid'
    const endings = story.filter(
      ({ verb, body }) => ['terminated', 'abandoned'].includes(verb) && body.context.extensions[sessionId] === uid,
    )
    expect(endings).toHaveLength(1)
  }
})
