/** What has become of lists of people to invite, for admins. */
import { type RawBuilder, sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { type BulkOperation, findBulkOperation, getBulkOperation } from '../bulk/bulk.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'

export type InvitedList = {
  operation: BulkOperation
  fileName: string
  /** Rows in which something was wrong. */
  leftOut: number
  /** How many of those who were invited have not registered yet. */
  withdrawable: number
  /** The latest operation that withdraws it. */
  withdrawal: BulkOperation | null
}

/** SQL: rows `r` whose person was invited and has not registered. */
const isOpen: RawBuilder<boolean> = sql`(r.outcome = 'invited' and exists (
  select from users where users.uid = r.user_uid and users.password_hash is null and users.joined_at is null
    and users.erased_at is null and not users.is_active))`

export async function getInvitedList(ctx: Ctx, input: { operationUid: string }): Promise<InvitedList> {
  requireAdmin(ctx)
  if (!isUid(input.operationUid)) throw new NotFound()
  const operation = await getBulkOperation(ctx, input)
  const { rows } = await sql<{ fileName: string; leftOut: number; withdrawable: number }>`
    select l.file_name as "fileName",
      (select count(*)::int from invited_list_rows r where r.operation_uid = l.operation_uid and r.outcome = 'left-out') as "leftOut",
      (select count(*)::int from invited_list_rows r where r.operation_uid = l.operation_uid and ${isOpen}) as withdrawable
    from invited_lists l where l.site_id = ${ctx.site.id} and l.operation_uid = ${operation.uid}`.execute(ctx.db)
  const [list] = rows
  if (!list) throw new NotFound()
  const withdrawal = await findBulkOperation(ctx, { kind: 'withdraw-invitations', subjectUid: operation.uid })
  return { operation, ...list, withdrawal }
}

export type InvitedListSummary = {
  uid: string
  fileName: string
  createdAt: Date
  status: BulkOperation['status']
  total: number
  invited: number
  /** How many have not registered yet. */
  waiting: number
}

const mostListed = 100

/** The lists of the last thirty days, the newest first: at most `mostListed`. */
export async function listInvitedLists(ctx: Ctx): Promise<InvitedListSummary[]> {
  requireAdmin(ctx)
  const { rows } = await sql<InvitedListSummary>`
    select o.uid, l.file_name as "fileName", l.created_at as "createdAt", o.status, o.total, o.done - o.failed as invited,
      (select count(*)::int from invited_list_rows r where r.operation_uid = l.operation_uid and ${isOpen}) as waiting
    from invited_lists l join bulk_operations o on o.uid = l.operation_uid
    where l.site_id = ${ctx.site.id}
    order by l.created_at desc, o.id desc limit ${mostListed}`.execute(ctx.db)
  return rows
}

export type InvitedListRow = {
  line: number
  cells: Record<string, string>
  outcome: string | null
  reason: string | null
}

const rowsAtOnce = 1000

/** Each row of a list with what happened to it, in parts, in the order of the file. */
export async function* readInvitedList(ctx: Ctx, input: { operationUid: string }): AsyncGenerator<InvitedListRow[]> {
  const { operation } = await getInvitedList(ctx, input)
  let after = -1
  for (;;) {
    const rows = await ctx.db
      .selectFrom('invited_list_rows')
      .select(['position', 'line', 'cells', 'outcome', 'reason'])
      .where('operation_uid', '=', operation.uid)
      .where('position', '>', after)
      .orderBy('position')
      .limit(rowsAtOnce)
      .execute()
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(({ position: _, cells, ...row }) => ({ ...row, cells: cells as Record<string, string> }))
    after = last.position
  }
}
