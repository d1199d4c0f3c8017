/**
 * Sends waiting statements to a site's other record store, in batches and in their order (decision 014). A row is
 * deleted only after the other store has confirmed the statement. If the process is killed, at worst a statement is
 * sent again under its id, which changes nothing there.
 */
import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { type RecordStore, recordStoreOf } from '~/config/forwarding.ts'
import { lockClasses } from '~db/advisory-locks.ts'
import type { Ctx } from '../context.ts'
import { queue } from '../queue/queue.server.ts'
import { listAttachments } from './attachments.server.ts'
import { fetchStatement, type Outcome, type Parcel as SentParcel, sendStatements } from './forward-client.server.ts'
import {
  type Candidate,
  deleteForwards,
  type ForwardState,
  findForwardState,
  pauseForwarding,
  postponeForward,
  queueBackfill,
  recordForwarding,
  selectCandidates,
  selectForwarded,
} from './forwards.server.ts'
import { contentHash } from './identity.ts'
import type { Statement } from './types.ts'

const candidatesAtOnce = 1000
const batchSize = 50
const batchBytes = 1_000_000
/** After this time the job ends and is queued again, so that other jobs get a turn. */
const runMs = 20_000

type Parcel = SentParcel & { seq: number; attempts: number }

type Run = {
  ctx: Ctx
  store: RecordStore
  signal: AbortSignal
  now: () => Date
  /** The statements to send next: at most one of each registration, so that they may be sent in any order. */
  candidates: Candidate[]
  sent: number
  /** Not accepted, to be tried again later. */
  postponed: number
  /** The other store has accepted or refused a statement, so it is reachable. */
  hasAnswered: boolean
  isInTime: () => boolean
}

/** The other store accepts nothing now. */
class StoreAway extends Error {
  readonly retryAfterMs: number
  constructor(outcome: Exclude<Outcome, { kind: 'accepted' }>) {
    super(outcome.error)
    this.retryAfterMs = outcome.kind === 'away' ? outcome.retryAfterMs : 0
  }
}

/**
 * Queues the site's job if there is something to send and no such job is waiting or running. Services that store
 * statements do not queue it themselves, because they would wait for each other on the job's key.
 */
export async function queueForwarding(ctx: Ctx): Promise<void> {
  if (!recordStoreOf(env(), ctx.site.key)) return
  const key = `forward-statements:${ctx.site.key}`
  // A failed job waits longer after each failure, hours in the end. A job that is due in more than a minute is
  // replaced.
  const { rows } = await sql`
    select from graphile_worker.jobs
    where key = ${key} and attempts < max_attempts
      and (locked_at is not null or run_at < now() + interval '1 minute')`.execute(ctx.db)
  if (rows.length > 0 || !(await hasWork(ctx))) return
  // Each site has its own queue, so that a slow record store delays only its own site.
  await queue(ctx, 'forward-statements', {}, { key, queueName: key })
}

async function hasWork(ctx: Ctx): Promise<boolean> {
  const { pausedUntil, backfill } = await findForwardState(ctx)
  if (pausedUntil && pausedUntil > ctx.now) return false
  return backfill !== null || (await selectCandidates(ctx, { now: ctx.now, limit: 1, backfill })).length > 0
}

/** Job: sends statements until none is left to send or its time is up. Returns how many the other store accepted. */
export async function forwardStatements(ctx: Ctx, input: { signal?: AbortSignal } = {}): Promise<{ sent: number }> {
  const store = recordStoreOf(env(), ctx.site.key)
  if (!store) return { sent: 0 }
  const beganAt = performance.now()
  const now = () => new Date(ctx.now.getTime() + performance.now() - beganAt)
  const { signal, release } = ownSignal(input.signal)
  const isInTime = () => performance.now() - beganAt < runMs && !signal.aborted
  try {
    const sent = await withForwardingLock(ctx, (ctx) =>
      sendWaiting({ ctx, store, signal, now, candidates: [], sent: 0, postponed: 0, hasAnswered: false, isInTime }),
    )
    return { sent: sent ?? 0 }
  } finally {
    release()
  }
}

/**
 * Makes a signal for this run. Each request derives other signals from it; a signal that lives as long as the process
 * would keep all of them in memory.
 */
function ownSignal(source: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
  const own = new AbortController()
  const stop = () => own.abort()
  if (source?.aborted) stop()
  source?.addEventListener('abort', stop)
  return { signal: own.signal, release: () => source?.removeEventListener('abort', stop) }
}

/**
 * Allows one worker at a time for a site, even if a job was taken from a worker that was believed dead. The lock
 * belongs to the connection that deletes the rows, so a worker that loses it cannot finish anything. Returns null if
 * another worker holds the lock.
 */
