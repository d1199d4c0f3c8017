import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { getUnitDocument, launchUnit, type UnitSession } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid } from '~/services/errors.ts'
import {
  aModule,
  category,
  launchAndFetch,
  type ModuleSpec,
  masteryKey,
  progressKey,
  send,
  statementOf,
  storyOf,
} from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

type Launch = { learner: Ctx; session: UnitSession; versionUid: string }

async function aLaunch(
  unit: NonNullable<ModuleSpec['units']>[number] = {},
  options: { isInitialized?: boolean; preview?: boolean } = {},
): Promise<Launch> {
  const { versionUid } = await aModule(ctx, { units: [unit] })
  const learner = await aContext(db, { viewer: await aUser(db, options.preview ? { groups: ['authors'] } : {}) })
  const { session } = await launchAndFetch(learner, { moduleVersionUid: versionUid, preview: options.preview ?? false })
  if (options.isInitialized ?? true) await send(learner, session, statementOf(session, 'initialized'))
  return { learner, session, versionUid }
}

async function again({ learner, versionUid }: Launch): Promise<UnitSession> {
  const { session } = await launchAndFetch(learner, { moduleVersionUid: versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  return session
}

const mastery = { masteryScore: 0.8, moveOn: 'Passed' }
type Make = (session: UnitSession) => object

/** Each statement breaks one rule. The refusal is a Forbidden that names the clause. */
const broken: [string, string, Make, { unit?: object; isInitialized?: boolean; preview?: boolean }?][] = [
  [
    'voiding',
    '6.3',
    (s) => ({ ...statementOf(s, 'voided', { object: { objectType: 'StatementRef', id: randomUUID() } }) }),
  ],
  ['no id', '9.1', (s) => ({ ...statementOf(s, 'completed'), id: undefined })],
  ['no timestamp', '9.7', (s) => ({ ...statementOf(s, 'completed'), timestamp: undefined })],
  ['another zone', '9.7', (s) => statementOf(s, 'completed', { at: '2026-01-31T12:00:00+01:00' })],
  ['another actor', '9.2', (s) => ({ ...statementOf(s, 'completed'), actor: { mbox: 'mailto:x@example.org' } })],
  [
    'another home page',
    '9.2',
    (s) => ({
      ...statementOf(s, 'completed'),
      actor: { account: { ...s.actor.account, homePage: 'https://elsewhere.example/' } },
    }),
  ],
  ['a group', '9.2', (s) => ({ ...statementOf(s, 'completed'), actor: { ...s.actor, objectType: 'Group' } })],
  ['another registration', '9.6.1', (s) => statementOf(s, 'completed', { context: { registration: randomUUID() } })],
  ['no context', '9.6.1', (s) => ({ ...statementOf(s, 'completed'), context: undefined })],
  [
    'another session id',
    '9.6.3.1',
    (s) =>
      statementOf(s, 'completed', {
        extensions: { 'https://w3id.org/xapi/cmi5/context/extensions/sessionid': randomUUID() },
      }),
  ],
  ['no publisher id', '10.2.1', (s) => statementOf(s, 'experienced', { context: { contextActivities: {} } })],
  ['another object', '9.4', (s) => statementOf(s, 'completed', { object: { id: 'https://example.org/other' } })],
  [
    'a verb that units do not send',
    '7.1.3',
    (s) => ({
      ...statementOf(s, 'completed'),
      verb: { id: 'http://adlnet.gov/expapi/verbs/launched' },
    }),
  ],
  ['first is not initialized', '7.1.1', (s) => statementOf(s, 'completed'), { isInitialized: false }],
  ['allowed before initialized', '7.1.1', (s) => statementOf(s, 'experienced'), { isInitialized: false }],
  ['initialized twice', '9.3.2', (s) => statementOf(s, 'initialized')],
  ['passed below mastery', '9.3.4', (s) => statementOf(s, 'passed', { score: { scaled: 0.79 } }), { unit: mastery }],
  [
    'passed below mastery by its raw score',
    '9.3.4',
    (s) => statementOf(s, 'passed', { score: { raw: 10, min: 0, max: 100 } }),
    { unit: mastery },
  ],
  [
    'failed at mastery by its raw score',
    '9.3.5',
    (s) => statementOf(s, 'failed', { score: { raw: 80, min: 0, max: 100 } }),
    { unit: mastery },
  ],
  ['failed at mastery', '9.3.5', (s) => statementOf(s, 'failed', { score: { scaled: 0.8 } }), { unit: mastery }],
  ['score in completed', '9.5.1', (s) => statementOf(s, 'completed', { result: { score: { scaled: 1 } } })],
  ['scaled below 0', '9.5.1', (s) => statementOf(s, 'failed', { score: { scaled: -0.1 } })],
  ['raw 0 without min', '9.5.1', (s) => statementOf(s, 'failed', { score: { raw: 0, max: 10 } })],
  ['passed without success', '9.5.2', (s) => statementOf(s, 'passed', { result: { success: undefined } })],
  ['failed with success true', '9.5.2', (s) => statementOf(s, 'failed', { result: { success: true } })],
  ['success in completed', '9.5.2', (s) => statementOf(s, 'completed', { result: { success: true } })],
  ['completed without completion', '9.5.3', (s) => statementOf(s, 'completed', { result: { completion: undefined } })],
  ['completion in passed', '9.5.3', (s) => statementOf(s, 'passed', { result: { completion: true } })],
  ['completed without duration', '9.5.4.1', (s) => statementOf(s, 'completed', { result: { duration: undefined } })],
  ['terminated without duration', '9.5.4.1', (s) => statementOf(s, 'terminated', { result: { duration: undefined } })],
  ['completed without moveon', '9.6.2.2', (s) => withCategories(statementOf(s, 'completed'), ['cmi5'])],
  ['terminated with moveon', '9.6.2.2', (s) => withCategories(statementOf(s, 'terminated'), ['cmi5', 'moveon'])],
  ['an allowed statement with moveon', '9.6.2.2', (s) => withCategories(statementOf(s, 'experienced'), ['moveon'])],
  [
    'no masteryscore',
    '9.6.3.2',
    (s) =>
      statementOf(s, 'passed', {
        score: { scaled: 0.9 },
        extensions: { [masteryKey]: undefined },
      }),
    { unit: mastery },
  ],
  [
    'another masteryscore',
    '9.6.3.2',
    (s) =>
      statementOf(s, 'passed', {
        score: { scaled: 0.9 },
        extensions: { [masteryKey]: 0.5 },
      }),
    { unit: mastery },
  ],
  ['completed in Browse', '10.2.2', (s) => statementOf(s, 'completed'), { preview: true }],
  ['passed in Browse', '10.2.2', (s) => statementOf(s, 'passed'), { preview: true }],
  ['progress above 100', '9.5.5.1', (s) => statementOf(s, 'experienced', { progress: 101 })],
  [
    'progress that is no number',
    '9.5.5.1',
    (s) =>
      statementOf(s, 'experienced', {
        result: { extensions: { [progressKey]: '50' } },
      }),
  ],
]

function withCategories(statement: ReturnType<typeof statementOf>, names: ('cmi5' | 'moveon')[]): object {
  const { context } = statement
  const contextActivities = { ...context.contextActivities, category: names.map(category) }
  return { ...statement, context: { ...context, contextActivities } }
}

/** A client's JSON contains no undefined values. */
function asSent(statement: object): object {
  return JSON.parse(JSON.stringify(statement))
}

test.each(broken)(
  '%s is refused (cmi5 %s), and nothing of its batch is stored',
  async (_name, clause, make, options = {}) => {
    const { unit, ...launch } = options
    const { learner, session } = await aLaunch(unit, launch)
    const before = await storyOf(db, session.registrationUid)
    const attempt = send(learner, session, [statementOf(session, 'experienced'), asSent(make(session))])
    await expect(attempt).rejects.toThrow(Forbidden)
    await expect(attempt).rejects.toThrow(`(cmi5 ${clause})`)
    expect(await storyOf(db, session.registrationUid)).toEqual(before)
  },
)

test('cmi5 9.2: an actor without objectType is an Agent', async () => {
  const { learner, session } = await aLaunch()
  const { objectType: _objectType, ...actor } = session.actor
  await send(learner, session, { ...statementOf(session, 'experienced'), actor })
})

test('cmi5 10.2.1: the order of context activities is free, further ones are allowed, and a single one is a list of one', async () => {
  const { learner, session } = await aLaunch()
  const [own] = session.launchData.contextTemplate.contextActivities?.grouping ?? []
  const many = { grouping: [{ id: 'https://example.org/more' }, own], category: category('cmi5') }
  const statement = statementOf(session, 'terminated', { context: { contextActivities: many } })
  await send(learner, session, statement)
  const stored = (await storyOf(db, session.registrationUid)).at(-1)
  expect(stored?.body.context.contextActivities.category).toEqual([category('cmi5')])
})

test('cmi5 9.3, 9.4: an allowed statement about something else is stored', async () => {
  const { learner, session } = await aLaunch()
  await send(learner, session, statementOf(session, 'answered', { object: { id: 'https://example.org/question/1' } }))
  expect((await storyOf(db, session.registrationUid)).map(({ verb }) => verb)).toContain('answered')
})

test.each([
  ['completed', ['completed'], 'completed'],
  ['passed', ['passed'], 'passed'],
  ['failed', ['failed'], 'failed'],
  ['passed after failed in a session', ['failed'], 'passed'],
  ['failed after passed', ['passed'], 'failed'],
])('cmi5 9.3: %s twice or in the wrong order is refused', async (_name, before, verb) => {
  const { learner, session } = await aLaunch()
  for (const one of before) await send(learner, session, statementOf(session, one))
  await expect(send(learner, session, statementOf(session, verb))).rejects.toThrow(Forbidden)
})

test('cmi5 9.3: completed and passed count once per registration, and failed never follows passed', async () => {
  const launch = await aLaunch()
  await send(launch.learner, launch.session, [
    statementOf(launch.session, 'completed'),
    statementOf(launch.session, 'passed'),
  ])
  const session = await again(launch)
  for (const verb of ['completed', 'passed', 'failed']) {
    await expect(send(launch.learner, session, statementOf(session, verb))).rejects.toThrow(Forbidden)
  }
})

test('failed in one session may be followed by passed in the next', async () => {
  const launch = await aLaunch()
  await send(launch.learner, launch.session, statementOf(launch.session, 'failed'))
  const session = await again(launch)
  await send(launch.learner, session, statementOf(session, 'passed'))
})

test('cmi5 9.3.8: nothing is accepted after terminated, not even in the same batch', async () => {
  const { learner, session } = await aLaunch()
  const late = [statementOf(session, 'terminated'), statementOf(session, 'experienced')]
  await expect(send(learner, session, late)).rejects.toThrow(Forbidden)
  await send(learner, session, statementOf(session, 'terminated'))
  await expect(send(learner, session, statementOf(session, 'experienced'))).rejects.toThrow('9.3.8')
})

test('cmi5 10.2.2: Browse accepts initialized, allowed statements and terminated', async () => {
  const { learner, session } = await aLaunch({}, { preview: true })
  await send(learner, session, [statementOf(session, 'experienced'), statementOf(session, 'terminated')])
})

test('cmi5 9.3: inside a batch the timestamps decide the order', async () => {
  const { learner, session } = await aLaunch({ moveOn: 'CompletedAndPassed' }, { isInitialized: false })
  await send(learner, session, [
    statementOf(session, 'passed', { at: '2026-11-21T10:00:02Z' }),
    statementOf(session, 'initialized', { at: '2026-11-21T10:00:00Z' }),
    statementOf(session, 'completed', { at: '2026-11-21T10:00:01Z' }),
    statementOf(session, 'terminated', { at: '2026-11-21T10:00:03Z' }),
  ])
  const story = await storyOf(db, session.registrationUid)
  expect(story.map(({ verb }) => verb)).toEqual([
    'launched',
    'initialized',
    'completed',
    'passed',
    'satisfied',
    'terminated',
  ])
  expect(story.every(({ seq }, index) => index === 0 || seq > (story[index - 1]?.seq ?? 0))).toBe(true)
})

test('xAPI 2.1.1: sending a statement again succeeds, and other content under its id is a conflict', async () => {
  const { learner, session } = await aLaunch()
  const completed = statementOf(session, 'completed')
  const [id] = await send(learner, session, completed)
  expect(await send(learner, session, completed)).toEqual([id])
  const other = {
    ...completed,
    verb: { id: 'http://adlnet.gov/expapi/verbs/passed' },
    result: { duration: 'PT1S', success: true },
  }
  await expect(send(learner, session, other)).rejects.toThrow(Conflict)
  const terminated = statementOf(session, 'terminated')
  await send(learner, session, terminated)
  expect(await send(learner, { ...session, isEnded: true }, terminated)).toEqual([terminated.id])
  expect((await storyOf(db, session.registrationUid)).map(({ verb }) => verb)).toEqual([
    'launched',
    'initialized',
    'completed',
    'satisfied',
    'terminated',
  ])
})

test('a malformed statement is Invalid and names the path, before the rules of cmi5 are checked', async () => {
  const { learner, session } = await aLaunch()
  const statement = statementOf(session, 'completed', { result: { duration: 'soon' } })
  await expect(send(learner, session, [statement])).rejects.toThrow(Invalid)
  await expect(send(learner, session, [statement])).rejects.toThrow('[0].result.duration')
})

test('cmi5 11.0: with strict preferences, initialized is refused until the preferences have been read', async () => {
  const { versionUid } = await aModule(ctx)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { session } = await launchAndFetch(learner, { moduleVersionUid: versionUid })
  env().CMI5_STRICT_PREFERENCES = true
  try {
    await expect(send(learner, session, statementOf(session, 'initialized'))).rejects.toThrow('(cmi5 11)')
    const key = { kind: 'agent_profile' as const, agent: session.actor, documentId: 'cmi5LearnerPreferences' }
    await getUnitDocument({ ...learner, site: session.site }, { session, key }).catch(() => undefined)
    await send(learner, session, statementOf(session, 'initialized'))
  } finally {
    env().CMI5_STRICT_PREFERENCES = false
  }
})

test('a mode other than Normal is for staff', async () => {
  const { versionUid } = await aModule(ctx)
  const learner = await aContext(db, { viewer: await aUser(db) })
  await expect(launchUnit(learner, { moduleVersionUid: versionUid, mode: 'Review' })).rejects.toThrow(Forbidden)
})
