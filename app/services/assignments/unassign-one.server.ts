/**
 * Taking back what one person has been assigned, and bringing it back. What is taken is kept as what an operation has
 * replaced, so that it goes after thirty days, and at once if the person is erased.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AssignedKind } from '~/forms/assignments.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { endBulkOperation, getBulkOperation, startBulkOperation } from '../bulk/bulk.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { lockPairs, type Pairs } from './lock-pairs.server.ts'
import { assignmentTables as tables } from './tables.ts'

const operationKind = 'unassign-one'

type Pair = { userUid: string; kind: AssignedKind; itemUid: string }
type Taken = { itemName: string; operationUid: string }

/** Takes an assignment back, for admins. Returns its operation, for Undo; null if the person no longer had it. */
export async function unassignOne(ctx: Ctx, input: Pair): Promise<Taken | null> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await lockAssignments(ctx, input)
    const { userId, item } = await lockPair(ctx, input)
    const { assignments, column } = tables[input.kind]
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(assignments)}
      where user_id = ${userId} and ${sql.ref(column)} = ${item.id} for update`.execute(ctx.db)
    const [own] = rows
    if (!own) return null
    const { uid } = await startBulkOperation(ctx, { kind: operationKind, subjectUid: randomUUID(), total: 1 })
    await sql`
      with taken as (delete from ${sql.table(assignments)} where id = ${own.id} returning *)
      insert into replaced_assignments
        (operation_uid, kind, user_id, item_id, site_id, assigned_by, assigned_at, due_on, note, operation_before)
      select ${uid}::uuid, ${input.kind}, user_id, ${sql.ref(column)}, site_id, assigned_by, assigned_at, due_on, note,
        operation_uid
      from taken`.execute(ctx.db)
    await endBulkOperation(ctx, { operationUid: uid, status: 'done' })
    await audit(ctx, input, 'unassigned')
    return { itemName: item.name, operationUid: uid }
  })
}

/**
 * Finds the operation with which the viewer has taken an assignment back, for the Undo of a second press. For admins.
 * Null if that is undone or too old, or if somebody else has taken it back here since. GraphQL keeps nothing to undo.
 */
export async function findLastUnassign(ctx: Ctx, input: Pair): Promise<{ operationUid: string } | null> {
  requireAdmin(ctx)
  const { kind, userUid, itemUid } = input
  if (![userUid, itemUid].every(isUid)) return null
  const { rows } = await sql<{ operationUid: string; createdById: number | null }>`
    select operation.uid as "operationUid", operation.created_by as "createdById"
    from replaced_assignments before
    join bulk_operations operation on operation.uid = before.operation_uid
    join users on users.id = before.user_id
    join ${sql.table(tables[kind].content)} item on item.id = before.item_id
    where before.site_id = ${ctx.site.id} and before.kind = ${kind} and users.uid = ${userUid} and item.uid = ${itemUid}
      and operation.kind = ${operationKind} and operation.created_at > ${daysAgo(ctx, restorableDays)}
    order by operation.id desc limit 1`.execute(ctx.db)
  const [last] = rows
  return last && last.createdById === (ctx.viewer?.id ?? null) ? { operationUid: last.operationUid } : null
}

/**
 * Brings back what `unassignOne` has taken from this person, as it was, for admins. What somebody has assigned again
 * since stays. Returns null if there is nothing left to bring back, or if it was taken back once more since.
 */
export async function undoUnassignOne(
  ctx: Ctx,
  input: { userUid: string; operationUid: string },
): Promise<{ itemName: string } | null> {
  requireAdmin(ctx, 'write')
  const operation = await getBulkOperation(ctx, input)
  if (operation.kind !== operationKind) throw new NotFound()
  if (operation.createdAt <= daysAgo(ctx, restorableDays)) throw new NotFound('This was too long ago to be undone.')
  return inTransaction(ctx, async (ctx) => {
    await lockAssignments(ctx, input)
    const pair = await findTaken(ctx, operation.uid)
    if (!pair) return null
    if (pair.userUid !== input.userUid.toLowerCase()) throw new NotFound()
    const { item } = await lockPair(ctx, pair)
    const { assignments, column } = tables[pair.kind]
    const { numAffectedRows } = await sql`
      with kept as (delete from replaced_assignments where operation_uid = ${operation.uid} returning *)
      insert into ${sql.table(assignments)}
        (site_id, user_id, ${sql.ref(column)}, assigned_by, assigned_at, due_on, note, operation_uid)
      select site_id, user_id, item_id, assigned_by, coalesce(assigned_at, ${ctx.now}::timestamptz), due_on, note,
        operation_before
      from kept
      on conflict (user_id, ${sql.ref(column)}) do nothing`.execute(ctx.db)
    if (!numAffectedRows) return null
    await audit(ctx, pair, 'assigned')
    return { itemName: item.name }
  })
}

async function findTaken(ctx: Ctx, operationUid: string): Promise<Pair | null> {
  const { rows } = await sql<Pair>`
    select users.uid as "userUid", before.kind, coalesce(modules.uid, courses.uid) as "itemUid"
    from replaced_assignments before
    join users on users.id = before.user_id
    left join modules on before.kind = 'module' and modules.id = before.item_id
    left join courses on before.kind = 'course' and courses.id = before.item_id
    where before.site_id = ${ctx.site.id} and before.operation_uid = ${operationUid} and not exists (
      select from replaced_assignments later join bulk_operations own on own.uid = later.operation_uid
      where (later.site_id, later.user_id, later.kind, later.item_id)
        = (before.site_id, before.user_id, before.kind, before.item_id) and own.kind = ${operationKind}
        and own.id > (select id from bulk_operations where uid = before.operation_uid))`.execute(ctx.db)
  return rows[0] ?? null
}

/** What is taken from one person and brought back waits for each other, before any weaker lock of that person. */
async function lockAssignments(ctx: Ctx, { userUid }: { userUid: string }): Promise<void> {
  if (!isUid(userUid)) throw new NotFound()
  await sql`select from users where site_id = ${ctx.site.id} and uid = ${userUid} for no key update`.execute(ctx.db)
}

async function lockPair(ctx: Ctx, { userUid, kind, itemUid }: Pair) {
  const { userIds, items } = await lockPairs(ctx, kind, { userUids: [userUid], itemUids: [itemUid] })
  return { userId: userIds[0] as number, item: items[0] as Pairs['items'][number] }
}

async function audit(ctx: Ctx, { kind, userUid, itemUid }: Pair, done: 'assigned' | 'unassigned'): Promise<void> {
  await recordAudit(ctx, {
    action: `${kind}.${done}`,
    entity: kind,
    entityUid: itemUid,
    after: { userUids: [userUid] },
  })
}
