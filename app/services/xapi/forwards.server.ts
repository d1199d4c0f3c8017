/**
 * Statements that wait to be handed on to another record store (decision 014): one row each, written with the statement and
 * deleted when the other side has it. Whose turn it is: the oldest of each registration, and each statement without one; a
 * statement about another one (a void, say) waits for that one. What the other side keeps refusing is set aside and holds up
 * nobody.
 */
import { type RawBuilder, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { recordStoreOf } from '~/config/forwarding.ts'
import type { Ctx } from '../context.ts'
import { consistentThrough } from './queries.server.ts'
import type { Statement } from './types.ts'
import { dateOfMicros } from './values.ts'

/** In the transaction that stores them; `seqs`: their numbers by id. Costs nothing where statements stay here. */
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

/** Whether what the site stores is handed on. */
export function isForwarded(ctx: Pick<Ctx, 'site'>): boolean {
  return recordStoreOf(env(), ctx.site.key) !== null
}

export type ForwardState = {
  /** Since it last answered as it should; what the pause grows by. */
  failures: number
  pausedUntil: Date | null
  error: string | null
  failedAt: Date | null
  sentAt: Date | null
  /** Statements from `next` to `end` have yet to be queued: they were stored before it was asked for. */
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

/** A transaction that is older keeps nobody waiting: none that stores statements lives so long. */
const longestWrite = sql`interval '1 minute'`

/** Few at a time: each goes alone and is likely to be refused once more, and what is new must not wait for that. */
const setAsideAtOnce = 20

/**
 * Whose turn it is, the oldest first and some of those set aside behind them; at most one of each registration. What
 * was never tried is due whatever the clocks say. Only what is older than any transaction that still writes, since that
 * may bring an older one of the same registration. What cannot go is left out before any limit, or it would hide those
 * behind it.
 */
export async function selectCandidates(
  ctx: Pick<Ctx, 'db' | 'site'>,
  input: { now: Date; limit: number; backfill: ForwardState['backfill'] },
): Promise<Candidate[]> {
  const { now, limit, backfill } = input
  const site = ctx.site.id
  // By the database's clock, as are the numbers of statements.
  const through = sql`greatest(${(await consistentThrough(ctx)).getTime() * 1000}::bigint,
    (extract(epoch from statement_timestamp() - ${longestWrite}) * 1000000)::bigint)`
  const mayGo = sql`(f.attempts = 0 or f.next_at <= ${now}) and f.seq < ${through}
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
        where ${mayGo})
      union all
      (select seq, registration, attempts, next_at, false from xapi_forwards f
        where site_id = ${site} and set_aside_at is null and registration is null and ${mayGo}
        order by registration, seq limit ${limit})
      union all
      (select seq, registration, attempts, next_at, true from xapi_forwards f
        where site_id = ${site} and set_aside_at is not null and ${mayGo}
        order by next_at limit ${Math.min(limit, setAsideAtOnce)}))
    select turns.seq, turns.attempts, coalesce(s.bytes, 0) as bytes,
      exists (select from xapi_statement_attachments a where a.seq = turns.seq) as "hasFiles"
    from turns left join lateral (
      select octet_length(body) as bytes from xapi_statements where seq = turns.seq limit 1) s on true
    order by turns.is_set_aside, turns.seq limit ${limit}`.execute(ctx.db)
  return rows
}

/**
 * What `f` is about is older and has not been handed on; one that is set aside holds up nobody. Not with `exists`,
 * which is a join to the planner: of a queue that has just filled it knows nothing, and may look at all of it
 * for each row.
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

export type ForwardedRow = { seq: number; id: string; body: string }

/** By `seq`; one that is gone is not in it. */
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

/** After so many tries in which the others went through, some half an hour, the later ones of a registration go on. */
const triesInTurn = 6
const minuteMs = 60_000
const longestPauseMs = 15 * minuteMs
const dayMs = 24 * 60 * minuteMs

/** For a statement that the other side does not take while it takes others. `attempts` are those before this one. */
export async function postponeForward(
  ctx: Pick<Ctx, 'db' | 'site'>,
  input: { seq: number; attempts: number; error: string; now: Date },
): Promise<{ isSetAside: boolean }> {
  const { seq, error, now } = input
  const attempts = input.attempts + 1
  const isSetAside = attempts >= triesInTurn
  const next_at = new Date(now.getTime() + (isSetAside ? dayMs : growing(minuteMs, attempts)))
  await ctx.db
    .updateTable('xapi_forwards')
    .set({ attempts, error, next_at, ...(isSetAside && { set_aside_at: sql`coalesce(set_aside_at, ${now})` }) })
    .where('site_id', '=', ctx.site.id)
    .where('seq', '=', seq)
    .execute()
  return { isSetAside }
}

const firstPauseMs = 5_000

/** For all statements of the site, since the other side takes none. Returns when it is asked again. */
export async function pauseForwarding(
  ctx: Pick<Ctx, 'db' | 'site'>,
  input: { failures: number; error: string; now: Date; atLeastMs: number },
): Promise<Date> {
  const failures = input.failures + 1
  const wait = Math.max(growing(firstPauseMs, failures), input.atLeastMs)
  const until = new Date(input.now.getTime() + wait)
  const state = { failures, paused_until: until, error: input.error, failed_at: input.now }
  await ctx.db
    .insertInto('xapi_forward_sites')
    .values({ site_id: ctx.site.id, ...state })
    .onConflict((oc) => oc.column('site_id').doUpdateSet(state))
    .execute()
  return until
}

/** The other side is there; `sentAt` where it took something. */
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

/** Twice as long each time, less up to a quarter by chance, so that many do not come back together. */
function growing(firstMs: number, tries: number): number {
  return Math.min(firstMs * 2 ** Math.min(tries - 1, 20), longestPauseMs) * (1 - Math.random() / 4)
}

const backfillChunk = 1000

/** Queues the next ones of those that were stored before; one statement, so that it can be killed anywhere. */
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

/** When the oldest of those that have their turn before them was queued. */
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
