/**
 * Bulk operations: work on many things that jobs do one after the other, with progress, cancel and a list of what failed.
 * The domain that owns the things does the work. This file keeps the record of each operation, and
 * work-through-items.server.ts that of its items.
 *
 * An operation works either on what a query of its domain finds (`startBulkOperation`), or on things that somebody has
 * chosen (`prepareBulkOperation`, then `startPreparedOperation` once the person has confirmed).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { actsAsAdmin, type Ctx, requireStaff } from '../context.ts'
import { Conflict, Forbidden, NotFound } from '../errors.ts'

export type BulkKind =
  | 'move-learners'
  | 'publish-modules'
  | 'unpublish-modules'
  | 'delete-modules'
  | 'restore-modules'
  | 'invite-users'
  | 'withdraw-invitations'
  | 'assign-content'
  | 'renew-access'
  | 'unassign-content'
  | 'unassign-one'
/** `prepared`: the things are chosen, and nobody has confirmed yet. */
export type BulkStatus = 'prepared' | 'running' | 'done' | 'canceled' | 'failed'

export type BulkOperation = {
  uid: string
  kind: BulkKind
  subjectUid: string
  status: BulkStatus
  total: number
  /** Those that failed or were left unchanged are among them. */
  done: number
  failed: number
  /** Those that were already as they should be. */
  unchanged: number
  createdAt: Date
  endedAt: Date | null
  /** The person who started it has closed the notice about its result. */
  isDismissed: boolean
}

/** A thing of an operation. `label` is what people call it. */
export type BulkItem = { uid: string; label: string }

/** Things of an operation, or a query that selects them in their order, for those that are too many to be read first. */
export type BulkItems = BulkItem[] | RawBuilder<BulkItem>

/**
 * Starts an operation in the transaction that queues its first job. For staff. If an operation is running for the same
 * subject, the person who started it gets it back with `isNew` false, and everybody else is refused.
 */
export async function startBulkOperation(
  ctx: Ctx,
  input: { kind: BulkKind; subjectUid: string } & ({ total: number } | { items: BulkItems }),
): Promise<BulkOperation & { isNew: boolean }> {
  requireStaff(ctx, 'write')
  const { kind, subjectUid } = input
  const items = 'items' in input ? input.items : []
  const total = 'total' in input ? input.total : undefined
  const inserted = await insertOperation(ctx, { kind, subjectUid, status: 'running', total, items })
  if (inserted) return { ...inserted, isNew: true }
  const running = await findBulkOperation(ctx, { kind, subjectUid })
  if (running?.status === 'running') return { ...running, isNew: false }
  throw new Conflict('bulk.running', 'Somebody else has started this already, and it is still running.')
}

/** How many operations somebody may have prepared and not confirmed. */
export const mostPrepared = 20

/**
 * Stores the things that somebody has chosen, for staff. Nothing happens to them until `startPreparedOperation`, so the
 * page that asks for confirmation has an address. Of the operations that a person never confirms, the newest
 * `mostPrepared` are kept.
 */
export async function prepareBulkOperation(
  ctx: Ctx,
  input: { kind: BulkKind; items: BulkItems },
): Promise<BulkOperation> {
  requireStaff(ctx, 'write')
  const { kind, items } = input
  const prepared = { kind, subjectUid: randomUUID(), status: 'prepared', items } as const
  const inserted = await inTransaction(ctx, async (ctx) => {
    await deleteOldestPrepared(ctx)
    return insertOperation(ctx, prepared)
  })
  if (!inserted) throw new Conflict('bulk.running', 'This has been started already.')
  return inserted
}

/** Makes room for one more. With the lock, simultaneous calls wait for each other and count each other's operations. */
async function deleteOldestPrepared(ctx: Ctx): Promise<void> {
  if (!ctx.viewer) return
  const { id: viewerId } = ctx.viewer
  await sql`select pg_advisory_xact_lock(hashtextextended(${`bulk|${viewerId}`}, 0))`.execute(ctx.db)
  await ctx.db
    .deleteFrom('bulk_operations')
    .where('status', '=', 'prepared')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('bulk_operations')
        .select('id')
        .where('site_id', '=', ctx.site.id)
        .where('created_by', '=', viewerId)
        .where('status', '=', 'prepared')
        .orderBy('id', 'desc')
        .offset(mostPrepared - 1),
    )
    .execute()
}

type NewOperation = Pick<BulkOperation, 'kind' | 'subjectUid' | 'status'> & { items: BulkItems; total?: number }

