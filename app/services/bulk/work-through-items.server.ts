/**
 * The items of bulk operations: what an operation works on, one item after the other, and what failed. Each item is
 * recorded in the transaction that changes it, behind the one before it (`cursor`). So a job that is killed continues
 * where it stopped, and of two jobs that run at once only one makes progress.
 */
import { type RawBuilder, sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { type BulkItem, getBulkOperation } from './bulk.server.ts'

type BulkFailure = { itemUid: string; label: string; reason: string }

/** Thrown when the operation was canceled or another job is ahead of this one. It rolls the transaction back. */
export class BulkStopped extends Error {}

/** Lists the items of an operation in their order, for the person who started it and for admins. */
export async function listBulkItems(ctx: Ctx, input: { operationUid: string }): Promise<BulkItem[]> {
  const { uid } = await getBulkOperation(ctx, input)
  return selectItems(ctx, uid).execute()
}

/** Lists the chosen things that an operation has changed: those that had their turn, did not fail and needed the change. */
export async function listChangedItems(ctx: Ctx, input: { operationUid: string }): Promise<BulkItem[]> {
  const { uid } = await getBulkOperation(ctx, input)
  return selectItems(ctx, uid)
    .where('bulk_items.is_unchanged', '=', false)
    .where(sql<boolean>`bulk_items.position <= (${positionOf(sql.ref('o.cursor'))})`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('bulk_failures as f')
            .select('f.id')
            .whereRef('f.operation_id', '=', 'o.id')
            .whereRef('f.item_uid', '=', 'bulk_items.item_uid'),
        ),
      ),
    )
    .execute()
}

/** Lists the chosen things that an operation left as they were, because they needed no change. */
export async function listUnchangedItems(ctx: Ctx, input: { operationUid: string }): Promise<BulkItem[]> {
  const { uid } = await getBulkOperation(ctx, input)
  return selectItems(ctx, uid).where('bulk_items.is_unchanged', '=', true).execute()
}

/** For jobs: the next of the chosen things, behind `after`. */
export async function listNextItems(
  ctx: Ctx,
  input: { operationUid: string; after: string | null; most: number },
): Promise<BulkItem[]> {
  return selectItems(ctx, input.operationUid)
    .where(sql<boolean>`bulk_items.position > coalesce((${positionOf(sql`${input.after}::uuid`)}), -1)`)
    .limit(input.most)
    .execute()
}

function selectItems(ctx: Ctx, operationUid: string) {
  return ctx.db
    .selectFrom('bulk_items')
    .innerJoin('bulk_operations as o', 'o.id', 'bulk_items.operation_id')
    .select(['bulk_items.item_uid as uid', 'bulk_items.label'])
    .where('o.site_id', '=', ctx.site.id)
    .where('o.uid', '=', operationUid)
    .orderBy('bulk_items.position')
}

function positionOf(itemUid: RawBuilder<unknown>): RawBuilder<number> {
  return sql`select i.position from bulk_items i where i.operation_id = o.id and i.item_uid = ${itemUid}`
}

const mostFailuresListed = 200

/** The first that failed, in their order. */
export async function listBulkFailures(ctx: Ctx, input: { operationUid: string }): Promise<BulkFailure[]> {
  const { uid } = await getBulkOperation(ctx, input)
  return ctx.db
    .selectFrom('bulk_failures')
    .innerJoin('bulk_operations as o', 'o.id', 'bulk_failures.operation_id')
    .select(['item_uid as itemUid', 'label', 'reason'])
    .where('o.uid', '=', uid)
    .orderBy('bulk_failures.id')
    .limit(mostFailuresListed)
    .execute()
}

/**
 * For jobs: does `work` with one thing after the other. `work` calls `record` in the transaction that changes the thing,
 * with 'unchanged' if it was already as it should be. What a service refuses is recorded as failed, with the reason. So
 * is what fails unexpectedly twice, so that it does not hold up the others. If that cannot be recorded, because the
 * database is away, the job fails and is repeated. Returns how many were changed, or null if the operation has ended
 * meanwhile or another job is ahead of this one.
 */
