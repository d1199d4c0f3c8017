/**
 * Statements waiting to be sent to another record store (decision 014). Each has a row, written with the statement and
 * deleted when the other store has it.
 *
 * Next in turn are the oldest statement of each registration, and every statement without one. A statement about
 * another one (such as a void) waits for that one. A statement that the other store keeps refusing is set aside and
 * delays no others.
 */
import { type RawBuilder, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { recordStoreOf } from '~/config/forwarding.ts'
import type { Ctx } from '../context.ts'
import { consistentThrough } from './queries.server.ts'
import type { Statement } from './types.ts'
import { dateOfMicros } from './values.ts'

/**
 * Queues statements for the other store, in the transaction that stores them. `seqs` maps ids to sequence numbers. Does
 * nothing if the site does not forward its statements.
 */
export async function queueForwards(
  ctx: Pick<Ctx, 'db' | 'site'>,
  stored: { id: string; statement: Statement }[],
  seqs: Map<string, number>,
): Promise<void> {
  if (stored.length === 0 || !isForwarded(ctx)) return
  await sql`
    insert into xapi_forwards (site_id, seq, registration)
    select ${ctx.site.id}, t.* from unnest(${stored.map(({ id }) => seqs.get(id))}::bigint[],
      ${stored.map(({ statement }) => statement.context?.registration ?? null)}::uuid[]) as t(seq, registration)`.execute(
    ctx.db,
  )
}

/** Tells whether the site's statements are sent to another store. */
export function isForwarded(ctx: Pick<Ctx, 'site'>): boolean {
  return recordStoreOf(env(), ctx.site.key) !== null
}

export type ForwardState = {
  /** Failures since the last success. The pause grows with them. */
  failures: number
  pausedUntil: Date | null
  error: string | null
  failedAt: Date | null
  sentAt: Date | null
  /**
   * The statements from `next` to `end` still have to be queued. They were stored before the backfill was requested.
   */
  backfill: { next: number; end: number } | null
}

export async function findForwardState(ctx: Pick<Ctx, 'db' | 'site'>): Promise<ForwardState> {
  const row = await ctx.db
    .selectFrom('xapi_forward_sites')
    .select(['failures', 'paused_until as pausedUntil', 'error', 'failed_at as failedAt', 'sent_at as sentAt'])
    .select(['backfill_next as next', 'backfill_end as end'])
    .where('site_id', '=', ctx.site.id)
    .executeTakeFirst()
  if (!row) return { failures: 0, pausedUntil: null, error: null, failedAt: null, sentAt: null, backfill: null }
  const { next, end, ...state } = row
  return { ...state, backfill: next !== null && end !== null ? { next, end } : null }
}

export type Candidate = { seq: number; bytes: number; hasFiles: boolean; attempts: number }

/** Older transactions are not waited for: no transaction that stores statements lives that long. */
const longestWrite = sql`interval '1 minute'`

/**
 * Only a few at a time: each goes alone and is likely to be refused again, and new statements must not wait for that.
 */
const setAsideAtOnce = 20

/**
 * Selects the statements to send next: the oldest first, at most one of each registration, then some that were set
 * aside. Statements that were never tried are due whatever the clock says.
 *
 * Leaves out statements that are newer than the oldest transaction that still writes, because that one may add an older
 * statement of the same registration. Statements that cannot be sent yet are filtered before any limit; otherwise they
 * would hide those behind them.
 */
export async function selectCandidates(
  ctx: Pick<Ctx, 'db' | 'site'>,
  input: { now: Date; limit: number; backfill: ForwardState['backfill'] },
): Promise<Candidate[]> {
  const { now, limit, backfill } = input
  const site = ctx.site.id
  // Uses the database's clock, which the sequence numbers of statements use, too.
  const through = sql`greatest(${(await consistentThrough(ctx)).getTime() * 1000}::bigint,
    (extract(epoch from statement_timestamp() - ${longestWrite}) * 1000000)::bigint)`
  const isReady = sql`(f.attempts = 0 or f.next_at <= ${now}) and f.seq < ${through}
    and ${waitsForItsTarget(site, backfill)} is not true and ${olderOnesAreYetToBeQueued(site, backfill)} is not true`
  const { rows } = await sql<Candidate>`
    with recursive waiting as (
      (select registration from xapi_forwards
        where site_id = ${site} and set_aside_at is null and registration is not null order by registration limit 1)
      union all
      select (select f.registration from xapi_forwards f
        where f.site_id = ${site} and f.set_aside_at is null and f.registration > w.registration
        order by f.registration limit 1)
      from waiting w where w.registration is not null),
    turns as (
      (select f.*, false as is_set_aside from waiting w cross join lateral (
        select seq, registration, attempts, next_at from xapi_forwards
        where site_id = ${site} and set_aside_at is null and registration = w.registration order by seq limit 1) f
        where ${isReady})
      union all
      (select seq, registration, attempts, next_at, false from xapi_forwards f
        where site_id = ${site} and set_aside_at is null and registration is null and ${isReady}
        order by registration, seq limit ${limit})
      union all
      (select seq, registration, attempts, next_at, true from xapi_forwards f
        where site_id = ${site} and set_aside_at is not null and ${isReady}
        order by next_at limit ${Math.min(limit, setAsideAtOnce)}))
    select turns.seq, turns.attempts, coalesce(s.bytes, 0) as bytes,
      exists (select from xapi_statement_attachments a where a.seq = turns.seq) as "hasFiles"
    from turns left join lateral (
      select octet_length(body) as bytes from xapi_statements where seq = turns.seq limit 1) s on true
    order by turns.is_set_aside, turns.seq limit ${limit}`.execute(ctx.db)
  return rows
}

/**
 * Tells whether `f` refers to an older statement that has not been sent yet. A target that is set aside delays nothing.
 * Avoids `exists`, which the planner turns into a join: it has no statistics for a queue that has just filled, and may
 * scan the whole queue for each row.
 */
function waitsForItsTarget(site: number, backfill: ForwardState['backfill']): RawBuilder<unknown> {
  return sql`(
    select target.seq < f.seq and (${isYetToBeQueued(sql`target.seq`, backfill)} or (
      select t.set_aside_at is null from xapi_forwards t where t.site_id = ${site} and t.seq = target.seq))
    from xapi_statement_ids target
    where target.site_id = ${site} and target.statement_id = (select ref_target from xapi_statements where seq = f.seq))`
}

function olderOnesAreYetToBeQueued(site: number, backfill: ForwardState['backfill']): RawBuilder<unknown> {
  if (!backfill) return sql`false`
  return sql`(
    select true from xapi_statements older
    where older.registration = f.registration and older.site_id = ${site} and older.seq < f.seq
      and ${isYetToBeQueued(sql`older.seq`, backfill)} limit 1)`
}

function isYetToBeQueued(seq: RawBuilder<unknown>, backfill: ForwardState['backfill']): RawBuilder<unknown> {
  return backfill ? sql`${seq} between ${backfill.next} and ${backfill.end}` : sql`false`
}

type ForwardedRow = { seq: number; id: string; body: string }

/** Reads the statements in the order of `seq`, without those that are gone. */
export async function selectForwarded(ctx: Pick<Ctx, 'db' | 'site'>, seqs: number[]): Promise<ForwardedRow[]> {
  return ctx.db
    .selectFrom('xapi_statements')
    .select(['seq', 'statement_id as id', 'body'])
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`seq = any(${seqs}::bigint[])`)
    .orderBy('seq')
    .execute()
}