/** Null if one of the kind has not ended yet for the subject. */
async function insertOperation(
  ctx: Ctx,
  { kind, subjectUid, status, total, items }: NewOperation,
): Promise<BulkOperation | null> {
  const inserted = await ctx.db
    .insertInto('bulk_operations')
    .values({
      site_id: ctx.site.id,
      kind,
      subject_uid: subjectUid,
      created_by: ctx.viewer?.id ?? null,
      status,
      total: total ?? 0,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .onConflict((oc) => oc.columns(['site_id', 'kind', 'subject_uid']).where('ended_at', 'is', null).doNothing())
    .returning(['id', ...columns])
    .executeTakeFirst()
  if (!inserted) return null
  const { id, ...operation } = inserted
  const count = await insertItems(ctx, id, items)
  if (total !== undefined || count === 0) return toOperation(operation)
  await ctx.db.updateTable('bulk_operations').set({ total: count }).where('id', '=', id).execute()
  return toOperation({ ...operation, total: count })
}

/** Stores what an operation works on, and returns how many things that are. */
async function insertItems(ctx: Ctx, operationId: number, items: BulkItems): Promise<number> {
  if (Array.isArray(items)) {
    const rows = items.map(({ uid, label }, position) => ({
      operation_id: operationId,
      position,
      item_uid: uid,
      label,
    }))
    if (rows.length > 0) await ctx.db.insertInto('bulk_items').values(rows).execute()
    return rows.length
  }
  const { numAffectedRows } = await sql`
    insert into bulk_items (operation_id, position, item_uid, label)
    select ${operationId}::bigint, row_number() over () - 1, chosen.uid, chosen.label from (${items}) chosen`.execute(
    ctx.db,
  )
  return Number(numAffectedRows ?? 0)
}

/**
 * Starts a prepared operation in the transaction that queues its first job. Only for the person who prepared it, because
 * the jobs act and are recorded under that name. Returns false if the operation was already started or canceled, so that
 * a second click starts nothing.
 */
export async function startPreparedOperation(ctx: Ctx, input: { operationUid: string }): Promise<boolean> {
  requireStaff(ctx, 'write')
  const { uid } = await getBulkOperation(ctx, input)
  const operation = await ctx.db
    .selectFrom('bulk_operations')
    .select('created_by')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
    .executeTakeFirst()
  if (!operation) throw new NotFound()
  if (operation.created_by !== (ctx.viewer?.id ?? null)) {
    throw new Forbidden('Only the person who prepared this can confirm it.')
  }
  const { numUpdatedRows } = await ctx.db
    .updateTable('bulk_operations')
    .set({ status: 'running', created_at: ctx.now, updated_at: ctx.now })
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
    .where('status', '=', 'prepared')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns an operation, for the person who started it and for admins. */
export async function getBulkOperation(ctx: Ctx, input: { operationUid: string }): Promise<BulkOperation> {
  requireStaff(ctx)
  const row = isUid(input.operationUid)
    ? await selectOwn(ctx).where('uid', '=', input.operationUid).executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  return toOperation(row)
}

/**
 * Who prepared or started an operation, for that person and for admins. The name is null if the account is gone, or for
 * the operator.
 */
export async function getBulkStarter(
  ctx: Ctx,
  input: { operationUid: string },
): Promise<{ name: string | null; isViewer: boolean }> {
  const { uid } = await getBulkOperation(ctx, input)
  const row = await ctx.db
    .selectFrom('bulk_operations as o')
    .leftJoin('users as u', 'u.id', 'o.created_by')
    .select(['o.created_by as id', 'u.first_name as firstName', 'u.last_name as lastName', 'u.email'])
    .where('o.site_id', '=', ctx.site.id)
    .where('o.uid', '=', uid)
    .executeTakeFirst()
  if (!row) throw new NotFound()
  const name = `${row.firstName ?? ''} ${row.lastName ?? ''}`.trim() || row.email
  return { name, isViewer: row.id === (ctx.viewer?.id ?? null) }
}

/** The latest of a subject that the viewer may see. */
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

const mostRecent = 100

/** Those of these kinds that the viewer has started in the last day, for staff: the newest first, at most `mostRecent`. */
export async function listRecentBulkOperations(ctx: Ctx, input: { kinds: BulkKind[] }): Promise<BulkOperation[]> {
  requireStaff(ctx)
  const rows = await ctx.db
    .selectFrom('bulk_operations')
    .select(columns)
    .where('site_id', '=', ctx.site.id)
    .where('created_by', '=', ctx.viewer?.id ?? null)
    .where('kind', 'in', input.kinds)
    .where('status', '<>', 'prepared')
    .where('created_at', '>', new Date(ctx.now.getTime() - dayMs))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostRecent)
    .execute()
  return rows.map(toOperation)
}

const dayMs = 86_400_000

/**
 * Cancels an operation, for the person who started it and for admins. Finished items stay as they are, and a prepared
 * operation can no longer be confirmed. Does nothing if the operation has already ended.
 */
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
      await deleteUnusedItems(ctx, uid)
    }
    return getBulkOperation(ctx, { operationUid: uid })
  })
}

