/** The statement browser of the console finds what `/xapi/statements` finds, and says it in words. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { dayOf } from '~/lib/zoned-time.ts'
import { getStatementsPage, statementFiltersOf } from '~/pages/statements.server.ts'
import { actorOf } from '~/services/cmi5/lms-terms.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden } from '~/services/errors.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aStore } from '../support/xapi.ts'

const { db, send, auth } = await aStore()

const [passed, did] = ['http://adlnet.gov/expapi/verbs/passed', 'https://verbs.example/did']
const lesson = 'https://activities.example/lesson'
const registration = randomUUID()
let admin: Ctx
let learner: { uid: string }

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  learner = await aUser(db, { email: 'grace@titrate.example', firstName: 'Grace', lastName: 'Hopper' })
  const actor = await actorOf(db, learner.uid)
  const other = { mbox: 'mailto:guest@example.org', name: '<b>Guest</b>' }
  const about = { id: lesson, definition: { name: { en: 'Lesson 1' } } }
  const older = Array.from({ length: 30 }, (_, n) => ({
    actor: other,
    verb: { id: did },
    object: { id: `https://activities.example/${n}` },
  }))
  const newer = [
    { actor, verb: { id: passed }, object: about, context: { registration }, result: { score: { scaled: 0.9 } } },
    {
      actor: other,
      verb: { id: did },
      object: { id: 'https://activities.example/x' },
      context: { contextActivities: { parent: [{ id: lesson }] } },
    },
  ]
  for (const statements of [older, newer]) {
    expect((await send('POST', '/xapi/statements', { auth, body: statements })).status).toBe(200)
  }
})

const pageOf = (search: string, ctx = admin) =>
  getStatementsPage(ctx, { filters: statementFiltersOf(new URLSearchParams(search)), language: 'en' })
const sentences = async (search: string) => (await pageOf(search)).rows.map(({ words }) => words.sentence)

test('lists statements newest first in sentences, a page at a time, with the stored record', async () => {
  const first = await pageOf('')
  expect(first.rows).toHaveLength(25)
  expect(first.rows[1]).toMatchObject({
    personTo: `/dashboard/users/${learner.uid}/`,
    registrationTo: `/dashboard/statements/?registration=${registration}`,
    activityTo: `/dashboard/statements/?activity=${encodeURIComponent(lesson)}`,
  })
  expect(first.rows[1]?.words.sentence).toContain('Grace Hopper passed “Lesson 1”')
  expect(JSON.parse(first.rows[1]?.json ?? '')).toMatchObject({ verb: { id: passed }, context: { registration } })
  const second = await pageOf(first.next?.split('?')[1] ?? '')
  expect(second.rows).toHaveLength(7)
  expect([second.next, second.newest]).toEqual([null, '/dashboard/statements/'])
  const seqs = [...first.rows, ...second.rows].map(({ seq }) => seq)
  expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => other - one))
})

test('filters by person, verb, activity, registration and day, also where they are only mentioned', async () => {
  const [found] = await sentences('person=grace@titrate.example')
  for (const search of [
    `person=${learner.uid}`,
    'person=Grace@TITRATE.example',
    'person=grace++HOPPER',
    `verb=${encodeURIComponent(passed)}`,
    `activity=${encodeURIComponent(lesson)}`,
    `registration=${registration.toUpperCase()}`,
  ]) {
    expect(await sentences(search), search).toEqual([found])
  }
  expect(found).toContain('Grace Hopper passed')
  expect(await sentences(`activity=${encodeURIComponent(lesson)}&related=1`)).toHaveLength(2)
  expect(await sentences('person=guest@example.org')).toHaveLength(25)
  // Two days around now, so that the test also passes at midnight.
  const day = (days: number) => dayOf(new Date(Date.now() + days * 86_400_000), admin.site.timeZone)
  expect(await sentences(`person=${learner.uid}&from=${day(-1)}&to=${day(1)}`)).toEqual([found])
  expect(await sentences(`person=${learner.uid}&from=${day(2)}`)).toEqual([])
  expect(await sentences(`person=${learner.uid}&to=${day(-2)}`)).toEqual([])
})

test('finds a module by its title, with its units, and where it is only mentioned', async () => {
  const ctx = await aContext(db, { isOperator: true })
  const module = await aModule(ctx, { name: 'Dose: response', units: [{}, {}] })
  const person = { ...(await aContext(db, { viewer: await aUser(db, { firstName: 'Mary', lastName: 'Jackson' }) })) }
  await visit(person, { moduleVersionUid: module.versionUid }, 'completed')
  const found = await sentences('activity=dose:++RESPONSE')
  expect(found.length).toBeGreaterThan(2)
  expect(found.every((sentence) => sentence.includes('Mary Jackson'))).toBe(true)
  expect(found.some((sentence) => / launched /.test(sentence))).toBe(true)
  expect((await sentences('activity=Dose:+response&related=1')).length).toBeGreaterThanOrEqual(found.length)
  expect((await sentences('activity=Dose:+response&person=Mary+Jackson')).length).toBe(found.length)
  expect(await sentences('activity=Dose:+response&person=grace@titrate.example')).toEqual([])
  const page = await pageOf('activity=Dose:+response')
  expect([page.modules, page.problem]).toEqual([['Dose: response'], null])
  expect(await sentences('activity=dose'), 'a part of the title').toEqual(found)
  expect(await sentences('person=jackson'), 'a part of the name').toEqual(await sentences('person=Mary+Jackson'))
  await aModule(ctx, { name: 'Never opened' })
  await aModule(ctx, { name: 'Dose finding' })
  expect((await pageOf('activity=dose')).problem).toBe(
    '“dose” is in the titles of several modules. Enter one of “Dose finding”, “Dose: response”.',
  )
  const remove = (name: string) => sql`update modules set deleted_at = now() where name = ${name}`.execute(db)
  await remove('Dose finding')
  expect(await sentences('activity=dose'), 'the other one is in the trash').toEqual(found)
  await remove('Dose: response')
  expect((await pageOf('activity=dose')).problem, 'both are').toContain('is in the titles of several modules')
  expect(await sentences('activity=response'), 'a part of a title in the trash').toEqual(found)
  expect(await pageOf('activity=never+opened')).toMatchObject({ rows: [], problem: null })
  const elsewhere = await aContext(db, {
    site: 'ns',
    viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
  })
  expect((await pageOf('activity=Dose+response', elsewhere)).problem).toContain('No module here is called')
})

test('what cannot be searched for is said, and kept', async () => {
  for (const [search, sentence] of [
    ['registration=nonsense', 'A registration looks like'],
    ['activity=nonsense', 'No module here is called “nonsense”. Choose one from the list'],
    ['verb=nonsense', 'The verb must be an address'],
    ['person=Gracelyn', 'Nobody here is called “Gracelyn”. Enter the email address'],
  ] as const) {
    const page = await pageOf(search)
    expect(page.problem).toContain(sentence)
    expect(page.rows).toEqual([])
    expect(Object.values(page.filters)).toContain(search.split('=')[1])
  }
  for (const search of ['person=nobody@example.org', 'registration=00000000-0000-4000-8000-000000000000', 'before=0']) {
    expect(await pageOf(search), search).toMatchObject({ rows: [], problem: null })
  }
  expect((await pageOf('before=x&person=%00')).rows).toHaveLength(25)
})

test('of several people with one name, an address has to be chosen; people of the other site do not count', async () => {
  for (const email of ['one@namesakes.example', 'two@namesakes.example']) {
    await aUser(db, { email, firstName: 'Ada', lastName: 'Byron' })
  }
  await aUser(db, { site: 'ns', email: 'three@namesakes.example', firstName: 'Ada', lastName: 'Byron' })
  await aUser(db, { site: 'ns', firstName: 'Only', lastName: 'There' })
  expect(await pageOf('person=ada+byron')).toMatchObject({
    rows: [],
    problem:
      'Several people are called “ada byron”, at least in part. Enter the email address of one: one@namesakes.example, two@namesakes.example.',
  })
  expect((await pageOf('person=Only+There')).problem).toContain('Nobody here is called “Only There”.')
})

test('is for admins, and shows nothing of the other site', async () => {
  for (const viewer of [null, await aUser(db, { groups: ['authors'], plan: null }), await aUser(db)]) {
    await expect(pageOf('', await aContext(db, { viewer }))).rejects.toThrow(viewer ? Forbidden : 'Login required.')
  }
  const ns = await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }) })
  expect((await pageOf('', ns)).rows).toEqual([])
  expect((await pageOf(`person=${learner.uid}`, ns)).rows).toEqual([])
})

test('an account of another system is nobody of this site, whatever its name', async () => {
  const actor = { account: { homePage: 'https://elsewhere.example/', name: learner.uid } }
  const object = { id: 'https://activities.example/foreign' }
  await send('POST', '/xapi/statements', { auth, body: { actor, verb: { id: did }, object } })
  const { rows } = await pageOf(`activity=${encodeURIComponent(object.id)}`)
  expect(rows.map(({ personTo, words }) => [personTo, words.sentence])).toEqual([
    [null, `${learner.uid} did “foreign”`],
  ])
})

test('days that do not exist, or in the wrong order, are named; and the last one that can be searched is no error', async () => {
  for (const search of ['from=2026-02-29', 'from=abc', 'to=9999-12-31']) {
    expect(await pageOf(search)).toMatchObject({ rows: [], problem: 'A day looks like 2026-11-28, and has to exist.' })
  }
  expect((await pageOf('from=2026-11-28&to=2026-11-01')).problem).toBe('The last day is before the first one.')
  expect((await pageOf('to=9999-12-30')).problem).toBeNull()
})
