/** What was assigned in the last thirty days, operation by operation, for admins. */
import { sql } from 'kysely'
import type { AssignedKind, DueFields } from '~/forms/assignments.ts'
import { type BulkOperation, findBulkOperation } from '../bulk/bulk.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { getAssigning } from './run-assignment.server.ts'

export type AssigningLine = {
  uid: string
  createdAt: Date
  /** The name of whoever began it; null if the account is gone. */
  by: string | null
  status: BulkOperation['status']
  people: number
  items: number
  /** The name of one of the items; null if none of them is left. */
  first: string | null
  isUndone: boolean
}

/** Lists a page of the operations that have assigned something, the newest first, with the total. */
export async function listAssignmentOperations(
  ctx: Ctx,
  input: NumberedPageInput,
): Promise<{ items: AssigningLine[]; total: number }> {
  requireAdmin(ctx)
  const { limit, offset } = limitsOfPage(input)
  const [{ rows: items }, { rows: counts }] = await Promise.all([
    sql<AssigningLine>`
      select operation.uid, made.created_at as "createdAt", operation.status, operation.total as people,
        coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email) as by,
        cardinality(made.module_uids) + cardinality(made.course_uids) as items,
        coalesce(
          (select name from modules where uid = any(made.module_uids) and deleted_at is null order by name_key, id limit 1),
          (select name from courses where uid = any(made.course_uids) and deleted_at is null order by name_key, id limit 1)
        ) as first,
        exists (
          select from bulk_operations undo where undo.site_id = made.site_id and undo.subject_uid = made.operation_uid
            and undo.kind = 'unassign-content' and undo.status <> 'failed') as "isUndone"
      from assignment_operations made
      join bulk_operations operation on operation.uid = made.operation_uid
      left join users on users.id = operation.created_by
      where made.site_id = ${ctx.site.id}
      order by made.created_at desc, operation.id desc limit ${limit} offset ${offset}`.execute(ctx.db),
    sql<{ total: number }>`
      select count(*)::int as total from assignment_operations where site_id = ${ctx.site.id}`.execute(ctx.db),
  ])
  return { items, total: counts[0]?.total ?? 0 }
}

export type AssigningDetails = DueFields & {
  operation: BulkOperation
  /** The latest operation that undoes it. */
  undo: BulkOperation | null
  /** True if it has taken the due date from whoever had an item already. */
  removesDue: boolean
  /** Those that are still there, by name. */
  items: { kind: AssignedKind; uid: string; name: string }[]
  /** How many assignments it has made, and how many it has given another due date or note. */
  assigned: number
  changed: number
  /** How many of both nobody has changed since. */
  left: number
}

/** Reads one operation with what it has done so far. */
export async function getAssignmentOperation(ctx: Ctx, input: { operationUid: string }): Promise<AssigningDetails> {
  requireAdmin(ctx)
  const operation = await getAssigning(ctx, input)
  const { rows } = await sql<Omit<AssigningDetails, 'operation' | 'undo'>>`
    select made.due_on::text as "dueOn", made.note, made.removes_due as "removesDue", made.assigned, made.changed,
      (select count(*)::int from module_assignments own where own.operation_uid = made.operation_uid)
        + (select count(*)::int from course_assignments own where own.operation_uid = made.operation_uid) as "left",
      (select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'uid', uid, 'name', name) order by kind desc, name_key, uid), '[]')
        from (
          select 'module' as kind, uid, name, name_key from modules
          where uid = any(made.module_uids) and site_id = made.site_id and deleted_at is null
          union all
          select 'course', uid, name, name_key from courses
          where uid = any(made.course_uids) and site_id = made.site_id and deleted_at is null) item) as items
    from assignment_operations made
    where made.site_id = ${ctx.site.id} and made.operation_uid = ${operation.uid}`.execute(ctx.db)
  const [made] = rows
  if (!made) throw new NotFound()
  const undo = await findBulkOperation(ctx, { kind: 'unassign-content', subjectUid: operation.uid })
  return { operation, undo, ...made }
}
