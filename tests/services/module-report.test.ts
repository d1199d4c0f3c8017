/** What staff read about a module and its learners (learner list, attempts, launches, statements), and who may not. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { moduleLearnerSorts } from '~/forms/module-tables.ts'
import { getLearnerAttempts } from '~/pages/learner-attempts.server.ts'
import { getModuleStatistics, listLearnerBatch, listLearnerRows } from '~/pages/module-report.server.ts'
import {
  endIdleLaunches,
  endLaunch,
  launchUnit,
  listSessionsOfAttempt,
  listStatementsOfAttempt,
  moveAttempt,
} from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import {
  listAttemptsOfLearner,
  listModuleLearnerPage,
  listModuleLearners,
} from '~/services/progress/progress.server.ts'
import { recordStatements } from '~/services/xapi/xapi.server.ts'
import { queryCounter } from '~db/client.server.ts'
import {
  aModule,
  aModuleVersion,
  launchAndFetch,
  send,
  statementOf,
  storyOf,
  type TestModule,
  visit,
} from '../support/cmi5.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { db } from '../support/test.ts'

let author: Ctx
let system: Ctx

beforeAll(async () => {
  system = await aContext(db)
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
})

async function aLearner(names: { firstName?: string; lastName?: string } = {}): Promise<Ctx & { viewer: Viewer }> {
  const viewer = await aUser(db, names)
  return { ...(await aContext(db, { viewer })), viewer }
}

/** A module of two units, in which a learner has completed one attempt and begun a second. */
async function aStory(): Promise<{ module: TestModule; learner: Ctx & { viewer: Viewer } }> {
  const module = await aModule(system, { units: [{ moveOn: 'Completed' }, { moveOn: 'Passed', masteryScore: 0.6 }] })
  const learner = await aLearner()
  const launch = { moduleVersionUid: module.versionUid }
  await visit(learner, { ...launch, unitUid: module.units[0]?.uid }, 'completed')
  await visit(learner, { ...launch, unitUid: module.units[1]?.uid }, ['passed', { score: { scaled: 0.8 } }])
  await visit(learner, { ...launch, retake: true })
  return { module, learner }
}

test('staff read all attempts of a learner, each with its units', async () => {
  const { module, learner } = await aStory()
  const input = { moduleUid: module.uid, userUid: learner.viewer.uid }
  const { learner: person, module: named, attempts } = await listAttemptsOfLearner(author, input)
  expect(person).toEqual({ uid: learner.viewer.uid, name: 'Ada Okafor', email: learner.viewer.email })
  expect(named.uid).toBe(module.uid)
  expect(attempts).toMatchObject([
    { number: 2, isPreview: false, isOpen: true, isSatisfied: false, percent: 0, score: null, sessionCount: 1 },
    { number: 1, isPreview: false, isOpen: false, isSatisfied: true, percent: 100, score: 80, sessionCount: 2 },
  ])
  expect(
    attempts[1]?.units.map(({ state, percent, score, waiveReason }) => [state, percent, score, waiveReason]),
  ).toEqual([
    ['completed', 100, null, null],
    ['passed', 100, 80, null],
  ])
})

test('previews are listed separately and count nowhere', async () => {
  const module = await aModule(system)
  await launchUnit(author, { moduleVersionUid: module.versionUid, preview: true })
  const userUid = author.viewer?.uid ?? ''
  const { attempts } = await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid })
  expect(attempts).toMatchObject([{ number: null, isPreview: true }])
  expect((await listModuleLearnerPage(author, { moduleUid: module.uid })).total).toBe(0)
})

test('a waived unit says why', async () => {
  const { module, learner } = await aStory()
  await db
    .updateTable('registration_units')
    .set({ waived_at: new Date(), waive_reason: 'Tested Out', passed_at: null, completed_at: null })
    .where('unit_id', '=', module.units[0]?.id ?? 0)
    .execute()
  const { attempts } = await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid: learner.viewer.uid })
  expect(attempts[1]?.units[0]).toMatchObject({ state: 'waived', waiveReason: 'Tested Out' })
})

