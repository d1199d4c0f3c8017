import type { Ctx } from '../context.ts'
import { recordAnswers, recordModuleProgress } from '../progress/progress.server.ts'
import {
  type Agent,
  type PreparedStatement,
  prepareStatements,
  type Statement,
  storedAt,
  storeStatements,
  type XapiVersion,
} from '../xapi/xapi.server.ts'
import { answerOf } from './answers.ts'
import { eventTime } from './event-time.ts'
import { satisfiedStatement } from './lms-statements.ts'
import { courseIriOf, lmsAuthority } from './lms-terms.server.ts'
import {
  insertSatisfiedBlocks,
  type Registration,
  saveRegistration,
  saveUnitRecords,
  selectSatisfiedBlocks,
  selectUnitRecords,
} from './records.server.ts'
import { applyToUnit, type LaunchedAs, type RegistrationState, stateOf } from './registration-state.ts'
import { rollUp } from './roll-up.ts'
import { findPackage, type Package } from './structure.server.ts'
import { isMoveOnMet, type UnitFact } from './unit-state.ts'

/*
 * The only way to store statements of a registration. The satisfied statements that they cause follow right behind them
 * (cmi5 9.3.9), and all projections are updated in the same transaction, which holds the registration's lock.
 */
export type Entry = {
  statement: Statement
  sessionUid: string
  launchSessionId: number | null
  /** When its session was launched. Left out for a launch and for what belongs to no session. */
  launchedAt?: Date
  /** What the statement means for a unit. Null for a satisfied statement, which changes no unit. */
  unit: { id: number; launchedAs: LaunchedAs; fact: Omit<UnitFact, 'at'> } | null
  satisfies: { blockId: number | null } | null
  /** Set if the statement was prepared before the transaction. */
  prepared?: PreparedStatement
}

export type Ledger = {
  registration: Registration
  moduleUid: string
  actor: Agent
  unitCount: number
  /** Loaded by the first roll-up that needs it. */
  pkg: Package | null
  version: XapiVersion
}

/**
 * Stores the entries in order. `evaluateFirst` is the session for what is satisfied at registration (cmi5 9.6.1).
 * Returns everything that was stored, so that the caller can merge definitions after the transaction.
 */
export async function writeEntries(
  ctx: Ctx,
  ledger: Ledger,
  entries: Entry[],
  options: { evaluateFirst?: { sessionUid: string } } = {},
): Promise<Statement[]> {
  const { registration } = ledger
  const before = stateOf(await selectUnitRecords(ctx, registration.id), ledger.unitCount, registration.percent)
  const all = await withSatisfied(ctx, ledger, before, entries, options.evaluateFirst ?? null)
  if (all.length === 0) return []
  const seqs = await storeStatements(ctx, await prepare(ctx, ledger, all))
  await saveProjections(ctx, ledger, before, all, seqs)
  return all.map(({ statement }) => statement)
}

async function prepare(ctx: Ctx, ledger: Ledger, entries: Entry[]): Promise<PreparedStatement[]> {
  const authority = await lmsAuthority(ctx.db)
  const own = await prepareStatements(
    ctx,
    entries.filter((entry) => !entry.prepared).map((entry) => entry.statement),
    { authority, version: ledger.version },
  )
  return entries.map(({ prepared, launchSessionId }) => {
    const one = prepared ?? (own.shift() as PreparedStatement)
    return { ...one, launchSessionId }
  })
}

/**
 * Adds the satisfied statements. This works before storing, because the storage time does not affect which entry meets
 * the last condition.
 */
async function withSatisfied(
  ctx: Ctx,
  ledger: Ledger,
  before: RegistrationState,
  entries: Entry[],
  evaluateFirst: { sessionUid: string } | null,
): Promise<Entry[]> {
  const all: Entry[] = []
  const known: Known = { blockIds: null, isCourse: ledger.registration.satisfiedAt !== null }
  if (evaluateFirst) {
    all.push(...(await satisfiedBy(ctx, ledger, before, known, { ...evaluateFirst, launchSessionId: null })))
  }
  let state = before
  for (const entry of entries) {
    all.push(entry)
    if (!entry.unit) continue
    const { id, fact, launchedAs } = entry.unit
    const wasMet = isMet(state, id)
    state = applyToUnit(state, id, { ...fact, at: ctx.now }, launchedAs)
    // Compares the current state, not the past: a launch can change what a unit was launched as, and so whether it is
    // met.
    if (wasMet || !isMet(state, id)) continue
    all.push(...(await satisfiedBy(ctx, ledger, state, known, entry)))
  }
  return all
}

