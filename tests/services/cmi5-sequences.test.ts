/**
 * Checks a property with random sequences: whatever authors and staff do with a module while somebody learns in it, no
 * record is lost, and a rebuild computes what the live path wrote. The seed is fixed, and a failure names its sequence.
 */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import {
  abandonLaunch,
  fetchToken,
  findUnitSession,
  launchUnit,
  moveAttempt,
  rebuildProgress,
  recordAuStatements,
  type UnitSession,
  waiveUnit,
} from '~/services/cmi5/cmi5.server.ts'
import { fetchSecretOf } from '~/services/cmi5/secrets.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ServiceError } from '~/services/errors.ts'
import { publishModule, publishVersion, unpublishModule } from '~/services/modules/modules.server.ts'
import { moveOns } from '~/services/packages/schema.ts'
import { aModule, statementOf } from '../support/cmi5.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { importAndRead } from '../support/imports.ts'
import { rounds } from '../support/long.ts'
import { aStorage, auXml, blockXml, courseXml } from '../support/packages.ts'
import { db } from '../support/test.ts'

const sequences = rounds(1000)
const atOnce = 8
const mostSteps = 7

let author: Ctx
let _planUid: string
aStorage()

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
  const id = await planOf(db, author.site.id, 'Full Access')
  const plan = await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()
  _planUid = plan.uid
})

/** mulberry32: the same numbers for the same seed, everywhere. */
function randomNumbers(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    chance: (part: number) => next() < part,
  }
}

type RandomNumbers = ReturnType<typeof randomNumbers>

/** The statements that were accepted. They must exist at the end. */
type Kept = { statements: Map<string, string>; sessions: Set<string>; registrations: Set<string>; accepted: number }

class Story {
  readonly random: RandomNumbers
  readonly kept: Kept
  readonly learner: Ctx
  readonly name: string
  readonly done: string[] = []
  moduleUid = ''
  versions: string[] = []
  session: UnitSession | null = null

  constructor(index: number, kept: Kept, learner: Ctx) {
    this.random = randomNumbers(20_261_121 + index)
    this.kept = kept
    this.learner = learner
    this.name = `Sequence ${index}`
  }

  async run(): Promise<void> {
    await this.begin()
    const count = 3 + this.random.below(mostSteps - 2)
    for (let step = 0; step < count; step++) await this.step()
  }

  /** An impossible step must be refused and must change nothing; the checks at the end show both. */
  private async step(): Promise<void> {
    const [name, act] = this.random.pick(steps)
    this.done.push(name)
    try {
      await act(this)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw new Error(`${this.name}: ${this.done.join(', ')}`, { cause: error })
      this.done.push('(refused)')
    }
  }

  /** Inserts most modules as rows, which is faster. Every later change is an import. */
  private async begin(): Promise<void> {
    if (this.random.chance(0.25)) return this.bring(true)
    const { units, blockOfFirst } = this.structure()
    const module = await aModule(author, {
      name: this.name,
      isPublished: this.random.chance(0.7),
      blocks: blockOfFirst ? [{ id: 'block' }] : [],
      units: units.map((unit, index) => ({ ...unit, ...(blockOfFirst && index === 0 && { block: 'block' }) })),
    })
    this.moduleUid = module.uid
    this.versions = [module.versionUid]
  }

  async bring(isGood: boolean): Promise<void> {
    const { imported } = await importAndRead(author, {
      bytes: Buffer.from(isGood ? this.xml() : '<courseStructure/>'),
      fileName: 'cmi5.xml',
      name: this.name,
      publish: this.random.chance(0.7),
    })
    this.moduleUid = imported.moduleUid
    const rows = await db
      .selectFrom('module_versions as v')
      .innerJoin('modules as m', 'm.id', 'v.module_id')
      .select('v.uid')
      .where('m.uid', '=', imported.moduleUid)
      .orderBy('v.version')
      .execute()
    this.versions = rows.map(({ uid }) => uid)
  }

  /** One to four units, the first of them sometimes in a block. */
  private structure(): { units: { id: string; moveOn: string }[]; blockOfFirst: boolean } {
    const ids = ['a', 'b', 'c', 'd'].filter(() => this.random.chance(0.5))
    const units = (ids.length === 0 ? ['a'] : ids).map((id) => ({ id, moveOn: this.random.pick(moveOns) }))
    return { units, blockOfFirst: this.random.chance(0.5) }
  }