test('launches are listed newest first, with how they ended', async () => {
  const { module, learner } = await aStory()
  const { attempts } = await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid: learner.viewer.uid })
  const first = attempts[1]?.registrationUid ?? ''
  const sessions = await listSessionsOfAttempt(author, { registrationUid: first })
  expect(sessions.map(({ unit, mode, state }) => [unit.index, mode, state])).toEqual([
    [1, 'Normal', 'terminated'],
    [0, 'Normal', 'terminated'],
  ])
  expect(sessions[0]?.initializedAt).toBeInstanceOf(Date)
  expect(sessions[0]?.seconds).toBeGreaterThanOrEqual(0)
  await db
    .updateTable('launch_sessions')
    .set({ terminated_at: null, last_seen_at: new Date(0) })
    .execute()
  expect((await listSessionsOfAttempt(author, { registrationUid: first }))[0]?.state).toBe('abandoned')
})

test('the duration of a launch comes from its statements, even if its last request was earlier', async () => {
  const module = await aModule(system)
  const learner = await aLearner()
  const { uid, session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  const began = new Date(Date.now() - 19_000)
  await db
    .updateTable('launch_sessions')
    .set({ launched_at: began, initialized_at: began, last_seen_at: began })
    .where('uid', '=', uid)
    .execute()
  await send(learner, session, statementOf(session, 'experienced'))
  const { registrationUid } = session
  const seconds = async () => (await listSessionsOfAttempt(author, { registrationUid }))[0]?.seconds
  expect(await seconds()).toBeGreaterThanOrEqual(19)

  await endLaunch(learner, { auLaunchSessionUid: uid })
  const abandoned = (await storyOf(db, registrationUid)).find(({ verb }) => verb === 'abandoned')
  const stored = Number(/^PT([\d.]+)S$/.exec(abandoned?.body.result.duration)?.[1])
  expect(stored).toBeGreaterThanOrEqual(19)
  expect(await seconds()).toBe(Math.round(stored))
})

test('an attempt that was never launched has no sessions and is found', async () => {
  const { module, learner } = await aStory()
  const { attempts } = await listAttemptsOfLearner(author, { moduleUid: module.uid, userUid: learner.viewer.uid })
  const registrationUid = attempts[0]?.registrationUid ?? ''
  await db
    .deleteFrom('launch_sessions')
    .where('registration_id', 'in', db.selectFrom('registrations').select('id').where('uid', '=', registrationUid))
    .execute()
  expect(await listSessionsOfAttempt(author, { registrationUid })).toEqual([])
})

test('statements are listed newest first, in words and in pages, with voided ones marked', async () => {
  const { module, learner } = await aStory()
  const userUid = learner.viewer.uid
  const page = await getLearnerAttempts(author, { moduleUid: module.uid, userUid })
  const { registrationUid } = page.attempts[1] ?? { registrationUid: '' }
  const read = () => getLearnerAttempts(author, { moduleUid: module.uid, userUid, registrationUid })
  const listed = (await read()).chosen?.statements ?? []
  const sentences = listed.map(({ words }) => words.sentence)
  expect(sentences).toContain('Ada Okafor passed “Unit 2”, score 80%, 10 s')
  expect(sentences).toContain('Ada Okafor completed “Unit 1”, 10 s')
  expect(sentences.at(-1)).toBe('Ada Okafor launched “Unit 1”')
  expect(listed.some(({ isVoided }) => isVoided)).toBe(false)
  expect(JSON.parse(listed[0]?.json ?? '')).toHaveProperty('authority')

  const passed = listed.find(({ words }) => words.verb === 'passed')
  const voiding = {
    actor: { mbox: 'mailto:lms@example.org' },
    verb: { id: 'http://adlnet.gov/expapi/verbs/voided' },
    object: { objectType: 'StatementRef', id: JSON.parse(passed?.json ?? '{}').id },
  }
  const authority = { mbox: 'mailto:lms@example.org' }
  await recordStatements(system, { statements: [voiding], authority, version: '1.0.3' })
  expect((await read()).chosen?.statements.filter(({ isVoided }) => isVoided).map(({ seq }) => seq)).toEqual([
    passed?.seq,
  ])

  const seen: number[] = []
  for (let before: string | null = null, count = 0; count < 50; count += 1) {
    const { items, next } = await listStatementsOfAttempt(author, { registrationUid, first: 2, before })
    seen.push(...items.map(({ seq }) => seq))
    if (next === null) break
    before = next
  }
  expect(seen).toEqual(listed.map(({ seq }) => seq))
  expect((await listStatementsOfAttempt(author, { registrationUid, first: 5000 })).items.length).toBeLessThanOrEqual(
    100,
  )
  for (const before of ['x', '-1', '1.5', 'NaN', '1e999']) {
    await expect(listStatementsOfAttempt(author, { registrationUid, before })).rejects.toThrow(Invalid)
  }
})

test('launches that never began, and their statements, are marked', async () => {
  const module = await aModule(system, { units: [{ id: 'a' }, { id: 'b' }] })
  const learner = await aLearner()
  const launch = { moduleVersionUid: module.versionUid, unitIndex: 0 }
  for (let time = 0; time < 3; time++) await launchUnit(learner, launch)
  await visit(learner, launch, 'completed')
  await launchUnit(learner, launch)
  const { chosen } = await getLearnerAttempts(author, { moduleUid: module.uid, userUid: learner.viewer.uid })
  expect(chosen?.sessions.map(({ state, isUnbegun }) => [state, isUnbegun])).toEqual([
    ['open', false],
    ['terminated', false],
    ['abandoned', true],
    ['abandoned', true],
    ['abandoned', true],
  ])
  const marked = chosen?.statements.filter(({ isOfUnbegunLaunch }) => isOfUnbegunLaunch) ?? []
  expect(marked.map(({ words }) => words.verb).sort()).toEqual([
    ...['abandoned', 'abandoned', 'abandoned'],
    ...['launched', 'launched', 'launched'],
  ])
  const others = chosen?.statements.filter(({ isOfUnbegunLaunch }) => !isOfUnbegunLaunch) ?? []
  expect(others.map(({ words }) => words.verb)).toEqual(['launched', 'left', 'completed', 'started', 'launched'])
})

test('huge records neither break nor fill the page, and all of them can be reached', async () => {
  const module = await aModule(system)
  const learner = await aLearner()
  const input = { moduleUid: module.uid, userUid: learner.viewer.uid }
  // Indented, each of its numbers would have 180 blanks before it.
  const deep = JSON.parse(`${'['.repeat(90)}${'1,'.repeat(700_000)}1${']'.repeat(90)}`)
  const small = JSON.parse(`${'['.repeat(90)}${'1,'.repeat(8000)}1${']'.repeat(90)}`)
  const experienced = (value: unknown): Parameters<typeof visit>[2] => [
    'experienced',
    { extensions: { 'https://unit.example/x': value } },
  ]
  await visit(learner, { moduleVersionUid: module.versionUid }, ...[small, deep, deep, deep].map(experienced))
  const lengths: number[] = []
  let before: string | null = null
  let pages = 0
  do {
    const { chosen } = await getLearnerAttempts(author, { ...input, before })
    const statements = chosen?.statements ?? []
    lengths.push(...statements.map(({ json }) => json.length))
    expect(JSON.stringify(statements).length).toBeLessThan(1_000_000)
    before = chosen?.next?.toString() ?? null
    pages += 1
  } while (before !== null && pages < 20)
  // Launched and initialized come before them, terminated after.
  expect(lengths).toHaveLength(7)
  expect(pages).toBeGreaterThan(1)
  expect(Math.max(...lengths)).toBeLessThan(100_000)
})

test('the page of a learner takes few queries', async () => {
  const { module, learner } = await aStory()
  const counter = { queries: 0 }
  const input = { moduleUid: module.uid, userUid: learner.viewer.uid }
  await queryCounter.run(counter, () => getLearnerAttempts(author, input))
  expect(counter.queries).toBeGreaterThan(0)
  expect(counter.queries).toBeLessThanOrEqual(6)
})

test('a page of the learner list takes few queries, also searched, filtered and sorted', async () => {
  const { module } = await aStory()
  for (const more of [{}, { search: 'a', sort: 'score', filters: { state: ['progress'], group: [randomUUID()] } }]) {
    const counter = { queries: 0 }
    await queryCounter.run(counter, () => listLearnerRows(author, { moduleUid: module.uid, ...more }))
    expect(counter.queries).toBeGreaterThan(0)
    expect(counter.queries).toBeLessThanOrEqual(4)
  }
})

test('a file of thousands of learners is read in a few batches', async () => {
  const module = await aModule(system)
  await sql`
    with person as (
      insert into users (site_id, email, email_key, first_name, last_name, search_key)
      select ${author.site.id}, email, email, 'Kim', n, email
      from generate_series(1, 5001) n, lateral (select ${module.uid}::text || n || '@titrate.example' as email) e
      returning id)
    insert into module_progress (site_id, user_id, module_id)
    select ${author.site.id}, id, ${module.id} from person`.execute(db)
  const counter = { queries: 0 }
  const sizes = await queryCounter.run(counter, async () => {
    const first = await listLearnerBatch(author, { moduleUid: module.uid, after: null })
    const rest = await listLearnerBatch(author, { moduleUid: module.uid, after: first.next })
    return [first.rows.length, rest.rows.length, rest.next]
  })
  expect(sizes).toEqual([5000, 1, null])
  expect(counter.queries).toBe(4)
  await db.deleteFrom('module_progress').where('module_id', '=', module.id).execute()
})

test('another learner’s attempt is not found on a learner’s page', async () => {
  const { module, learner } = await aStory()
  const other = await aStory()
  const { attempts } = await listAttemptsOfLearner(author, {
    moduleUid: other.module.uid,
    userUid: other.learner.viewer.uid,
  })
  for (const registrationUid of [attempts[0]?.registrationUid, randomUUID(), 'x', "'"]) {
    const input = { moduleUid: module.uid, userUid: learner.viewer.uid, registrationUid }
    await expect(getLearnerAttempts(author, input)).rejects.toThrow(NotFound)
  }
})

test('learners, visitors, other sites and erased people read nothing without the right to it', async () => {
  const { module, learner } = await aStory()
  const input = { moduleUid: module.uid, userUid: learner.viewer.uid }
  const { attempts } = await listAttemptsOfLearner(author, input)
  const registrationUid = attempts[0]?.registrationUid ?? ''
  const reads = [
    (ctx: Ctx) => listAttemptsOfLearner(ctx, input),
    (ctx: Ctx) => getLearnerAttempts(ctx, input),
    (ctx: Ctx) => listSessionsOfAttempt(ctx, { registrationUid }),
    (ctx: Ctx) => listStatementsOfAttempt(ctx, { registrationUid }),
  ]
  const ns = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
  const strayed = { ...ns, site: author.site }
  for (const read of reads) {
    await expect(read(learner)).rejects.toThrow(Forbidden)
    await expect(read(system)).rejects.toThrow('Login required.')
    await expect(read(ns)).rejects.toThrow(NotFound)
    await expect(read(strayed)).rejects.toThrow(Forbidden)
  }
  await expect(listModuleLearnerPage(learner, input)).rejects.toThrow(Forbidden)
  await expect(listModuleLearnerPage(system, input)).rejects.toThrow('Login required.')
  expect(await listModuleLearnerPage(ns, input)).toEqual({ items: [], total: 0, listed: 0, state: '' })

  await erase(db, learner.viewer)
  for (const read of reads) await expect(read(author)).rejects.toThrow(NotFound)
  expect((await listModuleLearnerPage(author, input)).total).toBe(0)
})

test('deleted and malformed things are not found', async () => {
  const { module, learner } = await aStory()
  const userUid = learner.viewer.uid
  for (const moduleUid of ['x', '', "'; --", randomUUID()]) {
    await expect(listAttemptsOfLearner(author, { moduleUid, userUid })).rejects.toThrow(NotFound)
    await expect(getModuleStatistics(author, { moduleUid })).rejects.toThrow(NotFound)
  }
  expect(await getModuleStatistics(author, { moduleUid: module.uid })).toMatchObject({ numStarts: 1, avgScore: 80 })
  for (const userUid of ['x', randomUUID()]) {
    await expect(listAttemptsOfLearner(author, { moduleUid: module.uid, userUid })).rejects.toThrow(NotFound)
  }
  await db.updateTable('modules').set({ deleted_at: new Date() }).where('id', '=', module.id).execute()
  await expect(listAttemptsOfLearner(author, { moduleUid: module.uid, userUid })).rejects.toThrow(NotFound)
})

test('the learner list is searched as text, sorted both ways and read in batches by key', async () => {
  const module = await aModule(system)
  const names = ['Ångström', 'ångela', 'Zoë', '100%', 'a_b', '=1+1']
  for (const [index, lastName] of names.entries()) {
    const { viewer } = await aLearner({ firstName: 'Kim', lastName })
    const at = new Date(Date.UTC(2026, 0, index + 1))
    await db
      .insertInto('module_progress')
      .values({
        site_id: author.site.id,
        user_id: viewer.id,
        module_id: module.id,
        started_at: at,
        last_visited_at: at,
        progress_percent: index * 10,
        completed_at: index === 5 ? at : null,
        highest_score: index === 0 ? null : index * 11.2,
      })
      .execute()
  }
  const input = { moduleUid: module.uid }
  const found = async (search: string) =>
    (await listModuleLearnerPage(author, { ...input, search })).items.map(({ name }) => name)
  expect(await found('ÅNGSTRÖM')).toEqual(['Kim Ångström'])
  expect(await found('%')).toEqual(['Kim 100%'])
  expect(await found('a_b')).toEqual(['Kim a_b'])
  expect(await found('kim')).toHaveLength(6)
  expect(await found('@titrate.example')).toHaveLength(6)
  for (const search of ["'; drop table users --", 'a\u0000b', '\ud800', '\\']) expect(await found(search)).toEqual([])
  for (const sort of moduleLearnerSorts) {
    for (const isDescending of [false, true]) {
      const { items } = await listModuleLearnerPage(author, { ...input, sort, isDescending })
      expect(new Set(items.map(({ userUid }) => userUid)).size, sort).toBe(6)
      const values = items.map(({ score }) => score)
      if (sort === 'score') expect(values.at(-1), 'without a score last').toBe(null)
    }
  }
  expect((await listModuleLearnerPage(author, { ...input, page: 9 })).items).toEqual([])
  const walked: string[] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listModuleLearners>> = await listModuleLearners(author, {
      ...input,
      first: 4,
      after,
      search: 'Kim',
    })
    walked.push(...page.items.map(({ userUid }) => userUid))
    after = page.hasNextPage ? page.endCursor : null
  } while (after !== null)
  expect(new Set(walked).size).toBe(6)
})

