/**
 * Withdrawing a list of invitations, as a bulk operation: the accounts that nobody has opened yet are deleted, a hundred
 * in one transaction. Whoever has registered meanwhile keeps the account.
 */
import { sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import { endBulkOperation, findBulkWork, lockBulkWork, startBulkOperation } from '../bulk/bulk.server.ts'
import { type BulkOutcome, recordBulkItems } from '../bulk/work-through-items.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict } from '../errors.ts'
import { queue } from '../queue/queue.server.ts'
import { withdrawUnopenedUsers } from '../users/withdraw-users.server.ts'
import { actingAsAdmin } from './invite-list.server.ts'
import { getInvitedList } from './invited-lists.server.ts'

const kind = 'withdraw-invitations'
const batch = 100

/**
 * Begins to withdraw what a list has invited, for admins. If that is running or done, it returns the operation that does
 * it or has done it.
 */
export async function withdrawInvitedList(
  ctx: Ctx,
  input: { operationUid: string },
): Promise<{ operationUid: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { operation, withdrawable, withdrawal } = await getInvitedList(ctx, input)
    if (withdrawal && (withdrawal.status === 'running' || withdrawable === 0)) return { operationUid: withdrawal.uid }
    if (operation.status === 'running') {
      throw new Conflict('invitations.running', 'These people are still being invited. Cancel the rest of it first.')
    }
    if (withdrawable === 0) {
      throw new Conflict('invitations.nothing_open', 'Nobody on this list is waiting to register anymore.')
    }
    const { uid } = await startBulkOperation(ctx, { kind, subjectUid: operation.uid, total: withdrawable })
    await queueBatch(ctx, uid)
    return { operationUid: uid }
  })
}

type Row = { uid: string; userUid: string; label: string }

/** Job: withdraws the next of the list and queues itself again. `most` is for tests. */
export async function withdrawListed(
  ctx: Ctx,
  input: { operationUid: string; most?: number },
): Promise<{ withdrawn: number; isDone: boolean }> {
  const { operationUid, most = batch } = input
  const nothing = { withdrawn: 0, isDone: true }
  const begun = await findBulkWork(ctx, { operationUid })
  if (begun?.kind !== kind) return nothing
  const acting = await actingAsAdmin(ctx, begun.createdById)
  if (!acting) {
    await endBulkOperation(ctx, { operationUid, status: 'canceled' })
    return nothing
  }
  return inTransaction(acting, async (ctx) => {
    const work = await lockBulkWork(ctx, { operationUid })
    if (!work) return nothing
    const rows = await listOpenRows(ctx, work.subjectUid, most)
    const gone = new Set(await withdrawUnopenedUsers(ctx, { userUids: rows.map(({ userUid }) => userUid) }))
    await writeOutcomes(ctx, work.subjectUid, rows, gone)
    const items = rows.map(({ uid, userUid, label }) => {
      const outcome: BulkOutcome = gone.has(userUid) ? 'changed' : { problem: registered }
      return { uid, label, outcome }
    })
    await recordBulkItems(ctx, { operationUid, after: work.cursor, items })
    const isDone = rows.length < most
    if (isDone) await endBulkOperation(ctx, { operationUid, status: 'done' })
    else await queueBatch(ctx, operationUid)
    return { withdrawn: gone.size, isDone }
  })
}

const registered = 'This person has registered in the meantime.'

/** Rows whose people have not registered. Those that a run before has found registered are none of them any more. */
async function listOpenRows(ctx: Ctx, listUid: string, most: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select r.uid, r.user_uid as "userUid",
      concat(r.person ->> 'firstName', ' ', r.person ->> 'lastName', ' (', r.person ->> 'email', ')') as label
    from invited_list_rows r
    join invited_lists l on l.operation_uid = r.operation_uid and l.site_id = ${ctx.site.id}
    join users on users.uid = r.user_uid and users.site_id = l.site_id and users.password_hash is null
      and users.joined_at is null and users.erased_at is null and not users.is_active
    where r.operation_uid = ${listUid} and r.outcome = 'invited'
    order by r.position limit ${most}`.execute(ctx.db)
  return rows
}

async function writeOutcomes(ctx: Ctx, listUid: string, rows: Row[], gone: Set<string>): Promise<void> {
  const withdrawn = rows.filter(({ userUid }) => gone.has(userUid)).map(({ uid }) => uid)
  if (withdrawn.length === 0) return
  await ctx.db
    .updateTable('invited_list_rows')
    .set({ outcome: 'withdrawn' })
    .where('operation_uid', '=', listUid)
    .where('uid', 'in', withdrawn)
    .execute()
}

async function queueBatch(ctx: Ctx, operationUid: string): Promise<void> {
  await queue(ctx, 'withdraw-invitations', { operationUid }, { key: `withdraw-invitations:${operationUid}` })
}