  private xml(): string {
    const { units, blockOfFirst } = this.structure()
    const base = 'https://publisher.example'
    const [first = '', ...rest] = units.map(({ id, moveOn }) =>
      auXml({ id: `${base}/au/${id}`, url: `https://units.example/${id}`, attributes: `moveOn="${moveOn}"` }),
    )
    return courseXml((blockOfFirst ? blockXml(`${base}/block/block`, first) : first) + rest.join(''))
  }

  version(): string {
    return this.random.pick(this.versions)
  }

  async launch(options: { retake?: boolean } = {}): Promise<void> {
    const moduleVersionUid = this.version()
    const unitIndex = this.random.chance(0.5) ? this.random.below(3) : null
    const { auLaunchSessionUid } = await launchUnit(this.learner, { moduleVersionUid, unitIndex, ...options })
    this.kept.sessions.add(auLaunchSessionUid)
    const answer = await fetchToken(this.learner, { secret: await fetchSecretOf(db, auLaunchSessionUid) })
    this.session = 'token' in answer ? await findUnitSession(this.learner, answer) : null
    if (this.session) this.kept.registrations.add(this.session.registrationUid)
  }

  async send(...verbs: string[]): Promise<void> {
    const { session } = this
    if (!session) return
    const made = verbs.map((verb) =>
      statementOf(session, verb, {
        ...(verb === 'experienced' && { progress: this.random.below(101) }),
        ...((verb === 'passed' || verb === 'failed') && { score: { scaled: this.random.below(101) / 100 } }),
      }),
    )
    const ctx = { ...this.learner, viewer: null }
    const ids = await recordAuStatements(ctx, { session, statements: made, version: '1.0.3' })
    for (const id of ids) this.kept.statements.set(id, session.registrationUid)
    this.kept.accepted += ids.length
  }

  async openAttempt(): Promise<{ uid: string; unitUid: string | null } | null> {
    const row = await db
      .selectFrom('registrations as r')
      .innerJoin('modules as m', 'm.id', 'r.module_id')
      .innerJoin('cmi5_packages as p', 'p.module_version_id', 'r.module_version_id')
      .innerJoin('cmi5_units as u', 'u.package_id', 'p.id')
      .select(['r.uid', 'u.uid as unitUid'])
      .where('m.uid', '=', this.moduleUid)
      .where('r.closed_at', 'is', null)
      .orderBy('u.position', this.random.chance(0.5) ? 'asc' : 'desc')
      .limit(1)
      .executeTakeFirst()
    return row ?? null
  }
}

/** Learning is the most frequent step. */
const steps: [string, (story: Story) => Promise<void>][] = [
  ['replace', (story) => story.bring(story.random.chance(0.75))],
  ['publish', (story) => publishModule(author, story).then(() => {})],
  ['unpublish', (story) => unpublishModule(author, story).then(() => {})],
  ['roll back', (story) => publishVersion(author, { ...story, moduleVersionUid: story.version() }).then(() => {})],
  ['move', moveOn],
  ['move', moveOn],
  ['waive', waive],
  ['abandon', abandon],
  ['launch', (story) => story.launch()],
  ['launch and begin', (story) => story.launch().then(() => story.send('initialized'))],
  ['launch and complete', (story) => story.launch().then(() => story.send('initialized', 'completed', 'terminated'))],
  ['launch and pass', (story) => story.launch().then(() => story.send('initialized', 'completed', 'passed'))],
  ['retake', (story) => story.launch({ retake: true }).then(() => story.send('initialized', 'failed'))],
  ['go on', (story) => story.send(story.random.pick(['experienced', 'completed', 'passed', 'failed', 'terminated']))],
  ['go on', (story) => story.send('experienced', story.random.pick(['completed', 'passed', 'failed']))],
]

async function moveOn(story: Story): Promise<void> {
  const attempt = await story.openAttempt()
  if (!attempt) return
  const input = { registrationUid: attempt.uid, moduleVersionUid: story.version() }
  const { registrationUid } = await moveAttempt(author, input)
  story.kept.registrations.add(registrationUid)
}