test('an abandoned session names its cause: staff by name, a later launch, the end of the attempt, time, or unknown', async () => {
  const module = await aModule(system, { units: [{ moveOn: 'Completed' }, {}] })
  const learner = await aLearner()
  const zoe = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], firstName: 'Zoë', lastName: 'Ito' }) })
  const launch = { moduleVersionUid: module.versionUid }
  // Each comes at its own time, as requests do.
  let minutes = 0
  const later = <T extends Ctx>(ctx: T): T => ({ ...ctx, now: new Date(ctx.now.getTime() + ++minutes * 60_000) })
  const open = async () => (await launchAndFetch(later(learner), launch)).session
  const first = await open()
  await endLaunch(later(zoe), { auLaunchSessionUid: first.uid.toUpperCase() })
  const own = await open()
  await endLaunch(later(learner), { auLaunchSessionUid: own.uid })
  const followed = await open()
  await open()
  const { registrationUid } = followed
  const ended = async (ctx = later(author)) =>
    (await listSessionsOfAttempt(ctx, { registrationUid })).map(({ abandonedBy }) => abandonedBy).reverse()
  const before = [{ what: 'staff', who: 'Zoë Ito' }, null, { what: 'launch', who: null }]
  expect(await ended()).toEqual([...before, null])
  const tomorrow = { ...author, now: new Date(author.now.getTime() + 86_400_000) }
  expect(await ended(tomorrow)).toEqual([...before, { what: 'time', who: null }])
  await endIdleLaunches({ ...system, now: tomorrow.now })
  expect(await ended()).toEqual([...before, { what: 'time', who: null }])
})

