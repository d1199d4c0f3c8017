/** Jobs that end operations without a worker, and delete old ones. */
import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'
import { hasUnfinishedJob } from '../queue/queue.server.ts'
import { daysAgo } from '../restorable.ts'

const hourMs = 3_600_000

/**
 * Ends operations as failed whose last job was lost, such as one whose worker was killed during the last attempt. While
 * an operation runs, no other can begin for its subject, so it must not run forever. A job that waits for its next
 * attempt may wait for more than an hour.
 */
export async function failStuckBulkOperations(ctx: SystemCtx): Promise<number> {
  const failed = await ctx.db
    .updateTable('bulk_operations')
    .set({ status: 'failed', ended_at: ctx.now, updated_at: ctx.now })
    .where('status', '=', 'running')
    .where('updated_at', '<', new Date(ctx.now.getTime() - hourMs))
    .where(({ not }) => not(hasUnfinishedJob('operationUid', sql.ref('bulk_operations.uid'))))
    .returning('uid')
    .execute()
  for (const { uid } of failed) ctx.log.warn({ operation: uid }, 'a bulk operation failed because it had no job left')
  return failed.length
}

const daysKept = 30

/**
 * What failed may name people, so it is kept only as long as somebody may want to look at it. What nobody has confirmed
 * goes after a day.
 */
export async function deleteOldBulkOperations(ctx: SystemCtx): Promise<number> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('bulk_operations')
    .where(({ eb, or, and }) =>
      or([
        eb('ended_at', '<', daysAgo(ctx, daysKept)),
        and([eb('status', '=', 'prepared'), eb('created_at', '<', daysAgo(ctx, 1))]),
      ]),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
