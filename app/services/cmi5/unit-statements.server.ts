import { env } from '~/config/env.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { Forbidden } from '../errors.ts'
import { moduleUidOf } from '../packages/iris.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import {
  type AttachmentPart,
  type Definer,
  findKnownStatements,
  mergeDefinitions,
  type PreparedStatement,
  parseDuration,
  parseStatements,
  parseTimestamp,
  prepareStatements,
  type ReceivedAttachments,
  requireSameContent,
  type Statement,
  withAttachments,
  type XapiVersion,
} from '../xapi/xapi.server.ts'
import { type Entry, writeEntries } from './ledger.server.ts'
import { lmsAuthority } from './lms-terms.server.ts'
import { addStoredBytes } from './quota.server.ts'
import { lockRegistration } from './records.server.ts'
import type { LaunchedAs } from './registration-state.ts'
import { admit, type History, type Judged, judgeStatement } from './rules.ts'
import type { UnitSession } from './unit-sessions.server.ts'
import { figuresOf } from './unit-state.ts'
import type { LaunchMode, MoveOn } from './vocabulary.ts'

/**
 * Records statements of a unit (cmi5 6.3, 9), all or none. Checks them against the launch and then, with the
 * registration locked, against earlier statements. Returns the ids in the given order. A statement that is already
 * stored counts as a success (xAPI 2.1.1).
 */
export async function recordAuStatements(
  ctx: Ctx,
  input: { session: UnitSession; statements: unknown; attachments?: AttachmentPart[]; version: XapiVersion },
): Promise<string[]> {
  const statements = parseStatements(input.statements, input.version)
  const given = { statements, attachments: input.attachments ?? [], version: input.version }
  return withAttachments(ctx, given, (attachments) => record(ctx, { ...input, statements, attachments }))
}

async function record(
  ctx: Ctx,
  input: { session: UnitSession; statements: Statement[]; attachments: ReceivedAttachments; version: XapiVersion },
): Promise<string[]> {
  const { session, statements, attachments, version } = input
  const facts = { ...session, sessionUid: session.uid, actor: session.actor.account }
  const judged = statements.map((statement) => judgeStatement(statement, facts))
  // Resolves the ids of all terms and computes the hashes before the transaction.
  const prepared = await prepareStatements(ctx, statements, {
    authority: await lmsAuthority(ctx.db),
    version,
    attachments,
  })
  const written = await inTransaction(ctx, async (ctx) => {
    const registration = await lockRegistration(ctx, session.registrationId)
    const state = await readSession(ctx, session)
    const known = await findKnownStatements(
      ctx,
      prepared.map((one) => one.id),
    )
    for (const one of prepared) {
      const hash = known.get(one.id)
      if (hash) requireSameContent(one, hash)
    }
    if (env().CMI5_STRICT_PREFERENCES && (session.isEnded || state.history.isEnded)) throw sessionEnded()
    const unknown = judged.filter(({ statement }) => !known.has(statement.id as string))
    if (unknown.length === 0) return []
    if (session.isEnded) throw sessionEnded()
    await addStoredBytes(ctx, registration.id, sizeOf(prepared.filter((one) => !known.has(one.id))))
    const ordered = inOrder(unknown)
    const history = ordered.reduce((before, { verb }) => admit(before, verb), state.history)
    if (env().CMI5_STRICT_PREFERENCES && history.isInitialized && !state.hasReadPreferences) {
      throw new Forbidden('The learner preferences must be read before initialized (cmi5 11).', 'cmi5.rule')
    }
    const launch = {
      moveOn: state.moveOn,
      masteryScore: state.masteryScore,
      launchParameters: session.launchData.launchParameters ?? null,
      launchedAt: state.launchedAt,
    }
    const preparedById = new Map(prepared.map((one) => [one.id, one]))
    const entries = ordered.map((one) => ({
      ...entryOf(one, session, launch),
      prepared: preparedById.get(one.statement.id as string),
    }))
    const ledger = {
      registration,
      moduleUid: session.moduleUid,
      actor: session.actor,
      unitCount: state.unitCount,
      pkg: null,
      version,
    }
    const stored = await writeEntries(ctx, ledger, entries)
    await saveSession(ctx, session, state.history, history)
    return stored
  })
  await mergeDefinitions(ctx, written, await definerOf(ctx, session))
  return prepared.map((one) => one.id)
}

async function definerOf(ctx: Ctx, { moduleUid }: UnitSession): Promise<Definer> {
  const base = await getInstallationValue(ctx.db, 'iri_base')
  return { ownerUid: moduleUid, ownerOf: (iri) => moduleUidOf(base, iri) }
}

function sessionEnded(): Forbidden {
  return new Forbidden('The session has ended (cmi5 9.3.8).', 'cmi5.ended')
}