/** What an operation was to work on is of no use once it has ended without doing any of it. */
async function deleteUnusedItems(ctx: Ctx, operationUid: string): Promise<void> {
  await ctx.db
    .deleteFrom('bulk_items')
    .using('bulk_operations as o')
    .whereRef('o.id', '=', 'bulk_items.operation_id')
    .where('o.uid', '=', operationUid)
    .where('o.done', '=', 0)
    .execute()
}

/**
 * Stops telling the person who started an operation about its result. Only for that person. Does nothing while the
 * operation runs, and the second time.
 */
export async function dismissBulkOperation(ctx: Ctx, input: { operationUid: string }): Promise<void> {
  requireStaff(ctx, 'write')
  const { isViewer } = await getBulkStarter(ctx, input)
  if (!isViewer) throw new Forbidden('Only the person who started this can dismiss it.')
  await ctx.db
    .updateTable('bulk_operations')
    .set({ dismissed_at: ctx.now })
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.operationUid)
    .where('ended_at', 'is not', null)
    .where('dismissed_at', 'is', null)
    .execute()
}

type BulkWork = { kind: BulkKind; subjectUid: string; createdById: number | null; cursor: string | null }

/** For jobs: what is left to do, or null when nothing is, because the operation has ended. */
export async function findBulkWork(ctx: Ctx, input: { operationUid: string }): Promise<BulkWork | null> {
  const row = await ctx.db
    .selectFrom('bulk_operations')
    .select(['kind', 'subject_uid as subjectUid', 'created_by as createdById', 'cursor'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.operationUid)
    .where('status', '=', 'running')
    .executeTakeFirst()
  return row ? { ...row, kind: row.kind as BulkKind } : null
}

/**
 * For jobs that do several things in one transaction: like `findBulkWork`, and no other job or Cancel comes between until
 * the transaction ends.
 */
export async function lockBulkWork(ctx: Ctx, input: { operationUid: string }): Promise<BulkWork | null> {
  await ctx.db
    .selectFrom('bulk_operations')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.operationUid)
    .forUpdate()
    .execute()
  return findBulkWork(ctx, input)
}

/** For jobs: who began an operation, and when it ended. Returns null if it is no longer kept. */
export async function findBulkEnd(
  ctx: Ctx,
  input: { operationUid: string },
): Promise<{ createdById: number | null; endedAt: Date | null } | null> {
  const row = await ctx.db
    .selectFrom('bulk_operations')
    .select(['created_by as createdById', 'ended_at as endedAt'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.operationUid)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Waits for the end of a small operation, so that a page without JavaScript shows its result at once. After a second it
 * shows the progress instead.
 */
export async function awaitBulkOperation(ctx: Ctx, input: { operationUid: string }): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    const { status, total } = await getBulkOperation(ctx, input)
    if (status !== 'running' || total > mostAwaited) return
    await setTimeout(50)
  }
}

const mostAwaited = 20

/** For jobs. One that has ended stays as it ended. */
export async function endBulkOperation(
  ctx: Ctx,
  input: { operationUid: string; status: Exclude<BulkStatus, 'prepared' | 'running'> },
): Promise<void> {
  await end(ctx, input.operationUid, input.status)
}

async function end(ctx: Ctx, uid: string, status: BulkStatus): Promise<boolean> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('bulk_operations')
    // A job that began after the request to cancel may have recorded a later time.
    .set({ status, ended_at: sql<Date>`greatest(updated_at, ${ctx.now})`, updated_at: ctx.now })
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const columns = [
  'uid',
  'kind',
  'subject_uid',
  'status',
  'total',
  'done',
  'failed',
  'unchanged',
  'created_at',
  'ended_at',
  'dismissed_at',
] as const

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
  unchanged: number
  created_at: Date
  ended_at: Date | null
  dismissed_at: Date | null
}

function toOperation(row: Row): BulkOperation {
  const { uid, total, done, failed, unchanged } = row
  return {
    uid,
    kind: row.kind as BulkKind,
    subjectUid: row.subject_uid,
    status: row.status as BulkStatus,
    total,
    done,
    failed,
    unchanged,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    isDismissed: row.dismissed_at !== null,
  }
}