export async function deleteForwards(ctx: Pick<Ctx, 'db' | 'site'>, seqs: number[]): Promise<void> {
  await ctx.db
    .deleteFrom('xapi_forwards')
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`seq = any(${seqs}::bigint[])`)
    .execute()
}

/**
 * After this many failed tries while others succeed (about half an hour), a statement is set aside and later statements
 * of its registration go on.
 */
const triesBeforeSetAside = 6
const minuteMs = 60_000
const longestPauseMs = 15 * minuteMs
const dayMs = 24 * 60 * minuteMs

/**
 * Postpones a statement that the other store does not accept while it accepts others. `attempts` does not include this
 * one.
 */
export async function postponeForward(
  ctx: Pick<Ctx, 'db' | 'site'>,
  input: { seq: number; attempts: number; error: string; now: Date },
): Promise<{ isSetAside: boolean }> {
  const { seq, error, now } = input
  const attempts = input.attempts + 1
  const isSetAside = attempts >= triesBeforeSetAside
  const next_at = new Date(now.getTime() + (isSetAside ? dayMs : backoff(minuteMs, attempts)))
  await ctx.db
    .updateTable('xapi_forwards')
    .set({ attempts, error, next_at, ...(isSetAside && { set_aside_at: sql`coalesce(set_aside_at, ${now})` }) })
    .where('site_id', '=', ctx.site.id)
    .where('seq', '=', seq)
    .execute()
  return { isSetAside }
}