function isMet({ units }: RegistrationState, unitId: number): boolean {
  const unit = units.get(unitId)
  return unit !== undefined && isMoveOnMet(unit)
}

type Known = { blockIds: Set<number> | null; isCourse: boolean }

async function satisfiedBy(
  ctx: Ctx,
  ledger: Ledger,
  state: RegistrationState,
  known: Known,
  cause: Pick<Entry, 'sessionUid' | 'launchSessionId' | 'launchedAt'>,
): Promise<Entry[]> {
  ledger.pkg ??= await findPackage(ctx.db, ledger.registration.versionId)
  const { pkg, registration } = ledger
  if (!pkg) return []
  known.blockIds ??= await selectSatisfiedBlocks(ctx, registration.id)
  const moveOns = new Map(pkg.units.map((unit) => [unit.id, unit.moveOn]))
  const isUnitMet = (id: number) => {
    const unit = state.units.get(id)
    return unit ? isMoveOnMet(unit) : moveOns.get(id) === 'NotApplicable'
  }
  const newlySatisfied = rollUp(pkg, isUnitMet, { blockIds: known.blockIds, isCourse: known.isCourse })
  const occasion = { actor: ledger.actor, registrationUid: registration.uid, sessionUid: cause.sessionUid, at: ctx.now }
  const entryOf = (statement: Statement, blockId: number | null): Entry => ({
    statement,
    sessionUid: cause.sessionUid,
    launchSessionId: cause.launchSessionId,
    launchedAt: cause.launchedAt,
    unit: null,
    satisfies: { blockId },
  })
  const entries: Entry[] = []
  for (const blockId of newlySatisfied.blockIds) {
    const block = pkg.blocks.find(({ id }) => id === blockId)
    if (block) entries.push(entryOf(satisfiedStatement(occasion, 'block', block), blockId))
    known.blockIds.add(blockId)
  }
  if (newlySatisfied.isCourse) {
    const course = { ...pkg, iri: await courseIriOf(ctx.db, ledger.moduleUid) }
    entries.push(entryOf(satisfiedStatement(occasion, 'course', course), null))
    known.isCourse = true
  }
  return entries
}

async function saveProjections(
  ctx: Ctx,
  { registration }: Ledger,
  before: RegistrationState,
  entries: Entry[],
  seqs: Map<string, number>,
): Promise<void> {
  const atOf = ({ statement, launchedAt }: Entry) => {
    const seq = seqs.get(statement.id as string) as number
    return eventTime(statement, { storedAt: storedAt(seq), launchedAt: launchedAt ?? null })
  }
  let state = before
  let satisfiedAt = registration.satisfiedAt
  const blocks: { blockId: number; at: Date }[] = []
  for (const entry of entries) {
    const at = atOf(entry)
    if (entry.unit) state = applyToUnit(state, entry.unit.id, { ...entry.unit.fact, at }, entry.unit.launchedAs)
    if (entry.satisfies?.blockId) blocks.push({ blockId: entry.satisfies.blockId, at })
    else if (entry.satisfies) satisfiedAt ??= at
  }
  const changed = [...state.units.values()].filter((unit) => !isSame(before.units.get(unit.unitId), unit))
  await saveUnitRecords(ctx, registration.id, changed)
  await insertSatisfiedBlocks(ctx, registration.id, blocks)
  if (state.percent !== registration.percent || satisfiedAt !== registration.satisfiedAt) {
    await saveRegistration(ctx, registration.id, { percent: state.percent, satisfiedAt, at: ctx.now })
  }
  if (registration.isPreview) return
  if (state.startedAt || state.percent !== registration.percent || state.highestScore !== before.highestScore) {
    await recordModuleProgress(ctx, { registrationUid: registration.uid, ...state })
  }
  const answers = entries.flatMap((entry) => {
    const seq = seqs.get(entry.statement.id as string) as number
    const isOwn = entry.launchSessionId !== null && entry.unit?.fact.mode === 'Normal'
    const answer = isOwn ? answerOf(entry.statement) : null
    return answer ? [{ seq, answeredAt: atOf(entry), ...answer }] : []
  })
  await recordAnswers(ctx, { registrationUid: registration.uid, answers })
}

function isSame(before: object | undefined, after: object): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
