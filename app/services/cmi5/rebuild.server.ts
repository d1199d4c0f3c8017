import { sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import type { SystemCtx } from '../context.ts'
import {
  clearModuleProgress,
  correctCourseCompletions,
  recordAnswers,
  recordModuleProgress,
} from '../progress/progress.server.ts'
import { identifierOf, parseDuration, type Statement, storedAt } from '../xapi/xapi.server.ts'
import { answerOf } from './answers.ts'
import { eventTime } from './event-time.ts'
import { courseIriOf, lmsAuthority } from './lms-terms.server.ts'
import { insertSatisfiedBlocks, saveRegistration, saveUnitRecords } from './records.server.ts'
import { applyToUnit, type LaunchedAs, type RegistrationState, stateOf } from './registration-state.ts'
import { findPackage, type Package } from './structure.server.ts'
import type { UnitFact } from './unit-state.ts'
import { factOf } from './unit-statements.server.ts'
import {
  categories,
  contextExtensions,
  type LaunchMode,
  type MoveOn,
  resultExtensions,
  unitVerbOf,
  verbOf,
} from './vocabulary.ts'

const pairsAtOnce = 100
const statementsAtOnce = 1000

/** A learner and a module. A rebuild works through the pairs in their order. */
export type ProgressPair = { userId: number; moduleId: number }

/**
 * Recomputes units, blocks, percents, scores, answers and completions from the stored statements, for each learner and
 * module under the same locks as live recording. The result is the same, because both apply statements with the same
 * functions. Only here may a percent or a completion fall. Returns the number of attempts.
 */
export async function rebuildProgress(ctx: SystemCtx, input: { registrationUid?: string } = {}): Promise<number> {
  let count = 0
  for (let after: ProgressPair | null = null; ; ) {
    const page: RebuiltPage = await rebuildProgressPage(ctx, { ...input, after })
    count += page.attempts
    if (!page.next) return count
    after = page.next
  }
}

type RebuiltPage = { attempts: number; next: ProgressPair | null }

/** Rebuilds the first hundred pairs after a pair. `next` is where to continue; null at the end. */
export async function rebuildProgressPage(
  ctx: SystemCtx,
  input: { after?: ProgressPair | null; registrationUid?: string },
): Promise<RebuiltPage> {
  const { userId, moduleId } = input.after ?? { userId: 0, moduleId: 0 }
  const { rows: pairs } = await sql<ProgressPair>`
    select distinct user_id as "userId", module_id as "moduleId" from registrations
    where (user_id, module_id) > (${userId}, ${moduleId})
      and (${input.registrationUid ?? null}::uuid is null or (user_id, module_id) =
        (select user_id, module_id from registrations where uid = ${input.registrationUid ?? null}::uuid))
    order by user_id, module_id limit ${pairsAtOnce}`.execute(ctx.db)
  let attempts = 0
  for (const pair of pairs) attempts += await inTransaction(ctx, (ctx) => rebuildPair(ctx, pair))
  return { attempts, next: pairs.length < pairsAtOnce ? null : (pairs.at(-1) ?? null) }
}

type Attempt = Awaited<ReturnType<typeof lockAttempts>>[number]

async function rebuildPair(ctx: SystemCtx, pair: ProgressPair): Promise<number> {
  const attempts = await lockAttempts(ctx, pair)
  await clearModuleProgress(ctx, { registrationUids: attempts.map(({ uid }) => uid) })
  const ids = attempts.map(({ id }) => id)
  await ctx.db.deleteFrom('registration_units').where('registration_id', 'in', ids).execute()
  await ctx.db.deleteFrom('registration_blocks').where('registration_id', 'in', ids).execute()
  for (const attempt of attempts) await rebuildAttempt(ctx, attempt)
  await correctCourseCompletions(ctx, pair)
  return attempts.length
}

async function lockAttempts(ctx: SystemCtx, pair: ProgressPair) {
  return ctx.db
    .selectFrom('registrations as r')
    .innerJoin('modules as m', 'm.id', 'r.module_id')
    .select(['r.id', 'r.uid', 'r.site_id as siteId', 'r.module_version_id as versionId', 'r.is_preview as isPreview'])
    .select('m.uid as moduleUid')
    .where('r.user_id', '=', pair.userId)
    .where('r.module_id', '=', pair.moduleId)
    .orderBy('r.id')
    .forUpdate('r')
    .execute()
}

async function rebuildAttempt(ctx: SystemCtx, attempt: Attempt): Promise<void> {
  const pkg = await findPackage(ctx.db, attempt.versionId)
  if (!pkg) return
  const courseIri = await courseIriOf(ctx.db, attempt.moduleUid)
  const replay = new Replay(pkg, courseIri)
  for (let after = 0; ; ) {
    const rows = await selectStored(ctx, attempt, after)
    for (const row of rows) replay.apply(row)
    const last = rows.at(-1)
    if (!last || rows.length < statementsAtOnce) break
    after = last.seq
  }
  const { state, blocks, answers, satisfiedAt } = replay
  await saveUnitRecords(ctx, attempt.id, [...state.units.values()])
  await insertSatisfiedBlocks(ctx, attempt.id, blocks)
  await saveRegistration(ctx, attempt.id, { percent: state.percent, satisfiedAt, at: ctx.now })
  if (attempt.isPreview) return
  if (state.startedAt) await recordModuleProgress(ctx, { registrationUid: attempt.uid, ...state })
  await recordAnswers(ctx, { registrationUid: attempt.uid, answers })
}

type StoredRow = {
  seq: number
  body: string
  verb: string
  sessionId: number | null
  launchedAt: Date | null
  initializedAt: Date | null
  unitId: number | null
  mode: string | null
}

/**
 * Selects the statements of units and of the LMS. Clients with a key may also store statements about a registration,
 * but those do not count.
 */
async function selectStored(ctx: SystemCtx, attempt: Attempt, after: number): Promise<StoredRow[]> {
  const authority = identifierOf(await lmsAuthority(ctx.db))
  return ctx.db
    .selectFrom('xapi_statements as s')
    .innerJoin('xapi_verbs as v', 'v.id', 's.verb_id')
    .leftJoin('launch_sessions as l', 'l.id', 's.launch_session_id')
    .select(['s.seq', 's.body', 'v.iri as verb', 'l.id as sessionId', 'l.launched_at as launchedAt'])
    .select(['l.unit_id as unitId', 'l.mode', 'l.initialized_at as initializedAt'])
    .where('s.registration', '=', attempt.uid)
    .where('s.site_id', '=', attempt.siteId)
    .where('s.authority_id', '=', (eb) => eb.selectFrom('xapi_agents').select('id').where('identifier', '=', authority))
    .where('s.seq', '>', after)
    .orderBy('s.seq')
    .limit(statementsAtOnce)
    .execute()
}

class Replay {
  state: RegistrationState
  satisfiedAt: Date | null = null
  readonly blocks: { blockId: number; at: Date }[] = []
  readonly answers: Parameters<typeof recordAnswers>[1]['answers'] = []
  private readonly pkg: Package
  private readonly courseIri: string

  constructor(pkg: Package, courseIri: string) {
    this.pkg = pkg
    this.courseIri = courseIri
    this.state = stateOf(new Map(), pkg.units.length, 0)
  }

  apply(row: StoredRow): void {
    const statement = JSON.parse(row.body) as Statement
    const at = eventTime(statement, { storedAt: storedAt(row.seq), launchedAt: row.launchedAt })
    const isDefined = statement.context?.contextActivities?.category?.some(({ id }) => id === categories.cmi5) ?? false
    const verb = isDefined ? verbOf(row.verb) : null
    if (verb === 'satisfied') {
      this.applySatisfied(statement, at)
      return
    }
    const mode = (row.mode ?? 'Normal') as LaunchMode
    const unit = this.pkg.units.find(
      ({ id, iri }) => id === row.unitId || (verb === 'waived' && iri === iriOf(statement)),
    )
    if (unit) {
      const launchedAs = verb === 'launched' ? launchedAsOf(statement) : unit.inPackage
      const wasInitialized = row.initializedAt !== null
      const fact = { ...replayedFactOf(statement, verb, mode, wasInitialized), at }
      this.state = applyToUnit(this.state, unit.id, fact, launchedAs)
    }
    const answer = row.sessionId !== null && mode === 'Normal' ? answerOf(statement) : null
    if (answer) this.answers.push({ seq: row.seq, answeredAt: at, ...answer })
  }

  private applySatisfied(statement: Statement, at: Date): void {
    const iri = iriOf(statement)
    if (iri === this.courseIri) this.satisfiedAt ??= at
    const block = this.pkg.blocks.find((one) => one.iri === iri)
    if (block) this.blocks.push({ blockId: block.id, at })
  }
}

function replayedFactOf(
  statement: Statement,
  verb: UnitFact['verb'],
  mode: LaunchMode,
  wasInitialized: boolean,
): Omit<UnitFact, 'at'> {
  if (verb === 'launched') return { verb, mode }
  if (verb === 'waived') return { verb, mode, reason: reasonOf(statement) }
  if (verb === 'abandoned') {
    return { verb, mode, seconds: parseDuration(statement.result?.duration ?? '') ?? 0, wasInitialized }
  }
  return factOf(statement, verb === null ? null : unitVerbOf(statement.verb.id), mode)
}

function reasonOf({ result }: Statement): string | null {
  const reason = result?.extensions?.[resultExtensions.reason]
  return typeof reason === 'string' ? reason : null
}

function iriOf({ object }: Statement): string | null {
  return 'id' in object ? (object.id ?? null) : null
}

/** Reads the settings that the unit was launched with from the launched statement (cmi5 9.6.3). */
function launchedAsOf(statement: Statement): LaunchedAs {
  const extensions = statement.context?.extensions ?? {}
  return {
    moveOn: extensions[contextExtensions.moveOn] as MoveOn,
    masteryScore: (extensions[contextExtensions.masteryScore] as number | undefined) ?? null,
    launchParameters: (extensions[contextExtensions.launchParameters] as string | undefined) ?? null,
  }
}
