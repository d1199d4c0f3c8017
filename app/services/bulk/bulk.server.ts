/**
 * Bulk operations: work on many things that jobs do one after the other, with progress, cancel and a list of what failed. The domain that
 * owns the things does the work; here is the account of it. Each thing is recorded in the transaction that changes it, behind the one before it
 * (`cursor`). So a job that is killed goes on where it stopped, and of two jobs that run at once only one gets ahead.
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { actsAsAdmin, type Ctx, requireStaff, type SystemCtx } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'

export type BulkKind = 'move-learners'
type BulkStatus = 'running' | 'done' | 'canceled' | 'failed'

export type BulkOperation = {
  uid: string
  kind: BulkKind
  subjectUid: string
  status: BulkStatus
  total: number
  /** Those that failed are among them. */
  done: number
  failed: number
  createdAt: Date
}

type BulkFailure = { itemUid: string; label: string; reason: string }

/** Somebody canceled the operation, or another job is ahead with it. What the transaction did is rolled back. */
export class BulkStopped extends Error {}

/**
 * Begins an operation, in the transaction that queues its first job; for staff. One that is running for the same subject is given back to whoever
 * began it, and refused to others.
 */
export async function startBulkOperation(
  ctx: Ctx,
  input: { kind: BulkKind; subjectUid: string; total: number },
): Promise<BulkOperation> {
  requireStaff(ctx, 'write')
  const { kind, subjectUid, total } = input
  const inserted = await ctx.db
    .insertInto('bulk_operations')
    .values({
      site_id: ctx.site.id,
      kind,
      subject_uid: subjectUid,
      created_by: ctx.viewer?.id ?? null,
      total,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .onConflict((oc) => oc.columns(['site_id', 'kind', 'subject_uid']).where('ended_at', 'is', null).doNothing())
    .returning(columns)
    .executeTakeFirst()
  if (inserted) return toOperation(inserted)
  const running = await findBulkOperation(ctx, { kind, subjectUid })
  if (running?.status === 'running') return running
  throw new Conflict('bulk.running', 'Somebody else has started this already, and it is still running.')
}

/** For whoever began it, and for admins. */
export async function getBulkOperation(ctx: Ctx, input: { operationUid: string }): Promise<BulkOperation> {
  requireStaff(ctx)
  const row = isUid(input.operationUid)
    ? await selectOwn(ctx).where('uid', '=', input.operationUid).executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  return toOperation(row)
}

/** The latest of a subject that whoever asks may see. */
export async function findBulkOperation(
  ctx: Ctx,
  input: { kind: BulkKind; subjectUid: string },
): Promise<BulkOperation | null> {
  requireStaff(ctx)
  const row = await selectOwn(ctx)
    .where('kind', '=', input.kind)
    .where('subject_uid', '=', input.subjectUid)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? toOperation(row) : null
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

/** For whoever began it, and for admins. What is done stays done. One that has ended stays as it ended. */
export async function cancelBulkOperation(ctx: Ctx, input: { operationUid: string }): Promise<BulkOperation> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { uid, kind, subjectUid } = await getBulkOperation(ctx, input)
    if (await end(ctx, uid, 'canceled')) {
      await recordAudit(ctx, {
        action: 'bulk_operation.canceled',
        entity: 'bulk_operation',
        entityUid: uid,
        before: { kind, subjectUid },
      })
    }
    return getBulkOperation(ctx, { operationUid: uid })
  })
}

type BulkWork = { subjectUid: string; createdById: number | null; cursor: string | null }

/** For jobs: what is left to do, or null when nothing is, because the operation has ended. */
export async function findBulkWork(ctx: Ctx, input: { operationUid: string }): Promise<BulkWork | null> {
  const row = await ctx.db
    .selectFrom('bulk_operations')
    .select(['subject_uid as subjectUid', 'created_by as createdById', 'cursor'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.operationUid)
    .where('status', '=', 'running')
    .executeTakeFirst()
  return row ?? null
}

type BulkItem = {
  operationUid: string
  /** The thing before this one; null for the first. */
  after: string | null
  itemUid: string
  /** What people call the thing. */
  label: string
  /** Why it failed; null where it did not. */
  problem: string | null
}

/** For jobs, in the transaction that changes the thing. Throws BulkStopped where the operation has ended or is no longer behind `after`. */
export async function recordBulkItem(
  ctx: Ctx,
  { operationUid, after, itemUid, label, problem }: BulkItem,
): Promise<void> {
  const operation = await ctx.db
    .updateTable('bulk_operations')
    .set((eb) => ({
      done: eb('done', '+', 1),
      failed: eb('failed', '+', problem === null ? 0 : 1),
      // Others may have come since the operation began.
      total: sql<number>`greatest(total, done + 1)`,
      cursor: itemUid,
      updated_at: ctx.now,
    }))
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', operationUid)
    .where('status', '=', 'running')
    .where(sql<boolean>`cursor is not distinct from ${after}::uuid`)
    .returning('id')
    .executeTakeFirst()
  if (!operation) throw new BulkStopped()
  if (problem === null) return
  await ctx.db
    .insertInto('bulk_failures')
    .values({ operation_id: operation.id, item_uid: itemUid, label, reason: problem })
    .execute()
}

/** For jobs. One that has ended stays as it ended. */
export async function endBulkOperation(
  ctx: Ctx,
  input: { operationUid: string; status: Exclude<BulkStatus, 'running'> },
): Promise<void> {
  await end(ctx, input.operationUid, input.status)
}

const daysKept = 30

/** What failed may name people, so it is not kept for longer than somebody may want to look at it. */
export async function deleteOldBulkOperations(ctx: SystemCtx): Promise<number> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('bulk_operations')
    .where('ended_at', '<', new Date(ctx.now.getTime() - daysKept * 86_400_000))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

async function end(ctx: Ctx, uid: string, status: BulkStatus): Promise<boolean> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('bulk_operations')
    .set({ status, ended_at: ctx.now, updated_at: ctx.now })
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
    .where('status', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const columns = ['uid', 'kind', 'subject_uid', 'status', 'total', 'done', 'failed', 'created_at'] as const

function selectOwn(ctx: Ctx) {
  const query = ctx.db.selectFrom('bulk_operations').select(columns).where('site_id', '=', ctx.site.id)
  return actsAsAdmin(ctx) ? query : query.where('created_by', '=', ctx.viewer?.id ?? null)
}

type Row = {
  uid: string
  kind: string
  subject_uid: string
  status: string
  total: number
  done: number
  failed: number
  created_at: Date
}

function toOperation(row: Row): BulkOperation {
  const { uid, total, done, failed } = row
  return {
    uid,
    kind: row.kind as BulkKind,
    subjectUid: row.subject_uid,
    status: row.status as BulkStatus,
    total,
    done,
    failed,
    createdAt: row.created_at,
  }
}