test('a move ends open sessions of the attempt, and the launches say so', async () => {
  const module = await aModule(system, { units: [{ id: 'a' }] })
  const learner = await aLearner()
  const { session } = await visit(learner, { moduleVersionUid: module.versionUid }, ['experienced', { progress: 30 }])
  await launchUnit(learner, { moduleVersionUid: module.versionUid })
  const next = await aModuleVersion(system, module, { units: [{ id: 'a' }] })
  const { registrationUid } = session
  await moveAttempt(author, { registrationUid, moduleVersionUid: next.versionUid })
  const [last] = await listSessionsOfAttempt(author, { registrationUid })
  expect(last).toMatchObject({ state: 'abandoned', abandonedBy: { what: 'attempt' } })
})

test('rows of an unknown module or one of the other site are not found', async () => {
  const { module } = await aStory()
  const foreign = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
  const asks = [
    (ctx: Ctx, moduleUid: string) => listLearnerBatch(ctx, { moduleUid, after: null }),
    (ctx: Ctx, moduleUid: string) =>
      listLearnerRows(ctx, { moduleUid, page: 1, size: 10, search: '', sort: 'name', isDescending: false }),
  ]
  for (const ask of asks) {
    expect((await ask(author, module.uid)).rows).toHaveLength(1)
    await expect(ask(foreign, module.uid)).rejects.toThrow(NotFound)
    for (const moduleUid of [randomUUID(), 'x']) await expect(ask(author, moduleUid)).rejects.toThrow(NotFound)
  }
})

