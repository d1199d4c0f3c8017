import { expect, test } from 'vitest'
import { rollUp } from '~/services/cmi5/roll-up.ts'
import {
  applyFact,
  isMoveOnMet,
  modulePercent,
  moduleScore,
  newUnitState,
  type UnitFact,
} from '~/services/cmi5/unit-state.ts'
import type { MoveOn } from '~/services/cmi5/vocabulary.ts'
import { moveOns } from '~/services/packages/schema.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'
import { aModule, launchAndFetch, send, statementOf, storyOf, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

const at = new Date('2026-11-21T10:00:00Z')
const fact = (verb: UnitFact['verb'], more: Partial<UnitFact> = {}): UnitFact => ({ verb, at, mode: 'Normal', ...more })
const after = (moveOn: MoveOn, ...facts: UnitFact[]) => facts.reduce(applyFact, newUnitState(moveOn))

/** cmi5 13.1.4: the statements that meet each of the five values. */
const met: [string, UnitFact[], MoveOn[]][] = [
  ['nothing', [], ['NotApplicable']],
  ['completed', [fact('completed')], ['NotApplicable', 'Completed', 'CompletedOrPassed']],
  ['passed', [fact('passed')], ['NotApplicable', 'Passed', 'CompletedOrPassed']],
  ['failed', [fact('failed')], ['NotApplicable']],
  ['completed and passed', [fact('completed'), fact('passed')], [...moveOns]],
  ['waived', [fact('waived')], [...moveOns]],
  ['completed in Browse', [fact('completed', { mode: 'Browse' })], ['NotApplicable']],
]

test.each(met)('cmi5 13.1.4: moveOn after %s', (_name, facts, expected) => {
  expect(moveOns.filter((moveOn) => isMoveOnMet(after(moveOn, ...facts)))).toEqual(
    moveOns.filter((moveOn) => expected.includes(moveOn)),
  )
})

const percents: [string, MoveOn, UnitFact[], number][] = [
  ['completed where completing is required', 'Completed', [fact('completed')], 100],
  ['passed where passing is required', 'Passed', [fact('passed')], 100],
  ['either of two', 'CompletedOrPassed', [fact('passed')], 100],
  ['completed and passed', 'CompletedAndPassed', [fact('completed'), fact('passed')], 100],
  ['completed and failed', 'CompletedAndPassed', [fact('completed'), fact('failed', { score: 0.33 })], 99],
  [
    'completed where passing is required, after a report',
    'Passed',
    [fact(null, { progress: 40 }), fact('completed')],
    99,
  ],
  ['passed where completing is required', 'Completed', [fact(null, { progress: 40 }), fact('passed')], 40],
  ['completed and failed where passing is not required', 'Completed', [fact('failed'), fact('completed')], 100],
  ['waived', 'Passed', [fact('waived')], 100],
  ['the highest reported progress', 'Completed', [fact(null, { progress: 60 }), fact(null, { progress: 20 })], 60],
  ['held at 99 while the moveOn is unmet', 'Completed', [fact(null, { progress: 100 })], 99],
  ['held at 99 while a NotApplicable unit is open', 'NotApplicable', [fact(null, { progress: 100 })], 99],
  ['NotApplicable that completes', 'NotApplicable', [fact('completed')], 100],
  ['NotApplicable that fails or passes, but does not end', 'NotApplicable', [fact('failed'), fact('passed')], 0],
  ['NotApplicable that ends', 'NotApplicable', [fact('initialized'), fact('terminated')], 100],
  ['NotApplicable that ends after a report', 'NotApplicable', [fact(null, { progress: 40 }), fact('terminated')], 100],
  [
    'NotApplicable that is abandoned after it began',
    'NotApplicable',
    [fact('initialized'), fact('abandoned', { wasInitialized: true })],
    100,
  ],
  [
    'NotApplicable that is abandoned before it began',
    'NotApplicable',
    [fact('launched'), fact('abandoned', { wasInitialized: false })],
    0,
  ],
  ['another moveOn that ends without a report', 'Completed', [fact('initialized'), fact('terminated')], 0],
  ['failed', 'Passed', [fact('failed', { score: 0.4 })], 0],
  ['Review leaves no mark', 'Completed', [fact(null, { progress: 50, mode: 'Review' })], 0],
]

test.each(percents)('percent of a unit: %s', (_name, moveOn, facts, percent) => {
  expect(after(moveOn, ...facts).progress).toBe(percent)
})

test('a module’s percent is the mean, rounded down, and 100 only if all units are done; its score is the mean of the scores', () => {
  expect(modulePercent(100 + 100 + 99, 3)).toBe(99)
  expect(modulePercent(300, 3)).toBe(100)
  expect(modulePercent(0, 0)).toBe(0)
  expect(moduleScore([0.9, 0.65])).toBe(77.5)
  expect(moduleScore([])).toBeNull()
})

const block = (id: number, parentId: number | null = null) => ({ id, parentId, position: id })
const unit = (id: number, blockId: number | null = null) => ({ id, blockId })

/** Blocks, units, units that are met, blocks satisfied before → blocks satisfied now, and the course. */
const rollUps: [string, Parameters<typeof rollUp>[0], number[], number[], number[], boolean][] = [
  ['a course without blocks', { blocks: [], units: [unit(1), unit(2)] }, [1, 2], [], [], true],
  ['one unit is missing', { blocks: [], units: [unit(1), unit(2)] }, [1], [], [], false],
  ['a block whose units are met', { blocks: [block(1)], units: [unit(1, 1), unit(2)] }, [1], [], [1], false],
  ['children before parents', { blocks: [block(1), block(2, 1)], units: [unit(1, 2)] }, [1], [], [2, 1], true],
  [
    'a block waits for the block in it',
    { blocks: [block(1), block(2, 1)], units: [unit(1, 1), unit(2, 2)] },
    [1],
    [],
    [],
    false,
  ],
  [
    'siblings in document order',
    { blocks: [block(1), block(2)], units: [unit(1, 1), unit(2, 2)] },
    [1, 2],
    [],
    [1, 2],
    true,
  ],
  [
    'what was satisfied before is not said again',
    { blocks: [block(1), block(2, 1)], units: [unit(1, 2)] },
    [1],
    [2],
    [1],
    true,
  ],
]

test.each(rollUps)('cmi5 9.3.9: roll-up: %s', (_name, tree, metUnits, before, blockIds, isCourse) => {
  const result = rollUp(tree, (id) => metUnits.includes(id), { blockIds: new Set(before), isCourse: false })
  expect(result).toEqual({ blockIds, isCourse })
})

test('cmi5 9.3.9: blocks and then the course are satisfied once, right after the statement that caused it', async () => {
  const module = await aModule(ctx, {
    blocks: [{ id: 'outer' }, { id: 'inner', parent: 'outer' }],
    units: [{ block: 'inner' }, { block: 'outer' }],
  })
  const learner = await aContext(db, { viewer: await aUser(db) })
  const input = { moduleVersionUid: module.versionUid }
  const first = await visit(learner, { ...input, unitIndex: 0 }, 'completed')
  const second = await launchAndFetch(learner, { ...input, unitIndex: 1 })
  await send(learner, second.session, [
    statementOf(second.session, 'initialized', { at: '2026-11-21T10:00:00Z' }),
    statementOf(second.session, 'completed', { at: '2026-11-21T10:00:01Z' }),
    statementOf(second.session, 'passed', { at: '2026-11-21T10:00:02Z' }),
    statementOf(second.session, 'terminated', { at: '2026-11-21T10:00:03Z' }),
  ])
  const story = await storyOf(db, first.session.registrationUid)
  expect(story.map(({ verb }) => verb)).toEqual([
    ...['launched', 'initialized', 'completed', 'satisfied', 'terminated'],
    ...['launched', 'initialized', 'completed', 'satisfied', 'satisfied', 'passed', 'terminated'],
  ])
  const satisfied = story.filter(({ verb }) => verb === 'satisfied').map(({ body }) => body)
  expect(satisfied.map((body) => body.object.definition.type.split('/').at(-1))).toEqual(['block', 'block', 'course'])
  expect(satisfied.map((body) => body.context.contextActivities.grouping[0].id)).toEqual([
    'https://publisher.example/block/inner',
    'https://publisher.example/block/outer',
    'https://publisher.example/course',
  ])
  const sessionId = 'https://w3id.org/xapi/cmi5/context/extensions/sessionid'
  expect(satisfied.map((body) => body.context.extensions[sessionId])).toEqual([first.uid, second.uid, second.uid])
  expect(satisfied.every((body) => body.object.id.startsWith('http://localhost:3000/xapi/activities/'))).toBe(true)
})

test('cmi5 9.6.1: NotApplicable units count at registration: satisfied comes before launched, in a separate session', async () => {
  const module = await aModule(ctx, { blocks: [{ id: 'free' }], units: [{ block: 'free', moveOn: 'NotApplicable' }] })
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { session, uid } = await visit(learner, { moduleVersionUid: module.versionUid })
  const story = await storyOf(db, session.registrationUid)
  expect(story.map(({ verb }) => verb)).toEqual(['satisfied', 'satisfied', 'launched', 'initialized', 'terminated'])
  expect(story[0]?.body.context.extensions['https://w3id.org/xapi/cmi5/context/extensions/sessionid']).not.toBe(uid)
  const progress = (await findOwnModulesProgress(learner, { moduleUids: [module.uid] })).get(module.uid)
  expect(progress?.percent).toBe(100)
})
