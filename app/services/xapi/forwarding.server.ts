/**
 * Hands on what waits for a site's other record store, whoever is first in turn and in batches (decision 014). A row is
 * deleted when the other side has said that it has the statement, so that whatever is killed, the worst is that one is sent
 * again under its id, which changes nothing there.
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
/** Then the job ends, so that others get its place, and is queued again. */
const runMs = 20_000

type Parcel = SentParcel & { seq: number; attempts: number }

type Run = {
  ctx: Ctx
  store: RecordStore
  signal: AbortSignal
  now: () => Date
  /** Whose turn it is: one of each registration, so that their order among each other does not matter. */
  candidates: Candidate[]
  sent: number
  /** Not taken, and to be tried later. */
  postponed: number
  /** The other side took a statement or refused one: it is there, and not away. */
  hasAnswered: boolean
  isInTime: () => boolean
}

/** The other side takes nothing now. */
class Away extends Error {
  readonly retryAfterMs: number
  constructor(outcome: Exclude<Outcome, { kind: 'taken' }>) {
    super(outcome.error)
    this.retryAfterMs = outcome.kind === 'away' ? outcome.retryAfterMs : 0
  }
}

/**
 * Queues the job of the site if there is something to send and no such job is waiting or running. Writers of statements do not queue it
 * themselves, since they would wait for one another at the job's key.
 */
export async function queueForwarding(ctx: Ctx): Promise<void> {
  if (!recordStoreOf(env(), ctx.site.key)) return
  const key = `forward-statements:${ctx.site.key}`
  // After each failure a job waits longer, hours in the end. One that is due in more than a minute is replaced.
  const { rows } = await sql`
    select from graphile_worker.jobs
    where key = ${key} and attempts < max_attempts
      and (locked_at is not null or run_at < now() + interval '1 minute')`.execute(ctx.db)
  if (rows.length > 0 || !(await hasWork(ctx))) return
  // Each site has a queue of its own, so that a slow record store delays only its own site.
  await queue(ctx, 'forward-statements', {}, { key, queueName: key })
}

async function hasWork(ctx: Ctx): Promise<boolean> {
  const { pausedUntil, backfill } = await findForwardState(ctx)
  if (pausedUntil && pausedUntil > ctx.now) return false
  return backfill !== null || (await selectCandidates(ctx, { now: ctx.now, limit: 1, backfill })).length > 0
}

/** For the job: sends until nothing is left that can be sent, or its time is over. Returns how many were handed on. */
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

/** A signal for this run only: each request makes others from it, which one that lives as long as the process would keep. */
function ownSignal(source: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
  const own = new AbortController()
  const stop = () => own.abort()
  if (source?.aborted) stop()
  source?.addEventListener('abort', stop)
  return { signal: own.signal, release: () => source?.removeEventListener('abort', stop) }
}

/**
 * One worker at a time for a site, also when a job was taken from a worker that was believed dead: a lock of the connection
 * that deletes the rows, so that whoever loses it can finish nothing. Null where another one is at it.
 */