async function waive(story: Story): Promise<void> {
  const attempt = await story.openAttempt()
  if (!attempt?.unitUid) return
  await waiveUnit(author, { registrationUid: attempt.uid, unitUid: attempt.unitUid, reason: 'Tested Out' })
}

async function abandon(story: Story): Promise<void> {
  if (story.session) await abandonLaunch(author, { auLaunchSessionUid: story.session.uid })
}

/** Everything that is computed from statements, for comparison with the rebuild. */
async function projections() {
  const table = async (query: ReturnType<typeof sql>) => (await query.execute(db)).rows
  return {
    registrations: await table(sql`
      select uid, progress_percent, satisfied_at, closed_at from registrations order by id`),
    units: await table(sql`select * from registration_units order by registration_id, unit_id`),
    blocks: await table(sql`select * from registration_blocks order by registration_id, block_id`),
    modules: await table(sql`select * from module_progress order by user_id, module_id`),
    answers: await table(sql`select * from question_answers order by seq`),
  }
}

async function missing(table: string, column: string, uids: Iterable<string>): Promise<string[]> {
  const { rows } = await sql<{ uid: string }>`
    select uid::text from unnest(${[...uids]}::uuid[]) as known (uid)
    where not exists (select from ${sql.table(table)} there where there.${sql.ref(column)} = known.uid)`.execute(db)
  return rows.map(({ uid }) => uid)
}

async function each<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}

test('random sequences of import, publish, unpublish, replace, move, roll back, launch and statements lose nothing', {
  timeout: 120_000,
}, async () => {
  const kept: Kept = { statements: new Map(), sessions: new Set(), registrations: new Set(), accepted: 0 }
  const learners = await Promise.all(
    Array.from({ length: atOnce }, async () => aContext(db, { viewer: await aUser(db) })),
  )
  const stories = Array.from({ length: sequences }, (_, index) => {
    return new Story(index, kept, learners[index % atOnce] as Ctx)
  })
  await each(stories, (story) => story.run())

  expect(await missing('xapi_statements', 'statement_id', kept.statements.keys())).toEqual([])
  expect(await missing('launch_sessions', 'uid', kept.sessions)).toEqual([])
  expect(await missing('registrations', 'uid', kept.registrations)).toEqual([])
  const did = stories.flatMap(({ done }) => done)
  // The property means nothing if nothing happened.
  expect(kept.statements.size).toBe(kept.accepted)
  expect(kept.statements.size).toBeGreaterThan(1.5 * sequences)
  expect(kept.registrations.size).toBeGreaterThan(0.5 * sequences)
  expect(did.filter((what) => what === '(refused)').length).toBeLessThan(did.length / 2)

  // Each learner has at most one open attempt per module. Percent and completion are the best of all attempts.
  const { rows: wrong } = await sql`
    select r.user_id, r.module_id, max(r.progress_percent) as best, p.progress_percent, p.completed_at,
      count(*) filter (where r.closed_at is null) as open
    from registrations r left join module_progress p on p.user_id = r.user_id and p.module_id = r.module_id
    where not r.is_preview
    group by r.user_id, r.module_id, p.progress_percent, p.completed_at
    having count(*) filter (where r.closed_at is null) <> 1 or p.progress_percent <> max(r.progress_percent)
      or p.progress_percent is null or (p.completed_at is not null) <> (max(r.progress_percent) = 100)`.execute(db)
  expect(wrong).toEqual([])

  const before = await projections()
  expect(before.modules.length).toBeGreaterThan(0.5 * sequences)
  await each([...kept.registrations], (registrationUid) => rebuildOnce(registrationUid))
  expect(await projections()).toEqual(before)
})

const rebuilt = new Set<string>()

/** The pair of learner and module that the attempt belongs to. */
async function rebuildOnce(registrationUid: string): Promise<void> {
  if (rebuilt.has(registrationUid)) return
  const { rows } = await sql<{ uid: string }>`
    select other.uid from registrations one join registrations other using (user_id, module_id)
    where one.uid = ${registrationUid}`.execute(db)
  if (rows.some(({ uid }) => rebuilt.has(uid))) return
  for (const { uid } of rows) rebuilt.add(uid)
  await rebuildProgress(author, { registrationUid })
}