function sizeOf(prepared: PreparedStatement[]): number {
  return prepared.reduce(
    (sum, { statement, attachments }) =>
      sum + Buffer.byteLength(JSON.stringify(statement)) + attachments.reduce((all, { size }) => all + size, 0),
    0,
  )
}

/** Sorts the statements of a batch by timestamp (cmi5 9.3). */
function inOrder(judged: Judged[]): Judged[] {
  const micros = ({ statement }: Judged) => parseTimestamp(statement.timestamp as string) ?? 0
  return [...judged].sort((a, b) => micros(a) - micros(b))
}

function entryOf(
  { statement, verb }: Judged,
  session: UnitSession,
  { launchedAt, ...launchedAs }: LaunchedAs & { launchedAt: Date },
): Entry {
  return {
    statement,
    sessionUid: session.uid,
    launchSessionId: session.id,
    launchedAt,
    unit: { id: session.unitId, launchedAs, fact: factOf(statement, verb, session.mode) },
    satisfies: null,
  }
}

/** Returns what a unit's statement means for its unit. The rebuild uses it, too. */
export function factOf(
  statement: Statement,
  verb: Judged['verb'],
  mode: LaunchMode,
): NonNullable<Entry['unit']>['fact'] {
  const { progress, score } = figuresOf(statement.result)
  const seconds = statement.result?.duration === undefined ? null : parseDuration(statement.result.duration)
  return {
    verb,
    mode,
    // Ignores the progress in `completed`, which means 100 anyway (cmi5 9.5.5.1).
    ...(progress !== undefined && verb !== 'completed' && { progress }),
    ...(score !== undefined && (verb === 'passed' || verb === 'failed') && { score }),
    ...(seconds !== null && { seconds }),
  }
}

type SessionState = {
  history: History
  hasReadPreferences: boolean
  launchedAt: Date
  moveOn: MoveOn
  masteryScore: number | null
  unitCount: number
}

/**
 * Reads the session in its own query after the registration is locked. A query that waits for a lock would still see
 * the data from before the wait.
 */
async function readSession(ctx: Ctx, session: UnitSession): Promise<SessionState> {
  const row = await ctx.db
    .selectFrom('launch_sessions as s')
    .innerJoin('cmi5_units as u', 'u.id', 's.unit_id')
    .leftJoin('registration_units as ru', (join) =>
      join.onRef('ru.registration_id', '=', 's.registration_id').onRef('ru.unit_id', '=', 's.unit_id'),
    )
    .select([
      's.launched_at as launchedAt',
      's.initialized_at as initializedAt',
      's.completed_at as completedAt',
      's.passed_at as passedAt',
      's.failed_at as failedAt',
      's.terminated_at as terminatedAt',
      's.abandoned_at as abandonedAt',
      's.prefs_read_at as prefsReadAt',
      'ru.completed_at as unitCompletedAt',
      'ru.passed_at as unitPassedAt',
      'ru.move_on as moveOn',
      'ru.mastery_score as masteryScore',
      (eb) =>
        eb
          .selectFrom('cmi5_units as all')
          .whereRef('all.package_id', '=', 'u.package_id')
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .as('unitCount'),
    ])
    .where('s.id', '=', session.id)
    .executeTakeFirstOrThrow()
  return {
    history: {
      isInitialized: row.initializedAt !== null,
      isEnded: row.terminatedAt !== null || row.abandonedAt !== null,
      hasCompleted: row.completedAt !== null,
      hasPassed: row.passedAt !== null,
      hasFailed: row.failedAt !== null,
      wasCompleted: row.unitCompletedAt !== null,
      wasPassed: row.unitPassedAt !== null,
    },
    hasReadPreferences: row.prefsReadAt !== null,
    launchedAt: row.launchedAt,
    moveOn: (row.moveOn ?? session.launchData.moveOn) as MoveOn,
    masteryScore: row.masteryScore,
    unitCount: row.unitCount ?? 0,
  }
}

async function saveSession(ctx: Ctx, session: UnitSession, before: History, after: History): Promise<void> {
  const at = ctx.now
  const changes = {
    ...(!before.isInitialized && after.isInitialized && { initialized_at: at }),
    ...(!before.hasCompleted && after.hasCompleted && { completed_at: at }),
    ...(!before.hasPassed && after.hasPassed && { passed_at: at }),
    ...(!before.hasFailed && after.hasFailed && { failed_at: at }),
    ...(!before.isEnded && after.isEnded && { terminated_at: at }),
  }
  if (Object.keys(changes).length === 0) return
  await ctx.db
    .updateTable('launch_sessions')
    .set({ ...changes, last_seen_at: at })
    .where('id', '=', session.id)
    .execute()
}
