/** The forwarding state of a site, for `npm run lrs:forward` and `/readyz`. */
import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { recordStoreOf } from '~/config/forwarding.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict } from '../errors.ts'
import { type ForwardState, findForwardState, findOldestForward } from './forwards.server.ts'

export type Forwarding = Omit<ForwardState, 'backfill'> & {
  /** Null if the site's statements are not forwarded. */
  url: string | null
  waiting: number
  /** Statements refused repeatedly. They are tried once a day and do not delay others. */
  setAside: number
  /** When the oldest waiting statement was stored. */
  oldestAt: Date | null
  /** Statements of a backfill that are not queued yet. */
  toQueue: number
  /** The latest errors of single statements. */
  errors: { statement: string; attempts: number; isSetAside: boolean; nextAt: Date; error: string }[]
}

const shownErrors = 10

export async function getForwarding(ctx: Ctx): Promise<Forwarding> {
  requireAdmin(ctx)
  const { backfill, ...state } = await findForwardState(ctx)
  const { rows } = await sql<{ waiting: number; setAside: number; toQueue: number }>`
    select count(*) filter (where set_aside_at is null) as waiting, count(set_aside_at) as "setAside", (
      select count(*) from xapi_statements
      where site_id = ${ctx.site.id} and seq between ${backfill?.next ?? 1} and ${backfill?.end ?? 0}) as "toQueue"
    from xapi_forwards where site_id = ${ctx.site.id}`.execute(ctx.db)
  const { waiting = 0, setAside = 0, toQueue = 0 } = rows[0] ?? {}
  return {
    ...state,
    url: recordStoreOf(env(), ctx.site.key)?.url ?? null,
    waiting,
    setAside,
    toQueue,
    oldestAt: (await findOldestForward(ctx))?.storedAt ?? null,
    errors: await listForwardErrors(ctx),
  }
}

async function listForwardErrors(ctx: Ctx): Promise<Forwarding['errors']> {
  const rows = await ctx.db
    .selectFrom('xapi_forwards as f')
    .innerJoin('xapi_statements as s', 's.seq', 'f.seq')
    .select(['s.statement_id as statement', 'attempts', 'set_aside_at as setAsideAt', 'next_at as nextAt', 'error'])
    .where('f.site_id', '=', ctx.site.id)
    .where('attempts', '>', 0)
    .orderBy('f.seq', 'desc')
    .limit(shownErrors)
    .execute()
  return rows.map(({ setAsideAt, error, ...row }) => ({ ...row, isSetAside: setAsideAt !== null, error: error ?? '' }))
}

/** Makes all waiting statements due now, including those set aside, and ends the pause. For admins. */
export async function retryForwards(ctx: Ctx): Promise<{ waiting: number }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await ctx.db
      .updateTable('xapi_forward_sites')
      .set({ paused_until: null })
      .where('site_id', '=', ctx.site.id)
      .execute()
    await ctx.db
      .updateTable('xapi_forwards')
      .set({ next_at: ctx.now })
      .where('site_id', '=', ctx.site.id)
      .where('next_at', '>', ctx.now)
      .execute()
    const { waiting } = await ctx.db
      .selectFrom('xapi_forwards')
      .select((eb) => eb.fn.countAll<number>().as('waiting'))
      .where('site_id', '=', ctx.site.id)
      .executeTakeFirstOrThrow()
    return { waiting }
  })
}

/**
 * Starts a backfill: the job queues everything stored so far, from the first statement on. The other record store keeps
 * each statement once. A running backfill continues. Returns how many statements are left to queue. For admins.
 */
export async function backfillForwards(ctx: Ctx): Promise<{ toQueue: number }> {
  requireAdmin(ctx, 'write')
  if (!recordStoreOf(env(), ctx.site.key)) {
    throw new Conflict('xapi.not_forwarded', 'No record store is set for this site, so its statements stay here.')
  }
  await sql`
    insert into xapi_forward_sites as state (site_id, backfill_next, backfill_end)
    select ${ctx.site.id}, min(seq), max(seq) from xapi_statements where site_id = ${ctx.site.id}
    on conflict (site_id) do update set backfill_next = excluded.backfill_next, backfill_end = excluded.backfill_end
    where state.backfill_next is null`.execute(ctx.db)
  return { toQueue: (await getForwarding(ctx)).toQueue }
}

const longMs = 60 * 60_000

/** Returns a sentence for `/readyz` if statements of the site have waited too long, otherwise null. */
export async function findForwardingProblem(ctx: Ctx): Promise<string | null> {
  if (!recordStoreOf(env(), ctx.site.key)) return null
  const oldest = await findOldestForward(ctx)
  if (!oldest || ctx.now.getTime() - oldest.queuedAt.getTime() < longMs) return null
  return `Statements of ${ctx.site.key} have been waiting for the other record store since ${oldest.queuedAt.toISOString()}. Run: npm run lrs:forward -- status.`
}