export async function workThroughItems(
  ctx: Ctx,
  input: { operationUid: string; after: string | null; items: BulkItem[] },
  work: (item: BulkItem, record: (ctx: Ctx, outcome?: 'changed' | 'unchanged') => Promise<void>) => Promise<unknown>,
): Promise<number | null> {
  let { after } = input
  let changed = 0
  try {
    for (const item of input.items) {
      const done = { operationUid: input.operationUid, after, itemUid: item.uid, label: item.label }
      try {
        let isChanged = true
        await tryTwice(() =>
          work(item, (ctx, outcome = 'changed') => {
            isChanged = outcome === 'changed'
            return recordBulkItem(ctx, { ...done, outcome })
          }),
        )
        if (isChanged) changed++
      } catch (error) {
        if (error instanceof BulkStopped) throw error
        const isRefusal = error instanceof ServiceError
        const problem = isRefusal ? error.message : 'Something went wrong on our side. Please try again.'
        if (!isRefusal) ctx.log.error({ err: error, item: item.uid }, 'an item of a bulk operation failed')
        await inTransaction(ctx, (ctx) => recordBulkItem(ctx, { ...done, outcome: { problem } })).catch(
          (unrecorded) => {
            throw isRefusal ? unrecorded : error
          },
        )
      }
      after = item.uid
    }
  } catch (error) {
    if (error instanceof BulkStopped) return null
    throw error
  }
  return changed
}

/**
 * Repeats what fails unexpectedly, once. The first attempt may have been committed as its connection broke. Then the
 * second one is stopped, and the first error is thrown.
 */
async function tryTwice(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ServiceError || error instanceof BulkStopped) throw error
    await work().catch((second) => {
      throw second instanceof BulkStopped ? error : second
    })
  }
}

/** `unchanged`: it was already as it should be. `problem`: why it failed. */
export type BulkOutcome = 'changed' | 'unchanged' | { problem: string }

type BulkItemResult = {
  operationUid: string
  /** The thing before this one; null for the first. */
  after: string | null
  itemUid: string
  label: string
  outcome: BulkOutcome
}

/**
 * For jobs, in the transaction that changes the thing. Throws BulkStopped if the operation has ended or is no longer
 * behind `after`.
 */
export async function recordBulkItem(ctx: Ctx, { itemUid, label, outcome, ...place }: BulkItemResult): Promise<void> {
  await recordBulkItems(ctx, { ...place, items: [{ uid: itemUid, label, outcome }] })
}

/** The same for things that are changed together. */
export async function recordBulkItems(
  ctx: Ctx,
  input: { operationUid: string; after: string | null; items: (BulkItem & { outcome: BulkOutcome })[] },
): Promise<void> {
  const { operationUid, after, items } = input
  const failed = items.flatMap(({ outcome, ...item }) =>
    typeof outcome === 'object' ? [{ ...item, reason: outcome.problem }] : [],
  )
  const unchanged = items.filter(({ outcome }) => outcome === 'unchanged').map(({ uid }) => uid)
  const last = items.at(-1)
  if (!last) return
  const operation = await ctx.db
    .updateTable('bulk_operations')
    .set((eb) => ({
      done: eb('done', '+', items.length),
      failed: eb('failed', '+', failed.length),
      unchanged: eb('unchanged', '+', unchanged.length),
      // Others may have come since the operation began.
      total: sql<number>`greatest(total, done + ${items.length})`,
      cursor: last.uid,
      updated_at: ctx.now,
    }))
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', operationUid)
    .where('status', '=', 'running')
    .where(sql<boolean>`cursor is not distinct from ${after}::uuid`)
    .returning('id')
    .executeTakeFirst()
  if (!operation) throw new BulkStopped()
  if (unchanged.length > 0) {
    await ctx.db
      .updateTable('bulk_items')
      .set({ is_unchanged: true })
      .where('operation_id', '=', operation.id)
      .where('item_uid', 'in', unchanged)
      .execute()
  }
  if (failed.length > 0) {
    await ctx.db
      .insertInto('bulk_failures')
      .values(failed.map(({ uid, label, reason }) => ({ operation_id: operation.id, item_uid: uid, label, reason })))
      .execute()
  }
}