async function withForwardingLock<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T | null> {
  return ctx.db.connection().execute(async (db) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${lockClasses.forwarding}, ${ctx.site.id}::int) as "isOurs"`.execute(db)
    if (!rows[0]?.isOurs) return null
    try {
      return await work({ ...ctx, db })
    } finally {
      // If this fails, the connection is gone, and the lock with it.
      await sql`select pg_advisory_unlock(${lockClasses.forwarding}, ${ctx.site.id}::int)`
        .execute(db)
        .catch((error) => {
          ctx.log.warn({ err: error }, 'the forwarding lock was released with its connection')
        })
    }
  })
}

/** Returns how many were accepted, even if the other store stops in the middle. */
async function sendWaiting(run: Run): Promise<number> {
  const { ctx } = run
  const state = await findForwardState(ctx)
  if (state.pausedUntil && state.pausedUntil > run.now()) return 0
  try {
    await sendAll(run, state)
  } catch (error) {
    if (run.signal.aborted) return run.sent
    if (!(error instanceof StoreAway)) throw error
    await recordAnswer(run)
    const failures = run.hasAnswered ? 0 : state.failures
    const { message, retryAfterMs } = error
    const until = await pauseForwarding(ctx, { failures, error: message, now: run.now(), atLeastMs: retryAfterMs })
    // Logs only the beginning of the message. The rest is the other store's text, which may contain personal data.
    const problem = message.split(': ', 1)[0]
    ctx.log.warn(
      { site: ctx.site.key, problem, failures: failures + 1, until },
      'the other record store does not accept statements',
    )
  }
  return run.sent
}

/** Sends what is due. After a failure, starts with a single statement to find out whether the store responds again. */
async function sendAll(run: Run, state: ForwardState): Promise<void> {
  const { isInTime } = run
  let { backfill } = state
  let isProbe = state.failures > 0
  while (isInTime()) {
    run.candidates = await selectCandidates(run.ctx, { now: run.now(), limit: candidatesAtOnce, backfill })
    if (run.candidates.length < batchSize && backfill) backfill = await queueBackfill(run.ctx)
    else if (run.candidates.length === 0) break
    while (run.candidates.length > 0 && isInTime()) {
      const parcels = await readParcels(run, takeBatch(run.candidates, isProbe ? 1 : batchSize))
      for (const version of ['1.0.3', '2.0.0'] as const) {
        await deliver(
          run,
          parcels.filter((parcel) => parcel.version === version),
        )
      }
      isProbe &&= !run.hasAnswered
    }
  }
  await recordAnswer(run)
}

async function recordAnswer(run: Run): Promise<void> {
  if (run.hasAnswered) await recordForwarding(run.ctx, { sentAt: run.sent > 0 ? run.now() : null })
}

/**
 * Takes the first candidates that fit into one request. Statements with attachments, and those that were not accepted
 * before, go alone.
 */
function takeBatch(candidates: Candidate[], maxCount: number): Candidate[] {
  const isAlone = ({ hasFiles, attempts }: Candidate) => hasFiles || attempts > 0
  let bytes = 0
  let count = 0
  for (const candidate of candidates) {
    bytes += candidate.bytes
    if (count > 0 && (count === maxCount || bytes > batchBytes || isAlone(candidate))) break
    count++
    if (isAlone(candidate)) break
  }
  return candidates.splice(0, count)
}

/**
 * Reads statements in the form in which they are sent, without `stored` and `authority`, which the other store sets
 * (xAPI 1.0.3 data 2.4.8, 2.4.9).
 */
async function readParcels({ ctx }: Run, candidates: Candidate[]): Promise<Parcel[]> {
  const seqs = candidates.map(({ seq }) => seq)
  const rows = await selectForwarded(ctx, seqs)
  const found = new Set(rows.map(({ seq }) => seq))
  const gone = seqs.filter((seq) => !found.has(seq))
  if (gone.length > 0) await deleteForwards(ctx, gone)
  const bySeq = new Map(candidates.map((candidate) => [candidate.seq, candidate]))
  // A statement with files is alone in its batch, so all of these files belong to it.
  const files = await listAttachments(
    ctx,
    candidates.filter(({ hasFiles }) => hasFiles).map(({ seq }) => seq),
  )
  return rows.map(({ seq, id, body }) => {
    const { stored: _stored, authority: _authority, ...statement } = JSON.parse(body) as Statement
    return {
      seq,
      id,
      version: statement.version?.startsWith('2.') ? '2.0.0' : '1.0.3',
      json: JSON.stringify(statement),
      files,
      attempts: bySeq.get(seq)?.attempts ?? 0,
    }
  })
}

/**
 * Sends parcels. Splits a refused batch to find the statement at fault. When the time is up, the rest stays queued, but
 * at least one statement is handled: otherwise a store that refuses slowly would get the same statements forever.
 * Throws StoreAway.
 */
async function deliver(run: Run, given: Parcel[]): Promise<void> {
  const isOver = !run.isInTime()
  const parcels = isOver ? given.slice(0, 1) : given
  const [first] = parcels
  if (!first || (isOver && run.sent + run.postponed > 0)) return
  const outcome = await sendStatements(run, parcels)
  if (outcome.kind === 'away') throw new StoreAway(outcome)
  if (outcome.kind === 'accepted') await markSent(run, parcels)
  else if (outcome.kind === 'unclear') await testTwoAlone(run, parcels, outcome)
  else if (parcels.length === 1) await handleRefusal(run, first, outcome)
  else for (const half of halvesOf(parcels)) await deliver(run, half)
}

type Failure = Exclude<Outcome, { kind: 'accepted' }>

/**
 * Finds out whether a statement or the other store caused a failure: sends two statements alone, one after the other.
 * If neither is accepted, the store is at fault. They are chosen at random, so that two bad statements do not stop all
 * others forever.
 */
async function testTwoAlone(run: Run, parcels: Parcel[], failure: Failure): Promise<void> {
  const suspects = [...parcels].sort(() => Math.random() - 0.5)
  const first = suspects.shift() as Parcel
  const outcome = parcels.length === 1 ? failure : await sendStatements(run, [first])
  if (outcome.kind === 'away') throw new StoreAway(outcome)
  if (outcome.kind === 'unclear') {
    const witness = suspects.shift() ?? (await takeRandomParcel(run))
    const other = witness ? await sendStatements(run, [witness]) : outcome
    const failed = witness ? [first, witness] : [first]
    if (other.kind === 'unclear' && run.sent > 0 && failed.every(({ attempts }) => attempts > 0)) {
      // Both failed before, while others were accepted: statements that are set aside must not make the store look
      // unavailable.
      for (const parcel of failed) await postpone(run, parcel, parcel === first ? outcome : other)
    } else {
      if (!witness || other.kind === 'unclear' || other.kind === 'away') throw new StoreAway(other as Failure)
      await applyOutcome(run, witness, other)
      await postpone(run, first, outcome)
    }
  } else await applyOutcome(run, first, outcome)
  for (const half of halvesOf(suspects)) await deliver(run, half)
}

async function takeRandomParcel(run: Run): Promise<Parcel | undefined> {
  const place = Math.floor(Math.random() * run.candidates.length)
  return (await readParcels(run, run.candidates.splice(place, 1)))[0]
}

function halvesOf(parcels: Parcel[]): Parcel[][] {
  const middle = Math.ceil(parcels.length / 2)
  return [parcels.slice(0, middle), parcels.slice(middle)]
}

async function applyOutcome(run: Run, parcel: Parcel, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'accepted') await markSent(run, [parcel])
  else await handleRefusal(run, parcel, outcome)
}

async function markSent(run: Run, parcels: Parcel[]): Promise<void> {
  const seqs = parcels.map(({ seq }) => seq)
  await deleteForwards(run.ctx, seqs)
  run.sent += parcels.length
  run.hasAnswered = true
}

async function handleRefusal(run: Run, parcel: Parcel, failure: Failure): Promise<void> {
  if (failure.status === 409 && (await hasStatement(run, parcel))) await markSent(run, [parcel])
  else await postpone(run, parcel, failure)
  // A statement that could not be sent has no status.
  run.hasAnswered ||= failure.status !== null
}

/**
 * Tells whether the other store has the same statement already. Some stores report a conflict for a statement that they
 * have, which happens if their response was lost or this process was killed.
 */
async function hasStatement(run: Run, parcel: Parcel): Promise<boolean> {
  const found = await fetchStatement(run, parcel)
  if (!('json' in found)) return false
  try {
    const theirs = JSON.parse(found.json ?? '') as Statement
    return contentHash(theirs).equals(contentHash(JSON.parse(parcel.json) as Statement))
  } catch {
    return false
  }
}

async function postpone(run: Run, parcel: Parcel, { status, error }: Failure): Promise<void> {
  const { seq, id, attempts } = parcel
  const { isSetAside } = await postponeForward(run.ctx, { seq, attempts, error, now: run.now() })
  run.postponed++
  const fields = { site: run.ctx.site.key, statement: id, status, attempts: attempts + 1, isSetAside }
  run.ctx.log.warn(fields, 'the other record store did not accept a statement')
}