async function withForwardingLock<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T | null> {
  return ctx.db.connection().execute(async (db) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${lockClasses.forwarding}, ${ctx.site.id}::int) as "isOurs"`.execute(db)
    if (!rows[0]?.isOurs) return null
    try {
      return await work({ ...ctx, db })
    } finally {
      // Where this fails the connection is gone, and the lock with it.
      await sql`select pg_advisory_unlock(${lockClasses.forwarding}, ${ctx.site.id}::int)`
        .execute(db)
        .catch((error) => {
          ctx.log.warn({ err: error }, 'the lock of a record store went with its connection')
        })
    }
  })
}

/** Returns how many were taken, also where the other side stopped in the middle. */
async function sendWaiting(run: Run): Promise<number> {
  const { ctx } = run
  const state = await findForwardState(ctx)
  if (state.pausedUntil && state.pausedUntil > run.now()) return 0
  try {
    await sendAll(run, state)
  } catch (error) {
    if (run.signal.aborted) return run.sent
    if (!(error instanceof Away)) throw error
    await recordAnswer(run)
    const failures = run.hasAnswered ? 0 : state.failures
    const { message, retryAfterMs } = error
    const until = await pauseForwarding(ctx, { failures, error: message, now: run.now(), atLeastMs: retryAfterMs })
    // The first words only: what comes after them is the other side's, and may be about people.
    const problem = message.split(': ', 1)[0]
    ctx.log.warn({ site: ctx.site.key, problem, failures: failures + 1, until }, 'the other record store takes nothing')
  }
  return run.sent
}

/** Whether it answers again is asked with one statement. */
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

/** The first ones that fit into one request. Alone goes what has attachments, and what was not taken before. */
function takeBatch(candidates: Candidate[], most: number): Candidate[] {
  const isAlone = ({ hasFiles, attempts }: Candidate) => hasFiles || attempts > 0
  let bytes = 0
  let count = 0
  for (const candidate of candidates) {
    bytes += candidate.bytes
    if (count > 0 && (count === most || bytes > batchBytes || isAlone(candidate))) break
    count++
    if (isAlone(candidate)) break
  }
  return candidates.splice(0, count)
}

/** As they are sent: `stored` and `authority` are for the other side to set (xAPI 1.0.3 data 2.4.8, 2.4.9). */
async function readParcels({ ctx }: Run, candidates: Candidate[]): Promise<Parcel[]> {
  const seqs = candidates.map(({ seq }) => seq)
  const rows = await selectForwarded(ctx, seqs)
  const found = new Set(rows.map(({ seq }) => seq))
  const gone = seqs.filter((seq) => !found.has(seq))
  if (gone.length > 0) await deleteForwards(ctx, gone)
  const bySeq = new Map(candidates.map((candidate) => [candidate.seq, candidate]))
  // Alone in its batch, so that all of these are its own.
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
 * Throws Away. What was refused is taken apart to find the one that is to blame. When the time is over the rest stays
 * queued, but one at least is dealt with: else a side that is slow to refuse would be sent the same ones for ever.
 */
async function deliver(run: Run, given: Parcel[]): Promise<void> {
  const isOver = !run.isInTime()
  const parcels = isOver ? given.slice(0, 1) : given
  const [first] = parcels
  if (!first || (isOver && run.sent + run.postponed > 0)) return
  const outcome = await sendStatements(run, parcels)
  if (outcome.kind === 'away') throw new Away(outcome)
  if (outcome.kind === 'taken') await markSent(run, parcels)
  else if (outcome.kind === 'unclear') await testTwoAlone(run, parcels, outcome)
  else if (parcels.length === 1) await handleRefusal(run, first, outcome)
  else for (const half of halvesOf(parcels)) await deliver(run, half)
}

type Failure = Exclude<Outcome, { kind: 'taken' }>

/**
 * Something went wrong that may come of a statement or be the other side's: two of them are sent alone, one after the other.
 * If neither is taken it is the other side. Chosen by chance, so that two bad ones do not stop all the others for good.
 */
async function testTwoAlone(run: Run, parcels: Parcel[], failure: Failure): Promise<void> {
  const suspects = [...parcels].sort(() => Math.random() - 0.5)
  const first = suspects.shift() as Parcel
  const outcome = parcels.length === 1 ? failure : await sendStatements(run, [first])
  if (outcome.kind === 'away') throw new Away(outcome)
  if (outcome.kind === 'unclear') {
    const witness = suspects.shift() ?? (await takeRandomParcel(run))
    const other = witness ? await sendStatements(run, [witness]) : outcome
    const failed = witness ? [first, witness] : [first]
    if (other.kind === 'unclear' && run.sent > 0 && failed.every(({ attempts }) => attempts > 0)) {
      // Not taken before either, while others are: those that are set aside must not be taken for a side that is away.
      for (const parcel of failed) await postpone(run, parcel, parcel === first ? outcome : other)
    } else {
      if (!witness || other.kind === 'unclear' || other.kind === 'away') throw new Away(other as Failure)
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
  if (outcome.kind === 'taken') await markSent(run, [parcel])
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
  // What could not be sent has no status.
  run.hasAnswered ||= failure.status !== null
}

/** A conflict is what some stores say to a statement that they have: the answer to it was lost, or we were killed. */
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
  run.ctx.log.warn(fields, 'the other record store does not take a statement')
}