test('the learner list is filtered by progress, by open units and by plan, also in counts and batches', async () => {
  const module = await aModule(system)
  const done = await aLearner({ firstName: 'Dora' })
  await visit(done, { moduleVersionUid: module.versionUid }, 'completed')
  const busy = await aLearner({ firstName: 'Bo' })
  await launchAndFetch(busy, { moduleVersionUid: module.versionUid })
  const left = await aLearner({ firstName: 'Lea' })
  const { session } = await launchAndFetch(left, { moduleVersionUid: module.versionUid })
  for (const [person, sentAt] of [
    [busy, new Date()],
    [left, new Date(Date.now() - 25 * 3_600_000)],
  ] as const) {
    await db
      .updateTable('launch_sessions')
      .set({ initialized_at: sentAt, last_seen_at: sentAt })
      .where('registration_id', 'in', (eb) =>
        eb.selectFrom('registrations').select('id').where('user_id', '=', person.viewer.id),
      )
      .execute()
  }
  expect(session).toBeDefined()
  const found = async (filters: Record<string, string[]>) => {
    const { items, total } = await listModuleLearnerPage(author, { moduleUid: module.uid, filters })
    expect(total).toBe(items.length)
    expect((await listModuleLearners(author, { moduleUid: module.uid, filters })).items).toHaveLength(total)
    return items.map(({ name }) => name.split(' ')[0])
  }
  expect(await found({})).toEqual(['Bo', 'Dora', 'Lea'])
  expect(await found({ state: ['completed'] })).toEqual(['Dora'])
  expect(await found({ state: ['progress'] })).toEqual(['Bo', 'Lea'])
  expect(await found({ state: ['open'] })).toEqual(['Bo'])
  expect(await found({ state: ['open', 'completed'] })).toEqual(['Bo', 'Dora'])
  expect(await found({ state: ['nonsense'] })).toHaveLength(3)
  const { uid } = await db
    .selectFrom('access_plans')
    .innerJoin('subscriptions', 'subscriptions.access_plan_id', 'access_plans.id')
    .select('access_plans.uid')
    .where('subscriptions.user_id', '=', done.viewer.id)
    .executeTakeFirstOrThrow()
  expect(await found({ group: [uid] })).toHaveLength(3)
  await db
    .updateTable('subscriptions')
    .set({ valid_to: new Date(Date.now() - 3_600_000) })
    .where('user_id', '=', busy.viewer.id)
    .execute()
  expect(await found({ group: [uid] })).toEqual(['Dora', 'Lea'])
  expect(await found({ group: [randomUUID(), 'x'] })).toEqual([])
})

test('the state of a learner list changes with its learners, and its count stops at one more than a browser keeps', async () => {
  const module = await aModule(system)
  const before = await listLearnerRows(author, { moduleUid: module.uid })
  expect(before).toMatchObject({ rows: [], total: 0, listed: 0 })
  await visit(await aLearner(), { moduleVersionUid: module.versionUid }, 'completed')
  const after = await listLearnerRows(author, { moduleUid: module.uid })
  expect(after).toMatchObject({ total: 1, listed: 1 })
  expect(after.state).not.toBe(before.state)
  expect((await listLearnerRows(author, { moduleUid: module.uid, search: 'nobody' })).state).toBe(after.state)
})