const firstPauseMs = 5_000

/** Pauses forwarding for the site, because the other store accepts nothing. Returns when to try again. */
export async function pauseForwarding(
  ctx: Pick<Ctx, 'db' | 'site'>,
  input: { failures: number; error: string; now: Date; atLeastMs: number },
): Promise<Date> {
  const failures = input.failures + 1
  const wait = Math.max(backoff(firstPauseMs, failures), input.atLeastMs)
  const until = new Date(input.now.getTime() + wait)
  const state = { failures, paused_until: until, error: input.error, failed_at: input.now }
  await ctx.db
    .insertInto('xapi_forward_sites')
    .values({ site_id: ctx.site.id, ...state })
    .onConflict((oc) => oc.column('site_id').doUpdateSet(state))
    .execute()
  return until
}

/** Records that the other store responds. `sentAt` is set if it accepted something. */
export async function recordForwarding(
  ctx: Pick<Ctx, 'db' | 'site'>,
  { sentAt }: { sentAt: Date | null },
): Promise<void> {
  const state = { failures: 0, paused_until: null, ...(sentAt && { sent_at: sentAt }) }
  await ctx.db
    .insertInto('xapi_forward_sites')
    .values({ site_id: ctx.site.id, ...state })
    .onConflict((oc) => oc.column('site_id').doUpdateSet(state))
    .execute()
}

/**
 * Doubles the pause each time, minus a random part of up to a quarter, so that sites do not retry at the same moment.
 */
function backoff(firstMs: number, tries: number): number {
  return Math.min(firstMs * 2 ** Math.min(tries - 1, 20), longestPauseMs) * (1 - Math.random() / 4)
}

const backfillChunk = 1000

/** Queues the next chunk of a backfill. It is one SQL statement, so it can be killed at any point. */
export async function queueBackfill(ctx: Pick<Ctx, 'db' | 'site'>): Promise<ForwardState['backfill']> {
  await sql`
    with todo as (
      select site_id, backfill_next, backfill_end from xapi_forward_sites
      where site_id = ${ctx.site.id} and backfill_next is not null for update),
    chunk as (
      select s.seq, s.registration from todo join xapi_statements s
        on s.site_id = todo.site_id and s.seq between todo.backfill_next and todo.backfill_end
      order by s.seq limit ${backfillChunk}),
    queued as (
      insert into xapi_forwards (site_id, seq, registration) select ${ctx.site.id}, seq, registration from chunk
      on conflict do nothing)
    update xapi_forward_sites state set
      backfill_next = nullif(coalesce((select max(seq) from chunk), todo.backfill_end) + 1, todo.backfill_end + 1)
    from todo where state.site_id = todo.site_id`.execute(ctx.db)
  return (await findForwardState(ctx)).backfill
}

/** Finds the oldest statement that is not set aside. */
export async function findOldestForward(
  ctx: Pick<Ctx, 'db' | 'site'>,
): Promise<{ storedAt: Date; queuedAt: Date } | null> {
  const row = await ctx.db
    .selectFrom('xapi_forwards')
    .select(['seq', 'queued_at as queuedAt'])
    .where('site_id', '=', ctx.site.id)
    .where('set_aside_at', 'is', null)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row ? { storedAt: dateOfMicros(row.seq), queuedAt: row.queuedAt } : null
}
